"""Disparity at each α with its tests (Kim & Diaz, Figure 3), and quality by interval of disparity (their 5, RQ2)."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from fairviz.evaluation.compare import Comparison
from fairviz.kernels.pool import moved
from fairviz.model import BoolArray, Curve, FloatArray, IntArray, Resamples
from fairviz.model.arrays import ratio
from fairviz.stats.bootstrap import (
    N_RESAMPLES,
    UNDEFINED,
    Interval,
    bootstrap_counts,
    percentiles,
)
from fairviz.stats.tests import TTest, Verdict, holm, paired_t_test, tested, two_sample_t_test, verdict


class Spread(NamedTuple):
    """Distribution of EE-D over the queries at one α; NaN where no query has a value."""

    alpha: float
    mean: float
    minimum: float
    quarter: float
    median: float
    three_quarters: float
    maximum: float
    n_queries: int


class AlphaTest(NamedTuple):
    """Paired t-test of EE-D between two α, one value per query."""

    low: float
    high: float
    difference: float
    p: float
    p_holm: float
    n_queries: int


def disparity_by_alpha(curve: Curve) -> tuple[Spread, ...]:
    """Mean, extremes and quartiles of EE-D over queries, per point of the curve."""
    return tuple(
        _spread(float(alpha), row[~np.isnan(row)]) for alpha, row in zip(curve.alphas, curve.disparity, strict=True)
    )


def alpha_tests(curve: Curve) -> tuple[AlphaTest, ...]:
    """Paired (per-query) t-tests of EE-D between every two α, with Holm over the pairs that enough queries have.

    ``difference`` is the mean EE-D at the higher α minus that at the lower. Points without an α
    take no part.
    """
    known = np.flatnonzero(~np.isnan(curve.alphas))
    order: list[int] = known[np.argsort(curve.alphas[known], kind="stable")].tolist()
    pairs = list(combinations(order, 2))
    tests = [paired_t_test(curve.disparity[b], curve.disparity[a]) for a, b in pairs]
    sizes = [int((~np.isnan(curve.disparity[a] - curve.disparity[b])).sum()) for a, b in pairs]
    p = [tested(test.p, n) for test, n in zip(tests, sizes, strict=True)]
    adjusted: list[float] = holm(np.array(p, dtype=np.float64)).tolist()
    return tuple(
        AlphaTest(
            low=float(curve.alphas[a]),
            high=float(curve.alphas[b]),
            difference=test.difference,
            p=test.p,
            p_holm=p_holm,
            n_queries=n,
        )
        for (a, b), test, p_holm, n in zip(pairs, tests, adjusted, sizes, strict=True)
    )


def _spread(alpha: float, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Spread:
    if values.size == 0:
        return Spread(alpha, *[np.nan] * 6, n_queries=0)
    quartiles: list[float] = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return Spread(alpha, float(values.mean()), *quartiles, n_queries=values.size)


IntervalTest: TypeAlias = Literal["paired", "student", "welch"]
"""Per-query means against the same queries' baseline, or points against baselines, unpaired."""

