"""Sections of the Compare page: panels, forest, areas and slopes, intervals, and what is folded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from fairviz.display.html import html_text
from fairviz.display.table import Table, csv_text
from fairviz.display.theme import axis_name, plotly_script
from fairviz.display.words import MINUS, Finding, capital, considered, count_word, interval, number, plural
from fairviz.model import Dataset, Factors
from fairviz.points.conditions import is_limit
from fairviz.points.figures_panels import panels_figure
from fairviz.points.panels import MOST_PANELS, Curves, PanelView, heads
from fairviz.points.view import kept, system_name, value_name
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.compare.analysis import analyse
from fairviz.studies.compare.charts import panel_view
from fairviz.studies.compare.columns import tables
from fairviz.studies.compare.findings import (
    forest_sentence,
    forest_title,
    gained,
    interval_counts,
    interval_title,
    missing_words,
    noun,
    panels_title,
    task_counts,
)
from fairviz.studies.compare.grid import GridComparison, Quantity, TaskComparison
from fairviz.studies.compare.settings import GridSettings
from pages._compare.results import QUALITIES, curves_of, depth_words, drawn_after
from pages._kit import Figure, colours, counts_line, rule, section
from pages._kit.commands import study_command, study_files
from pages._kit.downloads import download, download_row
from pages._kit.html import Cell, Column, Html, Row, el, html_table, join, muted, page_table
from pages._kit.link import name_mark
from pages._kit.panels import TALL, Look, forest, pin_chosen, show_panels

BESIDE = 4
"""Columns of areas at most that stand beside the differences; more get the whole width, below them."""


def registry(loaded: Dataset, of: GridSettings, grid: GridComparison, view: Look) -> dict[str, Table]:
    """Every table of the task that is looked at."""
    of_task = tuple(one for one in grid.tasks if one.task == view.task)
    return tables(grid._replace(tasks=of_task), by=view.by, order=view.order, depth=depth_words(loaded, of))


def names_of(row: Row, view: Look) -> str:
    """The system of a table's row."""
    return system_name(Factors()._replace(**{name: str(row[name]) or None for name in view.by}), view.by)


# Panels.


def panels(loaded: Dataset, of: GridSettings, view: Look, wanted: Sequence[Factors], task: TaskComparison) -> None:
    """One panel per system."""
    laid = _laid(view, wanted, curves_of(loaded, of), task)
    show_panels(
        laid,
        by=view.by,
        key="compare",
        title=panels_title(task, rows=view.rows, columns=view.columns, by=view.by),
        words=lambda drawn: _key_words(of, view, drawn),
        command=partial(study_command, loaded, "grid", laid_out(of, view)),
        on_select=partial(pin_chosen, "compare"),
    )


def panels_after(
    loaded: Dataset, of: GridSettings, view: Look, wanted: Sequence[Factors], n_steps: int
) -> Figure | None:
    """The panels of the systems that are there after so many steps; None where there are too many to be read."""
    laid = _laid(view, wanted, drawn_after(loaded, of, n_steps), None)
    if laid.n_rows * laid.n_columns > MOST_PANELS:
        return None
    return panels_figure(laid, by=view.by, colours=colours())


def _laid(view: Look, wanted: Sequence[Factors], known: Sequence[Curves], task: TaskComparison | None) -> PanelView:
    of_task = [factors for factors in kept(wanted, view.off) if factors.task == view.task]
    every = [factors for factors in of_task if not is_limit(factors)]
    shown = [one for one in known if one.factors in of_task]
    quality = shown[0].line.y_measure if shown else ""
    layout = view.layout._replace(baseline=task.baseline) if task else view.layout
    return panel_view(shown, layout, planned=every, task=task, quality=quality)


def laid_out(of: GridSettings, view: Look) -> GridSettings:
    """The settings with the layout of the chart."""
    return replace(of, rows=view.rows, columns=view.columns, colour=view.colour)


def _key_words(of: GridSettings, view: Look, laid: PanelView) -> str:
    hue = f"Colours: {view.colour}" if view.colour else "Blue: this system, 95 % band over queries"
    parts = [
        hue,
        "dashed: baseline, black in its own panel" if not view.colour else "dashed: baseline",
        "grey: the others",
        *(["dotted: oracle limit, in no count or test"] if any(is_limit(one.factors) for one in laid.curves) else []),
        *(["pinned: solid black in every panel"] if laid.layout.pinned else []),
    ]
    if any(one.deterministic is not None for one in laid.curves):
        parts.append("■ deterministic list, in no area")
    if any(one.uniform is not None for one in laid.curves):
        parts.append("□ uniform")
    return "; ".join(parts) + ". Corner: average quality, and difference from the baseline (bold = significant)."


# Differences and areas.


