"""The two axes on which re-rankings of one run are compared: off target, and quality.

Everything is read off expected attention, so that a list, a mixture of lists and a policy known by its exposure alone
stand on the same axes, none of them sampled.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from fairviz.attention import Attention, Discounted
from fairviz.divergence import l1
from fairviz.exposure import Bounds, exposure_bounds, target_exposure
from fairviz.groups import Membership, Missing, Preset, group_sums, membership, target_shares, with_unlabelled
from fairviz.metrics.exposure import attainable, ee_relevance
from fairviz.model import BoolArray, Exposure, FloatArray, GroupLabels, Pools, Target
from fairviz.model.arrays import segment_ids, segment_sums
from fairviz.pool import RankedLists

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
        ranked = self.pools.n_retrieved > 0
        return Reading(POINTS * l1(shares, self.target), np.where(ranked, quality, np.nan), shares)

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
