"""Trade-off: what equal attention costs in quality, and what it need not cost."""

from dataclasses import replace

import streamlit as st

from fairviz.studies.tradeoff.curves import FIXED_ALPHA
from fairviz.studies.tradeoff.report import Report
from pages._kit import dataset, empty_state, header, kicker, rule
from pages._tradeoff.answers import answers_page
from pages._tradeoff.chart import look
from pages._tradeoff.downloads import area_table, change_table, downloads, settings_line
from pages._tradeoff.policies import Drawn, choose_drawn, drawn_view, has_further
from pages._tradeoff.results import (
    advance,
    can_rank,
    compared,
    compared_data,
    complete_curves,
    has_utility,
    headline,
    measured_curves,
    others,
    settings,
    shown_curves,
    statistics,
    why_undefined,
)
from pages._tradeoff.sections import alpha_section, comparison_section

FIRST_LOOK, PAUSE = 0.4, 0.2
"""Seconds of computing before the first chart, and between two looks at a growing one, when moves are heard."""


def page() -> None:
    """Read the controls, compute a little or look up, show."""
    loaded = dataset()
    if not can_rank(loaded) and not has_utility(loaded):
        kicker(f"Trade-off · {loaded.name}")
        st.title("A trade-off needs a run with scores and judgements")
        lacks = "scored run" if not loaded.runs else "judgements (qrels)"
        empty_state(f"No {lacks} in {loaded.name}", "Load the file beside what is there.")
        return
    top = st.container()
    selection = settings(loaded)
    if selection.quality != "EER":
        finding = answers_page(loaded, selection)
        with top:
            kick = f"Trade-off · {loaded.name} · k = {selection.k}"
            title, sentence = finding or ("No answers along α", "Answers need an α to be a curve.")
            header(kick, title, sentence, how="tradeoff")
        return
    done = advance(loaded, selection, seconds=FIRST_LOOK)
    estimates = statistics(loaded, selection) if done else None
    system_curves = (complete_curves if done else shown_curves)(loaded, selection)
    finding = headline(system_curves, estimates, selection)
    with top:
        kick = " · ".join(filter(None, ("Trade-off", loaded.name, f"k = {selection.k}", compared_data(loaded)[1])))
        header(kick, finding.title, finding.sentence, how="tradeoff")
    several = done and compared(loaded, selection)
    if not system_curves.main.defined.any():
        empty_state("Nothing to draw", why_undefined(system_curves, selection.k), link="See the files")
        return
    view = replace(system_curves.view, band=estimates.band, left_out=estimates.areas.left_out) if estimates else None
    drawn: Drawn = choose_drawn(selection.system, others(loaded, selection).names) if done else ()
    whole = view is not None and has_further(loaded, selection, drawn)
    still = drawn_view(loaded, selection, view, drawn) if view and whole else None
    st.fragment(look, run_every=None if still else PAUSE)(selection, view, drawn, still)
    if estimates is None or view is None:
        return
    rule()
    left, right = st.columns([5, 7], gap="large")
    with left:
        area_table(estimates.areas, selection, several=several)
    with right:
        change_table(estimates.changes, selection)
    rule()
    if several:
        comparison_section(loaded, selection)
        rule()
    alpha_section(system_curves.main)
    line = settings_line(loaded, selection)
    point = view.at(FIXED_ALPHA)
    every = measured_curves(loaded, selection).every
    report = Report(
        finding,
        line,
        view,
        point,
        every,
        estimates.areas,
        estimates.changes,
        selection.quality_name,
        selection.test,
        *selection.policy,
    )
    downloads(report, selection)


page()
