"""Shares of groups in pooled ranks, counted by hand."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from fairviz.kernels.grouping import membership
from fairviz.kernels.pool import pool
from fairviz.studies.groups.system import rank_bins, share_by_rank
from tests.metrics.labels import labels_of
from tests.nouns import run_of
from tests.studies.groups.test_shares import LABELS, RUN, A, B


def test_ranks_are_pooled_until_a_share_says_something() -> None:
    # 20 queries × 8 labelled ranks: ranks 1 and 2 have 20 each (pooled to 40), 3–5 60, 6–8 60
    docs = {f"d{i}": 9.0 - i for i in range(1, 9)}
    run = run_of({f"q{i}": docs for i in range(20)})
    labels = labels_of({f"d{i}": A if i < 3 else B for i in range(1, 9)}, ("a", "b"))
    pools = pool(run, None)
    result = share_by_rank(run, pools, membership(pools, labels))
    assert list(zip(result.first.tolist(), result.last.tolist(), strict=True)) == [(1, 2), (3, 5), (6, 8)]
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


@pytest.mark.parametrize("places", [1, 10])
def test_places_of_queries_that_lean_are_as_many_draws_as_queries(places: int) -> None:
    """Of 20 queries 5 show group a alone: about Clopper and Pearson's interval of 5 in 20, 0.087 to 0.491."""
    by_query = np.zeros((1, 20, 2))
    by_query[0, :5, 0] = by_query[0, 5:, 1] = places
    bins = rank_bins(by_query, first=np.array([1]), last=np.array([places]))
    assert bins.shares[0].tolist() == [0.25, 0.75]
    assert (bins.low[0, 0], bins.high[0, 0]) == pytest.approx((0.087, 0.491), abs=0.02)
    assert np.isnan(bins.p).all()  # one bin


def test_the_first_and_the_last_bin_are_compared_over_their_queries() -> None:
    # 24 queries of two places at the top and two below; a has 18 of 48 at the top, 6 of 48 below
    top = np.array([[1.0, 1.0]] * 18 + [[0.0, 2.0]] * 6)
    below = np.array([[0.0, 2.0]] * 18 + [[1.0, 1.0]] * 6)
    bins = rank_bins(np.stack([top, below]), first=np.array([1, 3]), last=np.array([2, 4]))
    gaps = (top - below)[:, 0] / 2  # each query has the same number of places: the paired t-test of its shares
    assert bins.p == pytest.approx([2 * ttest_1samp(gaps, 0).pvalue] * 2)
    nine = rank_bins(np.stack([top[:9], below[:9]]), first=np.array([1, 3]), last=np.array([2, 4]))
    assert np.isnan(nine.p).all()


def test_a_bin_of_one_query_has_no_interval() -> None:
    bins = rank_bins(np.array([[[3.0, 1.0], [0.0, 0.0]]]), first=np.array([1]), last=np.array([4]))
    assert bins.shares[0].tolist() == [0.75, 0.25]
    assert np.isnan([*bins.low[0], *bins.high[0]]).all()
