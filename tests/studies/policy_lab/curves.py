"""Price curves written down by hand."""

import numpy as np

from fairviz.stats.bootstrap import bootstrap_counts
from fairviz.studies.policy_lab.price import TODAY, PriceCurve, PricePoint

N = 12
"""Queries of these curves: enough to say something."""
DRAWN = bootstrap_counts(N, rng=np.random.default_rng(0))


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
