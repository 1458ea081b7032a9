"""Parity of answers: by hand, laws, and the exact test against scipy."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.model import FloatArray
from fairviz.studies.demographic_qa.measures import (
    largest_difference,
    option_rates,
)

NAN = float("nan")


def option_differences(rates: FloatArray) -> list[float]:
    return [largest_difference(row).value for row in rates]


def test_largest_difference_by_hand() -> None:
    """Of 2/2, 1/2 and 3/4: 1 − 1/2, of the first group over the second; of equal rates the first is named twice."""
    assert largest_difference(np.array([1.0, 0.5, 0.75])) == (0.5, 0, 1)
    assert largest_difference(np.array([1.0, 1.0])) == (0.0, 0, 0)


@pytest.mark.parametrize("rates", [[], [0.5], [0.5, NAN]])
def test_undefined_differences(rates: list[float]) -> None:
    """Of one group, or where a group has no answer: nobody is best or worst."""
    value, *ends = largest_difference(np.array(rates))
    assert np.isnan(value)
    assert ends == [-1, -1]


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
    right = (choices == golds).reshape(2, 2).mean(axis=1)  # (G): two answers of each group, one behind the other
    assert largest_difference(right).value == 1
    assert option_differences(option_rates(choices, groups, 2, 2)) == [0, 0]


@given(st.lists(st.floats(0, 1), min_size=2), st.randoms())
def test_largest_difference_is_that_of_some_pair_in_any_order(rates: list[float], random: Random) -> None:
    found = largest_difference(np.array(rates))
    assert found.value == max(a - b for a in rates for b in rates) == rates[found.best] - rates[found.worst]
    assert largest_difference(np.array(random.sample(rates, len(rates)))).value == found.value
