"""What the paper reports beside these answers, and answers that could not be read."""

import math
from collections.abc import Sequence

import polars as pl
import streamlit as st

from fairviz.display.html import Section, html_text, section_of
from fairviz.display.latex import latex_text
from fairviz.display.table import Table, csv_text
from fairviz.display.theme import plotly_script
from fairviz.display.words import count, percent, plural, signed
from fairviz.model import Dataset
from fairviz.studies.social_bias.answers import MOST_READ, Wording, most_frequent, reading_words
from fairviz.studies.social_bias.columns import grid_table, rows_table
from fairviz.studies.social_bias.findings import WORST, read_line, unread_finding
from fairviz.studies.social_bias.labels import measure_label, short_column, type_label, value_text
from fairviz.studies.social_bias.matching import MatchedAnswers
from fairviz.studies.social_bias.measures import BiasMeasure, Leaning
from fairviz.studies.social_bias.published import (
    CITED,
    COLLECTIONS,
    NOT_TESTED,
    VIEWS,
    PublishedView,
    flag_notes,
    marks_words,
    printed_cells,
    published_view,
    stereotypical_shares,
    view_finding,
    view_table,
)
from fairviz.studies.social_bias.rows import Row
from pages._kit import callout, published_ground, section
from pages._kit.downloads import download_row
from pages._kit.html import (
    NO_BREAK,
    Cell,
    Column,
    Html,
    Two,
    around_zero,
    el,
    glyph,
    html_table,
    muted,
    notes_below,
    page_table,
)
from pages._kit.html import Row as TableRow
from pages._social_bias.results import Settings, known_wordings, read_so

LONGEST = 90
OFFERED = 30
"""Wordings that can be chosen one by one."""


def reading(loaded: Dataset, matched: MatchedAnswers, rows: Sequence[Row], settings: Settings, *, calm: bool) -> None:
    """How many answers were read and how; above 2 % unread, the worst case; the reading that a person chose.

    Args:
        loaded: Data with bias answers.
        matched: All answers.
        rows: Rows that are looked at.
        settings: What is looked at.
        calm: Whether the title says the worst case already.
    """
    read_by, n_unread, n_answers = matched.reading.read_by, matched.n_unread, len(matched.answers)
    line = read_line(read_by, n_unread, n_answers)
    st.html(el("p", el("strong", line.title), f" {line.sentence}", cls="fv-read"))
    found = unread_finding(rows, settings.asked.measure, read_by=read_by, n_unread=n_unread, n_answers=n_answers)
    if found is not None and not calm:
        callout(found.title, found.sentence)
    if settings.asked.unknown:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(el("p", f"{reading_words(chosen(loaded, settings))}, as you chose.", cls="fv-counts"))
            st.button("Undo this reading", on_click=read_so, args=((),), type="tertiary", key="read_undo")


def chosen(loaded: Dataset, settings: Settings) -> list[Wording]:
    """The wordings that are read as “unknown”."""
    return [wording for wording in known_wordings(loaded) if wording.words in settings.asked.unknown]


def too_much(rows: Sequence[Row], both: Sequence[Row], every: Sequence[Wording], settings: Settings) -> None:
    """Worst cases as bands, and the wordings that a person may name as “unknown”.

    Args:
        rows: Rows that are looked at, unread answers left out.
        both: The same rows with every unread answer read as “unknown”.
        every: Wordings of unread answers.
        settings: What is looked at.
    """
    left, right = st.columns([3, 2], gap="large")
    with left:
        section(
            "Worst case: all unread answers on one side",
            "Bars: from all against the stereotype to all towards it. Two readings beside them, neither is a finding.",
        )
        _bands(rows, both, settings)
    with right:
        _wordings(every)


def _bands(rows: Sequence[Row], both: Sequence[Row], settings: Settings) -> None:
    measure = settings.asked.measure
    ends = [f"{measure}{end}" for end in WORST]
    as_unknown = {(row["category"], row["model"]): row[measure] for row in both}

    def readings(row: TableRow) -> Cell:
        unknown = as_unknown[row.text("category"), row.text("model")]
        told = (("left out", row.number(measure)), ("read as “unknown”", unknown))
        said = "; ".join(f"{signed(value, 0)} unread {words}" for words, value in told if not math.isnan(value))
        return Two(top=" to ".join(value_text(row.number(end), measure, 0) for end in ends), below=said)

    page_table(
        rows_table(pl.DataFrame(rows, infer_schema_length=None)),
        show=("category", "model", "interval", "readings"),
        drawn={
            "category": lambda row: type_label(row.text("category")),
            "model": lambda row: settings.name(row.text("model")),
            "interval": lambda row: glyph(*map(row.number, (measure, *ends)), apart=False),
            "readings": readings,
        },
        columns={
            "category": "Bias type",
            "interval": Column(
                label="", span=around_zero([-20.0, 20.0, *(row[end] for row in rows for end in ends)]), zero=0.0
            ),
            "readings": "Diff-Bias",
        },
        caption="Worst cases of unread answers",
    )


