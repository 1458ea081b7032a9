"""Recorded answers to bias questions: tables, JSON Lines, answers within the questions."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io import cells
from fairviz.io.bbq_answers import (
    NothingRecordedError,
    carried_predictions,
    read_bias_predictions,
    write_bias_predictions,
)
from fairviz.model import BiasPredictions
from fairviz.model.answers import OUT_OF_CHOICE, UNREAD
from fairviz.numerals import count
from tests.io.bias_files import bbq, json_lines, kobbq, rows_of, table
from tests.io.written import written
from tests.refused import refused


def read(text: str, name: str = "answers.csv") -> BiasPredictions:
    return read_bias_predictions((name, text.encode())).value


def values(predictions: BiasPredictions, column: str) -> list[str] | None:
    return predictions.frame[column].to_list() if predictions.has(column) else None


def factors(predictions: BiasPredictions) -> list[tuple[str, list[str]]]:
    """Who answered how, row by row."""
    return [(name, predictions.frame[name].to_list()) for name in predictions.factors]


def said(predictions: BiasPredictions) -> list[tuple[object, ...]]:
    """Every row of a noun."""
    columns = [column for _, column in factors(predictions)]
    columns += [values(predictions, name) or [None] * len(predictions) for name in ("category", "example_id", "words")]
    return list(zip(*columns, predictions.frame["choice"], strict=True))


@pytest.mark.parametrize("folder", ["", "blind"])
def test_every_row_of_the_conformance_answers(shared: Path, folder: str) -> None:
    path = shared / "data" / "social-bias" / folder / "predictions_unifiedqa.csv.gz"
    rows = rows_of(path)
    found = read_bias_predictions(path)
    names = ("model", "category", "example_id", "raw_prediction")
    expected = [(*(row[name] for name in names), int(row["pred"])) for row in rows]
    assert said(found.value) == expected
    assert found.value.name == "predictions_unifiedqa"
    assert found.format == f"answers to bias questions: {count(len(rows))} of 3 models"


TEXT = (
    "model,setting,category,example_id,raw_prediction,pred\n"
    'm,w/o RAG,Age,1,"the man, old",0\n'
    "m,full-set,Age,1,unknown,-1\n"
    "m,full-set,Age,2,B,\n"
)


def test_columns_of_a_table() -> None:
    found = read(TEXT)
    assert [(name, tuple(found.names(name))) for name in found.factors] == [
        ("model", ("m",)),
        ("setting", ("w/o RAG", "full-set")),
    ]
    assert found.frame["choice"].to_list() == [0, OUT_OF_CHOICE, 1]
    assert values(found, "words") == ["the man, old", "unknown", "B"]


def test_numbers_stay_as_they_are_written() -> None:
    found = read("example_id,pred,k,size,shots,tuned\n007,1,05,7B,0,True\n8,2,5,7B,0,True\n")
    assert [(name, tuple(found.names(name))) for name in found.factors] == [
        ("k", ("05", "5")),
        ("shots", ("0",)),
        ("size", ("7B",)),
        ("tuned", ("True",)),
    ]
    assert found.names("example_id") == ["007", "8"]
    assert not found.has("category")
    assert not found.has("words")


@pytest.mark.parametrize(
    ("answer", "option"),
    [("B", 1), ("(c)", 2), ("Ａ", 0), ("ans2", 2), ("1", 1), ("2.0", 2), ("B.", 1), ("", -1)]
    + [(words, UNREAD) for words in ("The man", "A man", "D", "B or C", "3")],
)
def test_plain_answers(answer: str, option: int) -> None:
    found = read(f"example_id,raw_prediction\n1,{answer}\n2,C\n")
    assert found.frame["choice"].to_list() == [option, 2]


def test_pred_is_used_before_the_words() -> None:
    found = read("example_id,raw_prediction,pred\n1,A,2\n2,A,nan\n3,,-1.0\n4,,\n5,old,1\n")
    assert found.frame["choice"].to_list() == [2, 0, -1, -1, 1]


def test_what_is_noted() -> None:
    text = "example_id,raw_prediction\n" + "".join(
        f"{i},{words}\n" for i, words in enumerate(["A", "the man", "", "the boy"])
    )
    notes = read_bias_predictions(("p.csv", text.encode())).notes
    assert [(note.line, note.message) for note in notes] == [
        (3, "2 of 4 answers (50 %): words, read as options when the items are known"),
        (4, "1 of 4 answers (25 %): empty, out of choice"),
    ]
    notes = read_bias_predictions(("p.csv", b"model,example_id,pred\nGPT,1,-1\ngpt,1,0\n")).notes
    assert [note.message for note in notes] == [
        "1 of 2 answers (50 %): none of the options, out of choice",
        "values of model differ only by case: GPT / gpt",
    ]
    answers = read_bias_predictions(("p.csv", b"k,example_id,pred\n5.0,1,1\n-5,1,0\n0,1,0\n"))
    assert answers.value.names("k") == ["5", "-5", "0"]
    note = "k is '-5', no number of documents: kept as a label (and 1 more)"
    assert [(each.line, each.message) for each in answers.notes] == [(3, note)]


FORMS = {
    "plain": TEXT,
    "tabs": TEXT.replace('"the man, old"', "the man; old").replace(",", "\t"),
    "byte order mark": "\ufeff" + TEXT,
    "windows": TEXT.replace("\n", "\r\n"),
    "no last line end": TEXT[:-1],
    "upper-case header": TEXT.replace("example_id", "Example_ID "),
    "blanks around": TEXT.replace(",Age,", ", Age ,"),
    "blank line": TEXT.replace("m,full-set,Age,2", "\nm,full-set,Age,2"),
    "more columns": TEXT.replace("\n", ",x\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_the_same_table(form: str) -> None:
    found = read(FORMS[form])
    assert values(found, "category") == ["Age"] * 3
    assert values(found, "example_id") == ["1", "1", "2"]
    assert found.frame["choice"].to_list() == [0, -1, 1]
    zipped = read_bias_predictions(("p.csv.gz", gzip.compress(FORMS[form].encode())))
    assert said(zipped.value) == said(found)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("example_id;pred\n1;0\n", 1, "missing column example_id (semicolon separated?)"),
        ("category,pred\nAge,0\n", 1, "missing column: example_id (found: category, pred)"),
        ("example_id,model\n1,m\n", 1, "missing column: raw_prediction or pred"),
        ("example_id,pred,pred\n1,0,0\n", 1, "duplicate column: pred"),
        ("example_id,pred\n1,0\n2\n", 3, "1 cell, header has 2"),
        ("example_id,pred\n1,0,9\n", 2, "3 cells, header has 2"),
        ('example_id,raw_prediction\n1,A\n2,"B\n3,C\n', 3, "unclosed quote"),
        ("example_id,pred\n1,0\n2,4\n", 3, "pred must be 0, 1, 2 or -1, found 4"),
        ("example_id,pred\n1,0\n2,the man\n", 3, "pred must be 0, 1, 2 or -1, found the man"),
        ("example_id,pred\n1,0\n,1\n", 3, "example_id is empty"),
        ("example_id,pred\n", 1, "no data rows"),
        ("", None, "empty file"),
        ("example_id,raw_prediction\n1,\n2, \n", 2, "no answer is recorded"),
        ("example_id,pred\n1,\n2,nan\n", 2, "no answer is recorded"),
    ],
)
def test_faults_name_line_and_reason(text: str, line: int | None, reason: str) -> None:
    with refused(reason, line=line):
        read(text)


def test_a_byte_that_is_not_utf8() -> None:
    with refused("invalid UTF-8 byte 0xFF", line=3):
        read_bias_predictions(("p.csv", b"example_id,raw_prediction\n1,A\n2,\xff\n"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "model,setting,example_id,pred\nm,a,1,0\nm,b,1,0\nm,a,2,0\nm,b,1,1\n",
            "second answer of m / b to 1 (first on line 3)",
        ),
        (
            'category,example_id,raw_prediction\nAge,1,"x\ny"\nSES,1,z\nAge,1,"x"\n',
            "second answer to Age 1 (first on line 2)",
        ),
        ("model,example_id,pred\nm,1,0\nm,2,0\nm ,1,0\n", "second answer of m to 1"),
    ],
)
def test_two_answers_of_one_producer_are_refused(text: str, reason: str) -> None:
    with refused(reason, line=text.count("\n")):
        read(text)


def test_a_file_without_categories_says_so_when_ids_repeat() -> None:
    with pytest.raises(InputError) as error:
        read("model,example_id,pred\nm,1,0\nm,1,1\n")
    assert "(category)" in error.value.fix


def test_json_lines() -> None:
    records = [
        {"model": "m", "k": 5, "category": "Age", "example_id": 1, "pred": 0, "tuned": True},
        {"model": "m", "k": 10, "category": "Age", "example_id": 1, "pred": -1, "note": [1]},
        {"model": "m", "k": 10, "category": "Age", "example_id": 2, "pred": None},
    ]
    found = read_bias_predictions(json_lines(records, "p.jsonl")).value
    assert factors(found) == [("model", ["m", "m", "m"]), ("k", ["5", "10", "10"]), ("tuned", ["true", "", ""])]
    assert values(found, "example_id") == ["1", "1", "2"]
    assert found.frame["choice"].to_list() == [0, -1, -1]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"example_id": 2, "pred": [1]}, "pred must be a string, found array"),
        ({"example_id": 2, "pred": 7}, "pred must be 0, 1, 2 or -1, found 7"),
        ({"example_id": 1, "pred": 7}, "pred must be 0, 1, 2 or -1, found 7"),
        ({"example_id": 1, "pred": 1}, "second answer to 1 (first on line 1)"),
        ({"pred": 1}, "example_id is empty"),
    ],
)
def test_faults_of_json_lines(record: dict[str, Any], reason: str) -> None:
    with refused(reason=reason, line=2):
        read_bias_predictions(json_lines([{"example_id": 1, "pred": 0}, record]))


def test_answers_within_bbqs_published_results() -> None:
    """Two fields, two items: each field is a model."""
    first = {"unifiedqa-t5-11b_pred_race": "the old man.", "unifiedqa-t5-11b_pred_arc": "B"}
    second = {"unifiedqa-t5-11b_pred_race": "not known", "unifiedqa-t5-11b_pred_arc": ""}
    found = read_bias_predictions(json_lines([bbq(0, **first), bbq(1, **second)])).value
    assert factors(found) == [("model", ["unifiedqa-t5-11b_race"] * 2 + ["unifiedqa-t5-11b_arc"] * 2)]
    assert values(found, "category") == ["Age"] * 4
    assert values(found, "example_id") == ["0", "1"] * 2
    assert values(found, "words") == ["the old man.", "not known", "B", ""]
    assert found.frame["choice"].to_list() == [UNREAD, UNREAD, 1, -1]


def test_answers_within_kobbqs_table() -> None:
    """``answer`` is the right option there; an empty ``prediction`` is no answer."""
    one, two = "age-001a-002-amb-bsd", "age-001a-002-amb-cnt"
    filled = table([kobbq(one, prediction="할머니"), kobbq(two)], "KoBBQ_model.tsv", "\t")
    found = carried_predictions(filled)
    assert found is not None
    assert values(found.value, "example_id") == [one, two]
    assert values(found.value, "words") == ["할머니", ""]
    assert found.value.frame["choice"].to_list() == [UNREAD, -1]
    empty = table([kobbq(one), kobbq(two)], "KoBBQ.tsv", "\t")
    assert carried_predictions(empty) is None
    with pytest.raises(NothingRecordedError):
        read_bias_predictions(empty)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6)
names = texts.filter(lambda text: text == text.strip())
answer = st.fixed_dictionaries(
    {
        **{"model": names, "setting": names, "category": st.sampled_from(["Age", "SES"])},
        **{"example_id": st.integers(0, 9).map(str), "raw_prediction": texts},
        "pred": st.sampled_from(["0", "1", "2", "-1"]),
    }
)
WHOSE = ("model", "setting", "category", "example_id")
answer_rows = st.lists(answer, min_size=1, max_size=8, unique_by=lambda row: tuple(map(row.__getitem__, WHOSE)))


@given(answer_rows, st.randoms())
def test_answers_come_back_and_are_the_same_from_json_lines_in_any_order_and_cell_by_cell(
    rows: list[dict[str, str]], random: Any
) -> None:
    parsed = read_bias_predictions(table(rows))
    names = ("model", "setting", "category", "example_id", "raw_prediction")
    expected = [(*(r[name] for name in names), int(r["pred"])) for r in rows]
    assert said(parsed.value) == expected
    name, text = written(write_bias_predictions, parsed.value)
    assert said(read_bias_predictions((name, text)).value) == expected
    assert said(read_bias_predictions(json_lines(rows)).value) == expected
    shuffled = read_bias_predictions(table(random.sample(rows, len(rows)))).value
    assert sorted(map(str, said(shuffled))) == sorted(map(str, expected))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "_regular_rows", lambda *_: None)
        exact = read_bias_predictions(table(rows))
    assert said(exact.value) == expected
    assert exact.notes == parsed.notes


def test_a_quoted_cell_may_go_on_in_the_next_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of text end at a line end, also within a cell."""
    from fairviz.io import text as blocks

    monkeypatch.setattr(blocks, "FIRST_BLOCK", 40)
    monkeypatch.setattr(blocks, "BLOCK", 40)
    rows = [{"example_id": str(i), "raw_prediction": f"line one {i}\nline, two\n"} for i in range(20)]
    upload = table(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "_odd_rows", None)  # Polars reads it
        found = read_bias_predictions(upload).value
    assert values(found, "words") == [row["raw_prediction"] for row in rows]
    again = (upload[0], upload[1] + b"0,again\n")
    with refused("first on line 2", line=2 + 3 * 20):
        read_bias_predictions(again)
