"""The shape of mean curves: points averaged over queries, as arrays, for many resamples at once.

Axis 0 runs along the curve, axis 1 over resamples of the queries; the data itself is one
"resample" that holds every query once.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.alignment import lookup
from fairviz.analysis.uncertainty import resampled_means
from fairviz.model import Curve, FloatArray, IntArray

SlopeWeights: TypeAlias = Literal["spacing", "points"]
"""Each point counts by the x it stands for (grid-free), or each the same (the paper's)."""


class MeanCurve(NamedTuple):
    """(A, B) x and y of A points under B resamples; NaN = no query has a value."""

    x: FloatArray
    y: FloatArray


def as_recorded(curve: Curve, query_ids: Sequence[str], counts: FloatArray) -> MeanCurve:
    """Mean x and y of each point of a curve, in its own order, under each resample.

    Args:
        curve: Its points average over the queries where both axes are defined.
        query_ids: Queries that the columns of ``counts`` stand for.
        counts: (B, Q) from ``bootstrap_counts``; ones for the data itself.
    """
    column = {query: q for q, query in enumerate(query_ids)}
    columns = _columns(curve, column)
    alike = np.array_equal(columns, np.arange(counts.shape[1], dtype=np.int64))
    own = counts if alike else counts[:, columns]  # no copy of a large table for nothing
    where = curve.defined
    return MeanCurve(resampled_means(curve.disparity, own, where), resampled_means(curve.quality, own, where))


def rising(points: MeanCurve) -> MeanCurve:
    """The points in order of x, undefined ones last.

    A policy whose disparity is not monotone in α (``offset=0``) becomes a function of x so.
    """
    order = np.argsort(points.x, axis=0, kind="stable")
    return MeanCurve(np.take_along_axis(points.x, order, axis=0), np.take_along_axis(points.y, order, axis=0))


def all_queries(curves: Sequence[Curve]) -> tuple[str, ...]:
    """Queries of all curves, each once, in order of first appearance."""
    return tuple(dict.fromkeys(query for curve in curves for query in curve.query_ids))


def n_defined(curve: Curve) -> int:
    """Queries in the mean of the point that has fewest."""
    return len(curve.query_ids) - int(curve.n_undefined.max(initial=0))


def covered(points: Sequence[MeanCurve]) -> tuple[FloatArray, FloatArray]:
    """(B) ends of the x range that all curves cover; NaN where there is none."""
    low = np.max([np.fmin.reduce(curve.x) for curve in points], axis=0)
    high = np.min([np.fmax.reduce(curve.x) for curve in points], axis=0)
    apart = low > high
    return np.where(apart, np.nan, low), np.where(apart, np.nan, high)


def mean_height(points: MeanCurve, low: FloatArray, high: FloatArray) -> FloatArray:
    """(B) trapezoid area under the points between ``low`` and ``high``, divided by the width.

    Args:
        points: By rising x.
        low: (B) left end of the range.
        high: (B) right end.

    Returns:
        The mean quality over the range; NaN where it is empty.

    Examples:
        >>> line = MeanCurve(np.array([[0.0], [0.5], [1.0]]), np.array([[0.0], [1.0], [1.0]]))
        >>> mean_height(line, np.array([0.25]), np.array([1.0]))  # (.1875 + .5) / .75
        array([0.91666667])
    """
    x0, x1 = points.x[:-1], points.x[1:]
    y0, y1 = points.y[:-1], points.y[1:]
    steep = _ratio(y1 - y0, x1 - x0)
    left, right = np.clip(x0, low, high), np.clip(x1, low, high)
    middle = y0 + steep * ((left + right) / 2 - x0)
    area = np.nansum((right - left) * middle, axis=0)
    return _ratio(area, high - low, where=high > low)


def slope(points: MeanCurve, *, weights: SlopeWeights = "spacing") -> FloatArray:
    """(B) least-squares slope of quality on disparity: the quality that a unit of EE-D buys.

    ``spacing`` weighs each point by half the x distance between its neighbours, so that the
    slope hardly depends on the α grid; ``points`` weighs all alike.

    Args:
        points: By rising x.
        weights: How points count.

    Returns:
        Slopes; NaN where all x are the same.
    """
    known = ~np.isnan(points.x)
    x, y = np.where(known, points.x, 0.0), np.where(known, points.y, 0.0)
    weight = known.astype(np.float64)
    if weights == "spacing":
        steps = np.nan_to_num(np.diff(points.x, axis=0))
        weight = np.zeros(x.shape)
        weight[:-1] += steps / 2
        weight[1:] += steps / 2
    total = weight.sum(axis=0)
    dx = x - _ratio((weight * x).sum(axis=0), total)
    dy = y - _ratio((weight * y).sum(axis=0), total)
    return _ratio((weight * dx * dy).sum(axis=0), (weight * dx**2).sum(axis=0))


def heights(points: MeanCurve, grid: FloatArray) -> FloatArray:
    """(G, B) quality at each x of a grid, by straight lines; the end values go on outside."""
    quality = np.full((grid.size, points.x.shape[1]), np.nan)
    known = ~np.isnan(points.x)
    for b in np.flatnonzero(known.any(axis=0)):
        quality[:, b] = np.interp(grid, points.x[known[:, b], b], points.y[known[:, b], b])
    return quality


def first_reach(points: MeanCurve, level: FloatArray) -> FloatArray:
    """(B) smallest x at which a curve reaches a quality, by straight lines; NaN if it never does.

    Args:
        points: By rising x.
        level: (B) quality to reach.
    """
    above = points.y >= level
    reached = above.any(axis=0)
    after = np.argmax(above, axis=0)
    before = np.maximum(after - 1, 0)
    column = np.arange(level.size)
    x0, x1 = points.x[before, column], points.x[after, column]
    y0, y1 = points.y[before, column], points.y[after, column]
    part = np.where(y1 > y0, _ratio(level - y0, y1 - y0), 1.0)
    return np.where(reached, x0 + part * (x1 - x0), np.nan)


def _columns(curve: Curve, column: dict[str, int]) -> IntArray:
    columns = lookup(curve.query_ids, column)
    if (columns < 0).any():
        raise ValueError(f"{curve.system}: the resamples lack some of its queries")
    return columns


def _ratio(numerator: FloatArray, denominator: FloatArray, *, where: np.ndarray | None = None) -> FloatArray:
    ratio = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    open_ = denominator != 0 if where is None else where
    np.divide(numerator, denominator, out=ratio, where=open_)
    return ratio
