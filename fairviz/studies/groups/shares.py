"""One list of one query with the groups of its items: what the shares are made of."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.attention import Attention
from fairviz.groups import Membership
from fairviz.model import BoolArray, FloatArray, IntArray, Pools, RankingSample, Run
from fairviz.model.arrays import segment_ids
from fairviz.pool import RankedLists, ranked_lists
from fairviz.stats.bootstrap import Intervals, bootstrap_counts, percentiles

# What any re-ranking of the candidates could make of a group's share of attention.
#
# A group with one candidate cannot fill the first five places, and a group with none gets nothing:
# re-ranking cannot add documents. Over all rankings of each query's retrieved items, the largest
# pooled share Σ_q ε_qg / Σ_q ε_q (ε_q = attention on labelled items) is a ratio of two sums that are
# each linear in the positions. By Dinkelbach (1967) it is the λ at which the largest Σ (ε_qg − λ ε_q)
# is 0; that maximum sorts every query by w_dg − λ w_d, membership in the group minus λ times being
# labelled at all. Where no label is soft this is one and the same order for every λ: the group's
# items first, then those without a label, the other groups last.


STEPS = 25
"""Most steps of Dinkelbach's iteration, which converges faster than linearly."""

CLOSE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attainable:
    """Ends of what re-ranking the candidates can reach, per group.

    Attributes:
        low, high: (G) smallest and largest share of labelled attention; NaN where no candidate
            is labelled.
        without: (G) queries that have no candidate of the group.
        n_queries: Queries with candidates.
    """

    low: FloatArray
    high: FloatArray
    without: IntArray
    n_queries: int


def attainable_shares(pools: Pools, members: Membership, attention: Attention) -> Attainable:
    """Smallest and largest share of labelled attention that re-ranking can give each group.

    Args:
        pools: The candidates are the retrieved items of each query.
        members: Groups of the pool rows.
        attention: How attention falls with rank; at most as many ranks as there are candidates.
    """
    position = np.arange(pools.docs.size) - np.repeat(pools.offsets[:-1], pools.sizes)
    rows = np.flatnonzero(position < np.repeat(pools.n_retrieved, pools.sizes))
    query = segment_ids(pools.offsets)[rows]
    weights = members.weights[rows]
    by_rank = attention.weights(int(pools.n_retrieved.max(initial=0)))[position[rows]]
    labelled = weights.sum(axis=1)
    n_groups = len(members.groups)
    low, high = np.full(n_groups, np.nan), np.full(n_groups, np.nan)
    for group in range(n_groups):
        own = weights[:, group]
        high[group] = largest_share(own, labelled, by_rank, query)
        low[group] = 1 - largest_share(labelled - own, labelled, by_rank, query)
    n = len(pools.query_ids)
    has = np.stack([np.bincount(query, column, minlength=n) > 0 for column in weights.T], axis=1)
    asked = pools.n_retrieved > 0
    return Attainable(low=low, high=high, without=(~has[asked]).sum(axis=0), n_queries=int(asked.sum()))


def largest_share(own: FloatArray, labelled: FloatArray, by_rank: FloatArray, query: IntArray) -> float:
    """The largest Σ own·v / Σ labelled·v over all orders within each query.

    Args:
        own: (N) membership of each item in the group.
        labelled: (N) membership in any group.
        by_rank: (N) attention at the ranks of each query, falling within it.
        query: (N) query of each row, never falling.

    Returns:
        A share; NaN where no item is labelled.
    """
    if not labelled.sum() > 0:
        return float("nan")
    share = 0.0  # at most the optimum: from above, an order in which nothing labelled is seen wins
    for _ in range(STEPS):
        # Of items worth the same the one that is labelled more goes first: something is seen then.
        order = np.lexsort((-labelled, share * labelled - own, query))
        seen = float(labelled[order] @ by_rank)
        if seen <= 0:  # by rounding: at the optimum, not to be seen is worth as much
            break
        found = float(own[order] @ by_rank) / seen
        if abs(found - share) < CLOSE:
            break
        share = found
    return share


