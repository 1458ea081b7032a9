"""What the paper reports beside these answers, and answers that could not be read."""

import math
from collections.abc import Sequence

import streamlit as st

from fairviz.display.html import Section, html_text, section_of
from fairviz.display.latex import latex_text
from fairviz.display.published import Rule
from fairviz.display.table import csv_text
from fairviz.display.theme import plotly_script
from fairviz.display.words import count, percent, plural, signed
from fairviz.model import Dataset
from fairviz.studies.social_bias.answers import MOST_READ, Wording, most_frequent, reading_words
from fairviz.studies.social_bias.columns import grid_table
from fairviz.studies.social_bias.findings import WORST, read_line, unread_finding
from fairviz.studies.social_bias.labels import measure_label, short_column, type_label, value_text
from fairviz.studies.social_bias.matching import MatchedAnswers
from fairviz.studies.social_bias.measures import BiasMeasure, Leaning
from fairviz.studies.social_bias.published import (
    CITED,
    COLLECTIONS,
    MEAN,
    NOT_TESTED,
    VIEWS,
    BiasGrid,
    PublishedView,
    flag_notes,
    marks_words,
    published_view,
    stereotypical_shares,
    view_finding,
    view_grid,
    view_table,
)
from fairviz.studies.social_bias.rows import Row
from pages._kit import callout, published_ground, section
from pages._kit.downloads import download_row
from pages._kit.html import Html, el, html_table, notes_below
from pages._social_bias.results import Scale, Settings, known_wordings, read_so, tick_labels

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
    """Worst cases as hatched bands, and the wordings that a person may name as “unknown”.

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
            "Hatched: from all against the stereotype to all towards it. Points: two readings, neither is a finding.",
        )
        st.html(_bands(rows, both, settings))
    with right:
        _wordings(every)


def _bands(rows: Sequence[Row], both: Sequence[Row], settings: Settings) -> Html:
    measure = settings.asked.measure
    ends = [end for row in rows for end in _worst(row, measure) if not math.isnan(end)]
    low, high = min([-20.0, *ends]), max([20.0, *ends])
    air = 0.06 * (high - low)
    scale = Scale(low - air, high + air)
    as_unknown = {(row["model"], row["category"]): row[measure] for row in both}
    drawn = [_band(row, as_unknown[row["model"], row["category"]], settings, scale) for row in rows]
    several = len({row["model"] for row in rows}) > 1
    parts: list[Html] = []
    for row, band in zip(rows, drawn, strict=True):
        kind = type_label(row["category"])
        worst = " to ".join(value_text(end, measure, 0) for end in _worst(row, measure))
        who = f"{kind} · {settings.name(row['model'])}" if several else kind
        head = el("span", el("strong", who), f" {worst}")
        parts += [el("li", head, band)]
    return el("div", el("ul", *parts, cls="fv-bands"), tick_labels(scale))


def _worst(row: Row, measure: Leaning) -> tuple[float, float]:
    low, high = (row[f"{measure}{end}"] for end in WORST)
    return low, high


def _band(row: Row, as_unknown: float, settings: Settings, scale: Scale) -> Html:
    low, high = _worst(row, settings.asked.measure)
    marks = [el("span", cls="fv-zero", style=f"left:{scale.place(0.0):.1f}%")]
    if not math.isnan(low):
        left, right = scale.place(low), scale.place(high)
        marks.append(el("span", cls="fv-hatched", style=f"left:{left:.1f}%;width:{right - left:.1f}%"))
    readings = (("left out", row[settings.asked.measure]), ("read as “unknown”", as_unknown))
    for _, value in readings:
        if not math.isnan(value):
            marks.append(el("span", cls="fv-dot fv-hollow fv-tone-ink", style=f"left:{scale.place(value):.1f}%"))
    said = "; ".join(f"{signed(value, 0)} unread {words}" for words, value in readings if not math.isnan(value))
    return el("span", el("span", *marks, cls="fv-band", aria_hidden="true"), el("span", said, cls="fv-below"))


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
        grid = view_grid(view, measure)
        finding = view_finding(view, measure)
        with head:
            section(finding.title, f"{finding.sentence} {NOT_TESTED} {marks_words(view, grid)}")
        _table(view, measure, grid)
        table = grid_table(grid, caption=f"{view.label}: {measure_label(measure)}")
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
        grid = view_grid(view, measure)
        finding = view_finding(view, measure)
        known = {"grid": grid_table(grid, caption=f"{view.label}: {measure_label(measure)}, percent")}
        paragraphs = (finding.sentence, NOT_TESTED, *flag_notes(grid))
        sections.append(section_of(known, finding.title, *paragraphs, blocks=["grid"]))
    return sections


def _table(view: PublishedView, measure: BiasMeasure, grid: BiasGrid) -> None:
    """Models by bias type and setting, the text in the colour of its sign, bold where the paper marks."""
    rows = [_row(grid, i, view.layout(measure).rule) for i in range(len(grid.rows))]
    if view.slug == "retrievers":
        shares = stereotypical_shares()
        cells = (el("td", percent(shares[name] / 100, 1) if name in shares else "–") for name in grid.columns)
        rows.append(el("tr", el("th", "stereotypical documents", scope="row"), *cells, cls="fv-mean"))
    caption = f"{measure_label(measure)}, published"
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


def _row(grid: BiasGrid, row: int, rule: Rule) -> Html:
    cells: list[Html] = []
    for block in range(len(grid.blocks)):
        for column, bold in enumerate(grid.is_bold(row, block, rule)):
            at = (row, block, column)
            flag = grid.flags.get(at)
            text = _value(float(grid.values[at]), grid)
            dagger = el("sup", DAGGER) if flag else None
            cells.append(
                el("td", el("strong", text) if bold else text, dagger, cls="" if column else "fv-first", title=flag)
            )
    return el("tr", el("th", grid.rows[row], scope="row"), *cells)


def _value(value: float, grid: BiasGrid) -> Html:
    tone = "" if not grid.signed or not value else "fv-tone-optimal" if value > 0 else "fv-tone-plackett-luce"
    return el("span", value_text(value, grid.measure), cls=tone)


def _mean_row(grid: BiasGrid) -> Html:
    cells = (el("td", value_text(float(value), grid.measure)) for value in grid.mean.ravel())
    return el("tr", el("th", MEAN, scope="row"), *cells, cls="fv-mean")
