"""The start page's doors."""

import streamlit as st

from pages._shared import el, join


def door(kind: str, title: str, text: str, *ways: tuple[str, str]) -> None:
    """One box: for whom, what, and the ways in, each (page, label)."""
    with st.container(border=True, height="stretch"):
        st.html(
            join(
                el("p", kind, cls="fv-kicker"),
                el("h2", title, cls="fv-section"),
                el("p", text, cls="fv-door"),
            )
        )
        for page, label in ways:
            st.page_link(page, label=label, icon=":material/arrow_forward:", icon_position="right")
