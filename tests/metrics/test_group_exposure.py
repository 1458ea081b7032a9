"""Attention on groups by hand: shares, ratios, inequity."""

from math import inf, log, nan

import numpy as np
import pytest

from fairviz.metrics.group_exposure import (
    awrf,
    group_attention,
    group_disparity,
    group_loss,
    group_relevance,
    inequity,
    item_inequity,
    log_ratio,
    per_utility,
)
from fairviz.metrics.statistic import OfItems

A, B, NONE = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]


def test_attention_on_groups() -> None:
    """First list 1·A + 1/2·(A/2, B/4), second 1·nothing + 1/2·B."""
    weights = np.array([A, [0.5, 0.25], NONE, B])
    result = group_attention(weights, np.array([1, 0.5, 1, 0.5]), np.array([0, 2, 4]))
    assert result.tolist() == [[1.25, 0.125], [0, 0.5]]


def test_awrf() -> None:
    """Attention 3 and 1: shares 3/4, 1/4 against 1/2, 1/2; middle 5/8, 3/8."""
    seen, even = np.array([[3.0, 1.0]]), np.array([[0.5, 0.5]])
    kl = 0.75 * log(1.5) + 0.25 * log(0.5)
    jsd = (0.75 * log(6 / 5) + 0.25 * log(2 / 3) + 0.5 * log(4 / 5) + 0.5 * log(4 / 3)) / 2
    assert awrf(seen, even, distance="kl") == pytest.approx([kl])
    assert awrf(seen, even, distance="jsd") == pytest.approx([jsd])
    assert awrf(seen, even, distance="l1") == pytest.approx([0.5])
    assert awrf(seen, even, distance="absdiff", group=1) == pytest.approx([0.25])


def test_awrf_at_its_ends() -> None:
    """All attention on the group without a share: ln 2, 2, infinite; none on any: undefined."""
    apart, target = np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 1.0], [0.0, 1.0]])
    assert awrf(apart, target, distance="jsd") == pytest.approx([log(2), nan], nan_ok=True)
    assert awrf(apart, target, distance="l1") == pytest.approx([2, nan], nan_ok=True)
    assert awrf(apart, target, distance="kl") == pytest.approx([inf, nan], nan_ok=True)
    with pytest.raises(ValueError, match="name it"):
        awrf(apart, target, distance="absdiff")


def test_exposure_of_groups() -> None:
    """ε = (1, 2), ε* = (2, 1/2): 1 + 4; 2 + 1; 1 + 9/4."""
    exposure, target = np.array([[1.0, 2.0]]), np.array([[2.0, 0.5]])
    assert group_disparity(exposure).tolist() == [5]
    assert group_relevance(exposure, target).tolist() == [3]
    assert group_loss(exposure, target).tolist() == [3.25]


def test_ratios() -> None:
    plus, minus = np.array([2.0, 0.0, nan, 0.0]), np.array([1.0, 1.0, 1.0, 0.0])
    exact = log_ratio(plus, minus, eps=0)
    assert exact == pytest.approx([log(2), nan, nan, nan], nan_ok=True)
    smooth = log_ratio(plus, minus, eps=1e-6)
    wanted = [log(2 + 1e-6) - log(1 + 1e-6), log(1e-6) - log(1 + 1e-6), nan, 0]
    assert smooth == pytest.approx(wanted, nan_ok=True)
    assert per_utility(plus, np.array([4.0, 2.0, 1.0, 0.0])) == pytest.approx([0.5, 0, nan, nan], nan_ok=True)


def test_inequity() -> None:
    """Attention 3 : 1, usefulness 1 : 1: |3/4 − 1/2| + |1/4 − 1/2|; nothing useful: undefined."""
    attention, useful = np.array([[3.0, 1.0]] * 2), np.array([[1.0, 1.0], [0.0, 0.0]])
    assert inequity(attention, useful) == pytest.approx([0.5, nan], nan_ok=True)


def test_inequity_of_items_adds_up_before_the_absolute_value() -> None:
    """Item 0 has +1/2 and −1/2 in two queries, item 1 −1/4 in the second alone."""
    gaps, items = np.array([0.5, -0.5, -0.25]), np.array([0, 0, 1], dtype=np.int32)
    queries = np.array([0, 1, 1])
    counts = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 2.0]])
    assert item_inequity(gaps, items, queries, counts).tolist() == [0.25, 1.0, 1.5]
    whole = OfItems(gaps, items, queries, np.array([True, True]))
    assert whole.per_query().tolist() == [0.5, 0.75]
    assert whole.under(np.array([[0.0, 0.0]])) == pytest.approx([nan], nan_ok=True)
