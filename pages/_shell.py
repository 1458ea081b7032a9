"""What stands on every page: the box of loaded data, and a notice when a link asks for other."""

import streamlit as st

from fairviz.model import Dataset
from fairviz.report.words import listing, plural
from pages._html import el, join
from pages._state import asked, dataset, forget_link


def loaded_box() -> None:
    """The standing "Loaded" box at the foot of the sidebar's navigation."""
    loaded = dataset()
    lines = (el("p", line) for line in inventory(loaded))
    name = el("p", loaded.name, cls="fv-name")
    with st.sidebar:
        st.html(el("div", el("p", "Loaded", cls="fv-mute"), name, *lines, cls="fv-loaded"))


def inventory(loaded: Dataset) -> list[str]:
    """What is loaded, in lines of a few words."""
    queries = {q for run in loaded.runs for q in run.query_ids}
    queries |= {q for sample in loaded.samples for q in sample.query_ids}
    judged = {q for qrels in loaded.qrels for q in qrels.query_ids}
    systems = len(loaded.runs) + len({sample.system for sample in loaded.samples})
    answers = sum(len(outputs.samples) for outputs in loaded.outputs)
    lines = [
        f"{plural(systems, 'run')} · {plural(len(queries), 'query', 'queries')}" if systems else "",
        f"{plural(len(judged), 'judged query', 'judged queries')}" if judged else "no judgements",
        f"{plural(answers, 'answer')}" if answers else "",
        f"groups by {listing([labels.attribute for labels in loaded.labels])}"
        if loaded.labels
        else "",
    ]
    return [line for line in lines if line]


def address_notice() -> None:
    """Say which files a followed link was made with, where they are not loaded."""
    names = asked()
    if names is None:
        return
    which = (
        f"To see what its sender saw, load {listing(list(names))} on the Data page."
        if names
        else "It does not name them; ask its sender for the files and load them on the Data page."
    )
    text = f"{which} Until then its settings apply to {dataset().name}."
    title = "This link was made with other data"
    st.html(el("div", join(el("p", el("strong", title)), el("p", text)), cls="fv-callout"))
    with st.container(horizontal=True):
        st.page_link("pages/data.py", label="Load files", icon=":material/note_add:")
        st.button("Go on with this data", on_click=forget_link, type="tertiary")
