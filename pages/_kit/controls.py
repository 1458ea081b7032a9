"""Controls of several pages: one of what is loaded, one query by id or by its words, how relevance is counted.

The address carries every choice.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

import streamlit as st

from fairviz.exposure import Gain
from pages._kit.link import ignore, name_mark

PARAM = "q"


def choose_place(label: str, names: Sequence[str], key: str, *, first: int = 0, width: int) -> int:
    """Place of the chosen name; no control where there is no choice."""
    return 0 if len(names) < 2 else names.index(choose_name(label, names, key, first=first, width=width))


def choose_name(label: str, names: Sequence[str], key: str, *, first: int = 0, width: int) -> str:
    """One of the names of what is loaded; pages whose controls have one key share what was chosen.

    Names are those of files and of what they hold: the address carries a mark of the name, but a link
    may give the name itself.
    """
    return _kept(label, names, key, key=key, usual=names[first], mark=name_mark, width=width)


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
    return _kept(
        label, known, PARAM, key=key, usual=first or known[0], words=words, persist_state="session", width=width
    )


def _kept(
    label: str,
    known: Sequence[str],
    param: str,
    *,
    key: str,
    usual: str,
    words: Mapping[str, str] = MappingProxyType({}),
    mark: Callable[[str], str] = str,
    persist_state: Literal["session"] | None = None,
    width: int | Literal["stretch"],
) -> str:
    """One of ``known``, shown by its words; the address carries its mark unless it is the usual one.

    What does not persist by itself is set again on the first run of another page, where a control of
    the same key would forget it.
    """
    written, shown_on, page = f"{key}-written", f"{key}-page", st.session_state.get("page", "")
    by_mark = {**{one: one for one in known}, **{mark(one): one for one in known}}
    linked = st.query_params.get(param, "")
    if linked in by_mark and linked != st.session_state.get(written, linked):
        st.session_state[key] = by_mark[linked]  # this control did not put it there
    moved = persist_state is None and st.session_state.get(shown_on) != page
    if moved or st.session_state.get(key) not in known:
        named = linked or st.session_state.get(written) or usual
        st.session_state[key] = by_mark.get(named, usual)
        if linked and linked not in by_mark:
            ignore(param, linked, usual)
    picked = str(
        st.selectbox(
            label,
            known,
            key=key,
            persist_state=persist_state,
            width=width,
            format_func=lambda one: words.get(one) or one,
        )
    )
    if picked != usual:
        st.query_params[param] = mark(picked)
    elif param in st.query_params:
        del st.query_params[param]
    st.session_state[written], st.session_state[shown_on] = st.query_params.get(param, ""), page
    return picked


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
