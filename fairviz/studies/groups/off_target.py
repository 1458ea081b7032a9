"""How far shares of attention are from a target, and what the missing labels leave open.

Attention on unlabelled items belongs to some groups, nobody knows which. If all of it were one group's, that group
would have the most it can have; if none of it were, the least. Between these lies every labelling that a person could
still add.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fairviz.grouping import off_target_share
from fairviz.model import FloatArray
from fairviz.stats.bootstrap import Interval, percentiles

HALVINGS = 60


class OffTarget(NamedTuple):
    """Shares against a target.

    Attributes:
        off: Share of attention that would have to move: half of L1, 0 to 1; NaN = undefined.
        interval: 95 % bootstrap over queries.
    """

    off: float
    interval: Interval


def off_target(shares: FloatArray, drawn: FloatArray, target: FloatArray, n_queries: int) -> OffTarget:
    """Compare shares with a target.

    Args:
        shares: (G) shares of attention.
        drawn: (B, G) the same in resamples of the queries; no rows = no interval.
        target: (G) target shares.
        n_queries: Queries that were resampled.

    Examples:
        >>> off_target(np.array([0.6, 0.4]), np.empty((0, 2)), np.array([0.5, 0.5]), 9).off
        0.09999999999999998
    """
    interval = Interval(float("nan"), float("nan"))
    if drawn.size:
        ends = percentiles(off_target_share(drawn, target), n_queries)
        interval = Interval(float(ends.low[0]), float(ends.high[0]))
    return OffTarget(float(off_target_share(shares, target)), interval)


class ShareRange(NamedTuple):
    """(G) smallest and largest share of all attention that each group can turn out to have."""

    low: FloatArray
    high: FloatArray


class DistanceRange(NamedTuple):
    """Smallest and largest distance from a target that the missing labels leave open."""

    low: float
    high: float


def share_range(labelled: FloatArray, unlabelled: float) -> ShareRange:
    """Shares if the unlabelled attention went away from, or to, each group.

    Args:
        labelled: (G) attention on the items of each group.
        unlabelled: Attention on items without a label.

    Returns:
        ε_g / E and (ε_g + u) / E with E = Σ ε + u; NaN where there is no attention.

    Examples:
        >>> share_range(np.array([3.0, 1.0]), 4.0)
        ShareRange(low=array([0.375, 0.125]), high=array([0.875, 0.625]))
    """
    total = float(labelled.sum()) + unlabelled
    if not total > 0:
        unknown = np.full(labelled.shape, np.nan)
        return ShareRange(unknown, unknown)
    return ShareRange(labelled / total, (labelled + unlabelled) / total)


def distance_range(
    labelled: FloatArray,
    unlabelled: float,
    target: FloatArray,
    distance: Callable[[FloatArray, FloatArray], FloatArray],
) -> DistanceRange:
    """Ends of a distance from the target over everything the missing labels could be.

    The distance must be convex in the shares: it is then largest where all unlabelled attention is
    one group's. It must also be an f-divergence Σ t f(p/t), as KL, JSD and L1 are: it is then
    smallest where the attention that is free raises the groups with the lowest share/target to one
    common level.

    Args:
        labelled: (G) attention on the items of each group.
        unlabelled: Attention on items without a label.
        target: (G) target shares.
        distance: One of :mod:`fairviz.divergence`.
    """
    least = share_range(labelled, unlabelled).low
    if np.isnan(least).any() or np.isnan(target).any():
        return DistanceRange(float("nan"), float("nan"))
    free = 1 - float(least.sum())
    corners = least + free * np.eye(least.size)
    best = filled(least, target)
    return DistanceRange(float(distance(best, target)), float(distance(corners, target).max()))


def filled(least: FloatArray, target: FloatArray) -> FloatArray:
    """(G) the shares p ≥ ``least`` nearest to the target: max(least, c · target), summing to 1.

    Examples:
        >>> filled(np.array([0.5, 0.1]), np.array([0.4, 0.6])).round(3)
        array([0.5, 0.5])
    """
    low, high = 0.0, 1.0  # at c = 1 the sum is at least that of the target, 1
    for _ in range(HALVINGS):
        level = (low + high) / 2
        if np.maximum(least, level * target).sum() > 1:
            high = level
        else:
            low = level
    shares = np.maximum(least, high * target)
    return shares / shares.sum()
