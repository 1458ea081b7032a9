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


_FOLLOWED = "relevance"
"""Where a session remembers the page and the choice of the last run that showed the control."""


def choose_relevance(*, disabled: bool = False) -> Gain:
    """The one setting of relevance, shared by all pages; every label of EE-R says what it is.

    A bound control would forget the choice on the first run of another page that has one of the same key: what was
    chosen is set again there, and written into the address, by hand. A link that names it wins.
    """
    usual, page = next(iter(RELEVANCE)), st.session_state.get("page", "")
    before, last = st.session_state.get(_FOLLOWED, (None, usual))
    if before != page or RELEVANCE_KEY not in st.session_state:
        linked = st.query_params.get(RELEVANCE_KEY, "")
        st.session_state[RELEVANCE_KEY] = linked if linked in RELEVANCE else last
    picked = (
        st.segmented_control(
            "Relevance",
            list(RELEVANCE),
            default=usual,
            required=True,
            key=RELEVANCE_KEY,
            disabled=disabled,
            help="Graded: a document of grade 2 is more useful than one of grade 1, EER@k. Grade ≥ 1: useful or not, "
            "EER(rel=1)@k, as in Towards Fair RAG.",
        )
        or usual
    )
    if picked != usual:
        st.query_params[RELEVANCE_KEY] = picked
    elif RELEVANCE_KEY in st.query_params:
        del st.query_params[RELEVANCE_KEY]
    st.session_state[_FOLLOWED] = page, picked
    return RELEVANCE[picked]


def relevance() -> Gain:
    """The same setting, where the control stands further down or on another page."""
    _, last = st.session_state.get(_FOLLOWED, (None, ""))
    known = (st.query_params.get(RELEVANCE_KEY, ""), last)
    return RELEVANCE[next((name for name in known if name in RELEVANCE), next(iter(RELEVANCE)))]
