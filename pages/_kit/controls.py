"""Controls of several pages: one of what is loaded, one query by id or by its words; the address carries the choice."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from pages._kit.link import ignore

PARAM = "q"


def choose_place(label: str, names: Sequence[str], key: str, *, first: int = 0, width: int) -> int:
    """Place of the chosen name; no control where there is no choice."""
    if len(names) < 2:
        return 0
    return names.index(st.selectbox(label, names, index=first, key=key, bind="query-params", width=width))


def choose_query(
    label: str,
    known: Sequence[str],
    words: dict[str, str],
    *,
    key: str,
    first: str = "",
    width: int | Literal["stretch"] = "stretch",
) -> str:
    """Show the control and return the chosen query.

    A bound select box would put the whole question into the address. A callback may choose by
    setting ``st.session_state[key]``. A link of another page that names a query wins over what was
    chosen before.

    Args:
        label: What stands above the control.
        known: Query ids to choose from, at least one.
        words: Question by query id, shown where known.
        key: Key of the control.
        first: Query shown before anything is chosen; the first one known if empty.
        width: Of the control, in pixels.
    """
    usual, written = first or known[0], f"{key}-written"
    linked = st.query_params.get(PARAM, "")
    if linked in known and linked != st.session_state.get(written, linked):
        st.session_state[key] = linked  # this control did not put it there
    if st.session_state.get(key) not in known:
        named = st.query_params.get(PARAM, usual)
        st.session_state[key] = named if named in known else usual
        if named not in known:
            ignore(PARAM, named, st.session_state[key])
    query = str(
        st.selectbox(
            label,
            known,
            key=key,
            persist_state="session",
            width=width,
            format_func=lambda query: words.get(query) or query,
        )
    )
    if query != usual:
        st.query_params[PARAM] = query
    elif PARAM in st.query_params:
        del st.query_params[PARAM]
    st.session_state[written] = st.query_params.get(PARAM, "")
    return query
