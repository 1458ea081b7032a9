"""What every group measure of one system is computed from, and what a group measure is."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.kernels.attention import attention
from fairviz.kernels.divergence import DIVERGENCES, Divergence, prefix_divergence, prefix_shares
from fairviz.kernels.exposure import effective_gains
from fairviz.kernels.gains import ranks, sums_above
from fairviz.kernels.grouping import UNLABELLED, Membership
from fairviz.kernels.pool import RankedLists
from fairviz.metrics.describe import GroupOptions, Measure, missing_words
from fairviz.metrics.group_exposure import Pairs, group_attention, ordered_pairs
from fairviz.metrics.prefixes import shortfalls
from fairviz.metrics.statistic import Statistic
from fairviz.model import BoolArray, FloatArray, IntArray, Pools
from fairviz.model.arrays import ratio

Weighting: TypeAlias = Literal["none", "geometric", "logarithmic", "prefixes", "cascade or RBP"]
TargetKind: TypeAlias = Literal[
    "configured",
    "the full ranking",
    "a binomial chance",
    "equality",
    "usefulness",
    "equal accuracy",
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
        docs, place = np.unique(self.pools.docs[useful], return_inverse=True)
        used: list[int] = docs.tolist()
        ids = [self.pools.doc_ids[doc] for doc in used]
        falling = sorted(range(len(ids)), key=ids.__getitem__, reverse=True)
        rank = np.empty(len(ids), dtype=np.int64)
        rank[falling] = np.arange(len(ids))
        order = np.zeros(self.pools.docs.size, dtype=np.int64)
        order[useful] = rank[place]
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
    def pairs(self) -> Pairs:
        """Ordered pairs of every ranking."""
        return ordered_pairs(self.weights, self.gains, self.offsets)

    def attention(self, options: GroupOptions) -> FloatArray:
        """(N) attention at each rank; a cascade reads the gains above."""
        depth = int(np.diff(self.offsets).max(initial=0))
        rank = ranks(self.offsets).astype(np.int64)
        browsing = options.get("browsing", "geometric")
        if browsing != "cascade":
            model = attention(
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

    def attention_on_groups(self, options: GroupOptions) -> FloatArray:
        """(R, G) attention on each group in each ranking."""
        return group_attention(self.weights, self.attention(options), self.offsets)

    def query_means(self, values: FloatArray) -> FloatArray:
        """(Q, …) mean of (R, …) values over the rankings of each query that have a value.

        A ranking without a value (none of its items has a label) says nothing about the others
        of its query. NaN where no ranking has one.
        """
        n, width = len(self.pools.query_ids), int(np.prod(values.shape[1:], dtype=np.int64))
        columns = values.reshape(len(values), width)
        known = ~np.isnan(columns)
        counts, sums = np.zeros((2, n, width))
        np.add.at(counts, self.lists.queries, known.astype(np.float64))
        np.add.at(sums, self.lists.queries, np.where(known, columns, 0.0))
        return ratio(sums, counts).reshape(n, *values.shape[1:])

    def protected(self, options: GroupOptions) -> int:
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


OfRankings: TypeAlias = Callable[[GroupEvidence, GroupOptions], FloatArray]
"""Evidence, parameters -> (R) a value per ranking."""


OfSystem: TypeAlias = Callable[[GroupEvidence, GroupOptions], Statistic]
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
