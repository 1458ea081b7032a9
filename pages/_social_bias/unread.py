"""What was not read: the line at the top, and the page where it is too much for any verdict."""

import math
from collections.abc import Sequence

import streamlit as st

from fairviz.display.words import count, plural, signed
from fairviz.studies.social_bias.labels import type_label, value_text
from fairviz.studies.social_bias.rows import BiasRow
from fairviz.studies.social_bias.unread import (
    MOST_READ,
    Wording,
    most_frequent,
    read_line,
    reading_words,
    unread_finding,
)
from pages._kit import Html, callout, el, html_table, section
from pages._kit.html import notes_below
from pages._kit.link import name_mark
from pages._social_bias.results import MatchedAnswers, Settings, read_so
from pages._social_bias.scale import Scale, tick_labels

LONGEST = 90
OFFERED = 30
"""Wordings that can be chosen one by one."""


def reading(matched: MatchedAnswers, rows: Sequence[BiasRow], settings: Settings, *, calm: bool) -> None:
    """How many answers were read and how; above 2 % unread, the worst case; the reading that a person chose.

    Args:
        matched: All answers.
        rows: Rows that are looked at.
        settings: What is looked at.
        calm: Whether the title says the worst case already.
    """
    line = read_line(matched.read_by, matched.n_unread, matched.answers.items.size)
    st.html(el("p", el("strong", line.title), f" {line.sentence}", cls="fv-read"))
    n_answers = matched.answers.items.size
    found = unread_finding(
        rows, settings.measure, read_by=matched.read_by, n_unread=matched.n_unread, n_answers=n_answers
    )
    if found is not None and not calm:
        callout(found.title, found.sentence)
    if settings.read:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(el("p", f"{reading_words(chosen(matched, settings.read))}, as you chose.", cls="fv-counts"))
            st.button("Undo this reading", on_click=read_so, args=((),), type="tertiary", key="read_undo")


def chosen(matched: MatchedAnswers, read: Sequence[str]) -> list[Wording]:
    """The wordings that are read as “unknown”."""
    return [wording for wording in matched.wordings if name_mark(wording.words) in read]


def too_much(rows: Sequence[BiasRow], both: Sequence[BiasRow], matched: MatchedAnswers, settings: Settings) -> None:
    """Worst cases as hatched bands, and the wordings that a person may name as “unknown”.

    Args:
        rows: Rows that are looked at, unread answers left out.
        both: The same rows with every unread answer read as “unknown”.
        matched: Answers and their wordings.
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
        _wordings(matched)


def _bands(rows: Sequence[BiasRow], both: Sequence[BiasRow], settings: Settings) -> Html:
    measure = settings.measure
    ends = [end for row in rows for end in row.worst[measure] if not math.isnan(end)]
    low, high = min([-20.0, *ends]), max([20.0, *ends])
    air = 0.06 * (high - low)
    scale = Scale(low - air, high + air)
    as_unknown = {(row.get("model"), row.get("category")): row.values[measure] for row in both}
    drawn = [_band(row, as_unknown[row.get("model"), row.get("category")], settings, scale) for row in rows]
    several = len({row.get("model") for row in rows}) > 1
    parts: list[Html] = []
    for row, band in zip(rows, drawn, strict=True):
        kind = type_label(row.get("category"))
        worst = " to ".join(value_text(end, measure, 0) for end in row.worst[measure])
        who = f"{kind} · {settings.name(row.get('model'))}" if several else kind
        head = el("span", el("strong", who), f" {worst}")
        parts += [el("li", head, band)]
    return el("div", el("ul", *parts, cls="fv-bands"), tick_labels(scale))


def _band(row: BiasRow, as_unknown: float, settings: Settings, scale: Scale) -> Html:
    low, high = row.worst[settings.measure]
    marks = [el("span", cls="fv-zero", style=f"left:{scale.place(0.0):.1f}%")]
    if not math.isnan(low):
        left, right = scale.place(low), scale.place(high)
        marks.append(el("span", cls="fv-hatched", style=f"left:{left:.1f}%;width:{right - left:.1f}%"))
    readings = (("left out", row.values[settings.measure]), ("read as “unknown”", as_unknown))
    for _, value in readings:
        if not math.isnan(value):
            marks.append(el("span", cls="fv-dot fv-hollow fv-tone-ink", style=f"left:{scale.place(value):.1f}%"))
    said = "; ".join(f"{signed(value, 0)} unread {words}" for words, value in readings if not math.isnan(value))
    return el("span", el("span", *marks, cls="fv-band", aria_hidden="true"), el("span", said, cls="fv-below"))


def _wordings(matched: MatchedAnswers) -> None:
    every = matched.wordings
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
