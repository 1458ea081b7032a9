"""Attention on groups: its shares against a target (AWRF), its size, its relation to usefulness, ratios; and PAIR.

ε_L = G(L)ᵀ a_L is the attention that falls on each group; AWRF is the distance of its shares from the target (Raj et
al., Eq. 3; Sapiezynski et al. 2019). Kernels take one row of numbers per query, or one row of means over queries: every
other value here is a function of such means, which is how the papers define measures of a whole system (E_πρ).

PAIR asks whether useful items of one group rank above less useful ones as often as another's, by pairs (d1, d2) of
labelled items of one ranking with gain(d1) > gain(d2) (Raj et al., Eq. 11; Beutel et al. 2019). Soft labels weigh a
pair by the product of both memberships.

The value of a system, its bootstrap and ``over='query'`` are one mechanism (:data:`Statistic`): the same function of
means, of resampled means, or of the parts of each query alone. Such scores are a ``SystemScore``, which has no values
per query.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fairviz.kernels.divergence import DIVERGENCES
from fairviz.kernels.gains import sums_above
from fairviz.model import BoolArray, Counts, FloatArray, IndexArray, IntArray
from fairviz.model.arrays import ratio, segment_ids, segment_sums

Distance: TypeAlias = Literal["jsd", "kl", "l1", "absdiff"]
"""Of whole distributions; "absdiff" looks at one group."""


def group_attention(weights: FloatArray, attention: FloatArray, offsets: IntArray) -> FloatArray:
    """(R, G) attention that falls on each group in each ranking, ε_L = G(L)ᵀ a_L.

    Args:
        weights: (N, G) membership by rank.
        attention: (N) attention by rank.
        offsets: (R+1) rows of each ranking.

    Examples:
        >>> group_attention(np.eye(2), np.array([1.0, 0.5]), np.array([0, 2]))
        array([[1. , 0.5]])
    """
    ranking, n = segment_ids(offsets), offsets.size - 1
    sums = np.zeros((n, weights.shape[1]))
    for group, column in enumerate(weights.T):
        sums[:, group] = np.bincount(ranking, column * attention, minlength=n)
    return sums


def shares(attention: FloatArray) -> FloatArray:
    """(…, G) attention as shares of all labelled attention; NaN where there is none."""
    return ratio(attention, attention.sum(axis=-1, keepdims=True))


def awrf(attention: FloatArray, target: FloatArray, *, distance: Distance, group: int | None = None) -> FloatArray:
    """AWRF: distance between shares of attention and target. 0 = on target.

    Args:
        attention: (…, G) attention on each group, of any scale.
        target: (…, G) target shares.
        distance: "jsd" (natural log, in [0, ln 2]), "kl" KL(shares ‖ target), "l1" in [0, 2],
            "absdiff" |share − target| of one group, in [0, 1].
        group: The group that "absdiff" looks at.

    Returns:
        (…) distances; NaN where no attention is on a labelled item or the target is undefined.

    Raises:
        ValueError: If "absdiff" lacks its group.

    Examples:
        >>> awrf(np.array([3.0, 1.0]), np.array([0.5, 0.5]), distance="l1")
        np.float64(0.5)
    """
    shared = shares(attention)
    if distance != "absdiff":
        return DIVERGENCES[distance](shared, target)
    if group is None:
        raise ValueError("distance 'absdiff' is of one group: name it")
    return np.abs(shared[..., group] - target[..., group])


def log_ratio(plus: FloatArray, minus: FloatArray, *, eps: float) -> FloatArray:
    """ln(plus + ε) − ln(minus + ε): 0 = alike, above 0 = more for the first.

    Args:
        plus: Quantity of the protected group, ≥ 0.
        minus: The same of the others.
        eps: Keeps logarithms finite; with 0 a quantity of 0 has no ratio.

    Returns:
        NaN where a quantity is undefined, or 0 with ``eps`` 0.

    Examples:
        >>> float(log_ratio(np.array(2.0), np.array(1.0), eps=0.0).round(6))
        0.693147
    """
    mask = (plus + eps > 0) & (minus + eps > 0)
    logs = [np.log(side + eps, out=np.full(side.shape, np.nan), where=mask) for side in (plus, minus)]
    return logs[0] - logs[1]


def inequity(attention: FloatArray, utility: FloatArray) -> FloatArray:
    """IAA = ‖ε − Υ‖₁ of shares (Raj et al., Eq. 8): 0 = in proportion, at most 2.

    Args:
        attention: (…, G) attention on each group.
        utility: (…, G) usefulness of each group's items.
    """
    return np.abs(shares(attention) - shares(utility)).sum(axis=-1)


def item_inequity(gaps: FloatArray, items: IndexArray, queries: IntArray, counts: Counts) -> FloatArray:
    """IAA over items: Σ_d |A_d − R_d|, both summed over rankings (Biega et al. 2018, Eq. 4).

    Args:
        gaps: (N) attention minus usefulness of an item in one query, each normalised to 1 per
            ranking.
        items: (N) item of each gap.
        queries: (N) its query.
        counts: (B, Q) how often each resample holds each query.

    Returns:
        (B) values ≥ 0, growing with the number of rankings.
    """
    order = np.argsort(items, kind="stable")
    starts = np.flatnonzero(np.diff(items[order], prepend=-1))
    sums = np.zeros(len(counts))
    for b, row in enumerate(counts):  # one resample at a time: items × resamples need not fit
        sums[b] = np.abs(np.add.reduceat(gaps[order] * row[queries[order]], starts)).sum()
    return sums if gaps.size else np.full(len(counts), np.nan)


PairKind: TypeAlias = Literal["inter", "intra", "pairwise"]
"""Against items of other groups, of the own group, or of any."""


def ordered_pairs(weights: FloatArray, gains: FloatArray, offsets: IntArray) -> FloatArray:
    """(2, R, G, G) weight of the pairs of a more useful item of group g and a less useful one of group h.

    First of those whose more useful item ranks above, then of all of them. They are counted in one pass per level of
    gain: each item meets the less useful ones below it.

    Args:
        weights: (N, G) membership by rank.
        gains: (N) usefulness by rank.
        offsets: (R+1) rows of each ranking.
    """
    ranking, n, g = segment_ids(offsets), offsets.size - 1, weights.shape[1]
    right, total = counted = np.zeros((2, n, g, g))
    for level in np.unique(gains[gains > gains.min(initial=0.0)]).tolist():
        lesser = np.where((gains < level)[:, None], weights, 0.0)
        whole = np.stack([np.bincount(ranking, c, minlength=n) for c in lesser.T], axis=1)
        below = whole[ranking] - sums_above(lesser, offsets)  # the item itself is not lesser
        at = gains == level
        for group in range(g):
            own = weights[at, group][:, None]
            for pairs, met in ((right, below[at]), (total, whole[ranking[at]])):
                for other in range(g):
                    weight = own[:, 0] * met[:, other]
                    pairs[:, group, other] += np.bincount(ranking[at], weight, minlength=n)
    return counted


def pair_accuracy(pairs: FloatArray, group: int, kind: PairKind) -> FloatArray:
    """(R) share of the group's pairs that are ranked by their usefulness. 1 = all of them.

    Returns:
        In [0, 1]; NaN where there is no pair.
    """
    (right, total), groups = pairs, range(pairs.shape[3])
    met = [g for g in groups if kind == "pairwise" or (g == group) == (kind == "intra")]
    return ratio(right[:, group, met].sum(axis=1), total[:, group, met].sum(axis=1))


def pair_gap(pairs: FloatArray, protected: int, other: int, kind: PairKind) -> FloatArray:
    """(R) accuracy of the other group minus that of the protected one (InterAcc, IntraAcc).

    Returns:
        In [−1, 1]: 0 = both are ranked alike, above 0 = to the protected group's disadvantage; NaN
        where either has no pair.
    """
    return pair_accuracy(pairs, other, kind) - pair_accuracy(pairs, protected, kind)


# Values that are functions of means over queries: one per system, not one per query (E_πρ).


Combine: TypeAlias = Callable[[FloatArray], FloatArray]
"""(B, P) rows of parts, of one query or means over queries -> (B) values."""


@dataclass(frozen=True, slots=True, eq=False)
class OfMeans:
    """A function of means over queries.

    Attributes:
        parts: (Q, P) what each query gives; NaN leaves the query out of that part's mean.
        combine: From means of the parts to the value.
        rescued: Rows whose value smoothing alone keeps finite, where a measure smooths. It does so for queries, whose
            mean would be lost; the value of a whole system is infinite there, on the side that the value stands.
    """

    parts: FloatArray
    combine: Combine
    rescued: Callable[[FloatArray], BoolArray] | None = None

    @property
    def defined(self) -> BoolArray:
        """Queries with some part."""
        mask: BoolArray = ~np.isnan(self.parts)
        return np.asarray(mask.any(axis=1), dtype=np.bool_)

    def per_query(self) -> FloatArray:
        """The function of each query's own parts."""
        return self.combine(self.parts)

    def means(self, counts: Counts) -> FloatArray:
        """(B, P) mean of each part over the queries that have it."""
        mask = ~np.isnan(self.parts)
        weights = counts @ mask.astype(np.float64)
        sums = counts @ np.where(mask, self.parts, 0.0)
        return ratio(sums, weights)

    def __call__(self, counts: Counts) -> FloatArray:
        """The function of the means; infinite where a side has nothing, NaN where both have."""
        means = self.means(counts)
        values = self.combine(means)
        if self.rescued is None:
            return values
        values = values.copy()
        smoothed = self.rescued(means)
        values[smoothed & (values > 0)] = np.inf
        values[smoothed & (values < 0)] = -np.inf
        values[smoothed & (values == 0)] = np.nan
        return values

    def n_smoothed(self) -> int:
        """Queries whose value smoothing alone keeps finite."""
        return 0 if self.rescued is None else int(self.rescued(self.parts).sum())


@dataclass(frozen=True, slots=True, eq=False)
class OfItems:
    """Σ_d |Σ_q gap of d in q|: a sum over items of what queries leave uneven.

    Attributes:
        gaps: (N) gap of an item in a query.
        items: (N) the item.
        queries: (N) the query, never falling.
        defined: (Q) queries that take part.
    """

    gaps: FloatArray
    items: IndexArray
    queries: IntArray
    defined: BoolArray

    def per_query(self) -> FloatArray:
        """Σ_d |gap| of each query."""
        n = self.defined.size
        offsets = np.searchsorted(self.queries, np.arange(n + 1)).astype(np.int64)
        return np.where(self.defined, segment_sums(np.abs(self.gaps), offsets), np.nan)

    def __call__(self, counts: Counts) -> FloatArray:
        """The sum where queries count more than once or not at all."""
        sums = item_inequity(self.gaps, self.items, self.queries, counts)
        some = counts @ self.defined.astype(np.float64) > 0
        return np.where(some, sums, np.nan)


Statistic: TypeAlias = OfMeans | OfItems
"""What a measure of exposure over a whole system is computed from: which queries take part (``defined``), the value of
each query alone (``per_query``), and, called, that of the system where queries count more than once or not at all.
"""
