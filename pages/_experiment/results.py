"""What a study left behind, opened on the other pages."""

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from fairviz.display.words import plural
from fairviz.experiments.runner import ANSWERS_READ, Experiment
from fairviz.experiments.studies import Study
from fairviz.io.manifest import MANIFEST
from fairviz.io.options import Options
from pages._kit import counts_line, page_table, section, uploads
from pages._kit.controls import choose_name

PAGES = {
    "rankings": (("pages/tradeoff.py", "Trade-off"), ("pages/attribution.py", "Attribution")),
    "bias": (("pages/social_bias.py", "Social bias"),),
    "variants": (("pages/demographic_qa.py", "Demographic QA"),),
}
"""Where the results of a kind are read."""

N_SHOWN = 100
"""Answers in the list on the page; all of them are in the file."""


def show(study: Study, kind: str) -> None:
    """A button that loads every file, and the pages to go on to."""
    if not study.state.finished:
        return
    manifest = json.loads((study.results / MANIFEST).read_text(encoding="utf-8"))
    names = list(manifest["files"])
    section("Results", f"{plural(len(names), 'file')} in {study.results}, each with its sha256 in {MANIFEST}.")
    names = _by_one_attributor([name for name in names if name != ANSWERS_READ], manifest["configuration"])
    if st.button("Open the results", type="primary", icon=":material/folder_open:"):
        material = [name for name in map(str, study.material()) if name.endswith((".jsonl", ".tsv", ".csv"))]
        paths = (*(study.folder / name for name in material), *(study.results / name for name in names))
        uploads.adopt(uploads.opened(((path.name, path, Options()) for path in paths), study.name))
        st.session_state["opened_study"] = study.name
        st.rerun()
    if st.session_state.get("opened_study") == study.name:
        for page, label in (*PAGES.get(kind, ()), ("pages/data.py", "All files, on Data")):
            st.page_link(page, label=label, icon=":material/arrow_forward:")


def show_answers(study: Study, experiment: Experiment) -> None:
    """The beginning of the list of prompts, answers and what is read out of them, folded away."""
    n_stored = study.state.n_stored
    if not n_stored or study.state.running:
        return
    shown = st.expander(
        f"Prompts and answers: {plural(n_stored, 'answer')} stored", key="answers_read", on_change="rerun"
    )
    if not shown.open:
        return
    table = experiment.answers_read(N_SHOWN)
    with shown:
        page_table(table, tall=True)
        rest = f"; {ANSWERS_READ} in {study.results} lists all" if study.state.finished else ""
        counts_line(f"The first {plural(len(table.rows), 'prompt')} of the study{rest}.")


def _by_one_attributor(names: list[str], configuration: Mapping[str, Any]) -> list[str]:
    """The files to open: the same answers stand once under each attributor, and those of one are looked at."""
    labels = [table["label"] for table in configuration.get("attributor", ())]
    if len(labels) < 2:
        return names
    chosen = choose_name("Attributions by", labels, "attributor", width=320)
    of = {name: [label for label in labels if name.endswith(f".{label}.jsonl.gz")] for name in names}
    return [name for name in names if not of[name] or max(of[name], key=len) == chosen]
