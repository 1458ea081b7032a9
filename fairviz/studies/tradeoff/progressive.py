"""Curves computed coarse to fine, a little at a time, so that nobody waits for the last point.

Every point is exact when it arrives; points that are still missing lie between those that are
there. First the ends of α, then the middle, then the middles of the halves, for all policies.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from typing import Literal, TypeAlias

import numpy as np

from fairviz.attention import Attention
from fairviz.exposure import Gain, target_exposure
from fairviz.model import Curve, Exposure, FloatArray, IntArray, Pools, Run
from fairviz.policies import Frontier, PlackettLuce, ScoreScale, frontier
from fairviz.studies.tradeoff.curves import exposure_curve, pool_axes, relevance_measure, tradeoff_curve
from fairviz.studies.tradeoff.intervals import only_alphas

AlphaPolicy: TypeAlias = Literal["plackett-luce", "optimal", "oracle"]
ALPHA_POLICIES: tuple[AlphaPolicy, ...] = ("plackett-luce", "optimal", "oracle")
GAINS: tuple[Gain, Gain] = ("graded", "binary")
ALPHAS: FloatArray = np.arange(65) / 8
"""The slider's grid: 0, 1/8, …, 8."""
LEVELS = (5, 9, 17, 33, 65)
"""Points per curve at which all policies wait for each other."""
GRID, COARSE = 33, 17
"""Points along α from which areas, slopes and everything else that is estimated is read, the same for every curve and
on every surface (0:8:33, the default of the command too); fewer where a run is large."""
THREADS = 2
LARGE = 30_000
"""Lines of a run from which fewer points are computed: more would keep a person waiting."""


def measured_at(runs: Sequence[Run]) -> FloatArray:
    """(A) the α from which the areas of some runs are read: one grid for all of them.

    Examples:
        >>> measured_at([]).size
        33
    """
    large = any(run.docs.size > LARGE for run in runs)
    return np.linspace(0.0, 8.0, COARSE if large else GRID)


def on_grid(curve: Curve, alphas: FloatArray) -> Curve:
    """The points of a curve on the grid that all curves share, and those without an α."""
    return only_alphas(curve, [*alphas.tolist(), np.nan])


def coarse_to_fine(n: int) -> list[int]:
    """Indices 0 … n − 1, ends first, then every middle of what is there.

    Examples:
        >>> coarse_to_fine(5)
        [0, 4, 2, 1, 3]
    """
    order, step = [0, n - 1] if n > 1 else list(range(n)), n - 1
    while len(order) < n:
        half = step / 2
        middles = (round(start + half) for start in np.arange(0, n - 1, step))
        order += [middle for middle in middles if middle not in order]
        step = half
    return order


def two_at_once(tasks: Sequence[Callable[[float], bool]], *, end: float) -> bool:
    """Give each task what is left of the time, and say whether all were completed; the first is always begun.

    Kernels let go of Python's lock, so that two systems are computed at once; a curve holds the same numbers as when it
    is computed alone.

    Args:
        tasks: Called with the seconds that they may take.
        end: On the monotonic clock: from then on none is begun.
    """

    def begin(task: Callable[[float], bool]) -> bool:
        left = end - time.monotonic()
        return (left > 0 or task is tasks[0]) and task(left)

    with ThreadPoolExecutor(THREADS) as threads:
        return all([*threads.map(begin, tasks)])


