"""How far one distribution over groups is from another.

Distributions lie along the last axis; anything else broadcasts. Natural logarithms; 0 log 0 = 0.
"""

import math
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import numpy as np

from fairviz.kernels.compiled import kernel
from fairviz.model import FloatArray, IntArray


def kl(p: FloatArray, q: FloatArray) -> FloatArray:
    """Kullback–Leibler divergence KL(p ‖ q) = Σ p ln(p / q), in nats.

    Returns:
        Values in [0, ∞]: 0 where the two agree, infinite where ``q`` rules out what ``p`` has;
        NaN where a distribution is undefined (NaN).

    Examples:
        >>> kl(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([1.0, 0.0]))
        array([inf,  0.])
    """
    p, q = np.broadcast_arrays(p, q)
    ratio = np.full(p.shape, np.inf)
    np.divide(p, q, out=ratio, where=q > 0)
    logs = np.zeros(p.shape)
    np.log(ratio, out=logs, where=p > 0)
    terms = np.multiply(p, logs, out=logs)
    values = np.where(np.isnan(p).any(axis=-1), np.nan, terms.sum(axis=-1))
    return np.where(np.isnan(q).any(axis=-1), np.nan, np.maximum(values, 0.0))


def jsd(p: FloatArray, q: FloatArray) -> FloatArray:
    """Jensen–Shannon divergence, the mean KL of both from their middle: in [0, ln 2].

    Examples:
        >>> jsd(np.array([1.0, 0.0]), np.array([0.0, 1.0])) / np.log(2)
        np.float64(1.0)
    """
    middle = (p + q) / 2
    return (kl(p, middle) + kl(q, middle)) / 2


def l1(p: FloatArray, q: FloatArray) -> FloatArray:
    """Σ |p − q|, in [0, 2]: twice the share that would have to move."""
    return np.abs(p - q).sum(axis=-1)


def squared(p: FloatArray, q: FloatArray) -> FloatArray:
    """Σ (p − q)², in [0, 2].

    Examples:
        >>> squared(np.array([1.0, 0.0]), np.array([0.5, 0.5]))
        np.float64(0.5)
    """
    return ((p - q) ** 2).sum(axis=-1)


Divergence: TypeAlias = Literal["kl", "jsd", "l1", "sq"]

DIVERGENCES: Mapping[Divergence, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "kl": kl,
    "jsd": jsd,
    "l1": l1,
    "sq": squared,
}
"""Divergences of whole distributions by the names that parameters give them."""


@kernel
def prefix_divergence(weights: FloatArray, offsets: IntArray, target: FloatArray) -> FloatArray:
    """(N) KL(D_i ‖ target) of the prefix that ends at each rank, in nats.

    Args:
        weights: (N, G) membership of the item at each rank.
        offsets: (R+1) rows of each ranking.
        target: (R, G) target shares of each ranking.

    Returns:
        Values in [0, ∞]; NaN where the prefix has no labelled item or the target is undefined.

    Examples:
        >>> weights = np.array([[1.0, 0.0], [0.0, 1.0]])
        >>> prefix_divergence(weights, np.array([0, 2]), np.array([[0.5, 0.5]]))
        array([0.69314718, 0.        ])
    """
    values = np.full(weights.shape[0], np.nan)
    counts = np.empty(weights.shape[1])
    for ranking in range(offsets.size - 1):
        counts[:] = 0.0
        total = 0.0
        for row in range(offsets[ranking], offsets[ranking + 1]):
            divergence = 0.0
            for g in range(counts.size):
                counts[g] += weights[row, g]
                total += weights[row, g]
            if total <= 0:
                continue
            for g in range(counts.size):
                aim = target[ranking, g]
                if np.isnan(aim):
                    divergence = np.nan
                elif counts[g] > 0:
                    share = counts[g] / total
                    divergence += share * math.log(share / aim) if aim > 0 else np.inf
            values[row] = max(divergence, 0.0) if divergence == divergence else np.nan
    return values


@kernel
def prefix_shares(weights: FloatArray, offsets: IntArray) -> FloatArray:
    """(N, G) shares of the groups in the labelled items down to each rank; NaN above the first of these.

    Examples:
        >>> prefix_shares(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([0, 3]))
        array([[nan, nan],
               [1. , 0. ],
               [0.5, 0.5]])
    """
    shares = np.full(weights.shape, np.nan)
    counts = np.empty(weights.shape[1])
    for ranking in range(offsets.size - 1):
        counts[:] = 0.0
        for row in range(offsets[ranking], offsets[ranking + 1]):
            counts += weights[row]
            if counts.sum() > 0:
                shares[row] = counts / counts.sum()
    return shares
