"""Where the attention of a system goes, by group: per query, in all, per item.

Nothing here knows a target; it is compared with one where that is set. A share is a ratio of sums over queries,
Σ_q ε_qg / Σ_q Σ_h ε_qh: queries with more labelled attention count for more, and a query without any says nothing (the
pooled share of the TREC fair ranking tracks).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.attention import Attention
from fairviz.groups import Membership
from fairviz.model import BoolArray, FloatArray, IntArray, Pools, RankingSample, Run
from fairviz.model.arrays import segment_ids
from fairviz.pool import RankedLists, ranked_lists
from fairviz.stats.bootstrap import Intervals, bootstrap_counts, percentiles, resampled_p
from fairviz.stats.tests import holm


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupExposure:
    """Attention and places by group of one system, per query.

    Attributes:
        system: Name of the system.
        groups: G names.
        query_ids: Q queries.
        attention: (Q, G) expected attention on the items of each group.
        unlabelled: (Q) expected attention on items (or parts of them) without a label.
        places: (Q, G) items of each group among the ranks that get attention, expected.
        unlabelled_places: (Q) such places without a label.
        candidates: (Q, G) items of each group that were retrieved, whatever their rank.
        unlabelled_candidates: (Q) those without a label.
    """

    system: str
    groups: tuple[str, ...]
    query_ids: tuple[str, ...]
    attention: FloatArray
    unlabelled: FloatArray
    places: FloatArray
    unlabelled_places: FloatArray
    candidates: FloatArray
    unlabelled_candidates: FloatArray

    @property
    def shares(self) -> FloatArray:
        """(G) share of each group in the attention on labelled items; NaN where there is none."""
        return ratios(self.attention.sum(axis=0), self.attention.sum())

    @property
    def unlabelled_share(self) -> float:
        """Share of all attention on items without a label."""
        rest = float(self.unlabelled.sum())
        total = rest + float(self.attention.sum())
        return rest / total if total > 0 else float("nan")

    @property
    def n_labelled(self) -> int:
        """Queries with attention on labelled items: the only ones that say something."""
        return int((self.attention.sum(axis=1) > 0).sum())

    @property
    def per_item(self) -> FloatArray:
        """(G) attention per candidate of the group, in times that of all labelled candidates.

        1 = a document of the group gets as much attention as labelled documents get on average
        (exposure in proportion to numbers); NaN for a group without candidates.
        """
        return _per_item(self.attention.sum(axis=0), self.candidates.sum(axis=0))


def group_exposure(
    ranked: Run | RankingSample, pools: Pools, members: Membership, attention: Attention
) -> GroupExposure:
    """Attention by group: of a run's list, or averaged over the rankings of a sample.

    Args:
        ranked: The system.
        pools: Its pools.
        members: Groups of the pool rows.
        attention: How attention falls with rank.
    """
    lists = ranked_lists(ranked, pools)
    seen = _attention_by_place(lists, attention) * list_weights(lists, len(pools.query_ids))
    visible = seen > 0
    place = np.where(visible, list_weights(lists, len(pools.query_ids)), 0.0)
    retrieved = _retrieved(pools).astype(np.float64)
    query = lists.queries[segment_ids(lists.offsets)]
    weights, missing = members.weights[lists.rows], _missing(members.weights)[lists.rows]
    n = len(pools.query_ids)
    of_row = segment_ids(pools.offsets)
    return GroupExposure(
        system=ranked.system,
        groups=members.groups,
        query_ids=pools.query_ids,
        attention=sums_by(weights * seen[:, None], query, n),
        unlabelled=sums_by((missing * seen)[:, None], query, n)[:, 0],
        places=sums_by(weights * place[:, None], query, n),
        unlabelled_places=sums_by((missing * place)[:, None], query, n)[:, 0],
        candidates=sums_by(members.weights * retrieved[:, None], of_row, n),
        unlabelled_candidates=sums_by((_missing(members.weights) * retrieved)[:, None], of_row, n)[:, 0],
    )


class ShareIntervals(NamedTuple):
    """95 % bootstrap intervals over queries; NaN below two queries with labelled attention.

    Attributes:
        shares: Of :attr:`GroupExposure.shares`.
        per_item: Of :attr:`GroupExposure.per_item`.
        drawn: (B, G) shares in each resample; no rows where there is no interval.
        per_item_p: p that two groups have the same attention per item, of all pairs; corrected by Holm over them: the
            groups at both ends were searched. (G, G), symmetric, NaN on the diagonal.
        apart_p: (G) p that a group has as much attention per item as all together, 1; corrected over the groups.
        n_queries: Queries that were resampled, those with labelled attention.
    """

    shares: Intervals
    per_item: Intervals
    drawn: FloatArray
    per_item_p: FloatArray
    apart_p: FloatArray
    n_queries: int


def share_intervals(exposure: GroupExposure, *, seed: int = 0) -> ShareIntervals:
    """Intervals of shares and of attention per item, from the same resamples of the queries."""
    n = exposure.n_labelled
    if n < 2:
        unknown = np.full(len(exposure.groups), np.nan)
        nothing = Intervals(unknown, unknown)
        return ShareIntervals(
            nothing, nothing, np.empty((0, unknown.size)), np.full((unknown.size,) * 2, np.nan), unknown, n
        )
    counts = bootstrap_counts(len(exposure.query_ids), rng=np.random.default_rng(seed))
    attention = counts @ exposure.attention
    drawn = ratios(attention, attention.sum(axis=1, keepdims=True))
    per_item = _per_item(attention, counts @ exposure.candidates)
    of_items = np.vstack([exposure.per_item, per_item]).T
    return ShareIntervals(
        shares=percentiles(drawn.T, n),
        per_item=percentiles(per_item.T, n),
        drawn=drawn,
        per_item_p=_pairs_p(of_items, n),
        apart_p=holm(resampled_p(of_items, n, null=1.0)),
        n_queries=n,
    )


def _pairs_p(statistics: FloatArray, n_queries: int) -> FloatArray:
    """(G, G) Holm's p that two of (G, 1+B) statistics of the same resamples are equal."""
    first, second = np.triu_indices(len(statistics), 1)
    adjusted = holm(resampled_p(statistics[first] - statistics[second], n_queries))
    table = np.full((len(statistics),) * 2, np.nan)
    table[first, second] = table[second, first] = adjusted
    return table


