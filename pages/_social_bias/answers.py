"""Recorded answers on the Social bias page, from controls to downloads, the paper's models beside them."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from fairviz.errors import FairvizError, InputError
from fairviz.model import Dataset
from fairviz.show.words import Finding
from fairviz.studies.social_bias.findings import LESS, MORE, grid_title, measured_words, range_title, rows_finding
from fairviz.studies.social_bias.grids import BiasGrid, marks, rows_grid, turned
from fairviz.studies.social_bias.labels import MEASURE_LABELS
from fairviz.studies.social_bias.measures import DIFF_BIAS, BiasMeasure
from fairviz.studies.social_bias.published import lines_of_paper
from fairviz.studies.social_bias.rows import BiasRow
from pages._kit import callout, counts_line, error_box, is_example, paint_first, rule, section
from pages._kit.html import notes_below
from pages._social_bias.by_k import curves
from pages._social_bias.changes import changes_of, finding_of, show_changes
from pages._social_bias.counts import show_counts
from pages._social_bias.downloads import AnswersView, downloads
from pages._social_bias.drill import drill
from pages._social_bias.results import (
    LABELS,
    MatchedAnswers,
    Measured,
    Settings,
    choose_settings,
    matched_answers,
    measured_answers,
    plain_rows,
)
from pages._social_bias.retrieval import retrieved_line
from pages._social_bias.signed_table import legend, panels, show_grid

ORDERED = ("setting", "retriever", "k", "shots")
"""Columns whose values a line may join."""

ARROWS = {MORE: "▲", LESS: "▼"}


def answers(loaded: Dataset, measure: BiasMeasure, *, first: bool, show_title: Callable[[Finding], None]) -> None:
    """Controls, then what they show.

    Args:
        loaded: Data with questions and answers.
        measure: What is shown.
        first: Whether this is the page's first part, so that its finding is the page's title.
        show_title: Shows the page's title.
    """
    try:
        with st.spinner("Matching answers with their questions …"):
            matched = matched_answers(loaded)
    except InputError as error:
        show_title(Finding("These answers cannot be matched with their questions", ""))
        error_box(error)
        return
    top = st.container()
    settings = choose_settings(loaded, matched)
    if not matched.columns:
        _nothing_compared(loaded, settings, measure, show_title if first else None)
        return
    diff_bias = DIFF_BIAS[measure]
    try:
        with st.spinner("Measuring and testing every cell …"):
            measured = measured_answers(loaded, settings.compared, settings.ooc)
    except FairvizError as error:
        if first:
            show_title(Finding("These answers cannot be compared this way", ""))
        callout("Why not", str(error))
        return
    changes = changes_of(measured, settings, diff_bias)
    finding = finding_of(changes, settings) if changes else _unpaired(measured, settings, diff_bias)
    if first:
        show_title(finding)
    else:
        with top:
            section(finding.title, f"{_whose()} {finding.sentence}")
    signed_table(matched, measured, settings, measure)
    retrieved_line(loaded, settings)
    paint_first()
    slopes(measured, settings, measure)
    rule()
    if changes:
        show_changes(changes, settings)
        rule()
    curves(loaded, settings, measure)
    show_counts(_of_model(measured, settings), settings.column, diff_bias)
    if changes:
        rule()
        drill(loaded, settings, diff_bias)
    rule()
    section("Take it with you", "The numbers as tables, the charts as a page.")
    grid = worded(grid_of(measured, settings, measure), settings)
    downloads(loaded.name, measure, AnswersView(finding, measured, grid, changes, settings))


def signed_table(matched: MatchedAnswers, measured: Measured, settings: Settings, measure: BiasMeasure) -> None:
    """The signed table, the change of every cell tested."""
    grid = grid_of(measured, settings, measure)
    diff_bias = DIFF_BIAS[measure]
    against = settings.before
    rule()
    section(
        grid_title(measured.changes, against=against, measure=diff_bias)
        if measured.changes
        else f"{MEASURE_LABELS[measure]} by {LABELS[settings.column].lower()}",
        f"{MEASURE_LABELS[measure]}, percent. ▲ ▼: Diff-Bias further towards the stereotype, or "
        f"further away from it, than with {against} (exact test, Holm). Bold: highest and lowest "
        "of a row. Grey without colour: fewer than 100 items or 10 templates, not tested."
        if measured.changes
        else "Percent. Items are not the same, so nothing is paired and nothing tested. Grey: few.",
    )
    legend(grid)
    one_model = len(grid.rows) == 1
    arrows = _arrows(measured, grid, settings, diff_bias)
    if one_model:
        arrows = {(b, r, c): arrow for (r, b, c), arrow in arrows.items()}
    table = turned(grid) if one_model else grid
    show_grid(
        worded(table, settings),
        marks(table),
        caption=f"{MEASURE_LABELS[measure]} of the loaded answers",
        highlighted=settings.who,
        mean=False,
        arrows=arrows,
        corner="Bias type" if one_model else "Model",
    )
    counts_line(
        measured_words(
            measured.rows,
            measured.part,
            n_items=len(matched.items),
            n_unmatched=matched.n_unmatched,
            ooc=settings.ooc,
        )
    )
    notes_below(*matched.notes)


def slopes(measured: Measured, settings: Settings, measure: BiasMeasure) -> None:
    """One panel per bias type; dotted: the paper's models where it has the same settings."""
    grid = grid_of(measured, settings, measure)
    column = settings.column
    beside = lines_of_paper(grid) if column == "setting" else {}
    grid = worded(grid, settings)
    who = grid.rows[0] if len(grid.rows) == 1 else settings.who
    rule()
    also = " Dotted: the five models of the paper's Table 2." if beside else ""
    others = "Thin: other models. " if len(grid.rows) > 1 else ""
    section(
        range_title(grid, who),
        f"{MEASURE_LABELS[measure]}, percent; bars: 95 % bootstrap over templates. {others}Hollow: few items.{also}",
    )
    panels(grid, key="own", highlighted=who, beside=beside, joined=column in ORDERED)


