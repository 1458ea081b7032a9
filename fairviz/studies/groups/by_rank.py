"""The groups of what stands at each rank: shares in pooled ranks, and the list of one query item by item."""

from dataclasses import dataclass

import numpy as np

from fairviz.attention import Attention
from fairviz.groups import Membership
from fairviz.model import BoolArray, FloatArray, IntArray, Pools, RankingSample, Run
from fairviz.model.arrays import segment_ids
from fairviz.pool import ranked_lists
from fairviz.studies.groups.shares import list_weights, ratios, sums_by

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
    inside = rank <= depth
    places = members.weights[lists.rows] * list_weights(lists, len(pools.query_ids))[:, None]
    bin_of = np.searchsorted(EDGES, rank[inside], side="right") - 1
    counts = sums_by(places[inside], bin_of, len(EDGES))
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
    for edge, places in enumerate(n.tolist()):
        if held >= SMALLEST_BIN and n[edge:].sum() >= SMALLEST_BIN:
            starts.append(edge)
            held = 0.0
        held += places
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
    most: int,
) -> GroupList:
    """The list of a run for one query, or the first ranking of a sample.

    Args:
        ranked: The system.
        pools: Its pools.
        members: Groups of the pool rows.
        query_id: One of the queries of the pools.
        attention: How attention falls with rank.
        most: Most items to return.
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
    rows = rows[:most]
    listed: list[int] = pools.docs[rows].tolist()
    return GroupList(
        doc_ids=tuple(pools.doc_ids[d] for d in listed),
        weights=members.weights[rows],
        gains=pools.gains[rows],
        judged=pools.judged[rows],
        attention=attention.weights(rows.size),
        n_rankings=n_rankings,
    )
