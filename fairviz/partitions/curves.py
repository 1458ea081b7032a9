"""Curves along α by ranges of queries: exact Plackett–Luce exposure, and that of recorded samples, need one at a time.

The optimal and the oracle policy meet its mean EE-D over all queries, and rankings are drawn one query after the other
from one seed: neither is had from a range.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fairviz.attention import Attention
from fairviz.errors import UsageError
from fairviz.evaluation.remarks import added
from fairviz.exposure import Gain
from fairviz.model import Curve, FloatArray, IntArray, Qrels, RankingSample, Run
from fairviz.partitions.lists import Slice, order_of
from fairviz.partitions.plan import Plan
from fairviz.partitions.rankings import CuttableRankings, RankingSlices
from fairviz.studies.compare.measure import samples_curve
from fairviz.studies.tradeoff.measured import CurveSettings, RunCurves, run_curves


class _Task(NamedTuple):
    """A range of one run, and how its curves are made."""

    run: Slice
    qrels: Slice
    settings: CurveSettings


def _curves(task: _Task) -> tuple[tuple[str, ...], RunCurves]:
    """Queries of one range, and their curves; in whichever process."""
    run, qrels = task.run.rankings(), task.qrels.judgements()
    if isinstance(run, RankingSample):
        raise TypeError("samples have no scores")
    return qrels.query_ids, run_curves(run, qrels, task.settings)


class _Samples(NamedTuple):
    """A range of recorded samples of one policy, and how their curve is made."""

    samples: RankingSlices
    n_samples: int
    qrels: Slice
    attention: Attention
    gain: Gain
    rel: int


def _samples_curve(task: _Samples) -> Curve:
    """The curve of one range; in whichever process."""
    samples = [one for one in task.samples.read()[: task.n_samples] if isinstance(one, RankingSample)]
    return samples_curve(samples, task.qrels.judgements(), task.attention, task.gain, task.rel)


@dataclass(frozen=True, slots=True)
class PartitionedCurves:
    """How :mod:`fairviz.studies.tradeoff.measured` and :mod:`fairviz.studies.compare.measure` make curves by ranges.

    Attributes:
        plan: Ranges, and who works on them.
    """

    plan: Plan

    def of(
        self, run: Run, qrels: Qrels, settings: CurveSettings, on_step: Callable[[], None] = lambda: None
    ) -> RunCurves:
        """The curves of one run over all queries; the plan is told of each range, not ``on_step`` of each α.

        Raises:
            UsageError: A policy or a way to draw that needs all queries at once.
        """
        together = [policy for policy in settings.policies if policy != "plackett-luce"]
        if together or settings.samples:
            what = f"--policy {together[0]}" if together else "--samples"
            why = "meets the mean EE-D of all queries" if together else "draws all queries from one seed"
            raise UsageError(f"{what} {why}: give runs that fit into memory, without --workers and --dask")
        runs, judged = self.plan.cuttable(run), self.plan.cuttable(qrels)
        cut = self.plan.ranges([runs, judged])
        tasks = (_Task(runs.at(one), judged.at(one), settings) for one in cut)
        parts = self.plan.done(_curves, tasks, n=len(cut), about=run.system)
        order = order_of(qrels.query_ids, (ids for ids, _ in parts), system=run.system)
        made = [part for _, part in parts]
        return RunCurves(
            tuple(_whole([part.curves[i] for part in made], qrels, order) for i in range(len(made[0].curves))),
            tuple(added((part.remarks for part in made), defined=())),
        )

    def of_samples(
        self, samples: Sequence[RankingSample], qrels: Qrels, attention: Attention, gain: Gain, rel: int
    ) -> Curve:
        """The curve of one policy's recorded samples over all queries."""
        drawn, judged = CuttableRankings.of(samples, self.plan), self.plan.cuttable(qrels)
        cut = self.plan.ranges([*drawn.cuttable, judged])
        tasks = (_Samples(drawn.at(one), len(samples), judged.at(one), attention, gain, rel) for one in cut)
        parts = self.plan.done(_samples_curve, tasks, n=len(cut), about=samples[0].system)
        order = order_of(qrels.query_ids, (part.query_ids for part in parts), system=samples[0].system)
        whole = _whole(parts, qrels, order)
        return replace(whole, n_samples=max(part.n_samples or 0 for part in parts))


def _whole(parts: list[Curve], qrels: Qrels, order: IntArray) -> Curve:
    """One curve over all ranges, its queries in the order of the judgements."""

    def axis(values: list[FloatArray]) -> FloatArray:
        return np.take(np.concatenate(values, axis=1), order, axis=1)  # rows stay rows in memory: sums go along them

    return replace(
        parts[0],
        query_ids=qrels.query_ids,
        disparity=axis([part.disparity for part in parts]),
        quality=axis([part.quality for part in parts]),
        score=axis([part.score for part in parts]),
    )
