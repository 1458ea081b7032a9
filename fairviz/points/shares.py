"""Where the attention of a system goes, by group: per query, in all, per item.

Nothing here knows a target; it is compared with one where that is set. A share is a ratio of sums over queries,
Σ_q ε_qg / Σ_q Σ_h ε_qh: queries with more labelled attention count for more, and a query without any says nothing (the
pooled share of the TREC fair ranking tracks).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.display.words import DOCUMENTS, count_word, percent
from fairviz.kernels.attention import Attention
from fairviz.kernels.grouping import Membership, group_sums, off_target_share, pooled_shares
from fairviz.kernels.pool import RankedLists, ranked_lists
from fairviz.model import BoolArray, Exposure, FloatArray, Pools, RankingSample, Run
from fairviz.model.arrays import segment_ids, segment_places, segment_sums
from fairviz.stats.bootstrap import LEVEL, UNDEFINED, Interval, Intervals, bootstrap_counts, percentiles
from fairviz.stats.tests import MIN_UNITS

ROUNDING = 1e-14
"""Variances of a share below this are rounding: it is the same in every query."""
MANY = 1e9
"""Draws that such a share is worth."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupExposure:
    """Attention and places by group of one system, per query.

    Attributes:
        groups: G names.
        query_ids: Q queries.
        attention: (Q, G) expected attention on the items of each group.
        unlabelled: (Q) expected attention on items (or parts of them) without a label.
        places: (Q, G) items of each group among the ranks that get attention, expected.
        unlabelled_places: (Q) such places without a label.
        candidates: (Q, G) items of each group that were retrieved, whatever their rank.
        unlabelled_candidates: (Q) those without a label.
        not_applicable: Retrieved items of all queries to which the attribute does not apply.
    """

    groups: tuple[str, ...]
    query_ids: tuple[str, ...]
    attention: FloatArray
    unlabelled: FloatArray
    places: FloatArray
    unlabelled_places: FloatArray
    candidates: FloatArray
    unlabelled_candidates: FloatArray
    not_applicable: int = 0

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
    lists, n_rows = ranked_lists(ranked, pools), pools.docs.size
    weight = list_weights(lists, len(pools.query_ids))
    longest = int(np.diff(lists.offsets).max(initial=0))
    seen = attention.weights(longest)[segment_places(lists.offsets)] * weight
    of_ranks = seen, np.where(seen > 0, weight, 0.0)
    attended, visible = (np.bincount(lists.rows, of, minlength=n_rows).astype(np.float64) for of in of_ranks)
    retrieved = (segment_places(pools.offsets) < np.repeat(pools.n_retrieved, pools.sizes)).astype(np.float64)
    by_group, unlabelled = zip(
        *(
            (attention_by_group(values, pools, members), segment_sums(values * members.unlabelled, pools.offsets))
            for values in (attended, visible, retrieved)
        ),
        strict=True,
    )
    return GroupExposure(
        groups=members.groups,
        query_ids=pools.query_ids,
        attention=by_group[0],
        unlabelled=unlabelled[0],
        places=by_group[1],
        unlabelled_places=unlabelled[1],
        candidates=by_group[2],
        unlabelled_candidates=unlabelled[2],
        not_applicable=int(retrieved[members.not_applicable].sum()),
    )


class PooledShares(NamedTuple):
    """Shares of labelled attention of all queries together, with what resampled queries make of them.

    Attributes:
        shares: (G) Σ_q ε_qg / Σ_q Σ_h ε_qh; NaN where there is no labelled attention.
        ends: (G) 95 % bootstrap intervals over queries; NaN below two queries with labelled attention.
        drawn: (B, G) shares in each resample; no rows where there is no interval.
        n_queries: Queries with labelled attention.
    """

    shares: FloatArray
    ends: Intervals
    drawn: FloatArray
    n_queries: int


def attention_by_group(exposure: Exposure, pools: Pools, members: Membership) -> FloatArray:
    """(Q, G) attention on the items of each group, of any exposure: today's list, a sample, a re-ranking, a policy.

    Args:
        exposure: (M) expected attention of every pool row.
        pools: The candidates.
        members: Groups of the pool rows.
    """
    return group_sums(exposure[:, None] * members.weights, pools)


