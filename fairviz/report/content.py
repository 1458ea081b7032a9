"""What a report is made of, before it is written in any format."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import pandas as pd

from fairviz.report.words import MINUS, count, number, p_value, signed

Cell: TypeAlias = str | int | float | bool | None
"""A cell: text, a number, or nothing; None and NaN are undefined."""


class Formula(str):
    """A formula in LaTeX without dollar signs: LaTeX tables typeset it, others print it as is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns and rows of cells.

    Attributes:
        columns: Headings.
        rows: One cell per column each.
        caption: One sentence that says what the table holds.
        decimals: Digits after the point where people read; CSV keeps all.
        signed: Columns of differences, whose numbers people read with their sign.
        p_values: Columns of p values, where people read "< 0.001" and not 0.000.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    decimals: int = 3
    signed: tuple[str, ...] = ()
    p_values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for place, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(f"row {place} has {len(row)} cells for {len(self.columns)} columns")

    def printed(self, cell: float, column: str) -> str:
        """A number as people read it in a column: sign, digits, true minus."""
        if column in self.p_values:
            return p_value(cell)
        if isinstance(cell, int):
            return signed(cell, 0) if column in self.signed else count(cell).replace("-", MINUS)
        write = signed if column in self.signed else number
        return write(cell, self.decimals)

    def is_numeric(self, column: int) -> bool:
        """Whether every defined cell of a column is a number: such columns stand to the right."""
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and all(is_number(cell) for cell in cells)


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn figure as Plotly's JSON in both themes, with words for those who cannot see it.

    Attributes:
        light: ``{"data": […], "layout": {…}}``.
        dark: The same on a dark ground.
        alt: What the figure shows.
        caption: What to look at.
        name: What to call a picture that is saved of it.
    """

    light: str
    dark: str
    alt: str
    caption: str = ""
    name: str = "figure"


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to copy as they are: a command, an entry of a bibliography."""

    text: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, prose paragraphs, then tables, figures and code."""

    title: str
    paragraphs: tuple[str, ...] = ()
    blocks: tuple[Table | Figure | Code, ...] = field(default=())


def frame_table(frame: pd.DataFrame, *, caption: str = "", decimals: int = 3) -> Table:
    """A tidy frame as a table; missing values become None.

    Examples:
        >>> frame_table(pd.DataFrame({"system": ["a"], "value": [float("nan")]})).rows
        (('a', None),)
    """
    names = tuple(str(name) for name in frame.columns)
    columns: list[Sequence[Cell]] = [
        [None if missing else cell for cell, missing in zip(column, pd.isna(column), strict=True)]
        for column in (_plain(frame, place) for place in range(len(names)))
    ]
    return Table(names, tuple(zip(*columns, strict=True)), caption, decimals)


def is_number(cell: Cell) -> bool:
    """Whether a cell is a number; a truth value is a word."""
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _plain(frame: pd.DataFrame, place: int) -> list[Cell]:
    return cast("list[Cell]", frame.iloc[:, place].tolist())
