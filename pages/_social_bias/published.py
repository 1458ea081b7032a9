"""What the paper prints, behind a switch and on a ground of its own: nobody takes it for the loaded answers."""

import streamlit as st

from fairviz.display.html import Section, html_text, section_of
from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.theme import plotly_script
from fairviz.display.words import Finding, percent
from fairviz.studies.social_bias.grids import MEAN, BiasGrid, Marks, marks
from fairviz.studies.social_bias.labels import MEASURE_LABELS, short_column, type_label, value_text
from fairviz.studies.social_bias.measures import BiasMeasure, Leaning
from fairviz.studies.social_bias.published import (
    CITED,
    COLLECTIONS,
    NOT_TESTED,
    VIEWS,
    PublishedView,
    collections_finding,
    flag_notes,
    marks_words,
    published_view,
    stereotypical_shares,
    view_finding,
    view_grid,
    view_table,
)
from fairviz.studies.social_bias.tables import BiasResults, tables
from pages._kit import Html, download_row, el, published_ground, section
from pages._kit.html import notes_below

DAGGER = "†"
QUANTITIES: dict[str, dict[Leaning, BiasMeasure]] = {
    "Diff-Bias": {"diffbias_a": "diffbias_a", "diffbias_d": "diffbias_d"},
    "accuracy": {"diffbias_a": "acc_a", "diffbias_d": "acc_d"},
}


def published(context: Leaning) -> None:
    """The switch, off at first; the tables are made when it is on."""
    with published_ground(f"{CITED}, Tables 2–12") as shown:
        if not shown:
            return
        head = st.container()
        with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
            slug = st.segmented_control(
                "Table of the paper",
                [view.slug for view in VIEWS],
                default=COLLECTIONS.slug,
                format_func=lambda slug: published_view(slug).label,
                key="table",
                bind="query-params",
                required=True,
            )
            quantity = st.segmented_control(
                "Printed values", list(QUANTITIES), default="Diff-Bias", key="show", bind="query-params", required=True
            )
        view, measure = published_view(slug or COLLECTIONS.slug), QUANTITIES[quantity or "Diff-Bias"][context]
        grid = view_grid(view, measure)
        finding = finding_of(view, grid)
        with head:
            section(finding.title, f"{finding.sentence} {NOT_TESTED} {marks_words(view, grid)}")
        _table(view, measure, grid)
        known = tables(BiasResults(grid=grid, about=f"{view.label}: {MEASURE_LABELS[measure]}"))
        download_row(
            "fairviz-social-bias-published",
            "Published table",
            frame_csv=lambda: csv_text(known["grid"]),
            latex=lambda: latex_text(known["grid"], label="tab:published"),
            html=lambda: html_text(
                "Social bias, published results", published_sections(measure), plotly_js=plotly_script()
            ),
            source=f"{CITED}, Table {view.number(measure)}",
        )


def finding_of(view: PublishedView, grid: BiasGrid) -> Finding:
    """Title and sentence of a printed table."""
    return collections_finding(grid) if view is COLLECTIONS else view_finding(view, grid)


def published_sections(measure: BiasMeasure) -> list[Section]:
    """A report of the paper's tables: values and contradictions."""
    sections: list[Section] = []
    for view in VIEWS:
        grid = view_grid(view, measure)
        finding = finding_of(view, grid)
        known = tables(BiasResults(grid=grid, about=f"{view.label}: {MEASURE_LABELS[measure]}, percent"))
        paragraphs = (finding.sentence, NOT_TESTED, *flag_notes(grid))
        sections.append(section_of(known, finding.title, *paragraphs, blocks=["grid"]))
    return sections


def _table(view: PublishedView, measure: BiasMeasure, grid: BiasGrid) -> None:
    """Models by bias type and setting, the text in the colour of its sign, bold where the paper marks."""
    marked = marks(grid, view.rule(measure))
    rows = [_row(grid, marked, i) for i in range(len(grid.rows))]
    if view.slug == "retrievers":
        shares = stereotypical_shares()
        cells = (el("td", percent(shares[name] / 100, 1) if name in shares else "–") for name in grid.columns)
        rows.append(el("tr", el("th", "stereotypical documents", scope="row"), *cells, cls="fv-mean"))
    caption = f"{MEASURE_LABELS[measure]}, published"
    inside = el(
        "table",
        el("caption", caption, cls="fv-unseen"),
        el("thead", *_heads(grid)),
        el("tbody", *rows, _mean_row(grid)),
        cls="fv-table fv-signed",
    )
    st.html(el("div", inside, cls="fv-scroll", tabindex=0, role="region", aria_label=caption))
    remarks = [remark for remark in view_table(view, measure).remarks if not remark.startswith("The paper marks")]
    notes_below(*(f"{DAGGER} {note}" for note in flag_notes(grid)), *remarks)


def _heads(grid: BiasGrid) -> list[Html]:
    below = [
        el("th", short_column(name), scope="col", cls="" if i else "fv-first")
        for _ in grid.blocks
        for i, name in enumerate(grid.columns)
    ]
    corner = el("th", el("span", "Model", cls="fv-unseen"), scope="col")
    if grid.blocks == ("",):
        return [el("tr", corner, *below)]
    span = len(grid.columns)
    above = (
        el("th", type_label(name), scope="colgroup", colspan=span, cls="fv-types fv-first") for name in grid.blocks
    )
    return [el("tr", el("td"), *above), el("tr", corner, *below)]


def _row(grid: BiasGrid, marked: Marks, row: int) -> Html:
    cells: list[Html] = []
    for block in range(len(grid.blocks)):
        for column in range(len(grid.columns)):
            at = (row, block, column)
            flag = grid.flags.get(at)
            text = _value(float(grid.values[at]), grid)
            dagger = el("sup", DAGGER) if flag else None
            shown = el("strong", text) if marked[at] else text
            cells.append(el("td", shown, dagger, cls="" if column else "fv-first", title=flag))
    return el("tr", el("th", grid.rows[row], scope="row"), *cells)


def _value(value: float, grid: BiasGrid) -> Html:
    tone = "" if not grid.signed or not value else "fv-tone-optimal" if value > 0 else "fv-tone-plackett-luce"
    return el("span", value_text(value, grid.measure), cls=tone)


def _mean_row(grid: BiasGrid) -> Html:
    cells = (el("td", value_text(float(value), grid.measure)) for value in grid.mean.ravel())
    return el("tr", el("th", MEAN, scope="row"), *cells, cls="fv-mean")
