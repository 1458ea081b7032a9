"""One system's curves: points, areas, intervals and tests, today's finding, the chart; or those of every run.

The page hands over curves that it has grown; a command has them computed by :func:`system_report`.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from fairviz.display.html import Figure, Play, Section, section_of
from fairviz.display.table import Table, keyed
from fairviz.display.theme import axis_name, in_both_themes
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError
from fairviz.evaluation.joins import LeftOut, joined, of_task, unjoined
from fairviz.evaluation.systems import feeding, named, of_depth
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import Gain
from fairviz.kernels.pool import pool
from fairviz.model import Curve, Dataset, Factors, FloatArray, Qrels, RankingSample, Run
from fairviz.points.curves import (
    FIXED_ALPHA,
    POLICIES,
    CurvePolicy,
    CurveSettings,
    measured_at,
    policy_curves,
    relevance_measure,
    sampled_curve,
)
from fairviz.points.estimates import Estimates
from fairviz.points.intervals import (
    IntervalRow,
    IntervalTest,
    alpha_tests,
    disparity_by_alpha,
    only_alphas,
    quality_by_interval,
)
from fairviz.points.models import answering, by_model, estimates_of
from fairviz.points.recorded import recorded
from fairviz.points.summary import (
    CurveAreas,
    Saving,
    SlopeWeights,
    compared_areas,
    disparity_saved,
    n_defined,
)
from fairviz.points.view import AlphaPoint, Line, TradeoffView
from fairviz.points.words import SCALES, gain_words
from fairviz.policies import ScoreScale
from fairviz.stats.bootstrap import described
from fairviz.studies.shared import USUAL_K
from fairviz.studies.study import Analysis, Chart
from fairviz.studies.tradeoff.charts import MARKED_ALPHAS, tradeoff_alt, tradeoff_figure
from fairviz.studies.tradeoff.columns import NONE_SAID, TradeoffResults, points_at, tables
from fairviz.studies.tradeoff.findings import (
    point_words,
    readings,
    saving_finding,
    turning_note,
    undefined_finding,
    unjoined_finding,
)
from fairviz.studies.tradeoff.measured import measured_curves, printed_view, view_of
from fairviz.studies.tradeoff.settings import TradeoffSettings

SUMMARY = (
    "system",
    "policy",
    "auc",
    "auc_low",
    "auc_high",
    "slope",
    "slope_low",
    "slope_high",
    "range_low",
    "range_high",
)
"""Columns of the areas that a terminal has room for."""
TEST_NAMES: dict[IntervalTest, str] = {
    "paired": "paired t",
    "student": "unpaired t (Student)",
    "welch": "unpaired t (Welch)",
}
SECTIONS = {
    "Areas and slopes": ("areas",),
    "Against the deterministic list": ("intervals",),
    "EE-D by α": ("spreads", "alpha-tests"),
    "Between the recorded α": ("estimates",),
    "Points": ("curves",),
}
"""Sections of a report with their tables."""


class Report(NamedTuple):
    """What the files hold.

    Attributes:
        finding: Title and sentence.
        lead: Data, k and settings.
        view: The chart.
        point: The point it marks.
        curves: Every curve and the points on it from which areas are read, the highlighted curve first.
        areas: AUC and slope.
        changes: The interval table.
        quality: What stands on the y axis.
        test: Of the interval table.
        scores, offset: How scores became policies.
        factors: What each system is made of, where its name only says it to people.
        estimates: Between the α at which answers were recorded, where there are any.
    """

    finding: Finding
    lead: str
    view: TradeoffView
    point: AlphaPoint | None
    curves: Sequence[Curve]
    areas: CurveAreas
    changes: Sequence[IntervalRow]
    quality: str
    test: IntervalTest = "paired"
    scores: ScoreScale = "given"
    offset: float = 1.0
    factors: Mapping[str, Factors] = NONE_SAID
    estimates: Estimates | None = None


@dataclass(frozen=True, kw_only=True)
class TradeoffAnalysis(Analysis):
    """Curves and what is estimated from them."""


def analyse(data: Dataset, settings: TradeoffSettings) -> TradeoffAnalysis:
    """Points, areas, intervals of EE-D, EE-D by α; of answers also what lies between the recorded α.

    Args:
        data: Scored runs and their judgements, or answers recorded along α.
        settings: Quality, policies, attention, who is highlighted.

    Raises:
        InputError: No run has a query in common with the judgements.
        UndefinedError: There is nothing to make a curve of, or no query has a point.
        UsageError: There is no such system or model, or a parameter is out of range.
    """
    quality = settings.quality or ("EU" if data.outputs and not data.runs else "EER")
    if quality != "EER":
        return _of_answers(data, settings, quality)
    if not data.qrels:
        raise UndefinedError("curves of runs need judgements: give --qrels FILE")
    if not data.runs:
        raise UndefinedError("curves are made from the scores of runs, and there are none in these files")
    if settings.policy or settings.samples or settings.attention != "topk":
        return _of_every_run(data, settings)
    return _of_system(data, settings)


def _of_every_run(data: Dataset, settings: TradeoffSettings) -> TradeoffAnalysis:
    """Each run by each of its judgements, under the policies that are asked for."""
    data, cut = of_depth(data, settings.depth)
    gain, rel = settings.usefulness
    asked: tuple[CurvePolicy, ...] = tuple(name for name in POLICIES if {name, "all"} & {*settings.policy})
    measured = measured_curves(
        joined((*data.runs, *data.samples), data.qrels),
        CurveSettings(
            policies=asked or POLICIES[:1],
            alphas=alphas_of(data, settings),
            attention=settings.browsing(),
            k=settings.shown,
            offset=settings.offset,
            gain=gain,
            rel=rel,
            scores=settings.scores,
            samples=settings.samples,
            seed=settings.seed,
        ),
    )
    known = tables(measured.results)
    charts: dict[str, Chart] = {}
    with suppress(UndefinedError):  # no query of the system has a point
        view = view_of(measured, system=settings.system or None, labels=settings.labels_of or None)
        charts = {"tradeoff": Chart("tradeoff", "tradeoff", (view,))}
    return TradeoffAnalysis(
        tables=known,
        charts=charts,
        printed=_printed(known, ("curves", "areas")),
        notes=(*cut.notes, *measured.notes),
    )


def alphas_of(data: Dataset, settings: TradeoffSettings) -> FloatArray:
    """(A) fairness control of policies made from runs."""
    return np.array(settings.alpha) if settings.alpha else measured_at(data.runs)


def _of_system(data: Dataset, settings: TradeoffSettings) -> TradeoffAnalysis:
    """The highlighted run under every policy, the others of its task under Plackett–Luce."""
    data, cut = of_depth(data, settings.depth)
    run = named("system", settings.system, {run.system: run for run in data.runs})
    same, judged = of_task(run.system, data.runs, data.qrels[settings.judgements], data.systems or {})
    gain, rel = settings.usefulness
    made = system_report(
        run,
        same,
        data.samples,
        judged,
        name=data.name,
        alphas=alphas_of(data, settings),
        k=settings.k or USUAL_K,
        gain=gain,
        rel=rel,
        scores=settings.scores,
        offset=settings.offset,
        weights=settings.weights,
        test=settings.test,
        seed=settings.seed,
        depth=cut.words,
    )
    if isinstance(made, Finding):
        raise UndefinedError(f"{made.title}: {made.sentence}")
    known = report_tables(made)
    return TradeoffAnalysis(
        findings=(made.finding,),
        tables=known,
        charts={
            "tradeoff": Chart(
                "tradeoff",
                "tradeoff",
                (printed_view(made.curves, system=run.system, offset=settings.offset),),
            )
        },
        printed=_printed(known, ("areas", "intervals")),
        notes=tuple(cut.notes),
        sections=partial(report_sections, made, known, stem="fairviz-curves"),
    )


def _printed(known: Mapping[str, Table], stems: Sequence[str]) -> dict[str, Sequence[str]]:
    """Tables of a terminal, which has no room for every column of the areas."""
    few = {"areas": (*SUMMARY, "labels")}
    return {
        stem: [key for key in known[stem].keys if key in few.get(stem, known[stem].keys)]
        for stem in stems
        if stem in known
    }


def _of_answers(data: Dataset, settings: TradeoffSettings, quality: Literal["EU", "EU/best"]) -> TradeoffAnalysis:
    """The models that answered along α, one of them highlighted."""
    gain, rel = settings.usefulness
    k = settings.k or USUAL_K
    points = recorded(data, k, gain, "plugin", rel).some()
    models = answering(points, data.outputs, best=quality == "EU/best")
    place = named("model", settings.model, {name: i for i, name in enumerate(models.names)})
    best = data.outputs if quality == "EU/best" else None
    between = estimates_of(by_model(points)[place], feeding(data), data.qrels, k=k, best=best).estimates
    drawn = models.drawn(place, between)
    by_alpha = only_alphas(drawn[0], MARKED_ALPHAS)
    known = tables(
        TradeoffResults(
            curves=drawn,
            areas=models.areas(place, weights=settings.weights, seed=settings.seed),
            intervals=models.changes(place, test=settings.test, seed=settings.seed),
            factors=models.made_of(place),
            estimates=between,
            spreads=disparity_by_alpha(by_alpha),
            alpha_tests=alpha_tests(by_alpha),
            quality=axis_name(quality),
            test=TEST_NAMES[settings.test],
        )
    )
    return TradeoffAnalysis(tables=known, printed=_printed(known, ("areas", "intervals", "estimates")))


def report_tables(report: Report) -> dict[str, Table]:
    """Every table by the stem of its file."""
    by_alpha = only_alphas(report.curves[0], MARKED_ALPHAS)
    return tables(
        TradeoffResults(
            curves=report.curves,
            areas=report.areas,
            intervals=report.changes,
            factors=report.factors,
            estimates=report.estimates,
            spreads=disparity_by_alpha(by_alpha),
            alpha_tests=alpha_tests(by_alpha),
            quality=report.quality,
            test=TEST_NAMES[report.test],
            scores=report.scores,
            offset=report.offset,
        )
    )


def report_sections(report: Report, known: Mapping[str, Table], *, stem: str) -> list[Section | Play]:
    """Chart, which moves with α, then every table."""
    return [
        _at_every_alpha(report, known["curves"], stem),
        *(
            section_of(known, title, blocks=names)
            for title, names in SECTIONS.items()
            if any(name in known for name in names)
        ),
    ]


def _at_every_alpha(report: Report, points: Table, stem: str) -> Section | Play:
    """The chart at each α of the highlighted curve: what is read off it there, and the point of every policy."""
    view, finding = report.view, report.finding
    alphas: list[float] = sorted({*report.curves[0].alphas.tolist()} & {*view.line.alphas.tolist()})
    if report.point is None or not alphas:
        return Section(finding.title, (finding.sentence,), (_chart(view, report.point, stem),))
    frames: list[Section] = []
    for alpha in alphas:
        point = view.at(alpha)
        read = readings(view, point)
        strip = Table(keyed(*(one.name for one in read)), (tuple(one.value for one in read),))
        blocks = (strip, _chart(view, point, stem), points_at(points, alpha))
        frames.append(Section(finding.title, (finding.sentence, point_words(view, point)), blocks))
    if len(frames) == 1:
        return frames[0]  # nowhere to go
    start = min(range(len(alphas)), key=lambda i: abs(alphas[i] - FIXED_ALPHA))
    return Play(
        name="alpha",
        label="α: 0 is uniform random, 8 almost the deterministic list",
        stops=tuple(f"α = {alpha:g}" for alpha in alphas),
        start=start,
        frames=tuple(frames),
    )


def _chart(view: TradeoffView, point: AlphaPoint | None, stem: str) -> Figure:
    light, dark = in_both_themes(lambda colours: tradeoff_figure(view, colours=colours, point=point))
    return Figure(light, dark, tradeoff_alt(view, point), name=stem)


def settings_words(
    name: str,
    system: str,
    *,
    k: int,
    gain: Gain,
    policy: tuple[ScoreScale, float] | None,
    rel: int = 1,
    seed: int = 0,
    depth: str = "",
) -> str:
    """Data and settings in one sentence; ``policy``: score scale and offset, where scores became policies."""
    who = f"{system}, " if system else ""
    seen = f", offset {policy[1]:g}, scores: {SCALES[policy[0]]}" if policy else ""
    asked = f"k = {k}, {gain_words(gain, rel)}{seen}{depth and f', {depth}'}"
    return f"{name}: {who}{asked}; intervals: {described(seed=seed)}."


# Whom a system is compared with.


class Beside(NamedTuple):
    """Systems that the highlighted one is compared with, and those that are left out, with the reason."""

    names: tuple[str, ...]
    left_out: tuple[LeftOut, ...]


def beside(system: str, runs: Sequence[Run], judgements: Qrels) -> Beside:
    """Runs beside the highlighted one that have queries of these judgements."""
    lost = unjoined([run for run in runs if run.system != system], [judgements])
    apart = {system, *(one.system for one in lost)}
    return Beside(tuple(run.system for run in runs if run.system not in apart), lost)


def samples_along_alpha(samples: Sequence[RankingSample], system: str) -> list[RankingSample]:
    """Samples that were drawn from a run by Plackett–Luce at an α that is recorded."""
    return [
        sample
        for sample in samples
        if sample.alpha is not None
        and sample.policy in (None, "plackett-luce")
        and isinstance(sample.source, Run)
        and sample.source.system == system
    ]


def as_shown(samples: Sequence[RankingSample], scores: ScoreScale, offset: float) -> list[RankingSample]:
    """Those of some samples that were drawn by the policy that is shown."""
    return [one for one in samples if (one.scores, one.offset) == (scores, offset)]


# Today's finding.


def saved(main: Curve, optimal: Curve | None, *, seed: int = 0) -> Saving | None:
    """What the optimal policy saves at the fixed α; None where Plackett–Luce has no point there."""
    if optimal is None:
        return None
    try:
        return disparity_saved(main, optimal, alpha=FIXED_ALPHA, rng=np.random.default_rng(seed))
    except UndefinedError:
        return None


def saving_headline(view: TradeoffView, main: Curve, saving: Saving | None, *, gain: Gain, rel: int = 1) -> Finding:
    """What the optimal policy saves: the same words on every page, in reports, on the start page."""
    drawn = [view.line, *view.references]
    reach = max(
        (float(line.y.max()) for line in drawn if line.policy not in ("oracle", "uniform")),
        default=float("nan"),
    )
    return saving_finding(saving, gain=gain, reach=reach, n_queries=n_defined(main), rel=rel)


def headline(
    view: TradeoffView,
    main: Curve,
    saving: Saving | None,
    areas: CurveAreas,
    *,
    gain: Gain,
    offset: float,
    rel: int = 1,
) -> Finding:
    """The finding of curves that are complete."""
    finding = saving_headline(view, main, saving, gain=gain, rel=rel)
    if offset:
        return finding
    first = areas.rows[0]
    turns = turning_note(view.line.x.tolist(), view.line.alphas.tolist(), first.low, first.high)
    return finding._replace(sentence=f"{finding.sentence} {turns}".strip())


# All of it from files.


def system_report(
    run: Run,
    runs: Sequence[Run],
    samples: Sequence[RankingSample],
    judgements: Qrels,
    *,
    name: str,
    alphas: FloatArray,
    k: int,
    gain: Gain = "graded",
    rel: int = 1,
    scores: ScoreScale = "given",
    offset: float = 1.0,
    weights: SlopeWeights = "spacing",
    test: IntervalTest = "paired",
    seed: int = 0,
    depth: str = "",
) -> Report | Finding:
    """Compute the curves of a run under every policy and what is estimated of them; the reason where there is none.

    Args:
        run: The highlighted one.
        runs: All of them.
        samples: Recorded ones, of which those of this run and policy are points of the chart.
        judgements: What all are measured against.
        name: Of the data.
        alphas: (A) fairness control.
        k: Items that the reader sees.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
        scores: How scores become s̄.
        offset: Of the logits.
        weights: How points count in the slope.
        test: Against the deterministic list.
        seed: Of the bootstrap.
        depth: What is said of lists that were cut to be compared.
    """
    attention = TopK(k)
    pools = {each.system: pool(each, judgements) for each in runs}
    if not pools[run.system].n_retrieved.any():
        return unjoined_finding(run.system)
    curves = partial(
        policy_curves,
        alphas=alphas,
        attention=attention,
        gain=gain,
        rel=rel,
        scores=scores,
        offset=offset,
    )
    main, optimal, oracle, alike, end = curves(run, pools[run.system], policies=("plackett-luce", "optimal", "oracle"))
    if not main.defined.any():
        return undefined_finding()
    others = beside(run.system, runs, judgements).names
    beside_it = [
        curves(each, pools[each.system], policies=("plackett-luce",))[0] for each in runs if each.system in others
    ]
    shown = as_shown(samples_along_alpha(samples, run.system), scores, offset)
    pooled = [pool(one, judgements) for one in shown]
    sampled = [sampled_curve(shown, pooled, attention=attention, gain=gain, rel=rel)] if shown else []
    every = (main, optimal, oracle, alike, end, *sampled, *beside_it)
    areas = compared_areas([main, optimal, *beside_it], rng=np.random.default_rng(seed), weights=weights)
    changes = quality_by_interval(main, end, rng=np.random.default_rng(seed), test=test)
    view = printed_view(every, system=run.system, offset=offset, left_out=areas.left_out)
    view = replace(view, sampled=Line.of(sampled[0])) if sampled else view
    finding = headline(view, main, saved(main, optimal, seed=seed), areas, gain=gain, offset=offset, rel=rel)
    return Report(
        finding,
        settings_words(name, run.system, k=k, gain=gain, rel=rel, policy=(scores, offset), seed=seed, depth=depth),
        view,
        view.at(FIXED_ALPHA),
        every,
        areas,
        changes,
        quality=relevance_measure(attention, gain, rel),
        test=test,
        scores=scores,
        offset=offset,
    )
