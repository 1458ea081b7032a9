"""What is opened and what is kept: the study file at hand, by which version, and whether its numbers are the same."""

import streamlit as st

from fairviz import __version__
from fairviz.display.words import count, listing, plural
from fairviz.errors import InputError, OutputError
from fairviz.model import Dataset
from fairviz.report.again import Difference, Numbers, computed, differences
from fairviz.report.assemble import Request
from fairviz.report.study_file import Study
from fairviz.report.study_settings import Settings
from pages._kit import counts_line, dataset, error_box, is_example, keeping, opening, set_dataset, uploads
from pages._kit.cache import cached
from pages._kit.faults import as_input_error
from pages._kit.html import el
from pages._kit.pins import pinned_figures, pinned_tables, unpin_all
from pages._kit.room import megabytes
from pages._kit.settings import restore_settings
from pages._kit.study import opened_study


def kept_line() -> None:
    """What outlives this tab, where it is, and how it is deleted."""
    place = keeping.workspace()
    if place is None:
        if opening.given():
            counts_line("Files are read where they are on the disk; nothing is copied.")
        elif uploads.accepted():
            counts_line("Nothing is kept here: files live in this tab until it is closed. Export saves the study.")
        return
    try:
        files, size = place.files(), place.size
    except OutputError as error:
        error_box(as_input_error(error))
        return
    if error := keeping.failure():
        error_box(InputError(f"not kept: {error.reason}", file=error.file, fix=error.fix))
    pins = len(pinned_figures()) + len(pinned_tables())
    kept = [f"{plural(len(files), 'file')} ({megabytes(size)})"] if files else []
    kept += ["your settings"]
    kept += [plural(pins, "pin")] if pins else []
    with st.container(key="kept", horizontal=True, vertical_alignment="center", gap="small"):
        text = f"Kept on this machine until you delete it: {listing(kept)}, in "
        st.html(el("p", text, el("code", str(place.folder)), cls="fv-counts"))
        if files and is_example():
            st.button("Open what is kept", icon=":material/folder_open:", type="tertiary", on_click=opening.open_kept)
        st.button("Delete what is kept", icon=":material/delete:", type="tertiary", on_click=_delete)


def _delete() -> None:
    opening.delete_kept()
    unpin_all()
    uploads.forget()
    set_dataset(None)
    restore_settings(Settings())


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
    other = f"; this is {__version__}, and its numbers may differ"
    made = f"saved by fairviz {by}{'' if study.by_this_version else other}"
    line = el("p", el("strong", "Study "), el("strong", study.name), f" · {made}")
    with st.container(key="study", gap="small"):
        st.html(el("div", line, el("p", study.note) if study.note else None, cls="fv-callout fv-calm", role="note"))
        for refused in study.refused:
            counts_line(f"Saved without numbers of {refused}")
        if study.request is not None and study.results:
            _compare(study)


def _compare(study: Study) -> None:
    loaded = dataset()
    st.button(
        "Compute its numbers again",
        key="study_again",
        icon=":material/replay:",
        type="tertiary",
        on_click=lambda: st.session_state.update({COMPARED: loaded.fingerprint}),
    )
    if st.session_state.get(COMPARED) != loaded.fingerprint or study.request is None:
        return
    with st.spinner("Computing …"):
        now = _numbers(loaded, study.request)
    for refused in now.refused:
        counts_line(f"Cannot be computed again: {refused}")
    _say(differences(study.results, now.tables), sum(text.count("\n") - 1 for text in study.results.values()))


@cached
def _numbers(loaded: Dataset, request: Request) -> Numbers:
    return computed(loaded, request)


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
