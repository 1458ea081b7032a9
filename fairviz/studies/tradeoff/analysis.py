"""Curves of one system under every policy, or of one model that answered, and of those beside it; or of every run.

A curve is computed once for command, page and report: each is remembered by what it depends on.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl

from fairviz.display.html import Figure, Play, Section, section_of
from fairviz.display.marks import Band
from fairviz.display.table import Table, keyed
from fairviz.display.theme import in_both_themes
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.coverage import on_common_queries
from fairviz.evaluation.ranges import Measured, by_range, joined_curves
from fairviz.evaluation.rankings import query_notes, tally_short_lists
from fairviz.evaluation.systems import (
    AtDepth,
    Judged,
    LeftOut,
    at_depth,
    feeding,
    joined,
    labelled_apart,
    merged_notes,
    named,
    of_another_task,
    of_task,
    unjoined,
)
from fairviz.evaluation.tables import with_labels
from fairviz.io.notes import NoteBook
from fairviz.io.stored import StoredRun
from fairviz.kernels.exposure import Gain
from fairviz.kernels.pool import pool
from fairviz.model import Curve, Dataset, Factors, Look, Note, Qrels, RankingSample, Run
from fairviz.points.columns import SCALES, gain_words, left_out_words, with_policy
from fairviz.points.conditions import Condition, answering, comparable, compared_at, estimates_of, look_of
from fairviz.points.curves import (
    FIXED_ALPHA,
    POLICIES,
    CurveSettings,
    alphas_of,
    oracle_ends,
    policy_curves,
    sampled_curve,
    with_scores,
)
from fairviz.points.estimates import Estimates, estimated_points
from fairviz.points.exact import axes_of, exact_curve, judging_run, pools_seen
from fairviz.points.intervals import (
    NO_INTERVALS,
    alpha_tests,
    disparity_by_alpha,
    models_above_baseline,
    quality_by_interval,
)
from fairviz.points.outputs import recorded
from fairviz.points.summary import CurveAreas, Saving, band, compared_areas, disparity_saved
from fairviz.points.view import AlphaPoint, Line, TradeoffView
from fairviz.remembered import remembered
from fairviz.stats.bootstrap import described
from fairviz.stats.correlation import Correlation, quality_correlation
from fairviz.studies.shared import AlongAlpha
from fairviz.studies.study import Analysis, Chart
from fairviz.studies.tradeoff.charts import MARKED_ALPHAS, tradeoff_alt, tradeoff_figure
from fairviz.studies.tradeoff.columns import (
    alpha_tests_table,
    estimates_table,
    intervals_table,
    points_at,
    points_table,
    spreads_table,
    summary_table,
)
from fairviz.studies.tradeoff.findings import (
    point_words,
    readings,
    saving_finding,
    turning_note,
    undefined_finding,
    unjoined_finding,
    utility_finding,
)
from fairviz.studies.tradeoff.settings import TEST_NAMES, TradeoffSettings

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
    "labels",
)
"""Columns of the areas that a terminal has room for."""
DRAWN = ("optimal", "oracle", "uniform", "deterministic", "sampled")
"""Policies that are drawn beside the main one of the highlighted system."""
SECTIONS = {
    "Areas and slopes": ("areas",),
    "Against the deterministic list": ("intervals",),
    "EE-D by α": ("spreads", "alpha-tests"),
    "Between the recorded α": ("estimates",),
    "Points": ("curves",),
}
"""Sections of a report with their tables."""


@dataclass(frozen=True, kw_only=True)
class TradeoffAnalysis(Analysis):
    """Curves and what is estimated from them.

    Attributes:
        headline: What is found, or why there is nothing.
        lead: Data, k and settings.
        view: The chart.
        curves: Every curve and the points on it from which areas are read, the highlighted curve first.
        areas: AUC and slope.
        changes: Quality by interval of EE-D, see :func:`quality_by_interval`; empty without a deterministic list.
    """

    headline: Finding
    lead: str
    view: TradeoffView
    curves: Sequence[Curve]
    areas: CurveAreas
    changes: pl.DataFrame


@dataclass(frozen=True, kw_only=True)
class AnswersAnalysis(TradeoffAnalysis):
    """What the study finds of a model's recorded answers.

    Attributes:
        model: The highlighted one.
        between: What they say between the α at which they were recorded, and what they do not.
        above: Models of its task above their own deterministic list, per interval; empty where it is the only one.
        correlation: EE-R against EU of its (query, α) points.
    """

    model: Condition
    between: tuple[Estimates | None, str]
    above: pl.DataFrame
    correlation: Correlation


def analyse(data: Dataset, settings: TradeoffSettings) -> Analysis:
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
    settings = replace(settings, quality=quality)
    if quality != "EER":
        recorded(data, settings.n_seen, *settings.usefulness).refuse_none()
        made, notes = of_answers(data, settings), as_compared(data, settings).notes
        return replace(made, printed=_printed(made.tables, ("areas", "intervals", "estimates")), notes=notes)
    if not data.qrels:
        raise UndefinedError("curves of runs need judgements: give --qrels FILE")
    if not data.runs:
        raise UndefinedError("curves are made from the scores of runs, and there are none in these files")
    stored = any(isinstance(run, StoredRun) for run in data.runs)
    if stored or settings.policy or settings.samples or settings.attention != "topk":
        return _of_every_run(data, settings)
    cut, _, notes = as_compared(data, settings)
    settings = replace(settings, system=named("system", settings.system, {run.system: run for run in cut.runs}).system)
    made = of_system(data, settings)
    if not made.curves[0].defined.any():
        raise UndefinedError(f"{made.headline.title}: {made.headline.sentence}")
    return replace(
        made,
        findings=(made.headline,),
        printed=_printed(made.tables, ("areas", "intervals")),
        notes=(
            *notes,
            *_list_notes(data, settings),
            *of_another_task(cut.runs, of_task(settings.system, cut.runs, cut.systems or {})),
        ),
        sections=partial(report_sections, made, stem="fairviz-curves"),
    )


def _list_notes(data: Dataset, settings: TradeoffSettings) -> list[Note]:
    """What is to be known of the queries and lists of the highlighted run and of those beside it."""
    notes: list[Note] = []
    names = (settings.system, *comparable_runs(data, settings)[0])
    for run in (run for run in as_compared(data, settings).data.runs if run.system in names):
        book = NoteBook(run.system)
        tally_short_lists(book, run, pools_seen(data, settings.seen(run.system)), settings.n_seen)
        notes += [*query_notes(run, judging_run(data, run, settings.judgements)[0]), *book.collected]
    return notes


def _printed(tables: Mapping[str, Table], stems: Sequence[str]) -> dict[str, Sequence[str]]:
    """Tables of a terminal, which has no room for every column of the areas."""
    return {
        stem: [key for key in tables[stem].keys if stem != "areas" or key in SUMMARY]
        for stem in stems
        if stem in tables
    }


# Each run by each of its judgements, under the policies that are asked for.


def _of_every_run(data: Dataset, settings: TradeoffSettings) -> Analysis:
    """Curves of each run, and AUC and slope of those that α moves, but of the oracle, which is no system."""
    data, _, cut = as_compared(data, settings)
    made = CurveSettings(
        policies=tuple(name for name in POLICIES if {name, "all"} & {*settings.policy}) or POLICIES[:1],
        alphas=alphas_of(data, settings.alpha),
        attention=settings.browsing(),
        samples=settings.samples,
        seed=settings.seed,
        **settings.policies_of,
    )
    rankings = (*data.runs, *data.samples)
    among, without = joined(rankings, data.qrels)
    common = {id(labels): on_common_queries(labels, rankings) for labels in data.qrels}
    runs = [with_scores(judged_system.ranked, judged_system.name) for judged_system in among]
    notes = merged_notes(lost.note for lost in without)
    curves: list[Curve] = []
    for run, judged in zip(runs, among, strict=True):
        made_of, book, read = curves_of_run(run, common[id(judged.qrels)], made=made, shown=settings.shown)
        curves += made_of
        query_warnings = (*query_notes(run, judged.qrels), *book.collected)
        notes += [*read, *(_of_labels(note, judged) for note in query_warnings)]
    lines = [curve for curve in curves if curve.policy in POLICIES and curve.policy != "oracle"]
    areas = compared_areas(lines, rng=np.random.default_rng(settings.seed))
    narrow = [judged for judged in among if judged.name in areas.left_out]
    notes += [_of_labels(Note(each.name, None, left_out_words([each.system])), each) for each in narrow]
    tables = {"curves": points_table(curves), "areas": summary_table(areas, quality=made.quality)}
    named_tables = _made_by({stem: with_labels(table, among) for stem, table in tables.items()}, settings)
    charts: dict[str, Chart] = {}
    with suppress(UndefinedError):  # no query of the system has a point
        chosen = _highlighted(among, settings.system, settings.labels_of)
        apart = labelled_apart(among)
        shown = {each.name: each.system for each in among if each.name not in apart or each.labels == chosen.labels}
        drawn = [replace(curve, system=shown[curve.system]) for curve in curves if curve.system in shown]
        left_out = tuple(shown.get(name, name) for name in areas.left_out)
        view = view_of(drawn, system=chosen.system, offset=settings.offset, looks=data.look_of, left_out=left_out)
        charts = {"tradeoff": Chart("tradeoff", "tradeoff", (view,))}
    return Analysis(
        tables=named_tables, charts=charts, printed=_printed(named_tables, ("curves", "areas")), notes=(*cut, *notes)
    )


def curves_of_run(run: Run, qrels: Qrels | None, *, made: CurveSettings, shown: int | None) -> Measured[list[Curve]]:
    """The curves of a run under some policies; those of a stored run are computed range by range.

    Args:
        run: A scored run.
        qrels: Its judgements.
        made: How its curves are made.
        shown: Documents shown, or where attention is cut.

    Raises:
        UsageError: A policy of a stored run depends on all queries at once, or on the order in which they are drawn.
    """
    if not isinstance(run, StoredRun):
        pools, book = pool(run, qrels), NoteBook(run.system)
        tally_short_lists(book, run, pools, shown)
        return Measured(policy_curves(run, pools, made), book)
    if made.samples or made.policies != POLICIES[:1]:
        raise UsageError(
            f"{run.file} is read range by range, which exact plackett-luce alone allows: leave out --samples "
            "and other policies, or give a part of the run that fits into memory"
        )
    parts, book, read = by_range(run, qrels, partial(curves_of_run, made=made, shown=shown))
    return Measured(joined_curves(parts, run.query_ids if qrels is None else qrels.query_ids), book, read)


def _of_labels(note: Note, judged: Judged) -> Note:
    """A note on a system as it was given: whose labels it was is no part of its name."""
    if judged.name == judged.system:
        return note
    return replace(note, file=judged.system, message=f"labels of {judged.qrels.generator}: {note.message}")


def _highlighted(judged: Sequence[Judged], system: str, labels: str) -> Judged:
    """Whose policies the figure draws, and by whose labels: the first where nobody is named.

    Raises:
        UsageError: There is no such system, or no such labels of it.
    """
    systems = list(dict.fromkeys(judged_system.system for judged_system in judged))
    if system and system not in systems:
        raise UsageError(f"--system {system}: expected one of {', '.join(systems)}")
    of_system = [judged_system for judged_system in judged if system in ("", judged_system.system)]
    owners = list(dict.fromkeys(each.labels for each in of_system if each.labels is not None))
    if labels and labels not in owners:
        hint = f"expected one of {', '.join(owners)}" if owners else "the judgements name no generator"
        raise UsageError(f"--labels-of {labels}: {hint}")
    return next(judged_system for judged_system in of_system if labels in ("", judged_system.labels))


# The curves of one system and of those beside it.


@remembered
def _comparable_runs(
    data: Dataset, depth: str, system: str, judgements: int
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    runs = of_task(system, at_depth(data, depth).data.runs, data.systems or {})
    (own,) = (run for run in runs if run.system == system)
    beside = [run for run in runs if run is not own]
    lost = unjoined(beside, judging_run(data, own, judgements)[:1])
    apart = {omission.system for omission in lost}
    return tuple(run.system for run in beside if run.system not in apart), lost


def comparable_runs(data: Dataset, settings: TradeoffSettings) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Names of the runs beside the highlighted one that have queries of its judgements, and those that have none."""
    return _comparable_runs(data, settings.depth, settings.system, settings.judgements)


