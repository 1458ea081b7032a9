"""Logs of other tools give the row that their answers give as a table (``../shared/data/logs``)."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Command

ITEMS = "bbq.items.jsonl"
FILES = {
    "plain.predictions.csv": ITEMS,
    "words.predictions.csv": ITEMS,
    "lm-eval.samples_bbq_multiple_choice.jsonl.gz": "",
    "lm-eval.samples_bbq_generate.jsonl": "",
    "inspect.bbq.json": "",
    "helm.scenario_state.json": ITEMS,
    "openai-batch.output.jsonl": ITEMS,
}


def check(tables: dict[str, Any], expected: dict[str, Any]) -> None:
    (row,) = tables["rows"]
    for name, value in expected.items():
        if name == "model":
            continue
        assert row[name] == (value if isinstance(value, str) else pytest.approx(value, abs=1e-6))
    *read_by, unread = tables["reading"]
    assert (unread["rule"], unread["n_answers"]) == ("unread", 0)
    assert sum(rule["n_answers"] for rule in read_by) == 600


@pytest.mark.parametrize("file", FILES)
def test_every_log_gives_the_same_row(shared: Path, fairviz: Command, file: str) -> None:
    folder = shared / "data" / "logs"
    items = ["--items", folder / FILES[file]] if FILES[file] else []
    tables = fairviz("bias", folder / file, *items, "--format", "json").json["tables"]
    check(tables, json.loads((folder / "expected.json").read_text()))
    if file.startswith("words"):
        read_by = {rule["rule"]: rule["n_answers"] for rule in tables["reading"]}
        assert (read_by["unknown in own words"], read_by["refusal"]) == (191, 30)


def test_a_mirror_of_the_items_in_parquet(shared: Path, tmp_path: Path, fairviz: Command) -> None:
    folder = shared / "data" / "logs"
    records = [json.loads(line) for line in (folder / "elfsong-bbq.items.jsonl").read_text().splitlines()]
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "bbq.parquet")
    for items in (folder / "elfsong-bbq.items.jsonl", tmp_path / "bbq.parquet"):
        done = fairviz("bias", folder / "words.predictions.csv", "--items", items, "--format", "json")
        check(done.json["tables"], json.loads((folder / "expected.json").read_text()))


def test_answers_without_questions_ask_for_them(shared: Path, fairviz: Command) -> None:
    refusal = fairviz("bias", shared / "data" / "logs" / "openai-batch.output.jsonl").refusal
    assert "give --items FILE and --answers FILE" in refusal
