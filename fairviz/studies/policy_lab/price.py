"""Any group measure of the catalogue as the distance from the target that re-ranking pays for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from fairviz.attention import Attention, Discounted
from fairviz.divergence import l1
from fairviz.errors import UndefinedError
from fairviz.evaluate.evaluate import evaluate
from fairviz.exposure import Bounds, exposure_bounds, target_exposure
from fairviz.groups import Membership, Missing, Preset, group_sums, membership, target_shares, with_unlabelled
from fairviz.metrics.catalogue import GROUP_MEASURES
from fairviz.metrics.describe import Measure
from fairviz.metrics.exposure import attainable, ee_relevance
from fairviz.model import (
    BoolArray,
    Exposure,
    FloatArray,
    GroupLabels,
    IntArray,
    MeasureSpec,
    Pools,
    Qrels,
    RankingSample,
    Run,
    Scores,
    Target,
)
from fairviz.model.arrays import segment_ids, segment_sums
from fairviz.pool import RankedLists, lookup
from fairviz.stats.bootstrap import UNDEFINED, Interval, percentiles, resampled_means

# The two axes on which re-rankings of one run are compared: off target, and quality.
#
# Everything is read off expected attention, so that a list, a mixture of lists and a policy known by
# its exposure alone stand on the same axes, none of them sampled.


QualityName: TypeAlias = Literal["nDCG", "EER"]
"""What re-ranking may cost: nDCG@k, or attainable EE-R under the attention of the group axis."""

POINTS = 100 / 2
"""Half the L1 distance of two distributions, in percent: the points of attention that would have to
move from one group to another."""


class Exposing(Protocol):
    """A distribution over rankings that knows the attention each item gets."""

    def exposure(self, attention: Attention) -> Exposure:
        """(M) expected attention of every pool row."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ListPolicy:
    """Rankings of pool rows, each with its chance among the rankings of its query.

    Attributes:
        lists: The rankings.
        chances: (R) chance of each; they sum to 1 within a query.
        n_rows: Rows of the pools.
    """

    lists: RankedLists
    chances: FloatArray
    n_rows: int

    def exposure(self, attention: Attention) -> Exposure:
        """(M) expected attention of every pool row, exact."""
        rows, offsets, _ = self.lists
        sizes = np.diff(offsets)
        weights = attention.weights(int(sizes.max(initial=0)))
        position = np.arange(rows.size) - offsets[segment_ids(offsets)]
        seen = weights[position] * np.repeat(self.chances, sizes)
        return np.bincount(rows, seen, minlength=self.n_rows).astype(np.float64)


def one_list_each(lists: RankedLists, n_rows: int) -> ListPolicy:
    """The policy that draws each ranking of a query alike often; one ranking is always shown."""
    per_query = np.bincount(lists.queries, minlength=int(lists.queries.max(initial=0)) + 1)
    return ListPolicy(lists=lists, chances=1 / per_query[lists.queries], n_rows=n_rows)


