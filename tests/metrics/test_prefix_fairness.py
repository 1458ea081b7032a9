"""Kernels of prefixes: edges of PreF, its norm against every order of small lists, and rounding of what is due."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.metrics.prefixes import PrefixDistance, prefix_fairness, prefix_fairness_values, shortfalls

A, B = [1.0, 0.0], [0.0, 1.0]
DISTANCES: tuple[PrefixDistance, ...] = ("ND", "RD", "KL")


def raw(rows: list[list[float]], distance: PrefixDistance, step: int = 2) -> float:
    return prefix_fairness(np.array(rows), step=step, distance=distance, normalise=False)


def test_soft_labels_without_the_norm() -> None:
    """Half, half, B, B: at 2 the share of A is 1/2, of the list 1/4."""
    assert raw([[0.5, 0.5]] * 2 + [B, B], "ND") == pytest.approx(0.25)


@pytest.mark.parametrize("distance", DISTANCES)
def test_undefined(distance: PrefixDistance) -> None:
    for rows in ([A], [A, A, A], []):
        weights = np.array(rows).reshape(-1, 2)
        for normalise in (True, False):
            result = prefix_fairness(weights, step=2, distance=distance, normalise=normalise)
            assert np.isnan(result)


def test_unlabelled_items_leave_the_list() -> None:
    """The second list is the first with gaps; the third has one labelled item."""
    none = [0.0, 0.0]
    rows = np.array([A, A, B, B, none, A, none, A, B, none, B, A, none])
    result = prefix_fairness_values(rows, np.array([0, 4, 11, 13]), step=2, distance="ND", normalise=True)
    assert result == pytest.approx([1.0, 1.0, np.nan], nan_ok=True)


@given(st.permutations("AABBCC"), st.integers(2, 3))
def test_three_groups(order: list[str], step: int) -> None:
    def value(letters: tuple[str, ...]) -> float:
        rows = np.array([[letter == group for group in "ABC"] for letter in letters], dtype=float)
        return prefix_fairness(rows, step=step, distance="KL", normalise=False)

    most = max(map(value, set(permutations("AABBCC"))))
    rows = np.array([[letter == group for group in "ABC"] for letter in order], dtype=float)
    result = prefix_fairness(rows, step=step, distance="KL", normalise=True)
    assert result == pytest.approx(value(tuple(order)) / most)


def test_products_that_miss_a_whole_number_by_rounding() -> None:
    """0.29 · 100 is 28.999999999999996 in floating point, and 29 items are due."""
    short = shortfalls(np.array([A] * 72 + [B] * 28), np.array([0, 100]), np.array([[0.71, 0.29]]))
    assert short[-1] == 1
