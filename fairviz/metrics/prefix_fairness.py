"""PreF: how the top of a list differs from the whole list (Yang & Stoyanovich 2017).

Σ_i Δ(first i, list) / log2 i at i = step, 2·step, …, divided by its exact maximum over all lists of the same
composition (Raj et al., Eq. 1). Unlabelled items leave the list first.
"""

from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from fairviz.divergence import kl
from fairviz.model import FloatArray, IntArray

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
    weights: FloatArray,
    offsets: IntArray,
    *,
    step: int,
    distance: PrefixDistance,
    normalise: bool,
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
