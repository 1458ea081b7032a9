r"""Tables as aligned plain text for a terminal, which text of a file must not be able to steer."""

import math
import unicodedata

from fairviz.report.content import Cell, Table

MAX_WIDTH = 44
"""Widest text cell; longer ids lose their middle, since they differ at their ends."""

UNDEFINED = "-"
BELOW = "<0.001"
"""A p value that would be printed as 0.000."""


def plain_text(table: Table, *, max_width: int = MAX_WIDTH) -> str:
    """A table with aligned columns: text to the left, numbers to the right, undefined = "-".

    Args:
        table: The table.
        max_width: Columns a text cell may fill.

    Examples:
        >>> print(plain_text(Table(("system", "EED"), (("bm25", 0.5), ("x", None)))), end="")
        system    EED
        bm25    0.500
        x           -
    """
    rows = [
        [
            BELOW if column in table.p_values and isinstance(cell, float) and cell < 0.001 else cell
            for column, cell in zip(table.columns, row, strict=True)
        ]
        for row in table.rows
    ]
    cells = [[_shown(cell, table.decimals, max_width) for cell in row] for row in (table.columns, *rows)]
    widths = [max(map(display_width, column)) for column in zip(*cells, strict=True)]
    right = [table.is_numeric(column) for column in range(len(table.columns))]
    lines = ["  ".join(map(_padded, row, widths, right)).rstrip() for row in cells]
    caption = [printable(table.caption)] if table.caption else []
    return "".join(f"{line}\n" for line in caption + lines)


def printable(text: str) -> str:
    r"""Text with control and direction characters spelled out, on one line.

    Examples:
        >>> printable("a\tb\x1b[31m")
        'a b\\x1b[31m'
    """
    return "".join(
        char if char.isprintable() else " " if char in "\t\n" else char.encode("unicode_escape").decode()
        for char in text
    )


def shortened(text: str, width: int) -> str:
    """Text of at most ``width`` characters, its middle left out.

    Examples:
        >>> shortened("msmarco_doc_11_142931", 11)
        'msmar…42931'
    """
    if len(text) <= width or width < 3:
        return text[:width]
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[-tail:]}"


def display_width(text: str) -> int:
    """Columns that a terminal gives a text: two for wide characters, none for combining ones."""
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


def _shown(cell: Cell, decimals: int, max_width: int) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return UNDEFINED
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, str):
        return shortened(printable(cell), max_width)
    return f"{cell:.{decimals}f}" if isinstance(cell, float) else str(cell)


def _padded(cell: str, width: int, right: bool) -> str:
    room = " " * (width - display_width(cell))
    return room + cell if right else cell + room
