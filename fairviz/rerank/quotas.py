"""How many items of a group the first k ranks should hold: ⌊p k⌋ to ⌈p k⌉ (Geyik et al., 2019)."""

from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray

ROUNDING = 1e-9
"""A product this close to a whole number is it: 0.29 × 100 is 29, not 28.999999999999996."""


class Quotas(NamedTuple):
    """Least and most items of each group in each prefix, both (k, G)."""

    least: FloatArray
    most: FloatArray


def quotas(target: FloatArray, depth: int) -> Quotas:
    """⌊p_g k⌋ and ⌈p_g k⌉ for k = 1 … depth.

    Examples:
        >>> quotas(np.array([0.25, 0.75]), 2).least.tolist()
        [[0.0, 0.0], [0.0, 1.0]]
        >>> quotas(np.array([0.25, 0.75]), 2).most.tolist()
        [[1.0, 1.0], [1.0, 2.0]]
    """
    shares = np.arange(1, depth + 1)[:, None] * target
    return Quotas(np.floor(shares + ROUNDING), np.ceil(shares - ROUNDING))


def due_ranks(target: FloatArray, nth: FloatArray) -> FloatArray:
    """The first k at which ⌊p k⌋ reaches ``nth``; infinite for a share of 0.

    Args:
        target: (n) share of each item's group.
        nth: (n) the how-manieth of its group the item is, from 1.

    Examples:
        >>> due_ranks(np.array([0.3, 0.3, 0.0]), np.array([1.0, 3.0, 1.0]))
        array([ 4., 10., inf])
    """
    due = np.full(target.shape, np.inf)
    np.divide(nth - ROUNDING, target, out=due, where=target > 0)
    return np.ceil(due)