def fine_curve(data: Dataset, settings: TradeoffSettings) -> Curve:
    """Plackett–Luce of the highlighted system, on which α moves: twice as fine as the grid."""
    seen = settings.seen()
    return exact_curve(data, seen).run_on(exact_curve(data, seen, between=True)).rising()


def samples_of(data: Dataset, settings: TradeoffSettings, *, shown: bool = True) -> list[RankingSample]:
    """Samples drawn from the highlighted run by Plackett–Luce at an α that is recorded.

    Args:
        data: The data.
        settings: Whose samples.
        shown: Those of the scores and offset that are shown, or those of others.
    """
    return [
        sample
        for sample in at_depth(data, settings.depth).data.samples
        if sample.alpha is not None
        and sample.policy in (None, "plackett-luce")
        and isinstance(sample.source, Run)
        and sample.source.system == settings.system
        and ((sample.scores, sample.offset) == (settings.scores, settings.offset)) is shown
    ]


@remembered
def system_curves(
    data: Dataset, settings: TradeoffSettings, n_known: int | None = None, fine: bool = False
) -> tuple[TradeoffView, tuple[Curve, ...]]:
    """The curves of the highlighted run under every policy, and of the others of its task under Plackett–Luce.

    Args:
        data: Runs, their samples and judgements.
        settings: Of the curves, with the run's name.
        n_known: How many are known already: Plackett–Luce, the optimal policy, the oracle, then other runs; None: all.
        fine: Draw the highlighted curve at every α of the slider, and the oracle limit beyond it.

    Returns:
        The chart, and all curves that are known, the highlighted Plackett–Luce first, on the grid from which everything
        is estimated.
    """
    seen = settings.seen()
    moved = [exact_curve(data, seen, policy) for policy in POLICIES[:n_known]]
    names, _ = comparable_runs(data, settings)
    beside = names if n_known is None else names[: max(n_known - len(POLICIES), 0)]
    others = [exact_curve(data, settings.seen(name)) for name in beside]
    main, end = moved[0], exact_curve(data, seen, "deterministic")
    samples, run = samples_of(data, settings), next(run for run in data.runs if run.system == main.system)
    judged = judging_run(data, run, settings.judgements)[0]
    sampled = [sampled_curve(samples, judged, seen.settings())] if samples else []
    every = (*moved, exact_curve(data, seen, "uniform"), end, *sampled, *others)
    drawn = every
    if fine:
        line = fine_curve(data, settings)
        ends = oracle_ends(axes_of(data, seen), line)
        drawn = (line, *(curve.run_on(ends) if curve.policy == "oracle" else curve for curve in every[1:]))
    view = view_of(drawn, system=main.system, offset=settings.offset, looks=data.look_of, with_band=False)
    return view, every


