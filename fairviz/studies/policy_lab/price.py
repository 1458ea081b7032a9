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
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fairviz.errors import UndefinedError
from fairviz.io.stored import first_items
from fairviz.kernels.grouping import off_target_share, pooled_shares
from fairviz.kernels.pool import pool, ranked_lists
from fairviz.model import BoolArray, FloatArray, IntArray, RankingSample, Resamples, Run, Target
from fairviz.points.targets import Held
from fairviz.reranking.catalogue import RERANKERS, Reranker, find_reranker
from fairviz.stats.bootstrap import UNDEFINED, Interval, bootstrap_counts, percentiles, resampled_means
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.policy_lab.bench import (
    Bench,
    ExposedPolicy,
    GroupDepths,
    ListPolicy,
    bench_of,
    distance_measure,
    group_depths,
    measured,
    one_list_each,
    points_off,
)
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.strengths import of_queries, reranked, reranked_run, strength_of, why_not

TODAY = "today"
"""Name of the run as it stands, among methods."""
TIE = 1e-9
"""Differences of quality below this are rounding: the query is unchanged."""
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


# Every re-ranker on one run under one target, method by method.


N_REPEATS = 5
"""Lists of a random re-ranker whose values are averaged."""
LARGE, N_REPEATS_LARGE = 10_000, 3
"""Candidates from which random re-rankers get fewer repeats and every other strength: all would
keep a person waiting."""
N_DRAWN = 50
"""Rankings drawn of a policy for a measure that reads rankings; points off target need none."""


