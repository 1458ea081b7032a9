"""Trade-off: what equal attention costs in quality, and what it need not cost."""

from functools import partial

import streamlit as st

from fairviz.evaluation.systems import at_depth
from fairviz.model import Dataset
from fairviz.points.curves import FIXED_ALPHA
from fairviz.points.view import TradeoffView
from fairviz.studies.tradeoff.analysis import beside, of_system, pools_of, system_curves
from fairviz.studies.tradeoff.charts import tradeoff_figure
from fairviz.studies.tradeoff.settings import TradeoffSettings
from pages._kit import Figure, colours, counts_line, empty_state, header, kicker, rule, step_by_step
from pages._kit.session import dataset
from pages._tradeoff.answers import answers_page
from pages._tradeoff.downloads import area_table, change_table, downloads
from pages._tradeoff.results import can_rank, compared, has_utility, settings, steps, why_undefined
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


def look(loaded: Dataset, selection: TradeoffSettings, view: TradeoffView) -> None:
    """The chart and what moves with α: a move repaints this and nothing else."""
    left, right = st.columns([7, 4], gap="large")
    with left:
        alpha = alpha_slider()
        curve_panel(view, alpha, selection)
    with right:
        query_panel(loaded, selection, alpha)
    counts(loaded, selection, view)
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
    made = of_system(loaded, selection, fine=True)
    main = made.curves[0]
    with top:
        depth = at_depth(loaded).words
        kick = " · ".join(filter(None, ("Trade-off", loaded.name, f"k = {selection.k}", depth)))
        header(kick, made.headline.title, made.headline.sentence, how="tradeoff")
    with choices:
        several = compared(loaded, selection)
    if not main.defined.any():
        reason = why_undefined(pools_of(loaded, selection), selection.n_seen)
        empty_state("Nothing to draw", reason, link="See the files")
        return
    with choices:
        drawn = choose_drawn(selection.system, beside(loaded, selection)[0])
    step_by_step(further_steps(loaded, selection, drawn))
    with place:
        st.fragment(look)(loaded, selection, drawn_view(loaded, selection, made.view, drawn))
    rule()
    left, right = st.columns([5, 7], gap="large")
    with left:
        area_table(made, selection, several=several)
    with right:
        change_table(made, selection)
    rule()
    if several:
        comparison_section(loaded, selection)
        rule()
    alpha_section(main)
    downloads(made, selection)


def _chart(loaded: Dataset, selection: TradeoffSettings, n_steps: int) -> Figure:
    view, _ = system_curves(loaded, selection, n_steps)
    return tradeoff_figure(view, colours=colours(), point=view.at(FIXED_ALPHA))


page()
