"""Values of whole systems by hand: functions of means over queries."""

from math import nan

import numpy as np
import pytest

from fairviz.metrics.group_exposure import OfItems, OfMeans, item_inequity


def test_functions_of_means() -> None:
    """Each part is averaged over the queries that have it: (1 + 3)/2 over 4."""
    parts = np.array([[1.0, nan], [3.0, 4.0], [nan, nan]])
    ratio = OfMeans(parts, lambda rows: rows[:, 0] / rows[:, 1], lambda rows: rows[:, 0] == 3)
    assert ratio.defined.tolist() == [True, True, False]
    assert ratio(np.ones((1, 3))).tolist() == [0.5]
    assert ratio.per_query() == pytest.approx([nan, 0.75, nan], nan_ok=True)
    assert ratio.n_smoothed() == 1


def test_smoothing_rescues_queries_not_the_value_of_a_system() -> None:
    """ln((a + eps) / (b + eps)): no attention at all on a is minus infinity, on b plus infinity, neither NaN."""
    parts = np.array([[0.0, 1.0], [0.0, 3.0], [2.0, 0.0], [0.0, 0.0]])
    ratio = OfMeans(
        parts, lambda rows: np.log(rows[:, 0] + 1e-6) - np.log(rows[:, 1] + 1e-6), lambda rows: (rows == 0).any(axis=1)
    )
    assert np.isfinite(ratio.per_query()).all()
    assert ratio.n_smoothed() == 4
    whole = ratio(np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0.5, 0]]))
    assert whole == pytest.approx([-np.inf, np.inf, nan, 0.0], nan_ok=True, abs=1e-5)


def test_inequity_of_items_adds_up_before_the_absolute_value() -> None:
    """Item 0 has +1/2 and −1/2 in two queries, item 1 −1/4 in the second alone."""
    gaps, items = np.array([0.5, -0.5, -0.25]), np.array([0, 0, 1], dtype=np.int32)
    queries = np.array([0, 1, 1])
    counts = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 2.0]])
    assert item_inequity(gaps, items, queries, counts).tolist() == [0.25, 1.0, 1.5]
    whole = OfItems(gaps, items, queries, np.array([True, True]))
    assert whole.per_query().tolist() == [0.5, 0.75]
    assert whole(np.array([[0.0, 0.0]])) == pytest.approx([nan], nan_ok=True)