# Where the attention of a system goes, by group: per query, in all, per item.
#
# Nothing here knows a target; it is compared with one where that is set. A share is a ratio of sums
# over queries, Σ_q ε_qg / Σ_q Σ_h ε_qh: queries with more labelled attention count for more, and a
# query without any says nothing (the pooled share of the TREC fair ranking tracks).


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupExposure:
    """Attention and places by group of one system, per query.

    Attributes:
        system: Name of the system.
        groups: G names.
        query_ids: Q queries.
        attention: (Q, G) expected attention on the items of each group.
        unlabelled: (Q) expected attention on items (or parts of them) without a label.
        places: (Q, G) items of each group among the ranks that get attention, expected.
        unlabelled_places: (Q) such places without a label.
        candidates: (Q, G) items of each group that were retrieved, whatever their rank.
        unlabelled_candidates: (Q) those without a label.
    """

    system: str
    groups: tuple[str, ...]
    query_ids: tuple[str, ...]
    attention: FloatArray
    unlabelled: FloatArray
    places: FloatArray
    unlabelled_places: FloatArray
    candidates: FloatArray
    unlabelled_candidates: FloatArray

    @property
    def shares(self) -> FloatArray:
        """(G) share of each group in the attention on labelled items; NaN where there is none."""
        return ratios(self.attention.sum(axis=0), self.attention.sum())

    @property
    def unlabelled_share(self) -> float:
        """Share of all attention on items without a label."""
        rest = float(self.unlabelled.sum())
        total = rest + float(self.attention.sum())
        return rest / total if total > 0 else float("nan")

    @property
    def n_labelled(self) -> int:
        """Queries with attention on labelled items: the only ones that say something."""
        return int((self.attention.sum(axis=1) > 0).sum())

    @property
    def per_item(self) -> FloatArray:
        """(G) attention per candidate of the group, in times that of all labelled candidates.

        1 = a document of the group gets as much attention as labelled documents get on average
        (exposure in proportion to numbers); NaN for a group without candidates.
        """
        return _per_item(self.attention.sum(axis=0), self.candidates.sum(axis=0))


def group_exposure(
    ranked: Run | RankingSample, pools: Pools, members: Membership, attention: Attention
) -> GroupExposure:
    """Attention by group: of a run's list, or averaged over the rankings of a sample.

    Args:
        ranked: The system.
        pools: Its pools.
        members: Groups of the pool rows.
        attention: How attention falls with rank.
    """
    lists = ranked_lists(ranked, pools)
    seen = _attention_by_place(lists, attention) * list_weights(lists, len(pools.query_ids))
    here = seen > 0
    place = np.where(here, list_weights(lists, len(pools.query_ids)), 0.0)
    retrieved = _retrieved(pools).astype(np.float64)
    query = lists.queries[segment_ids(lists.offsets)]
    weights, missing = members.weights[lists.rows], _missing(members.weights)[lists.rows]
    n = len(pools.query_ids)
    of_row = segment_ids(pools.offsets)
    return GroupExposure(
        system=ranked.system,
        groups=members.groups,
        query_ids=pools.query_ids,
        attention=sums_by(weights * seen[:, None], query, n),
        unlabelled=sums_by((missing * seen)[:, None], query, n)[:, 0],
        places=sums_by(weights * place[:, None], query, n),
        unlabelled_places=sums_by((missing * place)[:, None], query, n)[:, 0],
        candidates=sums_by(members.weights * retrieved[:, None], of_row, n),
        unlabelled_candidates=sums_by((_missing(members.weights) * retrieved)[:, None], of_row, n)[:, 0],
    )


class ShareIntervals(NamedTuple):
    """95 % bootstrap intervals over queries; NaN below two queries with labelled attention.

    Attributes:
        shares: Of :attr:`GroupExposure.shares`.
        per_item: Of :attr:`GroupExposure.per_item`.
        drawn: (B, G) shares in each resample; no rows where there is no interval.
    """

    shares: Intervals
    per_item: Intervals
    drawn: FloatArray


def share_intervals(exposure: GroupExposure, *, seed: int = 0) -> ShareIntervals:
    """Intervals of shares and of attention per item, from the same resamples of the queries."""
    if exposure.n_labelled < 2:
        unknown = np.full(len(exposure.groups), np.nan)
        nothing = Intervals(unknown, unknown)
        return ShareIntervals(nothing, nothing, np.empty((0, unknown.size)))
    counts = bootstrap_counts(len(exposure.query_ids), rng=np.random.default_rng(seed))
    attention = counts @ exposure.attention
    drawn = ratios(attention, attention.sum(axis=1, keepdims=True))
    per_item = _per_item(attention, counts @ exposure.candidates)
    return ShareIntervals(percentiles(drawn.T), percentiles(per_item.T), drawn)


def _attention_by_place(lists: RankedLists, attention: Attention) -> FloatArray:
    sizes = np.diff(lists.offsets)
    weights = attention.weights(int(sizes.max(initial=0)))
    return weights[np.arange(int(lists.offsets[-1])) - np.repeat(lists.offsets[:-1], sizes)]


def list_weights(lists: RankedLists, n_queries: int) -> FloatArray:
    """(N) 1 / rankings of the query for each place, so that a sample counts as one ranking."""
    per_query = np.bincount(lists.queries, minlength=n_queries)
    return (1 / per_query[lists.queries])[segment_ids(lists.offsets)]


def _retrieved(pools: Pools) -> BoolArray:
    position = np.arange(pools.docs.size) - np.repeat(pools.offsets[:-1], pools.sizes)
    return position < np.repeat(pools.n_retrieved, pools.sizes)


def _missing(weights: FloatArray) -> FloatArray:
    rest = 1 - weights.sum(axis=1)
    return np.where(rest > 1e-9, rest, 0.0)


