"""Attribution: what a generator was given beside what its answers use."""

import streamlit as st

from fairviz.display.words import listing
from fairviz.points.generations import Pair, by_generator
from fairviz.studies.attribution.analysis import planned, recorded_of, results_of, tasks_of
from fairviz.studies.attribution.settings import AttributionSettings
from pages._attribution import selected
from pages._attribution.results import (
    PAIR_TITLES,
    counted,
    differences,
    grid,
    known_pairs,
    looked_at,
    only_cited,
    opened,
    pair_control,
    scatter_row,
    setting_control,
    settings,
    warnings,
    was_opened,
)
from pages._attribution.selected import downloads, rank_row, result_section
from pages._kit import empty_state, header, section
from pages._kit.panels import Look
from pages._kit.panels import look as choose_look
from pages._kit.recorded_outputs import pairing_controls
from pages._kit.session import dataset


def page() -> None:
    """Read the controls, look up what was measured, show."""
    loaded = dataset()
    if not loaded.outputs:
        about = "This page compares what a generator was given with what its answers cite."
        header(f"Attribution · {loaded.name}", "Attribution needs recorded answers", about)
        empty_state(
            f"No recorded answers in {loaded.name}",
            "Load TREC RAG or fairviz JSONL files; a run beside them says what was given.",
        )
        return
    top = st.container()
    pairing_controls(loaded)
    selection = settings(loaded)
    every = recorded_of(loaded, selection)
    systems = by_generator(every.points)
    view = choose_look(planned(systems), pinned_as="Full size") if systems else None
    result = results_of(loaded, looked_at(selection, view) if view else selection)
    with top:
        kick = f"Attribution · {loaded.name} · k = {selection.k}"
        header(kick, result.finding.title, result.finding.sentence, how="attribution")
    warnings(result, every)
    if view is None:
        return
    only_cited(result)
    st.fragment(look)(selection, view)
    what = "tasks and systems" if len(tasks_of(systems)) > 1 else "systems and settings"
    section("Everything above as files", f"All {what}")
    downloads(loaded, selection)


def look(selection: AttributionSettings, view: Look) -> None:
    """What moves with the setting and the selected query."""
    if was_opened():
        st.rerun()  # the control that names it stands outside this fragment
    loaded = dataset()
    result = results_of(loaded, looked_at(selection, view))
    shown = opened(result, view)
    known = result.known
    setting = setting_control(result.groups)
    several = len(known.groups) > 1
    pair: Pair = pair_control(known) if several else "EED-EAED"
    if several:
        grid(loaded, selection, view, pair, setting)
        differences(loaded, selection, view, pair, setting)
    if shown.known.groups and result.single_sample:
        rank_row(shown.known, setting)
    charts, below, box = st.container(), st.container(), st.container(border=True)
    with box:
        query = selected.query_control(loaded, result)
        if query is not None:
            selected.selected_head(loaded, query)
            selected.query_table(result, selection, setting, query)
            selected.answers(loaded, shown, setting, query)
            selected.brushed_link(query)
    with charts:
        full = shown.known
        if several and full.groups:
            names = listing([group.name for group in full.groups])
            title = f"{names} at full size" if len(full.groups) == 1 else PAIR_TITLES[pair]
            section(title, f"A point is a query, {setting}; the diamond is the mean")
        if full.groups:
            pairs: list[Pair] = [pair] if len(full.groups) > 1 else known_pairs(full)
            scatter_row(full, selection, pairs, setting, selected=query, on_pick=selected.pick)
            counted(full, selection, setting)
    with below:
        result_section(result, shown, setting)


page()
