"""What is computed only when somebody asks for it: details behind a finding, and what papers print, below one's own."""

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


@contextmanager
def published_ground(source: str, *, alone: bool = False) -> Iterator[bool]:
    """The ground of published results at the foot of a page; yields whether they are to be shown.

    They are computed when they are shown, and are off until somebody asks: the address carries the switch.

    Args:
        source: Whose results, for the line that is always there ("Ji, Zhang and Wang 2025, Tables 2–6").
        alone: Whether the page has nothing else to show: there is no switch, they stand there.

    Examples:
        with published_ground("Zhang, Zhou and Bollegala 2025, Table 2") as shown:
            if shown:
                ...
    """
    with st.container(key="published-ground"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.html(el("p", f"Published, not your data · {source}", cls="fv-kicker"))
            shown = alone or st.toggle("Show published results", key="published", bind="query-params")
        yield shown