class Reading(NamedTuple):
    """Where a re-ranking stands, per query; NaN = undefined.

    Attributes:
        off: (Q) points of attention off target.
        quality: (Q) nDCG@k or EE-R.
        shares: (Q, G) each group's share of labelled attention.
    """

    off: FloatArray
    quality: FloatArray
    shares: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PriceAxes:
    """How re-rankings of one run's candidates are read.

    Attributes:
        pools: The candidates of each query with the judged items.
        members: Groups of the pool rows.
        target: (Q, G) share of attention that each group should get.
        attention: How attention falls with rank; it ends after rank k.
        k: Ranks that count.
        quality: What is on the quality axis.
    """

    pools: Pools
    members: Membership
    target: FloatArray
    attention: Attention
    k: int
    quality: QualityName

    def read(self, policy: Exposing) -> Reading:
        """Points off target, quality and shares of a distribution over rankings.

        off = 100 · ½ Σ_g |share_g − target_g| (AWRF with L1 distance; Sapiezynski et al. 2019),
        share_g the expected attention on the group over that on all labelled items. nDCG@k is
        Σ_d gain_d E[1/log2(rank + 1)] / its largest value over the pool (Järvelin & Kekäläinen
        2002), undefined where nothing is judged useful. Queries without candidates are undefined.
        """
        exposure = policy.exposure(self.attention)
        by_group = group_sums(exposure[:, None] * self.members.weights, self.pools)
        totals = by_group.sum(axis=1, keepdims=True)
        nothing = np.full(by_group.shape, np.nan)
        shares = np.divide(by_group, totals, out=nothing, where=totals > 0)
        quality = self._ndcg(policy) if self.quality == "nDCG" else self._ee_relevance(exposure)
        shown = self.pools.n_retrieved > 0
        return Reading(POINTS * l1(shares, self.target), np.where(shown, quality, np.nan), shares)

    def _ndcg(self, policy: Exposing) -> FloatArray:
        discounted = policy.exposure(Discounted(self.k))
        gained = segment_sums(self.pools.gains * discounted, self.pools.offsets)
        ideal = ideal_dcg(self.pools, self.k)
        return np.divide(gained, ideal, out=np.full(gained.shape, np.nan), where=ideal > 0)

    def _ee_relevance(self, exposure: Exposure) -> FloatArray:
        target = target_exposure(self.pools, self.attention)
        bounds: Bounds = exposure_bounds(target, self.pools.offsets, self.attention)
        found = ee_relevance(exposure, target, self.pools.offsets)
        return attainable(found, *bounds.relevance)

    def without_candidates(self) -> BoolArray:
        """(Q, G) queries that have candidates, none of them with any weight in the group.

        Re-ranking cannot add documents: no order of these candidates shows the group.
        """
        retrieved = _retrieved(self.pools)
        weights = group_sums(self.members.weights * retrieved[:, None], self.pools)
        return (weights <= 0) & (self.pools.n_retrieved > 0)[:, None]


def price_axes(
    pools: Pools,
    labels: GroupLabels,
    target: Target | Preset,
    *,
    attention: Attention,
    k: int,
    quality: QualityName = "nDCG",
    missing: Missing = "drop",
) -> PriceAxes:
    """The axes for one run.

    Args:
        pools: The run's candidates with its judgements.
        labels: Groups of documents.
        target: Shares by hand, or what the data set as target.
        attention: How attention falls with rank; cut after k.
        k: Ranks that count.
        quality: "nDCG" or "EER".
        missing: Whether attention on unlabelled documents counts for no group ("drop"), or they
            are a group of their own ("group").
    """
    members = membership(pools, labels, target if isinstance(target, Target) else None)
    if missing == "group":
        members = with_unlabelled(members)
    return PriceAxes(
        pools=pools,
        members=members,
        target=target_shares(target, members, pools),
        attention=attention,
        k=k,
        quality=quality,
    )


def ideal_dcg(pools: Pools, k: int) -> FloatArray:
    """(Q) Σ gain/log2(rank + 1) over the best k items of each pool, linear gain."""
    order = np.lexsort((-pools.gains, segment_ids(pools.offsets)))
    position = np.arange(order.size) - pools.offsets[segment_ids(pools.offsets)]
    discount = Discounted(k).weights(int(pools.sizes.max(initial=0)))[position]
    return segment_sums(pools.gains[order] * discount, pools.offsets)


def _retrieved(pools: Pools) -> BoolArray:
    """(M) whether a row is a candidate, not a judged item that was not ranked."""
    query = segment_ids(pools.offsets)
    return np.arange(query.size) - pools.offsets[query] < pools.n_retrieved[query]


# The price of fairness: what each strength of a re-ranker moves, and what that costs in quality.
#
# One point per strength: how far attention by group is from the target, against quality. Lists,
# mixtures of lists and policies known by their exposure are exact; random re-rankers are the mean of
# a few repeats, which are kept.


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
        found = next((point for point in self.points if point.strength == strength), None)
        if found is None:
            raise ValueError(f"{self.method} has no point at strength {strength:g}")
        return found


class Standing(NamedTuple):
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


