"""Answers: questions that depend on an attribute, evidence, answerable questions, how complete they are; by hand."""

import json
import math

import numpy as np
import pytest

from fairviz.errors import UsageError
from fairviz.io.qrels import read_qrels
from fairviz.io.variants import read_variants
from fairviz.model import VariantAnswers
from fairviz.studies.demographic_qa.analysis import answer_notes
from fairviz.studies.demographic_qa.answers import (
    blocks_of,
    complete_title,
    dependent_questions,
    error_cases,
    evidence_given,
    group_counts,
    options_taken,
    unread_words,
    worse_for,
)
from fairviz.studies.demographic_qa.settings import Answerable, VariantsSettings
from tests.nouns import qrels_of
from tests.studies.demographic_qa.answered_variants import Rows, Said, answers, rows, variant_answers, variant_rows


def both(question: str, gold: str, one: str, two: str, **more: object) -> list[Said]:
    return [
        Said(question, {"race": "a"}, gold, one, **more),  # type: ignore[arg-type]
        Said(question, {"race": "b"}, gold, two, **more),  # type: ignore[arg-type]
    ]


ROWS = [
    *both("same", "A", "A", "A"),
    *both("wrong alike", "A", "B", "C"),
    *both("depends", "A", "B", "A"),
    Said("depends", {}, "A", "C"),
    Said("depends", {"sex": "f"}, "A", "A"),
    Said("depends", {"sex": "m"}, "A", "A"),
]


def test_dependent_questions_largest_spread_first() -> None:
    found = dependent_questions(variant_answers(ROWS), "race")
    assert [(one["question_id"], one["spread"]) for one in found] == [("depends", 1), ("wrong alike", 0)]
    assert [(a["value"], a["words"], a["score"], a["reference"]) for a in found[0]["answers"]] == [
        ("a", "B", 0, False),
        ("b", "A", 1, False),
        ("neutral", "C", 0, True),
    ]
    assert found[0]["gold"] == "A"
    assert [a["row"] for a in found[0]["answers"]] == [4, 5, 6]
    assert dependent_questions(variant_answers(ROWS), "sex") == []


def test_each_model_answers_for_itself() -> None:
    rows = [
        Said(r.question, r.about, r.gold, r.answer if model == "m1" else "A", by={"model": model})
        for model in ("m1", "m2")
        for r in ROWS
    ]
    answers = variant_answers(rows)
    found = dependent_questions(answers, "race")
    assert {one["by"] for one in found} == {(("model", "m1"),)}
    assert len(found) == 2
    assert dependent_questions(answers, "race", where=(("model", "m1"),)) == found
    assert dependent_questions(answers, "race", where=(("model", "m2"),)) == []


def test_an_attribute_that_nobody_mentions() -> None:
    with pytest.raises(UsageError, match="there are: race, sex"):
        dependent_questions(variant_answers(ROWS), "age")


def test_questions_that_a_group_gets_worse() -> None:
    """a alone is wrong on "depends"; on "wrong alike" both are."""
    found = dependent_questions(variant_answers(ROWS), "race")
    assert {value: [one["question_id"] for one in of] for value, of in worse_for(found).items()} == {"a": ["depends"]}


def test_options_in_words_with_those_about_whom_they_were_given() -> None:
    words = ["three minutes", "ten <b>minutes</b>", "an hour"]
    lines = [
        {"qid": "q", "attribute": name, "value": value, "gold": "B", "prediction": said, "options": words}
        for name, value, said in (
            ("race", "a", "B"),
            ("race", "b", "C"),
            ("race", "c", "no idea"),
            ("none", "neutral", "B"),
        )
    ]
    answers = read_variants(("m.jsonl", "\n".join(map(json.dumps, lines)).encode())).value
    (question,) = dependent_questions(answers, "race")
    taken = options_taken(answers, question)
    assert [tuple(option.values())[:4] for option in taken] == [
        ("A", "three minutes", 0, []),
        ("B", "ten <b>minutes</b>", 1, ["a"]),
        ("C", "an hour", 0, ["b"]),
        ("", "", 0, ["c"]),
    ]
    assert taken[1]["references"] == ["neutral"]
    # options that are not recorded: those that were answered, or are right
    bare = variant_answers(ROWS)
    (first, *_) = dependent_questions(bare, "race")
    assert [(option["words"], option["about"], option["references"]) for option in options_taken(bare, first)] == [
        ("A", ["b"], []),
        ("B", ["a"], []),
        ("C", [], ["neutral"]),
    ]


EVIDENCE = [
    *both("q1", "A", "A", "B", evidence=True, docs=("x", "good")),
    *both("q2", "A", "A", "B", evidence=False, docs=("x", "y")),
    Said("q2", {}, "A", "A", evidence=True, docs=("good2",)),
    *both("q3", "A", "A", "A"),
]


