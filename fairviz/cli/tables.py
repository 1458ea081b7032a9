"""Tables of results to standard output, in the format asked for."""

from collections.abc import Sequence

from fairviz.cli.printing import Json, print_text
from fairviz.report.content import Table
from fairviz.report.csv import csv_text
from fairviz.report.latex import latex_text
from fairviz.report.table import plain_text

MAX_WIDTH = 180
"""Widest text in a terminal: measure strings and formulas are read whole."""


def records(table: Table) -> list[dict[str, Json]]:
    """The rows of a table as JSON objects, in column order."""
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def print_tables(tables: Sequence[Table], how: str) -> None:
    """Print tables one below the other: "table", "csv" (full precision) or "latex"."""
    print_text("\n".join(_text(table, how) for table in tables))


def _text(table: Table, how: str) -> str:
    if how == "csv":
        return csv_text(table, escape_formulas=False)  # programs read it
    if how == "latex":
        return latex_text(table)
    return plain_text(table, max_width=MAX_WIDTH)
