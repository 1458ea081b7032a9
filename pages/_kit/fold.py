"""A finding with what is behind it folded away: computed when somebody opens it."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages._kit.html import el, join


@contextmanager
def fold(name: str, finding: str, *, key: str) -> Iterator[bool]:
    """A row that says what was found; below it the details, where they are open. Yields whether they are.

    Args:
        name: What the row is about, in words of ours: it names the control.
        finding: What was found, plain text.
        key: Of the fold, also in the address.
    """
    with st.container(gap="xxsmall"):
        st.html(el("p", join(el("strong", name), " · ", el("span", finding)), cls="fv-fold"))
        details = st.expander(f"{name}: details", key=key, type="compact", on_change="rerun", bind="query-params")
        with details:
            yield bool(details.open)
