"""What a person compares in recorded answers: one column, its values, the rest held fixed."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairviz.model import BiasAnswers, BiasItems, BoolArray, Factor, FloatArray
from fairviz.model.published import PrintedCell, PublishedTable
from fairviz.studies.social_bias.changes import FOLLOWS
from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.rows import BiasRow, column_of, is_without_rag, ordered_settings

# Values of bias by row, block and column: the shape of every table about social bias.
#
# A row is a model, a block a bias type (or data set), a column a setting (or retriever). Printed
# tables and tables of own answers have the same shape, so that they are drawn and compared alike.


Marks: TypeAlias = NDArray[np.int8]
"""(R, B, C) 1 = marked as highest, −1 = marked as lowest, 0 = not marked."""

MarkRule: TypeAlias = Literal["extremes", "nearest 0", "highest"]
"""What a paper sets in bold: the highest and lowest of a row, the value nearest 0, the highest."""

MEAN = "mean"
"""Name of the row of means."""


class Cell(NamedTuple):
    """One value, with its place, for those who make a grid.

    Attributes:
        row, block, column: Names of the place.
        value: Percent; NaN = undefined.
        low, high: Ends of its interval; NaN = none.
        small: Whether too few items stand behind it.
        flag: What contradicts itself in print; "" for nothing.
    """

    row: str
    block: str
    column: str
    value: float
    low: float = math.nan
    high: float = math.nan
    small: bool = False
    flag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BiasGrid:
    """Values of one measure; cells that a table lacks are NaN.

    Attributes:
        measure: What the values are.
        rows, blocks, columns: Names, in the order of their first cell.
        values: (R, B, C) percent.
        low, high: (R, B, C) ends of intervals, NaN = none.
        small: (R, B, C) whether too few items stand behind a value.
        flags: What contradicts itself in print, by place.
        about: The bias type of blocks that are none themselves; "" = several.
    """

    measure: BiasMeasure
    rows: tuple[str, ...]
    blocks: tuple[str, ...]
    columns: tuple[str, ...]
    values: FloatArray
    low: FloatArray
    high: FloatArray
    small: NDArray[np.bool_]
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
    every = list(cells)
    rows = tuple(dict.fromkeys(cell.row for cell in every))
    blocks = tuple(dict.fromkeys(cell.block for cell in every))
    columns = tuple(dict.fromkeys(cell.column for cell in every))
    places = [{name: i for i, name in enumerate(axis)} for axis in (rows, blocks, columns)]
    shape = (len(rows), len(blocks), len(columns))
    values, low, high = (np.full(shape, np.nan) for _ in range(3))
    small = np.zeros(shape, dtype=np.bool_)
    flags: dict[tuple[int, int, int], str] = {}
    for cell in every:
        at = (places[0][cell.row], places[1][cell.block], places[2][cell.column])
        values[at], low[at], high[at], small[at] = cell.value, cell.low, cell.high, cell.small
        if cell.flag:
            flags[at] = cell.flag
    return BiasGrid(
        measure=measure,
        rows=rows,
        blocks=blocks,
        columns=columns,
        values=values,
        low=low,
        high=high,
        small=small,
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
        Cell(str(model), str(one), str(name), _number(value), flag=_about(measure, flag))
        for model, one, name, value, flag in zip(
            models, blocks, table.column(column), table.column(measure), table.flags, strict=True
        )
    ]
    order = {name: i for i, name in enumerate(columns)}
    cells.sort(key=lambda cell: order.get(cell.column, len(order)))
    first = {str(model): i for i, model in reversed(list(enumerate(models)))}
    seen = {str(one): i for i, one in reversed(list(enumerate(blocks)))}
    cells.sort(key=lambda cell: (first[cell.row], seen[cell.block]))
    return replace(bias_grid(cells, measure), about=about)


def marks(grid: BiasGrid, rule: MarkRule = "extremes") -> Marks:
    """What the papers set in bold among the columns of each row and block.

    Ties are marked alike; a row with one value, or with equal ones, has no mark.
    """
    found = np.zeros(grid.values.shape, dtype=np.int8)
    for row in range(len(grid.rows)):
        for block in range(len(grid.blocks)):
            values = grid.values[row, block]
            known = values[~np.isnan(values)]
            if np.unique(known).size < 2:
                continue
            if rule == "nearest 0":
                found[row, block, np.abs(values) == np.abs(known).min()] = 1
                continue
            found[row, block, values == known.max()] = 1
            if rule == "extremes":
                found[row, block, values == known.min()] = -1
    return found


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


def _about(measure: BiasMeasure, flag: str) -> str:
    """A flag of a row, unless it begins with the name of another measure."""
    other = "acc_d" if measure == "acc_a" else "acc_a"
    return "" if flag.casefold().startswith(other) else flag


def _number(cell: PrintedCell) -> float:
    return float(cell) if isinstance(cell, int | float) else math.nan


COLUMNS = (
    "setting",
    "retriever",
    "k",
    "shots",
    "model",
    "size",
    "tuned",
    "instruction",
    "language",
)
"""What can be compared, the first that has two values at first."""


class Compared(NamedTuple):
    """What is compared with what; a key for remembered results.

    Attributes:
        column: The column compared.
        reference: Its value that the others are held against.
        fixed: Other columns and the one value of each that is looked at.
    """

    column: str
    reference: str
    fixed: tuple[tuple[str, str], ...] = ()


def values_of(items: BiasItems, answers: BiasAnswers) -> dict[str, tuple[str, ...]]:
    """Values of every column that answers have, or that their items bring with two values.

    Settings are in the order of the paper, numbers rise, all else is in the order of the file.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in COLUMNS:
        if answers.factor(name) is None and name != "language":
            continue
        factor = column_of(items, answers, name)
        found[name] = _ordered(name, _present(factor))
    return found


