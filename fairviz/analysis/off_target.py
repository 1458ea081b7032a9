"""How far shares of attention are from a target, in points and as the groups at both ends."""

from typing import NamedTuple

import numpy as np

from fairviz.analysis.uncertainty import Interval, percentiles
from fairviz.divergence import l1
from fairviz.model import FloatArray


class OffTarget(NamedTuple):
    """Shares against a target.

    Attributes:
        off: Share of attention that would have to move: half of L1, 0 to 1; NaN = undefined.
        interval: 95 % bootstrap over queries.
        least, most: Groups with the smallest and the largest share / target, −1 where no group
            has a target.
        least_ratio, most_ratio: Share / target of these.
    """

    off: float
    interval: Interval
    least: int
    least_ratio: float
    most: int
    most_ratio: float


def off_target(shares: FloatArray, drawn: FloatArray, target: FloatArray) -> OffTarget:
    """Compare shares with a target.

    Args:
        shares: (G) shares of attention.
        drawn: (B, G) the same in resamples of the queries; no rows = no interval.
        target: (G) target shares.

    Examples:
        >>> off_target(np.array([0.6, 0.4]), np.empty((0, 2)), np.array([0.5, 0.5])).off
        0.09999999999999998
    """
    ratios = np.divide(shares, target, out=np.full(shares.shape, np.nan), where=target > 0)
    interval = Interval(float("nan"), float("nan"))
    if drawn.size:
        ends = percentiles(l1(drawn, target) / 2)
        interval = Interval(float(ends.low[0]), float(ends.high[0]))
    if np.isnan(ratios).all():
        return OffTarget(float(l1(shares, target)) / 2, interval, -1, np.nan, -1, np.nan)
    least, most = int(np.nanargmin(ratios)), int(np.nanargmax(ratios))
    return OffTarget(
        float(l1(shares, target)) / 2,
        interval,
        least,
        float(ratios[least]),
        most,
        float(ratios[most]),
    )
