"""Compare: every system of a task beside a baseline: curves, differences, the main table, and what to choose."""

from dataclasses import replace
from functools import partial

import streamlit as st

from fairviz.points.conditions import is_limit
from fairviz.studies.compare.findings import choice_finding, compare_finding
from pages._compare import (
    choose_point,
    choose_quantity,
    compared_grid,
    depth_words,
    differences,
    every_task,
    folds,
    grid_settings,
    lines,
    lines_after,
    main_table,
    planned,
    qualities,
    registry,
    source,
    steps,
    ways,
    whole_file,
)
from pages._kit import callout, control_row, empty_state, page_head, step_by_step, without_data
from pages._kit.panels import look
from pages._kit.session import dataset


def page() -> None:
    """Read the controls, compute or look up, show."""
    loaded = dataset()
    if not qualities(loaded):
        without_data("compare")
        return
    head, top = page_head("compare"), st.container()
    row, options = control_row()
    of = source(loaded, row, options)
    drawn, why = planned(loaded, of)
    if why:
        head("Nothing to compare: no system has a curve", f"{why.rstrip('.')}.")
        top.page_link("pages/data.py", label="See the files", icon=":material/arrow_forward:")
        return
    every = tuple(factors for factors in drawn if not is_limit(factors))
    view = look(every, row=row, options=options, baselines=row, pins=options)
    if len(every) < len(drawn) and "policy" not in view.by:
        view = view._replace(by=(*view.by, "policy"))
    container = st.container()
    step_by_step(steps(loaded, of), partial(lines_after, loaded, of, view), container=container, key="compare-lines")
    of = grid_settings(of, view)
    grid = compared_grid(loaded, of)
    task = grid.of_task(view.task)
    if task is None:
        head("No curve to compare", "", f"k = {of.k}")
        empty_state("No query has a value", f"At k = {of.k} no query has documents to choose from: try a smaller k.")
        return
    others = [comparison for comparison in grid.tasks if comparison is not task]
    finding = compare_finding(task, others, by=view.by, quality=grid.quality)
    head(*finding, f"k = {of.k}", depth_words(loaded, of))
    with container:
        every_task(grid, view)
        lines(loaded, of, view, task)
    with options:
        quantity = choose_quantity(task)
        if quantity != "AUC":
            grid = compared_grid(loaded, replace(of, at=choose_point(loaded, of, grid.alpha)))
            task = next(comparison for comparison in grid.tasks if comparison.task == view.task)
    task_tables = registry(loaded, of, grid, view)
    differences(of, task, task_tables, view, quantity)
    main_table(loaded, of, view, options)
    if (choice := choice_finding(task, by=view.by, quality=grid.quality)) is not None:
        callout(f"What to choose. {choice.title}", choice.sentence, calm=True)
    folds(loaded, of, view, grid, task, task_tables)
    ways(loaded, of, view)
    whole_file(loaded, of, finding, view)


page()
