"""PAIR: are useful items of one group ranked above less useful ones as often as another's?

Pairs (d1, d2) of labelled items of one ranking with gain(d1) > gain(d2) (Raj et al., Eq. 11; Beutel et al. 2019). Soft
labels weigh a pair by the product of both memberships.
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.gains import sums_above
from fairviz.model import FloatArray, IntArray
from fairviz.model.arrays import segment_ids

PairKind: TypeAlias = Literal["inter", "intra", "pairwise"]
"""Against items of other groups, of the own group, or of any."""


class Pairs(NamedTuple):
    """(R, G, G) pairs of a more useful item of group g and a less useful one of group h.

    Attributes:
        right: Weight of the pairs whose more useful item ranks above.
        all: Weight of all of them.
    """

    right: FloatArray
    all: FloatArray


def ordered_pairs(weights: FloatArray, gains: FloatArray, offsets: IntArray) -> Pairs:
    """Count pairs in one pass per level of gain: each item meets the less useful ones below it.

    Args:
        weights: (N, G) membership by rank.
        gains: (N) usefulness by rank.
        offsets: (R+1) rows of each ranking.
    """
    ranking, n, g = segment_ids(offsets), offsets.size - 1, weights.shape[1]
    right, total = np.zeros((n, g, g)), np.zeros((n, g, g))
    for level in np.unique(gains[gains > gains.min(initial=0.0)]).tolist():
        lesser = np.where((gains < level)[:, None], weights, 0.0)
        whole = np.stack([np.bincount(ranking, c, minlength=n) for c in lesser.T], axis=1)
        below = whole[ranking] - sums_above(lesser, offsets)  # the item itself is not lesser
        at = gains == level
        for group in range(g):
            own = weights[at, group][:, None]
            for pairs, met in ((right, below[at]), (total, whole[ranking[at]])):
                for other in range(g):
                    weight = own[:, 0] * met[:, other]
                    pairs[:, group, other] += np.bincount(ranking[at], weight, minlength=n)
    return Pairs(right, total)


def pair_accuracy(pairs: Pairs, group: int, kind: PairKind) -> FloatArray:
    """(R) share of the group's pairs that are ranked by their usefulness. 1 = all of them.

    Returns:
        In [0, 1]; NaN where there is no pair.
    """
    groups = range(pairs.all.shape[2])
    met = [g for g in groups if kind == "pairwise" or (g == group) == (kind == "intra")]
    total: FloatArray = pairs.all[:, group, met].sum(axis=1)
    right: FloatArray = pairs.right[:, group, met].sum(axis=1)
    return np.divide(right, total, out=np.full(total.size, np.nan), where=total > 0)


def pair_gap(pairs: Pairs, protected: int, other: int, kind: PairKind) -> FloatArray:
    """(R) accuracy of the other group minus that of the protected one (InterAcc, IntraAcc).

    Returns:
        In [−1, 1]: 0 = both are ranked alike, above 0 = to the protected group's disadvantage; NaN
        where either has no pair.
    """
    return pair_accuracy(pairs, other, kind) - pair_accuracy(pairs, protected, kind)
