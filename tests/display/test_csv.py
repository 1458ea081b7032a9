"""CSV: nothing is lost, nothing is run."""

import csv
import io
import math

from hypothesis import given

from fairviz.display.table import Cell, Table, csv_text
from tests.display.tables import tables

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def same(cell: Cell, found: str) -> bool:
    """Whether a cell was read back."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return found == ""
    if isinstance(cell, bool):
        return found == ("true" if cell else "false")
    if isinstance(cell, str):
        return found == cell
    return type(cell)(found) == cell


@given(tables())
def test_every_cell_is_read_back(table: Table) -> None:
    header, *rows = read(csv_text(table, escape_formulas=False)) or [[""]]
    blank = [""] if len(table.columns) == 1 else None  # a line of one empty field is an empty line
    assert header == list(table.keys) or (header == [] and blank == [""])
    assert len(rows) == len(table.rows)
    for row, found in zip(table.rows, rows, strict=True):
        assert all(map(same, row, found or [""]))


@given(tables())
def test_no_text_can_be_run_and_no_number_is_touched(table: Table) -> None:
    guarded, plain = read(csv_text(table)), read(csv_text(table, escape_formulas=False))
    for line, (ours, raw) in enumerate(zip(guarded, plain, strict=True)):
        cells = table.rows[line - 1] if line else table.keys
        for cell, shown, text in zip(cells, ours, raw, strict=False):
            if isinstance(cell, str):
                assert not shown.startswith(FORMULA_STARTS)
                assert shown == (f"'{text}" if text.startswith(FORMULA_STARTS) else text)
            else:
                assert shown == text
