"""Disparity at each α with its tests (Kim & Diaz, Figure 3), and quality by interval of disparity (their 5, RQ2)."""

from itertools import combinations, pairwise
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from fairviz.kernels.pool import moved
from fairviz.model import BoolArray, Curve, FloatArray, IntArray, Resamples
from fairviz.model.arrays import ratio
from fairviz.stats.bootstrap import UNDEFINED, bootstrap_counts, percentiles
from fairviz.stats.tests import MIN_UNITS, TTest, holm, paired_t_test, two_sample_t_test, verdict


def disparity_by_alpha(curve: Curve) -> pl.DataFrame:
    """Distribution of EE-D over the queries, a row per point of the curve; null where no query has a value.

    Returns:
        ``alpha``, ``mean``, ``minimum``, ``quarter``, ``median``, ``three_quarters``, ``maximum``, ``n_queries``.
    """
    points = pl.DataFrame({"alpha": curve.alphas, "EED": curve.disparity}).with_row_index("point")
    spreads = (
        points.explode("EED")
        .with_columns(pl.col("EED").fill_nan(None))
        .group_by("point", maintain_order=True)
        .agg(
            pl.first("alpha"),
            mean=pl.mean("EED"),
            minimum=pl.min("EED"),
            quarter=pl.quantile("EED", 0.25, "linear"),
            median=pl.median("EED"),
            three_quarters=pl.quantile("EED", 0.75, "linear"),
            maximum=pl.max("EED"),
            n_queries=pl.count("EED"),
        )
    )
    return spreads.drop("point")


def alpha_tests(curve: Curve) -> pl.DataFrame:
    """Paired (per-query) t-tests of EE-D between every two α, with Holm over the pairs that enough queries have.

    Returns:
        ``alpha_low``, ``alpha_high``, ``difference`` (mean EE-D at the higher α minus that at the lower), ``p``,
        ``p_holm``, ``verdict``, ``n_queries``. Points without an α take no part.
    """
    points = np.flatnonzero(~np.isnan(curve.alphas))
    order: list[int] = points[np.argsort(curve.alphas[points], kind="stable")].tolist()
    rows: list[dict[str, float]] = []
    for low, high in combinations(order, 2):
        test = paired_t_test(curve.disparity[high], curve.disparity[low])
        alphas = {"alpha_low": float(curve.alphas[low]), "alpha_high": float(curve.alphas[high])}
        n_queries = int((~np.isnan(curve.disparity[low] - curve.disparity[high])).sum())
        rows.append(alphas | {"difference": test.difference, "p": test.p, "n_queries": n_queries})
    numbers = dict.fromkeys(("alpha_low", "alpha_high", "difference", "p"), pl.Float64)
    tests = pl.DataFrame(rows, schema={**numbers, "n_queries": pl.Int64})
    return corrected(tests.with_columns(pl.col(pl.Float64).fill_nan(None)))


