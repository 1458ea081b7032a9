"""Tables of answers to variants: one row per number that a page shows."""

import pytest

from fairviz.io.published import read_published
from fairviz.show.table import csv_text, latex_text
from fairviz.studies.demographic_qa.conditions import Condition, condition_gaps, strategy_rows
from fairviz.studies.demographic_qa.overlap import lists_of, retrieval_overlap
from fairviz.studies.demographic_qa.questions import dependent_questions, error_cases
from fairviz.studies.demographic_qa.rows import variant_rows
from fairviz.studies.demographic_qa.tables import (
    dependent_content,
    disparities_content,
    errors_content,
    gaps_content,
    overlap_content,
    published_content,
    rates_content,
)
from tests.studies.demographic_qa.variants_by_hand import APART, answers

ROWS = variant_rows(answers(APART))

CONDITION = Condition(name="m", strategy="Plain", rows=ROWS)


def test_rates_have_groups_and_reference() -> None:
    table = rates_content([CONDITION], unit="right answers")
    assert [row[:5] for row in table.rows] == [
        ("m", "Plain", "race", "white", 1.0),
        ("m", "Plain", "race", "black", 2 / 12),
        ("m", "Plain", "", "neutral", 0.75),
    ]
    assert csv_text(table).splitlines()[0].startswith("condition,strategy,attribute,group,rate")
    assert "0.167" in latex_text(table, label="tab:groups")


def test_gaps_and_disparities() -> None:
    (gap,) = gaps_content(condition_gaps([CONDITION])["race"]).rows
    assert gap[:6] == ("m", "Plain", "race", "white", "black", 10 / 12)
    (row,) = disparities_content([("m", strategy_rows(answers(APART), "race")[0])]).rows
    assert row[:4] == ("m", "race", 14 / 24, 10 / 12)


def test_overlap_has_pairs_and_estimators() -> None:
    some = [row | {"retrieved": ["a", "b" if row["value"] == "white" else "c"]} for row in APART]
    lists = lists_of(answers(some), "race")
    table = overlap_content([("m", retrieval_overlap(lists, k=2))])
    # white a, b; black a, c; neutral a, c
    assert [row[3:5] for row in table.rows[3:]] == [
        ("estimator all", ""),
        ("estimator pairwise", ""),
        ("estimator neutral", ""),
    ]
    assert [row[3:5] for row in table.rows[:3]] == [("neutral", "white"), ("neutral", "black"), ("white", "black")]
    third = 100 / 3
    assert [row[5] for row in table.rows] == pytest.approx([third, 100, third, third, third, 2 * third])


def test_errors_and_dependent_questions() -> None:
    some = [row | {"evidence": row["qid"] != "q0"} for row in APART]
    table = errors_content(error_cases(answers(some), "race"))
    # q0 is right for both without evidence
    assert [row[1:7] for row in table.rows] == [("white", 12, 11, 0, 1, 0), ("black", 12, 1, 10, 1, 0)]
    questions = dependent_content(dependent_questions(answers(APART), "race"))
    assert len(questions.rows) == 10 * 3
    assert questions.rows[0] == ("q2", "A", "white", False, "A", 1.0)


def test_published_tables_keep_their_flags() -> None:
    table = published_content(read_published("rag-medical-bias", 3))
    assert table.keys[-1] == "note"
    assert table.rows[0][:4] == ("Plain", 18.7, 0.13, 0.11)
    assert "about 9 %" in str(table.rows[0][-1])
    assert published_content(read_published("rag-medical-bias", 2)).keys[-1] == "overlap"
