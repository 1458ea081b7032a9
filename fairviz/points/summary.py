"""Curves in a few numbers: area, slope, bands, and what equal quality costs.

All intervals are expanded percentile bootstraps over queries: each resample recomputes the mean curve, and curves that
are compared share their resamples. Mean curves are arrays: axis 0 runs along the curve, axis 1 over resamples of the
queries; the data itself is one "resample" that holds every query once.

Area and slope have one definition for every surface: over the points along α alone, on the same α for all curves that
are compared, and over the range of EE-D that all of them cover. The deterministic list and the uniform policy are
points of their own and in neither.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fairviz.display.marks import Band
from fairviz.errors import UndefinedError
from fairviz.evaluation.compare import Comparison, corrected
from fairviz.model import Curve, FloatArray, IntArray, Resamples
from fairviz.model.arrays import positions, ratio
from fairviz.stats.bootstrap import (
    N_RESAMPLES,
    UNDEFINED,
    Interval,
    data_and_resamples,
    interval_of,
    percentiles,
    resampled_means,
    resampled_p,
)

# The shape of mean curves.


SlopeWeights: TypeAlias = Literal["spacing", "points"]
"""Each point counts by the x it stands for (grid-free), or each the same (the paper's)."""


DIGITS = 9
"""Decimals of a mean x; what differs beyond them is rounding: an area over it, or a slope, would be noise."""


class MeanCurve(NamedTuple):
    """(A, B) x and y of A points under B resamples; NaN = no query has a value."""

    x: FloatArray
    y: FloatArray


def as_recorded(
    curve: Curve, query_ids: Sequence[str], counts: Resamples, *, among: frozenset[str] | None = None
) -> MeanCurve:
    """Mean x and y of each point of a curve, in its own order, under each resample.

    Args:
        curve: Its points average over the queries where both axes are defined.
        query_ids: Queries that the columns of ``counts`` stand for.
        counts: (B, Q) resamples; ones for the data itself.
        among: The only queries that count, where not all do.
    """
    columns = _columns(curve, query_ids)
    alike = np.array_equal(columns, np.arange(counts.n_queries, dtype=np.int64))
    own_counts = counts if alike else counts.of(columns)  # no copy of a large table for nothing
    where = curve.defined
    if among is not None:
        where = where & np.array([query in among for query in curve.query_ids], dtype=np.bool_)
    return MeanCurve(
        resampled_means(curve.disparity, own_counts, where), resampled_means(curve.quality, own_counts, where)
    )


def rising(points: MeanCurve) -> MeanCurve:
    """The points in order of x, undefined ones last.

    A policy whose disparity is not monotone in α (``offset=0``) becomes a function of x so. Points whose x differ by
    rounding alone keep their order along α: which of the two came first would be chance, and the area another.

    Examples:
        >>> rising(MeanCurve(np.array([[0.5], [0.3], [0.1 + 0.2]]), np.array([[3.0], [1.0], [2.0]]))).y[:, 0]
        array([1., 2., 3.])
        >>> rising(MeanCurve(np.array([[0.1 + 0.2], [0.3], [0.5]]), np.array([[1.0], [2.0], [3.0]]))).y[:, 0]
        array([1., 2., 3.])
    """
    order = np.argsort(np.round(points.x, DIGITS), axis=0, kind="stable")
    return MeanCurve(np.take_along_axis(points.x, order, axis=0), np.take_along_axis(points.y, order, axis=0))


def all_queries(curves: Sequence[Curve]) -> tuple[str, ...]:
    """Queries of all curves, each once, in order of first appearance."""
    return tuple(dict.fromkeys(query for curve in curves for query in curve.query_ids))


def covered(points: Sequence[MeanCurve]) -> tuple[FloatArray, FloatArray]:
    """(B) ends of the x range that all curves cover; the same where only rounding is between them, NaN without one."""
    low = np.max([np.fmin.reduce(curve.x) for curve in points], axis=0)
    high = np.min([np.fmax.reduce(curve.x) for curve in points], axis=0)
    apart, wide = low > high, np.round(high - low, DIGITS) > 0
    return np.where(apart, np.nan, low), np.where(apart, np.nan, np.where(wide, high, low))


NARROWS = 0.8
"""Who leaves the others less than this share of their common range of EE-D is left out of areas."""


def extent(curve: Curve) -> tuple[str, float, float]:
    """The system of a curve and the ends of its mean EE-D; NaN where no point has a value."""
    x = curve.mean_disparity
    low, high = (round(float(end), DIGITS) + 0.0 for end in (np.fmin.reduce(x), np.fmax.reduce(x)))  # no -0.0
    return curve.system, low, high


def narrowing(extents: Sequence[tuple[str, float, float]]) -> tuple[int, ...]:
    """Places of the curves that cut the common range short, in the order in which they are left out.

    The one rule of leaving out, wherever curves are compared. The first always stays, as do the last two that α moves;
    policies of one system that cover the same go together.

    Examples:
        >>> narrowing([("a", 0, 1), ("b", 0.1, 1), ("c", 0.5, 1)]), narrowing([("a", 0, 1), ("b", 0, 1), ("c", 0.2, 1)])
        ((2,), ())
        >>> narrowing([("a", 0.5, 1), ("b", 0, 1), ("c", 0, 1)])  # the others are compared with the first
        ()
        >>> narrowing([("a", 0, 1), ("tied", 0, 0)]), narrowing([("a", 0, 0.4), ("b", 0.6, 1)])
        ((1,), ())
    """
    kept = list(dict.fromkeys(curve for curve in extents if curve[1] == curve[1]))
    left_out: list[int] = []
    while len(kept) > 1:
        without = [_width([other for other in kept if other is not curve]) for curve in kept[1:]]
        widest = int(np.argmax(without))
        _, low, high = kept[widest + 1]
        if (len(kept) == 2 and low < high) or not _width(kept) < NARROWS * without[widest]:
            break
        gone = kept.pop(widest + 1)
        left_out += [at for at, curve in enumerate(extents) if curve == gone]
    return tuple(left_out)


def _width(extents: Sequence[tuple[str, float, float]]) -> float:
    return max(0.0, min(high for *_, high in extents) - max(low for _, low, _ in extents))


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
    steep = ratio(y1 - y0, x1 - x0)
    left, right = np.clip(x0, low, high), np.clip(x1, low, high)
    middle = y0 + steep * ((left + right) / 2 - x0)
    area = np.nansum((right - left) * middle, axis=0)
    return ratio(area, np.maximum(high - low, 0))


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
    defined = ~np.isnan(points.x)
    x, y = np.where(defined, points.x, 0.0), np.where(defined, points.y, 0.0)
    weight = defined.astype(np.float64)
    if weights == "spacing":
        steps = np.nan_to_num(np.diff(points.x, axis=0))
        weight = np.zeros(x.shape)
        weight[:-1] += steps / 2
        weight[1:] += steps / 2
    total = weight.sum(axis=0)
    dx = x - ratio((weight * x).sum(axis=0), total)
    dy = y - ratio((weight * y).sum(axis=0), total)
    return ratio((weight * dx * dy).sum(axis=0), (weight * dx**2).sum(axis=0))


def within(points: MeanCurve, low: FloatArray, high: FloatArray, *, weights: SlopeWeights) -> MeanCurve:
    """What of a curve lies between two values of x, as :func:`slope` takes it.

    With ``spacing`` the line is cut at the ends of the range; with ``points`` those inside are left as they are.

    Args:
        points: By rising x, undefined ones last.
        low: (B) left end of the range.
        high: (B) right end.
        weights: How points count.

    Examples:
        >>> line = MeanCurve(np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.0], [4.0]]))
        >>> within(line, np.array([0.5]), np.array([1.5]), weights="spacing").y[:, 0]
        array([0.5, 1. , 2.5])
        >>> within(line, np.array([0.5]), np.array([1.5]), weights="points").x[:, 0]
        array([nan,  1., nan])
    """
    below, above = points.x < low, points.x > high
    if weights == "points":
        return MeanCurve(np.where((low <= points.x) & (points.x <= high), points.x, np.nan), points.y)
    first, last = heights(points, np.stack([low, high]))
    y = np.where(below, first, np.where(above, last, points.y))
    return MeanCurve(np.clip(points.x, low, high), y)


def heights(points: MeanCurve, grid: FloatArray) -> FloatArray:
    """(G, B) quality at each x of a grid, by straight lines; the end values go on outside.

    Args:
        points: By rising x, undefined ones last.
        grid: (G) or (G, B) values of x.
    """
    column = np.arange(points.x.shape[1], dtype=np.int64)
    last = (~np.isnan(points.x)).sum(axis=0) - 1
    quality = np.empty((len(grid), column.size))
    for g, at in enumerate(grid):
        reached = (points.x <= at).sum(axis=0) - 1
        before = np.maximum(reached, 0)
        after = np.minimum(before + 1, np.maximum(last, 0))
        x0, y0 = points.x[before, column], points.y[before, column]
        steep = ratio(points.y[after, column] - y0, points.x[after, column] - x0)
        quality[g] = np.where((reached >= 0) & (before < last), steep * (at - x0) + y0, np.where(last >= 0, y0, np.nan))
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
    part = np.where(y1 > y0, ratio(level - y0, y1 - y0), 1.0)
    return np.where(reached, x0 + part * (x1 - x0), np.nan)


def _columns(curve: Curve, query_ids: Sequence[str]) -> IntArray:
    columns = positions(curve.query_ids, query_ids)
    if (columns < 0).any():
        raise ValueError(f"{curve.system}: the resamples lack some of its queries")
    return columns


# What equal quality costs: the EE-D that two policies need for it.


class Saving(NamedTuple):
    """How much less EE-D one policy needs than another for the same quality.

    Attributes:
        quality: The quality at which they are compared.
        reference: EE-D that the reference needs.
        other: EE-D that the other needs; NaN if it never reaches the quality.
        share: 1 − other / reference; 0.52 = "52 % less".
        interval: Of the share; in each resample the level is the reference's quality there.
        n_queries: Queries in the means.
    """

    quality: float
    reference: float
    other: float
    share: float
    interval: Interval
    n_queries: int


def disparity_saved(reference: Curve, other: Curve, *, rng: np.random.Generator, alpha: float) -> Saving:
    """How much less EE-D ``other`` needs than ``reference`` for the same quality.

    The point on the reference is fixed in advance, by its α. Each resample reads the reference's EE-D and quality at
    that point, and the EE-D at which ``other`` reaches that quality: the comparison is paired.

    Args:
        reference: The curve to save against (Plackett–Luce).
        other: The curve that may need less (``optimal``).
        rng: Source of chance.
        alpha: α of a point of the reference; between grid points, straight lines.

    Raises:
        UndefinedError: If the reference has no such point.
    """
    queries = all_queries([reference, other])
    counts = data_and_resamples(len(queries), rng=rng)
    points = as_recorded(reference, queries, counts)
    position = _segment(reference, alpha)
    needed, level = (_at(axis, position) for axis in points)
    cheaper = first_reach(rising(as_recorded(other, queries, counts)), level)
    shares = ratio(needed - cheaper, needed)
    n_queries = min(reference.n_defined, other.n_defined)
    return Saving(
        quality=float(level[0]),
        reference=float(needed[0]),
        other=float(cheaper[0]),
        share=float(shares[0]),
        interval=interval_of(shares, n_queries),
        n_queries=n_queries,
    )


def _segment(curve: Curve, alpha: float) -> tuple[int, float]:
    """Where on the curve: the point before, and how far on to the next."""
    if (points := np.flatnonzero(curve.alphas == alpha)).size:
        return int(points[0]), 0.0
    before, after = curve.alphas[:-1], curve.alphas[1:]
    between = (np.minimum(before, after) <= alpha) & (alpha <= np.maximum(before, after))
    if not between.any():
        raise UndefinedError(f"{curve.system} ({curve.policy}) has no point at {alpha:g}")
    step = int(np.argmax(between))
    return step, float((alpha - before[step]) / (after[step] - before[step]))


def _at(axis: FloatArray, position: tuple[int, float]) -> FloatArray:
    """(B) values at a place on the curve, by straight lines."""
    step, part = position
    return (1 - part) * axis[step] + part * axis[step + 1] if part else axis[step]


class CurveAreas(NamedTuple):
    """The table of areas and slopes.

    Attributes:
        rows: One per curve, the one that the others are compared with first: ``system``, ``policy``, ``auc`` (mean
            quality under the curve between ``range_low`` and ``range_high``, the ends of the EE-D range that all curves
            cover that can be compared with this one), ``slope`` (quality gained per unit of EE-D there), both with
            ends, and ``n_queries`` in the mean of the point that has fewest.
        gaps: The AUC of each further curve minus the first one's, paired by query. A difference is over the range of
            the table's areas and the queries that both curves have: where these are all the queries of both, it is that
            of the two areas beside it. ``p`` is Student's t with the standard error of the resamples; without common
            queries there is none.
        left_out: Systems that would narrow the range of the others; of one that keeps a curve, the policy that would.
    """

    rows: pl.DataFrame
    gaps: tuple[Comparison, ...] = ()
    left_out: tuple[str, ...] = ()


def compared_areas(
    curves: Sequence[Curve],
    *,
    rng: np.random.Generator,
    weights: SlopeWeights = "spacing",
    n_resamples: int = N_RESAMPLES,
) -> CurveAreas:
    """AUC and slope of curves that can be compared, and each area minus the first.

    AUC is the trapezoid area over the EE-D range that all curves cover, divided by its width: the
    mean quality there. Curves that share no query, directly or through others, are not compared and
    have ranges of their own. Curves that narrow the range of the others and curves of a single
    point take part in nothing and get NaN; with less
    than two queries intervals are NaN.

    Args:
        curves: The one to compare with first.
        rng: Source of chance for the intervals.
        weights: How points count in the slope.
        n_resamples: Resamples of the queries.
    """
    if not curves:
        return CurveAreas(pl.DataFrame(schema=AREAS))
    queries = all_queries(curves)
    counts = data_and_resamples(len(queries), rng=rng, n_resamples=n_resamples)
    points = [as_recorded(curve, queries, counts) for curve in curves]
    family = comparable(curves)
    nothing = np.full(len(counts), np.nan)
    ranges: dict[int, tuple[FloatArray, FloatArray]] = {}
    left_out: set[int] = set()
    for member in set(family):
        alike = [at for at, line in enumerate(points) if family[at] == member and len(line.x) > 1]
        left_out |= {alike[index] for index in narrowing([extent(curves[at]) for at in alike])}
        kept = [points[at] for at in alike if at not in left_out]
        ranges[member] = covered(kept) if kept else (nothing, nothing)
    rows = [
        _summary(curve, rising(line), *((nothing, nothing) if at in left_out else ranges[member]), weights)
        for at, (curve, line, member) in enumerate(zip(curves, points, family, strict=True))
    ]

    of_each = [frozenset(_queries_of(curve)) for curve in curves]

    def among(common: frozenset[str], at: int) -> MeanCurve:
        return points[at] if of_each[at] == common else as_recorded(curves[at], queries, counts, among=common)

    def gap(at: int) -> Comparison:
        curve, common = curves[at], of_each[at] & of_each[0]
        n_queries = 0 if at in left_out else len(common)
        n_left_out = len({*curve.query_ids, *curves[0].query_ids}) - n_queries
        nothing = Comparison(
            curve.system, curves[0].system, "AUC", np.nan, UNDEFINED, "too few to test", n_queries, n_left_out
        )
        if at in left_out:
            return nothing
        pair = [rising(among(common, each)) for each in (at, 0)]
        ends = np.array([covered(pair), ranges[family[0]]])  # (2, 2, B): of the pair, of the table
        low, high = ends[:, 0].max(axis=0), ends[:, 1].min(axis=0)
        heights = [mean_height(line, low, high) for line in pair]
        gaps = heights[0] - heights[1]
        interval, p = interval_of(gaps, n_queries), float(resampled_p(gaps, n_queries))
        return nothing._replace(difference=float(gaps[0]), interval=interval, p=p)

    stays = {curve.system for at, curve in enumerate(curves) if at not in left_out}
    narrow = [curves[at] for at in sorted(left_out)]
    names = [f"{each.system} ({each.policy})" if each.system in stays else each.system for each in narrow]
    gaps = corrected([gap(at) for at in range(1, len(curves))])
    areas = pl.DataFrame(rows, schema=AREAS).with_columns(pl.col(pl.Float64).fill_nan(None))
    return CurveAreas(areas, gaps, tuple(dict.fromkeys(names)))


def comparable(curves: Sequence[Curve]) -> list[int]:
    """For each curve the first one that it can be compared with, itself at the least.

    Two curves can be compared where they share a query with a value, directly or through others.
    """
    family = list(range(len(curves)))
    seen: dict[str, int] = {}
    for i, curve in enumerate(curves):
        for query in _queries_of(curve):
            first, other = family[i], family[seen.setdefault(query, i)]
            if first != other:
                family = [min(first, other) if member in (first, other) else member for member in family]
    return family


def _queries_of(curve: Curve) -> list[str]:
    """Queries that are in the mean of some point."""
    places: list[int] = np.flatnonzero(curve.defined.sum(axis=0)).tolist()
    return [curve.query_ids[index] for index in places]


def band(curve: Curve, *, rng: np.random.Generator, n_points: int = 61) -> Band | None:
    """95 % bootstrap band of mean quality at fixed EE-D, on an even grid over the curve's range; None without any."""
    counts = data_and_resamples(len(curve.query_ids), rng=rng)
    points = rising(as_recorded(curve, curve.query_ids, counts))
    low, high = covered([points])
    if np.isnan(low[0]):
        return None
    grid: FloatArray = np.linspace(float(low[0]), float(high[0]), n_points)
    quality = heights(points, grid)
    return Band.where_defined(grid, *percentiles(quality[:, 1:], curve.n_defined))


AREAS: Mapping[str, type[pl.DataType]] = {
    **dict.fromkeys(("system", "policy"), pl.String),
    **dict.fromkeys(("auc", "auc_low", "auc_high", "slope", "slope_low", "slope_high"), pl.Float64),
    **{"range_low": pl.Float64, "range_high": pl.Float64, "n_queries": pl.Int64},
}
"""Columns of :attr:`CurveAreas.rows`."""


def _summary(
    curve: Curve, points: MeanCurve, low: FloatArray, high: FloatArray, weights: SlopeWeights
) -> dict[str, str | float]:
    areas, slopes = mean_height(points, low, high), slope(within(points, low, high, weights=weights), weights=weights)
    if curve.alphas.size < 2:
        areas = np.full(areas.shape, np.nan)
    row: dict[str, str | float] = {"system": curve.system, "policy": curve.policy, "n_queries": curve.n_defined}
    for name, values in (("auc", areas), ("slope", slopes)):
        ends = interval_of(values, curve.n_defined)
        row |= {name: float(values[0]), f"{name}_low": ends.low, f"{name}_high": ends.high}
    return row | {"range_low": float(low[0]), "range_high": float(high[0])}
