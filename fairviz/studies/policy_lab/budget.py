"""What a budget of quality buys: the nearest point inside it, its intervals, and where it ends.

A budget is the part of today's mean quality that may be given up. A point whose mean is inside it may be shown; only
where the whole interval is inside is the budget met for certain. A movement that nobody would notice buys nothing.
Intervals are paired expanded percentile bootstraps over queries: every resample recomputes today's values, the point's
and what lies between them.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri, stdtr

from fairviz.groups import off_target_share, pooled_shares
from fairviz.model import BoolArray, FloatArray
from fairviz.stats.bootstrap import UNDEFINED, Interval, percentiles, resampled_means, resampled_p
from fairviz.studies.policy_lab.price import (
    PointSummary,
    PriceCurve,
    PricePoint,
    compared,
    point_distance,
    point_summaries,
)

NEARER = 1e-6
"""A point counts as nearer to the target from this distance on; less is rounding."""
MATERIAL = 0.05
"""Part of the way to the target below which a movement is not noticeable."""
LAST_DIGIT = 0.1
"""Points off target are shown with one decimal: what moves by less is not noticeable."""

Lack: TypeAlias = Literal["", "none", "slight", "few", "apart"]
"""Why a budget buys nothing: nothing inside is nearer, or none noticeably, or all that is rests on too few queries or
on others than today's."""


class Purchase(NamedTuple):
    """The nearest point of one re-ranker inside a budget.

    Attributes:
        point: It; None where no point within the budget is noticeably nearer than today.
        change: 95 % interval of its change of quality, as a part of today's.
        moved: 95 % interval of how much nearer it is.
        is_certain: Whether the whole interval of the change is within the budget.
        p: Two-sided, of being as far as today, from how the resamples spread.
        p_corrected: p of being closer than today, corrected for every strength of every re-ranker that was tried.
        lack: Why there is no point.
    """

    method: str
    point: PointSummary | None
    change: Interval = UNDEFINED
    moved: Interval = UNDEFINED
    is_certain: bool = False
    p: float = float("nan")
    p_corrected: float = float("nan")
    lack: Lack = ""


class PairedIntervals(NamedTuple):
    """How sure a point is beside today's lists.

    Attributes:
        change: 95 % interval of the change of quality, as a part of today's.
        moved: 95 % interval of how much nearer it is.
        p: Two-sided, of being as far as today, from how the resamples spread.
    """

    change: Interval = UNDEFINED
    moved: Interval = UNDEFINED
    p: float = float("nan")


class TurningPoint(NamedTuple):
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


def is_noticeable(moved: float, was: float, *, digit: float = LAST_DIGIT) -> bool:
    """Whether a movement towards the target is more than the last digit shown, and than 5 % of the way to it.

    Args:
        moved: How much nearer.
        was: Distance before.
        digit: The last digit that is shown.

    Examples:
        >>> is_noticeable(0.04, 50.0), is_noticeable(2.0, 50.0), is_noticeable(2.5, 50.0)
        (False, False, True)
    """
    return moved >= max(digit, MATERIAL * was) - NEARER


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


def purchase(
    curve: PriceCurve, today: PriceCurve, *, budget: float, resamples: FloatArray, digit: float = LAST_DIGIT
) -> Purchase:
    """What one re-ranker achieves within a budget, with paired intervals.

    Args:
        curve: The re-ranker.
        today: The run as it stands.
        budget: Part of today's mean quality that may be given up.
        resamples: (B, Q) from :func:`~fairviz.stats.bootstrap.bootstrap_counts`; re-rankers that are compared
            share them.
        digit: The last digit of a distance that is shown.
    """
    points = point_summaries(curve, today)
    best = best_inside([point for point in points if not point.is_apart and not point.is_few], budget)
    if best is None:
        left_out = best_inside(points, budget)
        return Purchase(curve.method, None, lack="none" if left_out is None else "few" if left_out.is_few else "apart")
    if not is_noticeable(best.moved, best.off + best.moved, digit=digit):
        return Purchase(curve.method, None, lack="slight")
    sure = paired_intervals(curve, today, best.place, resamples)
    inside = bool(sure.change.low >= -budget - NEARER)
    return Purchase(curve.method, best, sure.change, sure.moved, inside, sure.p)


def corrected(
    purchases: Sequence[Purchase], curves: Sequence[PriceCurve], today: PriceCurve, resamples: FloatArray
) -> list[Purchase]:
    """The same with p corrected over all that was searched: every strength of every re-ranker, at any price.

    The max statistic of the bootstrap: how often is any point, once its own movement is taken off, as many standard
    errors nearer as this one is? (Holm over thousandths of 2,000 resamples could not tell so many tests apart.) Its own
    distance is first taken from Student's scale, because its standard error is estimated from few queries.

    Args:
        purchases: What each re-ranker buys.
        curves: The curves that were searched.
        today: The run as it stands.
        resamples: (B, Q) as of :func:`purchase`.
    """
    now = today.points[0]
    n_queries = int(compared(now, now).sum())
    moved: dict[tuple[str, int], float] = {}
    drawn: list[FloatArray] = []
    for curve in curves:
        for place, point in enumerate(curve.points):
            both = compared(point, now)
            if both.sum() < 2 or both.sum() < compared(now, now).sum() or not np.isnan(point.overall):
                continue
            way = point_distance(now, both, curve.target) - point_distance(point, both, curve.target)
            gaps = _resampled_distance(now, both, curve, resamples) - _resampled_distance(point, both, curve, resamples)
            if not np.isnan(gaps).any():
                moved[curve.method, place] = way
                drawn.append(gaps)
    if not drawn:
        return list(purchases)
    ways = np.array(list(moved.values()))[:, None]
    errors = np.stack(drawn).std(axis=1, keepdims=True)
    varies = errors[:, 0] > NEARER
    largest = np.full(len(resamples), -np.inf)
    if varies.any():
        largest = ((np.stack(drawn) - ways)[varies] / errors[varies]).max(axis=0)
    places = {key: i for i, key in enumerate(moved)}
    adjusted: list[Purchase] = []
    for bought in purchases:
        i = None if bought.point is None else places.get((bought.method, bought.point.place))
        if i is None:
            adjusted.append(bought)
            continue
        own = _as_normal(float(ways[i, 0] / errors[i, 0]), n_queries) if varies[i] else np.inf
        n_above = int((largest >= own).sum())
        adjusted.append(bought._replace(p_corrected=(n_above + 1) / (len(resamples) + 1)))
    return adjusted


