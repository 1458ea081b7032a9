"""Small panels of systems: which factors lay them out, which systems are in, and the chart; Compare and Attribution.

Every setting is in the address and follows from page to page; values of factors and names of systems as marks.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.display.table import Table, folded
from fairviz.display.theme import LIGHT
from fairviz.model import Factors
from fairviz.numerals import plural
from fairviz.points.charts import (
    MOST_PANELS,
    Order,
    PanelLayout,
    PanelView,
    narrowest,
    panels_alt,
    panels_figure,
    usual_layout,
)
from fairviz.points.view import apart_with_task, factor_texts, kept, system_name, value_name, values_of
from pages._kit import at_least, callout, colours, section, show_figure
from pages._kit.controls import choose_name, choose_one, choose_several
from pages._kit.downloads import Command, figure_drawer
from pages._kit.html import Drawing, PageColumn, PageRow, around_zero, change, el, page_table, reach
from pages._kit.link import name_mark

NONE = "none"
WIDEST = 560
"""Of a control with names of systems, in pixels: long ones are read whole."""
ORDERS = {"files": "as in the files", "name": "by name", "highest": "highest first"}
TABS = 4
"""Tasks that stand beside each other; more are a list."""


class PanelLook(NamedTuple):
    """How the conditions are laid out and compared.

    Attributes:
        task: The task that is looked at.
        layout: What stands where in its panels, which condition is marked, and what the others are compared with.
        off: (factor, value) of what is excluded.
        by: Factors that tell systems apart.
    """

    task: str | None
    layout: PanelLayout
    off: tuple[tuple[str, str | None], ...]
    by: tuple[str, ...]

    @property
    def baseline(self) -> Factors:
        """What the others of every task are compared with; its task is None."""
        return (self.layout.baseline or Factors())._replace(task=None)

    @property
    def settings(self) -> dict[str, Any]:
        """What a study is told of it beside the task: the baseline, and what is excluded."""
        return {"baseline": factor_texts(self.baseline.stated.items()), "off": factor_texts(self.off)}

    @property
    def name_of_pinned(self) -> str:
        """What the marked condition is called; empty for none."""
        return system_name(self.layout.pinned, self.by) if self.layout.pinned else ""


def look(
    every: Sequence[Factors],
    *,
    row: DeltaGenerator,
    options: DeltaGenerator,
    baselines: DeltaGenerator,
    pins: DeltaGenerator | None = None,
) -> PanelLook:
    """Show the controls of the layout, and return what they say.

    Args:
        every: Factors of all systems.
        row: Where the task is chosen.
        options: Where rows, columns, colours, order and what is included are.
        baselines: Where the baseline is.
        pins: Where the pinned system is; None: none is pinned.
    """
    with row:
        task = _task(values_of("task", every))
    by = apart_with_task(every)
    free = [name for name in by if name != "task"]
    rows, columns, colour, *_ = usual_layout(every)
    order: Order = "files"
    with options:
        if len(free) > 1:
            rows = choose_one("Rows", free, "panel_rows", usual=rows)
            sides = [name for name in free if name != rows]
            usual = columns if columns != rows else sides[0]
            columns = choose_one("Columns", [NONE, *sides], "panel_cols", usual=usual)
            names = {NONE: "this system"} | {name: name for name in free}
            colour = choose_one("Colour", names, "colour", usual=colour or NONE, format_func=names.get)
        if len(every) > 2:
            order = cast("Order", choose_one("Order", ORDERS, "order", format_func=ORDERS.get))
        off = _excluded(free, every, task) if len(every) > 2 else ()
    of_task = [factors for factors in kept(every, off) if factors.task == task] or [
        factors for factors in every if factors.task == task
    ]
    names = {system_name(factors, by): factors for factors in of_task}
    baseline, pinned = next(iter(names.values())), None
    if len(names) > 1:
        width = min(WIDEST, max(260, 60 + 8 * max(map(len, names))))
        with baselines:
            baseline = names[choose_name("Baseline", list(names), "base", width=width)]
        if pins is not None:
            with pins:
                pinned = names.get(choose_name("Pinned", [NONE, *names], "pin", width=width))
    columns, colour = ("" if name == NONE else name for name in (columns, colour))
    return PanelLook(task, PanelLayout(rows, columns, colour, order, baseline, pinned), off, by)


def _task(tasks: Sequence[str | None]) -> str | None:
    """The task that is looked at: nothing is pooled over tasks."""
    names = {value_name("task", task): task for task in tasks}
    draw = partial(st.selectbox, width=260) if len(names) > TABS else partial(st.segmented_control, required=True)
    return names[choose_one("Task (nothing is pooled over tasks)", names, "task", mark=name_mark, draw=draw)]


def _excluded(free: Sequence[str], every: Sequence[Factors], task: str | None) -> tuple[tuple[str, str | None], ...]:
    """What a person excluded: a pill per value of each factor; those of the task are counted."""
    head, excluded = st.empty(), list[tuple[str, str | None]]()
    for name in free:
        of_value = {value_name(name, value): value for value in values_of(name, every)}
        if len(of_value) > 1:
            look = {"draw": st.pills, "selection_mode": "multi"}
            included = choose_several(name, [*of_value], f"with-{name}", usual=[*of_value], mark=name_mark, **look)
            excluded += [(name, value) for shown, value in of_value.items() if shown not in included]
    shown = [factors for factors in every if factors.task == task]
    head.html(el("p", f"Included: {len(kept(shown, excluded))} of {len(shown)} systems", cls="fv-counts"))
    return tuple(excluded)


# The chart.


def show_panels(
    laid: PanelView,
    *,
    by: Sequence[str],
    key: str,
    title: str,
    words: Callable[[PanelView], str],
    hint: str = "",
    command: Command | None = None,
    on_select: Callable[[], None],
) -> None:
    """A section with one small panel per system, or why there are too many.

    On paper no system is pinned: that is a mark of the screen.

    Args:
        laid: The panels.
        by: Factors that tell systems apart.
        key: Of the chart, also the name of its files.
        title: What is found.
        words: What colours and marks of panels mean.
        hint: What can be done with them on the screen.
        command: Draws them from the data, where a command can.
        on_select: Called when a point is chosen, see :func:`chosen_system`.
    """
    section(title, f"{words(laid)} {hint}".strip())
    n = laid.n_rows * laid.n_columns
    if n > MOST_PANELS:
        callout(f"{n} panels are too many to read", f"At most {MOST_PANELS}: exclude values, or lay out by others.")
        return
    with at_least(narrowest(laid), "panels"):
        show_figure(panels_figure(laid, by=by, colours=colours()), key, panels_alt(laid, by=by), on_select=on_select)
    printed = laid._replace(layout=laid.layout._replace(pinned=None))
    figure_drawer(
        lambda: panels_figure(printed, by=by, colours=LIGHT),
        f"fairviz-{key}",
        caption=f"{title}. {words(printed)}",
        command=command,
    )


def chosen_system(key: str) -> str:
    """The system whose point was chosen in a chart; empty for none."""
    points = st.session_state[key]["selection"]["points"]
    data = points[0].get("customdata") if points else None
    if not data:  # place 5 of a point's data is its system
        return ""
    return data[5 if isinstance(data, (list, tuple)) else "5"]


def pin_chosen(key: str) -> None:
    """Pin the system whose point was chosen in a chart."""
    if name := chosen_system(key):
        st.session_state["pin"] = name


def panel_key(view: PanelView, own: str) -> list[str]:
    """What colours and lines of panels mean; ``own`` is what the own curve is called where no factor has colours."""
    colour = view.layout.colour
    return [
        f"Colours: {colour}" if colour else f"Blue: {own}",
        "dashed: baseline" if colour else "dashed: baseline, black in its own panel",
        "grey: the others",
    ]


# Differences from a baseline.


def row_name(row: PageRow, by: Sequence[str]) -> str:
    """The system of a table's row, by the factors that tell systems apart."""
    return system_name(Factors().with_values({name: row.get(name) or None for name in by}), by)