class GrowingCurves:
    """The curves of one system's run under each policy, for graded and binary gain.

    Plackett–Luce exposure does not depend on the gain, so one pass gives the curves of both.
    """

    def __init__(
        self,
        pools: Pools,
        *,
        system: str,
        attention: Attention,
        offset: float = 1.0,
        scores: ScoreScale = "given",
        rel: int = 1,
        alphas: FloatArray = ALPHAS,
    ) -> None:
        self.pools = pools
        self.system = system
        self.attention = attention
        self.offset = offset
        self.scores: ScoreScale = scores
        self.rel = rel
        self.alphas = alphas
        self._order = coarse_to_fine(alphas.size)
        self._axes = {
            gain: pool_axes(pools, target_exposure(pools, attention, gain=gain, rel=rel), attention, scores=scores)
            for gain in GAINS
        }
        self._frontiers: dict[tuple[AlphaPolicy, Gain], Frontier] = {}
        self._points: dict[tuple[str, Gain], dict[int, Curve]] = {}
        self._ends: dict[Gain, Curve] = {}
        self._fixed: dict[tuple[str, Gain], Curve] = {}
        self._single: dict[tuple[str, Gain], Curve] = {}
        self._lock = threading.Lock()

    def quality(self, gain: Gain) -> str:
        """The quality of the curves as a measure string."""
        return relevance_measure(self.attention, gain, self.rel)

    def n_points(self, policy: AlphaPolicy, gain: Gain) -> int:
        """Points that a curve has by now."""
        return len(self._points.get((policy, gain), {}))

    def advance(self, gain: Gain, wanted: dict[AlphaPolicy, int], *, seconds: float = np.inf) -> bool:
        """Compute missing points until there are as many as wanted, or the time is up.

        Args:
            gain: The gain whose curves are wanted.
            wanted: Points per policy; "plackett-luce" gets at least as many as the others.
            seconds: Time to spend; at least one point is computed.

        Returns:
            Whether everything wanted is there.
        """
        end = time.monotonic() + seconds
        with self._lock:
            while (task := self._next(gain, wanted)) is not None:
                self._compute(*task, gain)
                if time.monotonic() >= end:
                    return self._next(gain, wanted) is None
        return True

    @property
    def asked(self) -> str:
        """Digest of what the points depend on: candidates, judgements, browsing model and policy."""
        pools = self.pools
        texts = (self.system, self.attention, self.offset, self.scores, self.rel, pools.query_ids)
        state = sha256("\n".join(map(repr, texts)).encode())
        numbers = (pools.offsets, pools.docs, pools.scores, pools.gains, pools.judged, pools.n_retrieved, self.alphas)
        for array in numbers:
            state.update(f"{array.dtype} {array.shape} ".encode())
            state.update(np.ascontiguousarray(array).data)
        return state.hexdigest()

    def points(self) -> tuple[Curve, ...]:
        """All that was computed, a curve for each policy and gain; :meth:`take` gives it to another."""
        with self._lock:
            along = [self.curve(policy, gain) for policy in ALPHA_POLICIES for gain in GAINS]
            return (*(curve for curve in along if curve), *self._ends.values(), *self._single.values())

    def take(self, curves: Sequence[Curve]) -> None:
        """Take what was computed before, of the same :attr:`asked`, instead of computing it.

        Raises:
            ValueError: It is of other queries, another quality or other α.
        """
        gains: dict[str, Gain] = {self.quality(gain): gain for gain in GAINS}
        for curve in curves:
            at = np.minimum(np.searchsorted(self.alphas, curve.alphas), self.alphas.size - 1)
            alone = bool(np.isnan(curve.alphas).all())
            same = (curve.system, curve.query_ids) == (self.system, self.pools.query_ids) and curve.y in gains
            if not same or not (alone or np.array_equal(self.alphas[at], curve.alphas)):
                raise ValueError(f"{curve.system}: points of other curves")
            place = curve.policy, gains[curve.y]
            with self._lock:
                if not alone:
                    known = self._points.setdefault(place, {})
                    for row, i in enumerate(at.tolist()):
                        known.setdefault(i, _point(curve, row))
                elif curve.policy == "oracle":
                    self._ends.setdefault(gains[curve.y], curve)
                else:
                    self._single.setdefault(place, curve)

    def curve(self, policy: AlphaPolicy, gain: Gain) -> Curve | None:
        """The curve through the points that are there, by rising α; None before the first."""
        points = dict(self._points.get((policy, gain), {}))
        if not points:
            return None
        parts = [points[i] for i in sorted(points)]
        return Curve(
            system=self.system,
            policy=policy,
            query_ids=self.pools.query_ids,
            alphas=np.concatenate([part.alphas for part in parts]),
            disparity=np.concatenate([part.disparity for part in parts]),
            quality=np.concatenate([part.quality for part in parts]),
            score=np.concatenate([part.score for part in parts]),
            y=parts[0].y,
        )

    def oracle_ends(self, gain: Gain) -> Curve:
        """The oracle outside the disparities of Plackett–Luce: from uniform, and up to EE-D 1.

        Its points have no α.
        """
        if gain not in self._ends:
            reached = self.curve("plackett-luce", gain)
            inner = np.empty(0) if reached is None else reached.mean_disparity
            inner = inner[~np.isnan(inner)]
            low, high = float(inner.min(initial=1.0)), float(inner.max(initial=0.0))
            outside = np.concatenate([np.linspace(0, low, 13)[:-1], [max(high, 1.0)]])
            self._ends[gain] = exposure_curve(
                self._axes[gain],
                self._frontier("oracle", gain).at(outside),
                self.system,
                "oracle",
                np.full(outside.size, np.nan),
                quality=self.quality(gain),
            )
        return self._ends[gain]

    def point(self, policy: Literal["uniform", "deterministic"], gain: Gain) -> Curve:
        """The single point of a policy that has no α; asked for on every move, made once."""
        if (policy, gain) not in self._single:
            self._single[policy, gain] = tradeoff_curve(
                self.pools,
                system=self.system,
                policy=policy,
                alphas=np.empty(0),
                attention=self.attention,
                gain=gain,
                rel=self.rel,
                scores=self.scores,
            )
        return self._single[policy, gain]

    def _next(self, gain: Gain, wanted: dict[AlphaPolicy, int]) -> tuple[AlphaPolicy, int] | None:
        """The coarsest missing point; Plackett–Luce first, the others need its disparity."""
        for level in LEVELS:
            for policy in ALPHA_POLICIES:
                most = min(level, wanted.get(policy, 0), self.alphas.size)
                done = self._points.get((policy, gain), {})
                for i in self._order[:most]:
                    if i not in done:
                        return policy, i
        return None

    def _compute(self, policy: AlphaPolicy, i: int, gain: Gain) -> None:
        if policy == "plackett-luce":
            policy_at = PlackettLuce(float(self.alphas[i]), self.offset, self.scores)
            exposure = policy_at.exposure(self.pools, self.attention)
            for each in GAINS:
                self._keep(policy, each, i, exposure)
            return
        if i not in self._points.get(("plackett-luce", gain), {}):
            self._compute("plackett-luce", i, gain)
        disparity = self._points["plackett-luce", gain][i].mean_disparity
        self._keep(policy, gain, i, self._frontier(policy, gain).at(disparity)[0])

    def _keep(self, policy: AlphaPolicy, gain: Gain, i: int, exposure: Exposure) -> None:
        self._points.setdefault((policy, gain), {})[i] = exposure_curve(
            self._axes[gain],
            [exposure],
            self.system,
            policy,
            self.alphas[i : i + 1],
            quality=self.quality(gain),
        )

    def _frontier(self, policy: Literal["optimal", "oracle"], gain: Gain) -> Frontier:
        if (policy, gain) not in self._frontiers:
            target = self._axes[gain].target
            self._frontiers[policy, gain] = frontier(policy, self.pools, target, self.attention, scores=self.scores)
        return self._frontiers[policy, gain]


