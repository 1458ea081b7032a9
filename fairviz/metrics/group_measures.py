"""Measures of groups: from the evidence of a system and parameters to values of rankings, or of the whole system.

Of parity in single rankings there are AWRF, PreF, FAIR (binomial), and those of prefixes: KL, NDKL, nDRKL, skews and
feasibility. Each holds the groups of a list against a target, or against the whole list; usefulness does not enter.
Over the rankings of a query, and then over queries, they are averaged. Of two groups the smaller one is the protected
group unless ``group=…`` names it; with more groups the name is asked for. ``FeasibleRank`` ("feasible up to rank") is a
measure of its own beside InfeasibleIndex: its smallest value over queries is what the FAIR paper reports.

Of two groups and of usefulness there are logDP, logEUR, logRUR, IAA and PAIR; FAIR and those of the TREC Fair Ranking
Track join usefulness with a target.

IAA with ``utility='score'`` takes shares of the system's scores as they are (Raj et al., Eq. 8; Biega et al. 2018), so
that a query with a negative score has no value unless ``scale='minmax'``; ``by='item'`` is summed over rankings, as
published.

The ideal list of ``FAIR`` with α-nDCG gains breaks ties by document id, falling, as ndeval does: it must not depend on
the run.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.kernels.attention import Attention
from fairviz.kernels.divergence import DIVERGENCES, Divergence, prefix_divergence, prefix_shares
from fairviz.kernels.exposure import effective_gains
from fairviz.kernels.gains import ranks, sums_above
from fairviz.kernels.grouping import UNLABELLED, Membership, group_sums
from fairviz.kernels.pool import RankedLists
from fairviz.metrics.describe import Measure, Options, declared, missing_words
from fairviz.metrics.fair import SumOverRanks, fair
from fairviz.metrics.group_exposure import (
    Combine,
    OfItems,
    OfMeans,
    Statistic,
    awrf,
    group_attention,
    inequity,
    log_ratio,
    ordered_pairs,
    pair_accuracy,
    pair_gap,
)
from fairviz.metrics.prefixes import (
    fair_binomial,
    feasible_rank,
    infeasible_at,
    infeasible_count,
    infeasible_index,
    kl_at,
    ndkl,
    ndrkl,
    prefix_fairness_values,
    shortfalls,
    skews,
)
from fairviz.model import BoolArray, FloatArray, IntArray, Pools
from fairviz.model.arrays import Ids, ratio, segment_ids, segment_rows, segment_sums
from fairviz.policies import normalised_scores
from fairviz.resources import content

# What every group measure of one system is computed from, and what a group measure is.


Weighting: TypeAlias = Literal["none", "geometric", "logarithmic", "prefixes", "cascade or RBP"]
TargetKind: TypeAlias = Literal[
    "configured", "the full ranking", "a binomial chance", "equality", "usefulness", "equal accuracy"
]
"""Columns of the comparing paper's Table 1: what rank counts, and what a list is held against."""


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots: cached properties live in __dict__
class GroupEvidence:
    """Rankings of one system with the groups and gains of their items.

    Attributes:
        pools: The system's pools.
        members: Groups of the pool rows; unlabelled items are one where the measure says so.
        lists: The rankings as rows of the pools, cut at the measure's ``@k``.
        whole: The same, not cut.
        cutoff: That k; None = nowhere.
        shares: (Q, G) target shares, or None where no target was given.
        aspects: (M, A) J(d, a): subtopics of the judgements, else groups of useful items.
        largest_grade: Of all judgements: what a cascade measures gains against.
    """

    pools: Pools
    members: Membership
    lists: RankedLists
    whole: RankedLists
    cutoff: int | None
    shares: FloatArray | None
    aspects: FloatArray
    largest_grade: int

    @cached_property
    def weights(self) -> FloatArray:
        """(N, G) membership of the item at each rank."""
        return self.members.weights[self.lists.rows]

    @cached_property
    def base(self) -> tuple[BoolArray, IntArray]:
        """(N) ranks whose item the attribute applies to, and (R+1) where each ranking starts among them alone."""
        applies = ~self.members.not_applicable[self.lists.rows]
        return applies, np.concatenate([[0], np.cumsum(applies)])[self.offsets]

    @cached_property
    def gains(self) -> FloatArray:
        """(N) gain of the item at each rank."""
        return self.pools.gains[self.lists.rows]

    @cached_property
    def id_order(self) -> IntArray:
        """(M) place of each useful row's document among all, ids falling; 0 for the others."""
        useful = np.flatnonzero(self.aspects.any(axis=1))
        docs, inverse = np.unique(self.pools.docs[useful], return_inverse=True)
        falling = Ids.of(self.pools.doc_ids).column.gather(docs).arg_sort(descending=True)
        rank = np.empty(docs.size, dtype=np.int64)
        rank[falling] = np.arange(docs.size)
        order = np.zeros(self.pools.docs.size, dtype=np.int64)
        order[useful] = rank[inverse]
        return order

    @property
    def offsets(self) -> IntArray:
        """(R+1) ranks of each ranking."""
        return self.lists.offsets

    @property
    def target(self) -> FloatArray:
        """(Q, G) target shares.

        Raises:
            UsageError: No target was given.
        """
        if self.shares is None:
            raise UsageError(": ".join(missing_words(["target"])))
        return self.shares

    @cached_property
    def list_target(self) -> FloatArray:
        """(R, G) target of each ranking."""
        return self.target[self.lists.queries]

    @cached_property
    def divergence(self) -> FloatArray:
        """(N) KL of every prefix from the target."""
        return prefix_divergence(self.weights, self.offsets, self.list_target)

    def divergence_by(self, name: Divergence) -> FloatArray:
        """(N) divergence of every prefix from the target; NaN where the prefix has no labelled item."""
        if name == "kl":
            return self.divergence
        targets = np.repeat(self.list_target, np.diff(self.offsets), axis=0)
        return DIVERGENCES[name](prefix_shares(self.weights, self.offsets), targets)

    @cached_property
    def shortfalls(self) -> FloatArray:
        """(B) groups that are short of their target in every prefix of the ranks of :attr:`base`."""
        applies, offsets = self.base
        return shortfalls(self.weights[applies], offsets, self.list_target)

    @cached_property
    def pairs(self) -> FloatArray:
        """Ordered pairs of every ranking."""
        return ordered_pairs(self.weights, self.gains, self.offsets)

    def attention(self, options: Options) -> FloatArray:
        """(N) attention at each rank; a cascade reads the gains above."""
        depth = int(np.diff(self.offsets).max(initial=0))
        rank = ranks(self.offsets).astype(np.int64)
        browsing = options.get("browsing", "geometric")
        if browsing != "cascade":
            model = Attention(
                browsing,
                cutoff=max(depth, 1),  # the lists are cut already
                patience=options.get("p", 0.8),
                stopping=options.get("gamma", 0.5),
            )
            return model.weights(depth)[rank - 1]
        kind, rel = options.get("gain", "graded"), options.get("rel", 1)
        largest = effective_gains(np.array([float(self.largest_grade)]), kind, rel)
        phi = options.get("phi", 0.5) / max(float(largest[0]), 1.0)
        satisfied = np.minimum(phi * effective_gains(self.gains, kind, rel), 1 - 1e-16)
        unsatisfied = np.exp(sums_above(np.log1p(-satisfied)[:, None], self.offsets)[:, 0])
        return np.power(options.get("p", 0.8), rank - 1.0) * unsatisfied

    def attention_on_groups(self, options: Options) -> FloatArray:
        """(R, G) attention on each group in each ranking."""
        return group_attention(self.weights, self.attention(options), self.offsets)

    def query_means(self, values: FloatArray) -> FloatArray:
        """(Q, …) mean of (R, …) values over the rankings of each query that have a value.

        A ranking without a value (none of its items has a label) says nothing about the others
        of its query. NaN where no ranking has one.
        """
        n, width = len(self.pools.query_ids), int(np.prod(values.shape[1:], dtype=np.int64))
        columns = values.reshape(len(values), width)
        mask = ~np.isnan(columns)
        counts, sums = np.zeros((2, n, width))
        np.add.at(counts, self.lists.queries, mask.astype(np.float64))
        np.add.at(sums, self.lists.queries, np.where(mask, columns, 0.0))
        return ratio(sums, counts).reshape(n, *values.shape[1:])

    def protected(self, options: Options) -> int:
        """Column of G+: the named group, else the smaller one of two.

        Raises:
            UsageError: No group is named and there are not two.
        """
        named = options.get("group")
        if named is not None:
            return self.members.index(named)
        groups = [group for group in self.members.groups if group != UNLABELLED]
        if len(groups) != 2:
            names = ", ".join(groups)
            raise UsageError(f"it compares one group with the others: write group='…' ({names})")
        first, second = map(self.members.index, groups)
        sizes = self.members.corpus
        return first if sizes[first] < sizes[second] else second

    def need_hard_labels(self) -> None:
        """Refuse weights.

        Raises:
            UsageError: An item belongs to a group in part.
        """
        if self.members.is_soft:
            raise UsageError("it counts items, and these labels are weights: use AWRF or nDKL")


