"""Questions with options as others write them, and faults in them."""

import gzip
import io
import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairviz.errors import InputError
from fairviz.experiments.people import Variant
from fairviz.experiments.questions import ClosedQuestion, read_closed_questions

OWN = {"query_id": "q0", "text": "Why?", "options": ["x", "y", "z"], "gold": "A"}
AMQA = {
    **{"question_id": 7, "original_question": "A man?", "desensitized_question": "A patient?"},
    **{"adv_question_white": "A white patient?", "adv_question_black": "A black patient?"},
    **{"options": {"B": "second", "A": "first"}, "answer": "second", "answer_idx": "B"},
}


def lines(*records: Mapping[str, Any]) -> tuple[str, bytes]:
    return "x.jsonl", "".join(json.dumps(record) + "\n" for record in records).encode()


def read(*records: Mapping[str, Any]) -> dict[str, ClosedQuestion]:
    return read_closed_questions(lines(*records)).value


@pytest.mark.parametrize(
    ("record", "options", "gold"),
    [
        (OWN, ("x", "y", "z"), "A"),
        (
            {"question": "Why?", "options": {"B": "no", "A": "yes"}, "answer": "no", "answer_idx": "B"},
            ("yes", "no"),
            "B",
        ),
        ({"question": "Why?", "options": {"A": "A. baumannii", "B": "x"}, "answer": "x"}, ("A. baumannii", "x"), "B"),
        ({"question": "Why?", "choices": ["w", "x", "y", "z"], "answer": 2}, ("w", "x", "y", "z"), "C"),
        ({"question": "Why?", "choices": [1, 2], "answer": "B"}, ("1", "2"), "B"),
        ({"id": "m", "question": "Why?", "opa": "w", "opb": "x", "opc": "y", "opd": "z", "cop": 4}, (*"wxyz",), "D"),
        ({"id": "m", "question": "Why?", "opa": "w", "opb": "x", "opc": "y", "opd": "z", "cop": 0}, (*"wxyz",), "A"),
        ({"qid": "b", "question": "Why?", "gold": "no"}, ("yes", "no", "maybe"), "B"),
        ({"qid": "b", "question": "Why?", "gold": "False"}, ("true", "false"), "B"),
        ({**OWN, "options": '["x", "y"]', "gold": "y"}, ("x", "y"), "B"),
        ({**OWN, "options": {"label": ["A", "B"], "text": ["x", "y"]}}, ("x", "y"), "A"),
    ],
)
def test_every_layout(record: dict[str, Any], options: tuple[str, ...], gold: str) -> None:
    (question,) = read(record).values()
    assert (question.text, question.options, question.gold) == ("Why?", options, gold)
    assert question.evidence is None


@pytest.mark.parametrize("indent", [None, 1])
def test_mirage_nests_questions_by_dataset_and_id(indent: int | None) -> None:
    question = {"question": "Why?", "options": {"A": "x", "B": "y"}, "answer": "B"}
    whole = {"medqa": {"0000": question, "0001": {**question, "answer": "A"}}, "bioasq": {"5a": {**question}}}
    found = read_closed_questions(("benchmark.json", json.dumps(whole, indent=indent).encode())).value
    golds = {name: one.gold for name, one in found.items()}
    assert golds == {"medqa-0000": "B", "medqa-0001": "A", "bioasq-5a": "B"}
    alone = read_closed_questions(("medqa.json", json.dumps(whole["medqa"], indent=indent).encode())).value
    assert list(alone) == ["0000", "0001"]
    whole["bioasq"]["5a"]["answer"] = "E"
    with pytest.raises(InputError, match="gold E is the letter of no option") as caught:
        read_closed_questions(("benchmark.json", json.dumps(whole, indent=indent).encode()))
    assert (caught.value.line or 0) > (20 if indent else 0)


def test_medmcqa_counts_from_one_or_from_zero() -> None:
    four = {"question": "Why?", "opa": "w", "opb": "x", "opc": "y", "opd": "z"}
    published = read(*({"id": str(n), **four, "cop": n} for n in (1, 4)))
    mirrored = read(*({"id": str(n), **four, "cop": n} for n in (0, 1)))
    assert [question.gold for question in published.values()] == ["A", "D"]
    assert [question.gold for question in mirrored.values()] == ["A", "B"]
    with pytest.raises(InputError, match="gold 2 is the letter of no option"):  # from 0 or from 1?
        read({"id": "m", **four, "cop": 2})


def test_amqa_brings_its_people() -> None:
    question = read(AMQA)["7"]
    assert question.text == "A patient?"
    assert question.people == (
        Variant("7", "none", "original", "A man?"),
        Variant("7", "none", "neutral", "A patient?"),
        Variant("7", "race", "white", "A white patient?"),
        Variant("7", "race", "black", "A black patient?"),
    )
    assert (question.options, question.gold) == (("first", "second"), "B")


def test_variants_line_by_line_are_one_question() -> None:
    def line(value: str, text: str, **more: str) -> dict[str, str]:
        attribute = "none" if value == "neutral" else "sex"
        return {"qid": "q", "attribute": attribute, "value": value, "question": text, "gold": "yes", **more}

    question = read(line("female", "She?"), line("neutral", "They?"))["q"]
    assert question.text == "They?"
    assert [person.value for person in question.people] == ["female", "neutral"]
    with pytest.raises(InputError, match="q / female stands twice") as caught:
        read(line("female", "She?"), line("female", "Her?"))
    assert caught.value.line == 2
    with pytest.raises(InputError, match="options or gold of q are not those of line 1"):
        read(line("female", "She?"), line("male", "He?", gold="no"))


def test_evidence_that_is_listed_or_not() -> None:
    questions = read(OWN, {**OWN, "query_id": "q1", "evidence": ["d2", 3]}, {**OWN, "query_id": "q2", "evidence": []})
    assert [question.evidence for question in questions.values()] == [None, frozenset({"d2", "3"}), frozenset()]


def test_ids_that_are_missing_are_places() -> None:
    parsed = read_closed_questions(lines(*({"question": text, "choices": ["x", "y"], "answer": 1} for text in "ab")))
    assert list(parsed.value) == ["0", "1"]
    assert [note.message for note in parsed.notes] == ["no query_id: questions are numbered from 0 (and 1 more)"]


def test_tables_and_parquet() -> None:
    table = b'question_id,question,opa,opb,opc,opd,cop\n5,"Why, so?",w,x,y,z,4\n'
    (question,) = read_closed_questions(("x.csv", gzip.compress(table))).value.values()
    assert (question.text, question.gold) == ("Why, so?", "D")
    to = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([{"question": "Why?", "choices": ["w", "x"], "answer": 1}]), to)
    (question,) = read_closed_questions(("x.parquet", to.getvalue())).value.values()
    assert (question.options, question.gold) == (("w", "x"), "B")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"gold": "D"}, "gold D is the letter of no option"),
        ({"gold": ""}, "is the letter of no option"),
        ({"gold": "AB"}, "is the letter of no option"),
        ({"gold": 3}, "gold 3 is the letter of no option"),
        ({"options": ["one"]}, "options are no list of 2 to 10 texts"),
        ({"options": [["x"], "y"]}, "options are no list of 2 to 10 texts"),
        ({"options": ["x", " "]}, "options are no list of 2 to 10 texts"),
        ({"options": None}, "options are no list of 2 to 10 texts"),
        ({"query_id": "q0"}, "stands twice"),
        ({"text": ""}, "text is empty"),
    ],
)
def test_questions_that_cannot_be_asked(line: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(OWN, {**OWN, "query_id": "q1", **line})
    assert caught.value.line == 2
