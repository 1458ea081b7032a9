"""Price curves computed coarse to fine, a little at a time, so that nobody waits for the last."""

import threading
import time
from collections.abc import Iterator, Sequence

import numpy as np

from fairviz.analysis.growing import coarse_to_fine
from fairviz.analysis.price import TODAY, PriceCurve, PricePoint, largest_gap, price_point, standing
from fairviz.analysis.price_axes import PriceAxes, one_list_each
from fairviz.analysis.price_rerankers import Workbench, reranked, strength_of, why_not
from fairviz.model import Run
from fairviz.pool import ranked_lists
from fairviz.rerank.catalogue import RERANKERS

N_REPEATS = 5
"""Lists of a random re-ranker whose values are averaged."""


class GrowingPrices:
    """What every re-ranker costs on one run, as far as it has been computed.

    Attributes:
        axes: How re-rankings are read.
        today: The run as it stands, a curve of one point.
        bench: What re-rankers see.
    """

    def __init__(self, run: Run, axes: PriceAxes, *, judged: bool = False, seed: int = 0) -> None:
        self.axes = axes
        self.seed = seed
        listed = one_list_each(ranked_lists(run, axes.pools), axes.pools.docs.size)
        self.today = self._curve(run.system, TODAY, [price_point(axes, [listed])])
        now = standing(self.today, 0, self.today)
        shares = np.nan_to_num(now.shares)
        self.bench = Workbench(
            axes=axes, today=shares, judged=judged, protected=largest_gap(now, axes.target)
        )
        self._system = run.system
        self._points: dict[str, dict[int, PricePoint]] = {}
        self._lock = threading.Lock()

    def advance(self, methods: Sequence[str], *, seconds: float = np.inf) -> bool:
        """Compute missing points until all are there, or the time is up.

        Args:
            methods: Names of re-rankers; those that do not apply are passed over.
            seconds: Time to spend; at least one point is computed.

        Returns:
            Whether every point of these methods is there.
        """
        end = time.monotonic() + seconds
        with self._lock:
            for method, i in self._missing(methods):
                self._compute(method, i)
                if time.monotonic() >= end:
                    return next(self._missing(methods), None) is None
        return True

    def curve(self, method: str) -> PriceCurve | None:
        """A curve through the points that are there, by rising strength; None before the first."""
        points = dict(self._points.get(method, {}))
        if not points:
            return None
        return self._curve(self._system, method, [points[i] for i in sorted(points)])

    def share_done(self, methods: Sequence[str]) -> float:
        """Part of the points that are there."""
        asked = [self._order(method) for method in methods]
        done = sum(len(self._points.get(method, {})) for method in methods)
        return done / max(sum(map(len, asked)), 1)

    def refused(self, methods: Sequence[str]) -> dict[str, str]:
        """{method: why it does not apply to these data}."""
        reasons = {one.name: why_not(one, self.bench) for one in RERANKERS if one.name in methods}
        return {name: reason for name, reason in reasons.items() if reason}

    def _order(self, method: str) -> list[int]:
        reranker = next(one for one in RERANKERS if one.name == method)
        if why_not(reranker, self.bench):
            return []
        order = coarse_to_fine(len(strength_of(reranker).grid))
        return [*order[1:2], order[0], *order[2:]]  # full strength is what people ask for first

    def _missing(self, methods: Sequence[str]) -> Iterator[tuple[str, int]]:
        """The coarsest missing points first: every re-ranker gets its n-th before any its next."""
        orders = {method: self._order(method) for method in methods}
        for level in range(max(map(len, orders.values()), default=0)):
            for method, order in orders.items():
                if level < len(order) and order[level] not in self._points.get(method, {}):
                    yield method, order[level]

    def _compute(self, method: str, i: int) -> None:
        reranker = next(one for one in RERANKERS if one.name == method)
        strength = strength_of(reranker).grid[i]
        policies = reranked(reranker, self.bench, strength, n_repeats=N_REPEATS, seed=self.seed)
        point = price_point(self.axes, policies, strength=strength)
        self._points.setdefault(method, {})[i] = point

    def _curve(self, system: str, method: str, points: Sequence[PricePoint]) -> PriceCurve:
        return PriceCurve(
            system=system,
            method=method,
            query_ids=self.axes.pools.query_ids,
            points=tuple(points),
        )
