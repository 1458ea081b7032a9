"""Groups & targets: where attention goes by group, against a target set by hand."""

import streamlit as st

from pages._shared import dataset, empty_state, header
from pages._target_editor import target_editor

loaded = dataset()
if not loaded.labels or not (loaded.runs or loaded.samples):
    header("Groups & targets", "No group labels are loaded", "Attention by group, and a target.")
    empty_state("Load group labels", "A table doc_id, group.")
    st.stop()


@st.fragment
def look() -> None:
    """What follows the target."""
    target = target_editor(loaded, attribute=1, system=0, judgements=0 if loaded.qrels else None)
    st.write(target.shares.tolist())


header("Groups & targets", "Groups", "…")
look()
