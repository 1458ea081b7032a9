"""The price of fairness: what each strength of a re-ranker moves, and what that costs in quality.

One point per strength: how far attention by group is from the target, against quality. Lists, mixtures of lists and
policies known by their exposure are exact; random re-rankers are the mean of a few repeats.

All numbers are over one set of queries, those on which today's lists have both values: shares are of the attention of
all of them together, so that a query that shows no labelled document says nothing and is not left out. Only other
measures can be undefined for a query at one strength and not at another; such a point stands apart, with its n.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.kernels.grouping import pooled_shares
from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.points.shares import PooledShares, share_of_all_queries
from fairviz.stats.bootstrap import Intervals
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.policy_lab.axes import Exposing, ListPolicy, PriceAxes, points_off

TODAY = "today"
"""Name of the curve of one point that is the run as it stands."""
TIE = 1e-9
"""Differences of quality below this are rounding: the query is unchanged."""


class PricePoint(NamedTuple):
    """One strength of a re-ranker.

    Attributes:
        strength: Its value; NaN = the re-ranker has none.
        attention: (Q, G) expected attention on the items of each group; NaN = undefined.
        quality: (Q) quality; NaN = undefined.
        distance: (Q) values of another measure than points off target; empty where there is none.
        overall: Distance of a measure that has one value for the whole system, else NaN.
        n_lists: (Q) lists of which a visitor sees one; 0 = more than can be counted. Empty where nobody asked.
    """

    strength: float
    attention: FloatArray
    quality: FloatArray
    distance: FloatArray = np.empty(0)
    overall: float = float("nan")
    n_lists: IntArray = np.empty(0, dtype=np.int64)

    @property
    def is_fixed(self) -> bool:
        """Whether every visitor sees the same list of each query."""
        return bool(self.n_lists.size) and bool((self.n_lists == 1).all())

    @property
    def shares(self) -> FloatArray:
        """(Q, G) shares of the labelled attention of each query; NaN where it shows none."""
        return pooled_shares(self.attention[:, None, :])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PriceCurve:
    """A re-ranker on one run, from its weakest to its strongest setting.

    Attributes:
        system: Name of the run.
        method: Name of the re-ranker as typed, or :data:`TODAY`.
        query_ids: Q queries.
        target: (Q, G) target shares.
        points: By rising strength.
    """

    system: str
    method: str
    query_ids: tuple[str, ...]
    target: FloatArray
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
        strength: Strength there.
        off: Distance from the target.
        moved: How much nearer than today; negative = further away.
        quality: Mean quality.
        change: Change of mean quality as a part of today's; NaN where today's is 0.
        shares: (G) share of labelled attention.
        n_queries: Queries in all of these.
        n_undefined: Queries left out.
        n_worse, n_better, n_unchanged: Queries by what happens to their quality.
        n_labelled: Queries with labelled attention, today and at this point: the ones that say something of shares.
        n_today: Queries on which today's lists have both values; more than ``n_queries`` = the point stands apart.
    """

    method: str
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
    n_labelled: int
    n_today: int

    @property
    def is_apart(self) -> bool:
        """Whether it is over other queries than today's lists."""
        return self.n_queries < self.n_today

    @property
    def is_few(self) -> bool:
        """Whether it rests on too few queries for anything to be said of it."""
        return min(self.n_queries, self.n_labelled) < MIN_UNITS


def price_point(axes: PriceAxes, policies: Sequence[Exposing], *, strength: float = float("nan")) -> PricePoint:
    """Read one strength of a re-ranker.

    Args:
        axes: How re-rankings are read.
        policies: The re-ranking; several are repeats of a random re-ranker, whose values are
            averaged per query.
        strength: Its strength.
    """
    readings = [axes.read(policy) for policy in policies]
    attention, quality = _mean([r.attention for r in readings]), _mean([r.quality for r in readings])
    return PricePoint(strength, attention, quality, n_lists=_n_lists(policies, len(axes.pools.query_ids)))


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
    off, was = point_distance(point, both, curve.target), point_distance(now, both, curve.target)
    mean_before = float(before.mean()) if n else float("nan")
    seen = (now.attention[both].sum(axis=1) > 0) & (point.attention[both].sum(axis=1) > 0)
    return PointSummary(
        method=curve.method,
        strength=point.strength,
        off=off,
        moved=was - off,
        quality=float(after.mean()) if n else float("nan"),
        change=float(change.mean()) / mean_before if n and mean_before > 0 else float("nan"),
        shares=pooled_shares(point.attention[both]),
        n_queries=n,
        n_undefined=both.size - n,
        n_worse=int(worse.sum()),
        n_better=int(better.sum()),
        n_unchanged=n - int((worse | better).sum()),
        n_labelled=int(seen.sum()),
        n_today=int(compared(now, now).sum()),
    )