@remembered
def of_system(data: Dataset, settings: TradeoffSettings, fine: bool = False) -> TradeoffAnalysis:
    """The highlighted run under every policy, the others of its task under Plackett–Luce.

    Args:
        data: Runs, their samples and judgements.
        settings: With the run's name.
        fine: As a page shows it: at every α of the slider.
    """
    view, every = system_curves(data, settings, None, fine)
    main, optimal, _, _, end = every[:5]
    others = [curve for curve in every[5:] if curve.policy != "sampled"]
    areas = compared_areas([main, optimal, *others], rng=_rng(settings), weights=settings.slope)
    changes = quality_by_interval(main, end, rng=_rng(settings), test=settings.test)
    shown = [curve for curve in every if curve.policy != "sampled"]
    made = TradeoffAnalysis(
        headline=_headline(data, settings, view, every[0], areas),
        lead=_lead(data, settings),
        view=replace(view, band=chart_band(main, end if settings.offset else None), left_out=areas.left_out),
        curves=every,
        areas=areas,
        changes=changes,
        tables=_tables(every, areas, changes, settings),
    )
    if not main.defined.any():
        return made
    printed = view_of(shown, system=main.system, offset=settings.offset, looks=data.look_of)
    return replace(made, charts={"tradeoff": Chart("tradeoff", "tradeoff", (printed,))})


