"""Parity of answers: by hand, laws, and the exact test against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.model import FloatArray
from fairviz.studies.demographic_qa.measures import (
    demographic_parity,
    largest_difference,
    option_rates,
    rates_by_group,
)

NAN = float("nan")


def option_differences(rates: FloatArray) -> list[float]:
    return [largest_difference(row).value for row in rates]


def test_rates_by_hand() -> None:
    """Group 0: 1 + 0 + 1 of 3; group 1: 0 of 1, its NaN left out; group 2: nothing; −1: neutral."""
    outcome = np.array([1.0, 0.0, 1.0, 0.0, NAN, 1.0])
    rates = rates_by_group(outcome, np.array([0, 0, 0, 1, 1, -1]), 3)
    np.testing.assert_allclose(rates.rate, [2 / 3, 0, NAN])
    assert rates.n.tolist() == [3, 1, 0]


def test_parity_and_opportunity_by_hand() -> None:
    """DP: 2/2 − 1/2. EO, among the answerable: 1/1 − 1/1 = 0 although DP is 1/2."""
    right, groups = np.array([1.0, 1.0, 1.0, 0.0]), np.array([0, 0, 1, 1])
    assert demographic_parity(right, groups, 2) == (0.5, 0, 1)
    answerable = np.array([True, False, True, False])
    assert demographic_parity(np.where(answerable, right, NAN), groups, 2) == (0.0, 0, 0)


def test_a_group_without_answerable_questions_leaves_opportunity_undefined() -> None:
    found = demographic_parity(np.array([1.0, 1.0, NAN]), np.array([0, 0, 1]), 2)
    assert np.isnan(found.value)
    assert (found.best, found.worst) == (-1, -1)


@pytest.mark.parametrize("rates", [[], [0.5], [0.5, NAN]])
def test_undefined_differences(rates: list[float]) -> None:
    assert np.isnan(largest_difference(np.array(rates)).value)


def test_options_by_hand() -> None:
    """Two groups of three answers, options A and B; gold A A B in both.

    Group 0 answers A A B, group 1 A B −. DP: A 2/3 − 1/3, B 1/3 − 1/3.
    EO: gold A 2/2 − 1/2; gold B 1/1 − 0/1.
    """
    choices, groups = np.array([0, 0, 1, 0, 1, -1]), np.array([0, 0, 0, 1, 1, 1])
    golds = np.array([0, 0, 1, 0, 0, 1])
    dp = option_differences(option_rates(choices, groups, 2, 2))
    eo = option_differences(option_rates(choices, groups, 2, 2, golds))
    np.testing.assert_allclose(dp, [1 / 3, 0], atol=1e-15)
    np.testing.assert_allclose(eo, [1 / 2, 1])


def test_an_option_that_a_group_never_needed_has_no_opportunity() -> None:
    """Group 1 has no gold B: EO of B is undefined, not 0."""
    choices, groups, golds = np.array([0, 1, 0]), np.array([0, 0, 1]), np.array([0, 1, 0])
    eo = option_differences(option_rates(choices, groups, 2, 2, golds))
    np.testing.assert_array_equal(eo, [0, NAN])


def test_macro_of_options_hides_a_gap_in_correctness() -> None:
    """Group 0 answers A B, all right; group 1 answers B A, all wrong: DP 1, every option's DP 0."""
    choices, groups, golds = np.array([0, 1, 1, 0]), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    right = (choices == golds).astype(float)
    assert demographic_parity(right, groups, 2).value == 1
    assert option_differences(option_rates(choices, groups, 2, 2)) == [0, 0]


answers = st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.integers(-1, 3)), min_size=1)


@given(answers, st.permutations(range(4)))
def test_order_and_names_of_groups_do_not_matter(rows: list[tuple[float, int]], names: list[int]) -> None:
    present = {group for _, group in rows if group >= 0}
    places = {group: i for i, group in enumerate(sorted(present))}
    outcome = np.array([y for y, _ in rows])
    groups = np.array([places.get(g, -1) for _, g in rows])
    renamed = np.array([names[g] if g >= 0 else -1 for g in groups])
    order = np.argsort(outcome, kind="stable")
    value = demographic_parity(outcome, groups, len(present)).value
    back = [g for g in names if g in set(renamed.tolist())]
    codes = np.array([back.index(g) if g >= 0 else -1 for g in renamed])
    again = demographic_parity(outcome[order], codes[order], len(present)).value
    assert again == pytest.approx(value, nan_ok=True)


@given(answers)
def test_parity_is_at_least_any_pair_and_neutral_never_counts(
    rows: list[tuple[float, int]],
) -> None:
    outcome, groups = np.array([y for y, _ in rows]), np.array([g for _, g in rows])
    rates = rates_by_group(outcome, groups, 4).rate
    known = np.flatnonzero(~np.isnan(rates))
    widest = largest_difference(rates[known]).value
    for a in known:
        for b in known:
            if known.size > 1:
                assert rates[a] - rates[b] <= widest
    without = groups >= 0
    np.testing.assert_array_equal(rates_by_group(outcome[without], groups[without], 4).rate, rates)