def share_of_all_queries(attention: FloatArray) -> PooledShares:
    """The share that each group has of all queries together, as it stands on every page, with its interval.

    Resamples depend on the number of queries alone: two exposures of the same queries are drawn in pairs.

    Args:
        attention: (Q, G) as of :func:`attention_by_group`; a query that has nothing to say is a row of 0 or NaN.

    Examples:
        >>> share_of_all_queries(np.array([[3.0, 0.0], [0.0, 1.0]])).shares
        array([0.75, 0.25])
    """
    filled_attention = np.nan_to_num(attention)
    n = int((filled_attention.sum(axis=1) > 0).sum())
    shares = pooled_shares(filled_attention)
    if n < 2:
        unknown = np.full(shares.shape, np.nan)
        return PooledShares(shares, Intervals(unknown, unknown), np.empty((0, shares.size)), n)
    sums = bootstrap_counts(len(filled_attention), rng=np.random.default_rng(0)) @ filled_attention
    drawn = ratios(sums, sums.sum(axis=1, keepdims=True))
    return PooledShares(shares, percentiles(drawn.T, n), drawn, n)


def per_item_intervals(exposure: GroupExposure) -> Intervals:
    """95 % intervals of attention per item, from the resamples that shares have; NaN over too few queries."""
    if exposure.is_few:
        unknown = np.full(len(exposure.groups), np.nan)
        return Intervals(unknown, unknown)
    counts = bootstrap_counts(len(exposure.query_ids), rng=np.random.default_rng(0))
    per_item = _per_item(counts @ exposure.attention, counts @ exposure.candidates)
    return percentiles(per_item.T, exposure.n_labelled)


def corrected_intervals(exposure: GroupExposure, *, n_tests: int = 0) -> tuple[Intervals, Intervals]:
    """Intervals at 1 − 0.05 / tests of shares, then of attention per item: for what is said after seeing all groups.

    They are those of :func:`effective_draws`, because resamples say nothing of a group that few queries show: nothing
    is drawn for them. Of attention per item those of two groups must not overlap.

    What each query adds to an error is that of the ratio's linearisation; numbers of candidates are part of it.

    Args:
        exposure: Attention by group.
        n_tests: Groups that are looked at; 0: all of them.
    """
    if exposure.n_labelled < 2:
        unknown = np.full(len(exposure.groups), np.nan)
        return Intervals(unknown, unknown), Intervals(unknown, unknown)
    shares, attention = exposure.shares, exposure.attention / exposure.attention.sum()
    candidates = exposure.candidates / exposure.candidates.sum()
    excess = attention - shares * attention.sum(axis=1, keepdims=True)
    due = candidates.sum(axis=0)
    own = np.nan_to_num(ratios(candidates, due))  # a group without candidates has no share that could vary
    expected = shares * (own - candidates.sum(axis=1, keepdims=True))
    level = 1 - (1 - LEVEL) / (n_tests or len(exposure.groups))
    n, places = exposure.n_labelled, max(float(exposure.places.sum()), 1.0)
    of_shares = effective_draws(shares, excess, n, places, level=level)
    per_item = effective_draws(shares, excess - expected, n, places, level=level)
    return of_shares, Intervals(ratios(per_item.low, due), ratios(per_item.high, due))


def effective_draws(
    shares: FloatArray, errors: FloatArray, n_queries: int, places: float, *, level: float
) -> Intervals:
    r"""Exact binomial intervals of shares whose places come in clusters, the queries (Korn and Graubard 1998).

    A share p with variance v is worth n = p (1 − p) / v independent draws; the interval is Clopper and Pearson's (1934)
    of n draws. Queries that lean make n smaller than the number of places. The variance of a group that few queries
    show is hardly known: no group is worth more draws than all together, Σ p (1 − p) / Σ v, and one that is never
    shown, or alone, not more than the places. Above them, where lists are more even than chance, n is reduced as
    Student's t asks:

    .. math:: n^* = \max\bigl(\min(n, \text{places}),\; n\,(t_{n-1} / t_{Q-1})^2\bigr)

    Args:
        shares: (G) the shares; NaN where there is none.
        errors: (Q, G) what each query adds to a share's error; they sum to 0.
        n_queries: Q that say something.
        places: Labelled places.
        level: Coverage.
    """
    from scipy.special import betaincinv, stdtrit  # as long to load as all else: where it is used

    spread, outside = shares * (1 - shares), (1 - level) / 2
    variances = (errors**2).sum(axis=0) * n_queries / (n_queries - 1)
    defined = ~np.isnan(shares)
    together = float(_draws(np.array([spread[defined].sum()]), np.array([variances[defined].sum()]))[0])
    draws = np.minimum(_draws(spread, variances), together)
    draws = np.where(spread > ROUNDING, draws, min(together, places))
    reduced = draws * (stdtrit(np.maximum(draws - 1, 1), outside) / stdtrit(n_queries - 1, outside)) ** 2
    draws = np.maximum(np.minimum(draws, places), np.minimum(reduced, draws))
    seen = np.clip(shares * draws, 0.0, draws)
    missed = draws - seen
    low = np.where(seen > 0, betaincinv(np.where(seen > 0, seen, 1.0), missed + 1, outside), 0.0)
    high = np.where(missed > 0, betaincinv(seen + 1, np.where(missed > 0, missed, 1.0), 1 - outside), 1.0)
    unknown = np.isnan(shares)
    return Intervals(np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))


