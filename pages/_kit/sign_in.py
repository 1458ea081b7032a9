"""Sign-in, on a server that asks for it: nothing of a page runs before.

Who may come in is the provider's to say. It sends everybody back to the start page, so that the page and the settings
that were asked for are kept here until they have signed in, by the token of their browser.
"""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.cli.hosting import SIGN_IN, SIGNED_IN, asked
from pages._kit import heading
from pages._kit.browser import token
from pages._kit.html import el

REMEMBERED = 1000
"""Browsers whose wanted page is known until they come back; older ones are forgotten."""

_ASKS: Final = asked(SIGN_IN) != ""
_WANTED: OrderedDict[str, tuple[str, dict[str, list[str]]]] = OrderedDict()


def is_stranger() -> bool:
    """Whether this server asks for a sign-in that this session's browser has not done."""
    return _ASKS and not st.user.is_logged_in


def ask_to_sign_in(page: StreamlitPage) -> None:
    """The page that stands in place of every other one."""
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    if token() and (page.url_path or query):
        _WANTED[token()] = (page.url_path, query)
        _WANTED.move_to_end(token())
        while len(_WANTED) > REMEMBERED:
            _WANTED.popitem(last=False)
    lead = "This server is for people whom its provider knows. What you came for opens when you have signed in."
    st.html(heading(page.title, "Please sign in", lead))
    st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)


def open_wanted(pages: Iterable[StreamlitPage]) -> None:
    """Let the session send files, and go to what was asked for before; call it in every run of the shell."""
    context = get_script_run_ctx()
    if not _ASKS or context is None:
        return
    SIGNED_IN.add(context.session_id)
    path, query = _WANTED.pop(token(), ("", {}))
    wanted = next((page for page in pages if page.url_path == path), None)
    if wanted is not None and (path or query):
        st.switch_page(wanted, query_params=query)


def signed_in_box() -> None:
    """Who is signed in, and the way out, at the foot of the sidebar."""
    if not _ASKS:
        return
    name = st.user.get("email") or st.user.get("name") or st.user.get("sub") or ""
    st.sidebar.html(el("div", el("p", "Signed in", cls="fv-mute"), el("p", str(name), cls="fv-name"), cls="fv-loaded"))
    st.sidebar.button("Sign out", type="tertiary", icon=":material/logout:", on_click=st.logout)
