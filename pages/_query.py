"""One query of the data, chosen by id or by its words; the address carries the id alone."""

from collections.abc import Sequence

import streamlit as st

PARAM = "q"


def choose_query(
    label: str, known: Sequence[str], words: dict[str, str], *, key: str, first: str = ""
) -> str:
    """Show the control and return the chosen query.

    A bound select box would put the whole question into the address. A callback may choose by
    setting ``st.session_state[key]``.

    Args:
        label: What stands above the control.
        known: Query ids to choose from, at least one.
        words: Question by query id, shown where known.
        key: Key of the control.
        first: Query shown before anything is chosen; the first one known if empty.
    """
    usual = first or known[0]
    if st.session_state.get(key) not in known:
        asked = st.query_params.get(PARAM, usual)
        st.session_state[key] = asked if asked in known else usual
        if asked not in known:
            shown = st.session_state[key]
            st.session_state.setdefault("ignored", []).append((PARAM, asked, shown))
    query = str(
        st.selectbox(
            label, known, key=key, persist_state="session",
            format_func=lambda query: words.get(query) or query,
        )
    )  # fmt: skip
    if query != usual:
        st.query_params[PARAM] = query
    elif PARAM in st.query_params:
        del st.query_params[PARAM]
    return query
