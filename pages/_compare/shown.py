"""What a person last saw whole: it stays, dimmed, while other settings are computed; and panels that grow meanwhile."""

from typing import NamedTuple

import streamlit as st

from fairviz.display.words import percent
from fairviz.studies.compare.differences import Quantity
from pages._compare.results import Compared, Source, advance, planned, share
from pages._compare.sections import areas, forest, intervals, panels
from pages._kit import dataset, paint_first, rule
from pages._kit.panels import Look

TICK = 0.8
"""Seconds of computing before every next look at growing panels."""
BESIDE = 4
"""Columns of areas at most that stand beside the differences; more get the whole width, below them."""
BEFORE = "compare_before"


def growing_panels(of: Source, view: Look) -> None:
    """The panels while curves grow: show what there is, then compute a little more, on every tick."""
    loaded = dataset()
    done = share(loaded, of)
    st.progress(done, f"{percent(done)} of all points computed; pale: the previous settings")
    earlier: Shown | None = st.session_state.get(BEFORE)
    panels(loaded, of, view, planned(loaded, of), None, earlier.found if earlier else None)
    paint_first()
    if advance(loaded, of, seconds=TICK):
        st.rerun()


class Shown(NamedTuple):
    """What a person last saw whole: it stays, dimmed, while other settings are computed."""

    of: Source
    found: Compared
    view: Look
    quantity: Quantity


def results(shown: Shown) -> None:
    """Differences beside areas, then intervals of EE-D."""
    of, found, view, quantity = shown
    wide = view.columns and len({getattr(one.factors, view.columns) for one in found.curves}) > BESIDE
    left, right = (
        (st.container(), st.container()) if wide else st.columns([1, 1] if view.columns else [6, 5], gap="large")
    )
    with left:
        forest(of, found, view, quantity)
    with right:
        areas(of, found, view)
    rule()
    intervals(of, found, view)