BaselineQueries: TypeAlias = Literal["same", "all"]
"""For unpaired tests: baselines of the queries in the interval, or of every query."""

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Ends of the intervals [0, .2) … [.8, 1) of normalised EE-D."""
AT_BASELINE = 1e-9
"""A point this close to EE-D = 1 is the deterministic list itself and in no interval; this close to another end of an
interval it is at that end: of few samples EE-D often is, and rounding must not choose its interval."""


class IntervalRow(NamedTuple):
    """Quality in one interval of EE-D.

    Attributes:
        low: Left end, inside.
        high: Right end, outside.
        quality: Mean quality in the interval.
        difference: ``quality`` minus the mean of the baselines it is compared with.
        interval: Bootstrap over queries, of the difference.
        p: Of the test asked for.
        p_holm: The same, corrected over the cells of the table with enough queries; NaN in the others.
        verdict: What ``p_holm`` allows to say at the 5 % level.
        n_queries: Queries with a point here and a baseline.
        n_points: Their (query, α) points here.
    """

    low: float
    high: float
    quality: float
    difference: float
    interval: Interval
    p: float
    p_holm: float
    verdict: Verdict
    n_queries: int
    n_points: int

    @property
    def baseline(self) -> float:
        """Mean of the baselines."""
        return self.quality - self.difference

    @property
    def percent(self) -> float | None:
        """The difference in per cent of the baseline; None where that is 0 or unknown."""
        return 100 * self.difference / self.baseline if self.baseline > 0 else None


Tested = TypeVar("Tested", IntervalRow, Comparison)


def corrected(rows: Sequence[Tested]) -> tuple[Tested, ...]:
    """The rows of a table with p corrected over those of enough queries, and what may be said of each."""
    adjusted: list[float] = holm(np.array([tested(row.p, row.n_queries) for row in rows], dtype=np.float64)).tolist()
    return tuple(
        row._replace(p_holm=p_holm, verdict=verdict(row.difference, p_holm, row.n_queries))
        for row, p_holm in zip(rows, adjusted, strict=True)
    )


class AboveBaseline(NamedTuple):
    """How many models have more quality than their own baseline in one interval of EE-D."""

    low: float
    high: float
    n_above: int
    n_higher: int
    n_models: int


def quality_by_interval(
    curve: Curve,
    baseline: Curve,
    *,
    rng: np.random.Generator,
    test: IntervalTest = "paired",
    baseline_queries: BaselineQueries = "same",
    n_resamples: int = N_RESAMPLES,
) -> tuple[IntervalRow, ...]:
    """Mean quality per interval of EE-D, minus the deterministic baseline.

    Points are (query, α) pairs. Values of EE-D outside [0, 1] go in the end intervals; EE-D = 1 is
    the baseline and in none. The paired test takes one mean per query in the interval, minus the
    query's baseline; ``quality`` is the mean of those means. Unpaired, every point counts alike.

    Args:
        curve: Points per query, with attainable EE-D as x and any quality as y.
        baseline: The deterministic list: a curve of one point with the same y.
        rng: Source of chance for the intervals.
        test: "paired" (default), or "student" / "welch" for unpaired tests.
        baseline_queries: Whose baselines unpaired tests compare with.
        n_resamples: Resamples of the queries.

    Returns:
        One row per interval, also where it is empty (NaN).

    Raises:
        ValueError: If the baseline has more than one point, or another y.
    """
    if baseline.alphas.size != 1 or baseline.y != curve.y:
        raise ValueError(f"the baseline is one point with {curve.y} as quality")
    base = moved(baseline.quality[0], baseline.query_ids, curve.query_ids)
    counts = bootstrap_counts(base.size, rng=rng, n_resamples=n_resamples)
    usable = curve.defined & ~np.isnan(base)
    which = interval_of_disparity(curve.disparity)
    everyone = baseline_queries == "all"
    rows: list[IntervalRow] = []
    for b, (low, high) in enumerate(pairwise(EDGES)):
        points = np.where(usable & (which == b), curve.quality, np.nan)
        if test == "paired":
            row = _paired(points, base, counts)
        else:
            row = _unpaired(points, base, counts, test == "student", everyone)
        rows.append(row._replace(low=low, high=high))
    return corrected(rows)


def interval_of_disparity(disparity: FloatArray) -> IntArray:
    """Index of the interval of each EE-D; −1 for the baseline (1) and for undefined ones.

    Examples:
        >>> interval_of_disparity(np.array([-0.1, 0.2, 0.3 - 0.1, 0.99, 1.0, 1.1, np.nan]))
        array([ 0,  1,  1,  4, -1,  4, -1])
    """
    inner = np.array(EDGES[1:-1]) - AT_BASELINE
    which = np.searchsorted(inner, disparity, side="right")
    nowhere = np.isnan(disparity) | (np.abs(disparity - 1) <= AT_BASELINE)
    return np.where(nowhere, -1, which)


def models_above_baseline(tables: Sequence[Sequence[IntervalRow]]) -> tuple[AboveBaseline, ...]:
    """Count per interval the models (one table each) whose mean quality is above their baseline.

    ``n_higher`` counts those that are higher after Holm; ``n_models`` those with points there.
    """
    return tuple(
        AboveBaseline(
            low=low,
            high=high,
            n_above=sum(row.difference > 0 for row in rows),
            n_higher=sum(row.verdict == "higher" for row in rows),
            n_models=sum(row.n_points > 0 for row in rows),
        )
        for low, high, rows in zip(EDGES[:-1], EDGES[1:], zip(*tables, strict=True), strict=True)
    )


def _paired(points: FloatArray, base: FloatArray, counts: Resamples) -> IntervalRow:
    sums, sizes = _per_query(points)
    within = sizes > 0
    means = np.where(within, sums / np.maximum(sizes, 1), np.nan)
    result = paired_t_test(means, base)
    gaps = np.where(within, means - np.nan_to_num(base), 0.0)
    quality = float(means[within].mean()) if within.any() else np.nan
    weight = counts @ within
    return _row(quality, result, ratio(counts @ gaps, weight), within, sizes)


def _unpaired(
    points: FloatArray,
    base: FloatArray,
    counts: Resamples,
    equal_variance: bool,
    everyone: bool,
) -> IntervalRow:
    sums, sizes = _per_query(points)
    within = sizes > 0
    compared = ~np.isnan(base) & (within | everyone)
    result = two_sample_t_test(points.ravel(), base[compared], equal_variance=equal_variance)
    quality = float(sums.sum() / sizes.sum()) if within.any() else np.nan
    resampled = ratio(counts @ sums, counts @ sizes)
    resampled -= ratio(counts @ np.where(compared, base, 0.0), counts @ compared)
    return _row(quality, result, resampled, within, sizes)


def _per_query(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(Q) sum and number of the points of each query."""
    known = ~np.isnan(points)
    return np.where(known, points, 0.0).sum(axis=0), known.sum(axis=0).astype(np.float64)


def _row(quality: float, result: TTest, resampled: FloatArray, within: BoolArray, sizes: FloatArray) -> IntervalRow:
    n_queries, interval = int(within.sum()), UNDEFINED
    if n_queries > 1:
        ends = percentiles(resampled, n_queries)
        interval = Interval(float(ends.low[0]), float(ends.high[0]))
    found = (quality, result.difference, interval, result.p, np.nan)
    return IntervalRow(np.nan, np.nan, *found, "too few to test", n_queries, int(sizes.sum()))
