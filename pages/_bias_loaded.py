"""The answers part of the Social bias page, from controls to downloads."""

from collections.abc import Callable

import streamlit as st

from fairviz.analysis.bias_grid import marks
from fairviz.analysis.bias_rows import BiasRow
from fairviz.analysis.bias_view import rows_grid, turned
from fairviz.errors import FairvizError, InputError
from fairviz.metrics.social_bias import BiasMeasure
from fairviz.model import Dataset
from fairviz.report.bias_findings import rows_finding
from fairviz.report.bias_words import MEASURE_LABELS
from fairviz.report.findings import Finding
from pages._bias_answers import Measured, measured, own, plain_rows
from pages._bias_changes import changes_table, finding, table_rows
from pages._bias_counts import counts_table
from pages._bias_downloads import Shown, downloads
from pages._bias_drill import drill
from pages._bias_grid import grid_table, legend
from pages._bias_k import curves
from pages._bias_own import named, own_grid, signed_table, slopes
from pages._bias_retrieved import retrieved_line
from pages._bias_settings import Chosen, comparison
from pages._pace import paint_first
from pages._shared import callout, error_box, is_example, rule, section


def answers(loaded: Dataset, measure: BiasMeasure, *, first: bool, say: Callable[[Finding], None]) -> None:
    """Controls, then what they show.

    Args:
        loaded: Data with questions and answers.
        measure: What is shown.
        first: Whether this is the page's first part, so that its finding is the page's title.
        say: Shows the page's title.
    """
    try:
        with st.spinner("Matching answers with their questions …"):
            mine = own(loaded)
    except InputError as error:
        say(Finding("These answers cannot be matched with their questions", ""))
        error_box(error)
        return
    top = st.container()
    chosen = comparison(loaded, mine)
    if not mine.columns:
        _nothing_compared(loaded, chosen, measure, say if first else None)
        return
    of_bias: BiasMeasure = "diffbias_a" if measure.endswith("_a") else "diffbias_d"
    try:
        with st.spinner("Measuring and testing every cell …"):
            found = measured(loaded, chosen.compared, chosen.ooc)
    except FairvizError as error:
        say(Finding("These answers cannot be compared this way", "")) if first else None
        callout("Why not", str(error))
        return
    rows = table_rows(found, chosen, of_bias)
    said = finding(rows, chosen) if rows else _unpaired(found, chosen, of_bias)
    if first:
        say(said)
    else:
        with top:
            section(said.title, f"{_whose()} {said.sentence}")
    signed_table(mine, found, chosen, measure)
    retrieved_line(loaded, chosen)
    paint_first()
    slopes(found, chosen, measure)
    rule()
    if rows:
        changes_table(rows, chosen)
        rule()
    curves(loaded, chosen, measure)
    _show_counts(found.rows, chosen, of_bias)
    if rows:
        rule()
        drill(loaded, chosen, of_bias)
    rule()
    section("Take it with you", "The numbers as tables, the charts as a page.")
    grid = named(own_grid(found, chosen, measure), chosen)
    downloads(loaded.name, measure, Shown(said, found, grid, rows, chosen))


def _unpaired(found: Measured, chosen: Chosen, measure: BiasMeasure) -> Finding:
    """The finding of one model in languages whose items are not the same."""
    here = [row for row in found.rows if row.get("model") == chosen.model]
    return rows_finding(here, measure, who=chosen.who, noun="cell")


def _show_counts(rows: tuple[BiasRow, ...], chosen: Chosen, measure: BiasMeasure) -> None:
    column = chosen.compared.column
    here = [row for row in rows if column == "model" or row.get("model") == chosen.model]
    counts_table(here, column, measure)


def _nothing_compared(
    loaded: Dataset, chosen: Chosen, measure: BiasMeasure, say: Callable[[Finding], None] | None
) -> None:
    """One set of answers: values with intervals, no test."""
    rows = plain_rows(loaded, chosen.compared, chosen.ooc)
    of_bias: BiasMeasure = "diffbias_a" if measure.endswith("_a") else "diffbias_d"
    said = rows_finding(rows, of_bias, who=chosen.model)
    if say is not None:
        say(said)
    else:
        section(said.title, f"{_whose()} {said.sentence}")
    grid = turned(rows_grid(rows, measure, row="", column="model"))
    legend(grid)
    grid_table(grid, 0 * marks(grid), caption=MEASURE_LABELS[measure], mean=False, corner="Bias type")
    counts_table(list(rows), "model", of_bias)
    callout(
        "Nothing to compare with",
        "Load answers of a second model, or of the same model under "
        "another setting (column setting), to see what changes and whether chance could do as "
        "much.",
        calm=True,
    )


def _whose() -> str:
    return "The example's answers, made by the project's own small experiment." if is_example() else "Your answers."
