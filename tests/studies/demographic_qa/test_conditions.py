"""Gaps of conditions side by side: signs, corrected tests, equal and small groups."""

import pytest

from fairviz.studies.demographic_qa.conditions import (
    Condition,
    condition_gaps,
    detectable,
    from_neutral,
    ordered_strategies,
    widest_ends,
    widest_gap,
)
from fairviz.studies.demographic_qa.rows import corrected, variant_rows
from tests.studies.demographic_qa.variants_by_hand import ALIKE, APART, Rows, answers, rows


def condition(name: str, strategy: str, *some: Rows) -> Condition:
    return Condition(name=name, strategy=strategy, rows=variant_rows(answers(*some)))


def test_ends_are_tested_over_all_pairs() -> None:
    race, sex = widest_ends(variant_rows(answers(APART, ALIKE)))
    assert (race.best.value, race.worst.value) == ("white", "black")
    assert race.p == pytest.approx(2 * 2 * 0.5**10)  # Holm over two pairs
    assert race.significant
    assert (sex.best.value, sex.worst.value, sex.significant) == ("male", "female", False)


def test_small_groups_are_never_apart() -> None:
    (row,) = variant_rows(answers(APART), min_size=13)
    (found,) = widest_ends([row])
    assert row.small
    assert not found.significant


def test_equal_groups_have_a_gap_of_zero() -> None:
    (row,) = variant_rows(answers(rows({"white": 6, "black": 6})))
    gap = widest_gap(row)
    assert gap is not None
    assert (gap.gap, gap.first, gap.second) == (0.0, "white", "black")
    (found,) = widest_ends([row])
    assert (found.best.value, found.worst.value) == ("white", "black")


def test_two_groups_keep_their_sign_over_conditions() -> None:
    of_both = corrected(
        [row for each in (APART, rows({"white": 3, "black": 12})) for row in variant_rows(answers(each))]
    )
    one, two = (Condition(name=name, strategy="Plain", rows=(row,)) for name, row in zip("ab", of_both, strict=True))
    first, second = condition_gaps([one, two])["race"]
    assert first.gap == pytest.approx(10 / 12)
    assert second.gap == pytest.approx(-9 / 12)
    assert second.low < second.gap < second.high < 0
    assert (second.first, second.second) == ("white", "black")
    assert first.p == pytest.approx(2 * 2 * 0.5**10)  # 0.002 and 2 · 0.5^9: Holm
    assert second.p == pytest.approx(2 * 0.5**9)


def test_three_groups_have_their_own_widest_pair() -> None:
    one = condition("a", "Plain", rows({"x": 12, "y": 6, "z": 2}))
    two = condition("b", "COT", rows({"x": 2, "y": 12, "z": 6}))
    first, second = condition_gaps([one, two])["race"]
    assert (first.first, first.second, first.remedy) == ("x", "z", False)
    assert (second.first, second.second, second.remedy) == ("y", "x", True)
    assert second.gap == pytest.approx(10 / 12)


def test_the_widest_of_many_pairs_was_searched() -> None:
    """x, z: 10 to 0 questions; of 10,000 permutations, each searched likewise, none is as wide."""
    one = condition("a", "Plain", rows({"x": 12, "y": 6, "z": 2}))
    (gap,) = condition_gaps([one])["race"]
    assert gap.p_alone == gap.p == 1 / 10_000
    assert gap.significant


def test_fewer_than_ten_questions_are_too_few() -> None:
    (gap,) = condition_gaps([condition("a", "Plain", rows({"x": 9, "y": 0}, n=9))])["race"]
    assert gap.p < 0.01
    assert not gap.significant


def test_strategies_stand_in_the_papers_order() -> None:
    assert ordered_strategies(["x", "Majority Vote", "COT", "", "Counterfactual"]) == [
        "",
        "COT",
        "Counterfactual",
        "Majority Vote",
        "x",
    ]


def test_the_smallest_gap_that_could_have_been_significant() -> None:
    # two groups, 12 questions, one test: right only for male 1, for female 0. Six in one direction: 2 · 0.5^6 = 0.031
    (sex,) = variant_rows(answers(ALIKE))
    assert detectable([sex]) == 6 / 12
    # three pairs: 0.05 / 3 takes seven, 2 · 0.5^7 = 0.016
    three = variant_rows(answers(rows({"x": 6, "y": 6, "z": 7})))
    assert detectable(three) == 7 / 12
    (few,) = variant_rows(answers(rows({"x": 9, "y": 0}, n=9)), min_size=2)
    assert detectable([few]) != detectable([few])  # nothing: too few questions


def test_the_neutral_question_stands_apart_where_every_group_does() -> None:
    below = variant_rows(answers(rows({"white": 2, "black": 4, "neutral": 12})))
    found = from_neutral(below)
    assert found is not None
    # 10 and 8 questions right only for neutral: 2 · 0.5^8, the larger p; Holm's first step is for the smaller
    assert (found.least, found.most, found.mean) == pytest.approx((-8 / 12, -10 / 12, -9 / 12))
    assert found.p == pytest.approx(2 * 0.5**8)
    assert found.interval.low < found.mean < found.interval.high < 0
    assert from_neutral(variant_rows(answers(rows({"white": 2, "black": 10, "neutral": 12})))) is None
    assert from_neutral(variant_rows(answers(APART))) is None
    assert from_neutral(variant_rows(answers(ALIKE))) is None
