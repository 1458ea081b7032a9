"""What a person compares in recorded answers: one column, its values, the rest held fixed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairviz.analysis.bias_cells import column_of
from fairviz.analysis.bias_grid import BiasGrid, Cell, bias_grid
from fairviz.analysis.bias_pairs import FOLLOWS
from fairviz.analysis.bias_rows import BiasRow
from fairviz.analysis.bias_settings import is_without_rag, ordered_settings
from fairviz.metrics.social_bias import BiasMeasure
from fairviz.model import BiasAnswers, BiasItems, BoolArray, Factor

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
