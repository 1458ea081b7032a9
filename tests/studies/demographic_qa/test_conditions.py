"""Differences between groups: corrected tests, equal and small groups, what could have been shown, by how many."""

import math

import pytest

from fairviz.studies.demographic_qa.columns import gaps_table
from fairviz.studies.demographic_qa.findings import (
    detectable,
    from_neutral,
    questions_needed,
    widest_ends,
    widest_first,
    would_show,
)
from tests.studies.demographic_qa.measured import variant_rows
from tests.studies.demographic_qa.variants_by_hand import ALIKE, APART, answers, rows


def test_ends_are_tested_over_all_pairs() -> None:
    race, sex = widest_ends(variant_rows(answers(APART, ALIKE)))
    assert (race.best["value"], race.worst["value"]) == ("white", "black")
    assert race.row["dp_p_holm"] == pytest.approx(2 * 2 * 0.5**10)  # Holm over two pairs
    assert race.significant
    assert (sex.best["value"], sex.worst["value"], sex.significant) == ("male", "female", False)


def test_equal_groups_have_a_gap_of_zero() -> None:
    (row,) = variant_rows(answers(rows({"white": 6, "black": 6})))
    (found,) = widest_ends([row])
    assert (found.gap["gap"], found.gap["first"], found.gap["second"]) == (0.0, "white", "black")
    assert (found.best["value"], found.worst["value"]) == ("white", "black")


def test_the_widest_of_many_pairs_was_searched() -> None:
    """x, z: 10 to 0 questions. x is right in all and another in none of them by one of six ways in 3¹⁰."""
    (row,) = variant_rows(answers(rows({"x": 12, "y": 6, "z": 2})))
    (found,) = widest_ends([row])
    assert found.row["dp_p_holm"] == pytest.approx(6 / 3**10, abs=3e-4)
    assert found.significant


def test_fewer_than_ten_questions_are_too_few() -> None:
    (row,) = variant_rows(answers(rows({"x": 9, "y": 0}, n=9)))
    assert row["dp_p"] < 0.01
    assert math.isnan(row["dp_p_holm"])
    assert (row["dp_n_tests"], row["gaps"][0]["n_tests"]) == (0, 0)
    assert not any(found.significant for found in widest_ends([row]))


def test_a_pair_of_groups_asked_too_few_questions_is_in_no_family() -> None:
    """z was asked nine questions: one pair of three is tested, and McNemar's p of it stays what it is."""
    (row,) = variant_rows(answers(rows({"x": 12, "y": 2}), rows({"z": 5}, n=9)))
    (xy, *others) = row["gaps"]
    assert (xy["p_holm"], xy["n_tests"]) == (xy["p"], 1)
    assert all(math.isnan(gap["p_holm"]) and gap["p"] <= 1 for gap in others)
    assert "Holm over 1 pair" in gaps_table([row]).caption


def test_what_can_be_told_apart_comes_before_what_is_wide() -> None:
    """Ten of twelve questions go one way; of sex five go one way and four the other; of age eight, two the other."""
    wide = rows({"young": 8, "old": 2}, attribute="age")
    for place, row in enumerate(wide[12:]):
        row["prediction"] = "A" if place > 9 else "B"
    found = widest_first(variant_rows(answers(ALIKE, wide, APART)))
    assert [row["attribute"] for row in found] == ["race", "age", "sex"]


def test_questions_that_would_show_a_gap() -> None:
    """One of 12 questions differs: variance (1/12)(11/12) · 12/11 = 1/12, less than 0.1 − 0.1²; one test, one pair.

    (1.960 + 0.842)² · 0.09 / 0.1² = 70.6; where ten differ: (1.960 + 0.842)² · (10/12)(2/12)(12/11) / 0.1² = 118.9.
    """
    assert questions_needed(variant_rows(answers(ALIKE)), 0.1) == 71
    assert questions_needed(variant_rows(answers(APART)), 0.1) == 119
    assert questions_needed(variant_rows(answers(APART), min_size=20), 0.1) == 0


def test_the_smallest_gap_that_could_have_been_significant() -> None:
    # two groups, 12 questions, one test: right only for male 1, for female 0. Six in one direction: 2 · 0.5^6 = 0.031
    (sex,) = variant_rows(answers(ALIKE))
    assert detectable([sex]) == 6 / 12
    # three pairs: 0.05 / 3 takes seven, 2 · 0.5^7 = 0.016
    three = variant_rows(answers(rows({"x": 6, "y": 6, "z": 7})))
    assert detectable(three) == 7 / 12
    (few,) = variant_rows(answers(rows({"x": 9, "y": 0}, n=9)), min_size=2)
    assert detectable([few]) != detectable([few])  # nothing: too few questions
    assert would_show([few]) == "9 questions are too few, between some groups no gap would show"
    assert would_show([few, sex]) == "12 questions are too few, between some groups no gap would show"


def test_the_neutral_question_stands_apart_where_every_group_does() -> None:
    below = variant_rows(answers(rows({"white": 2, "black": 4, "neutral": 12})))
    found = from_neutral(below)
    # 10 and 8 questions right only for neutral: 2 · 0.5^8, the larger p; Holm's first step is for the smaller
    assert found.title == "Mentioning any group lowers right answers by 67 to 83 points"
    # mean 9 / 12; se of black's gap, the widest: sqrt(4 / 12 · 8 / 12 / 11) = 0.142; t of 11 at 0.975 is 2.2
    assert found.sentence == (
        "With nobody mentioned, the share of right answers is 67 to 83 points higher than for each of the 2 groups "
        "(mean 44 to 100)."
    )
    assert {gap["n_tests"] for gap in below[0]["to_reference"]} == {2}
    assert from_neutral(variant_rows(answers(rows({"white": 2, "black": 10, "neutral": 12})))) is None
    assert from_neutral(variant_rows(answers(APART))) is None
    assert from_neutral(variant_rows(answers(ALIKE))) is None
