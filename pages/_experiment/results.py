"""What a study left behind, opened on the other pages."""

import json

import streamlit as st

from fairviz.experiment.studies import Study
from fairviz.io.manifest import MANIFEST
from fairviz.show.words import plural
from pages._kit import section, uploads

PAGES = {
    "rankings": (("pages/tradeoff.py", "Trade-off"), ("pages/attribution.py", "Attribution")),
    "bias": (("pages/social_bias.py", "Social bias"),),
    "variants": (("pages/demographic_qa.py", "Demographic QA"),),
}
"""Where the results of a kind are read."""


def show(study: Study, kind: str) -> None:
    """A button that loads every file, and the pages to go on to."""
    if not study.state.finished:
        return
    manifest = json.loads((study.results / MANIFEST).read_text(encoding="utf-8"))
    names = list(manifest["files"])
    section("Results", f"{plural(len(names), 'file')} in {study.results}, each with its sha256 in {MANIFEST}.")
    if st.button("Open the results", type="primary", icon=":material/folder_open:"):
        uploads.reset()
        given = [name for name in map(str, study.material()) if name.endswith((".jsonl", ".tsv", ".csv"))]
        for path in (*(study.folder / name for name in given), *(study.results / name for name in names)):
            uploads.take(path.name, path.read_bytes())
        st.session_state["opened_study"] = study.name
        st.rerun()
    if st.session_state.get("opened_study") == study.name:
        for page, label in (*PAGES.get(kind, ()), ("pages/data.py", "All files, on Data")):
            st.page_link(page, label=label, icon=":material/arrow_forward:")
