"""What two published programs compute under the names EE-D, EE-R and EE-L, for comparison.

``expeval`` is the program of Diaz et al. (2020), ``fair-rag`` the code of Kim & Diaz. Both differ
from the attainable normalisation, and from the papers, in ways that are kept here alone: their
targets leave items out, and their bounds are not always bounds.
"""

from typing import NamedTuple

import numpy as np

from fairviz.exposure import positions
from fairviz.model import BoolArray, Exposure, FloatArray, IntArray, Pools
from fairviz.model.arrays import segment_ids, segment_sums


class Reference(NamedTuple):
    """One measure as a published program has it: raw values, its bounds, and its default."""

    raw: FloatArray
    low: FloatArray
    high: FloatArray
    default: float

    @property
    def normalised(self) -> FloatArray:
        """(value − low) / (high − low); the program's default where its bounds coincide."""
        width = self.high - self.low
        scaled = (self.raw - self.low) / np.where(width == 0, 1.0, width)
        return np.where(np.isnan(self.raw), np.nan, np.where(width == 0, self.default, scaled))


class References(NamedTuple):
    """The three measures of one program."""

    disparity: Reference
    relevance: Reference
    loss: Reference


def fair_rag(exposure: Exposure, pools: Pools, cutoff: int) -> References:
    """Kim & Diaz's published code: top-k attention, gain > 0 is useful, lower bounds 0.

    With m useful of n judged items: EE-D / k; the target is 1 (m ≤ k) or k/m for useful items and
    nothing for the others; EE-R / T and EE-L / (T + k) with T = m + (k−m)²/(n−m) or k²/m. A perfect
    list therefore scores EE-R < 1 where m < k. NaN where the code fails: m = 0, or n = m ≤ k.
    """
    useful = pools.gains > 0
    m = segment_sums(useful.astype(np.float64), pools.offsets)
    n = segment_sums(pools.judged.astype(np.float64), pools.offsets)
    defined = (m > 0) & ((n > m) | (m > cutoff))
    many = m > cutoff
    rest = np.where(many | ~defined, 1.0, n - m)
    m_safe = np.where(m > 0, m, 1.0)
    top = np.where(many, cutoff**2 / m_safe, m + (cutoff - m) ** 2 / rest)
    share = np.where(many, cutoff / m_safe, 1.0)
    target = np.where(useful, share[segment_ids(pools.offsets)], 0.0)
    raw = _raw(exposure, target, pools.offsets)
    high = (np.full(m.size, float(cutoff)), top, top + cutoff)
    disparity, relevance, loss = (
        Reference(np.where(defined, value, np.nan), np.zeros(m.size), bound, 0.0)
        for value, bound in zip(raw, high, strict=True)
    )
    return References(disparity, relevance, loss)


def expeval(
    exposure: Exposure,
    pools: Pools,
    *,
    patience: float,
    utility: float | None = None,
    complete: bool = False,
) -> References:
    """Diaz et al.'s expeval: RBP, or GERR where ``utility`` is given.

    Args:
        exposure: (M) expected exposure under the same browsing model.
        pools: Rankings and judgements; any gain > 0 is relevant.
        patience: p.
        utility: u, the chance that a relevant item ends the reading; None = RBP.
        complete: Judgements are complete (its re-ranking setting, -C): items of gain 0 have a
            target too. Else (retrieval, default) only relevant items have, and n is infinite.

    Returns:
        Values per query; NaN where nothing is relevant, unless ``complete``. A query that the run
        lacks gets the program's own worst values.
    """
    members = pools.judged if complete else pools.gains > 0
    target = _expeval_target(pools, members, patience, utility or 0.0)
    squares = segment_sums(target**2, pools.offsets)
    n = segment_sums(members.astype(np.float64), pools.offsets)
    base = patience if utility is None else patience * utility
    one_grade = _n_grades(pools, members) < 2
    if complete:
        worst = segment_sums(target * _rising_attention(target, members, pools.offsets, base), pools.offsets)
        tail = segment_sums(
            np.where(members, _rising_attention(target, members, pools.offsets, base) - target, 0.0) ** 2,
            pools.offsets,
        )
        high_d = _geometric(patience**2, n)
        low_d = _geometric(base, n) ** 2 / np.maximum(n, 1)
        low_r, high_l = worst, tail
    else:
        high_d = np.full(n.size, 1 / (1 - patience**2))
        low_d = low_r = np.zeros(n.size)
        high_l = squares + 1 / (1 - base)
    low_r = np.where(one_grade, 0.0, low_r)
    high_r = np.where(one_grade, 0.0, squares)
    missing = pools.n_retrieved == 0
    raw = _raw(exposure, target, pools.offsets)
    absent = (high_d, low_r, high_r)
    values = [
        np.where(n > 0, np.where(missing, worst_value, value), np.nan)
        for value, worst_value in zip(raw, absent, strict=True)
    ]
    return References(
        Reference(values[0], low_d, high_d, 0.0),
        Reference(values[1], low_r, high_r, 1.0),
        Reference(values[2], np.zeros(n.size), high_l, 0.0),
    )


def _raw(exposure: Exposure, target: Exposure, offsets: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    return (
        segment_sums(exposure**2, offsets),
        segment_sums(exposure * target, offsets),
        segment_sums((exposure - target) ** 2, offsets),
    )


def _expeval_target(pools: Pools, members: BoolArray, patience: float, utility: float) -> Exposure:
    """Mean, over the block of equal gain, of attention in an ideal ranking of the kept items."""
    query = segment_ids(pools.offsets)
    order = np.lexsort((-pools.gains, ~members, query))
    position = positions(pools.offsets)
    relevant = segment_sums((pools.gains > 0).astype(np.float64), pools.offsets)[query]
    attention = patience**position * (1 - utility) ** np.minimum(position, relevant)
    keys = np.stack([query[order].astype(np.float64), members[order], pools.gains[order]])
    _, block = np.unique(keys, axis=1, return_inverse=True)
    mean = (np.bincount(block, weights=attention) / np.bincount(block))[block]
    target = np.empty(position.size)
    target[order] = mean
    return np.where(members, target, 0.0)


def _rising_attention(target: Exposure, members: BoolArray, offsets: IntArray, base: float) -> FloatArray:
    """base^i at the place i of each kept item where targets rise: the worst fixed list."""
    order = np.lexsort((target, ~members, segment_ids(offsets)))
    attention = np.empty(target.size)
    attention[order] = base ** positions(offsets).astype(np.float64)
    return np.where(members, attention, 0.0)


def _n_grades(pools: Pools, members: BoolArray) -> IntArray:
    """Distinct gains among the kept items of each query."""
    pairs = np.stack([segment_ids(pools.offsets).astype(np.float64), pools.gains])[:, members]
    queries = np.unique(pairs, axis=1)[0].astype(np.int64)
    return np.bincount(queries, minlength=pools.sizes.size)


def _geometric(ratio: float, n: FloatArray) -> FloatArray:
    """1 + r + … + r^(n−1)."""
    return (1 - ratio**n) / (1 - ratio)