def compared(point: PricePoint, now: PricePoint) -> BoolArray:
    """(Q) queries on which a point can be compared with today's lists."""
    both = ~(np.isnan(point.quality) | np.isnan(now.quality))
    both &= ~(np.isnan(point.attention) | np.isnan(now.attention)).any(axis=1)
    if now.distance.size and np.isnan(now.overall):  # a measure of the whole system has no value per query
        both &= ~(np.isnan(point.distance) | np.isnan(now.distance))
    return both


def point_distance(point: PricePoint, where: BoolArray, target: FloatArray) -> float:
    """Distance of a point from the target over some queries."""
    if not np.isnan(point.overall):
        return point.overall
    if not where.any():
        return float("nan")
    if point.distance.size:
        return float(point.distance[where].mean())
    return float(points_off(point.attention[where], target[where]))


def largest_gap(now: PointSummary, target: FloatArray) -> int | None:
    """The group that today's lists leave furthest under its target; None where all have theirs.

    Args:
        now: Today's lists.
        target: (Q, G) target shares.
    """
    aim = mean_target(target)
    if np.isnan(aim).any() or np.isnan(now.shares).any():
        return None
    gaps = aim - now.shares
    group = int(np.argmax(gaps))
    return group if gaps[group] > TIE else None


class SharesBeside(NamedTuple):
    """Shares of attention by group, before and after, over the queries that are compared.

    Attributes:
        groups: G names.
        today, after: Of all queries together, with their intervals; these are NaN below ten queries with labels.
        target: (G) what they should be.
        gains: (G) intervals of after less today, paired, for all groups and settings together; NaN where unknown.
    """

    groups: tuple[str, ...]
    today: PooledShares
    after: PooledShares
    target: FloatArray
    gains: Intervals

    @property
    def by_gain(self) -> list[int]:
        """Places of the groups: what gains most first, of equals the largest today, what has no share last."""
        gained = np.round(self.after.shares - self.today.shares, 9)
        order: list[int] = np.lexsort((-self.today.shares, -gained)).tolist()
        return order


def shares_beside(
    groups: tuple[str, ...], now: PricePoint, point: PricePoint, target: FloatArray, gains: Intervals | None = None
) -> SharesBeside:
    """Shares by group today and at one setting.

    Args:
        groups: G names.
        now: Today's lists.
        point: The setting.
        target: (Q, G) target shares.
        gains: (G) intervals of what each group gains.
    """
    both = compared(point, now)[:, None]
    today, after = (share_of_all_queries(np.where(both, each.attention, 0.0)) for each in (now, point))
    unknown = np.full(len(groups), np.nan)
    if today.n_queries < MIN_UNITS:
        today, after = (each._replace(ends=Intervals(unknown, unknown)) for each in (today, after))
    known = Intervals(unknown, unknown) if gains is None or not gains.low.size else gains
    return SharesBeside(groups, today, after, mean_target(target), known)


def mean_target(target: FloatArray) -> FloatArray:
    """(G) the target of all queries together; NaN where no query has one."""
    known: list[FloatArray] = [row for row in target if not np.isnan(row).any()]
    return _mean(known or [np.full(int(target.shape[1]), np.nan)])


def _n_lists(policies: Sequence[Exposing], n_queries: int) -> IntArray:
    """(Q) lists of each query: counted where they are written down and every repeat has the same ones."""
    first, *others = policies
    if not isinstance(first, ListPolicy):
        return np.zeros(n_queries, dtype=np.int64)
    for other in others:
        if not isinstance(other, ListPolicy) or not np.array_equal(other.lists.rows, first.lists.rows):
            return np.zeros(n_queries, dtype=np.int64)
    return np.maximum(np.bincount(first.lists.queries, minlength=n_queries), 1)


def _mean(values: Sequence[FloatArray]) -> FloatArray:
    """Mean of arrays of one shape; NaN where any of them is."""
    return np.asarray(np.mean(np.stack(values), axis=0))