OfRankings: TypeAlias = Callable[[GroupEvidence, Options], FloatArray]
"""Evidence, parameters -> (R) a value per ranking."""


OfSystem: TypeAlias = Callable[[GroupEvidence, Options], Statistic]
"""Evidence, parameters -> what gives one value per system, or per query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMeasure(Measure):
    """A measure of groups: its kernels besides its description.

    At least one of ``of_rankings`` and ``of_system`` is there; where both are, the parameter
    ``over`` chooses.

    Attributes:
        of_rankings: A value per ranking, averaged over the rankings of a query.
        of_system: What exposure averaged over queries is combined to.
        weighting: How rank counts (Table 1 of Raj et al.).
        target: What a list is held against.
        binomial: Whether it compares one group with the rest only.
        relevance: Whether usefulness enters.
        above: Why a value may lie above its range; empty where none may.
        soft: Whether labels may be weights.
        at_rank: Whether its paper takes it at a rank k.
    """

    of_rankings: OfRankings | None = None
    of_system: OfSystem | None = None
    weighting: Weighting
    target: TargetKind
    binomial: bool = False
    relevance: bool = False
    above: str = ""
    soft: bool = True
    at_rank: bool = False


# From evidence and parameters to values.


Infeasible: TypeAlias = Callable[[FloatArray, IntArray], FloatArray]


def _distance(evidence: GroupEvidence, options: Options) -> Combine:
    """AWRF of rows that hold attention on groups, then target shares."""
    distance = options["distance"]
    group = evidence.protected(options) if distance == "absdiff" else None

    def of_rows(rows: FloatArray) -> FloatArray:  # keeps none of the evidence: ranges are joined after it is gone
        half = rows.shape[1] // 2
        return awrf(rows[:, :half], rows[:, half:], distance=distance, group=group)

    return of_rows


def _awrf(evidence: GroupEvidence, options: Options) -> FloatArray:
    rows = np.column_stack([evidence.attention_on_groups(options), evidence.list_target])
    return _distance(evidence, options)(rows)


def _system_awrf(evidence: GroupEvidence, options: Options) -> OfMeans:
    attention = evidence.query_means(evidence.attention_on_groups(options))
    labelled = attention.sum(axis=1, keepdims=True) > 0
    parts = np.where(labelled, np.column_stack([attention, evidence.target]), np.nan)
    return OfMeans(parts, _distance(evidence, options))


def _prefixes(evidence: GroupEvidence, options: Options) -> FloatArray:
    """PreF: of the protected group against the rest, or with KL of all groups."""
    distance = options["distance"]
    normalise = options["normalise"]
    if normalise:
        evidence.need_hard_labels()
    weights = evidence.weights
    if distance != "KL" or "group" in options:
        protected = evidence.protected(options)
        weights = np.column_stack([weights[:, protected], weights.sum(axis=1) - weights[:, protected]])
    return prefix_fairness_values(
        weights, evidence.offsets, step=options["step"], distance=distance, normalise=normalise
    )


def _binomial(evidence: GroupEvidence, options: Options) -> FloatArray:
    evidence.need_hard_labels()
    group = evidence.protected(options)
    chance = options.get("p")
    n = evidence.offsets.size - 1
    p = np.full(n, chance) if chance is not None else evidence.list_target[:, group]
    applies, offsets = evidence.base
    return fair_binomial(evidence.weights[applies, group], offsets, p)


def _skews(evidence: GroupEvidence) -> FloatArray:
    return skews(evidence.weights, evidence.offsets, evidence.list_target)


def _infeasible(evidence: GroupEvidence, options: Options, *, of_prefixes: Infeasible) -> FloatArray:
    """Prefixes that lack items of a group, weighed or counted; for a share of queries whether that at k does."""
    kernel = infeasible_at if options["aggregate"] == "share" else of_prefixes
    return kernel(evidence.shortfalls, evidence.base[1])


def _two_sides(values: FloatArray, group: int) -> FloatArray:
    """(Q, 2) a quantity of the protected group, and of the others together."""
    own = values[:, group]
    return np.column_stack([own, values.sum(axis=1) - own])


def _ratio(evidence: GroupEvidence, options: Options, *, useful: bool, per_use: bool) -> Statistic:
    """Log of G⁺'s over the others' exposure, of useful items only or of all, perhaps per use."""
    group, eps = evidence.protected(options), options["eps"]
    weighed = evidence.attention(options) * (evidence.gains if useful else 1.0)
    columns = [segment_sums(column * weighed, evidence.offsets) for column in evidence.weights.T]
    applies = np.diff(evidence.base[1])[:, None] > 0
    on_groups = evidence.query_means(np.where(applies, np.stack(columns, axis=1), np.nan))
    sizes = _two_sides(group_sums(evidence.members.weights, evidence.pools), group)
    gained = evidence.members.weights * evidence.pools.gains[:, None]
    gained = _two_sides(group_sums(gained, evidence.pools), group)
    quantity = _two_sides(on_groups, group)
    if options["aggregate"] == "mean":
        quantity = ratio(quantity, sizes)
    parts = np.column_stack([quantity, ratio(gained, sizes)])
    parts[np.isnan(on_groups).any(axis=1)] = np.nan

    def sides(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        if per_use:
            return ratio(rows[:, 0], rows[:, 2]), ratio(rows[:, 1], rows[:, 3])
        return rows[:, 0], rows[:, 1]

    return OfMeans(
        parts,
        lambda rows: log_ratio(*sides(rows), eps=eps),
        lambda rows: np.logical_or(sides(rows)[0] == 0, sides(rows)[1] == 0) & (eps > 0),
    )


def _iaa(evidence: GroupEvidence, options: Options) -> Statistic:
    """Attention and usefulness, each normalised to 1 per ranking."""
    attention = np.zeros(evidence.whole.rows.size)
    cut, _ = segment_rows(evidence.whole.offsets, most=np.diff(evidence.offsets))
    attention[cut] = evidence.attention(options)
    useful = _usefulness(evidence, options)
    if options["by"] == "group":
        applies = ~evidence.members.not_applicable[evidence.whole.rows]
        attention, useful = attention * applies, useful * applies
    useful = _to_one(useful, evidence.whole.offsets)
    attended = np.where(np.isnan(useful), np.nan, _to_one(attention, evidence.whole.offsets))
    if options["by"] == "group":
        members = evidence.members.weights[evidence.whole.rows]
        sums = [
            segment_sums(column * values, evidence.whole.offsets)
            for values in (attended, useful)
            for column in members.T
        ]
        n = len(evidence.members.groups)
        parts = evidence.query_means(np.stack(sums, axis=1))
        return OfMeans(parts, lambda rows: inequity(rows[:, :n], rows[:, n:]))
    n_rows, queries = evidence.pools.docs.size, segment_ids(evidence.pools.offsets)
    mask = ~np.isnan(attended)
    gaps = np.zeros(n_rows)
    np.add.at(gaps, evidence.whole.rows[mask], (attended - useful)[mask])
    with_value = evidence.whole.queries[segment_ids(evidence.whole.offsets)[mask]]
    defined = np.bincount(with_value, minlength=len(evidence.pools.query_ids)) > 0
    return OfItems(gaps, evidence.pools.docs, queries, defined)


def _usefulness(evidence: GroupEvidence, options: Options) -> FloatArray:
    """(N) usefulness of every ranked item: its gain, or its score; 0 throughout a ranking that has negative scores."""
    rows, offsets = evidence.whole.rows, evidence.whole.offsets
    if options["utility"] == "gain":
        return evidence.pools.gains[rows]
    if options["scale"] == "minmax":
        return normalised_scores(evidence.pools)[rows]
    scores, ranking = evidence.pools.scores[rows], segment_ids(offsets)
    largest = np.zeros(offsets.size - 1)
    np.maximum.at(largest, ranking, np.abs(scores))
    scaled = np.divide(scores, largest[ranking], out=np.zeros(scores.size), where=largest[ranking] > 0)
    return np.where(negative_scores(evidence)[evidence.whole.queries[ranking]], 0.0, scaled)


def negative_scores(evidence: GroupEvidence) -> BoolArray:
    """(Q) queries in which an item has a negative score, of which nothing can be a share."""
    mask = np.zeros(len(evidence.pools.query_ids), dtype=np.bool_)
    mask[segment_ids(evidence.pools.offsets)[evidence.pools.scores < 0]] = True
    return mask


def _to_one(values: FloatArray, offsets: IntArray) -> FloatArray:
    """Values divided by their sum over a ranking; NaN where that is 0."""
    return ratio(values, segment_sums(values, offsets)[segment_ids(offsets)])


def _pair(evidence: GroupEvidence, options: Options) -> FloatArray:
    kind = options["kind"]
    if "group" in options:
        return pair_accuracy(evidence.pairs, evidence.members.index(options["group"]), kind)
    protected = evidence.protected(options)
    return pair_gap(evidence.pairs, protected, 1 - protected, kind)


TRACK: Options = {"browsing": "log"}
"""The track's attention, 1/log2(max(rank, 2))."""


