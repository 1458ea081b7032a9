"""Values of bias by row, block and column: the shape of every printed table.

A row is a model, a block a bias type (or data set), a column a setting (or retriever), as the papers print them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairviz.display import published
from fairviz.display.published import Rule
from fairviz.model import FloatArray
from fairviz.model.published import PrintedCell, PublishedTable
from fairviz.studies.social_bias.measures import BiasMeasure

Marks: TypeAlias = NDArray[np.int8]
"""(R, B, C) 1 = marked as highest, −1 = marked as lowest, 0 = not marked."""

MARKED: dict[published.Mark, int] = {"": 0, "largest": 1, "best": 1, "smallest": -1}
"""Marks as numbers."""
MEAN = "mean"
"""Name of the row of means."""


class Cell(NamedTuple):
    """One value, with its place, for those who make a grid.

    Attributes:
        row, block, column: Names of the place.
        value: Percent; NaN = undefined.
        flag: What contradicts itself in print; "" for nothing.
    """

    row: str
    block: str
    column: str
    value: float
    flag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BiasGrid:
    """Values of one measure; cells that a table lacks are NaN.

    Attributes:
        measure: What the values are.
        rows, blocks, columns: Names, in the order of their first cell.
        values: (R, B, C) percent.
        flags: What contradicts itself in print, by place.
        about: The bias type of blocks that are none themselves; "" = several.
    """

    measure: BiasMeasure
    rows: tuple[str, ...]
    blocks: tuple[str, ...]
    columns: tuple[str, ...]
    values: FloatArray
    flags: dict[tuple[int, int, int], str] = field(default_factory=dict[tuple[int, int, int], str])
    about: str = ""

    @property
    def signed(self) -> bool:
        """Whether values have a sign: Diff-Bias, not accuracy."""
        return not self.measure.startswith("acc")

    @property
    def mean(self) -> FloatArray:
        """(B, C) mean over the rows that have a value."""
        known = ~np.isnan(self.values)
        n = known.sum(axis=0)
        total = np.where(known, self.values, 0.0).sum(axis=0)
        return np.where(n > 0, total / np.maximum(n, 1), np.nan)

    def line(self, row: str) -> FloatArray:
        """(B, C) values of a row by name; :data:`MEAN` where the grid has none of that name."""
        return self.values[self.rows.index(row)] if row in self.rows else self.mean

    def place(self, column: str) -> int:
        """Position of a column.

        Raises:
            ValueError: There is no such column.
        """
        return self.columns.index(column)


def bias_grid(cells: Iterable[Cell], measure: BiasMeasure) -> BiasGrid:
    """A grid of its cells, whose names keep the order of their first cell.

    Examples:
        >>> cells = [Cell("m", "Age", "w/o RAG", 5.0), Cell("m", "Age", "full-set", 7.0)]
        >>> bias_grid(cells, "diffbias_a").values.tolist()
        [[[5.0, 7.0]]]
    """
    cells = list(cells)
    rows = tuple(dict.fromkeys(cell.row for cell in cells))
    blocks = tuple(dict.fromkeys(cell.block for cell in cells))
    columns = tuple(dict.fromkeys(cell.column for cell in cells))
    places = [{name: i for i, name in enumerate(axis)} for axis in (rows, blocks, columns)]
    shape = (len(rows), len(blocks), len(columns))
    values = np.full(shape, np.nan)
    flags: dict[tuple[int, int, int], str] = {}
    for cell in cells:
        at = (places[0][cell.row], places[1][cell.block], places[2][cell.column])
        values[at] = cell.value
        if cell.flag:
            flags[at] = cell.flag
    return BiasGrid(
        measure=measure,
        rows=rows,
        blocks=blocks,
        columns=columns,
        values=values,
        flags=flags,
    )


def published_grid(
    table: PublishedTable,
    measure: BiasMeasure,
    *,
    block: str = "",
    column: str = "setting",
    columns: Sequence[str] = (),
    about: str = "",
) -> BiasGrid:
    """One measure of a printed table.

    Args:
        table: A table in long form with a column "model".
        measure: Its column of values.
        block: Its column of blocks; "" = one block without a name.
        column: Its column of columns.
        columns: The order to show columns in; those not named follow as printed.
        about: The bias type, where blocks are none.
    """
    models = table.column("model")
    blocks = table.column(block) if block else ("",) * len(models)
    cells = [
        Cell(str(model), str(block_name), str(name), _number(value), flag=_flag_of(measure, flag))
        for model, block_name, name, value, flag in zip(
            models, blocks, table.column(column), table.column(measure), table.flags, strict=True
        )
    ]
    column_order = {name: i for i, name in enumerate(columns)}
    cells.sort(key=lambda cell: column_order.get(cell.column, len(column_order)))
    row_order = {str(model): i for i, model in reversed(list(enumerate(models)))}
    block_order = {str(name): i for i, name in reversed(list(enumerate(blocks)))}
    cells.sort(key=lambda cell: (row_order[cell.row], block_order[cell.block]))
    return replace(bias_grid(cells, measure), about=about)


def marks(grid: BiasGrid, rule: Rule = "extremes") -> Marks:
    """What the papers set in bold among the columns of each row and block.

    Ties are marked alike; a row with one value, or with equal ones, has no mark.
    """
    marked = np.zeros(grid.values.shape, dtype=np.int8)
    for place in np.ndindex(marked.shape[:2]):
        marked[place] = [MARKED[mark] for mark in published.marks(grid.values[place].tolist(), rule)]
    return marked


class Moves(NamedTuple):
    """How a measure differs between two columns, over all rows and blocks that have both.

    Attributes:
        n_up: Where it is higher after.
        n_down: Where it is lower.
        n: Pairs of values.
        mean: Mean difference in points; NaN of nothing.
    """

    n_up: int
    n_down: int
    n: int
    mean: float


def moves(grid: BiasGrid, before: str, after: str) -> Moves:
    """Count where a measure rises and falls from one column to another; cells are not tested."""
    gaps = difference(grid, before, after)
    known = gaps[~np.isnan(gaps)]
    mean = float(known.mean()) if known.size else math.nan
    return Moves(int((known > 0).sum()), int((known < 0).sum()), int(known.size), mean)


def difference(grid: BiasGrid, before: str, after: str) -> FloatArray:
    """(R, B) one column minus another."""
    return grid.values[:, :, grid.place(after)] - grid.values[:, :, grid.place(before)]


def _flag_of(measure: BiasMeasure, flag: str) -> str:
    """A flag of a row, unless it begins with the name of another measure."""
    other = "acc_d" if measure == "acc_a" else "acc_a"
    return "" if flag.casefold().startswith(other) else flag


def _number(cell: PrintedCell) -> float:
    return float(cell) if isinstance(cell, int | float) else math.nan
