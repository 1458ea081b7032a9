"""The price of fairness: what each strength of a re-ranker moves, and what that costs in quality.

A *point* holds attention by group and quality of every query at one strength. A *setting* is a point beside today's
lists: how far attention by group is from the target, the change of mean quality as a part of today's, and how sure both
are, by a paired expanded percentile bootstrap over queries: every resample recomputes today's values, the setting's and
what lies between. Lists, mixtures of lists and policies known by their exposure are exact; random re-rankers are the
mean of a few repeats.

All numbers are over one set of queries, those on which today's lists have both values: shares are of the attention of
all of them together, so that a query that shows no labelled document says nothing and is not left out. Only other
measures can be undefined for a query at one strength and not at another; such a setting stands apart, with its n.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.kernels.grouping import off_target_share, pooled_shares
from fairviz.model import BoolArray, FloatArray, IntArray, Resamples
from fairviz.points.shares import PooledShares, share_of_all_queries
from fairviz.stats.bootstrap import UNDEFINED, Interval, Intervals, percentiles, resampled_means
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE
from fairviz.studies.policy_lab.bench import Bench, ExposedPolicy, ListPolicy, points_off

TODAY = "today"
"""Name of the run as it stands, among methods."""
TIE = 1e-9
"""Differences of quality below this are rounding: the query is unchanged."""
NEARER = 1e-6
"""A setting counts as nearer to the target from this distance on; less is rounding."""

Mark: TypeAlias = Literal["certain", "estimate", "over"]
"""How a setting is drawn: it moves and stays in budget, one of the two cannot be told, or it is over the budget."""


class PricePoint(NamedTuple):
    """One strength of a re-ranker.

    Attributes:
        strength: Its value; NaN = the re-ranker has none.
        attention: (Q, G) expected attention on the items of each group; NaN = undefined.
        quality: (Q) quality; NaN = undefined.
        distance: (Q) values of another measure than points off target, or its one value for the whole system, without
            dimension; empty where there is none.
        n_lists: (Q) lists of which a visitor sees one; 0 = more than can be counted. Empty where nobody asked.
    """

    strength: float
    attention: FloatArray
    quality: FloatArray
    distance: FloatArray = np.empty(0)
    n_lists: IntArray = np.empty(0, dtype=np.int64)

    @property
    def shares(self) -> FloatArray:
        """(Q, G) shares of the labelled attention of each query; NaN where it shows none."""
        return pooled_shares(self.attention[:, None, :])


class Verdict(NamedTuple):
    """What may be said of a setting: headline, row, chart and brief have these words.

    Attributes:
        moves: Whether it is significantly nearer than today; else nobody can tell.
        stays: Whether its cost is inside the budget: "no" where its whole interval is over it, "unlikely" where its
            estimate is and the interval reaches inside.
    """

    moves: bool
    stays: Literal["yes", "no", "unlikely", "cannot tell"]

    @property
    def state(self) -> Mark:
        """Both in one."""
        if self.over:
            return "over"
        return "certain" if self.moves and self.stays == "yes" else "estimate"

    @property
    def over(self) -> str:
        """That it is over budget, and whether by estimate alone; empty where it is not."""
        return {"no": "over budget", "unlikely": "over budget by estimate"}.get(self.stays, "")

    @property
    def unsure(self) -> str:
        """What cannot be told; empty for nothing."""
        open_ = [*([] if self.moves else ["moves"]), *(["stays in budget"] if self.stays == "cannot tell" else [])]
        return f"cannot tell whether it {' or '.join(open_)}" if open_ else ""

    @property
    def words(self) -> str:
        """Both answers in words."""
        stays = "stays in budget" if self.stays == "yes" else self.over
        moves = "moves" if self.moves else ""
        parts = [moves, self.unsure, stays] if not moves or stays else [moves, self.unsure]
        return ", ".join(part for part in parts if part)


class Setting(NamedTuple):
    """One strength of one method beside today's lists, over the queries where both have a value; how sure one can be.

    Attributes:
        method: Name of the re-ranker as typed, or :data:`TODAY`.
        strength: Of the point.
        off: Distance from the target.
        moved: How much nearer than today; negative = further away.
        quality: Mean quality.
        change: Change of mean quality as a part of today's; NaN where today's is 0.
        shares: (G) share of labelled attention.
        n_queries: Queries in all of these.
        n_undefined: Queries left out.
        n_worse, n_better, n_unchanged: Queries by what happens to their quality.
        n_labelled: Queries with labelled attention, today and at this point: the ones that say something of shares.
        n_today: Queries on which today's lists have both values; more than ``n_queries`` = the setting stands apart.
        n_lists: Fewest and most lists per query of which a visitor sees one; 0 = more than can be counted.
        change_ends: 95 % interval of the change of quality; NaN below two queries.
        moved_ends: 95 % interval of how much nearer it is; NaN also for a measure without values per query.
        ratio: How much nearer, in standard errors over resamples; NaN where nothing is resampled.
        excess: (B) the same of each resample once the setting's own movement is taken off.
        changes: (B) the change of quality in each resample; empty below two queries.
        worst: The largest loss of a query, a negative part of today's mean quality; 0 = no query loses.
        gains: (G) change of each group's share of attention; empty below two queries.
        gain_errors: (G) their standard errors over resamples.
        swings: (B) the largest deviation of any group's gain in each resample, in standard errors.
        gain_ends: (G) intervals of the gains, for all groups and settings together; empty before these are known.
        p: Of its being nearer than today, corrected for every setting that was tried; NaN = not tested.
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
    n_lists: tuple[int, int] = (0, 0)
    change_ends: Interval = UNDEFINED
    moved_ends: Interval = UNDEFINED
    ratio: float = math.nan
    excess: FloatArray = np.empty(0)
    changes: FloatArray = np.empty(0)
    worst: float = 0.0
    gains: FloatArray = np.empty(0)
    gain_errors: FloatArray = np.empty(0)
    swings: FloatArray = np.empty(0)
    gain_ends: Intervals = Intervals(np.empty(0), np.empty(0))
    p: float = math.nan

    @property
    def is_few(self) -> bool:
        """Whether it rests on too few queries for anything to be said of it."""
        return min(self.n_queries, self.n_labelled) < MIN_UNITS

    @property
    def is_fixed(self) -> bool:
        """Whether every visitor sees the same lists."""
        return self.n_lists == (1, 1)

    @property
    def counts(self) -> bool:
        """Whether it can be compared: over today's queries, and enough of them."""
        return self.n_queries >= self.n_today and not self.is_few

    def is_inside(self, budget: float) -> bool:
        """Whether it costs no more than the budget by its estimate."""
        return self.change >= -budget - NEARER

    def verdict(self, budget: float) -> Verdict:
        """What may be said of it under a budget."""
        sure = self.change_ends.low >= -budget - NEARER
        over = "unlikely" if self.change_ends.high >= -budget else "no"
        return Verdict(self.p < SIGNIFICANCE, "yes" if sure else "cannot tell" if self.is_inside(budget) else over)


