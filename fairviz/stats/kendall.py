"""Kendall's τ of two rankings of the same systems, and how large it gets by chance."""

from typing import Literal, TypeAlias

import numpy as np

from fairviz.model import BoolArray, FloatArray

Variant: TypeAlias = Literal["c", "b"]
"""Which way ties are accounted for: Stuart's τ-c or Kendall's τ-b."""

VARIANTS: tuple[Variant, ...] = ("c", "b")

ROUNDING = 1e-12
"""Values closer than this share of the largest are tied: they differ by rounding only."""
EXACT_UP_TO = 100
"""Systems up to which the distribution of τ under chance is counted out."""


def kendall_tau(x: FloatArray, y: FloatArray, *, variant: Variant = "c") -> float:
    """Kendall's τ: pairs in the same order minus pairs in opposite order, over all pairs.

    With S = concordant − discordant pairs of n systems: τ-b = S / √((n₀ − ties in x)(n₀ − ties in
    y)), n₀ = n(n − 1)/2; τ-c = 2 m S / (n² (m − 1)), m = the smaller number of distinct values
    (Stuart 1953). Without ties both are S / n₀.

    Args:
        x: (n) one value per system; infinite values are the extremes of the order.
        y: (n) another, same systems. A system that lacks a value (NaN) in either leaves.
        variant: "c" (default, as Raj et al. 2022, Figure 1) or "b".

    Returns:
        A value in [−1, 1]: 1 = the same order, −1 = reversed. NaN with fewer than two systems, or
        where all systems are tied on one side.

    Examples:
        >>> kendall_tau(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.0, 3.0]))
        0.6666666666666666
    """
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"τ needs one value per system twice, got {x.shape} and {y.shape}")
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = _levels(x[both]), _levels(y[both])
    n = x.size
    m = min(np.unique(x).size, np.unique(y).size)
    if m < 2:
        return float("nan")
    order_x, order_y = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    twice_s = float((order_x * order_y).sum())  # each pair stands twice
    if variant == "c":
        tau = twice_s / (n * n * (m - 1) / m)
    else:
        tau = twice_s / float(np.sqrt(np.abs(order_x).sum() * np.abs(order_y).sum()))
    return min(max(tau, -1.0), 1.0)


def chance_tau(n_systems: int, *, level: float = 0.05) -> float:
    """The |τ| that rankings of n systems reach by chance with probability of at most ``level``.

    The smallest value t with P(|τ| ≥ t) ≤ level, were every order of the systems equally likely
    and none tied: counted out up to :data:`EXACT_UP_TO` systems, beyond by the normal distribution
    with variance 2(2n + 5) / (9n(n − 1)).

    Returns:
        A value in (0, 1]; NaN where not even |τ| = 1 is that rare: below 5 systems at 5 %.

    Examples:
        >>> chance_tau(4), chance_tau(5), round(chance_tau(16), 2)
        (nan, 1.0, 0.38)
    """
    n_pairs = n_systems * (n_systems - 1) // 2
    if n_systems < 2:
        return float("nan")
    if n_systems > EXACT_UP_TO:
        from statistics import NormalDist

        spread = (2 * (2 * n_systems + 5) / (9 * n_systems * (n_systems - 1))) ** 0.5
        return NormalDist().inv_cdf(1 - level / 2) * spread
    upper = np.cumsum(_inversions(n_systems))[: (n_pairs + 1) // 2]  # P(τ ≥ 1 − 2i / n_pairs)
    rare = int(np.searchsorted(2 * upper, level * (1 + ROUNDING), side="right"))
    return 1 - 2 * (rare - 1) / n_pairs if rare else float("nan")


def _levels(values: FloatArray) -> FloatArray:
    """Ranks of distinct values, from 0; values that differ by rounding share one."""
    if not values.size:
        return values
    finite: BoolArray = np.isfinite(values)
    scale = float(np.abs(values[finite]).max(initial=0.0)) or 1.0
    order = np.argsort(values, kind="stable")
    rising = values[order]
    with np.errstate(invalid="ignore"):  # ∞ − ∞ is no gap
        gaps = np.diff(rising) > ROUNDING * scale
    levels = np.empty(values.size)
    levels[order] = np.concatenate([[0], np.cumsum(gaps)])
    return levels


def _inversions(n: int) -> FloatArray:
    """P(a random order of n has i inversions), i = 0 … n(n − 1)/2."""
    shares = np.ones(1)
    for size in range(2, n + 1):  # the next one may pass 0 … size − 1 of those before it
        shares = np.convolve(shares, np.full(size, 1 / size))
    return shares
