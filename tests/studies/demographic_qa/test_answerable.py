"""Which questions are answerable: the column, then evidence, the neutral question, any variant; by hand."""

import math

import numpy as np

from fairviz.io.qrels import read_qrels
from fairviz.model import VariantAnswers
from fairviz.studies.demographic_qa.analysis import answer_notes
from fairviz.studies.demographic_qa.settings import Answerable
from tests.studies.demographic_qa.measured import variant_rows
from tests.studies.demographic_qa.variants_by_hand import Rows, answers, rows

BOTH = rows({"white": 12, "black": 2, "neutral": 9})
"""q0, q1 right for both; q2–q8 for white and neutral; q9–q11 for white alone."""


def n_answerable(some: VariantAnswers, wanted: Answerable = "evidence", **more: object) -> tuple[str, list[int], float]:
    (row,) = variant_rows(some, answerable=wanted, min_size=1, qrels=more.get("qrels"))  # type: ignore[arg-type]
    return row["answerable"], [group["n_answerable"] for group in row["groups"]], round(row["eo"], 4)


def with_evidence(some: Rows) -> Rows:
    return [row | {"evidence": row["qid"] in ("q0", "q1", "q2", "q3")} for row in some]


def test_definitions_by_the_answers() -> None:
    some = answers(BOTH)
    definition, n, eo = n_answerable(some)
    assert (definition, n) == ("", [0, 0])
    assert math.isnan(eo)
    assert n_answerable(some, "neutral") == ("neutral", [9, 9], round(7 / 9, 4))
    assert n_answerable(some, "any") == ("any", [12, 12], round(10 / 12, 4))
    without = answers(rows({"white": 7, "black": 2}))
    assert n_answerable(without, "neutral")[0] == ""
    assert n_answerable(without, "any") == ("any", [7, 7], round(5 / 7, 4))


def test_evidence_as_recorded_or_by_judgements() -> None:
    assert n_answerable(answers(with_evidence(BOTH))) == ("evidence", [4, 4], 0.5)
    found = [row | {"retrieved": ["a" if row["value"] == "white" else "b"]} for row in with_evidence(BOTH)]
    qrels = read_qrels(("x.qrels", b"q0 0 a 1\nq0 0 b 1\nq5 0 a 1\n")).value
    # judged: q0 for both, q5 for white alone; a judgement that knows the questions comes before the column
    assert n_answerable(answers(found), qrels=qrels) == ("evidence", [2, 1], 0.0)
    other = read_qrels(("x.qrels", b"z9 0 a 1\n")).value
    assert n_answerable(answers(found), qrels=other) == ("evidence", [4, 4], 0.5)


def test_the_column_wins() -> None:
    some = answers([row | {"answerable": row["qid"] != "q0"} for row in with_evidence(BOTH)])
    for wanted in ("evidence", "neutral", "any"):
        assert n_answerable(some, wanted)[:2] == ("column", [11, 11])


def test_rouge_alone_is_neither_right_nor_wrong() -> None:
    open_rows = [row | {"kind": "open", "gold": "a b", "prediction": "a c"} for row in BOTH]
    some = answers(open_rows)
    assert n_answerable(some, "neutral")[0] == ""
    exact = answers([row | {"prediction": "a b"} for row in open_rows])  # also where each happens to be 1
    assert n_answerable(exact, "neutral")[0] == ""
    assert np.isnan(variant_rows(exact)[0]["all_correct"])
    (row,) = variant_rows(some, answerable="neutral", threshold=0.5)
    assert (row["answerable"], row["groups"][0]["n_answerable"]) == ("neutral", 12)


def test_the_definition_is_said() -> None:
    def said(some: VariantAnswers, wanted: Answerable = "evidence") -> list[str]:
        results = [variant_rows(some, answerable=wanted)]
        return [note.message for note in answer_notes([some], results, ()) if "eo" in note.message]

    assert said(answers(BOTH), "neutral") == [
        "eo is over answers to questions that are answerable as: neutral question answered right"
    ]
    (none,) = said(answers(BOTH))
    assert "--answerable neutral or any" in none
    assert said(answers([row | {"answerable": True} for row in BOTH])) == ["every question is answerable: eo is dp"]
