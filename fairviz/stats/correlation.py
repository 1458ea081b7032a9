"""Whether ranking quality goes with answer quality: EE-R against EU (Kim & Diaz, RQ2)."""

from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, IntArray, Resamples
from fairviz.stats.bootstrap import N_RESAMPLES, Interval, data_and_resamples, interval_of

CELLS = 200_000
"""Numbers held at a time: resamples are taken in chunks of so many points."""

ROUNDING = 1e-12
"""Spread below this share of a side's values is rounding: the side is constant."""


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
    pearson = _pearson(a, b, query, counts)
    spearman = _spearman(a, b, query, counts)
    return Correlation(
        pearson=float(pearson[0]),
        pearson_interval=interval_of(pearson, n_queries),
        spearman=float(spearman[0]),
        spearman_interval=interval_of(spearman, n_queries),
        n_points=a.size,
        n_queries=n_queries,
    )


class _Moments(NamedTuple):
    """(B) sums over points under each resample; NaN correlation where a side is constant."""

    total: FloatArray
    a: FloatArray
    b: FloatArray
    aa: FloatArray
    bb: FloatArray
    ab: FloatArray

    def correlation(self, noise_a: float, noise_b: float) -> FloatArray:
        """Σw·da·db / √(Σw·da² Σw·db²), where both spreads exceed what rounding makes."""
        total = np.where(self.total > 0, self.total, np.nan)
        spread_a, spread_b = self.aa - self.a**2 / total, self.bb - self.b**2 / total
        known = spread_a > total * noise_a**2 + ROUNDING * self.aa
        known &= spread_b > total * noise_b**2 + ROUNDING * self.bb
        spread = np.where(known, spread_a * spread_b, np.nan)
        return (self.ab - self.a * self.b / total) / np.sqrt(spread)


def _pearson(a: FloatArray, b: FloatArray, query: IntArray, counts: Resamples) -> FloatArray:
    """(B) Pearson's correlation, from sums per query: resamples only weigh whole queries."""
    if a.size == 0:
        return np.full(len(counts), np.nan)
    da, db = a - a.mean(), b - b.mean()  # moments are taken about the mean, for their digits
    terms = (np.ones(a.size), da, db, da**2, db**2, da * db)
    per_query = [np.bincount(query, weights=term, minlength=counts.n_queries) for term in terms]
    moments = _Moments(*(counts @ np.stack(per_query, axis=1).astype(np.float64)).T)
    noise_a, noise_b = (ROUNDING * float(np.abs(side).max()) for side in (a, b))
    return moments.correlation(noise_a, noise_b)


def _spearman(a: FloatArray, b: FloatArray, query: IntArray, counts: Resamples) -> FloatArray:
    """(B) Spearman's correlation: Pearson's of ranks, which are formed anew in each resample."""
    a, b = _tied(a), _tied(b)
    order = np.argsort(a, kind="stable")  # points stand in the order of a from here on
    a, b, query = a[order], b[order], query[order]
    order_b = np.argsort(b, kind="stable")
    back = np.argsort(order_b, kind="stable")
    correlations: list[FloatArray] = [np.empty(0)]
    step = max(1, CELLS // max(a.size, 1))
    for start in range(0, len(counts), step):
        weights = counts.cells(slice(start, start + step), query)
        ranks_a, squares_a = _ranks(a, weights)
        ranks_b, squares_b = _ranks(b[order_b], weights[:, order_b])
        total = weights.sum(axis=1)
        sums = total * (total + 1) / 2
        crossed = np.einsum("ij,ij,ij->i", weights, ranks_a, ranks_b[:, back])
        moments = _Moments(total, sums, sums, squares_a, squares_b, crossed)
        correlations.append(moments.correlation(0.0, 0.0))
    return np.concatenate(correlations)


def _tied(values: FloatArray) -> FloatArray:
    """The values, those that differ by rounding alone made equal: EE-R of few samples is often the same number.

    Examples:
        >>> _tied(np.array([0.3, 0.1 + 0.2, 0.5])).tolist()
        [0.3, 0.3, 0.5]
    """
    order = np.argsort(values, kind="stable")
    rising = values[order]
    firsts = np.diff(rising, prepend=-np.inf) > ROUNDING * float(np.abs(values).max(initial=0))
    tied = np.empty_like(values)
    tied[order] = rising[firsts][np.cumsum(firsts) - 1]
    return tied


def _ranks(rising: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean ranks (B, P) of values in rising order, value i standing ``weights[:, i]`` times.

    Ties are averaged; with them Σw·rank² (B).
    """
    firsts = np.flatnonzero(np.diff(rising, prepend=np.nan) != 0)
    held = np.add.reduceat(weights, firsts, axis=1) if firsts.size else weights
    ranks = np.cumsum(held, axis=1)
    ranks -= (held - 1) / 2
    squares = np.einsum("ij,ij,ij->i", held, ranks, ranks)
    if firsts.size < rising.size:
        ranks = np.repeat(ranks, np.diff(firsts, append=rising.size), axis=1)
    return ranks, squares
