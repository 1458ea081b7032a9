"""FA*IR: enough items of one protected group in every prefix (Zehlike et al., CIKM 2017).

A prefix of i ranks fails if a fair coin of chance p would show as few protected items with probability below α:
F(count; i, p) < α. A list is tested at k prefixes, so it fails more often than α; the significance is adjusted so that
a list drawn by the coin fails with probability α.
"""

from functools import lru_cache

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.model.arrays import frozen
from fairviz.reranking.candidates import Candidates, completed

EQUAL = 1e-12
"""Probabilities that differ by less, relatively, are equal: they are sums of many terms."""


@lru_cache(maxsize=256)
def minimum_table(depth: int, p: float, significance: float) -> IntArray:
    """(depth) m(i): the smallest m with F(m; i, p) >= α, for i = 1 … depth.

    Examples:
        >>> minimum_table(8, 0.5, 0.1).tolist()
        [0, 0, 0, 1, 1, 1, 2, 2]
    """
    _check(depth, p, significance)
    table = _table(_distribution(depth, p), significance)
    frozen(table)  # it is remembered
    return table


def fail_probability(table: IntArray, p: float) -> float:
    """Chance that a list of independent items, each protected with chance p, misses a minimum.

    Exact: the distribution of the count is carried from rank to rank, and the part of it that
    misses the minimum leaves.

    Examples:
        >>> fail_probability(np.array([0, 0, 0, 1]), 0.5)
        0.0625
    """
    alive = np.zeros(table.size + 1)
    alive[0] = 1.0
    failed = 0.0
    for least in table.tolist():
        grown = alive * (1 - p)
        grown[1:] += alive[:-1] * p
        failed += float(grown[:least].sum())
        grown[:least] = 0.0
        alive = grown
    return failed


@lru_cache(maxsize=256)
def adjusted_significance(depth: int, p: float, significance: float) -> float:
    """The α_c <= α whose table fails with the probability closest to α.

    Tables change only where α_c passes a value of F(m; i, p), and their fail probability rises
    with α_c: a bisection over those values finds the two tables around α.

    Args:
        depth: Ranks tested, k.
        p: Chance of a protected item.
        significance: α, wanted of the whole test.

    Returns:
        One of the α_c that give that table: the largest. The table of α itself fails least
        where even it fails with less than α.
    """
    _check(depth, p, significance)
    distribution = _distribution(depth, p)
    values = distribution[distribution < significance * (1 - EQUAL)]
    steps = np.append(np.unique(values), significance)

    def fails(step: int) -> float:
        return fail_probability(_table(distribution, float(steps[step])), p)

    low, high = -1, steps.size - 1  # fails(low) < α <= fails(high), should any reach α
    if fails(high) <= significance:
        return significance
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fails(middle) < significance else (low, middle)
    if low < 0 or fails(high) - significance < significance - fails(low):
        # Equal values of F differ in their last digits: the largest of them.
        return float(steps[high])
    return float(steps[low])


def _table(distribution: FloatArray, significance: float) -> IntArray:
    return (distribution < significance * (1 - EQUAL)).sum(axis=1)


def _distribution(depth: int, p: float) -> FloatArray:
    """(depth, depth + 1) F(m; i, p) for i = 1 … depth, m = 0 … depth."""
    rows = np.zeros((depth, depth + 1))
    chances = np.zeros(depth + 1)
    chances[0] = 1.0
    for row in rows:
        chances[1:] = chances[1:] * (1 - p) + chances[:-1] * p
        chances[0] *= 1 - p
        row[:] = chances
    return np.minimum(np.cumsum(rows, axis=1), 1.0)


def _check(depth: int, p: float, significance: float) -> None:
    if depth < 1 or not 0 <= p <= 1 or not 0 < significance < 1:
        raise ValueError(
            "FA*IR needs k >= 1, 0 <= p <= 1 and a significance strictly between 0 and 1, "
            f"got k = {depth}, p = {p:g}, significance = {significance:g}"
        )


def fa_ir(
    candidates: Candidates, *, group: int, least_share: float | None = None, significance: float = 0.1
) -> IntArray:
    """Merge protected and other items by rank; where a prefix needs it, a protected one comes.

    Items of all other groups and unlabelled items are "the others". Where the protected group has
    run out, the best of the others are taken. Soft labels count by their largest weight.

    Args:
        candidates: The query.
        group: Column of the protected group.
        least_share: Of it in every prefix, the p of the paper; None: its share in the target.
        significance: α of the ranked group fairness test, before it is adjusted for testing every
            prefix.

    Returns:
        (n) item positions, the first min(k, n) re-ranked.
    """
    share = float(candidates.target[group]) if least_share is None else least_share
    adjusted = adjusted_significance(candidates.depth, share, significance)
    table = minimum_table(candidates.depth, share, adjusted)[: candidates.places]
    protected = candidates.codes == group
    return completed(_merged(protected, table), candidates.n)


def _merged(protected: BoolArray, table: IntArray) -> IntArray:
    """The first ``table.size`` items: in run order, but for protected ones that are needed.

    Taking a protected item early is the only departure, so the i-th protected item stands at the
    sooner of its rank by merit and the first rank whose minimum is i; the others fill the rest in order.
    """
    own, others = np.flatnonzero(protected), np.flatnonzero(~protected)
    needed = np.searchsorted(table, np.arange(1, own.size + 1))  # the minimum grows by one at most
    seats = np.minimum(own, needed)
    seats = seats[seats < table.size]
    order = np.empty(table.size, dtype=np.int64)
    free = np.ones(table.size, dtype=np.bool_)
    free[seats] = False
    order[seats] = own[: seats.size]
    order[free] = others[: table.size - seats.size]
    return order
