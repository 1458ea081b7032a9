"""Trade-off curves in a few numbers: area, slope and bands.

All intervals are percentile bootstraps over queries: each resample recomputes the mean curve, and
curves that are compared share their resamples.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.analysis.mean_curve import (
    MeanCurve,
    SlopeWeights,
    all_queries,
    as_recorded,
    covered,
    heights,
    mean_height,
    n_defined,
    rising,
    slope,
)
from fairviz.analysis.uncertainty import (
    LEVEL,
    N_RESAMPLES,
    Interval,
    Intervals,
    PairedDifference,
    data_and_resamples,
    interval_of,
    percentiles,
)
from fairviz.errors import UndefinedError
from fairviz.model import Curve, FloatArray


class CurveSummary(NamedTuple):
    """One row of the AUC and slope table.

    Attributes:
        auc: Mean quality under the curve between ``low`` and ``high``.
        slope: Quality gained per unit of EE-D.
        low: Left end of the EE-D range that all curves of the table cover.
        high: Its right end.
        n_queries: Queries asked about.
        n_undefined: Those in no mean, at the point that misses most.
    """

    system: str
    policy: str
    auc: float
    auc_interval: Interval
    slope: float
    slope_interval: Interval
    low: float
    high: float
    n_queries: int
    n_undefined: int


class Band(NamedTuple):
    """(G) mean quality at fixed EE-D, with its interval."""

    disparity: FloatArray
    quality: FloatArray
    interval: Intervals


def auc_table(
    curves: Sequence[Curve],
    *,
    rng: np.random.Generator,
    weights: SlopeWeights = "spacing",
    n_resamples: int = N_RESAMPLES,
) -> tuple[CurveSummary, ...]:
    """AUC and slope of curves, comparable with each other.

    AUC is the trapezoid area over the EE-D range that all curves cover, divided by its width: the
    mean quality there. Curves of a single point take part in nothing and get NaN; with less
    than two queries intervals are NaN.

    Args:
        curves: Curves of any systems and policies; those of a single point do not bound the range.
        rng: Source of chance for the intervals.
        weights: How points count in the slope.
        n_resamples: Resamples of the queries.
    """
    queries = all_queries(curves)
    counts = data_and_resamples(len(queries), rng=rng, n_resamples=n_resamples)
    points = [as_recorded(curve, queries, counts) for curve in curves]
    lines = [each for each in points if len(each.x) > 1]
    nothing = np.full(len(counts), np.nan)
    low, high = covered(lines) if lines else (nothing, nothing)
    return tuple(_summary(curve, rising(each), low, high, weights) for curve, each in zip(curves, points, strict=True))


def auc_difference(
    curve: Curve, reference: Curve, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES
) -> PairedDifference:
    """AUC of a curve minus that of a reference over the range both cover, paired by query."""
    queries = all_queries([curve, reference])
    counts = data_and_resamples(len(queries), rng=rng, n_resamples=n_resamples)
    first, second = (rising(as_recorded(each, queries, counts)) for each in (curve, reference))
    low, high = covered([first, second])
    gaps = mean_height(first, low, high) - mean_height(second, low, high)
    n_queries = min(n_defined(curve), n_defined(reference))
    return PairedDifference(float(gaps[0]), interval_of(gaps, n_queries), n_queries)


def band(
    curve: Curve,
    *,
    rng: np.random.Generator,
    n_points: int = 61,
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
) -> Band:
    """Mean quality at fixed EE-D with a bootstrap band, on an even grid over the curve's range.

    Raises:
        UndefinedError: If no point of the curve is defined.
    """
    counts = data_and_resamples(len(curve.query_ids), rng=rng, n_resamples=n_resamples)
    points = rising(as_recorded(curve, curve.query_ids, counts))
    low, high = covered([points])
    if np.isnan(low[0]):
        raise UndefinedError(f"{curve.system}: no point of the curve has a value")
    grid: FloatArray = np.linspace(float(low[0]), float(high[0]), n_points)
    quality = heights(points, grid)
    ends = percentiles(quality[:, 1:], level=level)
    if n_defined(curve) < 2:
        ends = Intervals(np.full(n_points, np.nan), np.full(n_points, np.nan))
    return Band(grid, quality[:, 0], ends)


def joined(curve: Curve, end: Curve) -> Curve:
    """A curve with the points of another at its end: the deterministic list closes Plackett–Luce.

    Raises:
        ValueError: If their queries differ.
    """
    if curve.query_ids != end.query_ids:
        raise ValueError("only curves over the same queries can be joined")
    return Curve(
        system=curve.system,
        policy=curve.policy,
        query_ids=curve.query_ids,
        alphas=np.concatenate([curve.alphas, end.alphas]),
        disparity=np.concatenate([curve.disparity, end.disparity]),
        quality=np.concatenate([curve.quality, end.quality]),
        score=np.concatenate([curve.score, end.score]),
        n_samples=curve.n_samples,
        x=curve.x,
        y=curve.y,
    )


def _summary(curve: Curve, points: MeanCurve, low: FloatArray, high: FloatArray, weights: SlopeWeights) -> CurveSummary:
    areas, slopes = mean_height(points, low, high), slope(points, weights=weights)
    if curve.alphas.size < 2:
        areas = np.full(areas.shape, np.nan)
    n_queries = n_defined(curve)
    return CurveSummary(
        system=curve.system,
        policy=curve.policy,
        auc=float(areas[0]),
        auc_interval=interval_of(areas, n_queries),
        slope=float(slopes[0]),
        slope_interval=interval_of(slopes, n_queries),
        low=float(low[0]),
        high=float(high[0]),
        n_queries=len(curve.query_ids),
        n_undefined=int(curve.n_undefined.max(initial=0)),
    )