def _tables(
    curves: Sequence[Curve],
    areas: CurveAreas,
    changes: pl.DataFrame,
    settings: TradeoffSettings,
    *,
    factors: Mapping[str, Factors] | None = None,
    estimates: Estimates | None = None,
) -> dict[str, Table]:
    few, made_of, quality = curves[0].only(MARKED_ALPHAS), factors or {}, settings.quality_name
    tables = {
        "curves": points_table(curves, made_of),
        "areas": summary_table(areas, quality=quality, factors=made_of),
        "intervals": intervals_table(changes, quality=quality, test=TEST_NAMES[settings.test]),
        "spreads": spreads_table(disparity_by_alpha(few)),
        "alpha-tests": alpha_tests_table(alpha_tests(few)),
    }
    return _made_by(tables | ({"estimates": estimates_table(estimates)} if estimates else {}), settings)


def _made_by(tables: Mapping[str, Table], settings: TradeoffSettings) -> dict[str, Table]:
    """The tables with how scores became a policy, where it is not as in the published code."""
    return {stem: with_policy(table, settings.scores, settings.offset) for stem, table in tables.items()}


def _rng(settings: TradeoffSettings) -> np.random.Generator:
    """A generator that every interval starts anew, whatever was drawn before."""
    return np.random.default_rng(settings.seed)