def _draws(spread: FloatArray, variance: FloatArray) -> FloatArray:
    """Independent draws whose share varies as much; many where it does not vary, or nothing could."""
    still = (variance <= ROUNDING) | (spread <= ROUNDING)
    return np.where(still, MANY, np.minimum(spread / np.where(still, 1.0, variance), MANY))


def list_weights(lists: RankedLists, n_queries: int) -> FloatArray:
    """(N) 1 / rankings of the query for each place, so that a sample counts as one ranking."""
    per_query = np.bincount(lists.queries, minlength=n_queries)
    return (1 / per_query[lists.queries])[segment_ids(lists.offsets)]


def ratios(part: FloatArray, whole: FloatArray | float) -> FloatArray:
    """Part of the whole, NaN where there is no whole."""
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def _per_item(attention: FloatArray, candidates: FloatArray) -> FloatArray:
    """Along the last axis: attention per candidate over that of all groups together."""
    every = ratios(attention.sum(axis=-1), candidates.sum(axis=-1))
    return ratios(ratios(attention, candidates), every[..., None])


# How far shares of attention are from a target, and what the missing labels leave open.
#
# Attention on unlabelled items belongs to some groups, nobody knows which. If all of it were one group's, that group
# would have the most it can have; if none of it were, the least. Between these lies every labelling that a person
# could still add.


HALVINGS = 60


class OffTarget(NamedTuple):
    """Shares against a target.

    Attributes:
        off: Share of attention that would have to move: half of L1, 0 to 1; NaN = undefined.
        interval: 95 % bootstrap over queries.
    """

    off: float
    interval: Interval


def off_target(shares: FloatArray, drawn: FloatArray, target: FloatArray, n_queries: int) -> OffTarget:
    """Compare shares with a target.

    Args:
        shares: (G) shares of attention.
        drawn: (B, G) the same in resamples of the queries; no rows = no interval.
        target: (G) target shares.
        n_queries: Queries that were resampled.

    Examples:
        >>> off_target(np.array([0.6, 0.4]), np.empty((0, 2)), np.array([0.5, 0.5]), 9).off
        0.09999999999999998
    """
    interval = percentiles(off_target_share(drawn, target), n_queries).each[0] if drawn.size else UNDEFINED
    return OffTarget(float(off_target_share(shares, target)), interval)


def share_range(labelled: FloatArray, unlabelled: float) -> Intervals:
    """(G) smallest and largest share of all attention that each group can turn out to have.

    They are its shares if the unlabelled attention went away from it, or to it.

    Args:
        labelled: (G) attention on the items of each group.
        unlabelled: Attention on items without a label.

    Returns:
        ε_g / E and (ε_g + u) / E with E = Σ ε + u; NaN where there is no attention.

    Examples:
        >>> share_range(np.array([3.0, 1.0]), 4.0)
        Intervals(low=array([0.375, 0.125]), high=array([0.875, 0.625]))
    """
    total = float(labelled.sum()) + unlabelled
    if not total > 0:
        unknown = np.full(labelled.shape, np.nan)
        return Intervals(unknown, unknown)
    return Intervals(labelled / total, (labelled + unlabelled) / total)


def distance_range(
    labelled: FloatArray,
    unlabelled: float,
    target: FloatArray,
    distance: Callable[[FloatArray, FloatArray], FloatArray],
) -> Interval:
    """Ends of a distance from the target over everything the missing labels could be.

    The distance must be convex in the shares: it is then largest where all unlabelled attention is
    one group's. It must also be an f-divergence Σ t f(p/t), as KL, JSD and L1 are: it is then
    smallest where the attention that is free raises the groups with the lowest share/target to one
    common level.

    Args:
        labelled: (G) attention on the items of each group.
        unlabelled: Attention on items without a label.
        target: (G) target shares.
        distance: One of :mod:`fairviz.kernels.divergence`.
    """
    least = share_range(labelled, unlabelled).low
    if np.isnan(least).any() or np.isnan(target).any():
        return Interval(float("nan"), float("nan"))
    free = 1 - float(least.sum())
    corners = least + free * np.eye(least.size)
    best = filled(least, target)
    return Interval(float(distance(best, target)), float(distance(corners, target).max()))