def target_p(exposure: GroupExposure, ends: ShareIntervals, target: FloatArray) -> FloatArray:
    """(G) p that a group's share is on target, corrected over the groups that have one; NaN without intervals.

    Shares are compared as arcsin √share, which spreads alike whatever the share: a small share spreads little where it
    happens to be too small, and as it is 7 % of worlds without effect would have one off target.
    """
    if not len(ends.drawn):
        return np.full(target.shape, np.nan)
    shares, aims = (
        np.arcsin(np.sqrt(np.clip(each, 0, 1))) for each in (np.vstack([exposure.shares, ends.drawn]), target)
    )
    return holm(resampled_p((shares - aims).T, ends.n_queries))


def _attention_by_place(lists: RankedLists, attention: Attention) -> FloatArray:
    sizes = np.diff(lists.offsets)
    weights = attention.weights(int(sizes.max(initial=0)))
    return weights[np.arange(int(lists.offsets[-1])) - np.repeat(lists.offsets[:-1], sizes)]


def list_weights(lists: RankedLists, n_queries: int) -> FloatArray:
    """(N) 1 / rankings of the query for each place, so that a sample counts as one ranking."""
    per_query = np.bincount(lists.queries, minlength=n_queries)
    return (1 / per_query[lists.queries])[segment_ids(lists.offsets)]


def _retrieved(pools: Pools) -> BoolArray:
    position = np.arange(pools.docs.size) - np.repeat(pools.offsets[:-1], pools.sizes)
    return position < np.repeat(pools.n_retrieved, pools.sizes)


def _missing(weights: FloatArray) -> FloatArray:
    rest = 1 - weights.sum(axis=1)
    return np.where(rest > 1e-9, rest, 0.0)


def sums_by(values: FloatArray, segment: IntArray, n: int) -> FloatArray:
    """(n, G) sums of the rows (N, G) of each segment."""
    sums = np.zeros((n, values.shape[1]))
    for column, of_group in enumerate(values.T):
        sums[:, column] = np.bincount(segment, of_group, minlength=n)
    return sums


def ratios(part: FloatArray, whole: FloatArray | float) -> FloatArray:
    """Part of the whole, NaN where there is no whole."""
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def _per_item(attention: FloatArray, candidates: FloatArray) -> FloatArray:
    """Along the last axis: attention per candidate over that of all groups together."""
    every = ratios(attention.sum(axis=-1), candidates.sum(axis=-1))
    return ratios(ratios(attention, candidates), every[..., None])
