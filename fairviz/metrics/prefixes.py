"""Measures of prefixes: how the groups in the first i items differ from their target, for every i.

Kernels take rankings as stacked rows: ``weights`` (N, G) is the membership of the item at each rank, ``offsets`` (R+1)
cut the rows into rankings, ``target`` (R, G) is the share each group should get in each ranking. Shares of a prefix are
of its labelled items. NaN = undefined. A cutoff @k is a list cut after rank k
(:func:`fairviz.kernels.pool.cut_lists`), so that no kernel needs one.

PreF says how the top of a list differs from the whole list (Yang & Stoyanovich 2017): Σ_i Δ(first i, list) / log2 i at
i = step, 2·step, …, divided by its exact maximum over all lists of the same composition (Raj et al., Eq. 1). Unlabelled
items leave the list first.
"""

from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from fairviz.kernels.divergence import kl
from fairviz.kernels.gains import dcg_discount, ranks, sums_above
from fairviz.model import FloatArray, IntArray
from fairviz.model.arrays import ratio, segment_sums

FLOOR_SLACK = 1e-9
"""Products p·k that miss a whole number by rounding are that number."""


def prefix_counts(weights: FloatArray, offsets: IntArray) -> FloatArray:
    """(N, G) items of each group down to each rank."""
    return sums_above(weights, offsets) + weights


def last_rows(offsets: IntArray) -> IntArray:
    """(R) row of the last rank, −1 for an empty ranking."""
    return np.where(np.diff(offsets) > 0, offsets[1:] - 1, -1)


def kl_at(divergence: FloatArray, offsets: IntArray) -> FloatArray:
    """KL, divergence of the first k items (Gao et al., 5.1.3): 0 = on target."""
    return _taken(divergence, last_rows(offsets))


def ndkl(divergence: FloatArray, offsets: IntArray) -> FloatArray:
    """NDKL = (1/Z) Σ_i KL_i / log2(i+1), Z = Σ_i 1/log2(i+1) (Geyik et al. 2019): 0 = on target.

    A prefix without labelled items counts as on target: it adds 0 and stays in Z.

    Args:
        divergence: (N) from :func:`fairviz.kernels.divergence.prefix_divergence`.
        offsets: (R+1) rows of each ranking.

    Returns:
        (R) in [0, ∞]; NaN where no prefix has a value.

    Examples:
        >>> float(ndkl(np.array([np.log(2), 0.0]), np.array([0, 2]))[0].round(6))
        0.425001
    """
    return _discounted_mean(divergence, offsets)


def ndrkl(divergence: FloatArray, offsets: IntArray) -> FloatArray:
    """NDRKL = (1/Z) Σ_i [1/(KL_i + 1)] / log2(i+1) (Gao et al., Eq. 8): 1 = on target.

    An infinite KL adds 0. A prefix without labelled items is one that nothing says is off target: its KL counts as 0,
    as in nDKL and FAIR.

    Examples:
        >>> float(ndrkl(np.array([np.nan, np.log(2)]), np.array([0, 2]))[0].round(6))
        0.841629
    """
    n_known = segment_sums((~np.isnan(divergence)).astype(np.float64), offsets)
    closeness = _discounted_mean(1 / (known_divergence(divergence) + 1), offsets)
    return np.where(n_known > 0, closeness, np.nan)


def known_divergence(divergence: FloatArray) -> FloatArray:
    """(N) divergence of each prefix, 0 where it holds no labelled item."""
    return np.where(np.isnan(divergence), 0.0, divergence)


def skews(weights: FloatArray, offsets: IntArray, target: FloatArray) -> FloatArray:
    """(R, G) Skew_g@k = ln(share of g in the first k / its target) (Geyik et al. 2019).

    Returns:
        0 = on target, above = more than its share, −∞ = absent; NaN where the group's target is 0
        or nothing is labelled.

    Examples:
        >>> skews(np.array([[1.0, 0.0]]), np.array([0, 1]), np.array([[0.5, 0.5]]))
        array([[0.69314718,       -inf]])
    """
    last = last_rows(offsets)
    counts = _taken(prefix_counts(weights, offsets), last)
    totals = counts.sum(axis=1, keepdims=True)
    defined = (target > 0) & (totals > 0)
    ratios = np.divide(counts, totals * target, out=np.full(counts.shape, np.nan), where=defined)
    logs = np.full(counts.shape, np.nan)
    np.log(ratios, out=logs, where=ratios > 0)
    logs[ratios == 0] = -np.inf
    return logs


