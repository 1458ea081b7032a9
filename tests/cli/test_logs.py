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
    (row,) = result["rows"]
    for name, value in expected.items():
        if name == "model":
            continue
        assert row[name] == (value if isinstance(value, str) else pytest.approx(value, abs=1e-6))
    assert result["unread"] == {"n": 0, "n_answers": 600, "share": 0}
    assert sum(result["read_by"].values()) == 600


@pytest.mark.parametrize("file", FILES)
def test_every_log_gives_the_same_row(shared: Path, capsys: pytest.CaptureFixture[str], file: str) -> None:
    folder = shared / "data" / "logs"
    items = ["--items", str(folder / FILES[file])] if FILES[file] else []
    result = printed(capsys, str(folder / file), *items)
    check(result, json.loads((folder / "expected.json").read_text()))
    if file.startswith("words"):
        assert result["read_by"]["unknown in own words"] == 191
        assert result["read_by"]["refusal"] == 30


def test_a_mirror_of_the_items_in_parquet(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared / "data" / "logs"
    records = [json.loads(line) for line in (folder / "elfsong-bbq.items.jsonl").read_text().splitlines()]
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "bbq.parquet")
    for items in (folder / "elfsong-bbq.items.jsonl", tmp_path / "bbq.parquet"):
        result = printed(capsys, str(folder / "words.predictions.csv"), "--items", str(items))
        check(result, json.loads((folder / "expected.json").read_text()))


def test_answers_without_questions_ask_for_them(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bias", str(shared / "data" / "logs" / "openai-batch.output.jsonl")]) == 2
    assert "--items ITEMS is needed" in capsys.readouterr().err
