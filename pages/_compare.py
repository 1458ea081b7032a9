"""Parts of the page Compare: controls, conditions and their comparison; curves, differences, the main table, folds.

Every setting is in the address; values of factors and names of systems as marks.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.display.table import Table, csv_text
from fairviz.display.theme import axis_name
from fairviz.display.words import MINUS, Finding, capital, considered, count_word, plural
from fairviz.errors import FairvizError
from fairviz.model import Dataset, Factors
from fairviz.points.charts import Curves, PanelView
from fairviz.points.conditions import Condition, is_limit, members
from fairviz.points.curves import CurvePolicy
from fairviz.points.outputs import recorded
from fairviz.points.view import factors_of_texts, kept, system_name, value_name
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.baseline.analysis import analyse as analyse_baseline
from fairviz.studies.baseline.analysis import wide_title
from fairviz.studies.baseline.settings import BaselineSettings
from fairviz.studies.compare.analysis import analyse, as_drawn, bounds_of
from fairviz.studies.compare.charts import lines_alt, lines_figure, panel_view
from fairviz.studies.compare.columns import tables
from fairviz.studies.compare.conditions import answered, as_compared, included, of_member, refuse_alike
from fairviz.studies.compare.findings import (
    bounds_words,
    colour_words,
    forest_sentence,
    forest_title,
    gained,
    interval_counts,
    interval_title,
    lines_title,
    missing_words,
    noun,
    panels_title,
    task_counts,
)
from fairviz.studies.compare.grid import (
    GridComparison,
    Quantity,
    TaskComparison,
    alphas_with_points,
    at_alpha,
    compare_grid,
)
from fairviz.studies.compare.settings import GridSettings
from fairviz.studies.study import Settings
from pages._kit import Figure, colours, counts_line, fold, rule, section, show_chart
from pages._kit.analysis import study_table
from pages._kit.commands import against_target, report, study_command, study_files
from pages._kit.controls import (
    choose,
    choose_cutoff,
    choose_one,
    choose_policy,
    choose_relevance,
    choose_several,
    following,
)
from pages._kit.downloads import download, download_row
from pages._kit.html import Cell, Html, PageColumn, PageRow, el, html_table, muted, page_table
from pages._kit.link import name_mark
from pages._kit.panels import TALL, PanelLook, forest, panel_key, pin_chosen, row_name, show_panels
from pages._kit.recorded_outputs import problems_of, usual_k
from pages._kit.session import cached
from pages._kit.target import first_attribute
from pages._tradeoff import can_rank, has_utility

RUNS, RECORDED, UTILITY, NORMALISED = "EE-R", "EE-R as recorded", "EU", "EU, normalised"
QUALITIES: dict[str, Literal["EER", "EER-recorded", "EU", "EU/best"]] = {
    RUNS: "EER",
    RECORDED: "EER-recorded",
    UTILITY: "EU",
    NORMALISED: "EU/best",
}
"""Qualities by their names on the page."""
POLICIES: tuple[CurvePolicy, ...] = ("plackett-luce", "optimal", "oracle")
POINTS = ("deterministic", "uniform")


# Which conditions there are.


def source(loaded: Dataset, row: DeltaGenerator, options: DeltaGenerator) -> GridSettings:
    """Show the controls of what is measured, the measure in the row, and return what they say."""
    names = qualities(loaded)
    with row:
        quality = choose_one("Measure", names, "compare_quality", usual=usual_quality(loaded, names), width=200)
    with options:
        help_ = "The reader or generator sees the first k documents of a ranking."
        k = choose_cutoff("Cutoff k", usual=usual_k(loaded), help=help_)
        rel = choose_relevance(loaded)  # of utility, too: differences in EE-R stand below
        if quality != RUNS:
            return GridSettings(quality=QUALITIES[quality], k=k, rel=rel)
        return _of_runs(loaded, k, rel)


def _of_runs(loaded: Dataset, k: int, rel: int | None) -> GridSettings:
    """What is made of the scores of runs."""
    policy = choose_policy()
    usual = [*(POLICIES if len(loaded.runs) == 1 else POLICIES[:1]), POINTS[0]]
    names = {name: value_name("policy", name) for name in (*POLICIES, *POINTS)}
    look = {"draw": st.pills, "selection_mode": "multi", "format_func": names.get}
    chosen = choose_several("Policies", names, "pol", usual=usual, **look)
    limits = POLICIES[-1:]
    systems: tuple[CurvePolicy, ...] = (
        tuple(name for name in POLICIES if name in chosen and name not in limits) or POLICIES[:1]
    )
    return GridSettings(
        quality="EER",
        recorded_lists=False,
        k=k,
        rel=rel,
        **policy,
        policy=(*systems, *(name for name in limits if name in chosen)),
        frontier=choose("frontier"),
        deterministic=POINTS[0] in chosen,
        uniform=POINTS[1] in chosen,
    )


def qualities(loaded: Dataset) -> list[str]:
    """What can stand on the y axis."""
    return [
        *([RUNS] if can_rank(loaded) else []),
        *([RECORDED] if any(outputs.alpha is not None for outputs in loaded.outputs) and loaded.qrels else []),
        *([UTILITY, NORMALISED] if has_utility(loaded) else []),
    ]


def usual_quality(loaded: Dataset, names: Sequence[str]) -> str:
    """Utility where several systems have answers, as the command has it; else what policies do to one."""
    answering = {(outputs.task, outputs.retriever, outputs.generator) for outputs in loaded.outputs}
    return UTILITY if UTILITY in names and len(answering) > 1 else names[0]


def depth_words(loaded: Dataset, of: GridSettings) -> str:
    """What is said of lists that were cut and of queries left out to be compared."""
    return as_compared(loaded, of).words


def planned(loaded: Dataset, of: GridSettings) -> tuple[tuple[Factors, ...], str]:
    """Factors of every condition, before any is computed; and why there is none to compare, where that is so."""
    try:
        if of.quality == "EER":
            of_runs = members(loaded, of.depth)
            every = tuple(condition.factors._replace(policy=policy) for condition in of_runs for policy in of.policy)
        else:
            every = tuple(condition.factors for condition in answered(loaded, of))
        refuse_alike(every)
    except FairvizError as error:  # judgements that fit none, or two systems that could not be told apart
        return (), str(error)
    if any(not is_limit(condition) for condition in every):
        return every, ""
    problems = problems_of(recorded(loaded, of.k, *of.usefulness)) if of.quality != "EER" else ()
    return every, problems[0] if problems else f"No value of {axis_name(of.quality or '')} is recorded along α."


def steps(loaded: Dataset, of: GridSettings) -> list[tuple[str, Callable[[], tuple[Condition, ...]]]]:
    """What is computed system by system: of whom, and the function that leaves it in the cache."""
    if of.quality != "EER":
        return [("Recorded answers", partial(answered, loaded, of))]
    return [(member.system, partial(of_member, loaded, of, member)) for member in members(loaded, of.depth)]


def conditions(loaded: Dataset, of: GridSettings, *, n_steps: int | None = None) -> tuple[Condition, ...]:
    """All of them, or those that are there after the first of the :func:`steps`."""
    return tuple(condition for _, compute in steps(loaded, of)[:n_steps] for condition in compute())


def grid_settings(of: GridSettings, view: PanelLook) -> GridSettings:
    """What is measured, with how it is compared: what a command has to be told."""
    return replace(of, task=view.task or "", order=view.layout.order, **view.settings)


@cached
def compared_grid(loaded: Dataset, of: GridSettings) -> GridComparison:
    """Areas, differences and intervals of every task; points compared at an α that is said."""
    grid = _grid(loaded, replace(of, at=None, task="", order="files", frontier=True))
    return grid if of.at is None else at_alpha(grid, some_conditions(loaded, of), at=of.at)


@cached
def _grid(loaded: Dataset, of: GridSettings) -> GridComparison:
    return compare_grid(some_conditions(loaded, of), quality=of.side, baseline=of.pinned_baseline)


def some_conditions(loaded: Dataset, of: GridSettings) -> list[Condition]:
    """Conditions that are compared."""
    every = conditions(loaded, of)
    refuse_alike([condition.factors for condition in every])
    return included(every, factors_of_texts(of.off))


def curves_of(loaded: Dataset, of: GridSettings) -> tuple[Curves, ...]:
    """Curves of the compared conditions, as they are drawn."""
    bands = curves(loaded, replace(of, task="", baseline=(), off=(), order="files", at=None, frontier=True))
    return tuple(bands[condition.factors] for condition in some_conditions(loaded, of) if condition.factors in bands)


@cached
def curves(loaded: Dataset, of: GridSettings) -> dict[Factors, Curves]:
    """Conditions as they are drawn, with bands."""
    return {curve.factors: curve for curve in as_drawn(loaded, conditions(loaded, of), of)}


# Controls.


def choose_quantity(task: TaskComparison) -> Quantity:
    """In what the others are compared with the baseline; no choice where only areas are known."""
    names = {difference.name: difference for difference in task.differences}
    chosen = choose_one("Difference in", names, "difference", draw=st.segmented_control, required=True)
    return names[chosen].quantity


def choose_point(loaded: Dataset, of: GridSettings, usual: float | None) -> float:
    """The α at which points are compared."""
    alphas = alphas_with_points(some_conditions(loaded, of))
    by_text = {f"{alpha:g}": alpha for alpha in alphas}

    def draw() -> float:
        return st.selectbox("at α", alphas, key="at", format_func=lambda alpha: f"{alpha:g}", width=110)

    return following("at", alphas[0] if usual is None else usual, by_text.get, draw)


def registry(loaded: Dataset, of: GridSettings, grid: GridComparison, view: PanelLook) -> dict[str, Table]:
    """Every table of the task that is looked at."""
    of_task = tuple(comparison for comparison in grid.tasks if comparison.task == view.task)
    return tables(grid._replace(tasks=of_task), by=view.by, order=view.layout.order, depth=depth_words(loaded, of))


# Curves.


def lines(loaded: Dataset, of: GridSettings, view: PanelLook, task: TaskComparison) -> None:
    """All systems in one chart across the page."""
    laid = _laid(view, curves_of(loaded, of), task)
    laid = laid._replace(curves=(*laid.curves, *bounds_of(loaded, of, task)))
    section(
        lines_title(task, {curve.factors: curve.line for curve in laid.curves if not curve.is_bound}, by=view.by),
        f"Lists drawn more and more at random, from right to left. {colour_words(laid.curves)}"
        f"{bounds_words(laid.curves)}. ■ deterministic list, in no area.",
    )
    show_chart(partial(lines_figure, laid, view.by), "compare-lines", lines_alt(laid, view.by))


def lines_after(loaded: Dataset, of: GridSettings, view: PanelLook, n_steps: int) -> Figure | None:
    """The curves of the systems that are there after so many steps, without bands."""
    drawn_curves = as_drawn(loaded, conditions(loaded, of, n_steps=n_steps), of, with_band=False)
    return lines_figure(_laid(view, drawn_curves, None), view.by, colours=colours())


def _laid(view: PanelLook, drawn_curves: Sequence[Curves], task: TaskComparison | None) -> PanelView:
    included = kept([curve.factors for curve in drawn_curves if curve.factors.task == view.task], view.off)
    shown = [curve for curve in drawn_curves if curve.factors in included]
    layout = view.layout._replace(baseline=task.baseline) if task else view.layout
    return panel_view(shown, layout, task=task, quality=shown[0].line.y_measure if shown else "")


def laid_out(of: GridSettings, view: PanelLook) -> GridSettings:
    """The settings with the layout of the chart."""
    return replace(of, rows=view.layout.rows, columns=view.layout.columns, colour=view.layout.colour)


def _key_words(laid: PanelView) -> str:
    kinds = {
        "dotted: oracle limit, in no count or test": any(is_limit(curve.factors) for curve in laid.curves),
        "pinned: solid black in every panel": laid.layout.pinned is not None,
        "■ deterministic list, in no area": any(curve.deterministic is not None for curve in laid.curves),
        "□ uniform": any(curve.uniform is not None for curve in laid.curves),
    }
    parts = [*panel_key(laid, "this system, 95 % band over queries"), *filter(kinds.get, kinds)]
    return "; ".join(parts) + ". Corner: average quality, and difference from the baseline (bold = significant)."


# Differences and areas.


def differences(
    of: GridSettings, task: TaskComparison, task_tables: Mapping[str, Table], view: PanelLook, quantity: Quantity
) -> None:
    """What each system has more or less of than the baseline, the largest difference first."""
    shown = task.of(quantity) or task.differences[0]
    table = task_tables[shown.stem]
    section(forest_title(shown, task.baseline, by=view.by), forest_sentence(shown, task.baseline, by=view.by))
    if not table.rows:
        counts_line("There is nothing to compare the baseline with: include, or load, another system.")
        return
    forest(
        table,
        key="forest_whole",
        name=lambda row: _name(row, view),
        label=table.headings[table.keys.index("difference")],
        pinned=[i for i, factors in enumerate(shown.rows) if factors == view.layout.pinned],
    )
    for words in missing_words(shown, by=view.by):
        counts_line(words)
    for factors, reason in task.left_out.items() if quantity == "AUC" else ():
        counts_line(f"Left out: {system_name(factors, view.by)} {reason}.")
    _table_files(("grid", replace(of, at=shown.alpha)), task_tables, shown.stem, shown.stem)


def _name(row: PageRow, view: PanelLook) -> Html:
    name = row_name(row, view.by)
    return el("span", name, cls="fv-pinned-row" if name == view.name_of_pinned else "")


def areas(of: GridSettings, task_tables: Mapping[str, Table], view: PanelLook) -> None:
    """AUC and slope of each system with their intervals."""
    section("AUC and slope, with intervals", "95 % bootstrap over queries")
    table = task_tables["areas"]
    page_table(
        table,
        {"name": PageColumn("System", lambda row: _name(row, view)), **{"auc": PageColumn(), "slope": PageColumn()}},
        narrow="scroll",
        tall=len(table.rows) > TALL,
    )
    _table_files(("grid", of), task_tables, "areas", "areas")


# Intervals of EE-D.


def intervals(
    of: GridSettings, task: TaskComparison, task_tables: Mapping[str, Table], view: PanelLook, quality: str
) -> None:
    """Systems by intervals of EE-D, each against its own deterministic list."""
    table = task_tables["intervals-printed"]
    n_tests = sum(rows["p_holm"].count() for rows in task.intervals.values())
    section(
        interval_title(task, quality),
        f"{axis_name(quality)} by level of disparity (EE-D) minus that of the own deterministic list, paired t-test "
        f"({considered(n_tests)}); * p < 0.05; n: fewer than {count_word(MIN_UNITS)} queries; tint: significant",
    )
    ranges = [key for key in table.keys if key.startswith("from_")]
    counts = interval_counts(task)
    page_table(
        table,
        {
            "name": PageColumn("System", lambda row: _name(row, view)),
            **{key: PageColumn(cell=_change(key), align="right") for key in ranges},
        },
        below=[["lower · higher · tested", *(f"{low} · {high} · {n}" if n else "too few" for low, high, n in counts)]],
        narrow="scroll",
        tall=len(table.rows) > TALL,
    )
    counts_line(_above(task))
    _table_files(("grid", of), task_tables, "intervals", "intervals-printed")


def _table_files(study: tuple[str, Settings], task_tables: Mapping[str, Table], csv: str, latex: str) -> None:
    """Downloads of a table: its CSV for programs, its LaTeX, and the commands that print both."""
    study_files(f"fairviz-compare-{csv}", "This table", study, lambda: task_tables, csv=csv, latex=[latex])


def _change(key: str) -> Callable[[PageRow], Cell]:
    """Tinted where the change is significant."""

    def cell(row: PageRow) -> Cell:
        text = row.text(key)
        if text.startswith("n ="):
            return muted(text)
        if "*" not in text:
            return text
        way = "loss" if text.startswith(MINUS) else "gain"
        return el("strong", text, cls=f"fv-tone-{way} fv-changed-{way}")

    return cell


def _above(task: TaskComparison) -> str:
    rows = task.above.filter(pl.col("n_models") > 0).to_dicts()
    parts = [
        f"{row['n_above']} of {row['n_models']} at EE-D {row['disparity_low']:g}–{row['disparity_high']:g}"
        for row in rows
    ]
    return f"Above their own list: {', '.join(parts)}." if parts else ""


def folds(
    loaded: Dataset,
    of: GridSettings,
    view: PanelLook,
    grid: GridComparison,
    task: TaskComparison,
    task_tables: Mapping[str, Table],
) -> None:
    """A panel per system, areas and slopes, intervals of EE-D, EE-D by α, and EE-R beside EU."""
    title = panels_title(task, rows=view.layout.rows, columns=view.layout.columns, by=view.by)
    with fold("A panel for each system", title, key="compare_panels") as is_open:
        if is_open:
            show_panels(
                _laid(view, curves_of(loaded, of), task),
                by=view.by,
                key="compare-panels",
                title=title,
                words=_key_words,
                command=partial(study_command, loaded, "grid", laid_out(of, view)),
                on_select=partial(pin_chosen, "compare-panels"),
            )
    with fold("Average and slope", "what a little more evenness costs each system", key="compare_areas") as is_open:
        if is_open:
            areas(of, task_tables, view)
    if task.intervals:
        with fold("At a fixed evenness", interval_title(task, grid.quality), key="compare_intervals") as is_open:
            if is_open:
                intervals(of, task, task_tables, view, grid.quality)
    every = tables(grid, by=view.by)
    n = len({row[: len(view.by)] for row in every["alpha-tests"].rows})
    parts = {
        ("EE-D by α", f"in {plural(n, 'condition')}, every two α tested"): ("disparity", "alpha-tests"),
        ("Relevance and utility", "correlation of EE-R with EU over queries and α"): ("correlations",),
    }
    for (name, about), stems in parts.items():
        if stems[0] in every:
            with fold(name, about, key=f"compare_{stems[0]}") as is_open:
                for stem in stems if is_open else ():
                    page_table(every[stem], show_caption=True, narrow="scroll", tall=True)
                    download("CSV", lambda stem=stem: csv_text(every[stem]), f"fairviz-compare-{stem}.csv")


BESIDE_BASELINE, EVERY_TWO = "better or worse than the baseline (▲ ▼)", "every two systems (letters)"


def main_table(loaded: Dataset, of: GridSettings, view: PanelLook, options: DeltaGenerator) -> None:
    """The main table of a paper: systems by measures of their fixed lists, with what tests of them say."""
    if of.quality != "EER" or len(loaded.runs) < 2:
        return
    with options:
        marks = choose_one("Main table marks", (BESIDE_BASELINE, EVERY_TWO), "marks", width=300)
    names = {run.system for run in loaded.runs}
    baseline = view.baseline.retriever if view.baseline.retriever in names else ""
    k = of.k
    against = against_target(loaded, first_attribute(loaded), None) if loaded.labels else None
    measures = (f"nDCG@{k}", "AP", "RR", f"P@{k}", *((f"FAIR@{k}", "AWRF") if against else ()))
    selection = BaselineSettings(
        measures=measures,
        baseline=baseline or "",
        letters=marks == EVERY_TWO,
        auc=k,
        leave_out=True,
        against=against,
        **{name: getattr(of, name) for name in ("rel", "scores", "offset", "depth")},
    )
    try:
        table = analyse_baseline(replace(loaded, samples=(), outputs=()), selection).tables["wide"]
    except FairvizError as error:
        counts_line(f"No main table: {error}")
        return
    section(wide_title(table, baseline or str(table.rows[0][0])))
    study_table("compare", selection, "wide", table)


def every_task(grid: GridComparison, view: PanelLook) -> None:
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
        ["Task", PageColumn("Baseline"), "more", "less", f"{many} tested"],
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


def ways(loaded: Dataset, of: GridSettings, view: PanelLook) -> None:
    """From the pinned system to its own page."""
    if view.layout.pinned is None:
        return
    params = {"k": str(of.k)}
    if of.quality == "EER" and len(loaded.runs) > 1:
        run = next((run.system for run in loaded.runs if run.system == view.layout.pinned.retriever), None)
        params |= {"system": name_mark(run)} if run else {}
    elif of.quality != "EER":
        shown = next(name for name, quality in QUALITIES.items() if quality == of.quality)
        params |= {"quality": shown} if shown in ("EU", "EU, normalised") else {}
    label = f"Open {view.name_of_pinned} in Trade-off"
    st.page_link("pages/tradeoff.py", label=label, icon=":material/show_chart:", query_params=params)


# Files.


def whole_file(loaded: Dataset, of: GridSettings, finding: Finding, view: PanelLook) -> None:
    """Everything as one HTML file."""
    section("Everything above as one file", "All tasks and tables, as fairviz grid prints them")
    every = replace(laid_out(of, view), task="")
    page = partial(report, finding.title, lambda: analyse(loaded, every).in_report(), finding.sentence)
    download_row("fairviz-compare", "All tasks", {"html": page})