def shortfalls(weights: FloatArray, offsets: IntArray, target: FloatArray) -> FloatArray:
    """(N) groups that have fewer than ⌊p_g i⌋ items down to rank i; NaN without a target."""
    due = np.repeat(target, np.diff(offsets), axis=0) * ranks(offsets)[:, None]
    short = prefix_counts(weights, offsets) < np.floor(due + FLOOR_SLACK) - FLOOR_SLACK
    return np.where(np.isnan(due).any(axis=1), np.nan, short.sum(axis=1))


def infeasible_count(short: FloatArray, offsets: IntArray) -> FloatArray:
    """InfeasibleCount = Σ_i #{g: count_i(g) < ⌊p_g i⌋} (Geyik et al. 2019): 0 = never short; NaN: empty ranking."""
    return np.where(np.diff(offsets) > 0, segment_sums(short, offsets), np.nan)


def infeasible_index(short: FloatArray, offsets: IntArray) -> FloatArray:
    """InfeasibleIndex = #{i: some group is short} (Geyik et al. 2019): 0 = never."""
    return infeasible_count(np.where(np.isnan(short), np.nan, short > 0), offsets)


def infeasible_at(short: FloatArray, offsets: IntArray) -> FloatArray:
    """Whether some group is short in the first k items, 0 or 1: its mean is a share of queries."""
    last = _taken(short, last_rows(offsets))
    return np.where(np.isnan(last), np.nan, last > 0)


def feasible_rank(short: FloatArray, offsets: IntArray) -> FloatArray:
    """Last rank down to which no group is ever short: "feasible up to rank k" (Gao et al., 5.2.3).

    Its minimum over queries is the rank to which a system is feasible.

    Examples:
        >>> feasible_rank(np.array([0.0, 0.0, 1.0, 0.0]), np.array([0, 4]))
        array([2.])
    """
    shortages = np.nan_to_num(short)
    failed = sums_above(shortages[:, None], offsets)[:, 0] + shortages
    feasible = segment_sums((failed == 0).astype(np.float64), offsets)
    return np.where(np.isnan(infeasible_count(short, offsets)), np.nan, feasible)


def _discounted_mean(terms: FloatArray, offsets: IntArray) -> FloatArray:
    discount = dcg_discount(offsets)
    mask = ~np.isnan(terms)
    sums = segment_sums(np.multiply(terms, discount, out=np.zeros(terms.size), where=mask), offsets)
    norms = segment_sums(discount, offsets)
    some = segment_sums(mask.astype(np.float64), offsets) > 0
    return np.divide(sums, norms, out=np.full(norms.size, np.nan), where=some)


def _taken(values: FloatArray, rows: IntArray) -> FloatArray:
    """Values at rows, NaN at row −1."""
    taken = np.full((rows.size, *values.shape[1:]), np.nan)
    taken[rows >= 0] = values[rows[rows >= 0]]
    return taken


def fair_binomial(protected: FloatArray, offsets: IntArray, p: FloatArray) -> FloatArray:
    """(1/N) Σ_k P(m ≤ protected items in the first k | Binomial(k, p)), summed from m = 0.

    Unlabelled items are trials that are not protected. Over-representation is not penalised.

    Args:
        protected: (N) 1 where the item at that rank is of the protected group, else 0.
        offsets: (R+1) rows of each ranking.
        p: (R) chance that an item should be protected, per ranking.

    Returns:
        (R) in [0, 1], 1 = never fewer than chance would give; NaN for an empty ranking or where p
        is undefined.

    Examples:
        >>> fair_binomial(np.array([1.0, 0.0]), np.array([0, 2]), np.array([0.5]))
        array([0.875])
    """
    from scipy.special import bdtr  # half a second of imports, for this measure alone

    counts = np.rint(prefix_counts(protected[:, None], offsets)[:, 0])
    trials = ranks(offsets).astype(np.int64)
    chance = np.asarray(bdtr(counts, trials, np.repeat(p, np.diff(offsets))), dtype=np.float64)
    return ratio(segment_sums(chance, offsets), np.diff(offsets))


PrefixDistance: TypeAlias = Literal["ND", "RD", "KL"]

MOST_STATES = 200_000
"""Compositions of a prefix that the exact maximum may walk over; two groups never get there."""


