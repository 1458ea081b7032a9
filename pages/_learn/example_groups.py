"""Six items for the lessons on groups: three of A, three of B, small enough to check by hand."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fairviz.attention import Attention, Geometric, Logarithmic
from fairviz.divergence import prefix_divergence
from fairviz.metrics.group_exposure import awrf, group_attention, log_ratio, per_utility
from fairviz.metrics.prefixes import ndkl, prefix_counts
from fairviz.model import FloatArray

GROUPS = ("A", "B")
ITEMS = ("A1", "A2", "A3", "B1", "B2", "B3")
USEFUL = {"A1": True, "A2": True, "A3": True, "B1": True, "B2": True, "B3": False}
HALVING, BY_LOG = Geometric(0.5), Logarithmic()
"""Attention that halves at each rank, and that falls with log2 of the rank."""
ALIKE = 1e-9
"""Values closer than this are one value."""
TURNS, FRAMED = "A1 B1 A2 B2 A3 B3", "A1 B1 B2 B3 A2 A3"
"""In turns; and one A on top with the other two at the end."""
EVEN, EARNED = "A1 B1 A2 B2 B3 A3", "A1 A2 B1 B2 B3 A3"
"""Nearly equal attention; and attention nearly in proportion to usefulness."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """One list against a target.

    Attributes:
        attention: (n) attention at each rank.
        share: Share of attention on A.
        so_far: (n) share of A down to each rank.
        divergence: (n) KL of each prefix from the target.
        awrf, ndkl: Of the list.
        log_dp, log_eur: A against B.
    """

    attention: FloatArray
    share: float
    so_far: FloatArray
    divergence: FloatArray
    awrf: float
    ndkl: float
    log_dp: float
    log_eur: float


def measured(items: str, target: float, attention: Attention) -> Measured:
    """All values of one list.

    Args:
        items: Names from the top down, such as :data:`TURNS`.
        target: Share that A should get.
        attention: How attention falls with rank.
    """
    names = items.split()
    weights = _weights([names])
    offsets, shares = np.array([0, len(names)]), np.array([[target, 1 - target]])
    seen = attention.weights(len(names))
    on_groups = group_attention(weights, seen, offsets)
    divergence = prefix_divergence(weights, offsets, shares)
    counts = prefix_counts(weights, offsets)
    per_use = per_utility(on_groups, usefulness())
    return Measured(
        attention=seen,
        share=float(on_groups[0, 0] / on_groups.sum()),
        so_far=counts[:, 0] / counts.sum(axis=1),
        divergence=divergence,
        awrf=float(awrf(on_groups, shares, distance="jsd")[0]),
        ndkl=float(ndkl(divergence, offsets)[0]),
        log_dp=float(log_ratio(on_groups[:, 0], on_groups[:, 1], eps=0)[0]),
        log_eur=float(log_ratio(per_use[:, 0], per_use[:, 1], eps=0)[0]),
    )


def usefulness() -> FloatArray:
    """(2) mean usefulness of A's and of B's items."""
    means = [np.mean([useful for name, useful in USEFUL.items() if name[0] == g]) for g in GROUPS]
    return np.array(means, dtype=np.float64)


def disagreements(target: float) -> tuple[int, int]:
    """Pairs of orders of three A and three B that AWRF and NDKL put the other way round; all."""
    lists = [["A" if i in first else "B" for i in range(6)] for first in combinations(range(6), 3)]
    weights, offsets = _weights(lists), np.arange(0, 6 * len(lists) + 1, 6)
    shares = np.tile([target, 1 - target], (len(lists), 1))
    seen = np.tile(HALVING.weights(6), len(lists))
    by_attention = awrf(group_attention(weights, seen, offsets), shares, distance="jsd")
    by_prefix = ndkl(prefix_divergence(weights, offsets, shares), offsets)
    pairs = list(combinations(range(len(lists)), 2))
    apart = sum(1 for i, j in pairs if order(by_attention[i], by_attention[j]) * order(by_prefix[i], by_prefix[j]) < 0)
    return apart, len(pairs)


def order(left: float, right: float) -> int:
    """−1 where the left value is smaller, 1 where the right one is, 0 where they are alike."""
    return 0 if abs(left - right) < ALIKE else (-1 if left < right else 1)


def _weights(lists: list[list[str]]) -> FloatArray:
    names = [name for items in lists for name in items]
    return np.array([[float(name[0] == group) for group in GROUPS] for name in names])
