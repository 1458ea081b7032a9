"""Where the attention of a system goes, by group: per query, in all, per item.

Nothing here knows a target; it is compared with one where that is set. A share is a ratio of sums over queries,
Σ_q ε_qg / Σ_q Σ_h ε_qh: queries with more labelled attention count for more, and a query without any says nothing (the
pooled share of the TREC fair ranking tracks).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, stdtrit

from fairviz.attention import Attention
from fairviz.groups import Membership, pooled_shares
from fairviz.model import BoolArray, FloatArray, IntArray, Pools, RankingSample, Run
from fairviz.model.arrays import segment_ids
from fairviz.pool import RankedLists, ranked_lists
from fairviz.stats.bootstrap import LEVEL, Intervals, bootstrap_counts, percentiles
from fairviz.stats.tests import MIN_UNITS

CONSTANT = 1e-7
"""Standard errors below this are rounding: the share is the same in every query."""


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
        return pooled_shares(self.attention)

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
    def is_few(self) -> bool:
        """Whether too few queries say something for anything to be claimed of the shares."""
        return self.n_labelled < MIN_UNITS

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
        shares_corrected: The same for what is said after looking at all groups: every interval at 1 − 0.05 / groups,
            by studentised resamples (bootstrap-t), because percentiles that far out are too short for few queries.
        per_item_corrected: Likewise; percentiles, of which two must not overlap.
    """

    shares: Intervals
    per_item: Intervals
    drawn: FloatArray
    shares_corrected: Intervals
    per_item_corrected: Intervals


def share_intervals(exposure: GroupExposure, *, seed: int = 0) -> ShareIntervals:
    """Intervals of shares and of attention per item, from the same resamples of the queries."""
    n = exposure.n_labelled
    if n < 2:
        unknown = np.full(len(exposure.groups), np.nan)
        nothing = Intervals(unknown, unknown)
        return ShareIntervals(nothing, nothing, np.empty((0, unknown.size)), nothing, nothing)
    counts = bootstrap_counts(len(exposure.query_ids), rng=np.random.default_rng(seed))
    attention = counts @ exposure.attention
    drawn = ratios(attention, attention.sum(axis=1, keepdims=True))
    per_item = _per_item(attention, counts @ exposure.candidates)
    level = 1 - (1 - LEVEL) / max(len(exposure.groups), 1)
    return ShareIntervals(
        percentiles(drawn.T, n),
        percentiles(per_item.T, n),
        drawn,
        _rarely_seen(_studentised(exposure.attention, counts, level), exposure, level),
        percentiles(per_item.T, n, level=level),
    )


def _rarely_seen(ends: Intervals, exposure: GroupExposure, level: float) -> Intervals:
    """The same with exact binomial ends (Clopper and Pearson 1934) where resamples say nothing of a group's chance.

    These are groups that no query shows, or that alone are shown, and those that too many resamples miss; what is
    counted is labelled places.
    """
    n = max(float(exposure.places.sum()), 1.0)
    seen = np.clip(exposure.shares * n, 0.0, n)
    tail = (1 - level) / 2
    low = np.where(seen > 0, betaincinv(np.maximum(seen, CONSTANT), n - seen + 1, tail), 0.0)
    high = np.where(seen < n, betaincinv(seen + 1, np.maximum(n - seen, CONSTANT), 1 - tail), 1.0)
    silent = ~np.isfinite(ends.high) | (exposure.shares < CONSTANT) | (exposure.shares > 1 - CONSTANT)
    return Intervals(np.where(silent, low, ends.low), np.where(silent, high, ends.high))


def _studentised(attention: FloatArray, counts: FloatArray, level: float) -> Intervals:
    """Bootstrap-t intervals of pooled shares, no shorter than Student's; a constant share is its own interval.

    The standard error of a ratio of sums is that of its linearisation, Σ_q (ε_qg − share_g Σ_h ε_qh)², in the data and
    in every resample anew. A group that is missing from too many resamples has infinite ends.
    """
    counts = np.concatenate([np.ones((1, counts.shape[1])), counts])
    whole = attention.sum(axis=1, keepdims=True)
    totals = counts @ whole
    shares = ratios(counts @ attention, totals)
    squares = counts @ attention**2 - 2 * shares * (counts @ (attention * whole)) + shares**2 * (counts @ whole**2)
    errors = ratios(np.sqrt(np.maximum(squares, 0.0)), totals)
    still = errors[0] < CONSTANT
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(shares[1:] - shares[0]) / np.where(errors[1:] < CONSTANT, 0.0, errors[1:])
    reach = np.quantile(np.nan_to_num(t, nan=0.0, posinf=np.inf), level, axis=0, method="inverted_cdf")
    least = float(stdtrit(int((whole > 0).sum()) - 1, (1 + level) / 2))
    half = np.where(still, 0.0, np.maximum(reach, least) * np.where(still, 1.0, errors[0]))
    return Intervals(shares[0] - half, shares[0] + half)


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