def price_point(bench: Bench, policies: Sequence[ExposedPolicy], *, strength: float = float("nan")) -> PricePoint:
    """Read one strength of a re-ranker.

    Args:
        bench: How re-rankings are read.
        policies: The re-ranking; several are repeats of a random re-ranker, whose values are
            averaged per query.
        strength: Its strength.
    """
    readings = [bench.read(policy) for policy in policies]
    attention, quality = (np.asarray(np.mean(np.stack(values), axis=0)) for values in zip(*readings, strict=True))
    return PricePoint(strength, attention, quality, n_lists=_n_lists(policies, len(bench.pools.query_ids)))


def setting_beside(method: str, point: PricePoint, now: PricePoint, target: FloatArray) -> Setting:
    """One point beside today's lists, without intervals.

    Args:
        method: Name of the re-ranker.
        point: Where it is.
        now: The run as it stands, over the same queries.
        target: (G) target shares.
    """
    both = compared(point, now)
    n = int(both.sum())
    before, after = now.quality[both], point.quality[both]
    change = after - before
    worse, better = change < -TIE, change > TIE
    off = point_distance(point, both, target)
    mean_before = float(before.mean()) if n else float("nan")
    seen = (now.attention[both].sum(axis=1) > 0) & (point.attention[both].sum(axis=1) > 0)
    return Setting(
        method=method,
        strength=point.strength,
        off=off,
        moved=point_distance(now, both, target) - off,
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
        n_lists=(int(point.n_lists.min()), int(point.n_lists.max())) if point.n_lists.size else (0, 0),
    )


def compared(point: PricePoint, now: PricePoint) -> BoolArray:
    """(Q) queries on which a point can be compared with today's lists."""
    both = ~(np.isnan(point.quality) | np.isnan(now.quality))
    both &= ~(np.isnan(point.attention) | np.isnan(now.attention)).any(axis=1)
    if now.distance.ndim and now.distance.size:  # a measure of the whole system has no value per query
        both &= ~(np.isnan(point.distance) | np.isnan(now.distance))
    return both


def point_distance(point: PricePoint, where: BoolArray, target: FloatArray) -> float:
    """Distance of a point from the target over some queries."""
    if not point.distance.ndim:
        return float(point.distance)
    if not where.any():
        return float("nan")
    if point.distance.size:
        return float(point.distance[where].mean())
    return float(points_off(point.attention[where], target))


