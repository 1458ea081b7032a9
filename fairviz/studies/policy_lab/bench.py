"""The two axes on which re-rankings of one run are compared: off target, and quality.

Everything is read off expected attention, so that a list, a mixture of lists and a policy known by its exposure alone
stand on the same axes, none of them sampled. Points off target are those of Groups & targets: shares of the attention
of all compared queries together, so that the shares that stand beside a distance have that distance.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from fairviz.display.words import number
from fairviz.errors import UndefinedError
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.systems import named
from fairviz.kernels.attention import Attention, Discounted, attention
from fairviz.kernels.exposure import exposure_bounds, run_exposure, target_exposure
from fairviz.kernels.grouping import Membership, off_target_share, pooled_shares
from fairviz.kernels.pool import RankedLists
from fairviz.metrics.catalogue import CATALOGUE, parse_measure
from fairviz.metrics.describe import Measure
from fairviz.metrics.exposure import attainable, ee_relevance
from fairviz.metrics.group_measures import GROUP_MEASURES
from fairviz.model import (
    Exposure,
    FloatArray,
    GroupLabels,
    IntArray,
    MeasureSpec,
    Mixture,
    Pools,
    RankingSample,
    Run,
    Scores,
    Target,
)
from fairviz.model.arrays import positions, segment_ids, segment_places, segment_rows, segment_sums
from fairviz.points.shares import attention_by_group
from fairviz.points.targets import Held, Labelled, members_of
from fairviz.policies import PlackettLuce, normalised_scores
from fairviz.reranking.amortised import of_best
from fairviz.reranking.candidates import Candidates
from fairviz.studies.policy_lab.settings import DEEPEST, PolicyLabSettings


def points_off(attention: FloatArray, target: FloatArray) -> FloatArray:
    """Points of attention off target, over all queries together.

    Args:
        attention: (…, Q, G) attention on the items of each group.
        target: (G) what they should get.

    Returns:
        100 · ½ Σ_g |share_g − target_g|; NaN without labelled attention.

    Examples:
        >>> round(float(points_off(np.array([[3.0, 0.0], [0.0, 1.0]]), np.full(2, 0.5))), 9)
        25.0
    """
    return 100 * off_target_share(pooled_shares(attention), target)


ExposedPolicy: TypeAlias = Callable[[Attention], Exposure]
"""A distribution over rankings, known by the (M) exact expected attention of every pool row that it gives."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ListPolicy:
    """A policy that is written down: rankings of pool rows, each with its chance among those of its query.

    Attributes:
        lists: The rankings.
        chances: (R) chance of each; they sum to 1 within a query.
        n_rows: Rows of the pools.
    """

    lists: RankedLists
    chances: FloatArray
    n_rows: int

    def __call__(self, attention: Attention) -> Exposure:
        """(M) expected attention of every pool row, exact."""
        rows, offsets, _ = self.lists
        sizes = np.diff(offsets)
        weights = attention.weights(int(sizes.max(initial=0)))
        seen = weights[segment_places(offsets)] * np.repeat(self.chances, sizes)
        return np.bincount(rows, seen, minlength=self.n_rows).astype(np.float64)


