"""The two axes on which re-rankings of one run are compared: off target, and quality.

Everything is read off expected attention, so that a list, a mixture of lists and a policy known by its exposure alone
stand on the same axes, none of them sampled. Points off target are those of Groups & targets: shares of the attention
of all compared queries together, so that the shares that stand beside a distance have that distance.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from fairviz.kernels.attention import Attention, Discounted
from fairviz.kernels.exposure import Bounds, exposure_bounds, target_exposure
from fairviz.kernels.grouping import (
    Membership,
    Missing,
    Preset,
    group_sums,
    membership,
    off_target_share,
    pooled_shares,
    target_shares,
    with_unlabelled,
)
from fairviz.kernels.pool import RankedLists
from fairviz.metrics.exposure import attainable, ee_relevance
from fairviz.model import BoolArray, Exposure, FloatArray, GroupLabels, IntArray, Pools, Target
from fairviz.model.arrays import segment_ids, segment_sums
from fairviz.points.shares import attention_by_group

QualityName: TypeAlias = Literal["nDCG", "EER"]
"""What re-ranking may cost: nDCG@k, or attainable EE-R under the attention of the group axis."""


def quality_label(quality: QualityName, k: int) -> str:
    """Name of the quality measure.

    Examples:
        >>> quality_label("EER", 5)
        'EE-R@5'
    """
    return f"{'nDCG' if quality == 'nDCG' else 'EE-R'}@{k}"


def points_off(attention: FloatArray, target: FloatArray) -> FloatArray:
    """Points of attention off target, over all queries together.

    Args:
        attention: (…, Q, G) attention on the items of each group.
        target: (Q, G) target of each query; their mean is the target of all.

    Returns:
        100 · ½ Σ_g |share_g − target_g|; NaN without labelled attention.

    Examples:
        >>> round(float(points_off(np.array([[3.0, 0.0], [0.0, 1.0]]), np.full((2, 2), 0.5))), 9)
        25.0
    """
    return 100 * off_target_share(pooled_shares(attention), target.mean(axis=0))


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
        attention: (Q, G) expected attention on the items of each group; undefined without candidates or a target.
        quality: (Q) nDCG@k or EE-R.
    """

    attention: FloatArray
    quality: FloatArray


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
        """Attention by group and quality of a distribution over rankings.

        nDCG@k is Σ_d gain_d E[1/log2(rank + 1)] / its largest value over the pool (Järvelin & Kekäläinen 2002),
        undefined where nothing is judged useful. Queries without candidates are undefined.
        """
        exposure = policy.exposure(self.attention)
        by_group = attention_by_group(exposure, self.pools, self.members)
        quality = self._ndcg(policy) if self.quality == "nDCG" else self._ee_relevance(exposure)
        ranked = self.pools.n_retrieved > 0
        known = ranked & ~np.isnan(self.target).any(axis=1)
        return Reading(np.where(known[:, None], by_group, np.nan), np.where(ranked, quality, np.nan))

    def unlabelled_attention(self, policy: Exposing) -> FloatArray:
        """(Q) expected attention on items, or parts of them, without a label."""
        return segment_sums(policy.exposure(self.attention) * self.members.unlabelled, self.pools.offsets)

    def _ndcg(self, policy: Exposing) -> FloatArray:
        discounted = policy.exposure(Discounted(self.k))
        gained = segment_sums(self.pools.gains * discounted, self.pools.offsets)
        ideal = ideal_dcg(self.pools, self.k)
        return np.divide(gained, ideal, out=np.full(gained.shape, np.nan), where=ideal > 0)

    def _ee_relevance(self, exposure: Exposure) -> FloatArray:
        target = target_exposure(self.pools, self.attention)
        bounds: Bounds = exposure_bounds(target, self.pools.offsets, self.attention)
        relevance = ee_relevance(exposure, target, self.pools.offsets)
        return attainable(relevance, *bounds.relevance)

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


# How deep the candidates of each query go, and which groups no query can show.
#
# Re-ranking cannot add documents, but it can reach further down: where no document of a targeted group is among the
# first ones, the candidates go on until there are as many as the group's share asks for.


DEEPEST = 1_000
"""Candidates of a query at most."""


class GroupDepths(NamedTuple):
    """How deep one run is re-ranked, for one target.

    Attributes:
        depths: (Q) candidates of each query.
        usual: Candidates of a query unless a group asks for more.
        n_queries: Queries that are counted below: those with candidates, of the ones that are compared.
        n_deeper: How many of them go deeper than usual.
        groups: Names of the groups that the target gives a share.
        n_nowhere: (G) queries that have no candidate of each at any rank.
    """

    depths: IntArray
    usual: int
    n_queries: int
    n_deeper: int
    groups: tuple[str, ...]
    n_nowhere: IntArray

    @property
    def deepest(self) -> int:
        """The most candidates that a query has."""
        return int(self.depths.max(initial=self.usual))

    @property
    def nowhere(self) -> list[tuple[str, int]]:
        """(group, queries) of the groups that queries have no candidate of, most first."""
        rows = zip(self.groups, self.n_nowhere.tolist(), strict=True)
        return sorted((row for row in rows if row[1]), key=lambda row: -row[1])


def group_depths(
    pools: Pools, members: Membership, target: FloatArray, *, usual: int, k: int, compared: BoolArray
) -> GroupDepths:
    """Down to where the candidates of each query go.

    A query with candidates of a targeted group, all of them below the usual depth, goes down to the rank at which it
    has ⌈k · share⌉ of them, or all that there are.

    Args:
        pools: The whole run's, whatever its depth.
        members: Groups of the pool rows.
        target: (G) shares of the groups.
        usual: Candidates of a query that has all groups among them.
        k: Ranks that count.
        compared: (Q) queries that are counted.
    """
    query = segment_ids(pools.offsets)
    rank = np.arange(query.size) - pools.offsets[query] + 1
    ranked = rank <= pools.n_retrieved[query]
    asked = np.flatnonzero(target > 1e-6).tolist()
    has = pools.n_retrieved > 0
    depths = np.full(has.size, usual, dtype=np.int64)
    n_nowhere: list[int] = []
    for group in asked:
        rows = np.flatnonzero(ranked & (members.weights[:, group] > 0))
        counts = np.bincount(query[rows], minlength=has.size)
        n_nowhere.append(int((has & compared & (counts == 0)).sum()))
        held = np.flatnonzero(counts)
        starts = np.cumsum(counts)[held] - counts[held]  # its rows by query, best first
        wanted = np.minimum(counts[held], max(int(np.ceil(k * target[group])), 1))
        below = rank[rows[starts]] > usual
        deep = np.minimum(rank[rows[starts + wanted - 1]], DEEPEST)
        depths[held[below]] = np.maximum(depths[held[below]], deep[below])
    return GroupDepths(
        depths=depths,
        usual=usual,
        n_queries=int((has & compared).sum()),
        n_deeper=int((compared & (depths > usual)).sum()),
        groups=tuple(members.groups[group] for group in asked),
        n_nowhere=np.array(n_nowhere, dtype=np.int64),
    )
