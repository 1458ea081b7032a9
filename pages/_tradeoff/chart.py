"""The chart and what moves with α."""

import streamlit as st

from fairviz.studies.tradeoff.view import TradeoffView
from pages._kit import counts_line, dataset, paint_first
from pages._tradeoff.policies import Drawn, advance_further, drawn_view, further_words
from pages._tradeoff.results import Settings, advance, complete_curves, other_samples, shown_curves
from pages._tradeoff.sections import alpha_slider, counts, curve_panel, query_panel

TICK = 0.8
"""Seconds of computing before every next look at a growing chart."""


def look(selection: Settings, complete: TradeoffView | None, drawn: Drawn, still: TradeoffView | None) -> None:
    """What moves with α; while curves grow, show what there is, then compute a little more, on every tick.

    Args:
        selection: The page's settings.
        complete: The curves that everything is estimated from; None while they grow.
        drawn: Which policies of which systems are drawn.
        still: The chart, where all of it is there: the same on every move, so that its labels are placed once.
    """
    loaded = dataset()
    system_curves = (complete_curves if complete else shown_curves)(loaded, selection)
    view = still or (drawn_view(loaded, selection, complete, drawn) if complete else system_curves.view)
    left, right = st.columns([7, 4], gap="large")
    with left:
        alpha = alpha_slider()
        curve_panel(view, alpha, selection)
    paint_first()
    with right:
        query_panel(loaded, selection, system_curves, alpha)
    n_other = len(other_samples(loaded, selection))
    run = next(run for run in loaded.runs if run.system == selection.system)
    counts(run, system_curves, system_curves.main.alphas.size, sampled=view.sampled is not None, n_other=n_other)
    if said := further_words(view):
        counts_line(said)
    if complete is None:
        if advance(loaded, selection, seconds=TICK):
            st.rerun()
    elif still is None and advance_further(loaded, selection, drawn, seconds=TICK):
        st.rerun()
