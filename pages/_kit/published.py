"""What papers print: below one's own results, behind one switch, on a ground of its own with its source."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages._kit.html import el


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