def corrected(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of a table with p corrected over those of enough queries, and what may be said of each."""
    p = rows.select(pl.when(pl.col("n_queries") >= MIN_UNITS).then("p"))["p"].to_numpy()
    adjusted: FloatArray = holm(p.astype(np.float64))
    gaps = rows.select(pl.col("difference").fill_null(float("nan")), "n_queries").rows()
    verdicts = [verdict(gap, own, n) for (gap, n), own in zip(gaps, adjusted.tolist(), strict=True)]
    return rows.with_columns(p_holm=pl.Series(adjusted, nan_to_null=True), verdict=pl.Series(verdicts, dtype=pl.String))


IntervalTest: TypeAlias = Literal["paired", "student", "welch"]
"""Per-query means against the same queries' baseline, or points against baselines, unpaired."""

BaselineQueries: TypeAlias = Literal["same", "all"]
"""For unpaired tests: baselines of the queries in the interval, or of every query."""

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Ends of the intervals [0, .2) … [.8, 1) of normalised EE-D."""
AT_BASELINE = 1e-9
"""A point this close to EE-D = 1 is the deterministic list itself and in no interval; this close to another end of an
interval it is at that end: of few samples EE-D often is, and rounding must not choose its interval."""


def quality_by_interval(
    curve: Curve,
    baseline: Curve,
    *,
    rng: np.random.Generator,
    test: IntervalTest = "paired",
    baseline_queries: BaselineQueries = "same",
) -> pl.DataFrame:
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

    Returns:
        One row per interval, also where it is empty: its ends ``disparity_low`` (inside) and ``disparity_high``
        (outside), ``quality`` in it, ``difference`` (``quality`` minus the mean of the baselines it is compared with)
        with a bootstrap interval over queries in ``low`` and ``high``, ``p`` of the test asked for, ``p_holm`` over the
        rows of enough queries and ``verdict`` by it, ``n_queries`` with a point here and a baseline, ``n_points``
        (query, α) of theirs.

    Raises:
        ValueError: If the baseline has more than one point, or another y.
    """
    if baseline.alphas.size != 1 or baseline.y != curve.y:
        raise ValueError(f"the baseline is one point with {curve.y} as quality")
    base = moved(baseline.quality[0], baseline.query_ids, curve.query_ids)
    counts = bootstrap_counts(base.size, rng=rng)
    usable = curve.defined & ~np.isnan(base)
    which = interval_of_disparity(curve.disparity)
    everyone = baseline_queries == "all"
    rows: list[dict[str, float]] = []
    for b, (low, high) in enumerate(pairwise(EDGES)):
        points = np.where(usable & (which == b), curve.quality, np.nan)
        if test == "paired":
            row = _paired(points, base, counts)
        else:
            row = _unpaired(points, base, counts, test == "student", everyone)
        rows.append({"disparity_low": low, "disparity_high": high} | row)
    return corrected(pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None)))


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


def models_above_baseline(rows: pl.DataFrame) -> pl.DataFrame:
    """How many models have more quality than their own baseline, interval by interval.

    Args:
        rows: Of :func:`quality_by_interval`, of every model.

    Returns:
        ``disparity_low``, ``disparity_high``; ``n_above`` models whose mean quality is above their baseline,
        ``n_higher`` that are so after Holm, of ``n_models`` with points there.
    """
    return rows.group_by("disparity_low", "disparity_high", maintain_order=True).agg(
        n_above=(pl.col("difference") > 0).sum(),
        n_higher=(pl.col("verdict") == "higher").sum(),
        n_models=(pl.col("n_points") > 0).sum(),
    )


NO_INTERVALS = pl.DataFrame(
    schema={
        **dict.fromkeys(("disparity_low", "disparity_high", "quality", "difference", "low", "high", "p"), pl.Float64),
        **{"n_queries": pl.Int64, "n_points": pl.Int64, "p_holm": pl.Float64, "verdict": pl.String},
    }
)
"""The rows of :func:`quality_by_interval` where nothing is compared."""


def _paired(points: FloatArray, base: FloatArray, counts: Resamples) -> dict[str, float]:
    sums, sizes = _per_query(points)
    within = sizes > 0
    means = np.where(within, sums / np.maximum(sizes, 1), np.nan)
    result = paired_t_test(means, base)
    gaps = np.where(within, means - np.nan_to_num(base), 0.0)
    quality = float(means[within].mean()) if within.any() else np.nan
    weight = counts @ within
    return _row(quality, result, ratio(counts @ gaps, weight), within, sizes)


def _unpaired(
    points: FloatArray, base: FloatArray, counts: Resamples, equal_variance: bool, everyone: bool
) -> dict[str, float]:
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
    defined = ~np.isnan(points)
    return np.where(defined, points, 0.0).sum(axis=0), defined.sum(axis=0).astype(np.float64)


def _row(
    quality: float, result: TTest, resampled: FloatArray, within: BoolArray, sizes: FloatArray
) -> dict[str, float]:
    n_queries = int(within.sum())
    interval = percentiles(resampled, n_queries).each[0] if n_queries > 1 else UNDEFINED
    return {
        "quality": quality,
        "difference": result.difference,
        "low": interval.low,
        "high": interval.high,
        "p": result.p,
        "n_queries": n_queries,
        "n_points": int(sizes.sum()),
    }
