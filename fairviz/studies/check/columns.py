"""Limits as rows, for every surface."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairviz.display.table import Cell, Column, Table

if TYPE_CHECKING:
    from fairviz.studies.check.analysis import Judged

JUDGED = (
    Column("outcome", kind="tone"),
    Column("limit"),
    Column("system"),
    Column("value", kind="number"),
    Column("low", kind="interval"),
    Column("high", kind="interval"),
    Column("n", "queries or questions", "number"),
    Column("n_to_tell", "that could tell", "number"),
)


def whole(number: float) -> Cell:
    """A count, None where there is none."""
    return None if math.isnan(number) else int(number)


def limits_table(rows: "Sequence[Judged]") -> Table:
    """A row per limit and system: what became of it, its value, the interval that decided."""
    cells = [
        (row.outcome, row.limit.text, row.system, row.value, *row.interval, row.n, whole(row.n_to_tell)) for row in rows
    ]
    return Table(
        JUDGED,
        tuple(cells),
        "Limits: broken where the whole interval lies beyond, holds where all of it lies within; intervals at the "
        "level that holds for all limits of the table together (Bonferroni)",
    )


def plan_table(rows: "Sequence[Judged]") -> Table:
    """A row per limit and system: how large a breach is found, and what a smaller one takes."""
    columns = (
        Column("limit"),
        Column("system"),
        Column("n", "queries or questions", "number"),
        Column("detectable", "breach found with power .8", "number"),
        Column("n_for_breach", "that find the breach asked about", "number"),
    )
    cells = [(row.limit.text, row.system, row.n, row.detectable, whole(row.n_for_breach)) for row in rows]
    return Table(columns, tuple(cells), "How far beyond its limit a value is found to be with a chance of 80 %, about")
