"""Attribution: what a generator was given beside what its answers use."""

from dataclasses import replace

from fairviz.studies.attribution.analysis import planned, recorded_of, results_of, tasks_of
from pages._attribution import (
    citing_panels,
    downloads,
    only_cited,
    picture,
    query_fold,
    scatter,
    scatter_fold,
    settings,
    side_by_side,
    sources_fold,
    summary_section,
    system_and_setting,
    warnings,
)
from pages._kit import control_row, page_head, rule, section, without_data
from pages._kit.panels import look
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
    row, options = control_row()
    with options:
        selection = settings(loaded)
    recorded = recorded_of(loaded, selection)
    systems = planned(recorded)
    if not systems:
        head(*results_of(loaded, selection).finding, f"k = {selection.k}")
        warnings(results_of(loaded, selection), recorded)
        return
    view = look(systems, row=row, options=options, baselines=options)
    result = results_of(loaded, replace(selection, of_task=view.task or "", **view.settings))
    with row:
        own, setting = system_and_setting(result)
    several = len(result.names) > 1
    head(*own.finding, own.names[0] if several else "", f"k = {selection.k}")
    warnings(result, recorded)
    only_cited(result)
    if own.with_contexts.names:
        picture(own)
        scatter(own, selection, setting)
        rule()
        citing_panels(own, recorded, setting)
        rule()
    summary_section(result, recorded)
    if several and len(result.with_contexts.names) > 1:
        side_by_side(loaded, result, selection, view, setting)
    sources_fold(loaded, own, selection, setting)
    scatter_fold(own, selection, setting)
    query_fold(loaded, result, selection, setting)
    what = "tasks and systems" if len(tasks_of(systems)) > 1 else "systems and settings"
    section("Everything above as files", f"All {what}")
    downloads(loaded, selection)


page()
