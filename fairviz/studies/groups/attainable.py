"""What any re-ranking of the candidates could make of a group's share of attention.

A group with one candidate cannot fill the first five places, and a group with none gets nothing: re-ranking cannot add
documents. Over all rankings of each query's retrieved items, the largest pooled share Σ_q ε_qg / Σ_q ε_q (ε_q =
attention on labelled items) is a ratio of two sums that are each linear in the positions. By Dinkelbach (1967) it is
the λ at which the largest Σ (ε_qg − λ ε_q) is 0; that maximum sorts every query by w_dg − λ w_d, membership in the
group minus λ times being labelled at all. Where no label is soft this is one and the same order for every λ: the
group's items first, then those without a label, the other groups last.
"""

from dataclasses import dataclass

import numpy as np

from fairviz.attention import Attention
from fairviz.groups import Membership
from fairviz.model import FloatArray, IntArray, Pools
from fairviz.model.arrays import segment_ids

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
    ranked = pools.n_retrieved > 0
    return Attainable(low=low, high=high, without=(~has[ranked]).sum(axis=0), n_queries=int(ranked.sum()))


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
        reached = float(own[order] @ by_rank) / seen
        if abs(reached - share) < CLOSE:
            break
        share = reached
    return share
