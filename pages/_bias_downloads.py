"""Downloads of the Social bias page: all cells as CSV, the table shown as LaTeX, all as HTML."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from fairviz.analysis.bias_changes import BiasChange
from fairviz.analysis.bias_grid import BiasGrid
from fairviz.analysis.bias_published import VIEWS, view_grid
from fairviz.figures.bias_slopes import slope_bounds, slopes_alt, slopes_figure
from fairviz.figures.embed import in_both_themes, plotly_script
from fairviz.metrics.social_bias import BiasMeasure
from fairviz.report.bias_published import NOT_TESTED, collections_finding, flag_notes, view_finding
from fairviz.report.bias_tables import changes_content, every_change, grid_content, rows_content
from fairviz.report.bias_words import MEASURE_LABELS, type_label
from fairviz.report.content import Figure, Section, Table
from fairviz.report.csv import csv_text
from fairviz.report.findings import Finding
from fairviz.report.html import html_text
from fairviz.report.latex import latex_text
from pages._bias_answers import Measured
from pages._bias_settings import Chosen
from pages._shared import counts_line, download_row

STEM = "fairviz-social-bias"


class Shown(NamedTuple):
    """What the answers part of the page shows, for its downloads."""

    finding: Finding
    found: Measured
    grid: BiasGrid
    rows: list[BiasChange]
    chosen: Chosen


def downloads(name: str, measure: BiasMeasure, shown: Shown) -> None:
    """Answers: every measured row, every change, the table shown, the report."""
    download_row(
        STEM,
        frame_csv=lambda: csv_text(rows_content(shown.found.rows)),
        latex=lambda: latex_text(_changes(shown), label="tab:social-bias"),
        html=lambda: _report(name, measure, shown),
    )
    st.download_button(
        "CSV of every tested change",
        lambda: csv_text(every_change(shown.found.changes)),
        file_name=f"{STEM}-changes.csv",
        mime="text/csv",
        type="tertiary",
        icon=":material/download:",
        on_click="ignore",
        key="bias-changes-csv",
    )
    counts_line(
        "CSV: every cell with counts, six measures and bounds. LaTeX: the table of changes. HTML: "
        "all of it with charts and the published tables."
    )


def published_downloads(measure: BiasMeasure) -> None:
    """The printed tables as they are shown."""
    label = MEASURE_LABELS[measure]
    grid = view_grid(VIEWS[0], measure)
    download_row(
        f"{STEM}-published",
        frame_csv=lambda: csv_text(grid_content(grid, caption=label)),
        latex=lambda: latex_text(grid_content(grid, caption=label), label="tab:published"),
        html=lambda: html_text(
            "Social bias, published results", published_sections(measure), plotly_js=plotly_script()
        ),
    )


def published_sections(measure: BiasMeasure) -> list[Section]:
    """A report of the paper's tables: values, slopes, contradictions."""
    sections: list[Section] = []
    for view in VIEWS:
        grid = view_grid(view, measure)
        said = collections_finding(grid) if view is VIEWS[0] else view_finding(view, grid)
        caption = f"{view.label}: {MEASURE_LABELS[measure]}, percent"
        paragraphs = (said.sentence, NOT_TESTED, *flag_notes(grid))
        blocks = (grid_content(grid, caption=caption), *_figures(grid, "mean"))
        sections.append(Section(said.title, paragraphs, blocks))
    return sections


def _report(name: str, measure: BiasMeasure, shown: Shown) -> str:
    label = MEASURE_LABELS[measure]
    one = shown.grid.rows[0] if len(shown.grid.rows) == 1 else shown.chosen.who
    table = grid_content(shown.grid, caption=f"{label}, percent")
    sections = [
        Section(shown.finding.title, (shown.finding.sentence,), (_changes(shown), table, *_figures(shown.grid, one))),
        Section("Counts behind every number", (), (rows_content(shown.found.rows),)),
        *published_sections(measure),
    ]
    return html_text("Social bias", sections, lead=f"{name}.", plotly_js=plotly_script())


def _changes(shown: Shown) -> Table:
    before, after = shown.chosen.before, shown.chosen.after
    who = f" of {shown.chosen.who}" if shown.chosen.who else ""
    caption = f"Diff-Bias{who}: {after} against {before}, paired by item (Holm over tested rows)"
    return changes_content(shown.rows, reference=before, value=after, caption=caption)


def _figures(grid: BiasGrid, highlighted: str) -> Sequence[Figure]:
    bounds = slope_bounds([grid])
    figures: list[Figure] = []
    for block, name in enumerate(grid.blocks):
        light, dark = in_both_themes(
            lambda colours, block=block: slopes_figure(
                grid, block, highlighted=highlighted, bounds=bounds, colours=colours
            )
        )
        alt = slopes_alt(grid, block, highlighted=highlighted)
        caption = f"{type_label(name or grid.about)}: {highlighted or 'your answers'}"
        figures.append(Figure(light, dark, alt, caption=caption, name=STEM))
    return figures
