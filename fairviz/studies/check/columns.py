"""Limits as rows: how large a breach is found."""

from collections.abc import Sequence

from fairviz.display.table import Column, Table
from fairviz.points.limits import Judged, whole


def plan_table(rows: Sequence[Judged]) -> Table:
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
