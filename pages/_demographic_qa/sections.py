"""What is seen first: right answers about each group, by how much groups differ, what retrieval gave them."""

import streamlit as st

from fairviz.display.words import capital, percent
from fairviz.model import Dataset
from fairviz.studies.demographic_qa.combinations import as_results
from fairviz.studies.demographic_qa.conditions import widest_ends, widest_first
from fairviz.studies.demographic_qa.figures_groups import groups_alt, groups_figure, shared_span
from fairviz.studies.demographic_qa.findings import (
    alone_words,
    counts_words,
    doses_title,
    headline,
    next_step,
    panels_title,
    unread_of,
    verdict_words,
)
from fairviz.studies.demographic_qa.joins import AS_THEY_STAND, unread_words
from fairviz.studies.demographic_qa.names import CAUTION, CAUTION_TITLE, heading, shortened, unit_of
from fairviz.studies.demographic_qa.rows import VariantRow
from fairviz.studies.demographic_qa.tables import VariantResults, tables
from fairviz.studies.demographic_qa.tables_retrieval import REFERENCE
from fairviz.studies.demographic_qa.views import group_panel
from pages._demographic_qa.results import Settings, cases_of, doses_of, guess_of, whose
from pages._kit import (
    Column,
    Glyph,
    Row,
    Toned,
    Two,
    around_zero,
    callout,
    counts_line,
    el,
    header,
    muted,
    page_table,
    section,
    show_chart,
)

IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""


def head(loaded: Dataset, settings: Settings, how: str) -> None:
    """Who gets fewer right answers, what to do next, how many answers were read, how far all this goes."""
    selected = settings.selected
    finding = headline(selected.rows, unit=unit_of(selected.kind, settings.threshold), who=whose(settings))
    what_next = next_step(selected.rows, kind=selected.kind)
    header(f"Demographic QA · {loaded.name}", finding.title, finding.sentence, how=how)
    st.html(el("p", what_next, cls="fv-next"))
    if unread := unread_words(*unread_of(selected.rows), kind=selected.kind):
        callout(unread.title, unread.sentence)
    callout(CAUTION_TITLE, CAUTION)


def accuracy(loaded: Dataset, settings: Settings) -> None:
    """A panel per attribute, on one scale that no control but the outcome moves; significant gaps first."""
    selected = settings.selected
    rows, unit = widest_first(selected.rows), unit_of(selected.kind, settings.threshold)
    guess = guess_of(loaded, selected.file, selected.by)
    guessing = f" Guessing would be right in {percent(guess)} (dotted)." if guess == guess else ""
    section(
        panels_title(rows),
        f"{capital(unit)}, %, with 95 % intervals (bootstrap over questions). Dashed: the same questions "
        f"with nobody mentioned.{guessing}",
    )
    alike = [combination for combination in settings.answers if combination.kind == selected.kind]
    span = shared_span([group_panel(row, unit=unit) for combination in alike for row in combination.rows])
    for start in range(0, len(rows), IN_A_ROW):
        columns = st.columns(min(IN_A_ROW, max(len(rows), 2)), gap="medium")
        for column, row in zip(columns, rows[start : start + IN_A_ROW], strict=False):
            with column:
                st.html(el("h3", heading(row.attribute), cls="fv-part"))
                groups_chart(row, unit, span, guess)


def groups_chart(row: VariantRow, unit: str, span: tuple[float, float], guess: float) -> None:
    """The rates of one attribute's groups."""
    panel = group_panel(row, unit=unit, guess=guess)
    key = f"answers-{row.attribute.replace('+', '-')}"
    show_chart(lambda palette: groups_figure(panel, span=span, colours=palette), key, groups_alt(panel))