def standing(curve: PriceCurve, place: int, today: PriceCurve) -> Standing:
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
    return Standing(
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


def standings(curve: PriceCurve, today: PriceCurve) -> list[Standing]:
    """Every point of a curve beside today's lists, by rising strength."""
    return [standing(curve, place, today) for place in range(len(curve.points))]


def compared(point: PricePoint, now: PricePoint) -> BoolArray:
    """(Q) queries on which a point can be compared with today's lists."""
    both = ~(np.isnan(point.quality) | np.isnan(now.quality))
    if np.isnan(now.overall):  # a measure of the whole system has no value per query
        both &= ~(np.isnan(point.off) | np.isnan(now.off))
    return both


def largest_gap(now: Standing, target: FloatArray) -> int | None:
    """The group that today's lists leave furthest under its target; None where all have theirs.

    Args:
        now: Today's lists.
        target: (Q, G) target shares.
    """
    wanted = target[~np.isnan(target).any(axis=1)]
    if not len(wanted) or np.isnan(now.shares).any():
        return None
    gaps = wanted.mean(axis=0) - now.shares
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


# What a budget of quality buys: the nearest point inside it, its intervals, and where it ends.
#
# A budget is the part of today's mean quality that may be given up; it is held by means. Intervals
# are paired percentile bootstraps over queries: every resample recomputes today's mean, the point's
# mean and their ratio.


NEARER = 1e-6
"""A point counts as nearer to the target from this distance on; less is rounding."""


class Bought(NamedTuple):
    """The nearest point of one re-ranker inside a budget.

    Attributes:
        standing: The point; None where no point inside the budget is nearer than today.
        change: 95 % interval of its change of quality, as a part of today's.
        moved: 95 % interval of how much nearer it is.
    """

    method: str
    standing: Standing | None
    change: Interval = UNDEFINED
    moved: Interval = UNDEFINED


class NoReturn(NamedTuple):
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


def best_inside(found: Sequence[Standing], budget: float) -> Standing | None:
    """The point nearest to the target among those inside a budget and nearer than today.

    Args:
        found: Points of a re-ranker beside today's lists.
        budget: Part of today's mean quality that may be given up, 0 … 1.

    Returns:
        Of equally near points the one that keeps more quality; None where there is none.
    """
    inside = [one for one in found if one.moved > NEARER and one.change >= -budget - NEARER]
    return min(inside, key=lambda one: (round(one.off, 9), -one.change), default=None)


def bought(curve: PriceCurve, today: PriceCurve, *, budget: float, resamples: FloatArray) -> Bought:
    """What one re-ranker buys inside a budget, with paired intervals.

    Args:
        curve: The re-ranker.
        today: The run as it stands.
        budget: Part of today's mean quality that may be given up.
        resamples: (B, Q) from :func:`~.uncertainty.bootstrap_counts`; re-rankers that are compared
            share them.
    """
    best = best_inside(standings(curve, today), budget)
    if best is None:
        return Bought(curve.method, None)
    change, moved = paired_intervals(curve, today, best.place, resamples)
    return Bought(curve.method, best, change, moved)


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
    ends = percentiles(np.stack([ratio, gaps]))
    nearer = Interval(float(ends.low[1]), float(ends.high[1])) if has_gap.sum() > 1 else UNDEFINED
    return Interval(float(ends.low[0]), float(ends.high[0])), nearer


def no_return(found: Sequence[Standing]) -> NoReturn:
    """The point of no return of one re-ranker, by rising strength.

    ``pays`` is the strength with the largest (points moved) − (percent of quality lost): beyond it
    every stronger setting adds more loss, in percent of today's quality, than it adds points of
    attention moved. Both are parts of a hundred, which is what makes them comparable; for a measure
    that is not in points only ``nearest`` has a meaning.
    """
    if not found:
        return NoReturn(-1, -1, 0)
    moved = np.array([one.moved for one in found])
    net = moved + 100 * np.array([one.change for one in found])
    pays = _last_best(net)
    nearest = _last_best(moved)
    return NoReturn(pays, nearest, len(found))


def ahead(every: Sequence[Bought]) -> Bought | None:
    """The re-ranker that is nearest to the target inside the budget; None where none is nearer."""
    found = [one for one in every if one.standing is not None]
    return min(
        found,
        key=lambda one: (one.standing.off, -one.standing.change) if one.standing else (np.inf, 0.0),
        default=None,
    )


def furthest(every: Sequence[Sequence[Standing]]) -> Standing | None:
    """The point of any re-ranker, at any price, that is nearest to the target."""
    flat = [one for found in every for one in found if one.moved > NEARER]
    return min(flat, key=lambda one: (one.off, -one.change), default=None)


def _last_best(values: np.ndarray) -> int:
    """Index of the largest value, the first of equals; −1 where none is above 0."""
    known = np.where(np.isnan(values), -np.inf, values)
    best = int(np.argmax(known))
    return best if known[best] > NEARER else -1


def measure_text(name: str, *, k: int, browsing: str, missing: Missing, group: str | None) -> str:
    """The measure string that fits what a page shows.

    Args:
        name: Of a group measure.
        k: Ranks that count.
        browsing: How attention falls with rank, for measures that read it.
        missing: What unlabelled items are.
        group: The group of interest, for measures of one group against the rest.

    Examples:
        >>> measure_text("nDKL", k=10, browsing="dcg", missing="drop", group="x")
        "nDKL(missing='drop')@10"
    """
    measure = next(one for one in GROUP_MEASURES if one.name == name)
    known = {parameter.name for parameter in measure.parameters}
    chosen: dict[str, str] = {}
    if "browsing" in known:
        chosen["browsing"] = browsing
    if "missing" in known:
        chosen["missing"] = missing
    if "group" in known and group is not None and (measure.binomial or name == "Skew"):
        chosen["group"] = group
    inside = ", ".join(f"{key}={value!r}" for key, value in chosen.items())
    return f"{name}({inside})@{k}" if inside else f"{name}@{k}"


def distance(measure: Measure, values: FloatArray) -> FloatArray:
    """How far values are from the best that the measure has: 0 = there, larger = further.

    Lower is better: the value itself above its smallest. Higher is better: what is missing to the
    largest, or the negative value where there is no largest. Closest to 0: the absolute value.
    """
    low, high = measure.range
    match measure.better:
        case "lower":
            return values - (low if np.isfinite(low) else 0.0)
        case "higher":
            return (high if np.isfinite(high) else 0.0) - values
        case _:
            return np.abs(values)


def has_ideal(measure: Measure) -> bool:
    """Whether the measure has a best value, so that a list can be on target."""
    low, high = measure.range
    ends = {"lower": low, "higher": high}
    return bool(np.isfinite(ends.get(measure.better, 0.0)))


def measured(
    point: PricePoint,
    ranked: Sequence[Run | RankingSample],
    spec: MeasureSpec,
    query_ids: tuple[str, ...],
    *,
    qrels: Qrels,
    labels: GroupLabels,
    target: Target | Preset,
) -> PricePoint:
    """A point whose distance is that of another measure.

    Args:
        point: Quality and shares stay as they are.
        ranked: The re-ranked lists; repeats of a random re-ranker are averaged.
        spec: A group measure.
        query_ids: Queries of the point.
        qrels: Judgements.
        labels: Groups.
        target: Target shares.

    Raises:
        UndefinedError: These data do not allow the measure; the text says why.
    """
    measure = next(one for one in GROUP_MEASURES if one.name == spec.name)
    rows: list[FloatArray] = []
    overall: list[float] = []
    for one in ranked:
        found = evaluate([one], [spec], qrels=[qrels], labels=labels, target=target, refuse=False)
        if not found.scores:
            reason = found.refused[0].reason if found.refused else "it has no value"
            raise UndefinedError(f"{spec.text}: {reason}")
        scores = found.scores[0]
        per_query = isinstance(scores, Scores) and scores.aggregate == "mean"
        if isinstance(scores, Scores) and per_query and measure.better != "closest to 0":
            at = lookup(query_ids, {q: i for i, q in enumerate(scores.query_ids)})
            rows.append(distance(measure, np.append(scores.values, np.nan)[at]))
        else:  # one value of the system, or one whose sign must not cancel query by query
            overall.append(float(distance(measure, np.array([scores.value]))[0]))
    if rows:
        return point._replace(off=np.asarray(np.mean(np.stack(rows), axis=0)), overall=np.nan)
    return point._replace(off=np.full(len(query_ids), np.nan), overall=float(np.mean(overall)))
