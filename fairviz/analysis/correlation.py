"""Whether ranking quality goes with answer quality: EE-R against EU (Kim & Diaz, RQ2)."""

from typing import NamedTuple

import numpy as np

from fairviz.analysis.uncertainty import (
    N_RESAMPLES,
    Interval,
    data_and_resamples,
    interval_of,
)
from fairviz.model import FloatArray, IntArray


class Correlation(NamedTuple):
    """Correlation over (query, α) points; intervals resample whole queries.

    NaN where one side is constant.
    """

    pearson: float
    pearson_interval: Interval
    spearman: float
    spearman_interval: Interval
    n_points: int
    n_queries: int


def quality_correlation(
    x: FloatArray, y: FloatArray, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES
) -> Correlation:
    """Pearson's and Spearman's correlation of two (A, Q) tables over their common points.

    Args:
        x: (A, Q) one quality per α and query (EE-R), NaN = undefined.
        y: (A, Q) the other (EU), same α and queries.
        rng: Source of chance.
        n_resamples: Resamples of the queries; ranks are formed anew in each.

    Examples:
        >>> x = np.array([[0.1, 0.5, 0.9], [0.2, 0.6, 0.7]])
        >>> round(quality_correlation(x, x**3, rng=np.random.default_rng(0)).spearman, 9)
        1.0
    """
    if x.shape != y.shape:
        raise ValueError(f"both qualities need one shape, got {x.shape} and {y.shape}")
    _, query = np.nonzero(known := ~(np.isnan(x) | np.isnan(y)))
    a, b = x[known], y[known]
    n_queries = np.unique(query).size
    counts = data_and_resamples(x.shape[1], rng=rng, n_resamples=n_resamples)
    place_a, place_b = _places(a), _places(b)
    pearson, spearman = np.full(len(counts), np.nan), np.full(len(counts), np.nan)
    for i, weights in enumerate(counts[:, query]):
        pearson[i] = weighted_correlation(a, b, weights)
        ranks_a, ranks_b = _weighted_ranks(place_a, weights), _weighted_ranks(place_b, weights)
        spearman[i] = weighted_correlation(ranks_a, ranks_b, weights)
    return Correlation(
        pearson=float(pearson[0]),
        pearson_interval=interval_of(pearson, n_queries),
        spearman=float(spearman[0]),
        spearman_interval=interval_of(spearman, n_queries),
        n_points=a.size,
        n_queries=n_queries,
    )


def weighted_correlation(a: FloatArray, b: FloatArray, weights: FloatArray) -> float:
    """Pearson's correlation of points that count ``weights`` times; NaN where one is constant."""
    total = float(weights.sum())
    if total == 0:
        return np.nan
    da = a - weights @ a / total
    db = b - weights @ b / total
    spread_a, spread_b = float(weights @ da**2), float(weights @ db**2)
    scale_a, scale_b = (float(np.abs(side).max(initial=0.0)) for side in (a, b))
    if spread_a <= total * (1e-12 * scale_a) ** 2 or spread_b <= total * (1e-12 * scale_b) ** 2:
        return np.nan
    return float(weights @ (da * db)) / float(np.sqrt(spread_a * spread_b))


def _places(values: FloatArray) -> IntArray:
    """Index of each value among the distinct ones, rising; ties share it."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _weighted_ranks(place: IntArray, weights: FloatArray) -> FloatArray:
    """Mean rank of each point where point i stands ``weights[i]`` times, ties averaged."""
    held = np.bincount(place, weights=weights)
    ranks = np.cumsum(held) - (held - 1) / 2
    return ranks[place]