def one_list_each(lists: RankedLists, n_rows: int) -> ListPolicy:
    """The policy that draws each ranking of a query alike often; one ranking is always shown."""
    per_query = np.bincount(lists.queries, minlength=int(lists.queries.max(initial=0)) + 1)
    return ListPolicy(lists=lists, chances=1 / per_query[lists.queries], n_rows=n_rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class Bench:
    """One run's candidates: how re-rankings of them are read, and what re-rankers see of them.

    Attributes:
        pools: The candidates of each query with the judged items.
        members: Groups of the pool rows.
        target: (G) share of attention that each group should get.
        settings: Ranks that count, attention, what is on the quality axis, whether judgements may be looked at.
        today: (G) share of labelled attention that each group has today, over all queries together.
        protected: Group that a re-ranker of one group protects; None where there is no choice.
    """

    pools: Pools
    members: Membership
    target: FloatArray
    settings: PolicyLabSettings
    today: FloatArray = field(default_factory=lambda: np.empty(0))
    protected: int | None = None

    @property
    def attention(self) -> Attention:
        """How attention falls with rank; it ends after rank k."""
        return attention(self.settings.browsing, cutoff=self.settings.k)

    def read(self, policy: ExposedPolicy) -> tuple[FloatArray, FloatArray]:
        """(Q, G) attention by group and (Q) quality of a distribution over rankings.

        nDCG@k is Σ_d gain_d E[1/log2(rank + 1)] / its largest value over the pool (Järvelin & Kekäläinen 2002),
        undefined where nothing is judged useful. Queries without candidates are undefined.
        """
        exposure = policy(self.attention)
        by_group = attention_by_group(exposure, self.pools, self.members)
        quality = self._ndcg(policy) if self.settings.quality == "nDCG" else self._ee_relevance(exposure)
        ranked = self.pools.n_retrieved > 0
        return np.where(ranked[:, None], by_group, np.nan), np.where(ranked, quality, np.nan)

    def _ndcg(self, policy: ExposedPolicy) -> FloatArray:
        discounted = policy(Discounted(self.settings.k))
        gained = segment_sums(self.pools.gains * discounted, self.pools.offsets)
        # (Q) Σ gain/log2(rank + 1) over the best k items of each pool, linear gain.
        order = np.lexsort((-self.pools.gains, segment_ids(self.pools.offsets)))
        weights = Discounted(self.settings.k).weights(int(self.pools.sizes.max(initial=0)))
        discount = weights[segment_places(self.pools.offsets)]
        ideal = segment_sums(self.pools.gains[order] * discount, self.pools.offsets)
        return np.divide(gained, ideal, out=np.full(gained.shape, np.nan), where=ideal > 0)

    def _ee_relevance(self, exposure: Exposure) -> FloatArray:
        target = target_exposure(self.pools, self.attention)
        bounds = exposure_bounds(target, self.pools.offsets, self.attention)
        relevance = ee_relevance(exposure, target, self.pools.offsets)
        return attainable(relevance, *bounds.relevance)

    def plackett_luce(self, alpha: float) -> PlackettLuce:
        """The policy at one α."""
        return PlackettLuce(alpha, self.settings.offset, self.settings.scores)

    @cached_property
    def scores(self) -> FloatArray:
        """(M) scores of the run, 0 … 1 within a query; 0 for what was not ranked."""
        return np.nan_to_num(normalised_scores(self.pools))

    @property
    def usefulness(self) -> FloatArray:
        """(M) what re-rankers may know of usefulness: scores, or where asked for the judged gains."""
        return self.pools.gains if self.settings.judged else self.scores

    def program(
        self, queries: IntArray, members: Sequence[Membership]
    ) -> tuple[FloatArray, FloatArray, IntArray, FloatArray]:
        """What :func:`amortised` takes of the candidates of some queries.

        Args:
            queries: Places of the queries.
            members: Groups of the pool rows by every attribute of which something is stated.

        Returns:
            Usefulness of each candidate as a part of the best list's; (M, G) its groups; offsets; attention by rank.
        """
        rows, offsets = segment_rows(self.pools.offsets, queries, most=self.pools.n_retrieved[queries])
        attention = self.attention.weights(int(np.diff(offsets).max(initial=1)))
        weights = np.concatenate([each.weights[rows] for each in members], axis=1)
        return of_best(self.usefulness[rows], offsets, attention), weights, offsets, attention

    @cached_property
    def queries(self) -> IntArray:
        """Queries that can be re-ranked: they have candidates."""
        return np.flatnonzero(self.pools.n_retrieved)

    def candidates(self, query: int, target: FloatArray) -> Candidates:
        """What a re-ranker sees of one query."""
        rows = self.rows(query)
        return Candidates(
            weights=self.members.weights[rows].copy(),
            target=target,
            depth=self.settings.k,
            gains=self.pools.gains[rows] if self.settings.judged else None,
        )

    def rows(self, query: int) -> slice:
        """Pool rows of the candidates of one query, best first."""
        start = int(self.pools.offsets[query])
        return slice(start, start + int(self.pools.n_retrieved[query]))

    @cached_property
    def shown(self) -> FloatArray:
        """(Q, G) shares of labelled attention today; those of all queries together where a query shows none."""
        by_group = attention_by_group(run_exposure(self.pools, self.attention), self.pools, self.members)
        totals = by_group.sum(axis=1, keepdims=True)
        mean = np.broadcast_to(self.today, by_group.shape).copy()
        return np.divide(by_group, totals, out=mean, where=totals > 0)

    def targets(self, blend: float = 1.0) -> FloatArray:
        """(Q, G) the target, or a part of the way from each query's shares of today to it."""
        return (1 - blend) * self.shown + blend * self.target


def bench_of(pools: Pools, beside: Held, settings: PolicyLabSettings) -> Bench:
    """The candidates of one run on the axes that are set.

    Args:
        pools: The run's candidates with its judgements.
        beside: Groups of documents and their target.
        settings: Ranks, attention, quality; attention on unlabelled documents counts for no group, or they are one.
    """
    members = members_of(pools, beside.of.labels, beside.target, settings.unlabelled)
    return Bench(pools=pools, members=members, target=beside.target.shares, settings=settings)


def as_policy(by_query: Mapping[int, Mixture], bench: Bench) -> ListPolicy:
    """Orders of candidates as rankings of pool rows, down to the last rank that counts."""
    starts: Sequence[int] = bench.pools.offsets.tolist()
    parts = [mixture.orders[:, : bench.settings.k] + starts[q] for q, mixture in by_query.items()]
    n_lists = [len(part) for part in parts]
    lengths = np.repeat([part.shape[1] for part in parts], n_lists).astype(np.int64)
    lists = RankedLists(
        np.concatenate([part.ravel() for part in parts] or [np.empty(0, np.int64)]),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.repeat(np.array(list(by_query), dtype=np.int64), n_lists),
    )
    chances = np.concatenate([mixture.chances for mixture in by_query.values()] or [np.empty(0)])
    return ListPolicy(lists=lists, chances=chances, n_rows=bench.pools.docs.size)


# What off target means: points of attention, or any group measure of the catalogue.

POINT = 1.0
"""Points of attention that count: less is no movement, and settings less than this apart are alike."""
MATERIAL = 0.05
"""Part of the way to the target that counts, of a measure that has no points."""


class Distance(NamedTuple):
    """What off target means, and how it is written: points of attention that have to move, else another measure.

    Attributes:
        label: Name of the measure; "" for points of attention.
        step: A movement that counts: less is none.
        ideal: Value of a list on target; NaN = the measure has none.
        decimals: Digits in words.
        is_set: Whether somebody set the target; else it is equal shares, and called so.
    """

    label: str = ""
    step: float = POINT
    ideal: float = 0.0
    decimals: int = 0
    is_set: bool = True

    @property
    def aim(self) -> str:
        """What it is a distance from."""
        return "the target" if self.is_set else "equal shares"

    @property
    def due(self) -> str:
        """What a number is called that says what a group should get."""
        return "target" if self.is_set else "equal share"

    @property
    def off(self) -> str:
        """Whose points they are that would have to move."""
        return "off target" if self.is_set else "from equal shares"

    @property
    def in_points(self) -> bool:
        """Whether it is in points of attention."""
        return not self.label

    @property
    def title(self) -> str:
        """Name of its axis."""
        return f"points of attention {self.off} → nearer" if self.in_points else f"distance by {self.label} → nearer"

    def words(self, value: float, *, unit: bool = False, off: bool = True) -> str:
        """A distance, or with ``off=False`` a difference of two, as sentences have it.

        Examples:
            >>> POINTS.words(9.3), POINTS.words(0.64, unit=True)
            ('9', '0.6 points off target')
        """
        small = self.in_points and 0.05 <= abs(value) < 1.95
        text = number(value, 1 if small else self.decimals)
        if not unit:
            return text
        if self.in_points:
            return f"{text} points{f' {self.off}' if off else ''}"
        return f"{text} by {self.label}"


POINTS = Distance()
"""Points of attention off a target that somebody set."""


def distance_by(measure: MeasureSpec, now: float, *, is_set: bool) -> Distance:
    """Another measure as the distance; a twentieth of today's distance counts as a movement."""
    known, at = CATALOGUE[measure.name], "" if measure.cutoff is None else f"@{measure.cutoff}"
    ideal = 0.0 if has_ideal(known) else math.nan
    return Distance(f"{known.label}{at}", MATERIAL * now, ideal, 3, is_set)


def distance_measure(labels: GroupLabels, target: Target, settings: PolicyLabSettings) -> MeasureSpec:
    """A group measure as the distance from a target; one of one group is of that with the largest target.

    Args:
        labels: Groups of documents, the first of the target's.
        target: Shares of attention.
        settings: The measure's name; ranks, attention, and what unlabelled items are, for measures that read it.

    Raises:
        UsageError: There is no such measure.
    """
    measure = named("distance", settings.distance, {each.name: each for each in GROUP_MEASURES})
    name = measure.name
    known = {parameter.name for parameter in measure.parameters}
    values: dict[str, str] = {"browsing": settings.browsing, "missing": settings.unlabelled}
    if measure.binomial or name == "Skew":
        values["group"] = labels.groups[int(np.argmax(target.shares[: len(labels.groups)]))]
    inside = ", ".join(f"{key}={value!r}" for key, value in values.items() if key in known)
    return parse_measure(f"{name}({inside})@{settings.k}" if inside else f"{name}@{settings.k}")


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


def measured(ranked: Run | RankingSample, spec: MeasureSpec, query_ids: tuple[str, ...], beside: Held) -> FloatArray:
    """The distance of rankings by a group measure: (Q) of each query, or one value without dimension of all together.

    Args:
        ranked: The rankings.
        spec: The measure.
        query_ids: Q queries; NaN where they have no value.
        beside: Judgements, groups, target.

    Raises:
        UndefinedError: These data do not allow the measure; the text says why.
    """
    measure = CATALOGUE[spec.name]
    qrels, of = [beside.of.qrels] if beside.of.qrels else [], beside.of
    evaluation = evaluate([ranked], [spec], qrels=qrels, labels=of.labels, target=beside.target, refuse=False)
    if not evaluation.scores:
        reason = evaluation.refused[0].reason if evaluation.refused else "it has no value"
        raise UndefinedError(f"{spec.text}: {reason}")
    scores = evaluation.scores[0]
    if isinstance(scores, Scores) and scores.aggregate == "mean" and measure.better != "closest to 0":
        at = positions(query_ids, scores.query_ids)
        return distance(measure, np.append(scores.values, np.nan)[at])
    # One value of the system, or one whose sign must not cancel query by query.
    return distance(measure, np.asarray(scores.value))


# How deep the candidates of each query go, and which groups no query can show.
#
# Re-ranking cannot add documents, but it can reach further down: where no document of a targeted group is among the
# first ones, the candidates go on until there are as many as the group's share asks for.


class GroupDepths(NamedTuple):
    """How deep one run is re-ranked, for one target.

    Attributes:
        depths: (Q) candidates of each query.
        usual: Candidates of a query unless a group asks for more.
        n_queries: Queries that are counted below: those with candidates, of the ones that are compared.
        n_deeper: How many of them go deeper than usual.
        nowhere: (group, queries that have no candidate of it at any rank) of groups that the target gives a share,
            most first.
    """

    depths: IntArray
    usual: int
    n_queries: int
    n_deeper: int
    nowhere: list[tuple[str, int]]

    @property
    def deepest(self) -> int:
        """The most candidates that a query has."""
        return int(self.depths.max(initial=self.usual))


def group_depths(asked: Sequence[tuple[Labelled, FloatArray]], settings: PolicyLabSettings) -> GroupDepths:
    """Down to where the candidates of each query go, for all attributes together.

    A query with candidates of a targeted group, all of them below the usual depth, goes down to the rank at which it
    has ⌈k · share⌉ of them, or all that there are.

    Args:
        asked: By attribute the whole run, whatever its depth, with judgements, of which queries without any are
            re-ranked and not counted, and its groups; (G) share that each group is to get, at least; 0 asks for none.
        settings: Usual candidates of a query, ranks that count.
    """
    (_, judgements, _, pools, _), usual = asked[0][0], max(settings.candidates, settings.k)
    query, rank = segment_ids(pools.offsets), segment_places(pools.offsets) + 1
    ranked, has = rank <= pools.n_retrieved[query], pools.n_retrieved > 0
    judged = frozenset(judgements.query_ids if judgements else ())
    counted = has & np.array([query_id in judged for query_id in pools.query_ids], dtype=np.bool_)
    depths = np.full(has.size, usual, dtype=np.int64)
    nowhere: list[tuple[str, int]] = []
    groups = ((of.members, group, share) for of, least in asked for group, share in enumerate(least.tolist()))
    for members, group, share in groups:
        if share <= 1e-6:
            continue
        rows = np.flatnonzero(ranked & (members.weights[:, group] > 0))
        counts = np.bincount(query[rows], minlength=has.size)
        if lacking := int((counted & (counts == 0)).sum()):
            nowhere.append((members.groups[group], lacking))
        holders = np.flatnonzero(counts)
        starts = np.cumsum(counts)[holders] - counts[holders]  # its rows by query, best first
        wanted = np.minimum(counts[holders], max(int(np.ceil(settings.k * share - 1e-9)), 1))
        below = rank[rows[starts]] > usual
        deep = np.minimum(rank[rows[starts + wanted - 1]], DEEPEST)
        depths[holders[below]] = np.maximum(depths[holders[below]], deep[below])
    return GroupDepths(
        depths=depths,
        usual=usual,
        n_queries=int(counted.sum()),
        n_deeper=int((counted & (depths > usual)).sum()),
        nowhere=sorted(nowhere, key=lambda row: -row[1]),
    )