def _fair(evidence: GroupEvidence, options: Options) -> FloatArray:
    pools, aspects, lists = evidence.pools, evidence.aspects, evidence.lists
    measure = SumOverRanks(options["irm"], options["alpha"], options.get("p", 0.8), evidence.largest_grade)
    terms = measure.terms(evidence.gains, aspects[lists.rows], evidence.offsets)
    ideal = measure.ideal_sum(pools.gains, aspects, pools.offsets, evidence.id_order, evidence.cutoff)[lists.queries]
    divergence = evidence.divergence_by(options["divergence"])
    return fair(terms, divergence, evidence.offsets, ideal, additive=options["additive"])


def _track_awrf(evidence: GroupEvidence, _: Options) -> FloatArray:
    return 1 - awrf(evidence.attention_on_groups(TRACK), evidence.list_target, distance="jsd")


def _track_score(evidence: GroupEvidence, options: Options) -> FloatArray:
    """Gains of useful / not useful under the track's attention, times its AWRF."""
    useful = evidence.pools.gains > 0
    gained = segment_sums(evidence.attention(TRACK) * useful[evidence.lists.rows], evidence.offsets)
    n_useful = segment_sums(useful.astype(np.float64), evidence.pools.offsets)
    if evidence.cutoff is not None:
        n_useful = np.minimum(n_useful, evidence.cutoff)
    discount = 1 / np.log2(np.maximum(np.arange(1, int(n_useful.max(initial=0)) + 1), 2))
    best = np.concatenate([[0.0], np.cumsum(discount)])[n_useful.astype(np.int64)]
    return ratio(gained, best[evidence.lists.queries]) * _track_awrf(evidence, options)


