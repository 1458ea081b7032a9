"""Settings of every page: written down from a session, and put into a fresh one.

A page's own settings are in its address; what it was is remembered when the page is left. What follows from page to
page, what is drawn, targets and pairs are in the session's memory.
"""

from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import numpy as np
import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._kit.controls import choose_settings, chosen_settings
from pages._kit.keeping import keep_settings, workspace
from pages._kit.link import FED, begin_with_address
from pages._kit.session import PAIRS, SIGNED, said_pairs
from pages._kit.target import Edited

if TYPE_CHECKING:
    from fairviz.reporting.study_settings import Settings, TargetSetting  # pydantic takes as long to load as NumPy

ADDRESSES, WAITING = "addresses", "settings_waiting"
NO_SETTINGS = {"data", "file", SIGNED, FED}
"""Parameters that say which data an address is of."""
SEVERAL, DRAWN = "panels_several", "tradeoff_drawn"


def leave_page(page: str) -> None:
    """Remember the address of the page that was shown before this one, as it was when it was left."""
    before, context = st.session_state.get("page", ""), get_script_run_ctx()
    if not before or before == page or context is None:
        return
    left = parse_qs(context.query_string, keep_blank_values=True)
    if "data" in left:  # else a link has put the settings of the new page there
        _remember(before, left)


def remember_page(page: str) -> None:
    """Remember the address of the page, and keep all settings; call it after the page has run."""
    _remember(page, {name: st.query_params.get_all(name) for name in st.query_params})
    if workspace() is not None:
        keep_settings(current_settings())


def _remember(page: str, params: dict[str, list[str]]) -> None:
    following = chosen_settings()
    own = {name: values for name, values in params.items() if name not in NO_SETTINGS and name not in following}
    st.session_state[ADDRESSES] = {**st.session_state.get(ADDRESSES, {}), page: own}


def enter_page(page: str) -> None:
    """Put settings of a study into the address of a page that is shown for the first time since.

    A link that a session begins with wins; what a page before this one has left in the address does not.
    """
    own: dict[str, list[str]] = st.session_state.get(WAITING, {}).pop(page, {})
    followed = "page" not in st.session_state and not NO_SETTINGS.issuperset(st.query_params)
    if not own or followed:
        return
    for name in own.keys() - NO_SETTINGS:
        with suppress(StreamlitAPIException):  # that of a control which is shown now
            st.query_params[name] = own[name]
    begin_with_address()


def current_settings() -> "Settings":
    """The settings of all pages as they are."""
    from fairviz.reporting.study_settings import Settings

    return Settings(
        pages=st.session_state.get(ADDRESSES, {}),
        chosen=chosen_settings(),
        several=st.session_state.get(SEVERAL, {}),
        drawn=st.session_state.get(DRAWN, {}),
        pairs=list(said_pairs()),
        targets={
            str(where): _written(state)
            for where, state in st.session_state.items()
            if isinstance(state, Edited) and state.is_set
        },
    )


def restore_settings(settings: "Settings") -> None:
    """Work with these settings from now on; pages take them when they are shown."""
    st.session_state[ADDRESSES] = dict(settings.pages)
    st.session_state[WAITING] = dict(settings.pages)
    choose_settings(settings.chosen)
    st.session_state[SEVERAL] = dict(settings.several)
    st.session_state[DRAWN] = dict(settings.drawn)
    st.session_state[PAIRS] = tuple(settings.pairs)
    for where, target in settings.targets.items():
        st.session_state[where] = _edited(target)


def forget_address() -> None:
    """Drop the settings of the address, which else win over others."""
    for name in {*st.query_params} - NO_SETTINGS:
        with suppress(StreamlitAPIException):  # that of a control which is shown now
            del st.query_params[name]


def _written(state: Edited) -> "TargetSetting":
    from fairviz.reporting.study_settings import TargetSetting

    return TargetSetting(
        weights=state.weights.tolist(),
        locked=sorted(state.locked),
        preset=state.preset,
        file=None if state.file is None else state.file.tolist(),
    )


def _edited(target: "TargetSetting") -> Edited:
    return Edited(
        weights=np.array(target.weights),
        locked=frozenset(target.locked),
        preset=target.preset,
        file=None if target.file is None else np.array(target.file),
    )