def differences(
    of: GridSettings, task: TaskComparison, known: Mapping[str, Table], view: Look, quantity: Quantity
) -> None:
    """What each system has more or less of than the baseline, the largest difference first."""
    shown = task.of(quantity) or task.differences[0]
    table = known[shown.stem]
    section(forest_title(shown, task.baseline, by=view.by), forest_sentence(shown, task.baseline, by=view.by))
    if not table.rows:
        counts_line("There is nothing to compare the baseline with: include, or load, another system.")
        return
    forest(
        table,
        key="forest_whole",
        name=lambda row: _named(names_of(row, view), view),
        label=table.headings[table.keys.index("difference")],
        pinned=[i for i, factors in enumerate(shown.rows) if factors == view.pinned],
    )
    for words in missing_words(shown, by=view.by):
        counts_line(words)
    for factors, reason in task.left_out.items() if quantity == "AUC" else ():
        counts_line(f"Left out: {system_name(factors, view.by)} {reason}.")
    _table_files(replace(of, at=shown.alpha), known, shown.stem, shown.stem)


def _named(name: str, view: Look) -> Html:
    pinned = view.pinned is not None and name == system_name(view.pinned, view.by)
    return el("span", name, cls="fv-pinned-row" if pinned else "")


def areas(of: GridSettings, task: TaskComparison, known: Mapping[str, Table], view: Look) -> None:
    """AUC and slope with their intervals: rows × columns, or a row per system."""
    section("AUC and slope, with intervals", "95 % bootstrap over queries; slope in blue; bold: highest AUC of the row")
    table = known["areas"]
    rows = [Row(zip(table.keys, cells, strict=True)) for cells in table.rows]
    if view.columns:
        _matrix(rows, view, task.aucs)
    else:
        best = max((row.number("auc") for row in rows), default=0.0)
        html_table(
            ["System", "AUC", "slope"],
            [[_named(names_of(row, view), view), _value(row, "auc", best), _value(row, "slope", None)] for row in rows],
            caption="AUC and slope",
            narrow="scroll",
            tall=len(rows) > TALL,
        )
    _table_files(of, known, "areas", "areas")


def _matrix(rows: Sequence[Row], view: Look, aucs: dict[Factors, float]) -> None:
    lines, sides = (
        [value or "" for value in heads(name, list(aucs), view.order, aucs)] for name in (view.rows, view.columns)
    )
    third = [name for name in view.by if name not in ("task", view.rows, view.columns)]
    cells: list[list[Cell]] = []
    for head in lines:
        in_row = [row for row in rows if row[view.rows] == head]
        best = max((row.number("auc") for row in in_row), default=0.0)
        line: list[Cell] = [value_name(view.rows, head or None)]
        for side in sides:
            some = [row for row in in_row if row[view.columns] == side]
            line.append(join(*(_cell(row, best, third, view) for row in some)))
        cells.append(line)
    columns = [value_name(view.columns, side or None) for side in sides]
    html_table([view.rows, *columns], cells, caption="AUC and slope, rows by columns", narrow="scroll")


def _cell(row: Row, best: float, third: Sequence[str], view: Look) -> Html:
    pinned = view.pinned is not None and names_of(row, view) == system_name(view.pinned, view.by)
    names = [value_name(name, str(row[name]) or None) for name in third]
    return el(
        "div",
        el("div", " + ".join(names), cls="fv-below") if names else None,
        _value(row, "auc", best),
        _value(row, "slope", None),
        cls="fv-pinned-cell" if pinned else "",
    )


def _value(row: Row, key: str, best: float | None) -> Html:
    """A value above its interval; the best one bold, a slope blue."""
    value = row.number(key)
    top = el(
        "strong" if value == best else "span", number(value), cls="" if best is not None else "fv-tone-plackett-luce"
    )
    ends = interval(row.number(f"{key}_low"), row.number(f"{key}_high"))
    return el("div", top, el("span", ends, cls="fv-below"))


# Intervals of EE-D.


def intervals(of: GridSettings, task: TaskComparison, known: Mapping[str, Table], view: Look, quality: str) -> None:
    """Systems by intervals of EE-D, each against its own deterministic list."""
    if not task.intervals:
        section("No deterministic list is recorded", "Intervals of EE-D are compared with the system's own list.")
        return
    table = known["intervals-printed"]
    n_tests = sum(row.p_holm == row.p_holm for rows in task.intervals.values() for row in rows)
    section(
        interval_title(task, quality),
        f"{axis_name(quality)} by level of disparity (EE-D) minus that of the own deterministic list, paired t-test "
        f"({considered(n_tests)}); * p < 0.05; n: fewer than {count_word(MIN_UNITS)} queries; tint: significant",
    )
    ranges = [key for key in table.keys if key.startswith("from_")]
    counts = interval_counts(task)
    heads = {one.key: Column(label=one.heading, align="right") for one in table.columns if one.key in ranges}
    page_table(
        table,
        show=("name", *ranges),
        drawn={"name": lambda row: _named(names_of(row, view), view), **{key: _change(key) for key in ranges}},
        columns={
            "name": "System",
            **heads,
        },
        below=[["lower · higher · tested", *(f"{low} · {high} · {n}" if n else "too few" for low, high, n in counts)]],
        narrow="scroll",
        tall=len(table.rows) > TALL,
    )
    counts_line(_above(task))
    _table_files(of, known, "intervals", "intervals-printed")


