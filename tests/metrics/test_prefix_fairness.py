"""Kernels of prefixes: edges of PreF, its norm against every order of small lists, and rounding of what is due."""

import numpy as np
import pytest

from fairviz.metrics.prefixes import PrefixDistance, prefix_fairness, shortfalls

A, B = [1.0, 0.0], [0.0, 1.0]


def raw(rows: list[list[float]], distance: PrefixDistance, step: int = 2) -> float:
    return prefix_fairness(np.array(rows), step=step, distance=distance, normalise=False)


def test_soft_labels_without_the_norm() -> None:
    """Half, half, B, B: at 2 the share of A is 1/2, of the list 1/4."""
    assert raw([[0.5, 0.5]] * 2 + [B, B], "ND") == pytest.approx(0.25)


def test_products_that_miss_a_whole_number_by_rounding() -> None:
    """0.29 · 100 is 28.999999999999996 in floating point, and 29 items are due."""
    short = shortfalls(np.array([A] * 72 + [B] * 28), np.array([0, 100]), np.array([[0.71, 0.29]]))
    assert short[-1] == 1
