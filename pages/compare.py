"""Compare: every system of a task beside a baseline, in panels, areas, intervals and tests."""

import streamlit as st

from fairviz.display.words import Finding
from fairviz.studies.compare.analysis import GridComparison
from fairviz.studies.compare.conditions import is_limit
from fairviz.studies.compare.findings import compare_finding
from pages._compare.results import (
    advance,
    choose_point,
    choose_quantity,
    compared,
    compared_at,
    compared_grid,
    depth_words,
    planned,
    qualities,
    source,
    trouble,
    why_nothing,
)
from pages._compare.sections import every_task, folds, panels, ways, whole_file
from pages._compare.shown import BEFORE, Shown, growing_panels, results
from pages._kit import dataset, empty_state, header, kicker, rule
from pages._kit.panels import Look, look

FIRST_LOOK, PAUSE = 0.4, 0.2
"""Seconds of computing before the first panels, and between two looks at growing ones."""


def page() -> None:
    """Read the controls, compute a little or look up, show."""
    loaded = dataset()
    if not qualities(loaded):
        kicker(f"Compare · {loaded.name}")
        st.title("A comparison needs curves")
        empty_state(
            f"No curves in {loaded.name}",
            "Load runs with scores and judgements, or answers recorded along α; "
            "a table system,task,retriever,generator says what plain runs are made of.",
        )
        return
    top = st.container()
    of = source(loaded)
    done = not trouble(loaded, of) and advance(loaded, of, seconds=FIRST_LOOK)
    drawn = () if trouble(loaded, of) else planned(loaded, of)
    every = tuple(one for one in drawn if not is_limit(one))
    if not every:
        with top:
            reason = (trouble(loaded, of) or why_nothing(loaded, of)).rstrip(".")
            title = "Nothing to compare: no system has a curve"
            header(f"Compare · {loaded.name}", title, f"{reason}.", how="compare")
            st.page_link("pages/data.py", label="See the files", icon=":material/arrow_forward:")
        return
    view = look(every)
    if len(every) < len(drawn) and "policy" not in view.by:
        view = view._replace(by=(*view.by, "policy"))
    grid = compared_grid(loaded, of, view.baseline, view.off) if done else None
    if grid is not None and grid.of_task(view.task) is None:
        with top:
            header(f"Compare · {loaded.name} · k = {of.k}", "No curve to compare", "", how="compare")
        empty_state("No query has a value", f"At k = {of.k} no query has documents to choose from: try a smaller k.")
        return
    with top:
        finding = _finding(grid, view)
        kick = " · ".join(filter(None, ("Compare", loaded.name, f"k = {of.k}", depth_words(loaded, of))))
        header(kick, finding.title, finding.sentence, how="compare")
    found = compared(loaded, of, view.baseline, view.off) if done else None
    earlier: Shown | None = st.session_state.get(BEFORE)
    if found is None:
        st.fragment(growing_panels, run_every=PAUSE)(of, view)
        if earlier is not None and not {one.factors for one in earlier.found.curves}.isdisjoint(every):
            with st.container(key="compare-earlier"):
                rule()
                results(earlier)
        return
    every_task(found, view)
    panels(loaded, of, view, drawn, found, None)
    rule()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        quantity = choose_quantity(found.of_task(view.task))
        if quantity != "AUC":
            found = compared_at(loaded, of, view.baseline, view.off, choose_point(found))
    shown = Shown(of, found, view, quantity)
    st.session_state[BEFORE] = shown
    results(shown)
    folds(found, view)
    ways(loaded, of, view)
    whole_file(finding, found, view)


def _finding(grid: GridComparison | None, view: Look) -> Finding:
    task = grid and grid.of_task(view.task)
    if not grid or not task:
        return Finding("Computing the curves", "Exact exposure, two systems at a time; look around meanwhile.")
    others = [one for one in grid.tasks if one is not task]
    return compare_finding(task, others, by=view.by, quality=grid.quality)


page()
