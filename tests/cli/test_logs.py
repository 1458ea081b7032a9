"""Logs of other tools give the row that their answers give as a table (``../shared/data/logs``)."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairviz.cli.main import main

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


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["bias", *arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def check(result: dict[str, Any], expected: dict[str, Any]) -> None:
    (row,) = result["tables"]["rows"]
    for name, value in expected.items():
        if name == "model":
            continue
        assert row[name] == (value if isinstance(value, str) else pytest.approx(value, abs=1e-6))
    *read_by, unread = result["tables"]["reading"]
    assert (unread["rule"], unread["n_answers"]) == ("unread", 0)
    assert sum(rule["n_answers"] for rule in read_by) == 600


@pytest.mark.parametrize("file", FILES)
def test_every_log_gives_the_same_row(shared: Path, capsys: pytest.CaptureFixture[str], file: str) -> None:
    folder = shared / "data" / "logs"
    items = ["--items", str(folder / FILES[file])] if FILES[file] else []
    result = printed(capsys, str(folder / file), *items)
    check(result, json.loads((folder / "expected.json").read_text()))
    if file.startswith("words"):
        read_by = {rule["rule"]: rule["n_answers"] for rule in result["tables"]["reading"]}
        assert (read_by["unknown in own words"], read_by["refusal"]) == (191, 30)


def test_a_mirror_of_the_items_in_parquet(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared / "data" / "logs"
    records = [json.loads(line) for line in (folder / "elfsong-bbq.items.jsonl").read_text().splitlines()]
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "bbq.parquet")
    for items in (folder / "elfsong-bbq.items.jsonl", tmp_path / "bbq.parquet"):
        result = printed(capsys, str(folder / "words.predictions.csv"), "--items", str(items))
        check(result, json.loads((folder / "expected.json").read_text()))


def test_answers_without_questions_ask_for_them(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bias", str(shared / "data" / "logs" / "openai-batch.output.jsonl")]) == 2
    assert "give --items FILE and --answers FILE" in capsys.readouterr().err