def grid_of(measured: Measured, settings: Settings, measure: BiasMeasure) -> BiasGrid:
    """Models by bias types by values of the compared column."""
    column = settings.column
    row = "" if column == "model" else "model"
    return rows_grid(measured.rows, measure, row=row, column=column, columns=settings.values)


def worded(grid: BiasGrid, settings: Settings) -> BiasGrid:
    """The grid with models by their short names, and words for values that say "nothing"."""
    return replace(
        grid,
        rows=tuple(settings.names.get(name, name) for name in grid.rows),
        columns=tuple(settings.words(name) for name in grid.columns),
    )


def _arrows(
    measured: Measured, grid: BiasGrid, settings: Settings, measure: BiasMeasure
) -> dict[tuple[int, int, int], str]:
    """Cells whose change is told from chance."""
    arrows: dict[tuple[int, int, int], str] = {}
    column = settings.column
    for change in measured.changes:
        known = change.measure == measure and change.verdict in ARROWS
        if not known or change.get("stereotyped") or not change.get("category"):
            continue
        row = 0 if column == "model" else grid.rows.index(change.get("model"))
        at = (row, grid.blocks.index(change.get("category")), grid.place(change.get(column)))
        arrows[at] = ARROWS[change.verdict]
    return arrows


def _unpaired(measured: Measured, settings: Settings, measure: BiasMeasure) -> Finding:
    """The finding of one model in languages whose items are not the same."""
    rows = [row for row in measured.rows if row.get("model") == settings.model]
    return rows_finding(rows, measure, who=settings.who, noun="cell")


def _of_model(measured: Measured, settings: Settings) -> list[BiasRow]:
    """Rows of the chosen model; all of them where models are compared."""
    return [row for row in measured.rows if settings.column == "model" or row.get("model") == settings.model]


def _nothing_compared(
    loaded: Dataset, settings: Settings, measure: BiasMeasure, show_title: Callable[[Finding], None] | None
) -> None:
    """One set of answers: values with intervals, no test."""
    rows = plain_rows(loaded, settings.compared, settings.ooc)
    diff_bias = DIFF_BIAS[measure]
    finding = rows_finding(rows, diff_bias, who=settings.model)
    if show_title is not None:
        show_title(finding)
    else:
        section(finding.title, f"{_whose()} {finding.sentence}")
    grid = turned(rows_grid(rows, measure, row="", column="model"))
    legend(grid)
    show_grid(grid, 0 * marks(grid), caption=MEASURE_LABELS[measure], mean=False, corner="Bias type")
    show_counts(rows, "model", diff_bias)
    callout(
        "Nothing to compare with",
        "Load answers of a second model, or of the same model under "
        "another setting (column setting), to see what changes and whether chance could do as "
        "much.",
        calm=True,
    )


def _whose() -> str:
    return "The example's answers, made by the project's own small experiment." if is_example() else "Your answers."
