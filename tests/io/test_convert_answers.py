"""Answers to bias questions converted to Parquet: what is read of it is what is read of the original."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from fairviz.errors import InputError
from fairviz.io import answer_table
from fairviz.io import convert_answers as module
from fairviz.io.answers_by_item import KEY, stored_answers
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.convert_answers import convert_answers
from fairviz.model import BiasPredictions, Factor

PLAIN = """model,setting,category,example_id,raw_prediction,pred
m,w/o RAG,Age,10,the old one,
M,full,Age,9,,
m,full,Religion,10,B,
m,w/o RAG,Age,9,neither,-1
m,full,Age,10,not known,2
"""
QUOTED = PLAIN.replace("neither,-1", '"neither,\nor both",-1')
RECORDS = """{"model": "m", "example_id": 3, "category": "Age", "prediction": "the old one"}
{"model": "m", "example_id": 12, "category": "Age", "prediction": ""}
{"model": "m2", "example_id": 3, "category": "Age", "prediction": "C"}
"""
LATER = RECORDS + '{"model": "m2", "example_id": 4, "setting": "full", "category": "Age", "prediction": "C"}\n'
WITHIN = "example_id,category,gpt_pred_race,bert_pred_race\n1,Age,A,the old one\n2,Age,,B\n"
ARRAY = json.dumps([json.loads(line) for line in RECORDS.splitlines()], indent=1)
LATER_IN_ARRAY = "[" + ", ".join(LATER.splitlines()) + "]"
FILES = {"plain.csv": PLAIN, "quoted.csv": QUOTED, "lines.jsonl": RECORDS, "later.jsonl": LATER, "within.csv": WITHIN}
FILES |= {"array.json": ARRAY, "later.json": LATER_IN_ARRAY, "repaired.json": ARRAY.replace("old one", "old\\r\\u0000")}


def cells(factor: Factor | None) -> list[str] | None:
    return None if factor is None else [factor.values[code] for code in factor.codes.tolist()]


def told(answers: BiasPredictions) -> tuple[object, ...]:
    return (
        answers.name,
        [(factor.name, factor.values, factor.codes.tolist()) for factor in answers.factors],
        None if answers.categories is None else (answers.categories.values, answers.categories.codes.tolist()),
        cells(answers.example_ids),
        answers.choices.tolist(),
        cells(answers.words),
        cells(answers.asked),
    )


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("zipped", [False, True])
def test_what_is_read_is_what_the_original_says(tmp_path: Path, name: str, zipped: bool) -> None:
    path, to = tmp_path / (name + ".gz" * zipped), tmp_path / "answers.parquet"
    path.write_bytes(gzip.compress(FILES[name].encode()) if zipped else FILES[name].encode())
    original = read_bias_predictions(str(path))
    convert_answers(str(path), str(to), piece=2, group=1)
    again = read_bias_predictions(str(to))
    assert told(again.value) == told(original.value)
    assert [(note.line, note.message) for note in again.notes] == [(n.line, n.message) for n in original.notes]
    assert {note.file for note in again.notes} <= {str(to)}


@pytest.mark.parametrize("block", [1, 100, 10_000])
def test_an_array_in_blocks_of_any_size_is_converted_as_its_lines_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    records = [{"model": "m", "example_id": i % 4, "setting": f"{{[{i // 4}", "prediction": "é\n"} for i in range(40)]
    array, lines = tmp_path / "a.json", tmp_path / "a.jsonl"
    array.write_text(json.dumps(records, indent=1), encoding="utf-8")
    lines.write_text("".join(json.dumps(record) + "\n" for record in records))
    monkeypatch.setattr(answer_table, "BLOCK", block)
    monkeypatch.setattr(module, "MAX_TEXT", 10)  # it is never read at once
    answers, notes = list[object](), list[list[tuple[int | None, str]]]()
    for path in (array, lines):
        to = tmp_path / f"{path.name}.parquet"
        converted = convert_answers(str(path), str(to), piece=7, group=5)
        answers.append(told(read_bias_predictions(str(to)).value)[1:])  # but for the name
        notes.append([(note.line, note.message) for note in converted.notes])
    assert answers[0] == answers[1]
    assert notes[0] == [(1, "file is one JSON array, read as 40 records"), *notes[1]]


def test_a_range_holds_all_answers_to_its_items_in_the_order_of_the_file(tmp_path: Path) -> None:
    path, to = tmp_path / "plain.csv", tmp_path / "answers.parquet"
    path.write_text(PLAIN)
    convert_answers(str(path), str(to), group=1)
    stored = stored_answers(to)
    assert stored is not None
    assert stored.about.firsts == ("10", "9")
    part = stored.part("10", "9")
    assert (cells(part.predictions.example_ids), part.places.tolist()) == (["10", "10", "10"], [0, 2, 4])
    assert part.predictions.factors[0].values == ("m", "M")  # those of the whole file


def test_it_is_a_table_of_answers_for_whoever_reads_its_bytes(tmp_path: Path) -> None:
    path, to = tmp_path / "plain.csv", tmp_path / "answers.parquet"
    path.write_text(PLAIN)
    convert_answers(str(path), str(to))
    answers = read_bias_predictions(("answers.parquet", to.read_bytes())).value
    assert sorted(answers.choices.tolist()) == sorted(read_bias_predictions(str(path)).value.choices.tolist())


DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "no object": lambda _: [],
    "nothing": lambda _: {},
    "no factors": lambda about: {**about, "factors": 3},
    "values that are others": lambda about: {**about, "factors": {**about["factors"], "model": ["x"]}},
    "a column that is not there": lambda about: {**about, "factors": {**about["factors"], "tuned": ["x"]}},
    "what nobody knows": lambda about: {**about, "more": 1},
    "fewer rows": lambda about: {**about, "firsts": about["firsts"][:1], "sizes": about["sizes"][:1]},
    "more rows": lambda about: {**about, "sizes": [n + 1 for n in about["sizes"]]},
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(tmp_path: Path, damage: str) -> None:
    path, to = tmp_path / "plain.csv", tmp_path / "answers.parquet"
    path.write_text(PLAIN)
    convert_answers(str(path), str(to), group=1)
    about = json.loads((pyarrow.parquet.read_metadata(to).metadata or {})[KEY])
    table = pyarrow.parquet.ParquetFile(to)
    with pyarrow.parquet.ParquetWriter(to.with_suffix(".bad"), table.schema_arrow) as writer:
        for i in range(table.num_row_groups):
            writer.write_table(table.read_row_group(i))
        writer.add_key_value_metadata({KEY.decode(): json.dumps(DAMAGES[damage](about))})
    with pytest.raises(InputError, match=r"this Parquet file cannot be read$"):
        read_bias_predictions(str(to.with_suffix(".bad")))


@pytest.mark.parametrize(
    "record",
    [
        '{"model": "m", "example_id": 3, "category": "Age", "prediction": "B"}',
        '{"model": "m", "example_id": "", "category": "Age", "prediction": "B"}',
        '{"model": "m", "category": "Age", "prediction": "B"}',
        '{"model": "m", "example_id": 5, "category": ["Age"], "prediction": "B"}',
        '{"model": "m", "example_id": 5, "example_id": 6, "category": "Age", "prediction": "B"}',
        '{"model": "m", "example_id": 5, "category": "Age", "prediction": "B"',
        '{"model": "m", "example_id": 5, "category": "Age", "prediction": "\\ud800"}',
        '{"model": "m", "example_id": 5, "category": "Age", "prediction": NaN}',
        "7",
        "",
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_what_is_refused_of_an_array_is_refused_in_the_same_words(tmp_path: Path, record: str, first: bool) -> None:
    path, records = tmp_path / "a.json", RECORDS.splitlines()
    path.write_text("[" + ",\n".join([record, *records] if first else [*records, record]) + "\n]")
    with pytest.raises(InputError) as refused:
        read_bias_predictions(str(path))
    with pytest.raises(InputError) as here:
        convert_answers(str(path), str(tmp_path / "answers.parquet"), piece=2, group=1)
    assert (str(here.value), here.value.fix) == (str(refused.value), refused.value.fix)
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("name", ["plain.csv", "quoted.csv"])
def test_a_second_answer_is_refused_by_its_line(tmp_path: Path, name: str) -> None:
    path, to = tmp_path / name, tmp_path / "answers.parquet"
    path.write_text(FILES[name] + "m,full,Age,10,B,\n")
    with pytest.raises(InputError) as refused:
        read_bias_predictions(str(path))
    with pytest.raises(InputError) as here:
        convert_answers(str(path), str(to), piece=2, group=1)
    assert str(here.value) == str(refused.value)
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    "text",
    [
        "model,category,example_id,pred\nm,Age,,1\n",
        "model,category,example_id,pred\nm,Age,3,\n",
        "model,category,example_id,pred\nm,Age,3,7\n",
        "model,category,pred\nm,Age,1\n",
        "model,category,example_id\nm,Age,3\n",
    ],
)
def test_what_cannot_be_read_is_refused_as_it_is_elsewhere(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_bias_predictions(str(path))
    with pytest.raises(InputError) as here:
        convert_answers(str(path), str(tmp_path / "answers.parquet"))
    assert str(here.value) == str(refused.value)


def test_only_rows_that_are_plain_may_be_more_than_memory_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_TEXT", 10)
    path = tmp_path / "lines.jsonl"
    path.write_text(RECORDS.replace("\n", "\n\n", 1))
    with pytest.raises(InputError, match="some row is blank, quoted oddly, or has other columns"):
        convert_answers(str(path), str(tmp_path / "answers.parquet"))
    path.write_text(RECORDS)
    assert convert_answers(str(path), str(tmp_path / "answers.parquet")).n_items == 2
