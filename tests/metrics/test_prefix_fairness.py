"""PreF by hand, and its norm against every order of small lists."""

from itertools import permutations
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.metrics.prefixes import PrefixDistance, prefix_fairness, prefix_fairness_values

A, B = [1.0, 0.0], [0.0, 1.0]
DISTANCES: tuple[PrefixDistance, ...] = ("ND", "RD", "KL")


def raw(rows: list[list[float]], distance: PrefixDistance, step: int = 2) -> float:
    return prefix_fairness(np.array(rows), step=step, distance=distance, normalise=False)


def test_by_hand() -> None:
    """A A B B in steps of 2: at 2 all is A, at 4 the list itself.

    ND |1 − 1/2| / log2 2; RD |0 − 1| (no B: the ratio is 0); KL 1 bit.
    """
    rows = [A, A, B, B]
    assert raw(rows, "ND") == pytest.approx(0.5)
    assert raw(rows, "RD") == pytest.approx(1.0)
    assert raw(rows, "KL") == pytest.approx(1.0)


def test_deeper_prefixes_count_less() -> None:
    """A B A A B B: at 2 even, at 4 three of four: |3/4 − 1/2| / log2 4; ratio 3: |3 − 1| / 2."""
    rows = [A, B, A, A, B, B]
    assert raw(rows, "ND") == pytest.approx(0.25 / log2(4))
    assert raw(rows, "RD") == pytest.approx(2 / log2(4))


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
