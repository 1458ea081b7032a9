"""What a report says of a grid: the panels of each task, then every table."""

from collections.abc import Mapping, Sequence

from fairviz.display.html import Figure, Section, section_of
from fairviz.display.table import Table
from fairviz.display.theme import in_both_themes
from fairviz.display.words import Finding
from fairviz.model import Factors
from fairviz.points.figures_panels import panels_alt, panels_figure
from fairviz.points.view import MOST_PANELS, Curves, Order
from fairviz.studies.compare.findings import compare_finding
from fairviz.studies.compare.grid import GridComparison
from fairviz.studies.compare.panels import panel_view


def task_findings(grid: GridComparison, *, by: Sequence[str]) -> list[Finding | None]:
    """What the page says at its head, task by task; None where a task has one system, so that nothing is compared."""
    return [
        compare_finding(task, [one for one in grid.tasks if one is not task], by=by, quality=grid.quality)
        if len(task.areas) > 1
        else None
        for task in grid.tasks
    ]


def report_sections(
    known: Mapping[str, Table],
    grid: GridComparison,
    curves: Sequence[Curves],
    *,
    by: Sequence[str],
    layout: tuple[str, str, str],
    order: Order = "files",
    pinned: Factors | None = None,
    findings: Sequence[Finding | None] = (),
) -> list[Section]:
    """The panels of each task under what is found on it, then the tables.

    Args:
        known: Tables of the grid by stem.
        grid: The comparison.
        curves: Conditions as they are drawn.
        by: Factors that tell systems apart.
        layout: Factors for rows, columns and colour; empty = none.
        order: Of rows and columns.
        pinned: The marked condition.
        findings: Heads of the tasks, in their order; where there is none, the axes and the task are named.
    """
    rows, columns, colour = layout
    figures: list[Section] = []
    heads = findings or [None] * len(grid.tasks)
    for task, finding in zip(grid.tasks, heads, strict=True):
        view = panel_view(
            [one for one in curves if one.factors.task == task.task and one.factors.dataset == task.dataset],
            rows=rows,
            columns=columns,
            colour=colour,
            task=task,
            baseline=task.baseline,
            pinned=pinned,
            quality=grid.quality,
            order=order,
        )
        if view.n_rows * view.n_columns > MOST_PANELS:
            continue  # more than anybody can read: the tables have them
        light, dark = in_both_themes(lambda palette, view=view: panels_figure(view, by=by, colours=palette))
        chart = Figure(light, dark, panels_alt(view, by=by), name=f"fairviz-compare-{task.task or 'systems'}")
        axes = ", ".join(filter(None, (f"EE-D and {grid.quality}", task.task)))
        title, *said = finding or (axes,)
        figures.append(section_of(known, title, *said, blocks=[chart]))
    to_read = [stem for stem, table in known.items() if table.audience != "programs" and table.rows]
    return [*figures, section_of(known, f"Tables of EE-D and {grid.quality}", blocks=to_read)]
