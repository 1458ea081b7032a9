"""Export, first part: the whole study as one file, to go on with later or elsewhere."""

import re

import streamlit as st

from fairviz.display.words import plural
from fairviz.model import Dataset
from fairviz.report.study_file import SUFFIX
from pages._kit import counts_line, download, section
from pages._kit.pins import pinned_figures, pinned_tables
from pages._kit.study import saving


def save_part(loaded: Dataset) -> None:
    """A note to whoever opens the file, and the button that writes it."""
    section(
        "Save study",
        "One file with the data, the settings of every page, what you pinned, and the numbers with the versions that "
        f"computed them. Drop it on Data, or run: fairviz app {file_name(loaded)}",
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        note = st.text_input("Note for whoever opens it", key="study_note", persist_state="session", width=420)
        download(
            "Save study",
            saving(note),
            file_name=file_name(loaded),
            mime="application/zip",
            key="study",
            icon=":material/save:",
            kind="primary",
        )
    pins = len(pinned_figures()) + len(pinned_tables())
    pinned = f" and {plural(pins, 'pin')}" if pins else ""
    n = plural(len({file.name for file in loaded.files}), "file")
    counts_line(f"It holds the content of {n}{pinned}: send it to people who may have the data.")


def file_name(loaded: Dataset) -> str:
    """What the file is called, on every system."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", loaded.name).strip("-").lower() or "study"
    return f"{stem}{SUFFIX}"
