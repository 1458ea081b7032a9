"""Runs measured along α: their curves, the areas under those that can be compared, and what a reader should know.

The command line and the library call this, so that they give the same numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fairviz.attention import Attention
from fairviz.errors import InputError
from fairviz.evaluation.joins import Joined, JudgedAs, told_once
from fairviz.evaluation.rankings import query_notes, short_remark
from fairviz.evaluation.remarks import Remark, noted
from fairviz.exposure import Gain
from fairviz.model import Curve, FloatArray, Note, Qrels, RankingSample, Run, ScoreScale
from fairviz.pool import pool
from fairviz.studies.tradeoff.curves import CurvePolicy, Draws, policy_curves, relevance_measure
from fairviz.studies.tradeoff.findings import left_out_words
from fairviz.studies.tradeoff.summary import compared_areas
from fairviz.studies.tradeoff.tables import TradeoffResults

POLICIES: tuple[CurvePolicy, ...] = ("plackett-luce", "optimal", "oracle")
"""Policies that α moves."""


class MeasuredCurves(NamedTuple):
    """Curves of some runs.

    Attributes:
        results: Curves and areas.
        notes: What a reader should know; ``file`` is the system's name.
    """

    results: TradeoffResults
    notes: tuple[Note, ...]

    @property
    def judged(self) -> Sequence[JudgedAs]:
        """What the curves were judged by."""
        return self.results.judged


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveSettings:
    """How the curves of a run are made.

    Attributes:
        policies: Which curves.
        alphas: (A) fairness control.
        attention: A rank-only browsing model.
        k: Items seen; None = as deep as attention reaches.
        offset: 1 or 0, of the logits.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
        scores: What a policy sees of the scores.
        samples: Rankings drawn of a query, in place of exact exposure; None = exact.
        seed: Of the draws, for every run anew, so that one's points do not depend on another's.
    """

    policies: tuple[CurvePolicy, ...]
    alphas: FloatArray
    attention: Attention
    k: int | None = None
    offset: float = 1.0
    gain: Gain = "graded"
    rel: int = 1
    scores: ScoreScale = "given"
    samples: int | None = None
    seed: int = 0


class RunCurves(NamedTuple):
    """Curves of one run over all queries, or over some.

    Attributes:
        curves: In the order of the policies, then "uniform" and "deterministic".
        remarks: What a reader should know.
    """

    curves: tuple[Curve, ...]
    remarks: tuple[Remark, ...]


def run_curves(
    run: Run, qrels: Qrels, settings: CurveSettings, on_step: Callable[[], None] = lambda: None
) -> RunCurves:
    """The curves of one run against its judgements; ``on_step`` is called after each α of each."""
    pools = pool(run, qrels)
    curves = policy_curves(
        run,
        pools,
        policies=settings.policies,
        alphas=settings.alphas,
        attention=settings.attention,
        offset=settings.offset,
        gain=settings.gain,
        rel=settings.rel,
        scores=settings.scores,
        draws=Draws(settings.samples, np.random.default_rng(settings.seed)) if settings.samples else None,
        on_step=on_step,
    )
    return RunCurves(tuple(curves), (short_remark(run, pools, settings.k),))


def measured_curves(
    found: Joined,
    settings: CurveSettings,
    *,
    on_step: Callable[[], None] = lambda: None,
) -> MeasuredCurves:
    """The curves of each run, and AUC and slope of those that α moves, but of the oracle, which is no system.

    Args:
        found: Runs with the judgements of each.
        settings: How the curves are made; their seed is that of the bootstrap, too.
        on_step: Called after each α of each curve.

    Raises:
        InputError: A system is a sample of rankings, which has no scores.
    """
    runs = [with_scores(ranked, ranked.system) for ranked in found.rankings]
    notes = told_once(one.note for one in found.left_out)
    curves: list[Curve] = []
    for run, one in zip(runs, found.judged, strict=True):
        made = run_curves(run, one.qrels, settings, on_step)
        notes += [_of_system(note, one) for note in (*query_notes(run, one.qrels), *noted(made.remarks))]
        curves += made.curves
    others = [policy for policy in POLICIES if policy != "oracle"]  # a bound: in no range, area or test
    lines = [curve for curve in curves if curve.policy in others]
    areas = compared_areas(lines, rng=np.random.default_rng(settings.seed))
    narrow = [one for one in found.judged if one.name in areas.left_out]
    notes += [_of_system(Note(one.name, None, left_out_words([one.system])), one) for one in narrow]
    results = TradeoffResults(
        curves=curves,
        judged=found.judged,
        areas=areas,
        quality=relevance_measure(settings.attention, settings.gain, settings.rel),
        scores=settings.scores,
        offset=settings.offset,
    )
    return MeasuredCurves(results, tuple(notes))


def _of_system(note: Note, one: JudgedAs) -> Note:
    """A note on a system as it was given: whose labels it was is no part of its name."""
    if one.name == one.system:
        return note
    return replace(note, file=one.system, message=f"labels of {one.qrels.generator}: {note.message}")


def with_scores(ranked: Run | RankingSample, file: str) -> Run:
    """The run, refused where it is a sample.

    Raises:
        InputError: Rankings without scores.
    """
    if isinstance(ranked, Run):
        return ranked
    reason = "a sample of rankings has no scores to make a policy from"
    raise InputError(reason, file=file, fix="Give the run that it was drawn from.")
