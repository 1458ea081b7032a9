"""Tables of results as the page shows them: the first rows, numbers as people read them."""

import math

import streamlit as st

from fairviz.report.content import Cell as Value
from fairviz.report.content import Table
from fairviz.report.measure_tables import Mean, Means, headed
from pages._shared import (
    Cell,
    Column,
    Toned,
    Two,
    count,
    counts_line,
    el,
    html_table,
    interval,
    number,
    plural,
)

SHOWN = 12
NO_BREAK = "\N{NO-BREAK SPACE}"
CARD_COLUMNS = 7
"""More columns than these make cards longer than a phone; such tables scroll sideways there."""


def preview(table: Table) -> None:
    """The first rows of a table."""
    columns = [
        Column(label=name, align="right" if table.is_numeric(i) else "left") for i, name in enumerate(table.columns)
    ]
    rows = [
        [_shown(table, name, cell) for name, cell in zip(table.columns, row, strict=True)] for row in table.rows[:SHOWN]
    ]
    narrow = "cards" if len(columns) <= CARD_COLUMNS else "scroll"
    counts_line(table.caption)  # outside: a caption would scroll sideways with its table
    html_table(columns, rows, caption=table.caption, narrow=narrow)
    _counted(len(table.rows))


def preview_means(table: Means, caption: str, *, show_caption: bool) -> None:
    """A row per system, a column per measure, each mean above its interval."""
    columns: list[Column | str] = ["system", *map(headed, table.measures), "queries"]
    rows: list[list[Cell]] = [
        [name, *map(_mean, cells), table.queries(row)]
        for row, (name, cells) in enumerate(zip(table.systems, table.cells, strict=True))
    ]
    narrow = "cards" if len(columns) <= CARD_COLUMNS else "scroll"
    if show_caption:
        counts_line(caption)  # outside: a caption would scroll sideways with its table
    html_table(columns, rows[:SHOWN], caption=caption, narrow=narrow)
    if len(rows) > SHOWN:
        _counted(len(rows))


def show_refused(table: Table) -> None:
    """Measures that the data do not allow, each with its reason."""
    if not table.rows:
        return
    entries = (
        el("li", el("strong", str(measure)), f": {reason} ({systems})") for measure, reason, systems in table.rows
    )
    head = el("summary", f"{plural(len(table.rows), 'measure')} not on these data, and why")
    st.html(el("details", head, el("ul", *entries), cls="fv-notes", open=""))


def _mean(cell: Mean) -> Cell:
    if math.isnan(cell.value):
        return Toned(text="–", tone="mute", bold=False)
    return Two(top=number(cell.value), below=interval(*cell.interval))


def _counted(n: int) -> None:
    counts_line(f"The first {SHOWN} of {count(n)} rows; the files have all." if n > SHOWN else plural(n, "row"))


def _shown(table: Table, name: str, cell: Value) -> Cell:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return Toned(text="–", tone="mute", bold=False)
    if isinstance(cell, str | bool):
        return str(cell)
    return table.printed(cell, name).replace(" ", NO_BREAK)
