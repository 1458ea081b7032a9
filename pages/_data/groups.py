"""Groups on the Data page: sizes, what has no label, the target file, subtopics as groups."""

import math

import streamlit as st

from fairviz.display.words import capital, count, number, percent, plural
from fairviz.io.options import FROM_SUBTOPICS
from fairviz.model import Dataset
from pages._data.results import Groups, group_sizes
from pages._kit import Bar, Cell, Column, callout, counts_line, el, html_table, section, uploads
from pages._kit.html import PLAIN, Tone
from pages._kit.table import swatch
from pages._kit.target_presets import first_attribute


def groups(loaded: Dataset) -> None:
    """Documents of each group, those without one, and whether the target speaks of them."""
    if not loaded.labels:
        section("No group labels are loaded")
        waits = " The target file waits for them." if loaded.target else ""
        counts_line(f"A table of documents and groups shows here how many of each are ranked.{waits}")
        _subtopics(loaded)
        return
    at, top = 0, st.container()
    if len(loaded.labels) > 1:
        names = [labels.attribute for labels in loaded.labels]
        at = (
            st.segmented_control(
                "Attribute",
                range(len(names)),
                default=first_attribute(loaded),
                key="attribute",
                required=True,
                format_func=lambda i: names[i].translate(PLAIN),
            )
            or 0
        )
    counts = group_sizes(loaded, at)
    largest = max([counts.unlabelled, *(size for _, size in counts.sizes)])
    with top:
        section(_title(counts), f"{capital(counts.attribute)} of {counts.counted}")
    html_table(
        [Column(label="Group"), "documents", "share", Column(label="", wide=True)],
        [*_rows(counts, largest), *_unlabelled_row(counts, largest)],
        caption=f"Documents by {counts.attribute}",
        narrow="scroll",
    )
    if counts.not_applicable:
        words = f"{capital(counts.attribute)} does not apply to {plural(counts.not_applicable, 'document')}"
        counts_line(f"{words}, which count in no share.")
    if counts.n_elsewhere:
        counts_line(f"{plural(counts.n_elsewhere, 'labelled document')} in no ranking")
    _target(loaded, counts)
    _subtopics(loaded)
    if loaded.runs or loaded.samples:
        with st.container(horizontal=True, gap="small"):
            st.page_link("pages/groups.py", label="Groups & targets", icon=":material/tune:")
            if loaded.runs and loaded.qrels:
                st.page_link("pages/policy_lab.py", label="Policy lab", icon=":material/balance:")


def _target(loaded: Dataset, counts: Groups) -> None:
    """What is to be said of the target file; loud where it is not used."""
    if counts.target is None:
        counts_line("No target file is loaded: set a target on Groups & targets, or load one.")
        return
    verdicts = [group_sizes(loaded, i).target for i in range(len(loaded.labels))]
    if any(verdict is not None and verdict.fits for verdict in verdicts):
        counts_line(counts.target.sentence)
        return
    known = ", ".join(group for labels in loaded.labels for group in labels.groups[:SHOWN])
    callout("The target file is refused.", f"{counts.target.sentence} Labels: {known}.")


SHOWN = 6
"""Groups of an attribute that a caveat names."""


def _subtopics(loaded: Dataset) -> None:
    """Offer to take the subtopics of uploaded judgements as groups, or to stop it."""
    used = {file.name for file in loaded.files if file.format == FROM_SUBTOPICS}
    files = [file.name for file in loaded.files if file.role == "qrels"]
    for name, qrels in zip(files, loaded.qrels, strict=False):
        known = uploads.accepted().get(name)
        if known is None or qrels.subtopics is None:
            continue
        options = known.options._replace(groups=name not in used)
        st.button(
            f"Do not use the subtopics of {name.translate(PLAIN)} as groups"
            if name in used
            else f"Use the subtopics of {name.translate(PLAIN)} as groups",
            key=f"subtopics-{name}",
            on_click=uploads.read_again,
            args=(name, options),
            icon=":material/category:",
        )


def _title(counts: Groups) -> str:
    if not counts.n_documents:
        return f"{capital(counts.attribute)} applies to no document"
    if not counts.unlabelled:
        return "All documents labelled"
    return f"{percent(counts.unlabelled_share)} unlabelled"


def _rows(counts: Groups, largest: float) -> list[list[Cell]]:
    """The largest group first; each keeps the colour of its place among the labels."""
    tones: tuple[Tone, ...] = ("group1", "group2", "group3", "group4", "group5", "group6")
    names = [name for name, _ in counts.sizes]
    return [
        [
            el("span", swatch(names, i), el("span", name), cls="fv-keyed"),
            _documents(size),
            percent(size / counts.n_documents if counts.n_documents else math.nan, 1),
            Bar(length=size / largest if largest else 0, tone=tones[i] if len(counts.sizes) <= len(tones) else "mute"),
        ]
        for i, (name, size) in sorted(enumerate(counts.sizes), key=lambda place: -place[1][1])
    ]


def _documents(size: float) -> str:
    """Documents of a group, soft labels counted by weight."""
    return count(round(size)) if size == round(size) else number(size, 1)


def _unlabelled_row(counts: Groups, largest: float) -> list[list[Cell]]:
    if not counts.unlabelled:
        return []
    return [
        [
            "no label",
            _documents(counts.unlabelled),
            percent(counts.unlabelled_share, 1),
            Bar(length=counts.unlabelled / largest, tone="unknown", hatched=True),
        ]
    ]