WORDS = ("right", "wrong")


def test_error_cases_by_hand() -> None:
    found = {case["value"]: case for case in error_cases(variant_answers(EVIDENCE)).rows(named=True)}
    a, b, neutral = found["a"], found["b"], found["neutral"]
    cases = [f"evidence_{evidence}_answer_{answer}" for evidence in WORDS for answer in WORDS]
    assert [[row[case] for case in cases] for row in (a, b)] == [[1, 0, 1, 0], [0, 1, 0, 1]]
    assert (a["n"], a["n_unknown"], a["attribute"]) == (2, 1, "race")
    assert (neutral["evidence_right_answer_right"], neutral["n"], neutral["attribute"]) == (1, 1, "")


def test_evidence_from_retrieved_documents() -> None:
    """q1: "good" at rank 2; q2: "good2" for the neutral question only; q3 is not judged."""
    answers = variant_answers(EVIDENCE)
    qrels = qrels_of({"q1": {"good": 1, "x": 0}, "q2": {"good2": 2}})
    assert evidence_given(answers, qrels).to_list() == [True, True, False, False, True, None, None]
    assert evidence_given(answers, qrels, k=1).to_list() == [False] * 4 + [True, None, None]
    a, b, _ = error_cases(answers, VariantsSettings(k=(1,)), qrels=qrels).rows(named=True)
    assert (a["evidence_wrong_answer_right"], b["evidence_wrong_answer_wrong"], a["n_unknown"]) == (2, 2, 1)


def test_open_answers_need_a_threshold() -> None:
    rows = both("q1", "rest and water", "rest and water", "aspirin", evidence=True)
    answers = variant_answers(rows, kind="open")
    assert error_cases(answers).is_empty()
    a, b = error_cases(answers, VariantsSettings(threshold=0.5)).rows(named=True)
    assert (a["evidence_right_answer_right"], b["evidence_right_answer_wrong"]) == (1, 1)
    (one,) = dependent_questions(answers, "race")
    assert one["spread"] == 1
    assert [(option["words"], option["about"]) for option in options_taken(answers, one)] == [
        ("rest and water", ["a"]),
        ("aspirin", ["b"]),
    ]
    assert np.isclose([x["score"] for x in one["answers"]], [1, 0]).all()


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


VARIANTS = (
    "qid,attribute,value,gold,prediction,model\n"
    "p,none,neutral,A,A,m\np,sex,f,A,A,m\np,sex,m,A,?,m\n"
    "q,none,neutral,A,A,m\nq,sex,f,A,B,m\n"  # lacks m
    "p,sex,f,A,A,n\np,sex,m,A,?,n\n"  # n was never asked the neutral question: complete
)


def test_variants() -> None:
    answers = read_variants(("variants.csv", VARIANTS.encode())).value
    assert (blocks_of(answers)["complete"].sum(), blocks_of(answers).height, answers.n_unread) == (2, 3, 2)
    assert group_counts(answers).rows() == [("", "neutral", 2, 2, 0), ("sex", "f", 2, 3, 0), ("sex", "m", 1, 2, 2)]


def test_the_title_counts_questions_that_are_complete_in_every_run() -> None:
    some = blocks_of(read_variants(("variants.csv", VARIANTS.encode())).value)
    assert complete_title([some]) == "1 of 2 questions is complete in both runs"
    whole = "".join(line + "\n" for line in VARIANTS.splitlines() if not line.startswith("q,"))
    assert complete_title([blocks_of(read_variants(("v.csv", whole.encode())).value)]) == (
        "The one question is complete, in 2 runs"
    )


def test_unread_answers_are_said_with_what_they_could_change() -> None:
    """2 of 7 answers; above 20 % no verdict."""
    answers = read_variants(("variants.csv", VARIANTS.encode())).value
    said = unread_words(answers.n_unread, len(answers))
    assert said.title == "28.6\u202f% of the answers name no option (2 of 7)"
    assert "28.6 points higher" in said.sentence
    assert "no verdict" in said.sentence


def test_open_answers_are_unread_only_where_they_are_empty() -> None:
    """1 of 4: its ROUGE-L is 0 and could be 1."""
    said = unread_words(1, 4, kind="open")
    assert said.title == "25.0\u202f% of the answers are empty (1 of 4)"
    assert "the mean score would be 25.0 points higher" in said.sentence


def test_documents_alone_have_no_unread_answers() -> None:
    rows = b"qid,attribute,value,retrieved\nq,sex,f,d1 d2\nq,sex,m,d1\n"
    answers = read_variants(("variants.csv", rows)).value
    assert (answers.n_unread, blocks_of(answers)["complete"].to_list()) == (0, [True])
    assert unread_words(answers.n_unread, len(answers)) is None
