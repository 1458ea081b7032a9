"""AWRF: how far the groups' shares of attention are from a target (Sapiezynski et al. 2019).

ε_L = G(L)ᵀ a_L, the attention that falls on each group, divided by the attention on labelled
items; AWRF is its distance from the target (Raj et al., Eq. 3).
"""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import numpy as np

from fairviz.divergence import jsd, kl, l1
from fairviz.model import FloatArray, IntArray
from fairviz.model.arrays import segment_ids

Distance: TypeAlias = Literal["jsd", "kl", "l1", "absdiff"]

DISTANCES: Mapping[Distance, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "jsd": jsd,
    "kl": kl,
    "l1": l1,
}
"""Distances of whole distributions; "absdiff" looks at one group."""


def group_attention(weights: FloatArray, attention: FloatArray, offsets: IntArray) -> FloatArray:
    """(R, G) attention that falls on each group in each ranking, ε_L = G(L)ᵀ a_L.

    Args:
        weights: (N, G) membership by rank.
        attention: (N) attention by rank.
        offsets: (R+1) rows of each ranking.

    Examples:
        >>> group_attention(np.eye(2), np.array([1.0, 0.5]), np.array([0, 2]))
        array([[1. , 0.5]])
    """
    ranking, n = segment_ids(offsets), offsets.size - 1
    sums = np.zeros((n, weights.shape[1]))
    for group, column in enumerate(weights.T):
        sums[:, group] = np.bincount(ranking, column * attention, minlength=n)
    return sums


def shares(attention: FloatArray) -> FloatArray:
    """(…, G) attention as shares of all labelled attention; NaN where there is none."""
    totals = attention.sum(axis=-1, keepdims=True)
    undefined = np.full(attention.shape, np.nan)
    return np.divide(attention, totals, out=undefined, where=totals > 0)


def awrf(attention: FloatArray, target: FloatArray, *, distance: Distance, group: int | None = None) -> FloatArray:
    """AWRF: distance between shares of attention and target. 0 = on target.

    Args:
        attention: (…, G) attention on each group, of any scale.
        target: (…, G) target shares.
        distance: "jsd" (natural log, in [0, ln 2]), "kl" KL(shares ‖ target), "l1" in [0, 2],
            "absdiff" |share − target| of one group, in [0, 1].
        group: The group that "absdiff" looks at.

    Returns:
        (…) distances; NaN where no attention is on a labelled item or the target is undefined.

    Raises:
        ValueError: If "absdiff" lacks its group.

    Examples:
        >>> awrf(np.array([3.0, 1.0]), np.array([0.5, 0.5]), distance="l1")
        np.float64(0.5)
    """
    found = shares(attention)
    if distance != "absdiff":
        return DISTANCES[distance](found, target)
    if group is None:
        raise ValueError("distance 'absdiff' is of one group: name it")
    return np.abs(found[..., group] - target[..., group])
