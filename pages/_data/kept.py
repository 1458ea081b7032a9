"""What is opened and what is kept: the study file at hand, by which version, and whether its numbers are the same."""

import streamlit as st

from fairviz import __version__
from fairviz.display.words import count, plural
from fairviz.errors import FairvizError
from fairviz.report.again import Difference, computed, differences
from fairviz.report.study_file import Study
from pages._kit import counts_line, dataset, error_box
from pages._kit.faults import as_input_error
from pages._kit.html import el
from pages._kit.study import opened_study

COMPARED = "study_compared"
NAMED = 8
"""Numbers that are named before they are counted."""


def opened_study_line() -> None:
    """Which study file is opened, who made it, what its author says; and its numbers computed again, when asked."""
    opened = opened_study()
    if opened is None:
        return
    study = opened.study
    by = study.made_by.get("fairviz", "an unknown version")
    made = (
        f"saved by fairviz {by}, as this one"
        if study.by_this_version
        else f"saved by fairviz {by}; this is {__version__}"
    )
    line = el("p", el("strong", "Study "), el("strong", study.name), f" · {made}")
    with st.container(key="study", gap="small"):
        st.html(el("div", line, el("p", study.note) if study.note else None, cls="fv-callout fv-calm", role="note"))
        if study.request is not None:
            _compare(study)


def _compare(study: Study) -> None:
    st.button("Compute its numbers again", key="study_again", icon=":material/replay:", type="tertiary", on_click=_ask)
    if st.session_state.get(COMPARED) is not True or study.request is None:
        return
    try:
        with st.spinner("Computing …"):
            found = differences(study.results, computed(dataset(), study.request))
    except FairvizError as error:
        error_box(as_input_error(error))
        return
    _say(found, sum(text.count("\n") - 1 for text in study.results.values()))


def _ask() -> None:
    st.session_state[COMPARED] = True


def _say(found: list[Difference], n_rows: int) -> None:
    """Which numbers are other than in the file."""
    others = [one for one in found if not one.in_last_digits]
    rounded = len(found) - len(others)
    if not found:
        counts_line(f"All numbers of the file are the same, to the last digit ({count(n_rows)} rows of tables).")
        return
    if rounded:
        counts_line(f"{plural(rounded, 'number')} differ in the last digits only.")
    if others:
        lines = [
            el(
                "li",
                el("code", one.table),
                f" {one.row}, {one.column}: {one.before or 'absent'} → {one.now or 'absent'}",
            )
            for one in others[:NAMED]
        ]
        if others[NAMED:]:
            lines.append(el("li", f"and {count(len(others) - NAMED)} more"))
        head = el("p", el("strong", f"{plural(len(others), 'number')} differ from those in the file"))
        st.html(el("div", head, el("ul", *lines), cls="fv-callout", role="alert"))


def _words(one: Difference) -> str:
    return f"{one.row}, {one.column}: {one.before or 'absent'} → {one.now or 'absent'}"
