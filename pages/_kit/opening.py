"""What a fresh session begins with: files that the dashboard was started with; and whether they are still the same."""

import os
from dataclasses import replace

import streamlit as st

from fairviz.cli.app import OPENED
from fairviz.display.words import listing
from fairviz.io.given import Given, Stamps, changed, from_text, known, stamps
from fairviz.model import Dataset, Note
from fairviz.report.study_file import Study, saved_study
from pages._kit import uploads
from pages._kit.browser import SIGNED, wrote
from pages._kit.html import el, join
from pages._kit.study import read_saved, take_up

BEGUN, READ_AT = "begun", "read_at"
LOOK = 2.0
"""Seconds between two looks at files of the disk."""
NAMED = 3
"""Files that a notice names before it counts."""


def given() -> tuple[Given, ...]:
    """Files and folders that the launcher named."""
    return from_text(os.environ.get(OPENED, ""))


def begin() -> None:
    """Open the files in a fresh session; call it before anything else looks at the data."""
    if BEGUN in st.session_state:
        return
    st.session_state[BEGUN] = True
    if given() and "dataset" not in st.session_state:
        load()
        if wrote(st.query_params.get(SIGNED, ""), st.query_params.get("data", "")):
            del st.query_params["data"]  # a reload: the settings are for the files as they are now


def load() -> None:
    """Work on the files as they are now, all of them read anew if one has changed."""
    now = stamps(given())
    st.session_state[READ_AT] = now
    found, saved = _read(now)
    uploads.adopt(found, shared=True)
    if saved is not None:
        take_up(saved, found.dataset)


@st.cache_resource(max_entries=1, show_spinner="Reading the files …")
def _read(now: Stamps) -> tuple[uploads.Opened, Study | None]:
    """The files, or the study that is one, read once for all sessions as long as they stay what they are."""
    del now  # it is the key
    try:
        if (source := saved_study(given())) is not None:
            return read_saved(source)
    except Exception as error:  # it was whole when the dashboard was started
        return uploads.Opened(Dataset(name=uploads.NAME), {}, [uploads.refusal(given()[0].path, error)]), None
    return _read_files(), None


def _read_files() -> uploads.Opened:
    files, left_out = known(given())
    folder = given()[0].path
    name = folder.name if len(given()) == 1 and folder.is_dir() else uploads.NAME
    found = uploads.opened(((file.path.name, file.path, file.options) for file in files), name)
    notes = tuple(Note(path.name, None, "is not recognised and was left out") for path in left_out)
    return found._replace(dataset=replace(found.dataset, notes=(*found.dataset.notes, *notes)))


def say_changed() -> None:
    """A line where files of the disk are no longer what was read, with a button that reads them again."""
    if READ_AT in st.session_state:
        st.fragment(_look, run_every=LOOK)()


def _look() -> None:
    names = changed(st.session_state[READ_AT], stamps(given()))
    if not names:
        return
    some = listing([*names[:NAMED], *([f"{len(names) - NAMED} more"] if names[NAMED:] else [])])
    title = f"{some} changed on the disk"
    text = "What you see is of the files as they were read before; all of them are read again together."
    with st.container(key="changed"):
        st.html(el("div", join(el("p", el("strong", title)), el("p", text)), cls="fv-callout", role="alert"))
        if st.button("Load again", icon=":material/refresh:", type="tertiary"):
            load()
            st.rerun()
