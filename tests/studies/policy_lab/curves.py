"""Price curves written down by hand, and settings of them."""

import numpy as np

from fairviz.model import Resamples
from fairviz.stats.bootstrap import Interval, bootstrap_counts
from fairviz.studies.policy_lab.budget import Resampled, Setting
from fairviz.studies.policy_lab.price import TODAY, PointSummary, PriceCurve, PricePoint

N = 12
"""Queries of these curves: enough to say something."""
DRAWN = bootstrap_counts(N, rng=np.random.default_rng(0))
FIXED, MANY = (1, 1), (3, 5)
"""Lists per query: the same always; one of three to five."""


def curve(method: str, points: list[tuple[float, float]], *, n: int = N) -> PriceCurve:
    """Points (off, quality), the same for every query but for a wobble that cancels.

    The target is all attention for the second group: the first group's percents are the points off target.
    """
    wobble = np.where(np.arange(n) % 2, 0.01, -0.01)
    made = [
        PricePoint(float(i), np.tile([off / 100, 1 - off / 100], (n, 1)), quality + wobble)
        for i, (off, quality) in enumerate(points)
    ]
    target = np.tile([0.0, 1.0], (n, 1))
    queries = tuple(map(str, range(n)))
    return PriceCurve(system="s", method=method, query_ids=queries, target=target, points=tuple(made))


NOW = curve(TODAY, [(40, 0.8)])


def summary(
    off: float, change: float, *, method: str = "m", was: float = 31.0, n: int = 14, share: float = 0.16
) -> PointSummary:
    """A point (off, change) of some queries: 9 worse, 4 better, the rest unchanged; shares of two groups."""
    shares = np.array([share, 1 - share])
    return PointSummary(method, 0.5, off, was - off, 0.8 * (1 + change), change, shares, n, 0, 9, 4, n - 13, n, n)


def setting(
    off: float,
    change: float,
    low: float | None = None,
    *,
    method: str = "m",
    lists: tuple[int, int] = FIXED,
    share: float = 0.16,
    ratio: float = 9.0,
    **more: float,
) -> Setting:
    """A setting that moves, whose interval reaches as far up as down; 9 standard errors, resamples far below that."""
    below = change - 0.01 if low is None else low
    point = summary(off, change, method=method, share=share, **more)  # type: ignore[arg-type]
    change_ends = Interval(below, 2 * change - below)
    moved = Interval(point.moved - 2, point.moved + 2)
    return Setting(point, change_ends, moved, lists, ratio, np.array([0.5, 1.0, 2.0] * 20), p=1 / 61)


def of_curve(one: PriceCurve, today: PriceCurve = NOW, drawn: Resamples = DRAWN) -> list[Setting]:
    """Every point of a curve as a setting."""
    resampled = Resampled(today, drawn)
    return [resampled.setting(one, place) for place in range(len(one.points))]