def _lead(data: Dataset, settings: TradeoffSettings) -> str:
    of_runs = settings.quality == "EER"
    depth = as_compared(data, settings).words
    k, seed = settings.n_seen, settings.seed
    return settings_words(data.name, settings.system, settings, k=k, seed=seed, depth=depth, of_runs=of_runs)


def as_compared(data: Dataset, settings: TradeoffSettings) -> AtDepth:
    """The data as the curves read them."""
    answers = None if settings.quality == "EER" else recorded(data, settings.n_seen, *settings.usefulness)
    return compared_at(data, settings.depth, answers)


def settings_words(
    name: str, system: str, settings: AlongAlpha, *, k: int, seed: int, depth: str, of_runs: bool
) -> str:
    """Data and settings in one sentence; ``of_runs``: scores became policies."""
    who = f"{system}, " if system else ""
    seen = f", offset {settings.offset:g}, scores: {SCALES[settings.scores]}" if of_runs else ""
    words = f"k = {k}, {gain_words(*settings.usefulness)}{seen}{depth and f', {depth}'}"
    return f"{name}: {who}{words}; intervals: {described(seed=seed)}."


# The chart.


def view_of(
    curves: Sequence[Curve],
    *,
    system: str,
    offset: float,
    looks: Callable[[str], Look],
    left_out: tuple[str, ...] = (),
    with_band: bool = True,
) -> TradeoffView:
    """The curves of one system with all its policies, its band, and the others in grey.

    Args:
        curves: Measured on one grid of α; policies as :func:`policy_curves` names them.
        system: The highlighted one.
        offset: Of the logits: with 0 the line does not run on to the deterministic list.
        looks: The look of a system by its name, see :meth:`~fairviz.model.Dataset.look_of`.
        left_out: Systems without an area.
        with_band: Whether the band is estimated, which needs a point.

    Raises:
        UndefinedError: No query of the system has a point.
    """
    own = {curve.policy: curve for curve in curves if curve.system == system}
    main = next((own[policy] for policy in POLICIES if policy in own), None)
    if main is None or (with_band and not main.defined.any()):
        raise UndefinedError(f"{system}: no point of a curve to draw")
    end = own.get("deterministic") if offset else None
    policies = {policy: Line.of(own[policy]) for policy in DRAWN if policy in own and policy != main.policy}
    if "optimal" in policies and end is not None:
        policies["optimal"] = Line.of(own["optimal"].run_on(end))
    if "oracle" in policies:
        policies["oracle"] = policies["oracle"].by_x()
    return TradeoffView(
        lines=[
            Line.of(main),
            *(Line.of(curve) for curve in curves if curve.system != system and curve.policy == main.policy),
        ],
        system=system,
        policies=policies,
        band=chart_band(main, end) if with_band else None,
        looks={curve.system: looks(curve.system) for curve in curves},
        left_out=left_out,
        joined=offset > 0,
        exact=main.n_samples is None,
    )


