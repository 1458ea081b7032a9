"""Export, first part: the whole study as one file, to go on with later or elsewhere."""

import re
from dataclasses import replace

import streamlit as st

from fairviz.display.words import plural
from fairviz.model import Dataset
from fairviz.report.answers import Reading
from fairviz.report.study_file import SUFFIX
from fairviz.report.study_settings import Settings
from pages._demographic_qa.results import counted_elsewhere
from pages._kit import callout, counts_line, download, section
from pages._kit.pins import pinned_figures, pinned_tables
from pages._kit.study import saving
from pages._social_bias.results import read_elsewhere


def save_part(loaded: Dataset) -> None:
    """Its name, a note to whoever opens it, and the button that writes it."""
    section(
        "Save study",
        "One file with the data, the settings of every page, what you pinned, and the numbers with the versions that "
        "computed them. Drop it on Data to go on, or start with it: fairviz app FILE",
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        asked = st.text_input(
            "Name", loaded.name, max_chars=100, key="study_name_saved", persist_state="session", width=200
        )
        name = asked.strip() or loaded.name
        refused: list[str] = st.session_state.setdefault("study_refused", [])
        note = st.text_input("Note for whoever opens it", key="study_note", persist_state="session", width=420)
        download(
            "Save study",
            saving(name, note, reading, refused),
            file_name=file_name(name),
            mime="application/zip",
            key="study_saved",
            icon=":material/save:",
            kind="primary",
            notes=refused,
        )
    for line in refused:
        callout("Saved without some numbers", line, calm=True)
    pins = len(pinned_figures()) + len(pinned_tables())
    pinned = f" and {plural(pins, 'pin')}" if pins else ""
    n = plural(len({file.name for file in loaded.files}), "file")
    counts_line(f"It holds the content of {n}{pinned}: send it to people who may have the data.")


def file_name(name: str) -> str:
    """What the file is called, on every system."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "study"
    return f"{stem}{SUFFIX}"


def reading(loaded: Dataset, settings: Settings) -> Reading | None:
    """How the pages of recorded answers read them; None where there are no answers.

    Args:
        loaded: The data.
        settings: Of all pages.
    """
    if not (loaded.bias_predictions or loaded.variants):
        return None
    counted = counted_elsewhere(settings.pages.get("Demographic QA", {}))
    return replace(counted, unknown=read_elsewhere(loaded, settings.pages.get("Social bias", {})))
