"""Pairs of items by hand: in order, soft and without labels."""

import numpy as np
import pytest

from fairviz.metrics.group_exposure import ordered_pairs, pair_accuracy, pair_gap
from tests.metrics.test_group_exposure import NONE, A, B


def test_pairs() -> None:
    """Ranked A(1) B(2) A(0) B(0).

    Of A: its 1 stands above A(0), B(0): both right. Of B: its 2 below A(1), above A(0), B(0).
    """
    weights, gains = np.array([A, B, A, B]), np.array([1.0, 2.0, 0.0, 0.0])
    pairs = ordered_pairs(weights, gains, np.array([0, 4]))
    assert pairs.all.tolist() == [[[1, 1], [2, 1]]]
    assert pairs.right.tolist() == [[[1, 1], [1, 1]]]
    kinds = ("inter", "intra", "pairwise")
    assert [pair_accuracy(pairs, 1, kind)[0] for kind in kinds] == pytest.approx([1 / 2, 1, 2 / 3])
    assert pair_gap(pairs, 1, 0, "inter") == pytest.approx([1 / 2])


def test_soft_and_missing_labels_weigh_pairs() -> None:
    """Half of A, half of B over a quarter of B; the last item counts for no group."""
    weights = np.array([[0.5, 0.5], [0.0, 0.25], NONE])
    pairs = ordered_pairs(weights, np.array([1.0, 0.0, 0.0]), np.array([0, 3]))
    assert pairs.all.tolist() == [[[0, 0.125], [0, 0.125]]]
    assert np.isnan(pair_accuracy(pairs, 0, "intra")).all()
