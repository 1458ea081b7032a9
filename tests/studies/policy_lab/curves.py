"""Points of a price written down by hand, and settings of them."""

from collections.abc import Sequence

import numpy as np

from fairviz.model import FloatArray, Resamples
from fairviz.stats.bootstrap import Interval, bootstrap_counts
from fairviz.studies.policy_lab.price import PricePoint, Resampled, Setting

N = 12
"""Queries of these points: enough to say something."""
DRAWN = bootstrap_counts(N, rng=np.random.default_rng(0))
FIXED, MANY = (1, 1), (3, 5)
"""Lists per query: the same always; one of three to five."""


def points(*pairs: tuple[float, float], n: int = N) -> list[PricePoint]:
    """Points (off, quality), the same for every query but for a wobble that cancels.

    The target is all attention for the second group: the first group's percents are the points off target.
    """
    wobble = np.where(np.arange(n) % 2, 0.01, -0.01)
    return [
        PricePoint(float(i), np.tile([off / 100, 1 - off / 100], (n, 1)), quality + wobble)
        for i, (off, quality) in enumerate(pairs)
    ]


(NOW,) = points((40, 0.8))
TARGET = np.array([0.0, 1.0])


def summary(
    off: float, change: float, *, method: str = "det-greedy", was: float = 31.0, n: int = 14, share: float = 0.16
) -> Setting:
    """A setting (off, change) of some queries: 9 worse, 4 better, the rest unchanged; shares of two groups."""
    shares = np.array([share, 1 - share])
    return Setting(method, 0.5, off, was - off, 0.8 * (1 + change), change, shares, n, 0, 9, 4, n - 13, n, n)


def setting(
    off: float,
    change: float,
    low: float | None = None,
    *,
    method: str = "det-greedy",
    lists: tuple[int, int] = FIXED,
    share: float = 0.16,
    ratio: float = 9.0,
    **more: float,
) -> Setting:
    """A setting that moves, whose interval reaches as far up as down; 9 standard errors, resamples far below that."""
    below = change - 0.01 if low is None else low
    point = summary(off, change, method=method, share=share, **more)  # type: ignore[arg-type]
    return point._replace(
        n_lists=lists,
        change_ends=Interval(below, 2 * change - below),
        moved_ends=Interval(point.moved - 2, point.moved + 2),
        ratio=ratio,
        excess=np.array([0.5, 1.0, 2.0] * 20),
        p=1 / 61,
    )


def settings_of(
    tried: Sequence[PricePoint], now: PricePoint = NOW, drawn: Resamples = DRAWN, target: FloatArray = TARGET
) -> list[Setting]:
    """Every point as a setting of one method."""
    resampled = Resampled(now, target, drawn)
    return [resampled.setting("m", point) for point in tried]
