"""Reciprocal rank fusion of several rankings of the same query (Cormack et al., 2009).

Each ranking gives an item the credit 1 / (k + rank); an item that a ranking lacks gets nothing from
it. Scores play no part, so rankings of any origin can be merged. The paper on medical question
answering (Ji et al., 2025) merges its retrievers this way.
"""

from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, IntArray


class Fused(NamedTuple):
    """The distinct items of all rankings, in the order of their keys, with their credit."""

    items: IntArray
    scores: FloatArray


def reciprocal_rank_scores(items: IntArray, rankings: IntArray, ranks: IntArray, *, k: float = 60) -> Fused:
    r"""Credit of each item: :math:`\sum_r 1/(k + \mathrm{rank}_r)` over the rankings that have it.

    Terms are added from the smallest, so that the sum does not depend on the order of the rankings,
    and sums within 1e-14 of each other are one number, so that items of equal credit are tied.
    An item that stands twice in a ranking counts once, at its best rank.

    Args:
        items: (N) key of each row: the same number for the same item of the same query.
        rankings: (N) the ranking a row stands in.
        ranks: (N) its rank there, with k + rank > 0.
        k: How little the first ranks stand out; 60 in the source.

    Examples:
        >>> fused = reciprocal_rank_scores(
        ...     np.array([7, 8, 7]), np.array([0, 0, 1]), np.array([1, 2, 4]), k=0
        ... )
        >>> fused.items, fused.scores
        (array([7, 8]), array([1.25, 0.5 ]))
    """
    order = np.lexsort((ranks, rankings, items))
    items, rankings, ranks = items[order], rankings[order], ranks[order]
    first = np.ones(items.size, dtype=np.bool_)
    first[1:] = (items[1:] != items[:-1]) | (rankings[1:] != rankings[:-1])
    distinct, place = np.unique(items[first], return_inverse=True)
    credit = 1 / (k + ranks[first])
    smallest_first = np.argsort(credit, kind="stable")
    sums = np.bincount(place[smallest_first], weights=credit[smallest_first], minlength=distinct.size)
    level, of = np.unique(np.round(sums, 14), return_inverse=True)
    scores: FloatArray = level.astype(np.float64)
    np.put(scores, of, sums)
    return Fused(distinct, scores[of])
