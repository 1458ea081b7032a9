"""The price of fairness: what each strength of every re-ranker moves on one run, and what that costs in quality.

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
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fairviz.kernels.grouping import off_target_share, pooled_shares
from fairviz.model import BoolArray, FloatArray, IntArray, Resamples
from fairviz.stats.bootstrap import UNDEFINED, Interval, percentiles, resampled_means
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.policy_lab.bench import (
    Bench,
    ExposedPolicy,
    ListPolicy,
    points_off,
)

TODAY = "today"
"""Name of the run as it stands, among methods."""
TIE = 1e-9
"""Differences of quality below this are rounding: the query is unchanged."""
LARGE = 10_000
"""Candidates from which a computation for each strength, or step, keeps a person waiting: fewer are done."""
NEARER = 1e-6
"""A setting counts as nearer to the target from this distance on; less is rounding."""

Row: TypeAlias = dict[str, Any]
"""One setting, a strength of a method beside today's lists: a row of :func:`settings_frame` by column."""


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


def setting_beside(method: str, point: PricePoint, now: PricePoint, target: FloatArray) -> Row:
    """One point beside today's lists, over the queries where both have a value; without intervals.

    Args:
        method: Name of the re-ranker as typed, or :data:`TODAY`.
        point: Where it is.
        now: The run as it stands, over the same queries.
        target: (G) target shares.

    Returns:
        ``method``, ``strength``; ``off``, the distance from the target, and ``moved``, how much nearer than today that
        is; mean ``quality`` and its ``change`` as a part of today's, NaN where today's is 0; (G) ``shares`` of labelled
        attention; ``n_queries`` in all of these and ``n_undefined`` left out; ``n_worse``, ``n_better``,
        ``n_unchanged``: queries by what happens to their quality; ``n_labelled``: those with labelled attention, today
        and at this point, the ones that say something of shares; ``fewest`` and ``most`` lists per query of which a
        visitor sees one, 0 = more than can be counted; whether it ``is_fixed``: every visitor sees the same lists;
        whether it ``is_few``: it rests on too few queries; whether it ``counts``: it can be compared, over today's
        queries and enough of them.
    """
    both = compared(point, now)
    n, n_today = int(both.sum()), int(compared(now, now).sum())
    before, after = now.quality[both], point.quality[both]
    change = after - before
    n_worse, n_better = int((change < -TIE).sum()), int((change > TIE).sum())
    off = point_distance(point, both, target)
    mean_before = float(before.mean()) if n else math.nan
    labelled = (now.attention[both].sum(axis=1) > 0) & (point.attention[both].sum(axis=1) > 0)
    n_lists, n_labelled = point.n_lists if point.n_lists.size else np.zeros(1, np.int64), int(labelled.sum())
    is_few = min(n, n_labelled) < MIN_UNITS
    return {
        "method": method,
        "strength": point.strength,
        "off": off,
        "moved": point_distance(now, both, target) - off,
        "quality": float(after.mean()) if n else math.nan,
        "change": float(change.mean()) / mean_before if mean_before > 0 else math.nan,
        "shares": pooled_shares(point.attention[both]),
        "n_queries": n,
        "n_undefined": both.size - n,
        "n_worse": n_worse,
        "n_better": n_better,
        "n_unchanged": n - n_worse - n_better,
        "n_labelled": n_labelled,
        "fewest": int(n_lists.min()),
        "most": int(n_lists.max()),
        "is_fixed": bool((n_lists == 1).all()),
        "is_few": is_few,
        "counts": n >= n_today and not is_few,
    }


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


def largest_gap(now: Row, target: FloatArray) -> int | None:
    """The group that today's lists leave furthest under its target; None where all have theirs.

    Args:
        now: Today's lists.
        target: (G) target shares.
    """
    if np.isnan(now["shares"]).any():
        return None
    gaps = target - now["shares"]
    group = int(np.argmax(gaps))
    return group if gaps[group] > TIE else None


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

    def setting(self, method: str, point: PricePoint) -> Row:
        """A point with its intervals; a value that no resample moves is its own interval.

        Returns:
            As of :func:`setting_beside`, and: 95 % intervals ``change_low`` to ``change_high`` of the change of
            quality, and ``moved_low`` to ``moved_high`` of how much nearer it is, NaN also for a measure without values
            per query; ``ratio``: how much nearer, in standard errors over resamples, and (B) ``excess``: the same of
            each resample once the setting's own movement is taken off; (B) ``changes`` of quality in each resample;
            ``worst``: the largest loss of a query, a negative part of today's mean quality, 0 = no query loses; (G)
            ``gains``: changes of each group's share, (G) ``gain_errors``: their standard errors, (B) ``swings``: the
            largest deviation of any group's gain in each resample, in standard errors. NaN below two queries.
        """
        now, row = self.now, setting_beside(method, point, self.now, self.target)
        both, n = compared(point, now), int(row["n_queries"])
        row |= {"worst": 0.0} | dict.fromkeys((*ENDS, "ratio"), math.nan)
        row |= dict.fromkeys(GAINS, np.full(self.target.size, np.nan))
        row |= dict.fromkeys(DRAWN, np.full(len(self.counts), np.nan))
        if n < 2:
            return row
        rows = np.stack([np.where(both, point.quality - now.quality, 0.0), now.quality])
        changes, before = resampled_means(np.nan_to_num(rows), self.counts, np.stack([both, both]))
        today = float(now.quality[both].mean())
        change = np.where(before > 0, changes / np.where(before > 0, before, 1.0), np.nan)
        was, before = self._drawn if both.sum() == compared(now, now).sum() else self._resampled(now, both)
        shares, after = self._resampled(point, both)
        gaps = before - after
        gains = row["shares"] - pooled_shares(now.attention[both])
        deviations = np.abs(np.nan_to_num(shares - was - gains))  # a resample without labelled attention says nothing
        errors = np.sqrt((deviations**2).mean(axis=0))
        own = float(row["moved"])
        ratio, excess = math.nan, np.full(gaps.size, np.nan)
        if not np.isnan(gaps).any():
            error = max(float(gaps.std()), NEARER)
            ratio, excess = math.copysign(math.inf, own), np.full(gaps.size, -np.inf)
            if gaps.std() > NEARER:  # a mean over its resampled standard error, in normal ones by Student's t
                from scipy.special import ndtri, stdtr  # as long to load as all else: where it is used

                unbiased = own / error * math.sqrt((n - 1) / n)
                ratio, excess = -float(ndtri(stdtr(n - 1.0, -unbiased))), (gaps - own) / error
        worst = min(float(rows[0].min()), 0.0) / today if today > 0 else 0.0
        swings = (deviations / np.where(errors > NEARER, errors, np.inf)).max(axis=1, initial=0.0)
        row |= dict(zip(ENDS, (*_interval(change, n), *_interval(gaps, n)), strict=True))
        row |= {"worst": worst, "ratio": ratio, "gains": gains, "gain_errors": errors}
        return row | {"excess": excess, "changes": change, "swings": swings}


ENDS, GAINS = ("change_low", "change_high", "moved_low", "moved_high"), ("gains", "gain_errors")
"""Ends of intervals; columns with a value of each group."""
DRAWN = ("excess", "changes", "swings")
"""Columns with a value of each resample."""


def settings_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """Settings of :meth:`Resampled.setting`, a row each; values of groups and of resamples are columns of arrays."""
    return pl.DataFrame([pl.Series(key, np.stack([row[key] for row in rows])) for key in rows[0]])


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