def _as_normal(ratio: float, n_queries: int) -> float:
    """What a mean over its resampled standard error is worth in normal standard errors, by Student's t."""
    unbiased = ratio * math.sqrt((n_queries - 1) / n_queries)
    return -float(ndtri(stdtr(n_queries - 1.0, -unbiased)))


def paired_intervals(curve: PriceCurve, today: PriceCurve, place: int, resamples: FloatArray) -> PairedIntervals:
    """95 % intervals of a point's relative change of quality and of how much nearer it is.

    A value that no resample moves is its own interval.

    Returns:
        NaN ends below two queries; of the distance also for a measure without values per query.
    """
    point, now = curve.points[place], today.points[0]
    both = compared(point, now)
    if both.sum() < 2:
        return PairedIntervals()
    rows = np.stack([np.where(both, point.quality - now.quality, 0.0), now.quality])
    changes, before = resampled_means(np.nan_to_num(rows), resamples, np.stack([both, both]))
    ratio = np.where(before > 0, changes / np.where(before > 0, before, 1.0), np.nan)
    gaps = _resampled_distance(now, both, curve, resamples) - _resampled_distance(point, both, curve, resamples)
    n = int(both.sum())
    way = point_distance(now, both, curve.target) - point_distance(point, both, curve.target)
    p = float(resampled_p(np.concatenate([[way], gaps]), n))
    return PairedIntervals(_interval(ratio, n), _interval(gaps, n), p)


def _resampled_distance(point: PricePoint, both: BoolArray, curve: PriceCurve, resamples: FloatArray) -> FloatArray:
    """(B) distance of a point from the target in every resample; NaN where it has no value per query."""
    if not np.isnan(point.overall):
        return np.full(len(resamples), np.nan)
    if point.distance.size:
        return resampled_means(np.nan_to_num(point.distance)[None, :], resamples, both[None, :])[0]
    counts = resamples[:, both]
    shares = pooled_shares((counts @ point.attention[both])[:, None, :])
    totals = counts.sum(axis=1, keepdims=True)
    return 100 * off_target_share(shares, counts @ curve.target[both] / np.where(totals > 0, totals, np.nan))


def _interval(drawn: FloatArray, n_queries: int) -> Interval:
    known = drawn[~np.isnan(drawn)]
    if not known.size:
        return UNDEFINED
    if np.ptp(known) < NEARER:  # every resample is the same
        return Interval(float(known[0]), float(known[0]))
    ends = percentiles(drawn, n_queries)
    return Interval(float(ends.low[0]), float(ends.high[0]))


def turning_point(points: Sequence[PointSummary]) -> TurningPoint:
    """The turning point of one re-ranker, by rising strength.

    ``pays`` is the strength with the largest (points moved) − (percent of quality lost): beyond it
    every stronger setting adds more loss, in percent of today's quality, than it adds points of
    attention moved. Both are parts of a hundred, which is what makes them comparable; for a measure
    that is not in points only ``nearest`` has a meaning.
    """
    if not points:
        return TurningPoint(-1, -1, 0)
    moved = np.array([point.moved for point in points])
    net = moved + 100 * np.array([point.change for point in points])
    pays = _last_best(net)
    nearest = _last_best(moved)
    return TurningPoint(pays, nearest, len(points))


def nearest(purchases: Sequence[Purchase]) -> Purchase | None:
    """The re-ranker that is nearest to the target within the budget; None where none is nearer."""
    nearer = [purchase for purchase in purchases if purchase.point is not None]
    return min(
        nearer,
        key=lambda purchase: (
            (round(purchase.point.off, 9), -purchase.point.change) if purchase.point else (np.inf, 0.0)
        ),
        default=None,
    )


def furthest(curves: Sequence[Sequence[PointSummary]]) -> PointSummary | None:
    """The point of any re-ranker, at any price, that is nearest to the target, over today's queries."""
    points = [
        point for curve in curves for point in curve if point.moved > NEARER and not point.is_apart and not point.is_few
    ]
    return min(points, key=lambda point: (round(point.off, 9), -point.change), default=None)


def _last_best(values: np.ndarray) -> int:
    """Index of the largest value, the first of equals; −1 where none is above 0."""
    known = np.where(np.isnan(values), -np.inf, values)
    best = int(np.argmax(known))
    return best if known[best] > NEARER else -1