def filled(least: FloatArray, target: FloatArray) -> FloatArray:
    """(G) the shares p ≥ ``least`` nearest to the target: max(least, c · target), summing to 1.

    Examples:
        >>> filled(np.array([0.5, 0.1]), np.array([0.4, 0.6])).round(3)
        array([0.5, 0.5])
    """
    low, high = 0.0, 1.0  # at c = 1 the sum is at least that of the target, 1
    for _ in range(HALVINGS):
        level = (low + high) / 2
        if np.maximum(least, level * target).sum() > 1:
            high = level
        else:
            low = level
    shares = np.maximum(least, high * target)
    return shares / shares.sum()


MOST_UNLABELLED = 0.2
"""Share of attention without a label above which shares of the rest allow no verdict."""


def next_step(n_queries: int, n_labelled: int, unlabelled: float, unit: str = DOCUMENTS) -> str:
    """What would allow a verdict where there is none: queries, or labels; empty where nothing is missing.

    Args:
        n_queries: Queries.
        n_labelled: Those that show labelled documents.
        unlabelled: Share of attention without a label.
        unit: What is ranked.

    Examples:
        >>> next_step(9, 9, 0.0), next_step(50, 7, 0.1)
        ('Next: add at least one more query.', 'Next: label documents at the top of at least three more queries.')
        >>> next_step(50, 50, 0.5).replace("\u202f", " ")
        'Next: label documents, those at the top first: at most 20 % of attention may be without a label (50 % today).'
        >>> next_step(50, 50, 0.1)
        ''
    """
    allowed = f"at most {percent(MOST_UNLABELLED)} of attention may be without a label ({percent(unlabelled)} today)"
    if n_queries < MIN_UNITS:
        n = MIN_UNITS - n_queries
        return f"Next: add at least {count_word(n)} more {'query' if n == 1 else 'queries'}."
    if n_labelled < MIN_UNITS:
        n = MIN_UNITS - n_labelled
        more = f"at least {count_word(n)} more {'query' if n == 1 else 'queries'}"
        rest = f"; {allowed}" if unlabelled > MOST_UNLABELLED else ""
        return f"Next: label {unit} at the top of {more}{rest}."
    return f"Next: label {unit}, those at the top first: {allowed}." if unlabelled > MOST_UNLABELLED else ""


SAME = 5e-4
"""Shares closer than this are one, to the last digit shown."""


def off_target_groups(exposure: GroupExposure, target: FloatArray) -> BoolArray:
    """(G) groups of which it may be said that they miss their target, by Holm (1979) over the groups.

    A group's interval leaves its target out, at a level corrected for the groups that are not told apart yet; and where
    more than a fifth of the attention has no label, no labelling of it would bring them there either. Nobody, where too
    few queries say something.
    """
    off = np.zeros(target.size, dtype=np.bool_)
    if exposure.is_few or np.isnan(exposure.shares).any():
        return off
    while not off.all():
        ends, _ = corrected_intervals(exposure, n_tests=int((~off).sum()))
        misses = (target < ends.low) | (target > ends.high)
        if not (misses & ~off).any():
            break
        off |= misses
    if exposure.unlabelled_share > MOST_UNLABELLED:
        bounds = share_range(exposure.attention.sum(axis=0), float(exposure.unlabelled.sum()))
        off &= (target < bounds.low) | (target > bounds.high)
    return off


def headline_group(exposure: GroupExposure, target: FloatArray, *, moved: int | None = None) -> int | None:
    """The group that the title is about: the one moved last, else the furthest below its target, else above it.

    Args:
        exposure: Attention by group.
        target: (G) target shares.
        moved: The group that a person looks at: named where it is on target or significantly off, as its row says.

    Returns:
        Its place; None where no group is significantly off target.
    """
    off = off_target_groups(exposure, target)
    if moved is not None:
        is_met = abs(exposure.shares[moved] - target[moved]) < SAME and exposure.unlabelled_share <= MOST_UNLABELLED
        if off[moved] or is_met:
            return moved
    gap = np.where(off, exposure.shares - target, 0.0)
    if not off.any():
        return None
    return int(gap.argmin()) if (gap < 0).any() else int(gap.argmax())