def comparable(values: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Columns with two values or more, in the order of :data:`COLUMNS`."""
    return tuple(name for name, known in values.items() if len(known) > 1)


def usual_reference(column: str, values: Sequence[str]) -> str:
    """What values are held against at first: no retrieval, no documents, else the first."""
    return next((value for value in values if is_nothing(value)), values[0])


def is_nothing(value: str) -> bool:
    """Whether a value says that there was no retrieval: no name, zero, or a name for it.

    Examples:
        >>> is_nothing("0"), is_nothing("w/o RAG"), is_nothing("BM25")
        (True, True, False)
    """
    return value.strip() in ("", "0", "-") or is_without_rag(value)


def part_of(items: BiasItems, answers: BiasAnswers, compared: Compared) -> BiasAnswers:
    """Answers with the fixed values, and the reference's whatever follows along with it.

    Without retrieval there is no retriever and no k: fixing one of them keeps these answers.
    """
    keep: BoolArray = np.ones(answers.items.size, dtype=np.bool_)
    of = column_of(items, answers, compared.column)
    reference = of.codes == _code(of, compared.reference)
    for name, value in compared.fixed:
        factor = column_of(items, answers, name)
        here = factor.codes == _code(factor, value)
        if name in FOLLOWS.get(compared.column, ()) and not (here & reference).any():
            here = here | reference
        keep &= here
    return answers_at(answers, keep)


def answers_at(answers: BiasAnswers, keep: BoolArray) -> BiasAnswers:
    """Some of the answers; columns keep the values that are left."""
    return BiasAnswers(
        factors=tuple(_factor_at(factor, keep) for factor in answers.factors),
        items=answers.items[keep],
        choices=answers.choices[keep],
        words=None if answers.words is None else _factor_at(answers.words, keep),
    )


def rows_grid(
    rows: Sequence[BiasRow],
    measure: BiasMeasure,
    *,
    row: str = "model",
    block: str = "category",
    column: str = "setting",
    columns: Sequence[str] = (),
) -> BiasGrid:
    """One measure of measured rows.

    Args:
        rows: Rows by these three columns.
        measure: The measure.
        row: Column of the grid's rows; "" in all where rows are not kept apart by it.
        block: Column of its blocks.
        column: Column of its columns.
        columns: Their order.
    """
    order = {name: i for i, name in enumerate(columns)}
    cells = [
        Cell(
            one.get(row),
            one.get(block),
            one.get(column),
            one.values[measure],
            *one.intervals[measure],
            small=one.small,
        )
        for one in sorted(rows, key=lambda one: order.get(one.get(column), len(order)))
    ]
    first = {name: i for i, name in enumerate(dict.fromkeys(one.get(row) for one in rows))}
    seen = {name: i for i, name in enumerate(dict.fromkeys(one.get(block) for one in rows))}
    cells.sort(key=lambda cell: (first[cell.row], seen[cell.block]))
    grid = bias_grid(cells, measure)
    return _in_order(grid, columns)


def turned(grid: BiasGrid) -> BiasGrid:
    """The same with blocks as rows: how a single model is read, a row per bias type."""
    return replace(
        grid,
        rows=grid.blocks,
        blocks=("",) if grid.rows == ("",) else grid.rows,
        values=grid.values.swapaxes(0, 1),
        low=grid.low.swapaxes(0, 1),
        high=grid.high.swapaxes(0, 1),
        small=grid.small.swapaxes(0, 1),
        flags={(b, r, c): flag for (r, b, c), flag in grid.flags.items()},
    )


def _in_order(grid: BiasGrid, columns: Sequence[str]) -> BiasGrid:
    """Columns as asked for, also where the first row lacks one."""
    wanted = [name for name in columns if name in grid.columns]
    wanted += [name for name in grid.columns if name not in wanted]
    at = [grid.columns.index(name) for name in wanted]
    return replace(
        grid,
        columns=tuple(wanted),
        values=grid.values[..., at],
        low=grid.low[..., at],
        high=grid.high[..., at],
        small=grid.small[..., at],
    )


def _ordered(name: str, values: Sequence[str]) -> tuple[str, ...]:
    if name == "setting":
        return ordered_settings(values)
    if name in ("k", "shots"):
        return tuple(sorted(values, key=_as_number))
    return tuple(sorted(values, key=lambda value: not is_nothing(value)))


def _as_number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return -1.0 if is_nothing(value) else float("inf")


def _code(factor: Factor, value: str) -> int:
    return factor.values.index(value) if value in factor.values else -1


def _factor_at(factor: Factor, keep: BoolArray) -> Factor:
    """Rows of a factor, without the values that no row has any more."""
    kept = factor.codes[keep]
    values = _present(Factor(factor.name, factor.values, kept))
    rows = np.unique(kept, return_inverse=True)[1]
    return Factor(factor.name, values, rows.astype(np.int32))


def _present(factor: Factor) -> tuple[str, ...]:
    """Values that some row has."""
    present: list[int] = np.unique(factor.codes).tolist()
    return tuple(factor.values[i] for i in present)