def sums_by(values: FloatArray, segment: IntArray, n: int) -> FloatArray:
    """(n, G) sums of the rows (N, G) of each segment."""
    found = np.zeros((n, values.shape[1]))
    for column, of_group in enumerate(values.T):
        found[:, column] = np.bincount(segment, of_group, minlength=n)
    return found


def ratios(part: FloatArray, whole: FloatArray | float) -> FloatArray:
    """Part of the whole, NaN where there is no whole."""
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def _per_item(attention: FloatArray, candidates: FloatArray) -> FloatArray:
    """Along the last axis: attention per candidate over that of all groups together."""
    every = ratios(attention.sum(axis=-1), candidates.sum(axis=-1))
    return ratios(ratios(attention, candidates), every[..., None])


# The groups of what stands at each rank, ranks pooled until a share says something.


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
        low, high: (B, G) 95 % Wilson interval.
    """

    first: IntArray
    last: IntArray
    n: FloatArray
    shares: FloatArray
    low: FloatArray
    high: FloatArray


def share_by_rank(
    ranked: Run | RankingSample, pools: Pools, members: Membership, *, depth: int | None = None
) -> RankBins:
    """Share of each group among the labelled places, by rank; ranks are pooled to 30 places.

    Wilson intervals take places as independent draws; those of one query are not, so that they
    are rather too narrow. Places of a sample are averaged over its rankings.

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
    kept = rank <= depth
    places = members.weights[lists.rows] * list_weights(lists, len(pools.query_ids))[:, None]
    bin_of = np.searchsorted(EDGES, rank[kept], side="right") - 1
    counts = sums_by(places[kept], bin_of, len(EDGES))
    starts = _pooled(counts.sum(axis=1))
    counts = np.add.reduceat(counts, starts, axis=0)
    first = np.array([EDGES[start] for start in starts])
    last = np.append(first[1:] - 1, depth)
    n = counts.sum(axis=1)
    shares = ratios(counts, n[:, None])
    low, high = wilson(shares, n[:, None])
    return RankBins(first=first, last=last, n=n, shares=shares, low=low, high=high)


def wilson(share: FloatArray, n: FloatArray, z: float = 1.959964) -> tuple[FloatArray, FloatArray]:
    """Wilson's score interval of a share (Wilson 1927); NaN where n is 0.

    Examples:
        >>> low, high = wilson(np.array([0.5]), np.array([10.0]))
        >>> low.round(3), high.round(3)
        (array([0.237]), array([0.763]))
    """
    n = np.where(n > 0, n, np.nan)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def _pooled(n: FloatArray) -> list[int]:
    """First edges of bins that hold enough each; what is left at the end joins the last one."""
    starts, held = [0], 0.0
    for edge, here in enumerate(n.tolist()):
        if held >= SMALLEST_BIN and n[edge:].sum() >= SMALLEST_BIN:
            starts.append(edge)
            held = 0.0
        held += here
    return starts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupList:
    """The first items of one ranking.

    Attributes:
        doc_ids: R documents, best first.
        weights: (R, G) membership; what is missing to 1 is unlabelled.
        gains: (R) graded usefulness.
        judged: (R) whether it was judged.
        attention: (R) attention at its rank.
        n_rankings: Rankings that the system has for the query; this is the first.
    """

    doc_ids: tuple[str, ...]
    weights: FloatArray
    gains: FloatArray
    judged: BoolArray
    attention: FloatArray
    n_rankings: int


def group_list(
    ranked: Run | RankingSample,
    pools: Pools,
    members: Membership,
    query_id: str,
    attention: Attention,
    *,
    shown: int,
) -> GroupList:
    """The list of a run for one query, or the first ranking of a sample.

    Args:
        ranked: The system.
        pools: Its pools.
        members: Groups of the pool rows.
        query_id: One of the queries of the pools.
        attention: How attention falls with rank.
        shown: Most items to return.
    """
    query = pools.query_ids.index(query_id)
    start, end = int(pools.offsets[query]), int(pools.offsets[query + 1])
    n_rankings = 1
    if isinstance(ranked, Run):
        rows = np.arange(start, start + int(pools.n_retrieved[query]))
    else:
        own = ranked.query_ids.index(query_id)
        first = int(ranked.query_offsets[own])
        n_rankings = int(ranked.query_offsets[own + 1]) - first
        docs = ranked.docs[ranked.sample_offsets[first] : ranked.sample_offsets[first + 1]]
        docs_here: list[int] = pools.docs[start:end].tolist()
        at = {pools.doc_ids[d]: start + i for i, d in enumerate(docs_here)}
        rows = np.array([at[ranked.doc_ids[d]] for d in docs.tolist()], dtype=np.int64)
    rows = rows[:shown]
    listed: list[int] = pools.docs[rows].tolist()
    return GroupList(
        doc_ids=tuple(pools.doc_ids[d] for d in listed),
        weights=members.weights[rows],
        gains=pools.gains[rows],
        judged=pools.judged[rows],
        attention=attention.weights(rows.size),
        n_rankings=n_rankings,
    )
