r"""All of one system that no target moves: attention by group, who stands at which rank, what re-ranking can reach.

What re-ranking reaches is asked of all groups' shares at once: it cannot add documents, and attention that one group
gains another loses, so that what each group could have alone says little. Over every mix of rankings of each query's
candidates, p_qgr being the expected number of items of group g at rank r of query q, the shares nearest to a target t
are those of

.. math:: \min_p \sum_g \left|\frac{A_g}{\sum_h A_h} - t_g\right|,\quad A_g = \sum_q\sum_r v_r\,p_{qgr},\quad
    \sum_g p_{qgr} = 1,\quad \sum_r p_{qgr} \le n_{qg}

a linear program once everything is divided by the labelled attention Σ A (Charnes and Cooper 1962). It has a variable
for each group, rank and query, and needs few of them: all that matters are the G sums A, and the largest Σ c_g A_g of
any ranking is found by sorting each query by c. So the program is solved over rankings that are added one by one while
a further one would help (Dantzig and Wolfe 1960). None of them depends on the target: the next target finds them.
"""

from dataclasses import dataclass, field

import numpy as np

from fairviz.kernels.attention import Attention
from fairviz.kernels.grouping import Membership, group_sums, off_target_share
from fairviz.kernels.pool import ranked_lists
from fairviz.model import Dataset, FloatArray, IntArray, Pools, RankingSample, Run
from fairviz.model.arrays import segment_ids
from fairviz.points.shares import (
    GroupExposure,
    PooledShares,
    corrected_intervals,
    effective_draws,
    list_weights,
    per_item_intervals,
    ratios,
    share_of_all_queries,
)
from fairviz.points.targets import Key, exposure_of, labelled
from fairviz.remembered import remembered
from fairviz.stats.bootstrap import LEVEL, Intervals
from fairviz.stats.tests import MIN_UNITS

# What re-ranking can reach.

CLOSE = 1e-7
"""Gain in L1 below which a further ranking is not worth adding."""
DIGITS = 9
"""Decimals of shares that are reached."""
EVEN = 1e-4
"""Weight of the largest excess and the largest lack beside the sum of all gaps.

Of mixes that are equally near it chooses the one that spreads them; it can cost two of its parts, 0.02 points."""
MOST = 2_000
"""Rankings after which something is wrong with the program, not with the data."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointReach:
    """What re-ranking one system's candidates can do for all groups at once; see :func:`joint_reach`.

    Attributes:
        weights: (N, G) membership of each candidate.
        by_rank: (N) attention at the ranks of its query.
        query: (N) its query, never falling.
        without: (G) queries that have candidates, none of them of the group, in the whole list.
        n_queries: Queries with candidates.
    """

    weights: FloatArray
    by_rank: FloatArray
    query: IntArray
    without: IntArray
    n_queries: int
    _results: list[FloatArray] = field(default_factory=list[FloatArray])

    def nearest(self, target: FloatArray) -> FloatArray:
        """(G) the shares nearest to a target that some mix of rankings of the candidates has; NaN without labels.

        Args:
            target: (G) shares, sum 1.
        """
        n_groups = target.size
        if not self._results:
            for group in range(n_groups):  # each group first in every list
                self._add(np.eye(n_groups)[group] + 1e-3)
        if not self._results:
            return np.full(n_groups, np.nan)
        for _ in range(MOST):
            shares, direction = _nearest_mix(np.array(self._results), target)
            if off_target_share(shares, target) < CLOSE or not self._add(direction):
                return shares.round(DIGITS)  # what was asked before must not show in the last digits
        raise ArithmeticError(f"no nearest mix after {MOST} rankings")

    def _add(self, direction: FloatArray) -> bool:
        """Find the rankings with the largest Σ c_g A_g; False where they help no mix."""
        order = np.lexsort((-(self.weights @ direction), self.query))
        attention = self.by_rank @ self.weights[order]
        helps = float(attention @ direction) > CLOSE * float(self.by_rank.sum()) and float(attention.sum()) > 0
        if helps:
            self._results.append(attention)
        return helps


def joint_reach(pools: Pools, members: Membership, attention: Attention) -> JointReach:
    """What re-ranking can do for all groups at once, for any target.

    Args:
        pools: The candidates are the retrieved items of each query.
        members: Groups of the pool rows; soft labels are shared among groups, unlabelled items count for none.
        attention: How attention falls with rank; at most as many ranks as there are candidates.

    Examples:
        A list of two with one item of each group gives both the same in a mix, and one all of it in none:

        >>> from fairviz.kernels.attention import TopK
        >>> from fairviz.kernels.grouping import Membership
        >>> pools = Pools(query_ids=("q",), doc_ids=("a", "b"), offsets=np.array([0, 2]), docs=np.array([0, 1]),
        ...     scores=np.zeros(2), gains=np.zeros(2), judged=np.zeros(2, bool), n_retrieved=np.array([2]))
        >>> members = Membership(groups=("x", "y"), weights=np.eye(2), not_applicable=np.zeros(2, bool),
        ...     labelled=np.ones((1, 2), bool), corpus=np.ones(2))
        >>> joint_reach(pools, members, TopK(1)).nearest(np.array([0.3, 0.7])).round(3)
        array([0.3, 0.7])
    """
    position = np.arange(pools.docs.size) - np.repeat(pools.offsets[:-1], pools.sizes)
    retrieved = position < np.repeat(pools.n_retrieved, pools.sizes)
    rows = np.flatnonzero(retrieved)
    by_rank = attention.weights(int(pools.n_retrieved.max(initial=0)))[position[rows]]
    candidates = group_sums(members.weights * retrieved[:, None], pools)
    has_candidates = pools.n_retrieved > 0
    return JointReach(
        weights=members.weights[rows],
        by_rank=by_rank,
        query=segment_ids(pools.offsets)[rows],
        without=((candidates <= 0) & has_candidates[:, None]).sum(axis=0),
        n_queries=int(has_candidates.sum()),
    )


def _nearest_mix(exposures: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shares of the mix of rankings that is nearest to a target, and the direction in which a further one would help.

    Args:
        exposures: (J, G) labelled attention by group of each ranking.
        target: (G) shares.

    Returns:
        (G) shares, and (G) prices of attention: a ranking A improves the mix where Σ price_g A_g > 0.
    """
    from scipy.optimize import linprog  # a third of a second, for this alone

    n, n_groups = exposures.shape
    scale = exposures.sum(axis=1).mean()
    columns = exposures / scale
    gaps, largest = np.eye(2 * n_groups), np.repeat(np.eye(2), n_groups, axis=0)  # every excess, then every lack
    result = linprog(
        np.concatenate([np.zeros(n), np.ones(2 * n_groups), [EVEN, EVEN]]),
        A_eq=np.block(
            [
                [columns.T, -np.eye(n_groups), np.eye(n_groups), np.zeros((n_groups, 2))],
                [columns.sum(axis=1)[None], np.zeros((1, 2 * n_groups + 2))],
            ]
        ),
        b_eq=np.append(target, 1.0),
        A_ub=np.hstack([np.zeros((2 * n_groups, n)), gaps, -largest]),
        b_ub=np.zeros(2 * n_groups),
        method="highs",
    )
    if result.x is None:
        raise ArithmeticError(f"the nearest mix was not found: {result.message}")
    mix: FloatArray = result.x[:n]
    shares: FloatArray = mix @ columns
    prices: FloatArray = result.eqlin.marginals
    return shares, prices[:-1] + prices[-1]


