"""Downloads of the Social bias page: all cells as CSV, the table shown as LaTeX, all as HTML."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from fairviz.show.html import Figure, Section, html_text, section_of
from fairviz.show.latex import latex_text
from fairviz.show.table import Table, csv_text
from fairviz.show.theme import in_both_themes, plotly_script
from fairviz.show.words import Finding
from fairviz.studies.social_bias.changes import BiasChange
from fairviz.studies.social_bias.figures_slopes import slope_bounds, slopes_alt, slopes_figure
from fairviz.studies.social_bias.grids import MEAN, BiasGrid
from fairviz.studies.social_bias.labels import MEASURE_LABELS, type_label
from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.published import (
    COLLECTIONS,
    NOT_TESTED,
    VIEWS,
    collections_finding,
    flag_notes,
    view_finding,
    view_grid,
)
from fairviz.studies.social_bias.tables import BiasResults, tables
from pages._kit import counts_line, download, download_row
from pages._social_bias.results import Measured, Settings

STEM = "fairviz-social-bias"


class AnswersView(NamedTuple):
    """What the answers part of the page shows, for its downloads."""

    finding: Finding
    measured: Measured
    grid: BiasGrid
    changes: list[BiasChange]
    settings: Settings


def downloads(name: str, measure: BiasMeasure, view: AnswersView) -> None:
    """Answers: every measured row, every change, the table shown, the report."""
    every, shown = partial(tables, BiasResults(view.measured.rows, view.measured.changes)), partial(_shown, view)
    download_row(
        STEM,
        frame_csv=lambda: csv_text(every()["rows"]),
        latex=lambda: latex_text(shown()["changes-printed"], label="tab:social-bias"),
        html=lambda: _report(name, measure, view),
    )
    download(
        "CSV of every tested change",
        lambda: csv_text(every()["changes"]),
        file_name=f"{STEM}-changes.csv",
        mime="text/csv",
        key="bias-changes-csv",
    )
    counts_line(
        "CSV: every cell with counts, six measures and bounds. LaTeX: the table of changes. HTML: "
        "all of it with charts and the published tables."
    )


def published_downloads(measure: BiasMeasure) -> None:
    """The printed tables as they are shown."""
    known = tables(BiasResults(grid=view_grid(COLLECTIONS, measure), about=MEASURE_LABELS[measure]))
    download_row(
        f"{STEM}-published",
        frame_csv=lambda: csv_text(known["grid"]),
        latex=lambda: latex_text(known["grid"], label="tab:published"),
        html=lambda: html_text(
            "Social bias, published results", published_sections(measure), plotly_js=plotly_script()
        ),
    )


def published_sections(measure: BiasMeasure) -> list[Section]:
    """A report of the paper's tables: values, slopes, contradictions."""
    sections: list[Section] = []
    for view in VIEWS:
        grid = view_grid(view, measure)
        finding = collections_finding(grid) if view is COLLECTIONS else view_finding(view, grid)
        known = tables(BiasResults(grid=grid, about=f"{view.label}: {MEASURE_LABELS[measure]}, percent"))
        paragraphs = (finding.sentence, NOT_TESTED, *flag_notes(grid))
        sections.append(section_of(known, finding.title, *paragraphs, blocks=["grid", *_figures(grid, MEAN)]))
    return sections


def _report(name: str, measure: BiasMeasure, view: AnswersView) -> str:
    highlighted = view.grid.rows[0] if len(view.grid.rows) == 1 else view.settings.who
    known = _shown(view, about=f"{MEASURE_LABELS[measure]}, percent")
    blocks = ("changes-printed", "grid", *_figures(view.grid, highlighted))
    sections = [
        section_of(known, view.finding.title, view.finding.sentence, blocks=blocks),
        section_of(known, "Counts behind every number", blocks=["rows"]),
        *published_sections(measure),
    ]
    return html_text("Social bias", sections, lead=f"{name}.", plotly_js=plotly_script())


def _shown(view: AnswersView, about: str = "") -> dict[str, Table]:
    """Every row, the changes that the page shows, and its grid."""
    settings = view.settings
    return tables(
        BiasResults(
            view.measured.rows,
            view.changes,
            reference=settings.before,
            value=settings.after,
            who=settings.who,
            grid=view.grid,
            about=about,
        )
    )


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
