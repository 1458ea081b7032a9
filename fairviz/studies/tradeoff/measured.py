"""The curves of several runs, and the areas under those that can be compared."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairviz.display.bands import Band
from fairviz.display.theme import axis_name
from fairviz.display.words import capital, plural
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.joins import Joined, JudgedAs, labelled_apart, told_once
from fairviz.evaluation.rankings import query_notes
from fairviz.model import Curve, Note
from fairviz.points.curves import POLICIES, CurveSettings, relevance_measure, run_curves, with_scores
from fairviz.points.summary import band, compared_areas, joined, n_defined
from fairviz.points.view import Line, TradeoffView
from fairviz.points.words import left_out_words
from fairviz.studies.tradeoff.columns import TradeoffResults

ALONG_ALPHA = ("plackett-luce", "optimal", "oracle")


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


def measured_curves(
    found: Joined,
    settings: CurveSettings,
) -> MeasuredCurves:
    """The curves of each run, and AUC and slope of those that α moves, but of the oracle, which is no system.

    Args:
        found: Runs with the judgements of each.
        settings: How the curves are made; their seed is that of the bootstrap, too.

    Raises:
        InputError: A system is a sample of rankings, which has no scores.
    """
    runs = [with_scores(ranked, ranked.system) for ranked in found.rankings]
    notes = told_once(one.note for one in found.left_out)
    curves: list[Curve] = []
    for run, one in zip(runs, found.judged, strict=True):
        made = run_curves(run, one.qrels, settings)
        notes += [_of_system(note, one) for note in (*query_notes(run, one.qrels), *made.notes)]
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


def printed_view(
    curves: Sequence[Curve], *, system: str, offset: float = 1.0, left_out: tuple[str, ...] = ()
) -> TradeoffView:
    """The curves of one system with all its policies, its band, and the others in grey.

    Args:
        curves: Measured on one grid of α; policies as :func:`policy_curves` names them.
        system: The highlighted one.
        offset: Of the logits: with 0 the line does not run on to the deterministic list.
        left_out: Systems without an area.

    Raises:
        UndefinedError: No query of the system has a point.
    """
    own = {curve.policy: curve for curve in curves if curve.system == system}
    main = next((own[policy] for policy in ALONG_ALPHA if policy in own), None)
    if main is None or not main.defined.any():
        raise UndefinedError(f"{system}: no point of a curve to draw")
    end = own.get("deterministic")
    closed = joined(main, end) if end is not None and offset else main
    interval = band(closed, rng=np.random.default_rng(0))
    others = [curve for curve in curves if curve.system != system and curve.policy == main.policy]
    optimal, oracle = (own.get(policy) if policy != main.policy else None for policy in ("optimal", "oracle"))
    uniform = own.get("uniform")
    return TradeoffView(
        lines=[Line.of(curve) for curve in (main, *others)],
        system=system,
        optimal=Line.of(joined(optimal, end) if end is not None and offset else optimal) if optimal else None,
        oracle=Line.of(oracle).by_x() if oracle else None,
        uniform=Line.of(uniform) if uniform else None,
        deterministic=Line.of(end) if end else None,
        band=Band.where_defined(interval.disparity, *interval.interval),
        left_out=left_out,
        joined=offset > 0,
        exact=main.n_samples is None,
    )


def view_of(measured: MeasuredCurves, *, system: str | None = None, labels: str | None = None) -> TradeoffView:
    """One system with its policies, and those that it is compared with in grey.

    Args:
        measured: The curves.
        system: The highlighted one; None = the first.
        labels: By whose labels, where several generators judged it; None = the first.

    Raises:
        UsageError: There is no such system, or no such labels of it.
        UndefinedError: No query of the system has a point.
    """
    judged = measured.judged
    chosen = _highlighted(judged, system, labels)
    apart = labelled_apart(judged)
    shown = {one.name: one.system for one in judged if one.name not in apart or one.labels == chosen.labels}
    curves, areas = measured.results.curves or (), measured.results.areas
    drawn = [replace(curve, system=shown[curve.system]) for curve in curves if curve.system in shown]
    narrow = tuple(shown.get(name, name) for name in areas.left_out) if areas else ()
    return printed_view(drawn, system=chosen.system, offset=measured.results.offset, left_out=narrow)


def _highlighted(judged: Sequence[JudgedAs], system: str | None, labels: str | None) -> JudgedAs:
    """Whose policies the figure draws, and by whose labels: the first where nobody is named.

    Raises:
        UsageError: There is no such system, or no such labels of it.
    """
    systems = list(dict.fromkeys(one.system for one in judged))
    if system is not None and system not in systems:
        raise UsageError(f"--system {system}: expected one of {', '.join(systems)}")
    named = [one for one in judged if system in (None, one.system)]
    owners = list(dict.fromkeys(one.labels for one in named if one.labels is not None))
    if labels is not None and labels not in owners:
        known = f"expected one of {', '.join(owners)}" if owners else "the judgements name no generator"
        raise UsageError(f"--labels-of {labels}: {known}")
    return next(one for one in named if labels in (None, one.labels))


def tradeoff_caption(view: TradeoffView, curve: Curve, *, k: int) -> str:
    """What legend and title of the chart would say, by dashes and marks, so that it holds in greyscale too.

    Args:
        view: What is drawn.
        curve: The highlighted curve.
        k: Items that are seen.
    """
    line = view.line
    quality, own = axis_name(line.y_measure), "Plackett–Luce" if line.policy == "plackett-luce" else line.policy
    said = [f"solid: {own} of {view.system}" + (", with its 95 % bootstrap band" if view.band is not None else "")]
    said += ["dashed: exposure-optimal policy"] if view.optimal is not None else []
    said += ["dotted: oracle that knows the judgements"] if view.oracle is not None else []
    said += [f"thin: {plural(len(view.others), 'other system')}"] if view.others else []
    said += ["open square: uniform"] if view.uniform is not None else []
    said += ["filled square: deterministic list"] if view.deterministic is not None else []
    words = "; ".join([*said, *([left_out_words(view.left_out)] if view.left_out else [])])
    n = plural(n_defined(curve), "query", "queries")
    alphas = f"α from {line.alphas.min():g} to {line.alphas.max():g}" if line.alphas.size else "α"
    return f"{quality} over EE-D, mean of {n}, k = {k}, {alphas}. {capital(words)}."
