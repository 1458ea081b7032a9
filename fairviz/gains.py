"""What each rank adds to a list: gains of α-nDCG, ERR-IA, DCG and RBP (Gao et al., 3.1–3.3).

Lists are stacked: row i is one rank of one list, ``offsets`` cut the rows into lists. ``aspects``
holds J(d, a), how much document d covers aspect a of the query (0 or 1, or a part where labels are
soft).
"""

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.model.arrays import segment_ids


def ranks(offsets: IntArray) -> FloatArray:
    """(N) rank of each row within its list, from 1."""
    return np.arange(1, int(offsets[-1]) + 1) - offsets[segment_ids(offsets)].astype(np.float64)


def dcg_discount(offsets: IntArray) -> FloatArray:
    """(N) 1/log2(rank + 1)."""
    return 1 / np.log2(ranks(offsets) + 1)


def sums_above(values: FloatArray, offsets: IntArray) -> FloatArray:
    """Sum of each column over the rows above, within a list.

    Examples:
        >>> sums_above(np.array([[1.0], [2.0], [4.0]]), np.array([0, 2, 3])).ravel()
        array([0., 1., 0.])
    """
    running = np.zeros((values.shape[0] + 1, values.shape[1]))
    np.cumsum(values, axis=0, out=running[1:])
    starts = running[offsets[:-1]]
    return running[:-1] - np.repeat(starts, np.diff(offsets), axis=0)


def novelty_gains(aspects: FloatArray, offsets: IntArray, alpha: float) -> FloatArray:
    """(N) G[i] = Σ_a J(d_i, a) (1 − α)^(how much of a stands above): the gain of α-nDCG (Eq. 4).

    Examples:
        >>> novelty_gains(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([0, 2]), 0.5)
        array([1. , 1.5])
    """
    seen = sums_above(aspects, offsets)
    return (aspects * np.power(1 - alpha, seen)).sum(axis=1)


def intent_aware_gains(satisfied: FloatArray, intents: FloatArray, offsets: IntArray) -> FloatArray:
    """(N) (1/i) Σ_a P(a) R_a(d_i) Π_{j<i} (1 − R_a(d_j)): what rank i adds to ERR-IA.

    Args:
        satisfied: (N, A) R_a, the chance in [0, 1) that the document satisfies intent a.
        intents: (L, A) P(a) of each list.
        offsets: (L+1) rows of each list.
    """
    still = np.exp(sums_above(np.log1p(-satisfied), offsets))
    per_list = np.repeat(intents, np.diff(offsets), axis=0)
    return (per_list * satisfied * still).sum(axis=1) / ranks(offsets)


def greedy_novelty_order(aspects: FloatArray, alpha: float, depth: int) -> IntArray:
    """Items of one query in the greedy order of G[i]: Clarke's approximation of the ideal list.

    Args:
        aspects: (n, A) J(d, a).
        alpha: Novelty discount, 0 … 1.
        depth: Items to place.

    Returns:
        (min(depth, n)) item positions; ties go to the earlier item.

    Examples:
        >>> greedy_novelty_order(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), 0.5, 3)
        array([0, 2, 1])
    """
    left = np.ones(len(aspects), dtype=np.bool_)
    worth = np.ones(aspects.shape[1])
    order = np.empty(min(depth, len(aspects)), dtype=np.int64)
    for place in range(order.size):
        order[place] = int(np.argmax(np.where(left, aspects @ worth, -1.0)))
        left[order[place]] = False
        worth *= np.power(1 - alpha, aspects[order[place]])
    return order