def chart_band(main: Curve, end: Curve | None = None) -> Band | None:
    """The 95 % band of a curve, run on to its end, for the chart; None where too few queries have a value."""
    return band(main if end is None else main.run_on(end), rng=np.random.default_rng(0))


# Today's finding.


@remembered
def saving_of(data: Dataset, settings: TradeoffSettings) -> Saving | None:
    """What the optimal policy saves at the fixed α; None where Plackett–Luce has no point there."""
    main, optimal = (exact_curve(data, settings.seen(), policy) for policy in POLICIES[:2])
    with suppress(UndefinedError):
        return disparity_saved(main, optimal, alpha=FIXED_ALPHA, rng=_rng(settings))
    return None


def saving_headline(data: Dataset, settings: TradeoffSettings, view: TradeoffView, main: Curve) -> Finding:
    """What the optimal policy saves: the same words on every page, in reports, on the start page."""
    drawn = [view.line, *view.references]
    heights = (float(line.y.max()) for line in drawn if line.policy not in ("oracle", "uniform"))
    gain, rel = settings.usefulness
    reach, n_queries = max(heights, default=float("nan")), main.n_defined
    return saving_finding(saving_of(data, settings), gain=gain, reach=reach, n_queries=n_queries, rel=rel)


def _headline(data: Dataset, settings: TradeoffSettings, view: TradeoffView, main: Curve, areas: CurveAreas) -> Finding:
    if not pools_seen(data, settings.seen()).n_retrieved.any():
        return unjoined_finding(settings.system)
    if not main.defined.any():
        return undefined_finding()
    finding = saving_headline(data, settings, view, main)
    if settings.offset:
        return finding
    line, (low, high) = view.line, areas.rows.select("range_low", "range_high").row(0)
    turns = turning_note(line.x.tolist(), line.alphas.tolist(), low, high)
    return finding._replace(sentence=f"{finding.sentence} {turns}".strip())


# Models that answered along α.


def models_of(data: Dataset, settings: TradeoffSettings) -> tuple[Condition, ...]:
    """The recorded answers along α, model by model."""
    return _models(data, settings.n_seen, *settings.usefulness, settings.quality == "EU/best")


@remembered
def _models(data: Dataset, k: int, gain: Gain, rel: int, best: bool) -> tuple[Condition, ...]:
    return answering(recorded(data, k, gain, rel).points, data.outputs, best=best)


