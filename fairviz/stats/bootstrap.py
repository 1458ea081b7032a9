"""How far a mean over queries can be trusted: expanded percentile bootstrap over queries.

Queries are resampled with replacement; statistics compared with each other must share the same
resamples, which makes them paired. A resample is held as counts, so that the mean of every row of
a (A, Q) matrix under all resamples is one matrix product. More than :data:`MOST` queries are put into as many groups at
random, and the groups are resampled, each with all its queries: resamples × queries would be 16 gigabytes at a million.
Totals vary as those of queries do (groups of independent queries are independent, and their variances add up), but for
an error of 1 / √(2 · MOST), 0.8 %, of a standard error: half of what 2 000 resamples leave. Groups differ in size by
one, so that each resample is weighed to as many queries as there are: else a sum over queries would vary with their
number, too.

Expanded, because resampled means of few queries lie too close together (Hesterberg 2015, section 6): plain percentiles
of 5 queries cover 84 % where they promise 95 (``python -m benchmarks coverage``). Where clusters of answers are
resampled, the clusters are what is counted.

Recorded answers, disaggregated: statistics are functions of what is summed over answers, cluster by cluster, for
answers of a cluster, such as a question or the template of many questions, move together (:class:`Resampling`). As many
clusters have the same draws, whoever asks, and that is what pairs two groups or two sides. Tables of one shape are one
matrix product. Arrays in, arrays out; what is undefined is NaN.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairviz.model import BoolArray, FloatArray, IntArray, Resamples
from fairviz.model.arrays import ratio
from fairviz.model.results import in_units
from fairviz.numerals import count
from fairviz.stats.tests import ROUNDING, SIGNIFICANCE, paired_t_test

N_RESAMPLES = 2_000
LEVEL = 0.95
SAME = 1e-12
"""Resampled values that differ by less, or by this share of themselves, are equal but for rounding."""

MOST = 2**13
"""Units that are resampled at most: queries or clusters or, where there are more, groups of them."""

BLOCK = 400_000
"""Counts that are held at once where resamples are taken some at a time: they stay in a processor's cache."""
ROWS = 16
"""Rows of a block come in this number, which products of matrices take together."""
CACHED = 65_536
"""Counts that a processor's cache holds while they are made."""


class Interval(NamedTuple):
    """The ends of an interval; NaN where fewer than two queries have a value, or where all values are equal."""

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

    @property
    def each(self) -> list[Interval]:
        """Every one by itself."""
        return [Interval(low, high) for low, high in zip(self.low.tolist(), self.high.tolist(), strict=True)]


class PairedDifference(NamedTuple):
    """A mean difference over the queries that both sides have, with its interval.

    Attributes:
        p: Two-sided, that there is none: a paired t-test, or :func:`resampled_p` where it is no plain mean.
    """

    difference: float
    interval: Interval
    n_queries: int
    p: float = float("nan")


def n_units(n_queries: int) -> int:
    """Units as which so many queries are resampled: themselves, or :data:`MOST` groups."""
    return min(n_queries, MOST)


def units_of(n_queries: int, *, rng: np.random.Generator) -> IntArray | None:
    """(Q) unit of each query, a group drawn at random; None where every query is its own."""
    n = n_units(n_queries)
    return None if n == n_queries else rng.permutation(n_queries) * n // n_queries


def bootstrap_counts(n_queries: int, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES) -> Resamples:
    """(B, Q) how often each resample holds each query: the form for matrix products.

    Examples:
        >>> resamples = bootstrap_counts(3, rng=np.random.default_rng(0), n_resamples=4)
        >>> resamples @ np.ones(3)
        array([3., 3., 3., 3.])
    """
    return _after(0, n_queries, rng, n_resamples)


def data_and_resamples(n_queries: int, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES) -> Resamples:
    """(1+B, Q) counts: first the data itself, every query once, then its resamples."""
    return _after(1, n_queries, rng, n_resamples)


def _after(n_whole: int, n_queries: int, rng: np.random.Generator, n_resamples: int) -> Resamples:
    """Resamples after so many times the data itself."""
    units = units_of(n_queries, rng=rng)
    counts = np.ones((n_whole + n_resamples, n_units(n_queries)))
    start = n_whole
    for block in count_blocks(counts.shape[1], rng=rng, n_resamples=n_resamples):
        counts[start : start + len(block)] = block
        start += len(block)
    if units is not None:  # groups differ in size: each resample weighs as many queries as there are
        counts *= (n_queries / (counts @ np.bincount(units)))[:, None]
    return Resamples(counts, units)