OF_RANKINGS: Mapping[str, OfRankings] = {
    "AWRF": _awrf,
    "PreF": _prefixes,
    "FAIRBinomial": _binomial,
    "KL": lambda evidence, _: kl_at(evidence.divergence, evidence.offsets),
    "nDKL": lambda evidence, _: ndkl(evidence.divergence, evidence.offsets),
    "nDRKL": lambda evidence, _: ndrkl(evidence.divergence, evidence.offsets),
    "Skew": lambda evidence, options: _skews(evidence)[:, evidence.protected(options)],
    "MinSkew": lambda evidence, _: np.fmin.reduce(_skews(evidence), axis=1),
    "MaxSkew": lambda evidence, _: np.fmax.reduce(_skews(evidence), axis=1),
    "InfeasibleIndex": partial(_infeasible, of_prefixes=infeasible_index),
    "InfeasibleCount": partial(_infeasible, of_prefixes=infeasible_count),
    "FeasibleRank": lambda evidence, _: feasible_rank(evidence.shortfalls, evidence.base[1]),
    "PAIR": _pair,
    "FAIR": _fair,
    "FairTrecAWRF": _track_awrf,
    "FairTrecScore": _track_score,
}
"""Measure -> its value per ranking, where it has one."""

OF_SYSTEM: Mapping[str, OfSystem] = {
    "AWRF": _system_awrf,
    "logDP": partial(_ratio, useful=False, per_use=False),
    "logEUR": partial(_ratio, useful=False, per_use=True),
    "logRUR": partial(_ratio, useful=True, per_use=True),
    "IAA": _iaa,
}
"""Measure -> what exposure averaged over queries is combined to, where it is one of exposure."""

GROUP_MEASURES = tuple(
    GroupMeasure(name=name, of_rankings=OF_RANKINGS.get(name), of_system=OF_SYSTEM.get(name), **declared(record))
    for name, record in content("methods/measures")["groups"].items()
)
"""Measures of groups, in the order people read them."""