def largest_gap(now: Setting, target: FloatArray) -> int | None:
    """The group that today's lists leave furthest under its target; None where all have theirs.

    Args:
        now: Today's lists.
        target: (G) target shares.
    """
    if np.isnan(now.shares).any():
        return None
    gaps = target - now.shares
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
        target: (G) target shares.
        gains: (G) intervals of what each group gains.
    """
    both = compared(point, now)[:, None]
    today, after = (share_of_all_queries(np.where(both, each.attention, 0.0)) for each in (now, point))
    unknown = np.full(len(groups), np.nan)
    if today.n_queries < MIN_UNITS:
        today, after = (each._replace(ends=Intervals(unknown, unknown)) for each in (today, after))
    known = Intervals(unknown, unknown) if gains is None or not gains.low.size else gains
    return SharesBeside(groups, today, after, target, known)


class Resampled:
    """Today's lists under resampled queries: what every setting of one run is compared with.

    Args:
        now: The run as it stands.
        target: (G) target shares.
        counts: (B, Q) from :func:`~fairviz.stats.bootstrap.bootstrap_counts`.
    """

    def __init__(self, now: PricePoint, target: FloatArray, counts: Resamples) -> None:
        self.now, self.target, self.counts = now, target, counts

    @cached_property
    def _drawn(self) -> tuple[FloatArray, FloatArray]:
        return self._resampled(self.now, compared(self.now, self.now))

    def _resampled(self, point: PricePoint, both: BoolArray) -> tuple[FloatArray, FloatArray]:
        """(B, G) shares and (B) distance of a point in every resample; NaN without a value per query."""
        counts = self.counts
        shares = pooled_shares((counts @ np.where(both[:, None], point.attention, 0.0))[:, None, :])
        if not point.distance.ndim:
            return shares, np.full(len(counts), np.nan)
        if point.distance.size:
            return shares, resampled_means(np.nan_to_num(point.distance)[None, :], counts, both[None, :])[0]
        return shares, 100 * off_target_share(shares, self.target)

    def setting(self, method: str, point: PricePoint) -> Setting:
        """A point with its intervals; a value that no resample moves is its own interval."""
        now, setting = self.now, setting_beside(method, point, self.now, self.target)
        both, n = compared(point, now), setting.n_queries
        if n < 2:
            return setting
        rows = np.stack([np.where(both, point.quality - now.quality, 0.0), now.quality])
        changes, before = resampled_means(np.nan_to_num(rows), self.counts, np.stack([both, both]))
        today = float(now.quality[both].mean())
        change = np.where(before > 0, changes / np.where(before > 0, before, 1.0), np.nan)
        was, before = self._drawn if n == setting.n_today else self._resampled(now, both)
        shares, after = self._resampled(point, both)
        gaps = before - after
        gains = setting.shares - pooled_shares(now.attention[both])
        deviations = np.abs(np.nan_to_num(shares - was - gains))  # a resample without labelled attention says nothing
        errors = np.sqrt((deviations**2).mean(axis=0))
        own = setting.moved
        ratio, excess = math.nan, np.empty(0)
        if not np.isnan(gaps).any():
            error = max(float(gaps.std()), NEARER)
            ratio, excess = math.copysign(math.inf, own), np.full(gaps.size, -np.inf)
            if gaps.std() > NEARER:  # a mean over its resampled standard error, in normal ones by Student's t
                from scipy.special import ndtri, stdtr  # as long to load as all else: where it is used

                unbiased = own / error * math.sqrt((n - 1) / n)
                ratio, excess = -float(ndtri(stdtr(n - 1.0, -unbiased))), (gaps - own) / error
        return setting._replace(
            change_ends=_interval(change, n),
            moved_ends=_interval(gaps, n),
            ratio=ratio,
            excess=excess,
            changes=change,
            worst=min(float(rows[0].min()), 0.0) / today if today > 0 else 0.0,
            gains=gains,
            gain_errors=errors,
            swings=(deviations / np.where(errors > NEARER, errors, np.inf)).max(axis=1, initial=0.0),
        )


def _n_lists(policies: Sequence[ExposedPolicy], n_queries: int) -> IntArray:
    """(Q) lists of each query: counted where they are written down and every repeat has the same ones."""
    first, *others = policies
    if not isinstance(first, ListPolicy):
        return np.zeros(n_queries, dtype=np.int64)
    for other in others:
        if not isinstance(other, ListPolicy) or not np.array_equal(other.lists.rows, first.lists.rows):
            return np.zeros(n_queries, dtype=np.int64)
    return np.maximum(np.bincount(first.lists.queries, minlength=n_queries), 1)


def _interval(drawn: FloatArray, n_queries: int) -> Interval:
    known = drawn[~np.isnan(drawn)]
    if not known.size:
        return UNDEFINED
    if np.ptp(known) < NEARER:  # every resample is the same
        return Interval(float(known[0]), float(known[0]))
    ends = percentiles(drawn, n_queries)
    return Interval(float(ends.low[0]), float(ends.high[0]))