@remembered
def of_answers(data: Dataset, settings: TradeoffSettings) -> AnswersAnalysis:
    """The models that answered along α, one of them highlighted; ``settings.quality`` is one of answers."""
    models, k = models_of(data, settings), settings.n_seen
    model = named("model", settings.model, {condition.name: condition for condition in models})
    beside_it, best = comparable(models, model), settings.quality == "EU/best"
    estimates, omission = estimates_of(model, data.outputs, feeding(data), data.qrels, k=k, best=best)
    curve, end = model.answered, model.ends.get("EU")
    drawn = [
        each for condition in beside_it for each in (condition.answered, condition.ends.get("EU")) if each is not None
    ]
    drawn += [replace(estimates.curve(), system=curve.system)] if estimates else []
    areas = compared_areas([condition.answered for condition in beside_it], rng=_rng(settings), weights=settings.slope)
    changes = [
        quality_by_interval(condition.answered, condition.ends["EU"], rng=_rng(settings), test=settings.test)
        for condition in beside_it
        if "EU" in condition.ends
    ]
    own = changes[0] if end is not None else NO_INTERVALS
    settings = replace(settings, scores="given", offset=1)
    view = TradeoffView(
        lines=[Line.of(condition.answered) for condition in beside_it],
        system=curve.system,
        policies={} if end is None else {"deterministic": Line.of(end)},
        estimated=estimated_points(estimates, system=curve.system, seed=settings.seed) if estimates else None,
        band=chart_band(model.full_curve),
        looks={condition.answered.system: look_of(data, condition) for condition in beside_it},
        left_out=areas.left_out,
        joined=end is not None,
        exact=False,
    )
    finding = utility_finding(own, quality=settings.quality_name, n_queries=curve.n_defined)
    made_of = {condition.answered.system: condition.factors for condition in beside_it}
    return AnswersAnalysis(
        headline=finding if curve.defined.any() else undefined_finding(),
        lead=_lead(data, settings),
        view=view,
        curves=drawn,
        areas=areas,
        changes=own,
        between=(estimates, omission),
        model=model,
        above=models_above_baseline(pl.concat(changes or [NO_INTERVALS]) if len(beside_it) > 1 else NO_INTERVALS),
        correlation=quality_correlation(model.relevance.quality, curve.quality, rng=_rng(settings)),
        tables=_tables(drawn, areas, own, settings, factors=made_of, estimates=estimates),
    )


# Sections of a report.


def report_sections(made: TradeoffAnalysis, *, stem: str) -> list[Section | Play]:
    """Chart, which moves with α, then every table."""
    sections = [
        section_of(made.tables, title, blocks=names)
        for title, names in SECTIONS.items()
        if any(name in made.tables for name in names)
    ]
    return [_at_every_alpha(made, stem), *sections]


def _at_every_alpha(made: TradeoffAnalysis, stem: str) -> Section | Play:
    """The chart at each α of the highlighted curve: what is read off it there, and the point of every policy."""
    view, finding = made.view, made.headline
    alphas: list[float] = sorted({*made.curves[0].alphas.tolist()} & {*view.line.alphas.tolist()})
    if isinstance(made, AnswersAnalysis) or not alphas:
        return Section(finding.title, (finding.sentence,), (_chart(view, None, stem),))
    frames: list[Section] = []
    for alpha in alphas:
        point = view.at(alpha)
        read = readings(view, point)
        strip = Table(keyed(*(name for _, name, _ in read)), (tuple(value for value, _, _ in read),))
        blocks = (strip, _chart(view, point, stem), points_at(made.tables["curves"], alpha))
        frames.append(Section(finding.title, (finding.sentence, point_words(view, point)), blocks))
    if len(frames) == 1:
        return frames[0]  # nowhere to go
    return Play(
        name="alpha",
        label="α: 0 is uniform random, 8 almost the deterministic list",
        stops=tuple(f"α = {alpha:g}" for alpha in alphas),
        start=min(range(len(alphas)), key=lambda i: abs(alphas[i] - FIXED_ALPHA)),
        frames=tuple(frames),
    )


def _chart(view: TradeoffView, point: AlphaPoint | None, stem: str) -> Figure:
    light, dark = in_both_themes(lambda colours: tradeoff_figure(view, colours=colours, point=point))
    return Figure(light, dark, tradeoff_alt(view, point), name=stem)