def gaps_and_doses(loaded: Dataset, settings: Settings) -> None:
    """The widest gap of each attribute with its test, beside what retrieval gave each group."""
    doses = tables(VariantResults(doses=doses_of(loaded, settings)))["doses"]
    if not doses.rows:
        section("The widest gap of each attribute", GAPS)
        gaps_table(loaded, settings, settings.selected.rows)
        counts_line(
            "No documents were given, or nothing is recorded of them: columns retrieved (document ids) and evidence "
            "(true or false) say what retrieval gave each group."
        )
        return
    left, right = st.columns([6, 5], gap="large")
    with left:
        section("The widest gap of each attribute", GAPS)
        gaps_table(loaded, settings, settings.selected.rows)
    with right:
        section(doses_title(cases_of(loaded, settings), settings.selected.rows), DOSES)
        page_table(
            doses,
            show=[
                key
                for key in ("value", "overlap_neutral", "evidence", "right_with", "right_without")
                if key in doses.keys
            ],
            drawn={"value": _group},
            columns={
                "value": "Group",
                "overlap_neutral": Column(label="same documents", align="right"),
                "evidence": Column(label="right evidence", align="right"),
                "right_with": Column(label="right with it", align="right"),
                "right_without": Column(label="right without", align="right"),
            },
            narrow="scroll",
        )


GAPS = (
    "Points between the best and the worst group on the same questions, with 95 % interval; filled = unlikely to be "
    "chance. Chance alone makes the widest gap larger than 0, too: the grey number."
)
DOSES = (
    "Same documents: in common with the list for the question that mentions nobody, %. Right with it, right without: "
    "right answers with and without the right evidence, %."
)


def gaps_table(loaded: Dataset, settings: Settings, rows: tuple[VariantRow, ...]) -> None:
    """One line per attribute: the gap, what chance gives, who alone was right."""
    unit = unit_of(settings.selected.kind, settings.threshold)
    shown = widest_first(rows)
    of_attribute = {row.attribute: row for row in shown}
    (results,) = as_results(loaded, [settings.selected._replace(rows=tuple(shown))], threshold=settings.threshold)
    span = around_zero([end for row in shown for end in (100 * row.dp, *_points_between(row))])
    page_table(
        tables(VariantResults(answers=[results]))["rows"],
        show=("attribute", "dp", "bar", "words"),
        drawn={
            "attribute": lambda row: _pair(of_attribute[row.text("attribute")]),
            "bar": lambda row: _gap_bar(of_attribute[row.text("attribute")]),
            "dp": lambda row: _points(row),
            "words": lambda row: _said(of_attribute[row.text("attribute")], unit),
        },
        columns={
            "attribute": "Groups",
            "bar": Column(label="95 % interval", span=span, zero=0.0),
            "dp": Column(label="gap, points", align="right"),
            "words": Column(label="In words"),
        },
        caption="The widest gap of each attribute",
    )
    counts_line(counts_words(rows))
    if settings.selected.kind == "open":
        counts_line(AS_THEY_STAND)


def _pair(row: VariantRow) -> Two:
    pair = f"{shortened(row.best)} − {shortened(row.worst)}" if row.best != row.worst else "all equal"
    return Two(top=heading(row.attribute), below=pair if row.best else "")


def _points_between(row: VariantRow) -> tuple[float, float]:
    """The interval of best − worst that every sentence prints; NaN where there is none."""
    for ends in widest_ends([row]):
        sign = 1 if ends.gap.first == ends.best.value else -1
        low, high = sorted(100 * sign * end for end in ends.interval)
        return low, high
    return float("nan"), float("nan")


def _gap_bar(row: VariantRow) -> Glyph | str:
    low, high = _points_between(row)
    if row.dp != row.dp or low != low:
        return ""
    filled = verdict_words(row) == "significant"
    return Glyph(value=100 * row.dp, low=low, high=high, filled=filled, tone="loss")


def _points(row: Row) -> Two | str:
    if row["dp"] is None or row.number("dp") != row.number("dp"):
        return "undefined"
    chance = row.number("dp_chance") if "dp_chance" in row else float("nan")
    below = "" if chance != chance else f"by chance {100 * chance:.1f}"
    return Two(top=f"{100 * row.number('dp'):.1f}", below=below)


def _said(row: VariantRow, unit: str) -> Two:
    verdict = verdict_words(row)
    return Two(top=verdict, below=alone_words(row, unit=unit), tone="loss" if verdict == "significant" else "mute")


def _group(row: Row) -> Toned | str:
    value = shortened(row.text("value"))
    return muted(f"{value} (nobody)") if row.text("attribute") == REFERENCE else value
