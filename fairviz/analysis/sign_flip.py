"""Exact sign-flip test: could swapping the two sides, cluster by cluster, do as much?"""

from math import gcd, lcm
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, IntArray

MAX_CELLS = 2**21
"""Longest distribution that is convolved; beyond it, flips are drawn."""

N_DRAWS = 100_000


class SignFlip(NamedTuple):
    """Two-sided p of a sum of differences; ``exact`` unless flips were drawn."""

    p: float
    exact: bool


def sign_flip(differences: IntArray, denominators: IntArray, *, seed: int = 0, max_cells: int = MAX_CELLS) -> SignFlip:
    r"""Test that two paired sides are exchangeable within every cluster.

    The statistic is :math:`\sum_t c_t` with :math:`c_t = \sum_j d_{jt}/m_j`. If the sides are
    alike, the sign of every c_t is a coin: p is the share of the 2^T sign patterns whose sum is at
    least as far from 0. The c_t are rational, so that the sums are integers after scaling, and
    their distribution is one convolution per cluster; nothing is drawn. Where that distribution
    would be longer than ``max_cells``, p comes from 100,000 drawn patterns (and the data itself).

    Args:
        differences: (J, T) integer differences of the clusters.
        denominators: (J) positive integers m_j.
        seed: Of the drawn patterns, where they are needed.
        max_cells: Length of the longest distribution.

    Returns:
        p in (0, 1]; 1 where nothing differs.

    Examples:
        >>> sign_flip(np.array([[1, 1, 1]]), np.array([10])).p  # 2 of the 8 patterns
        0.25
    """
    scale = lcm(*(int(m) for m in denominators))
    weights = [scale // int(m) for m in denominators]
    rows: list[list[int]] = differences.tolist()
    sums = [sum(w * d for w, d in zip(weights, column, strict=True)) for column in zip(*rows, strict=True)]
    sizes = [abs(c) for c in sums if c]
    if not sizes:
        return SignFlip(1.0, True)
    shared = gcd(*sizes)
    sizes = sorted(size // shared for size in sizes)
    observed = abs(sum(sums)) // shared
    if sum(sizes) > max_cells:
        return SignFlip(_drawn(np.array(sizes, dtype=np.float64), observed, seed), False)
    return SignFlip(_convolved(sizes, observed), True)


def _convolved(sizes: list[int], observed: int) -> float:
    """P(|Σ ± size| ≥ observed), from the distribution of the sum of sizes whose sign is +."""
    total = sum(sizes)
    chances: FloatArray = np.zeros(total + 1)
    chances[0] = 1.0
    reach = 0
    for size in sizes:
        chances[size : reach + size + 1] += chances[: reach + 1].copy()
        chances[: reach + size + 1] *= 0.5
        reach += size
    if observed == 0:
        return 1.0
    low = (total - observed) // 2  # Σ± = 2·positive − total
    return min(1.0, float(chances[: low + 1].sum() + chances[total - low :].sum()))


def _drawn(sizes: FloatArray, observed: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    n_as_far = 0
    for _ in range(N_DRAWS // 1_000):
        signs = rng.integers(0, 2, size=(1_000, sizes.size)) * 2.0 - 1.0
        n_as_far += int((np.abs(signs @ sizes) >= observed).sum())
    return (1 + n_as_far) / (1 + N_DRAWS)
