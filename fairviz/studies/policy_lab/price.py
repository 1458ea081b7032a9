"""The price of fairness: what each strength of a re-ranker moves, and what that costs in quality.

One point per strength: how far attention by group is from the target, against quality. Lists, mixtures of lists and
policies known by their exposure are exact; random re-rankers are the mean of a few repeats, which are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.studies.policy_lab.axes import Exposing, PriceAxes, Reading

TODAY = "today"
"""Name of the curve of one point that is the run as it stands."""
TIE = 1e-9
"""Differences of quality below this are rounding: the query is unchanged."""


class PricePoint(NamedTuple):
    """One strength of a re-ranker.

    Attributes:
        strength: Its value; NaN = the re-ranker has none.
        off: (Q) distance from the target, lower = nearer; NaN = undefined.
        quality: (Q) quality; NaN = undefined.
        shares: (Q, G) share of labelled attention by group.
        overall: Distance of a measure that has one value for the whole system, else NaN.
        repeats: (R, 2) mean distance and mean quality of each repeat of a random re-ranker.
    """

    strength: float
    off: FloatArray
    quality: FloatArray
    shares: FloatArray
    overall: float = float("nan")
    repeats: FloatArray = np.empty((0, 2))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PriceCurve:
    """A re-ranker on one run, from its weakest to its strongest setting.

    Attributes:
        system: Name of the run.
        method: Name of the re-ranker as typed, or :data:`TODAY`.
        query_ids: Q queries.
        points: By rising strength.
    """

    system: str
    method: str
    query_ids: tuple[str, ...]
    points: tuple[PricePoint, ...]

    @property
    def strengths(self) -> FloatArray:
        """(A) strength of each point."""
        return np.array([point.strength for point in self.points])

    def at(self, strength: float) -> PricePoint:
        """The point of a strength.

        Raises:
            ValueError: No point has it.
        """
        match = next((point for point in self.points if point.strength == strength), None)
        if match is None:
            raise ValueError(f"{self.method} has no point at strength {strength:g}")
        return match


class PointSummary(NamedTuple):
    """One point of a curve beside today's lists, over the queries where both have a value.

    Attributes:
        method: Name of the re-ranker.
        place: Index of the point on its curve.
        strength: Strength there.
        off: Mean distance from the target.
        moved: How much nearer than today; negative = further away.
        quality: Mean quality.
        change: Change of mean quality as a part of today's; NaN where today's is 0.
        shares: (G) mean share of labelled attention.
        n_queries: Queries in the means.
        n_undefined: Queries left out.
        n_worse, n_better, n_unchanged: Queries by what happens to their quality.
    """

    method: str
    place: int
    strength: float
    off: float
    moved: float
    quality: float
    change: float
    shares: FloatArray
    n_queries: int
    n_undefined: int
    n_worse: int
    n_better: int
    n_unchanged: int


def price_point(axes: PriceAxes, policies: Sequence[Exposing], *, strength: float = float("nan")) -> PricePoint:
    """Read one strength of a re-ranker.

    Args:
        axes: How re-rankings are read.
        policies: The re-ranking; several are repeats of a random re-ranker, whose values are
            averaged per query.
        strength: Its strength.
    """
    readings = [axes.read(policy) for policy in policies]
    if len(readings) == 1:
        return PricePoint(strength, *readings[0])
    off, quality, shares = (_mean([reading[axis] for reading in readings]) for axis in range(3))
    repeats = np.array([_means(reading) for reading in readings])
    return PricePoint(strength, off, quality, shares, repeats=repeats)


def point_summary(curve: PriceCurve, place: int, today: PriceCurve) -> PointSummary:
    """One point beside today's lists.

    Args:
        curve: A re-ranker's curve.
        place: Index of the point.
        today: The run as it stands, over the same queries.
    """
    now, point = today.points[0], curve.points[place]
    both = compared(point, now)
    n = int(both.sum())
    before, after = now.quality[both], point.quality[both]
    change = after - before
    worse, better = change < -TIE, change > TIE
    off, was = _off(point, both), _off(now, both)
    mean_before = float(before.mean()) if n else float("nan")
    return PointSummary(
        method=curve.method,
        place=place,
        strength=point.strength,
        off=off,
        moved=was - off,
        quality=float(after.mean()) if n else float("nan"),
        change=float(change.mean()) / mean_before if n and mean_before > 0 else float("nan"),
        shares=_mean_shares(point.shares[both]),
        n_queries=n,
        n_undefined=both.size - n,
        n_worse=int(worse.sum()),
        n_better=int(better.sum()),
        n_unchanged=n - int((worse | better).sum()),
    )


def point_summaries(curve: PriceCurve, today: PriceCurve) -> list[PointSummary]:
    """Every point of a curve beside today's lists, by rising strength."""
    return [point_summary(curve, place, today) for place in range(len(curve.points))]


def compared(point: PricePoint, now: PricePoint) -> BoolArray:
    """(Q) queries on which a point can be compared with today's lists."""
    both = ~(np.isnan(point.quality) | np.isnan(now.quality))
    if np.isnan(now.overall):  # a measure of the whole system has no value per query
        both &= ~(np.isnan(point.off) | np.isnan(now.off))
    return both


def largest_gap(now: PointSummary, target: FloatArray) -> int | None:
    """The group that today's lists leave furthest under its target; None where all have theirs.

    Args:
        now: Today's lists.
        target: (Q, G) target shares.
    """
    targets = target[~np.isnan(target).any(axis=1)]
    if not len(targets) or np.isnan(now.shares).any():
        return None
    gaps = targets.mean(axis=0) - now.shares
    group = int(np.argmax(gaps))
    return group if gaps[group] > TIE else None


def queries_without(missing: BoolArray) -> IntArray:
    """(G) queries that have no candidate of each group."""
    return missing.sum(axis=0).astype(np.int64)


def _off(point: PricePoint, where: BoolArray) -> float:
    if not np.isnan(point.overall):
        return point.overall
    return float(point.off[where].mean()) if where.any() else float("nan")


def _mean_shares(shares: FloatArray) -> FloatArray:
    """(G) mean over the queries that have labelled attention."""
    known = ~np.isnan(shares).any(axis=1)
    return np.array([float(column[known].mean()) if known.any() else np.nan for column in shares.T])


def _means(reading: Reading) -> tuple[float, float]:
    both = ~(np.isnan(reading.off) | np.isnan(reading.quality))
    if not both.any():
        return float("nan"), float("nan")
    return float(reading.off[both].mean()), float(reading.quality[both].mean())


def _mean(values: Sequence[FloatArray]) -> FloatArray:
    """Mean of repeats; NaN where any of them is undefined."""
    return np.asarray(np.mean(np.stack(values), axis=0))
