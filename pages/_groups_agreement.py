"""Agreement of measures below the rest: it waits until the target rests.

Measuring every system anew takes longer than a key press; while the target moves, the charts above
come first.
"""

import time

import streamlit as st

from fairviz.model import Dataset, Target
from pages._agreement import agreement_section
from pages._groups_settings import Settings
from pages._shared import section

REST = 0.8
"""Seconds without a move after which the target rests."""
AGREEMENT_SHOWN, AGREEMENT_DUE = "agreement-shown", "agreement-due"


def agreement(loaded: Dataset, chosen: Settings, target: Target) -> None:
    """The section, at once where its target is shown already or for the first time."""
    wanted = (loaded.fingerprint, chosen, target.groups, tuple(target.shares.tolist()))
    if st.session_state.get(AGREEMENT_SHOWN, wanted)[:2] != wanted[:2]:
        st.session_state.pop(AGREEMENT_SHOWN)  # other data or settings: a person waits for all of it
    if st.session_state.setdefault(AGREEMENT_SHOWN, wanted) == wanted:
        agreement_section(
            loaded,
            attribute=chosen.attribute,
            system=chosen.system,
            judgements=chosen.judgements,
            unlabelled=chosen.unlabelled,
            k=chosen.k,
        )
        st.page_link(
            "pages/learn.py",
            label="Which measure answers your question?",
            icon=":material/school:",
            query_params={"chapter": "Choose a metric"},
        )
        return
    st.session_state[AGREEMENT_DUE] = time.monotonic() + REST
    st.fragment(_wait, run_every=REST / 2)(wanted)


def _wait(wanted: tuple[object, ...]) -> None:
    """Look again on every tick; when the target rests, the page runs with the section in it."""
    if time.monotonic() >= st.session_state[AGREEMENT_DUE]:
        st.session_state[AGREEMENT_SHOWN] = wanted
        st.rerun()
    section("Do the measures order the systems alike?", "Measured again when the target rests …")
