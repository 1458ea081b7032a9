"""Price curves written down by hand."""

import numpy as np

from fairviz.stats.bootstrap import bootstrap_counts
from fairviz.studies.policy_lab.price import TODAY, PriceCurve, PricePoint

DRAWN = bootstrap_counts(8, rng=np.random.default_rng(0))


def curve(method: str, points: list[tuple[float, float]], *, n: int = 8) -> PriceCurve:
    """Points (off, quality), the same for every query but for a wobble that cancels."""
    wobble = np.where(np.arange(n) % 2, 0.01, -0.01)
    made = [
        PricePoint(float(i), np.full(n, off), quality + wobble, np.tile([0.9, 0.1], (n, 1)))
        for i, (off, quality) in enumerate(points)
    ]
    return PriceCurve(system="s", method=method, query_ids=tuple(map(str, range(n))), points=tuple(made))


NOW = curve(TODAY, [(40, 0.8)])
