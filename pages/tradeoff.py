"""Trade-off: what equal attention costs in quality, and what it need not cost."""

from functools import partial

import streamlit as st

from fairviz.model import Dataset
from fairviz.points.curves import FIXED_ALPHA
from fairviz.points.view import TradeoffView
from fairviz.studies.tradeoff.charts import tradeoff_figure
from pages._kit import Figure, colours, counts_line, empty_state, header, kicker, rule, step_by_step
from pages._kit.session import dataset
from pages._tradeoff.answers import answers_page
from pages._tradeoff.downloads import area_table, change_table, downloads, report_of
from pages._tradeoff.results import (
    Settings,
    SystemCurves,
    can_rank,
    compared,
    compared_data,
    complete_curves,
    has_utility,
    other_samples,
    others,
    settings,
    shown_curves,
    steps,
    why_undefined,
)
from pages._tradeoff.sections import (
    alpha_section,
    alpha_slider,
    choose_drawn,
    comparison_section,
    counts,
    curve_panel,
    drawn_view,
    further_steps,
    further_words,
    query_panel,
)


def look(loaded: Dataset, selection: Settings, system_curves: SystemCurves, view: TradeoffView) -> None:
    """The chart and what moves with α: a move repaints this and nothing else."""
    left, right = st.columns([7, 4], gap="large")
    with left:
        alpha = alpha_slider()
        curve_panel(view, alpha, selection)
    with right:
        query_panel(loaded, selection, system_curves, alpha)
    n_other = len(other_samples(loaded, selection))
    run = next(run for run in loaded.runs if run.system == selection.system)
    counts(run, system_curves, system_curves.main.alphas.size, sampled=view.sampled is not None, n_other=n_other)
    if said := further_words(view):
        counts_line(said)


def page() -> None:
    """Read the controls, compute or look up, show."""
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
    choices, place = st.container(), st.container()
    step_by_step(steps(loaded, selection), partial(_chart, loaded, selection), place=place, key="tradeoff")
    system_curves, report = complete_curves(loaded, selection), report_of(loaded, selection)
    with top:
        kick = " · ".join(filter(None, ("Trade-off", loaded.name, f"k = {selection.k}", compared_data(loaded)[1])))
        header(kick, report.finding.title, report.finding.sentence, how="tradeoff")
    with choices:
        several = compared(loaded, selection)
    if not system_curves.main.defined.any():
        empty_state("Nothing to draw", why_undefined(system_curves, selection.k), link="See the files")
        return
    with choices:
        drawn = choose_drawn(selection.system, others(loaded, selection).names)
    step_by_step(further_steps(loaded, selection, drawn))
    with place:
        st.fragment(look)(loaded, selection, system_curves, drawn_view(loaded, selection, report.view, drawn))
    rule()
    left, right = st.columns([5, 7], gap="large")
    with left:
        area_table(report.areas, selection, several=several)
    with right:
        change_table(report.changes, selection)
    rule()
    if several:
        comparison_section(loaded, selection)
        rule()
    alpha_section(system_curves.main)
    downloads(report, selection)


def _chart(loaded: Dataset, selection: Settings, n_steps: int) -> Figure:
    view = shown_curves(loaded, selection, n_steps=n_steps).view
    return tradeoff_figure(view, colours=colours(), point=view.at(FIXED_ALPHA))


page()
