"""One question of many: which of them stands open."""

from collections.abc import Sequence

import streamlit as st

from fairviz.display.words import count
from pages._kit.html import el


def stepped(names: Sequence[str], param: str) -> int:
    """The place of the question that the address names, with buttons to the one before and after it.

    Args:
        names: Of the questions, in their order; an address that names none of them means the first.
        param: Carries the name in the address, and begins the keys of the buttons.
    """
    asked = st.query_params.get(param, "")
    at = names.index(asked) if asked in names else 0

    def go(step: int) -> None:
        st.query_params[param] = names[(at + step) % len(names)]

    for label, arrow, key, step in (("Previous", "back", "previous", -1), ("Next", "forward", "next", 1)):
        icon, only = f":material/arrow_{arrow}:", len(names) < 2
        st.button(f"{label} question", icon=icon, on_click=go, args=(step,), disabled=only, key=f"{param}_{key}")
    st.html(el("span", f"{count(at + 1)} of {count(len(names))}", cls="fv-mute"))
    return at
