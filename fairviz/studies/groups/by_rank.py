"""The groups of what stands at each rank: shares in pooled ranks, and the list of one query item by item."""

from dataclasses import dataclass

import numpy as np

from fairviz.kernels.grouping import Membership
from fairviz.kernels.pool import ranked_lists
from fairviz.model import FloatArray, IntArray, Pools, RankingSample, Run
from fairviz.model.arrays import segment_ids
from fairviz.points.shares import effective_draws, list_weights, ratios
from fairviz.stats.bootstrap import LEVEL, Intervals
from fairviz.stats.tests import MIN_UNITS

EDGES = (1, 2, 3, 6, 11, 21, 51, 101, 201, 501, 1001, 2001, 5001)
"""Ranks at which a bin of :func:`share_by_rank` may begin."""
SMALLEST_BIN = 30
"""Labelled places from which a bin stands alone."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankBins:
    """Shares of groups in pooled ranks.

    Attributes:
        first, last: (B) ranks of each bin, both included.
        n: (B) labelled places in the bin.
        shares: (B, G) share of each group among them.
        low, high: (B, G) 95 % intervals by :func:`effective_draws` over the queries of the bin; NaN below two of them.
        p: (G) of equal shares in the first and the last bin, corrected over the groups; NaN where either is of fewer
            than ten queries.
    """

    first: IntArray
    last: IntArray
    n: FloatArray
    shares: FloatArray
    low: FloatArray
    high: FloatArray
    p: FloatArray


def share_by_rank(
    ranked: Run | RankingSample, pools: Pools, members: Membership, *, depth: int | None = None
) -> RankBins:
    """Share of each group among the labelled places, by rank; ranks are pooled to 30 places.

    Places of one query are no independent draws: intervals are of effective draws over queries, which may lean, and of
    which few may rank so deep. Places of a sample are averaged over its rankings.

    Args:
        ranked: The system.
        pools: Its pools.
        members: Groups of the pool rows.
        depth: Last rank that is looked at; None: all.
    """
    lists = ranked_lists(ranked, pools)
    rank = np.arange(int(lists.offsets[-1])) - lists.offsets[segment_ids(lists.offsets)] + 1
    longest = int(rank.max(initial=0))
    depth = longest if depth is None else min(depth, longest)
    inside = rank <= depth
    places = members.weights[lists.rows] * list_weights(lists, len(pools.query_ids))[:, None]
    bin_of = np.searchsorted(EDGES, rank[inside], side="right") - 1
    n_queries = len(pools.query_ids)
    query = lists.queries[segment_ids(lists.offsets)][inside]
    cell, n_cells = bin_of * n_queries + query, len(EDGES) * n_queries
    by_query = np.stack([np.bincount(cell, of, minlength=n_cells) for of in places[inside].T], axis=1)
    by_query = by_query.reshape(len(EDGES), n_queries, -1)
    starts = _pooled(by_query.sum(axis=(1, 2)))
    by_query = np.add.reduceat(by_query, starts, axis=0)
    first = np.array([EDGES[start] for start in starts])
    last = np.append(first[1:] - 1, depth)
    return rank_bins(by_query, first=first, last=last)


def rank_bins(by_query: FloatArray, *, first: IntArray, last: IntArray) -> RankBins:
    """Shares of pooled ranks and their intervals.

    Args:
        by_query: (B, Q, G) labelled places of each group in each bin and query.
        first: (B) first rank of each bin.
        last: (B) its last rank.
    """
    counts = by_query.sum(axis=1)
    n = counts.sum(axis=1)
    shares = ratios(counts, n[:, None])
    low, high = _intervals(by_query, shares, n)
    return RankBins(first=first, last=last, n=n, shares=shares, low=low, high=high, p=_ends_differ(by_query, shares))


def _intervals(by_query: FloatArray, shares: FloatArray, n: FloatArray) -> Intervals:
    ends = np.full((2, *shares.shape), np.nan)
    for b, (places, share, total) in enumerate(zip(by_query, shares, n.tolist(), strict=True)):
        said = places.sum(axis=1) > 0
        if said.sum() > 1:
            ends[:, b] = effective_draws(share, _errors(places, share)[said], int(said.sum()), total, level=LEVEL)
    return Intervals(*ends)


def _errors(places: FloatArray, share: FloatArray) -> FloatArray:
    """(Q, G) what each query adds to the error of a bin's shares."""
    of_query = places.sum(axis=1, keepdims=True)
    return (places - share * of_query) / of_query.sum()


def _ends_differ(by_query: FloatArray, shares: FloatArray) -> FloatArray:
    r"""(G) p of no difference between the first and the last bin: a t-test over the queries, which are in both.

    The variance of a difference is that of its linearisation. Where few queries show a group it is hardly known: no
    group varies less than groups of its size do together,

    .. math:: v_g \ge p_g (1 - p_g) \sum_h v_h / \sum_h p_h (1 - p_h)
    """
    from scipy.special import stdtr  # as long to load as all else: where it is used

    known = np.flatnonzero(by_query.sum(axis=(1, 2)) > 0)
    unknown = np.full(shares.shape[1], np.nan)
    if known.size < 2:
        return unknown
    top, end = int(known[0]), int(known[-1])
    n = int(min((by_query[b].sum(axis=1) > 0).sum() for b in (top, end)))
    if n < MIN_UNITS:
        return unknown
    errors = _errors(by_query[top], shares[top]) - _errors(by_query[end], shares[end])
    variance = (errors**2).sum(axis=0) * n / (n - 1)
    middle = (shares[top] + shares[end]) / 2
    spread = middle * (1 - middle)
    together = ratios(spread * variance.sum(), float(spread.sum()))
    t = ratios(np.abs(shares[top] - shares[end]), np.sqrt(np.maximum(variance, together)))
    return np.minimum(2 * stdtr(n - 1, -np.nan_to_num(t)) * shares.shape[1], 1.0)


def _pooled(n: FloatArray) -> list[int]:
    """First edges of bins that hold enough each; what is left at the end joins the last one."""
    starts, held = [0], 0.0
    for edge, places in enumerate(n.tolist()):
        if held >= SMALLEST_BIN and n[edge:].sum() >= SMALLEST_BIN:
            starts.append(edge)
            held = 0.0
        held += places
    return starts
