"""What a budget of quality buys: the nearest point inside it, its intervals, and where it ends.

A budget is the part of today's mean quality that may be given up; it is held by means. Intervals are paired percentile
bootstraps over queries: every resample recomputes today's mean, the point's mean and their ratio.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray
from fairviz.stats.bootstrap import UNDEFINED, Interval, percentiles, resampled_means
from fairviz.studies.policy_lab.price import PointSummary, PriceCurve, compared, point_summaries

NEARER = 1e-6
"""A point counts as nearer to the target from this distance on; less is rounding."""


class Purchase(NamedTuple):
    """The nearest point of one re-ranker inside a budget.

    Attributes:
        point: It; None where no point inside the budget is nearer than today.
        change: 95 % interval of its change of quality, as a part of today's.
        moved: 95 % interval of how much nearer it is.
    """

    method: str
    point: PointSummary | None
    change: Interval = UNDEFINED
    moved: Interval = UNDEFINED


class PointOfNoReturn(NamedTuple):
    """Where going on stops paying, along one re-ranker's strengths.

    Attributes:
        pays: Index of the last strength that pays: from it on, every stronger setting costs more
            percent of quality than it moves points of attention. −1: none pays, the first step
            costs more than it moves.
        nearest: Index of the strength that is nearest to the target: no stronger one is nearer.
            −1: none is nearer than today.
        n_points: Strengths tried.
    """

    pays: int
    nearest: int
    n_points: int


def best_inside(points: Sequence[PointSummary], budget: float) -> PointSummary | None:
    """The point nearest to the target among those inside a budget and nearer than today.

    Args:
        points: Points of a re-ranker beside today's lists.
        budget: Part of today's mean quality that may be given up, 0 … 1.

    Returns:
        Of equally near points the one that keeps more quality; None where there is none.
    """
    inside = [point for point in points if point.moved > NEARER and point.change >= -budget - NEARER]
    return min(inside, key=lambda point: (round(point.off, 9), -point.change), default=None)


def purchase(curve: PriceCurve, today: PriceCurve, *, budget: float, resamples: FloatArray) -> Purchase:
    """What one re-ranker buys inside a budget, with paired intervals.

    Args:
        curve: The re-ranker.
        today: The run as it stands.
        budget: Part of today's mean quality that may be given up.
        resamples: (B, Q) from :func:`~fairviz.stats.bootstrap.bootstrap_counts`; re-rankers that are compared
            share them.
    """
    best = best_inside(point_summaries(curve, today), budget)
    if best is None:
        return Purchase(curve.method, None)
    change, moved = paired_intervals(curve, today, best.place, resamples)
    return Purchase(curve.method, best, change, moved)


def paired_intervals(
    curve: PriceCurve, today: PriceCurve, place: int, resamples: FloatArray
) -> tuple[Interval, Interval]:
    """95 % intervals of a point's relative change of quality and of how much nearer it is.

    Returns:
        NaN ends below two queries; the second also for a measure without values per query.
    """
    point, now = curve.points[place], today.points[0]
    both = compared(point, now)
    if both.sum() < 2:
        return UNDEFINED, UNDEFINED
    gap = now.off - point.off
    has_gap = both & ~np.isnan(gap)
    rows = np.stack([np.where(both, point.quality - now.quality, 0.0), now.quality, gap])
    where = np.stack([both, both, has_gap])
    changes, before, gaps = resampled_means(np.nan_to_num(rows), resamples, where)
    ratio = np.where(before > 0, changes / np.where(before > 0, before, 1.0), np.nan)
    ends = percentiles(np.stack([ratio, gaps]), np.array([both.sum(), has_gap.sum()]))
    nearer = Interval(float(ends.low[1]), float(ends.high[1]))
    return Interval(float(ends.low[0]), float(ends.high[0])), nearer


def point_of_no_return(points: Sequence[PointSummary]) -> PointOfNoReturn:
    """The point of no return of one re-ranker, by rising strength.

    ``pays`` is the strength with the largest (points moved) − (percent of quality lost): beyond it
    every stronger setting adds more loss, in percent of today's quality, than it adds points of
    attention moved. Both are parts of a hundred, which is what makes them comparable; for a measure
    that is not in points only ``nearest`` has a meaning.
    """
    if not points:
        return PointOfNoReturn(-1, -1, 0)
    moved = np.array([point.moved for point in points])
    net = moved + 100 * np.array([point.change for point in points])
    pays = _last_best(net)
    nearest = _last_best(moved)
    return PointOfNoReturn(pays, nearest, len(points))


def nearest(purchases: Sequence[Purchase]) -> Purchase | None:
    """The re-ranker that is nearest to the target inside the budget; None where none is nearer."""
    nearer = [purchase for purchase in purchases if purchase.point is not None]
    return min(
        nearer,
        key=lambda purchase: (purchase.point.off, -purchase.point.change) if purchase.point else (np.inf, 0.0),
        default=None,
    )


def furthest(curves: Sequence[Sequence[PointSummary]]) -> PointSummary | None:
    """The point of any re-ranker, at any price, that is nearest to the target."""
    points = [point for curve in curves for point in curve if point.moved > NEARER]
    return min(points, key=lambda point: (point.off, -point.change), default=None)


def _last_best(values: np.ndarray) -> int:
    """Index of the largest value, the first of equals; −1 where none is above 0."""
    known = np.where(np.isnan(values), -np.inf, values)
    best = int(np.argmax(known))
    return best if known[best] > NEARER else -1