TALL, ENDS = 40, 15
"""Rows from which a table scrolls inside its box, or folds its middle; and how many then stay at either end."""


def forest(
    table: Table,
    *,
    key: str,
    name: Drawing,
    label: str,
    pinned: Sequence[int] = (),
    falls: bool = False,
    value: str = "",
    caption: str = "",
) -> None:
    """Every system minus the baseline with its interval, as its table has them.

    Args:
        table: A row per system, with ``difference``, ``low``, ``high``, ``verdict``, ``p_holm`` and ``n_queries``.
        key: Of the switch that shows all rows of a long one.
        name: What a system is called.
        label: What a difference is called.
        pinned: Places of rows that are never folded.
        falls: Whether less is better.
        value: What its own value is called; empty: it is not shown.
        caption: What the table shows; its own where nothing is said.
    """
    n = len(table.rows)
    whole = n <= TALL or st.toggle(f"Show all {n} rows", key=key)
    short, left_out = folded(table, most=n if whole else TALL, ends=ENDS, also=pinned)
    rows = [PageRow(zip(table.keys, cells, strict=True)) for cells in table.rows]
    span = around_zero(row.number(end) for row in rows for end in ("low", "high"))

    def missing(row: PageRow) -> str:
        return row.text("verdict") if row["n_queries"] or value else "undefined"

    page_table(
        short,
        {
            "name": PageColumn("System", name),
            **({"value": PageColumn(value)} if value else {}),
            "difference": PageColumn(label, lambda row: change(row, falls=falls)),
            "reach": PageColumn("less · more", lambda row: reach(row, span=span, falls=falls, missing=missing(row))),
            "p_holm": PageColumn(),
            "n_queries": PageColumn("queries", wide=True),
        },
        caption=caption,
        between={index: f"… {plural(gone, 'more row')}" for index, gone in left_out.items()},
        narrow="scroll",
    )
