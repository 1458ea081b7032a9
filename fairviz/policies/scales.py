"""s̄: a query's scores on one scale, and the falls from item to item with all their digits.

A policy sees s̄, not the scores, so it depends on how scores are spaced and not on their order alone. ``given`` is the
papers' min–max of the scores. ``ranks`` takes the ranks instead (n − rank, equal scores share their mean rank; then
min–max): any two systems of one order are the same policy. ``zscore`` gives every query the same spread:
s̄ = max(0, 1/2 + (s − mean) / (4 standard deviations)), so that two standard deviations about the mean fill [0, 1]. No
min–max follows, which would undo it (min–max of a z-score is that of the score); nothing is clipped at 1, which would
tie the best items with each other; below 0, where a power is not defined, items are alike.

The fall from an item to the next is taken from the scores: α makes α·2^α of it, and of a difference between two rounded
s̄ too few digits would be left.
"""

from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, IntArray, Pools, ScoreScale
from fairviz.model.arrays import segment_ids, segment_rows, segment_sums

SPREAD = 4.0
"""Standard deviations from s̄ = 0 to s̄ = 1 of z-scores."""

HUGE = 1e300
"""Scores from which the range of two may be no double: they are halved first."""


class Scaled(NamedTuple):
    """Scores on one scale.

    Attributes:
        levels: (M) s̄.
        falls: (M) s̄ of the item before minus s̄, 0 for the first of a query and for ties; as many
            digits as a double has, however close both are.
    """

    levels: FloatArray
    falls: FloatArray


def scaled(scores: FloatArray, offsets: IntArray, scale: ScoreScale = "given") -> Scaled:
    """Scale the scores of each segment.

    Raises:
        ValueError: If scores rise within a segment.

    Examples:
        >>> scaled(np.array([9.0, 2.0, 2.0, 1.0]), np.array([0, 4]), "ranks").levels
        array([1. , 0.5, 0.5, 0. ])
        >>> scaled(np.array([3.0, 1.0]), np.array([0, 2]), "zscore")  # mean 2, standard deviation 1
        Scaled(levels=array([0.75, 0.25]), falls=array([0. , 0.5]))
    """
    segment = segment_ids(offsets)
    if scale == "ranks":
        scores = _mean_ranks(scores, segment)
    levels, falls = _min_max(scores, offsets, segment)
    if (falls < 0).any():
        raise ValueError("scores must fall within a query")
    if scale != "zscore":
        return Scaled(levels, falls)
    sizes = np.maximum(np.diff(offsets), 1)
    centred = levels - (segment_sums(levels, offsets) / sizes)[segment]
    deviation = np.sqrt(segment_sums(centred**2, offsets) / sizes)
    width = SPREAD * np.where(deviation > 0, deviation, 1.0)[segment]
    standard = np.maximum(0.5 + centred / width, 0.0)
    before = np.concatenate([[0.0], standard])[:-1]
    before[offsets[:-1][np.diff(offsets) > 0]] = 0.0
    return Scaled(standard, np.where(standard > 0, falls / width, before))


def min_max(scores: FloatArray, offsets: IntArray) -> FloatArray:
    """Scores of each segment scaled to [0, 1]; all 0 where they are constant.

    Examples:
        >>> min_max(np.array([3.0, 2.0, 1.0, 7.0, 7.0]), np.array([0, 3, 5]))
        array([1. , 0.5, 0. , 0. , 0. ])
    """
    return _min_max(scores, offsets, segment_ids(offsets)).levels


def scaled_scores(pools: Pools, scale: ScoreScale = "given") -> Scaled:
    """s̄ and falls of the ranked items alone, one after another.

    Raises:
        ValueError: If ranked rows have no scores.
    """
    scores = pools.scores[ranked_rows(pools)]
    if np.isnan(scores).any():
        raise ValueError("these rankings carry no scores: a policy needs a scored run")
    return scaled(scores, ranked_offsets(pools), scale)


def normalised_scores(pools: Pools, scale: ScoreScale = "given") -> FloatArray:
    """(M) s̄ of ranked rows, NaN for the others.

    Raises:
        ValueError: If ranked rows have no scores.
    """
    levels = np.full(pools.scores.size, np.nan)
    levels[ranked_rows(pools)] = scaled_scores(pools, scale).levels
    return levels


def ranked_rows(pools: Pools) -> IntArray:
    """Rows of the items that were ranked."""
    rows, _ = segment_rows(pools.offsets, most=pools.n_retrieved)
    return rows


def ranked_offsets(pools: Pools) -> IntArray:
    """(Q+1) offsets of the ranked items alone."""
    return np.concatenate([[0], np.cumsum(pools.n_retrieved)]).astype(np.int64)


def _min_max(scores: FloatArray, offsets: IntArray, segment: IntArray) -> Scaled:
    """Min–max, for scores in any order; falls where they fall."""
    filled = np.flatnonzero(np.diff(offsets))
    low, high = np.zeros(offsets.size - 1), np.zeros(offsets.size - 1)
    if filled.size:
        low[filled] = np.minimum.reduceat(scores, offsets[filled])
        high[filled] = np.maximum.reduceat(scores, offsets[filled])
    part = np.where(np.maximum(high, -low) > HUGE, 0.5, 1.0)
    width = high * part - low * part
    width = np.where(width > 0, width, np.inf)[segment]
    scores = scores * part[segment]
    falls = np.zeros(scores.size)
    falls[1:] = scores[:-1] - scores[1:]
    falls[offsets[:-1][filled]] = 0.0
    return Scaled((scores - (low * part)[segment]) / width, falls / width)


def _mean_ranks(scores: FloatArray, segment: IntArray) -> FloatArray:
    """Minus the rank of each item of a falling list; equal scores share their mean rank."""
    new = np.ones(scores.size, dtype=np.bool_)
    new[1:] = (scores[1:] != scores[:-1]) | (segment[1:] != segment[:-1])
    tie = np.cumsum(new) - 1
    return -(np.bincount(tie, weights=np.arange(scores.size)) / np.bincount(tie))[tie]
