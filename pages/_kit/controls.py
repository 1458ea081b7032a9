"""Controls of several pages: one of what is loaded, one query by id or by its words, how relevance is counted.

The address carries every choice.
"""

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from fairviz.exposure import Gain
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


RELEVANCE: dict[str, Gain] = {"graded": "graded", "grade ≥ 1": "binary"}
"""How relevance is counted, by its name in the address; the first is the default of every page, every command and
every measure string: no threshold has to be chosen, and nothing that people judged is thrown away."""
RELEVANCE_KEY = "gain"


def choose_relevance(*, disabled: bool = False) -> Gain:
    """The one setting of relevance, shared by all pages; every label of EE-R says what it is."""
    picked = st.segmented_control(
        "Relevance",
        list(RELEVANCE),
        default=next(iter(RELEVANCE)),
        required=True,
        key=RELEVANCE_KEY,
        bind="query-params",
        disabled=disabled,
        help="Graded: a document of grade 2 is more useful than one of grade 1, EER@k. Grade ≥ 1: useful or not, "
        "EER(rel=1)@k, as in Towards Fair RAG.",
    )
    return RELEVANCE[picked or next(iter(RELEVANCE))]


def relevance() -> Gain:
    """The same setting, where the control stands further down or on another page."""
    linked = st.query_params.get(RELEVANCE_KEY, "")
    return RELEVANCE.get(str(st.session_state.get(RELEVANCE_KEY) or linked), next(iter(RELEVANCE.values())))