def count_blocks(n_units: int, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES) -> Iterator[FloatArray]:
    """(…, U) counts of all resamples, some at a time, for what needs them once."""
    rows = max(1, BLOCK // n_units // ROWS) * ROWS
    for start in range(0, n_resamples, rows):
        counts = np.empty((min(rows, n_resamples - start), n_units))
        step = max(1, CACHED // n_units)
        for i in range(0, len(counts), step):
            part = counts[i : i + step]
            drawn = rng.integers(0, n_units, size=(len(part), n_units))
            drawn += n_units * np.arange(len(part))[:, None]
            part[:] = np.bincount(drawn.ravel(), minlength=part.size).reshape(part.shape)
        yield counts


def resampled_means(values: FloatArray, resamples: Resamples, where: BoolArray) -> FloatArray:
    """(A, B) mean of each row under each resample, over the cells in ``where``.

    Args:
        values: (A, Q) a value per row and query.
        resamples: (B, Q) from :func:`bootstrap_counts` or :func:`data_and_resamples`.
        where: (A, Q) cells that count.

    Returns:
        NaN where a resample holds no query with a value.
    """
    alike = where[:1] if (where == where[:1]).all() else where  # one row of weights for all
    weights = np.broadcast_to(resamples.totals(alike.astype(np.float64)), (len(where), len(resamples)))
    means = np.full(weights.shape, np.nan)
    np.divide(resamples.totals(np.where(where, values, 0.0)), weights, out=means, where=weights > 0)
    return means


def described(units: str = "queries", *, seed: int | None = None) -> str:
    """The intervals in words, as captions and methods name them.

    Examples:
        >>> described("questions", seed=0)
        '95 % expanded percentile bootstrap over questions, 2\u202f000 resamples, seed 0'
    """
    drawn = "" if seed is None else f", seed {seed}"
    resamples = count(N_RESAMPLES)
    return f"{100 * LEVEL:g} % expanded percentile bootstrap over {units}, {resamples} resamples{drawn}"


def tail(n: IntArray | int) -> FloatArray:
    r"""Share of the resampled means outside an interval, at either end: the expanded percentiles of n values.

    .. math:: \Phi\bigl(\sqrt{n/(n-1)}\; t_{(1-\text{level})/2,\,n-1}\bigr)

    Resampled means spread by :math:`\sqrt{(n-1)/n}` too little and as a normal, not a t distribution; further out in
    them the interval is as wide as a t interval, and as lopsided as the values are. Large n: (1 − level)/2. Below two
    values NaN.

    Examples:
        >>> tail(np.array([5, 40, 100_000])).round(4)
        array([0.001 , 0.0203, 0.025 ])
    """
    sizes, index = np.unique(n, return_inverse=True)
    return np.array([_tail(size) for size in sizes.tolist()])[index].reshape(np.shape(n))


@lru_cache(maxsize=4096)  # a t quantile takes longer than sorting resamples, and sizes repeat
def _tail(n: int) -> float:
    from scipy.special import ndtr, stdtrit

    return float(ndtr(-np.sqrt(n / (n - 1)) * stdtrit(n - 1, (1 + LEVEL) / 2))) if n > 1 else float("nan")


def percentiles(statistics: FloatArray, n: IntArray | int) -> Intervals:
    """Expanded percentile intervals along the last axis; resamples without a value are left out.

    Args:
        statistics: (A, B) or (B) resampled statistics.
        n: (A) queries, or clusters, that were resampled; one number for all rows.

    Returns:
        (A) ends; NaN for a row without values, from fewer than two queries, or whose values are all equal.
    """
    rows = np.sort(np.atleast_2d(statistics), axis=1)  # resamples without a value come last
    n_known = np.count_nonzero(~np.isnan(rows), axis=1)
    outside = tail(np.broadcast_to(n, len(rows)))
    defined = (n_known > 0) & ~np.isnan(outside)
    rows, n_known, outside = rows[defined], n_known[defined], outside[defined]
    lowest, highest = rows[:, 0], np.take_along_axis(rows, n_known[:, None] - 1, axis=1)[:, 0]
    size = np.maximum(np.abs(lowest), np.abs(highest))
    rounding = SAME * np.maximum(np.where(np.isinf(size), 0.0, size), 1.0)
    differ = highest > lowest + rounding
    ends = np.full((2, defined.size), np.nan)
    for end, share in zip(ends, (outside, 1 - outside), strict=True):
        end[defined] = np.where(differ, _quantiles(rows, n_known, share), np.nan)
    return Intervals(ends[0], ends[1])


def _quantiles(rows: FloatArray, n_known: IntArray, share: FloatArray) -> FloatArray:
    """(A) quantile of each of (A, B) rising rows, at a share of its own; infinite values are not interpolated."""
    infinite = np.isinf(rows[:, 0]) | np.isinf(np.take_along_axis(rows, n_known[:, None] - 1, axis=1)[:, 0])
    rank = np.where(infinite, np.ceil(share * n_known) - 1, share * (n_known - 1))
    first = rank.astype(np.int64)
    ends = np.stack([first, np.minimum(first + 1, n_known - 1)], axis=1)
    below, above = np.take_along_axis(rows, ends, axis=1).T
    steps = np.where(infinite, 0.0, above) - np.where(infinite, 0.0, below)
    quantiles: FloatArray = below + (rank - first) * steps
    return quantiles


def interval_of(statistics: FloatArray, n_queries: int) -> Interval:
    """Interval of (1+B) statistics of :func:`data_and_resamples`, the first being the data's own.

    NaN ends where the statistic itself is undefined or rests on fewer than two queries.
    """
    if n_queries < 2 or np.isnan(statistics[0]):
        return UNDEFINED
    return percentiles(statistics[1:], n_queries).each[0]


def resampled_p(statistics: FloatArray, n: IntArray | int, *, null: float = 0.0) -> FloatArray:
    r"""Two-sided p that a statistic is ``null``, from how its resamples spread: a t-test for what is no plain mean.

    .. math:: t = (\hat\theta - \theta_0) \Big/ \Bigl(s_B \sqrt{n/(n-1)}\Bigr), \quad n - 1 \text{ degrees of freedom}

    Unlike the share of resamples beyond ``null`` it is not bounded below by their number, so that it can be corrected
    for many tests. Of a mean it is the t-test, but for chance.

    Args:
        statistics: (…, 1+B) of :func:`data_and_resamples`: the data's own, then those of its resamples.
        n: Queries, or clusters, that were resampled, of each statistic.
        null: Its value where there is nothing to find.

    Returns:
        NaN where the statistic is undefined, or in every resample, or rests on fewer than two queries; where it never
        varies 1 or 0.

    Examples:
        >>> values = np.random.default_rng(0).normal(0.5, 1, size=20)
        >>> drawn = data_and_resamples(20, rng=np.random.default_rng(1)) @ values / 20
        >>> float(resampled_p(drawn, 20).round(2)), float(resampled_p(drawn, 20, null=values.mean()).round(2))
        (0.12, 1.0)
    """
    from scipy.special import stdtr

    own, drawn = statistics[..., 0], np.where(np.isfinite(statistics[..., 1:]), statistics[..., 1:], np.nan)
    size = np.where(np.asarray(n) > 1, n, 2).astype(np.float64)
    mask = ~np.isnan(drawn)
    n_known = np.maximum(mask.sum(axis=-1), 2)
    center = np.where(mask, drawn, 0.0).sum(axis=-1) / n_known
    squares = np.where(mask, drawn - center[..., None], 0.0) ** 2
    error = np.sqrt(squares.sum(axis=-1) / (n_known - 1) * size / (size - 1))
    gap = np.abs(own - null)
    scale = np.maximum(np.abs(own), 1.0)
    p = 2 * stdtr(size - 1, -gap / np.where(error > SAME * scale, error, 1.0))
    p = np.where(error > SAME * scale, p, (gap <= ROUNDING).astype(np.float64))
    return np.where((np.asarray(n) > 1) & np.isfinite(own) & mask.any(axis=-1), p, np.nan)


def detectable(seen: Sequence[tuple[float, Interval]], n_tests: int) -> float:
    """The smallest difference that would have been significant in at least one of some tests, roughly.

    Half the narrowest interval, widened to the level that n tests leave for the first of them; never below a
    difference that was seen there and is not significant. It stands beside every "no significant difference".

    Args:
        seen: Difference and 95 % interval of each test, of which none is significant.
        n_tests: Tests of the table.

    Returns:
        NaN where no test has an interval.

    Examples:
        >>> detectable([(0.01, Interval(-0.04, 0.06)), (0.1, Interval(-0.4, 0.6))], 1)
        0.05
    """
    from scipy.special import ndtri

    level = float(ndtri(1 - SIGNIFICANCE / (2 * n_tests))) / float(ndtri(1 - SIGNIFICANCE / 2))
    reaches = [max(level * (high - low) / 2, abs(value)) for value, (low, high) in seen if low == low]
    return min(reaches, default=float("nan"))


def corrected_interval(difference: float, p: float, n: int, n_tests: int) -> Interval:
    r"""The interval of a t-test at the level that holds for all tests of a table at once (Bonferroni).

    .. math:: d \pm t_{1 - 0.05/(2m),\,n-1}\,s, \quad s = |d| \big/ t_{1-p/2,\,n-1}

    It is for a difference that was found by looking at all m of them, such as the largest. It leaves 0 out exactly
    where p is below 0.05 / m.

    Args:
        difference: d.
        p: Of its t-test over n values.
        n: Queries.
        n_tests: m.

    Returns:
        NaN ends where there is no test, or no difference whose error p could tell.

    Examples:
        >>> low, high = corrected_interval(0.5, 0.05 / 4, 12, 4)
        >>> round(low, 9), round(high, 9)
        (0.0, 1.0)
    """
    from scipy.special import stdtrit

    if np.isnan(p) or not 0 < p < 1 or difference == 0 or n < 2:
        return UNDEFINED
    error = abs(difference) / float(-stdtrit(n - 1, p / 2))
    reach = error * float(-stdtrit(n - 1, SIGNIFICANCE / (2 * n_tests)))
    return Interval(difference - reach, difference + reach)


def widened(value: float, ends: Interval, n: int, n_tests: int) -> Interval:
    r"""A 95 % interval at the level that holds for some tests at once (Bonferroni), each end as far as it was.

    .. math:: \hat\theta - (\hat\theta - l)\,r, \;\; \hat\theta + (h - \hat\theta)\,r, \qquad
        r = t_{1 - 0.05/(2m),\,n-1} \big/ t_{0.975,\,n-1}

    Args:
        value: The estimate.
        ends: l and h.
        n: Queries, or clusters, that it rests on.
        n_tests: m; of one test the interval stays what it is.

    Returns:
        NaN ends where there is no interval, or fewer than two queries.

    Examples:
        >>> low, high = widened(0.5, Interval(0.4, 0.7), 20, 5)
        >>> round(low, 3), round(high, 3)
        (0.363, 0.773)
    """
    from scipy.special import stdtrit

    if n < 2:
        return UNDEFINED
    level = SIGNIFICANCE / 2
    ratio = float(stdtrit(n - 1, level / n_tests) / stdtrit(n - 1, level))
    return Interval(value - (value - ends.low) * ratio, value + (ends.high - value) * ratio)


def bootstrap_interval(values: FloatArray, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES) -> Interval:
    """Expanded percentile bootstrap interval of the mean over the queries that have a value.

    Args:
        values: (Q) a value per query, NaN = undefined, which leaves it out.
        rng: Source of chance; the caller chooses its seed.
        n_resamples: Resamples of the queries.

    Returns:
        The interval; NaN ends where fewer than two queries have a value, or where all have the same.

    Examples:
        >>> interval = bootstrap_interval(np.array([1.0, 2.0]), rng=np.random.default_rng(0))
        >>> float(interval.low), float(interval.high)
        (1.0, 2.0)
    """
    defined = values[~np.isnan(values)]
    if defined.size < 2:
        return UNDEFINED
    return _intervals_of(defined[None, :], rng, n_resamples)[0]


def bootstrap_intervals(rows: Sequence[FloatArray], *, seed: int, n_resamples: int = N_RESAMPLES) -> list[Interval]:
    """:func:`bootstrap_interval` of each row, as if it stood alone with a generator of the seed.

    Rows with as many values are the same draws then, which are made once.

    Args:
        rows: (Q) values each, NaN = undefined; rows may have queries of their own.
        seed: Of every row's resamples.
        n_resamples: Resamples of the queries.
    """
    defined = [row[~np.isnan(row)] for row in rows]
    intervals = [UNDEFINED] * len(defined)
    for n in {row.size for row in defined if row.size > 1}:
        alike = [i for i, row in enumerate(defined) if row.size == n]
        batch = _intervals_of(np.stack([defined[i] for i in alike]), np.random.default_rng(seed), n_resamples)
        for i, interval in zip(alike, batch, strict=True):
            intervals[i] = interval
    return intervals


def _intervals_of(rows: FloatArray, rng: np.random.Generator, n_resamples: int) -> list[Interval]:
    """Intervals of the means of (A, Q) rows without NaN, from the same resamples."""
    n = rows.shape[1]
    sums, sizes = _in_units(rows, units_of(n, rng=rng))
    blocks = count_blocks(sizes.size, rng=rng, n_resamples=n_resamples)
    means = np.concatenate([[_means(row, sizes, counts) for row in sums] for counts in blocks], axis=1)
    return percentiles(means, n).each


def _in_units(rows: FloatArray, units: IntArray | None) -> tuple[FloatArray, FloatArray]:
    """(A, U) totals of (A, Q) rows, and (U) how many queries they are of."""
    n: int = rows.shape[1]
    return in_units(rows, units, n_units(n)), in_units(np.ones(n), units, n_units(n))


def _means(sums: FloatArray, sizes: FloatArray, counts: FloatArray) -> FloatArray:
    """(B) means of (U) units, from the sum and the number of the values of each."""
    infinite = ~np.isfinite(sums)
    means: FloatArray = counts @ np.where(infinite, 0.0, sums) / (counts @ sizes)
    if infinite.any():
        above, below, neither = (counts @ mask > 0 for mask in (sums == np.inf, sums == -np.inf, np.isnan(sums)))
        means = np.where(above, np.inf, np.where(below, -np.inf, means))
        means[(above & below) | neither] = np.nan
    return means


def paired_bootstrap(
    a: FloatArray, b: FloatArray, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES
) -> PairedDifference:
    """Mean of a − b over the queries where both have a value, with its bootstrap interval.

    Args:
        a: (Q) a value per query.
        b: (Q) the same queries in the same order.
        rng: Source of chance.
        n_resamples: Resamples of the queries.

    Examples:
        >>> a = np.array([1.0, 2.0, 3.0])
        >>> paired_bootstrap(a, a, rng=np.random.default_rng(0)).difference
        0.0
    """
    if a.shape != b.shape:
        raise ValueError(f"paired values need one shape, got {a.shape} and {b.shape}")
    with np.errstate(invalid="ignore"):  # ∞ − ∞ is undefined
        gaps = a - b
    defined = gaps[~np.isnan(gaps)]
    interval = bootstrap_interval(defined, rng=rng, n_resamples=n_resamples)
    mean = float(defined.mean()) if defined.size else float("nan")
    return PairedDifference(mean, interval, defined.size, paired_t_test(a, b).p)


# Recorded answers, disaggregated: a statistic of every group of answers, with intervals.

AT_ONCE = 64
"""Tables that are resampled in one matrix product."""

STACKED = 2**26
"""Numbers of which such tables have no more together, but for a table that has more by itself."""

EXACT = 2**24
"""Whole numbers below it, and their sums, are exact in single precision: half the memory, and half the time."""

MOST_TOTALS = 2**12
"""Rows of which the totals are held: 2 000 resamples of each are 66 MB together."""


class Resampling(NamedTuple):
    """How chance is drawn: T clusters have the same resamples wherever they are asked for.

    Very many are resampled in groups (:mod:`fairviz.stats.bootstrap`), which differ in size by one: rates are to be
    made of totals of both, of outcomes and of numbers.

    Attributes:
        seed: Of resamples, and of permutations.
        n_resamples: Resamples of the clusters.
        n_permutations: Permutations of a test; with the data itself 10,000, so that no p is below 0.0001.
    """

    seed: int
    n_resamples: int = N_RESAMPLES
    n_permutations: int = 9_999

    def sums(self, sums: FloatArray) -> FloatArray:
        """(…, B) totals over the clusters under each resample, from (…, T) sums by cluster."""
        return self.data_and_sums(sums)[..., 1:]

    def data_and_sums(self, sums: FloatArray) -> FloatArray:
        """(…, 1+B) first the totals of the data itself, then :meth:`sums`."""
        *shape, n_clusters = sums.shape
        if not n_clusters:
            return np.zeros((*shape, 1 + self.n_resamples))
        rows = in_units(sums.reshape(-1, n_clusters), _units(n_clusters, self.seed), n_units(n_clusters))
        with _drawing:  # else threads that begin at the same time draw the same
            counts = _drawn(rows.shape[1], self.seed, self.n_resamples)
            cache = _cached_totals(rows.shape[1], self.seed, self.n_resamples)
        if (rows != np.rint(rows)).any():  # only of whole numbers are sums the same in every order
            return (rows @ counts.T.astype(np.float64)).reshape(*shape, len(counts))
        marks = [blake2b(row.tobytes(), digest_size=16).digest() for row in rows]
        totals = {mark: cache.get(mark) for mark in marks}
        places = {mark: index for index, mark in enumerate(marks) if totals[mark] is None}
        fresh = rows[list(places.values())]
        single = np.abs(fresh).max(initial=0.0) * n_clusters < EXACT
        products = fresh.astype(np.float32) @ counts.T if single else fresh @ counts.T.astype(np.float64)
        totals |= zip(places, products.astype(np.float64), strict=True)
        with _drawing:
            cache |= totals
            for mark in list(cache)[: max(0, len(cache) - MOST_TOTALS)]:
                del cache[mark]
        return np.array([totals[mark] for mark in marks]).reshape(*shape, len(counts))


_drawing = Lock()


@lru_cache(maxsize=2)
def _cached_totals(n_units: int, seed: int, n_resamples: int) -> dict[bytes, FloatArray]:
    """(1+B) totals of rows of whole numbers by their mark: groups, votes and changes have the same rows."""
    return {}


@lru_cache(maxsize=2)
def _drawn(n_units: int, seed: int, n_resamples: int) -> NDArray[np.float32]:
    """(1+B, T) the data itself and its resamples, held so that groups and votes of one table share the draws."""
    counts = np.ones((1 + n_resamples, n_units), dtype=np.float32)
    start = 1
    for block in count_blocks(n_units, rng=np.random.default_rng(seed), n_resamples=n_resamples):
        counts[start : start + len(block)] = block
        start += len(block)
    return counts


@lru_cache(maxsize=2)
def _units(n_clusters: int, seed: int) -> IntArray | None:
    return units_of(n_clusters, rng=np.random.default_rng(seed))


def resampled(tables: Sequence[FloatArray], resampling: Resampling) -> Iterator[tuple[list[int], FloatArray]]:
    """Totals of each table, of the data and under every resample of its clusters.

    Args:
        tables: (…, T) sums by cluster each, of any shapes.
        resampling: How clusters are drawn.

    Yields:
        Places of N tables of one shape, and their (N, …, 1+B) totals, the data's own first; every place once.
    """
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for index, table in enumerate(tables):
        by_shape.setdefault(table.shape, []).append(index)
    for alike in by_shape.values():
        step = max(1, min(AT_ONCE, STACKED // max(1, tables[alike[0]].size)))
        for start in range(0, len(alike), step):
            places = alike[start : start + step]
            yield places, resampling.data_and_sums(np.stack([tables[index] for index in places]))


def mean_intervals(tables: Sequence[FloatArray], resampling: Resampling) -> list[Interval]:
    """Interval of each mean outcome, from (2, T) sums of outcomes and numbers of answers by cluster."""
    ends: dict[int, Interval] = {}
    for places, totals in resampled(tables, resampling):
        n = np.array([np.count_nonzero(tables[index][1]) for index in places])
        drawn = ratio(totals[:, 0, 1:], totals[:, 1, 1:])
        ends |= dict(zip(places, percentiles(drawn, n).each, strict=True))
    return [ends[index] for index in range(len(tables))]
