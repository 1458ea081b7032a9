"""Questions whose answer depends on an attribute, and evidence × answer, by hand."""

import json

import numpy as np
import pytest

from fairviz.errors import UsageError
from fairviz.io.variants import read_variants
from fairviz.studies.demographic_qa.answers import (
    dependent_questions,
    error_cases,
    evidence_given,
    options_taken,
    worse_for,
)
from fairviz.studies.demographic_qa.settings import VariantsSettings
from tests.nouns import qrels_of
from tests.studies.demographic_qa.answered_variants import Said, variant_answers


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