class Prices:
    """What re-rankers cost on one run under one target: of each method nothing before :meth:`compute`, then all of it.

    Attributes:
        held: Run, groups, target.
        settings: Ranks, attention, quality, what re-rankers see, and the seed of all chance.
        measure: Another distance than points off target.
        depths: How deep each query is re-ranked.
        run: The candidates: the run down to there.
        bench: How re-rankings are read, and what re-rankers see.
        today: The run as it stands.
        resampled: The same under resampled queries.
        unlabelled: (Q) attention on items without a label today.
        n_repeats: Lists of a random re-ranker.
    """

    def __init__(self, beside: Held, settings: PolicyLabSettings, depths: GroupDepths | None = None) -> None:
        """Prepare; only today's lists are read.

        Args:
            beside: Run, groups, target.
            settings: Ranks, attention, quality, what re-rankers see, and the seed of all chance.
            depths: How deep each query is re-ranked; None: as deep as the target asks for.

        Raises:
            UndefinedError: Something is missing, or the distance has no value on these data.
            UsageError: There is no such distance.
        """
        ranked, qrels, labels = beside.of[:3]
        if not isinstance(ranked, Run) or qrels is None:
            raise UndefinedError("a price needs a scored run and judgements: give RUN and --qrels FILE")
        beside.refuse_one_group()
        shares = np.round(beside.target.shares, 6)  # what nobody can see
        shares /= shares.sum()  # and once more, since rounding leaves a last bit that decides ties
        target = Target(groups=beside.target.groups, shares=shares / shares.sum())
        self.held, self.settings, self.qrels = beside._replace(target=target), settings, qrels
        self.depths = depths or group_depths(self.held.of, target.shares, settings)
        self.run = first_items(ranked, self.depths.depths)
        self.measure = distance_measure(labels, target, settings) if settings.distance else None

        bench = bench_of(pool(self.run, qrels), self.held, settings)
        pools, due = bench.pools, bench.target
        lists = one_list_each(ranked_lists(self.run, pools), pools.docs.size)
        point = price_point(bench, [lists])
        self.unlabelled = bench.unlabelled_attention(lists)
        now = setting_beside(TODAY, point, point, due)
        self.bench = replace(bench, today=np.nan_to_num(now["shares"]), protected=largest_gap(now, due))
        self.today = self._measured(point, [self.run])
        counts = bootstrap_counts(len(pools.query_ids), rng=np.random.default_rng(settings.seed))
        self.resampled = Resampled(self.today, due, counts)
        self._tried: dict[str, pl.DataFrame] = {}
        self._points: dict[tuple[str, float], PricePoint] = {}
        self._lock = threading.Lock()
        self.n_repeats = N_REPEATS if self.run.docs.size < LARGE else N_REPEATS_LARGE

    @cached_property
    def now(self) -> Row:
        """Today's lists on the axes."""
        return setting_beside(TODAY, self.today, self.today, self.bench.target)

    @cached_property
    def whole_bench(self) -> Bench:
        """The bench with all queries of the run, judged or not: for lists to download."""
        whole = bench_of(pool(self.run, self.qrels, queries="ranked"), self.held, self.settings)
        return replace(whole, today=self.bench.today, protected=self.bench.protected)

    @property
    def unlabelled_share(self) -> float:
        """Share of today's attention, over the compared queries, on items without a label."""
        where = compared(self.today, self.today)
        rest = float(self.unlabelled[where].sum())
        total = rest + float(self.today.attention[where].sum())
        return rest / total if total > 0 else float("nan")

    def compute(self, methods: Sequence[str]) -> None:
        """Re-rank at every strength by the methods that were not tried yet.

        Args:
            methods: Names of re-rankers; those that do not apply are passed over.
        """
        with self._lock:  # two pages that want the same wait for one
            for reranker in RERANKERS:
                name = reranker.name
                if name not in methods or name in self._tried or why_not(reranker, self.bench):
                    continue
                few = reranker.random and self.n_repeats < N_REPEATS
                grid = strength_of(reranker).grid[:: 2 if few else 1]
                points = {(name, strength): self._point(reranker, strength) for strength in grid}
                self._tried[name] = settings_frame([self.resampled.setting(name, each) for each in points.values()])
                self._points |= points

    def point(self, method: str, strength: float) -> PricePoint | None:
        """The point of a method at a strength; None where it was not tried."""
        return self._points.get((method, strength))

    def tried(self, *methods: str) -> pl.DataFrame:
        """What is known of methods beside today's lists, by rising strength; no rows where none was tried."""
        return pl.concat([self._none, *(self._tried[name] for name in methods if name in self._tried)])

    @cached_property
    def _none(self) -> pl.DataFrame:
        return settings_frame([self.resampled.setting(TODAY, self.today)]).clear()

    def refused(self, methods: Sequence[str]) -> dict[str, str]:
        """{method: why it does not apply to these data}."""
        reasons = {reranker.name: why_not(reranker, self.bench) for reranker in RERANKERS if reranker.name in methods}
        return {name: reason for name, reason in reasons.items() if reason}

    def is_random(self, method: str, strength: float) -> bool:
        """Whether a random re-ranker shows other lists at each visit: at either end it may not."""
        always_same = self.tried(method).filter(pl.col("strength") == strength, "is_fixed").height > 0
        return find_reranker(method).random and not always_same

    def _point(self, reranker: Reranker, strength: float) -> PricePoint:
        policies = reranked(reranker, self.bench, strength, n_repeats=self.n_repeats, seed=self.settings.seed)
        point = price_point(self.bench, policies, strength=strength)
        if self.measure is None:
            return point
        seeds = range(self.settings.seed, self.settings.seed + (self.n_repeats if reranker.random else 1))
        lists = [reranked_run(self.run, reranker, self.whole_bench, strength, seed=s, n_samples=N_DRAWN) for s in seeds]
        return self._measured(point, lists)

    def _measured(self, point: PricePoint, lists: Sequence[Run | RankingSample]) -> PricePoint:
        """The point on the chosen distance; repeats of a random re-ranker are averaged."""
        if self.measure is None:
            return point
        known, query_ids = ~np.isnan(point.quality) & ~np.isnan(point.attention).any(axis=1), self.bench.pools.query_ids
        queries = {query for query, has in zip(query_ids, known.tolist(), strict=True) if has}
        # One set of queries for distance and quality.
        values = [measured(of_queries(ranked, queries), self.measure, query_ids, self.held) for ranked in lists]
        return point._replace(distance=np.asarray(np.mean(np.stack(values), axis=0)))