def _wordings(every: Sequence[Wording]) -> None:
    if not every:
        section("What was not read", "Only options were recorded, no words: nothing can be read otherwise.")
        return
    section("What was not read", f"Most frequent of {plural(len(every), 'wording')}.")
    first = most_frequent(every)
    shown = [[_short(wording.words), count(wording.n)] for wording in first or every[:MOST_READ]]
    html_table(["Answer", "Times"], shown, caption="Wordings")
    with st.container(horizontal=True):
        if first:
            label = f"Read {'this' if len(first) == 1 else f'these {len(first)}'} as “unknown”"
            st.button(label, on_click=read_so, args=(first,), type="primary", key="read_these")
        with st.popover("Choose one by one"):
            places = st.multiselect(
                "Wordings that mean “unknown”",
                range(min(len(every), OFFERED)),
                format_func=lambda place: f"{_short(every[place].words)} ({count(every[place].n)})",
                key="read_choice",
            )
            picked = [every[place] for place in places]
            st.button("Read as “unknown”", on_click=read_so, args=(picked,), disabled=not picked, key="read_chosen")
    notes_below("A named reading, counted and written into every export and into the address.")


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


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
        cells, finding = printed_cells(view, measure), view_finding(view, measure)
        with head:
            section(finding.title, f"{finding.sentence} {NOT_TESTED} {marks_words(view, measure)}")
        table = grid_table(cells, caption=f"{view.label}: {measure_label(measure)}")
        _table(view, measure, cells, table)
        download_row(
            "fairviz-social-bias-published",
            "Published table",
            frame_csv=lambda: csv_text(table),
            latex=lambda: latex_text(table, label="tab:published"),
            html=lambda: html_text(
                "Social bias, published results", published_sections(measure), plotly_js=plotly_script()
            ),
            source=f"{CITED}, Table {view.number(measure)}",
        )


def published_sections(measure: BiasMeasure) -> list[Section]:
    """A report of the paper's tables: values and contradictions."""
    sections: list[Section] = []
    for view in VIEWS:
        cells, finding = printed_cells(view, measure), view_finding(view, measure)
        known = {"grid": grid_table(cells, caption=f"{view.label}: {measure_label(measure)}, percent")}
        paragraphs = (finding.sentence, NOT_TESTED, *flag_notes(cells))
        sections.append(section_of(known, finding.title, *paragraphs, blocks=["grid"]))
    return sections


def _table(view: PublishedView, measure: BiasMeasure, cells: pl.DataFrame, table: Table) -> None:
    """Models by bias type and setting, the text in the colour of its sign, bold where the paper marks; then means."""
    printed = {(cell["model"], cell["name"]): cell for cell in cells.rows(named=True)}
    names = cells.unique("name", maintain_order=True)
    heads = {
        name: Column(label=" ".join(filter(None, (type_label(block), short_column(column).replace(" ", NO_BREAK)))))
        for name, block, column in names.select("name", "block", "column").rows()
    }
    means = dict(cells.group_by("name").agg(pl.col("value").mean()).rows())
    below: list[list[Cell]] = []
    if view.slug == "retrievers":
        shares = stereotypical_shares()
        named = (percent(shares[name] / 100, 1) if name in shares else "–" for name in names["column"])
        below.append([muted("stereotypical documents"), *map(muted, named)])
    below.append([muted("mean"), *(muted(value_text(means[name], measure)) for name in heads)])
    page_table(
        table,
        drawn={name: lambda row, name=name: _printed(printed[row.text("model"), name], measure) for name in heads},
        columns={"model": "Model", **heads},
        below=below,
        caption=f"{measure_label(measure)}, published",
        narrow="scroll",
    )
    remarks = [remark for remark in view_table(view, measure).remarks if not remark.startswith("The paper marks")]
    notes_below(*(f"{DAGGER} {note}" for note in flag_notes(cells)), *remarks)


def _printed(cell: Row, measure: BiasMeasure) -> Html:
    value, flag = cell["value"], cell["flag"]
    tone = "" if not cell["signed"] or not value else "fv-tone-optimal" if value > 0 else "fv-tone-plackett-luce"
    text = el("strong" if cell["bold"] else "span", value_text(value, measure), cls=tone)
    return el("span", text, el("sup", DAGGER) if flag else None, title=flag or None)
