"""Systems of each task beside its baseline: areas, differences, intervals of EE-D, points at one α."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from fairviz.display.html import Section, section_of
from fairviz.display.table import Table
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.systems import Judged, at_depth, by_task, feeding, joined, named
from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.model import Dataset, Factors, Note, Qrels, RagOutputs, RankingSample, Run, candidates_words, described
from fairviz.points.conditions import Condition, estimates_of, is_limit, on_curve, output_curves
from fairviz.points.curves import (
    CurveSettings,
    PolicySettings,
    alphas_of,
    policy_curves,
    relevance_measure,
    sampled_curve,
)
from fairviz.points.outputs import Recorded, recorded
from fairviz.points.panels import MOST_PANELS, Curves, Layout, usual_layout
from fairviz.points.view import FACTORS, apart_with_task, kept, said_factors
from fairviz.remembered import remembered
from fairviz.steps import expect, step
from fairviz.studies.compare.charts import drawn, panel_view
from fairviz.studies.compare.columns import tables
from fairviz.studies.compare.findings import compare_finding
from fairviz.studies.compare.grid import GridComparison, TaskComparison, compare_grid
from fairviz.studies.compare.settings import GridSettings
from fairviz.studies.study import Analysis, Chart

SHOWN = ("areas", "differences", "intervals-printed", "above", "correlations", "left-out")
"""Tables that a terminal shows unless one is asked for."""


class Member(NamedTuple):
    """A run by its name, what it is judged by (a place in the data), and what it is made of."""

    system: str
    judgements: int
    factors: Factors


def analyse(data: Dataset, settings: GridSettings) -> Analysis:
    """Areas, differences, intervals and what else is known of each task.

    Args:
        data: Scored runs and judgements, or answers recorded along α.
        settings: Quality, policies, baseline, what is left out.

    Raises:
        UndefinedError: There is no curve.
        UsageError: Two systems have the same factors, or there is no such task.
    """
    settings = replace(settings, quality=settings.quality or ("EU" if data.outputs else "EER"))
    measured, notes = conditions_of(data, settings)
    if settings.quality == "EER":
        notes = [*at_depth(data, settings.depth).notes, *notes]
    if not any(one.curve(settings.side) for one in measured):
        need = "--outputs FILE recorded along alpha"
        missing = f"RUN with --qrels FILE, or {need}" if settings.quality == "EER" else need
        raise UndefinedError(f"no curve of {settings.quality}: {notes[-1].message if notes else f'give {missing}'}")
    by = settings.by or apart_with_task([one.factors for one in measured])
    if unknown := [name for name in by if name not in FACTORS]:
        raise UsageError(f"--by {unknown[0]}: expected some of {', '.join(FACTORS)}")
    told_apart([one.factors for one in measured], by)
    some = included(measured, said_factors(settings.off))
    baseline = settings.pinned_baseline
    grid = compare_grid(some, quality=settings.side, baseline=baseline, at=settings.at, seed=settings.seed)
    if settings.task:
        grid = grid._replace(tasks=(named("task", settings.task, {task.task or "": task for task in grid.tasks}),))
    depth = at_depth(data, settings.depth).words if settings.quality == "EER" else ""
    known = tables(grid, by=by, seed=settings.seed, order=settings.order, depth=depth)
    found = task_findings(grid, by=by)
    charts = _charts(some, grid, settings, by)
    return Analysis(
        findings=tuple(one for one in found if one),
        tables=known,
        charts=charts,
        printed={stem: known[stem].keys for stem in SHOWN if stem in known},
        notes=tuple(notes),
        sections=partial(sections, known, grid, charts, found),
    )


# Conditions.


def conditions_of(data: Dataset, settings: GridSettings) -> tuple[tuple[Condition, ...], list[Note]]:
    """Every condition of the quality, and what could not become one."""
    if settings.quality != "EER":
        of_answers, notes = _estimated(data, settings)
        return of_answers, [*_notes(_recorded(data, settings), data.outputs), *notes]
    if not data.qrels:
        return (), []
    expect(len(members(data, settings.depth)))
    made: list[Condition] = []
    for member in members(data, settings.depth):
        made += of_member(data, settings, member)
        step()
    if not settings.recorded:
        return tuple(made), []
    answers = answered(data, replace(settings, quality="EER-recorded")) if data.outputs else ()
    factors = data.systems or {}
    rankings = (*at_depth(data, settings.depth).data.runs, *data.samples)
    judged = by_task(data.qrels, [*rankings, *data.outputs], factors)
    of_samples, notes = sample_conditions(
        joined(list(rankings), judged)[0],
        factors=factors,
        beside=[*answers, *made],
        measured=PolicySettings(attention=TopK(settings.k), **settings.policies_of),
    )
    return (*answers, *made, *of_samples), notes


@remembered
def members(data: Dataset, depth: str) -> tuple[Member, ...]:
    """Every scored run with each of its judgements."""
    runs, factors = at_depth(data, depth).data.runs, data.systems or {}
    if not runs:
        return ()
    parts = [(place, part) for place in range(len(data.qrels)) for part in _judgements(data, place)]
    places = {id(part): place for place, part in parts}
    found, _ = joined(runs, [part for _, part in parts])
    return tuple(
        Member(one.system, places[id(one.qrels)], run_factors(one.system, factors, one.qrels)) for one in found
    )


@remembered
def _judgements(data: Dataset, place: int) -> tuple[Qrels, ...]:
    """Some judgements, those of several tasks apart."""
    return by_task([data.qrels[place]], [*data.runs, *data.samples, *data.outputs], data.systems or {})


def of_member(data: Dataset, settings: GridSettings, member: Member) -> tuple[Condition, ...]:
    """The conditions of one run, a policy each."""
    of_curves = settings.restricted_to("policy", "alpha", "k", "gain", "rel", "scores", "offset", "depth")
    return _of_member(data, member, of_curves)


@remembered
def _of_member(data: Dataset, member: Member, settings: GridSettings) -> tuple[Condition, ...]:
    run = next(run for run in at_depth(data, settings.depth).data.runs if run.system == member.system)
    curves = CurveSettings(
        policies=settings.policy,
        alphas=alphas_of(data, settings.alpha),
        attention=TopK(settings.k),
        **settings.policies_of,
    )
    judged, _ = joined([run], _judgements(data, member.judgements))
    return tuple(made for one in judged for made in run_conditions(run, one.qrels, member.factors, curves))


def run_conditions(run: Run, judgements: Qrels, factors: Factors, settings: CurveSettings) -> tuple[Condition, ...]:
    """Exact curves of policies made from the scores of a run: a condition per policy.

    Args:
        run: The run.
        judgements: By which it is judged.
        factors: What it is made of.
        settings: Which curves.
    """
    *curves, alike, end = policy_curves(run, pool(run, judgements), settings)
    return tuple(
        Condition(
            factors=factors._replace(policy=curve.policy), curves={"EER": curve}, ends={"EER": end}, uniform=alike
        )
        for curve in curves
    )


SAMPLED = "sampled"
"""Before the name of a policy whose recorded samples stand beside its exact curve."""


def sample_conditions(
    found: Sequence[Judged],
    *,
    factors: Mapping[str, Factors],
    beside: Sequence[Condition],
    measured: PolicySettings,
) -> tuple[list[Condition], list[Note]]:
    """Curves of recorded samples of rankings, a condition per task, retriever and policy; and what is to be known.

    Samples with different judgements, such as of several tasks, are conditions of their own: their queries differ.

    Args:
        found: Rankings with their judgements; the samples among them count.
        factors: What a table says of systems; else the tag of a sample names its policy, α and run.
        beside: Exact curves; a sampled policy among them is called "sampled …".
        measured: What they are measured by.
    """
    notes: list[Note] = []
    groups: dict[tuple[Factors, int], list[tuple[RankingSample, Qrels]]] = {}
    for one in found:
        if not isinstance(one.loaded, RankingSample):
            continue
        sample = described(one.loaded, factors.get(one.system, Factors()))
        if sample.alpha is None:
            notes.append(Note(one.system, None, "left out: no alpha is recorded"))
            continue
        of_labels = _sampled(sample, factors)._replace(generator=one.labels)
        groups.setdefault((of_labels, id(one.qrels)), []).append((sample, one.qrels))
    taken = {condition.factors for condition in beside}
    conditions: list[Condition] = []
    for (said, _), members in groups.items():
        named = said._replace(policy=f"{SAMPLED} {said.policy}") if said in taken else said
        curve = sampled_curve([one for one, _ in members], members[0][1], measured)
        conditions.append(Condition(factors=named, curves={"EER": curve}))
        notes.append(Note(members[0][0].system, None, candidates_words(members[0][0])))
    return conditions, notes


def _sampled(sample: RankingSample, factors: Mapping[str, Factors]) -> Factors:
    """Factors of a recorded sample, but α: the run that it was drawn from is its retriever."""
    source = sample.source.system if isinstance(sample.source, Run) else sample.tag
    said = factors.get(sample.system, Factors()).over(factors.get(source, Factors()))
    own = Factors(retriever=source, policy=sample.policy or "recorded")
    return said.over(own)._replace(policy=said.policy or own.policy, alpha=None, k=None)


def run_factors(system: str, table: Mapping[str, Factors], judgements: Qrels) -> Factors:
    """What a run is made of; without a word of the table it is its own retriever, its generator is who judged it."""
    said = table.get(system, Factors())
    return said._replace(retriever=said.retriever or system, generator=judgements.generator, alpha=None, k=None)


def told_apart(of: Sequence[Factors], by: Sequence[str] = FACTORS) -> None:
    """Refuse two conditions with the same factors: their rows could not be told apart.

    Args:
        of: Factors of all conditions.
        by: Factors that are columns.

    Raises:
        UsageError: Naming the factors of two that are alike.
    """
    seen: dict[tuple[str | None, ...], Factors] = {}
    for factors in of:
        key = tuple(getattr(factors, name) for name in by)
        if key in seen:
            told = ", ".join(f"{name} {value or '–'}" for name, value in zip(by, key, strict=True))
            others = [name for name in FACTORS if getattr(seen[key], name) != getattr(factors, name)] or [
                "a table of systems that names them apart"
            ]
            raise UsageError(f"two systems have {told}: add {others[0]}")
        seen[key] = factors


def _recorded(data: Dataset, settings: GridSettings) -> Recorded:
    gain, rel = settings.usefulness
    return recorded(data, settings.k, gain, "plugin", rel)


def answered(data: Dataset, settings: GridSettings) -> tuple[Condition, ...]:
    """Conditions of recorded answers that have the quality."""
    made = _of_answers(data, settings.restricted_to("quality", "k", "gain", "rel"))
    return tuple(one for one in made if one.curve(settings.side) is not None)


@remembered
def _of_answers(data: Dataset, settings: GridSettings) -> tuple[Condition, ...]:
    along = [one for one in _recorded(data, settings).points if on_curve(one.outputs)]
    best_of = data.outputs if settings.quality == "EU/best" else ()
    return output_curves(along, best_of=best_of, relevance=relevance_measure(TopK(settings.k), *settings.usefulness))


def _estimated(data: Dataset, settings: GridSettings) -> tuple[tuple[Condition, ...], list[Note]]:
    """Conditions of answers with what re-weighting them says at the α of the grid between their own."""
    rankings, grid = [*feeding(data), *data.samples], alphas_of(data, settings.alpha)
    best = data.outputs if settings.quality == "EU/best" else None
    made: list[Condition] = []
    notes: list[Note] = []
    for one in _of_answers(data, settings.restricted_to("quality", "k", "gain", "rel")):
        found = estimates_of(one, rankings, data.qrels, k=settings.k, grid=grid, best=best)
        notes += [Note(one.relevance.system, None, found.said)] if found.said and rankings else []
        made += [replace(one, estimates=found.estimates)] if one.curve(settings.side) is not None else []
    return tuple(made), notes


def _notes(found: Recorded, outputs: Sequence[RagOutputs]) -> list[Note]:
    """Why some outputs are no condition."""
    pairs = zip(outputs, found.pairs, strict=True)
    unclear = [Note(one.system, None, pair.question) for one, pair in pairs if pair.question]
    unordered = [Note(one.system, None, "no alpha is recorded") for one in outputs if not on_curve(one)]
    return [replace(note, message=f"left out: {note.message}") for note in (*unclear, *unordered, *found.failed)]


def included(every: Sequence[Condition], off: Sequence[tuple[str, str | None]]) -> list[Condition]:
    """Those without an excluded value; all where no system would be left."""
    known = {one.factors: one for one in every}
    some = [known[factors] for factors in kept(tuple(known), off)]
    return some if any(not is_limit(one.factors) for one in some) else list(known.values())


# Findings, charts and sections.


def task_findings(grid: GridComparison, *, by: Sequence[str]) -> list[Finding | None]:
    """What the page says at its head, task by task; None where a task has one system, so that nothing is compared."""
    return [
        compare_finding(task, [one for one in grid.tasks if one is not task], by=by, quality=grid.quality)
        if len(task.areas) > 1
        else None
        for task in grid.tasks
    ]


def as_drawn(some: Sequence[Condition], settings: GridSettings, *, with_band: bool = True) -> tuple[Curves, ...]:
    """Conditions as panels draw them."""
    found = (drawn(one, settings.side, with_band=with_band) for one in some)
    return tuple(
        one._replace(
            deterministic=one.deterministic if settings.deterministic else None,
            uniform=one.uniform if settings.uniform else None,
        )
        for one in found
        if one is not None
    )


def chart_name(grid: GridComparison, task: TaskComparison) -> str:
    """What the chart of a task is called."""
    return "panels" if len(grid.tasks) == 1 else f"panels-{task.task or 'no task'}"


def _charts(
    some: Sequence[Condition], grid: GridComparison, settings: GridSettings, by: Sequence[str]
) -> dict[str, Chart]:
    """The panels of each task; of more than anybody can read none: the tables have them."""
    curves = as_drawn(some, settings)
    layout = usual_layout([one.factors for one in curves])
    if settings.rows or settings.columns or settings.colour:
        rows = settings.rows or settings.columns or layout.rows
        layout = Layout(rows, settings.columns if settings.rows else "", settings.colour)
    charts: dict[str, Chart] = {}
    for task in grid.tasks:
        view = panel_view(
            [one for one in curves if (one.factors.task, one.factors.dataset) == (task.task, task.dataset)],
            layout._replace(order=settings.order, baseline=task.baseline),
            task=task,
            quality=grid.quality,
        )
        if view.n_rows * view.n_columns <= MOST_PANELS:
            charts[chart_name(grid, task)] = Chart("compare", "panels", (view, by))
    return charts


def sections(
    known: Mapping[str, Table],
    grid: GridComparison,
    charts: Mapping[str, Chart],
    findings: Sequence[Finding | None],
) -> list[Section]:
    """The panels of each task under what is found on it, then the tables."""
    figures: list[Section] = []
    for task, finding in zip(grid.tasks, findings, strict=True):
        name = chart_name(grid, task)
        if name in charts:
            axes = ", ".join(filter(None, (f"EE-D and {grid.quality}", task.task)))
            title, *said = finding or (axes,)
            figure = charts[name].in_report(f"compare-{task.task or 'systems'}")
            figures.append(section_of(known, title, *said, blocks=[figure]))
    to_read = [stem for stem, table in known.items() if table.audience != "programs" and table.rows]
    return [*figures, section_of(known, f"Tables of EE-D and {grid.quality}", blocks=to_read)]