def prefix_fairness(weights: FloatArray, *, step: int, distance: PrefixDistance, normalise: bool) -> float:
    """PreF of one list. 0 = every prefix mirrors the list, 1 = no list of this make-up does less.

    Args:
        weights: (n, G) membership by rank, unlabelled items left out; for "ND" and "RD" two
            columns, the protected group first.
        step: Distance between the ranks that are looked at.
        distance: "ND" |S⁺ᵢ/i − S⁺/n|, "RD" |S⁺ᵢ/S⁻ᵢ − S⁺/S⁻| (a ratio with a 0 in it is 0), "KL"
            KL(shares of the prefix ‖ shares of the list) in bits.
        normalise: Whether to divide by the exact maximum; labels must then be hard.

    Returns:
        NaN where the list is shorter than ``step``, only one group is in it, or the maximum has too
        many compositions to walk over (three and more groups).
    """
    cuts = np.arange(step, len(weights) + 1, step)
    counts = np.cumsum(weights, axis=0)
    if not cuts.size or (counts[-1] > 0).sum() < 2:
        return float("nan")
    raw = float((_distances(counts[cuts - 1], counts[-1], distance) / np.log2(cuts)).sum())
    if not normalise:
        return raw
    largest = _largest(tuple(np.rint(counts[-1]).astype(int).tolist()), step, distance)
    return raw / largest if largest > 0 else float("nan")


def _distances(counts: FloatArray, whole: FloatArray, distance: PrefixDistance) -> FloatArray:
    """Distance of each row of prefix counts from the whole list."""
    if distance == "RD":
        return np.abs(_ratio(counts[:, 0], counts[:, 1]) - _ratio(whole[:1], whole[1:2]))
    shares = counts / counts.sum(axis=1, keepdims=True)
    if distance == "ND":
        return np.abs(shares[:, 0] - whole[0] / whole.sum())
    return kl(shares, whole / whole.sum()) / np.log(2)


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """0 where either is 0, as Yang & Stoyanovich set it."""
    return np.divide(above, below, out=np.zeros(above.shape), where=below > 0)


@lru_cache(maxsize=4096)
def _largest(sizes: tuple[int, ...], step: int, distance: PrefixDistance) -> float:
    """Largest unnormalised value over all lists of this composition; NaN if out of reach.

    Dynamic programming over the counts of the first groups at each cut: the rest of a prefix is
    of the last group. From one cut to the next each count grows, by ``step`` in total.
    """
    free = np.array(sizes[:-1])
    if np.prod(free + 1) > MOST_STATES:
        return float("nan")
    whole = np.array(sizes, dtype=np.float64)
    states = np.indices(tuple(free + 1)).reshape(free.size, -1).T
    used = states.sum(axis=1)
    best = np.where(used == 0, 0.0, -np.inf)
    for cut in range(step, sum(sizes) + 1, step):
        rest = cut - used
        possible = (rest >= 0) & (rest <= sizes[-1])
        counts = np.column_stack([states, rest])[possible].astype(np.float64)
        value = np.full(len(states), -np.inf)
        value[possible] = _distances(counts, whole, distance) / np.log2(cut)
        best = value + _reach(best.reshape(free + 1), step).ravel()
    return float(best.max())


def _reach(best: FloatArray, step: int) -> FloatArray:
    """Largest earlier value from which a state is reached by adding at most ``step`` items.

    The states of one cut that are possible at all have their last group between bounds, so that
    "at most ``step`` more in total" is the one condition left; it is met one item at a time.
    """
    largest = best
    for _ in range(step):
        grown = largest
        for axis in range(best.ndim):
            ahead = np.full(best.shape, -np.inf)
            into = [slice(None)] * best.ndim
            out = [slice(None)] * best.ndim
            into[axis], out[axis] = slice(1, None), slice(None, -1)
            ahead[tuple(into)] = largest[tuple(out)]
            grown = np.maximum(grown, ahead)
        largest = grown
    return largest


def prefix_fairness_values(
    weights: FloatArray, offsets: IntArray, *, step: int, distance: PrefixDistance, normalise: bool
) -> FloatArray:
    """(R) :func:`prefix_fairness` of stacked rankings, their unlabelled items left out.

    Args:
        weights: (N, G) membership by rank.
        offsets: (R+1) rows of each ranking.
        step: Distance between the ranks that are looked at.
        distance: As there; "ND" and "RD" read the first two columns.
        normalise: Whether to divide by the exact maximum.
    """
    values = np.full(offsets.size - 1, np.nan)
    for r, (start, end) in enumerate(pairwise(offsets.tolist())):
        rows = weights[start:end]
        labelled = rows[rows.sum(axis=1) > 0]
        values[r] = prefix_fairness(labelled, step=step, distance=distance, normalise=normalise)
    return values