def _table_files(of: GridSettings, known: Mapping[str, Table], csv: str, latex: str) -> None:
    """Downloads of a table: its CSV for programs, its LaTeX, and the commands that print both."""
    study_files(f"fairviz-compare-{csv}", "This table", ("grid", of), lambda: known, csv=csv, latex=[latex])


def _change(key: str) -> Callable[[Row], Cell]:
    """Tinted where the change is significant."""

    def cell(row: Row) -> Cell:
        text = row.text(key)
        if text.startswith("n ="):
            return muted(text)
        if "*" not in text:
            return text
        way = "loss" if text.startswith(MINUS) else "gain"
        return el("strong", text, cls=f"fv-tone-{way} fv-changed-{way}")

    return cell


def _above(task: TaskComparison) -> str:
    parts = [f"{row.n_above} of {row.n_models} at EE-D {row.low:g}–{row.high:g}" for row in task.above if row.n_models]
    return f"Above their own list: {', '.join(parts)}." if parts else ""


def folds(grid: GridComparison, view: Look) -> None:
    """EE-D by α over all conditions, and EE-R beside EU, as the command prints them."""
    known = tables(grid, by=view.by)
    n = len({row[: len(view.by)] for row in known["alpha-tests"].rows})
    parts: dict[str, tuple[str, ...]] = {
        f"Disparity (EE-D) by α in {plural(n, 'condition')}, every two α tested": ("disparity", "alpha-tests")
    }
    parts["Correlation of relevance (EE-R) with utility (EU) over queries and α"] = ("correlations",)
    for title, stems in parts.items():
        if stems[0] in known:
            with st.expander(title):
                for stem in stems:
                    page_table(known[stem], show_caption=True, narrow="scroll", tall=True)
                    download(
                        "CSV",
                        lambda stem=stem: csv_text(known[stem]),
                        file_name=f"fairviz-compare-{stem}.csv",
                        key=f"csv-{stem}",
                    )


def every_task(grid: GridComparison, view: Look) -> None:
    """Counts of each task, where there are many: never a mean."""
    tasks = grid.tasks
    if len(tasks) < 3:
        return
    many = noun(view.by)[1]
    section(
        f"All {len(tasks)} tasks, each tested by itself",
        f"{capital(many)} with significantly more, or less, {gained(grid.quality)} than the task's baseline "
        "(AUC, all tests of the task considered); nothing is averaged or tested across tasks",
    )
    counts = [task_counts(task) for task in tasks]
    html_table(
        [
            "Task",
            Column(label="Baseline"),
            *(Column(label=label, align="right") for label in ("more", "less", f"{many} tested")),
        ],
        [
            [
                el("span", task.task or "–", cls="fv-pinned-row" if task.task == view.task else ""),
                system_name(task.baseline, view.by),
                *(map(str, each) if each[-1] else ("", "", "too few queries")),
            ]
            for task, each in zip(tasks, counts, strict=True)
        ],
        caption="Tasks",
        narrow="scroll",
        tall=len(tasks) > TALL,
    )
    rule()


def ways(loaded: Dataset, of: GridSettings, view: Look) -> None:
    """From the pinned system to its own page."""
    if view.pinned is None:
        return
    params = {"k": str(of.k)}
    if of.quality == "EER" and len(loaded.runs) > 1:
        run = next((run.system for run in loaded.runs if run.system == view.pinned.retriever), None)
        params |= {"system": name_mark(run)} if run else {}
    elif of.quality != "EER":
        shown = next(name for name, quality in QUALITIES.items() if quality == of.quality)
        params |= {"quality": shown} if shown in ("EU", "EU, normalised") else {}
    name = system_name(view.pinned, view.by)
    st.page_link(
        "pages/tradeoff.py", label=f"Open {name} in Trade-off", icon=":material/show_chart:", query_params=params
    )


def results(
    loaded: Dataset, of: GridSettings, grid: GridComparison, task: TaskComparison, view: Look, quantity: Quantity
) -> None:
    """Differences beside areas, then intervals of EE-D."""
    known = registry(loaded, of, grid, view)
    wide = view.columns and len({getattr(one.factors, view.columns) for one in curves_of(loaded, of)}) > BESIDE
    left, right = (
        (st.container(), st.container()) if wide else st.columns([1, 1] if view.columns else [6, 5], gap="large")
    )
    with left:
        differences(of, task, known, view, quantity)
    with right:
        areas(of, task, known, view)
    rule()
    intervals(of, task, known, view, grid.quality)


# Files.


def whole_file(loaded: Dataset, of: GridSettings, finding: Finding, view: Look) -> None:
    """Everything as one HTML file."""

    def page() -> str:
        sections = analyse(loaded, replace(laid_out(of, view), task="")).in_report()
        return html_text(finding.title, sections, lead=finding.sentence, plotly_js=plotly_script())

    section("Everything above as one file", "All tasks and tables, as fairviz grid prints them")
    download_row("fairviz-compare", "All tasks", html=page)
