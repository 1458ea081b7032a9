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
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.evaluation.systems import first_items
from fairviz.kernels.grouping import off_target_share, pooled_shares
from fairviz.kernels.pool import pool, ranked_lists
from fairviz.model import BoolArray, FloatArray, IntArray, RankingSample, Resamples, Run, Target
from fairviz.points.shares import PooledShares, share_of_all_queries
from fairviz.points.targeted import Held
from fairviz.reranking.catalogue import RERANKERS, Reranker, find_reranker
from fairviz.stats.bootstrap import UNDEFINED, Interval, Intervals, bootstrap_counts, percentiles, resampled_means
from fairviz.stats.tests import MIN_UNITS, SIGNIFICANCE
from fairviz.studies.policy_lab.bench import (
    Bench,
    ExposedPolicy,
    ListPolicy,
    bench_of,
    group_depths,
    one_list_each,
    points_off,
)
from fairviz.studies.policy_lab.distances import distance_measure, measured
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.strengths import of_queries, reranked, reranked_run, strength_of, why_not

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

    @property
    def moves(self) -> bool:
        """Whether it is significantly nearer than today; else nobody can tell."""
        return self.p < SIGNIFICANCE

    def stays(self, budget: float) -> Literal["yes", "no", "unlikely", "cannot tell"]:
        """Whether its cost is inside the budget.

        "no" where its whole interval is over it, "unlikely" where its estimate is and the interval reaches inside.
        """
        if self.change_ends.low >= -budget - NEARER:
            return "yes"
        if self.is_inside(budget):
            return "cannot tell"
        return "unlikely" if self.change_ends.high >= -budget else "no"

    def state(self, budget: float) -> Mark:
        """Both in one."""
        if self.over(budget):
            return "over"
        return "certain" if self.moves and self.stays(budget) == "yes" else "estimate"

    def over(self, budget: float) -> str:
        """That it is over budget, and whether by estimate alone; empty where it is not."""
        return {"no": "over budget", "unlikely": "over budget by estimate"}.get(self.stays(budget), "")

    def unsure(self, budget: float) -> str:
        """What cannot be told; empty for nothing."""
        stays = ["stays in budget"] if self.stays(budget) == "cannot tell" else []
        open_ = [*([] if self.moves else ["moves"]), *stays]
        return f"cannot tell whether it {' or '.join(open_)}" if open_ else ""

    def verdict(self, budget: float) -> str:
        """What may be said of it under a budget: headline, row, chart and brief have these words."""
        stays = "stays in budget" if self.stays(budget) == "yes" else self.over(budget)
        parts = ["moves" if self.moves else "", self.unsure(budget), stays]
        return ", ".join(part for part in parts if part)


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

    def __init__(self, beside: Held, settings: PolicyLabSettings) -> None:
        """Prepare; only today's lists are read.

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
        self.depths = group_depths(self.held, settings)
        self.run = first_items(ranked, self.depths.depths)
        self.measure = distance_measure(labels, target, settings) if settings.distance else None

        bench = bench_of(pool(self.run, qrels), self.held, settings)
        pools, due = bench.pools, bench.target
        lists = one_list_each(ranked_lists(self.run, pools), pools.docs.size)
        point = price_point(bench, [lists])
        self.unlabelled = bench.unlabelled_attention(lists)
        now = setting_beside(TODAY, point, point, due)
        self.bench = replace(bench, today=np.nan_to_num(now.shares), protected=largest_gap(now, due))
        self.today = self._measured(point, [self.run])
        counts = bootstrap_counts(len(pools.query_ids), rng=np.random.default_rng(settings.seed))
        self.resampled = Resampled(self.today, due, counts)
        self._tried: dict[str, list[tuple[PricePoint, Setting]]] = {}
        self._lock = threading.Lock()
        self.n_repeats = N_REPEATS if self.run.docs.size < LARGE else N_REPEATS_LARGE

    @cached_property
    def now(self) -> Setting:
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
                points = [self._point(reranker, strength) for strength in grid]
                self._tried[name] = [(point, self.resampled.setting(name, point)) for point in points]

    def point(self, method: str, strength: float) -> PricePoint | None:
        """The point of a method at a strength; None where it was not tried."""
        return next((point for point, _ in self._tried.get(method, ()) if point.strength == strength), None)

    def tried(self, method: str) -> list[Setting]:
        """What is known of a method beside today's lists, by rising strength; empty where it was not tried."""
        return [setting for _, setting in self._tried.get(method, ())]

    def refused(self, methods: Sequence[str]) -> dict[str, str]:
        """{method: why it does not apply to these data}."""
        reasons = {reranker.name: why_not(reranker, self.bench) for reranker in RERANKERS if reranker.name in methods}
        return {name: reason for name, reason in reasons.items() if reason}

    def is_random(self, method: str, strength: float) -> bool:
        """Whether a random re-ranker shows other lists at each visit: at either end it may not."""
        always_same = any(each.strength == strength and each.is_fixed for each in self.tried(method))
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
