"""Tables of answers to variants as people write them: the same answers as in the table that is read."""

from typing import Any

import polars as pl
import pytest

from fairviz.errors import InputError
from fairviz.io.formats import sniff
from fairviz.io.variants import read_variants
from tests.io.bias_files import json_lines, table

LONG = [
    {"qid": "1", "attribute": "none", "value": "neutral", "gold": "A", "prediction": "A"},
    {"qid": "1", "attribute": "group", "value": "Black", "gold": "A", "prediction": "B"},
    {"qid": "1", "attribute": "group", "value": "White", "gold": "A", "prediction": "A"},
    {"qid": "2", "attribute": "none", "value": "neutral", "gold": "B", "prediction": "B"},
    {"qid": "2", "attribute": "group", "value": "Black", "gold": "B", "prediction": ""},
    {"qid": "2", "attribute": "group", "value": "White", "gold": "B", "prediction": "A"},
]
WIDE = [
    {"qid": "1", "gold": "A", "neutral": "A", "Black": "B", "White": "A"},
    {"qid": "2", "gold": "B", "neutral": "B", "Black": "", "White": "A"},
]
CROSSED = [
    {"qid": "1", "gold": "A", "race": "Black", "gender": "female", "prediction": "A"},
    {"qid": "1", "gold": "A", "race": "White", "gender": "female", "prediction": "B"},
    {"qid": "1", "gold": "A", "race": "White", "gender": "", "prediction": "B"},
    {"qid": "1", "gold": "A", "race": "", "gender": "none", "prediction": "A"},
]


def upload(rows: list[dict[str, Any]], kind: str) -> tuple[str, bytes]:
    if kind == "jsonl":
        return json_lines(rows, "a.jsonl")
    return table(rows, f"a.{kind}", "\t" if kind == "tsv" else ",")


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_a_column_per_group_holds_its_answers(kind: str) -> None:
    wide = read_variants(upload(WIDE, kind))
    assert sniff(upload(WIDE, kind)).role == "variants"
    assert wide.value.frame.equals(read_variants(upload(LONG, kind)).value.frame)
    line = None if kind == "jsonl" else 1
    assert (line, "read as answers, a column for each group: neutral, Black, White") in [
        (note.line, note.message) for note in wide.notes
    ]
    assert wide.lines == ({"1": 1, "2": 2} if kind == "jsonl" else {"1": 2, "2": 3})


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_columns_of_attributes_are_mentioned_together_where_a_row_fills_them(kind: str) -> None:
    assert sniff(upload(CROSSED, kind)).role == "variants"
    frame = read_variants(upload(CROSSED, kind)).value.frame
    mentioned = frame.select(
        pl.col("attributes").cast(pl.List(pl.String)), "values", pl.col("condition").cast(pl.String), "words"
    )
    assert mentioned.rows() == [
        (["race", "gender"], ["Black", "female"], None, "A"),
        (["race", "gender"], ["White", "female"], None, "B"),
        (["race"], ["White"], None, "B"),
        ([], [], "neutral", "A"),
    ]


@pytest.mark.parametrize(
    "names",
    [
        {"qid": "question_id", "prediction": "response"},
        {"qid": "example_id", "value": "group", "gold": "ground_truth", "prediction": "raw_prediction"},
        {"qid": "ID", "attribute": "Demographic", "gold": "Gold_Answer", "prediction": "Output"},
    ],
)
def test_columns_may_be_called_as_other_tables_call_them(names: dict[str, str]) -> None:
    rows = [{names.get(name, name): cell for name, cell in row.items()} for row in LONG]
    for kind in ("csv", "jsonl"):
        assert sniff(upload(rows, kind)).role == "variants"
        parsed = read_variants(upload(rows, kind))
        assert parsed.value.frame.equals(read_variants(upload(LONG, kind)).value.frame)
        assert not [note for note in parsed.notes if "not read" in note.message]


def test_of_two_names_the_first_counts_and_the_other_is_told() -> None:
    rows = [{**row, "response": "A"} for row in LONG]
    parsed = read_variants(upload(rows, "csv"))
    assert parsed.value.frame.equals(read_variants(upload(LONG, "csv")).value.frame)
    assert [note.message for note in parsed.notes if "not read" in note.message] == ["columns not read: response"]


def test_other_columns_are_kept_beside_the_answers() -> None:
    rows = [{**row, "model": "m", "Question": "Why?", "options": "x | y"} for row in WIDE]
    parsed = read_variants(upload(rows, "csv"))
    assert parsed.value.names("model") == ["m"]
    assert parsed.value.groups == {"group": ["Black", "White"]}
    assert "columns not read: question" in [note.message for note in parsed.notes]


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([{**row, "qid": ""} for row in WIDE], "a.csv:2: qid is empty"),
        ([*WIDE, WIDE[0]], r"a.csv:4: duplicate prediction for 1 / none / neutral \(line 2\)"),
        ([{**row, "race": ""} for row in CROSSED], "a.csv:3: duplicate prediction for 1 / gender / female"),
        ([{**row, "race": "a+b"} for row in CROSSED], r"a.csv:2: race\+gender names 2 attributes, a\+b\+female 3"),
    ],
)
def test_refused_by_the_line_of_the_file(rows: list[dict[str, str]], error: str) -> None:
    with pytest.raises(InputError, match=f"^{error}"):
        read_variants(upload(rows, "csv"))


@pytest.mark.parametrize(
    "header", ["qid,gold,Black,White", "qid,neutral,Black", "qid,race,gold", "name,race,prediction", "qid,title"]
)
def test_what_could_be_another_table_is_none(header: str) -> None:
    with pytest.raises(InputError, match="format not recognised"):
        sniff(("a", f"{header}\n".encode()))
