"""Systems of each task beside its baseline, as findings, tables and charts; what is compared is :mod:`.grid`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from fairviz.display.html import Section, section_of
from fairviz.display.table import Table
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError
from fairviz.evaluation.systems import named
from fairviz.model import Dataset
from fairviz.points.charts import MOST_PANELS, Curves, PanelLayout, usual_layout
from fairviz.points.conditions import Condition, look_of
from fairviz.points.view import apart_with_task, factors_of_texts
from fairviz.studies.compare.charts import drawn, panel_view
from fairviz.studies.compare.columns import tables
from fairviz.studies.compare.conditions import as_compared, conditions_of, included, references, refuse_alike
from fairviz.studies.compare.findings import choice_finding, compare_finding
from fairviz.studies.compare.grid import GridComparison, TaskComparison, compare_grid
from fairviz.studies.compare.settings import GridSettings
from fairviz.studies.study import Analysis, Chart

SHOWN = ("areas", "differences", "intervals-printed", "above", "correlations", "left-out")
"""Tables that a terminal shows unless one is asked for."""


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
    _, depth, cuts = as_compared(data, settings)
    if not any(condition.curve(settings.side) for condition in measured):
        if measured:
            raise UndefinedError(
                f"no curve of {settings.quality}: it or EE-D is undefined for every query; where no pool has more than "
                f"k = {settings.k} documents, give a smaller k"
            )
        need = "--outputs FILE recorded along alpha"
        missing = f"RUN with --qrels FILE, or {need}" if settings.quality == "EER" else need
        raise UndefinedError(f"no curve of {settings.quality}: {notes[-1].message if notes else f'give {missing}'}")
    by = settings.by or apart_with_task([condition.factors for condition in measured])
    refuse_alike([condition.factors for condition in measured], by)
    some = included(measured, factors_of_texts(settings.off))
    baseline = settings.pinned_baseline
    grid = compare_grid(some, quality=settings.side, baseline=baseline, at=settings.at, seed=settings.seed)
    if settings.task:
        by_task: dict[str, tuple[TaskComparison, ...]] = {}
        for task in grid.tasks:  # a row per data set
            by_task[task.task or ""] = (*by_task.get(task.task or "", ()), task)
        grid = grid._replace(tasks=named("task", settings.task, by_task))
    grid_tables = tables(grid, by=by, seed=settings.seed, order=settings.order, depth=depth)
    findings = task_findings(grid, by=by)
    choices = [choice_finding(task, by=by, quality=grid.quality) for task in grid.tasks]
    charts = _charts(data, some, grid, settings, by)
    return Analysis(
        findings=(*filter(None, findings), *filter(None, choices)),
        tables=grid_tables,
        charts=charts,
        printed={stem: grid_tables[stem].keys for stem in SHOWN if stem in grid_tables},
        notes=(*cuts, *notes),
        sections=partial(sections, grid_tables, grid, charts, findings),
    )


# Findings, charts and sections.


def task_findings(grid: GridComparison, *, by: Sequence[str]) -> list[Finding | None]:
    """What the page says at its head, task by task; None where a task has one system, so that nothing is compared."""
    return [
        compare_finding(task, [other for other in grid.tasks if other is not task], by=by, quality=grid.quality)
        if len(task.areas) > 1
        else None
        for task in grid.tasks
    ]


def as_drawn(
    data: Dataset, some: Sequence[Condition], settings: GridSettings, *, with_band: bool = True
) -> tuple[Curves, ...]:
    """Conditions as panels draw them, in the looks of their systems."""
    curves = (drawn(condition, settings.side, look=look_of(data, condition), with_band=with_band) for condition in some)
    return tuple(
        condition._replace(
            deterministic=condition.deterministic if settings.deterministic else None,
            uniform=condition.uniform if settings.uniform else None,
        )
        for condition in curves
        if condition is not None
    )


def chart_name(grid: GridComparison, task: TaskComparison) -> str:
    """What the chart of a task is called."""
    return "panels" if len(grid.tasks) == 1 else f"panels-{task.task or 'no task'}"


def bounds_of(data: Dataset, settings: GridSettings, task: TaskComparison) -> tuple[Curves, ...]:
    """What is drawn beside the systems of a task for reference: lines alone."""
    drawn_bounds = as_drawn(data, references(data, settings, task.baseline), settings, with_band=False)
    return tuple(bound._replace(deterministic=None, uniform=None, reference=True) for bound in drawn_bounds)


def _charts(
    data: Dataset, some: Sequence[Condition], grid: GridComparison, settings: GridSettings, by: Sequence[str]
) -> dict[str, Chart]:
    """The panels of each task, unless there are more than anybody can read, then all curves in one chart."""
    curves = as_drawn(data, some, settings)
    layout = usual_layout([condition.factors for condition in curves])
    if settings.rows or settings.columns or settings.colour:
        rows = settings.rows or settings.columns or layout.rows
        layout = PanelLayout(rows, settings.columns if settings.rows else "", settings.colour)
    charts: dict[str, Chart] = {}
    for task in grid.tasks:
        view = panel_view(
            [
                condition
                for condition in curves
                if (condition.factors.task, condition.factors.dataset) == (task.task, task.dataset)
            ],
            layout._replace(order=settings.order, baseline=task.baseline),
            task=task,
            quality=grid.quality,
        )
        if view.n_rows * view.n_columns <= MOST_PANELS:
            charts[chart_name(grid, task)] = Chart("compare", "panels", (view, by))
        in_one = view._replace(curves=(*view.curves, *bounds_of(data, settings, task)))
        charts[chart_name(grid, task).replace("panels", "lines")] = Chart("compare", "lines", (in_one, by))
    return charts


def sections(
    grid_tables: Mapping[str, Table],
    grid: GridComparison,
    charts: Mapping[str, Chart],
    findings: Sequence[Finding | None],
) -> list[Section]:
    """The charts of each task under what is found on it, then the tables."""
    figures: list[Section] = []
    for task, finding in zip(grid.tasks, findings, strict=True):
        name = chart_name(grid, task)
        axes = ", ".join(filter(None, (f"EE-D and {grid.quality}", task.task)))
        title, *sentences = finding or (axes,)
        stems = {f"compare-{task.task or 'systems'}": name.replace("panels", "lines")}
        stems |= {f"compare-panels-{task.task or 'systems'}": name} if name in charts else {}
        drawn = [charts[chart].in_report(stem) for stem, chart in stems.items()]
        figures.append(section_of(grid_tables, title, *sentences, blocks=drawn))
    to_read = [stem for stem, table in grid_tables.items() if table.audience != "programs" and table.rows]
    return [*figures, section_of(grid_tables, f"Tables of EE-D and {grid.quality}", blocks=to_read)]
