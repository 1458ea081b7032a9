"""What each rank adds to a list: gains of α-nDCG, NRBP, ERR-IA, ERR, AP, DCG and RBP (Gao et al., 3.1–3.3).

Lists are stacked: row i is one rank of one list, ``offsets`` cut the rows into lists. ``aspects``
holds J(d, a), how much document d covers aspect a of the query (0 or 1, or a part where labels are
soft).
"""

import numpy as np

from fairviz.kernels.compiled import kernel
from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.model.arrays import segment_ids

ROUNDING = 1e-12
"""Gains this close, relatively, are equal: a sum over aspects depends on their order in its last digits."""


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
    gains = np.zeros(len(aspects))
    useful = np.flatnonzero(aspects.any(axis=1))  # powers cost most, and the others gain nothing
    seen = sums_above(aspects, offsets)[useful]
    gains[useful] = (aspects[useful] * np.power(1 - alpha, seen)).sum(axis=1)
    return gains


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


def precision_gains(useful: BoolArray, offsets: IntArray) -> FloatArray:
    """(N) precision at each rank that holds something useful, else 0: what rank i adds to R · AP.

    Examples:
        >>> precision_gains(np.array([True, False, True]), np.array([0, 3]))
        array([1.        , 0.        , 0.66666667])
    """
    hits = useful.astype(np.float64)
    return hits * (sums_above(hits[:, None], offsets)[:, 0] + hits) / ranks(offsets)


def cascade_gains(satisfied: FloatArray, offsets: IntArray) -> FloatArray:
    """(N) (1/i) R(d_i) Π_{j<i} (1 − R(d_j)): what rank i adds to ERR (Chapelle et al. 2009).

    Args:
        satisfied: (N) R, the chance in [0, 1) that the document satisfies.
        offsets: (L+1) rows of each list.

    Examples:
        >>> cascade_gains(np.array([0.5, 0.5]), np.array([0, 2]))
        array([0.5  , 0.125])
    """
    return intent_aware_gains(satisfied[:, None], np.ones((offsets.size - 1, 1)), offsets)


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
    offsets = np.array([0, len(aspects)], dtype=np.int64)
    return greedy_orders(aspects, np.power(1 - alpha, aspects), offsets)[:depth]


@kernel
def greedy_orders(aspects: FloatArray, fade: FloatArray, offsets: IntArray) -> IntArray:
    """(N) rows of every list, each next the one that adds most; ties, but for rounding, go to the earlier row.

    What an item adds is Σ_a aspects · Π_{above} fade: G[i] of α-nDCG where fade = (1 − α)^aspects, the gain of
    ERR-IA where aspects are chances R_a and fade = 1 − R_a. Items that cover nothing go last, as they stand.

    Args:
        aspects: (N, A) what an item is worth in each aspect.
        fade: (N, A) what is left of the interest in an aspect below the item.
        offsets: (L+1) rows of each list.
    """
    order = np.empty(aspects.shape[0], dtype=np.int64)
    worth = np.empty(aspects.shape[1])
    for q in range(offsets.size - 1):
        start, end = offsets[q], offsets[q + 1]
        left = np.empty(end - start, dtype=np.int64)
        n, last = 0, end
        for row in range(end - 1, start - 1, -1):
            covers = False
            for a in range(aspects.shape[1]):
                covers = covers or aspects[row, a] > 0
            if covers:
                left[n] = row
                n += 1
            else:
                last -= 1
                order[last] = row
        worth[:] = 1.0
        for position in range(start, last):
            best, most = -1, -1.0
            for i in range(n - 1, -1, -1):  # rows stand last to first
                value = 0.0
                for a in range(aspects.shape[1]):
                    value += aspects[left[i], a] * worth[a]
                if value > most * (1 + ROUNDING):
                    best, most = i, value
            row = left[best]
            order[position] = row
            for i in range(best, n - 1):
                left[i] = left[i + 1]
            n -= 1
            for a in range(aspects.shape[1]):
                if aspects[row, a] > 0:
                    worth[a] *= fade[row, a]
    return order
