"""Shares of groups in pooled ranks, counted by hand."""

import numpy as np
import pytest

from fairviz.groups import membership
from fairviz.pool import pool
from fairviz.studies.groups.by_rank import EDGES, share_by_rank, wilson
from tests.nouns import run_of
from tests.studies.groups.test_shares import LABELS, RUN, A, B, labels_of


def test_ranks_are_pooled_until_a_share_says_something() -> None:
    # 20 queries × 8 labelled ranks: ranks 1 and 2 have 20 each (pooled to 40), 3–5 60, 6–8 60
    docs = {f"d{i}": 9.0 - i for i in range(1, 9)}
    run = run_of({f"q{i}": docs for i in range(20)})
    labels = labels_of({f"d{i}": A if i < 3 else B for i in range(1, 9)}, ("a", "b"))
    pools = pool(run, None)
    result = share_by_rank(run, pools, membership(pools, labels))
    assert list(zip(result.first.tolist(), result.last.tolist(), strict=True)) == [
        (1, 2),
        (3, 5),
        (6, 8),
    ]
    assert result.n.tolist() == [40.0, 60.0, 60.0]
    assert result.shares[:, 0].tolist() == [1.0, 0.0, 0.0]
    cut = share_by_rank(run, pools, membership(pools, labels), depth=4)
    assert (cut.last.tolist(), cut.n.tolist()) == ([2, 4], [40.0, 40.0])


def test_too_few_places_are_one_bin_that_says_so() -> None:
    pools = pool(RUN, None)
    result = share_by_rank(RUN, pools, membership(pools, LABELS))
    assert (result.first.tolist(), result.last.tolist(), result.n.tolist()) == ([1], [4], [4.0])
    assert result.high[0, 0] - result.low[0, 0] > 0.5


def test_a_small_rest_joins_the_bin_before_it() -> None:
    run = run_of({f"q{i}": {"d1": 2} | ({"d2": 1} if i < 5 else {}) for i in range(40)})
    pools = pool(run, None)
    result = share_by_rank(run, pools, membership(pools, LABELS))
    assert (result.first.tolist(), result.last.tolist(), result.n.tolist()) == ([1], [2], [45.0])


def test_bins_begin_where_the_edges_are() -> None:
    assert list(EDGES) == sorted(set(EDGES))


def test_wilson_by_hand() -> None:
    # 0 of 10: high = z²/(n + z²) = 3.8415 / 13.8415 = 0.2775
    low, high = wilson(np.array([0.0]), np.array([10.0]))
    assert (low[0], high[0]) == (0.0, pytest.approx(0.27754, abs=1e-4))
    assert np.isnan(wilson(np.array([np.nan]), np.array([0.0]))).all()
