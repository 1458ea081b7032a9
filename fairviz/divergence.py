"""How far one distribution over groups is from another.

Distributions lie along the last axis; anything else broadcasts. Natural logarithms; 0 log 0 = 0.
"""

import numpy as np

from fairviz.model import FloatArray


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
    found = np.where(np.isnan(p).any(axis=-1), np.nan, terms.sum(axis=-1))
    return np.where(np.isnan(q).any(axis=-1), np.nan, np.maximum(found, 0.0))


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
