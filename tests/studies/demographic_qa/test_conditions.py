"""Gaps of conditions side by side: signs, corrected tests, equal and small groups."""

import pytest

from fairviz.studies.demographic_qa.conditions import (
    Condition,
    condition_gaps,
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
    """x, z: 10 to 0 questions, p = 2 · 0.5^10 of three pairs; alone it would be a third."""
    one = condition("a", "Plain", rows({"x": 12, "y": 6, "z": 2}))
    (gap,) = condition_gaps([one])["race"]
    assert gap.p_alone == pytest.approx(2 * 0.5**10)
    assert gap.p == pytest.approx(3 * gap.p_alone)
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
