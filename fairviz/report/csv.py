"""Tables as CSV, safe to open in a spreadsheet."""

import math

from fairviz.report.content import Cell, Table

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""A text cell that starts so would be run as a formula by a spreadsheet."""


def csv_text(table: Table, *, escape_formulas: bool = True) -> str:
    """A table as CSV: full precision, undefined = empty, infinite = inf / -inf.

    Args:
        table: The table; its caption is left out.
        escape_formulas: Put an apostrophe before text that a spreadsheet would run. Numbers are
            never touched. Off for files that programs read.

    Examples:
        >>> print(csv_text(Table(("id", "value"), (("=1+1", -0.5), ("a,b", None)))), end="")
        id,value
        '=1+1,-0.5
        "a,b",
    """
    lines = [table.columns, *table.rows]
    return "".join(",".join(_field(cell, escape=escape_formulas) for cell in line) + "\n" for line in lines)


def _field(cell: Cell, *, escape: bool) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if not isinstance(cell, str):
        return repr(float(cell)) if isinstance(cell, float) else str(cell)
    text = f"'{cell}" if escape and cell.startswith(FORMULA_STARTS) else cell
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
