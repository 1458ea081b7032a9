"""Attribution: what a generator was given beside what its answers use."""

import streamlit as st

from fairviz.display.words import listing
from fairviz.points.outputs import Pair
from fairviz.studies.attribution.analysis import planned, recorded_of, results_of, tasks_of
from fairviz.studies.attribution.settings import AttributionSettings
from pages._attribution import (
    PAIR_TITLES,
    answers,
    brushed_link,
    counted,
    differences,
    downloads,
    grid,
    known_pairs,
    looked_at,
    only_cited,
    opened,
    pair_control,
    pick,
    query_control,
    query_table,
    rank_row,
    result_section,
    scatter_row,
    selected_head,
    setting_control,
    settings,
    warnings,
    was_opened,
)
from pages._kit import page_head, section, without_data
from pages._kit.panels import Look
from pages._kit.panels import look as choose_look
from pages._kit.recorded_outputs import pairing_controls
from pages._kit.session import dataset


def page() -> None:
    """Read the controls, look up what was measured, show."""
    loaded = dataset()
    if not loaded.outputs:
        without_data("attribution")
        return
    head = page_head("attribution")
    pairing_controls(loaded)
    selection = settings(loaded)
    found = recorded_of(loaded, selection)
    systems = planned(found)
    view = choose_look(systems, pinned_as="Full size") if systems else None
    result = results_of(loaded, looked_at(selection, view) if view else selection)
    head(*result.finding, f"k = {selection.k}")
    warnings(result, found)
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
    found, result = recorded_of(loaded, selection), results_of(loaded, looked_at(selection, view))
    shown = opened(result, view)
    known, full = result.known, shown.known
    setting = setting_control(result.points)
    several = len(known.names) > 1
    pair: Pair = pair_control(known) if several else "EED-EAED"
    if several:
        grid(loaded, selection, view, pair, setting)
        differences(loaded, selection, view, pair, setting)
    if full.names and result.single_sample:
        rank_row(full, found, setting)
    charts, below, box = st.container(), st.container(), st.container(border=True)
    with box:
        query = query_control(loaded, result)
        if query is not None:
            selected_head(loaded, query)
            query_table(result, selection, setting, query)
            answers(loaded, shown, found, setting, query)
            brushed_link(query)
    with charts:
        if several and full.names:
            title = f"{listing(full.names)} at full size" if len(full.names) == 1 else PAIR_TITLES[pair]
            section(title, f"A point is a query, {setting}; the diamond is the mean")
        if full.names:
            pairs: list[Pair] = [pair] if len(full.names) > 1 else known_pairs(full)
            scatter_row(full, selection, pairs, setting, selected=query, on_pick=pick)
            counted(full, selection, setting)
    with below:
        result_section(result, shown, found, setting)


page()
