"""How far a mean over queries can be trusted: percentile bootstrap over queries.

Queries are resampled with replacement; statistics compared with each other must share the same
resamples, which makes them paired. A resample is held as counts, so that the mean of every row of
a (A, Q) matrix under all resamples is one matrix product.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray

N_RESAMPLES = 2_000
LEVEL = 0.95
FEWEST = 10
"""Queries, or clusters of answers, from which on something is claimed; fewer are shown in grey and without a word."""


class Interval(NamedTuple):
    """The ends of an interval; NaN where fewer than two queries have a value."""

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        """Whether a number lies in the interval, ends included."""
        return isinstance(value, int | float) and self.low <= value <= self.high


UNDEFINED = Interval(float("nan"), float("nan"))


class Intervals(NamedTuple):
    """(A) lower and upper ends of A intervals that share their resamples."""

    low: FloatArray
    high: FloatArray


class PairedDifference(NamedTuple):
    """A mean difference over the queries that both sides have, with its interval."""

    difference: float
    interval: Interval
    n_queries: int


def bootstrap_indices(n_queries: int, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES) -> IntArray:
    """(B, Q) queries of each resample, drawn with replacement."""
    return rng.integers(0, n_queries, size=(n_resamples, n_queries))


def bootstrap_counts(n_queries: int, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES) -> FloatArray:
    """(B, Q) how often each resample holds each query: the form for matrix products.

    Examples:
        >>> counts = bootstrap_counts(3, rng=np.random.default_rng(0), n_resamples=4)
        >>> counts.sum(axis=1)
        array([3., 3., 3., 3.])
    """
    drawn = bootstrap_indices(n_queries, rng=rng, n_resamples=n_resamples)
    cells = drawn + n_queries * np.arange(n_resamples)[:, None]
    counts = np.bincount(cells.ravel(), minlength=n_resamples * n_queries)
    return counts.reshape(n_resamples, n_queries).astype(np.float64)


def data_and_resamples(n_queries: int, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES) -> FloatArray:
    """(1+B, Q) counts: first the data itself, every query once, then its resamples."""
    drawn = bootstrap_counts(n_queries, rng=rng, n_resamples=n_resamples)
    return np.concatenate([np.ones((1, n_queries)), drawn])


def resampled_means(values: FloatArray, counts: FloatArray, where: BoolArray) -> FloatArray:
    """(A, B) mean of each row under each resample, over the cells in ``where``.

    Args:
        values: (A, Q) a value per row and query.
        counts: (B, Q) from :func:`bootstrap_counts`.
        where: (A, Q) cells that count.

    Returns:
        NaN where a resample holds no query with a value.
    """
    alike = where[:1] if (where == where[:1]).all() else where  # one row of weights for all
    weights = np.broadcast_to(alike.astype(np.float64) @ counts.T, (len(where), len(counts)))
    sums = np.where(where, values, 0.0) @ counts.T
    means = np.full(sums.shape, np.nan)
    np.divide(sums, weights, out=means, where=weights > 0)
    return means


def percentiles(statistics: FloatArray, *, level: float = LEVEL) -> Intervals:
    """Percentile intervals along the last axis; resamples without a value are left out.

    Returns:
        (A) ends; NaN for a row without values.
    """
    rows = np.atleast_2d(statistics)
    tail = (1 - level) / 2
    ends = np.full((2, rows.shape[0]), np.nan)
    whole = ~np.isnan(rows).any(axis=1)
    if whole.any():
        ends[:, whole] = _quantiles(rows[whole], tail)
    for row in np.flatnonzero(~whole):
        defined = rows[row][~np.isnan(rows[row])]
        if defined.size:
            ends[:, row] = _quantiles(defined[None, :], tail)[:, 0]
    return Intervals(ends[0], ends[1])


def _quantiles(rows: FloatArray, tail: float) -> FloatArray:
    """(2, A) lower and upper quantile; between infinite values nothing is interpolated."""
    method = "inverted_cdf" if np.isinf(rows).any() else "linear"
    return np.quantile(rows, [tail, 1 - tail], axis=1, method=method)


def interval_of(statistics: FloatArray, n_queries: int) -> Interval:
    """Interval of (1+B) statistics of :func:`data_and_resamples`, the first being the data's own.

    NaN ends where the statistic itself is undefined or rests on fewer than two queries.
    """
    if n_queries < 2 or np.isnan(statistics[0]):
        return UNDEFINED
    ends = percentiles(statistics[1:])
    return Interval(float(ends.low[0]), float(ends.high[0]))


def bootstrap_interval(
    values: FloatArray,
    *,
    rng: np.random.Generator,
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
) -> Interval:
    """Percentile bootstrap interval of the mean over the queries that have a value.

    Args:
        values: (Q) a value per query, NaN = undefined, which leaves it out.
        rng: Source of chance; the caller chooses its seed.
        n_resamples: Resamples of the queries.
        level: Share of resampled means inside, 0.95 by default.

    Returns:
        The interval; NaN ends where fewer than two queries have a value.

    Examples:
        >>> interval = bootstrap_interval(np.array([1.0, 2.0]), rng=np.random.default_rng(0))
        >>> float(interval.low), float(interval.high)
        (1.0, 2.0)
    """
    defined = values[~np.isnan(values)]
    if defined.size < 2:
        return UNDEFINED
    drawn = bootstrap_indices(defined.size, rng=rng, n_resamples=n_resamples)
    ends = percentiles(defined[drawn].mean(axis=1), level=level)
    return Interval(float(ends.low[0]), float(ends.high[0]))


def bootstrap_intervals(
    rows: Sequence[FloatArray], *, seed: int, n_resamples: int = N_RESAMPLES, level: float = LEVEL
) -> list[Interval]:
    """:func:`bootstrap_interval` of each row, as if it stood alone with a generator of the seed.

    Rows with as many values are the same draws then, which are made once.

    Args:
        rows: (Q) values each, NaN = undefined; rows may have queries of their own.
        seed: Of every row's resamples.
        n_resamples: Resamples of the queries.
        level: Share of resampled means inside.
    """
    defined = [row[~np.isnan(row)] for row in rows]
    intervals = [UNDEFINED] * len(defined)
    for n in {row.size for row in defined if row.size > 1}:
        counts = bootstrap_counts(n, rng=np.random.default_rng(seed), n_resamples=n_resamples)
        alike = [i for i, row in enumerate(defined) if row.size == n]
        means = np.stack([_means(defined[i], counts) for i in alike])
        ends = percentiles(means, level=level)
        for i, low, high in zip(alike, ends.low.tolist(), ends.high.tolist(), strict=True):
            intervals[i] = Interval(low, high)
    return intervals


def _means(values: FloatArray, counts: FloatArray) -> FloatArray:
    """(B) mean of the values under each resample; infinite where it holds an infinite one."""
    infinite = np.isinf(values)
    means: FloatArray = counts @ np.where(infinite, 0.0, values) / values.size
    if infinite.any():
        above, below = (counts @ (values == end) > 0 for end in (np.inf, -np.inf))
        means = np.where(above, np.inf, np.where(below, -np.inf, means))
        means[above & below] = np.nan
    return means


def paired_bootstrap(
    a: FloatArray,
    b: FloatArray,
    *,
    rng: np.random.Generator,
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
) -> PairedDifference:
    """Mean of a − b over the queries where both have a value, with its bootstrap interval.

    Args:
        a: (Q) a value per query.
        b: (Q) the same queries in the same order.
        rng: Source of chance.
        n_resamples: Resamples of the queries.
        level: Coverage of the interval.

    Examples:
        >>> a = np.array([1.0, 2.0, 3.0])
        >>> paired_bootstrap(a, a, rng=np.random.default_rng(0)).difference
        0.0
    """
    if a.shape != b.shape:
        raise ValueError(f"paired values need one shape, got {a.shape} and {b.shape}")
    gaps = a - b
    defined = gaps[~np.isnan(gaps)]
    interval = bootstrap_interval(defined, rng=rng, n_resamples=n_resamples, level=level)
    mean = float(defined.mean()) if defined.size else float("nan")
    return PairedDifference(mean, interval, defined.size)