# The groups of what stands at each rank, in pooled ranks.

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
        mask = places.sum(axis=1) > 0
        if mask.sum() > 1:
            ends[:, b] = effective_draws(share, _errors(places, share)[mask], int(mask.sum()), total, level=LEVEL)
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

    bins = np.flatnonzero(by_query.sum(axis=(1, 2)) > 0)
    unknown = np.full(shares.shape[1], np.nan)
    if bins.size < 2:
        return unknown
    top, end = int(bins[0]), int(bins[-1])
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
    starts, n_places = [0], 0.0
    for edge, places in enumerate(n.tolist()):
        if n_places >= SMALLEST_BIN and n[edge:].sum() >= SMALLEST_BIN:
            starts.append(edge)
            n_places = 0.0
        n_places += places
    return starts


# All of it.


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemExposure:
    """One system: all that no target moves.

    Attributes:
        exposure: Attention by group.
        pooled: Shares of all queries together, and their intervals.
        per_item: Intervals of attention per document.
        corrected: Intervals of shares and of attention per document, for what is said after looking at all groups.
        reach: What re-ranking can make of it.
        bins: Groups by rank.
    """

    exposure: GroupExposure
    pooled: PooledShares
    per_item: Intervals
    corrected: tuple[Intervals, Intervals]
    reach: JointReach
    bins: RankBins


@remembered
def system_exposure(data: Dataset, key: Key, browsing: str, k: int) -> SystemExposure:
    """All of one system that no target moves."""
    of, exposure = labelled(data, *key), exposure_of(data, *key, browsing, k)
    return SystemExposure(
        exposure=exposure,
        pooled=share_of_all_queries(exposure.attention),
        per_item=per_item_intervals(exposure),
        corrected=corrected_intervals(exposure),
        reach=joint_reach(of.pools, of.members, Attention(browsing, cutoff=k)),
        bins=share_by_rank(of.ranked, of.pools, of.members, depth=k),
    )