def _point(curve: Curve, row: int) -> Curve:
    """One point of a curve, as it was computed."""
    only = slice(row, row + 1)
    return replace(
        curve,
        alphas=curve.alphas[only],
        disparity=curve.disparity[only],
        quality=curve.quality[only],
        score=curve.score[only],
    )


def query_exposures(
    pools: Pools,
    query: int,
    *,
    alphas: FloatArray,
    attention: Attention,
    offset: float = 1.0,
    scores: ScoreScale = "given",
) -> FloatArray:
    """(A, n) exact Plackett–Luce exposure of one query's n pool items at each α.

    Args:
        pools: A scored run with its judgements.
        query: Index of the query in ``pools``.
        alphas: (A) fairness control.
        attention: A rank-only browsing model.
        offset: 1 or 0, see :class:`PlackettLuce`.
        scores: How scores become s̄, see :class:`PlackettLuce`.
    """
    single = only_query(pools, query)
    return np.stack([PlackettLuce(float(a), offset, scores).exposure(single, attention) for a in alphas])


def only_query(pools: Pools, query: int) -> Pools:
    """The pool of one query, still pointing into the same ids."""
    rows = slice(int(pools.offsets[query]), int(pools.offsets[query + 1]))
    ends: IntArray = np.array([0, rows.stop - rows.start], dtype=np.int64)
    return Pools(
        query_ids=pools.query_ids[query : query + 1],
        doc_ids=pools.doc_ids,
        offsets=ends,
        docs=pools.docs[rows],
        scores=pools.scores[rows],
        gains=pools.gains[rows],
        judged=pools.judged[rows],
        n_retrieved=pools.n_retrieved[query : query + 1],
    )
