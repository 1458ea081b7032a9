"""Conditions of many runs, a little at a time: a few points of the first system, of all, then the rest."""

import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from fairviz.attention import TopK
from fairviz.exposure import Gain
from fairviz.model import FloatArray, Pools, Qrels, Run
from fairviz.policies import ScoreScale
from fairviz.pool import pool
from fairviz.studies.compare.conditions import Condition, Factors
from fairviz.studies.compare.measure import run_factors
from fairviz.studies.tradeoff.progressive import LEVELS, AlphaPolicy, GrowingCurves, two_at_once


class _Member(NamedTuple):
    """A run, what it is judged by, and what it is made of."""

    run: Run
    judgements: Qrels
    factors: Factors


class GrowingGrid:
    """Every run under every policy, as far as it has got.

    Args:
        judged: Scored runs, each with its judgements.
        factors: What a table says of systems.
        alphas: (A) fairness control, the same for all.
        k: Items that a context holds.
        scores: How scores become s̄.
        offset: Of the Plackett–Luce logits.
        pools: Pools of the runs by their place, as far as they were needed: grids of the same runs share them.
    """

    def __init__(
        self,
        judged: Sequence[tuple[Run, Qrels]],
        *,
        factors: Mapping[str, Factors],
        alphas: FloatArray,
        k: int,
        scores: ScoreScale = "given",
        offset: float = 1.0,
        pools: dict[int, Pools] | None = None,
    ) -> None:
        self._pools: dict[int, Pools] = {} if pools is None else pools
        self._members = [_Member(run, qrels, run_factors(run.system, factors, qrels)) for run, qrels in judged]
        self._alphas = alphas
        self._few = min(LEVELS[0], alphas.size)
        self._attention = TopK(k)
        self._scores: ScoreScale = scores
        self._offset = offset
        self._curves: dict[int, GrowingCurves] = {}
        self._lock = threading.Lock()

    def planned(self, policies: Sequence[AlphaPolicy]) -> tuple[Factors, ...]:
        """Factors of all conditions, in their order, before any is computed."""
        return tuple(one.factors._replace(policy=policy) for one in self._members for policy in policies)

    def advance(self, gain: Gain, policies: Sequence[AlphaPolicy], *, seconds: float) -> bool:
        """Compute missing points until all are there, or the time is up; whether all are.

        Args:
            gain: The gain whose curves are wanted.
            policies: Which curves.
            seconds: Time to spend; at least one point is computed.
        """
        end = time.monotonic() + seconds
        with self._lock:
            return self._advance(gain, policies, end)

    def _advance(self, gain: Gain, policies: Sequence[AlphaPolicy], end: float) -> bool:
        every = range(len(self._members))
        for members, n in ((every[:1], self._few), (every, self._few), (every, self._alphas.size)):
            missing = [i for i in members if not self._has(i, gain, policies, n)]
            if not two_at_once([partial(self._work, i, gain, policies, n) for i in missing], end=end):
                return False
        return True

    def _work(self, i: int, gain: Gain, policies: Sequence[AlphaPolicy], n: int, seconds: float) -> bool:
        return self._growing(i).advance(gain, self._wanted(policies, n), seconds=seconds)

    def share(self, gain: Gain, policies: Sequence[AlphaPolicy]) -> float:
        """Points that are there, of all that are wanted."""
        wanted = self._wanted(policies, self._alphas.size)
        each = sum(wanted.values())
        done = sum(min(self._curves[i].n_points(policy, gain), n) for i in self._curves for policy, n in wanted.items())
        return done / (each * len(self._members)) if self._members else 1.0

    def conditions(self, gain: Gain, policies: Sequence[AlphaPolicy], *, whole: bool = True) -> tuple[Condition, ...]:
        """Those that are whole by now, in their order.

        Args:
            gain: The gain whose curves are wanted.
            policies: Which curves.
            whole: False: those that have the first few points, but not yet all.
        """
        found: list[Condition] = []
        for i, one in enumerate(self._members):
            for policy in policies:
                n = self._n_points(i, gain, policy)
                if n < self._few or (n == self._alphas.size) != whole:
                    continue
                curves = self._curves[i]
                curve = curves.curve(policy, gain)
                if curve is not None:
                    found.append(
                        Condition(
                            factors=one.factors._replace(policy=policy),
                            relevance=curve,
                            list_relevance=curves.point("deterministic", gain),
                            uniform=curves.point("uniform", gain),
                        )
                    )
        return tuple(found)

    def _wanted(self, policies: Sequence[AlphaPolicy], n: int) -> dict[AlphaPolicy, int]:
        return dict.fromkeys(("plackett-luce", *policies), n)

    def _has(self, i: int, gain: Gain, policies: Sequence[AlphaPolicy], n: int) -> bool:
        return all(self._n_points(i, gain, policy) >= n for policy in policies)

    def _n_points(self, i: int, gain: Gain, policy: AlphaPolicy) -> int:
        return self._curves[i].n_points(policy, gain) if i in self._curves else 0

    def _growing(self, i: int) -> GrowingCurves:
        if i not in self._curves:
            one = self._members[i]
            if i not in self._pools:
                self._pools[i] = pool(one.run, one.judgements)
            self._curves[i] = GrowingCurves(
                self._pools[i],
                system=one.run.system,
                attention=self._attention,
                offset=self._offset,
                scores=self._scores,
                alphas=self._alphas,
            )
        return self._curves[i]
