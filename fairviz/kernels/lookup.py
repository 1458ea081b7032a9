"""Where the identifiers of one table stand in another: the join of strings that every alignment begins with."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.model import IndexArray, IntArray
from fairviz.model.arrays import Ids


class IdColumn(NamedTuple):
    """A column of identifiers: ``values[codes[i]]`` stands in row i; values in the order in which they appear."""

    codes: IndexArray
    values: Ids


def positions(ids: Sequence[str], within: Sequence[str]) -> IntArray:
    """Place of each identifier among others, −1 where it is not there.

    Args:
        ids: N identifiers.
        within: Distinct identifiers.

    Returns:
        (N) index into ``within``.

    Examples:
        >>> positions(("b", "c"), ("a", "b")).tolist()
        [1, -1]
    """
    if ids is within:
        return np.arange(len(ids))
    rows = Ids.of(ids).column.to_frame("id").with_row_index("row")
    both = rows.join(Ids.of(within).column.to_frame("id").with_row_index("place"), on="id")
    places = np.full(len(ids), -1, dtype=np.int64)
    places[both["row"]] = both["place"]
    return places


def union(first: Sequence[str], second: Sequence[str]) -> tuple[Ids, IndexArray]:
    """The identifiers of two tables, each once: those of the first, then what only the second has.

    Args:
        first: N distinct identifiers, which keep their places.
        second: M distinct identifiers.

    Returns:
        The union, and (M) where those of the second stand in it.
    """
    known, more = Ids.of(first), Ids.of(second)
    places = positions(more, known)
    new = np.flatnonzero(places < 0)
    places[new] = len(known) + np.arange(new.size)
    if new.size:
        known = Ids(pl.concat([known.column, more.column.gather(new)]))
    return known, places.astype(np.int32)


def encoded(column: pl.Series) -> IdColumn:
    """A column of identifiers by number.

    Examples:
        >>> encoded(pl.Series(["b", "a", "b"]))
        IdColumn(codes=array([0, 1, 0], dtype=int32), values=Ids.of(['b', 'a']))
    """
    return encoded_runs(column.rle())


def encoded_runs(runs: pl.Series) -> IdColumn:
    """A column of identifiers by number, of the runs of equal neighbours that Polars' ``rle`` makes of it.

    Most columns of a table are sorted, or hold one value: in runs they take no memory to speak of.
    """
    codes, firsts = _numbered(runs)
    return IdColumn(np.repeat(codes, runs.struct.field("len")), Ids(runs.struct.field("value").gather(firsts)))


def alike(rows: pl.DataFrame) -> tuple[IndexArray, IntArray]:
    """(R) which of the distinct rows each is, numbered in the order of their first, and these first rows.

    Examples:
        >>> alike(pl.DataFrame({"a": [5, 5, 3, 5], "b": [0, 1, 0, 0]}))
        (array([0, 1, 2, 0], dtype=int32), array([0, 1, 2]))
    """
    runs = (rows.to_series() if rows.width == 1 else rows.to_struct()).rle()  # of equal neighbours
    codes, firsts = _numbered(runs)
    lengths = runs.struct.field("len").to_numpy()
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    return np.repeat(codes, lengths), starts[firsts]


def read_once(
    rows: pl.DataFrame, read: Callable[..., object], dtype: pl.DataType | type[pl.DataType] = pl.String
) -> pl.Series:
    """(R) what is made of each row, once for rows that are alike.

    Examples:
        >>> read_once(pl.DataFrame({"a": ["x", "y", "x"]}), str.upper).to_list()
        ['X', 'Y', 'X']
    """
    codes, firsts = alike(rows)
    return pl.Series([read(*row) for row in rows[firsts].iter_rows()], dtype=dtype).gather(codes)


def _numbered(runs: pl.Series) -> tuple[IndexArray, IntArray]:
    """The number of the value of each run, in the order in which values come first, and the first run of each value."""
    values = runs.struct.field("value").to_frame("value").with_row_index("run")
    first = values.select(pl.col("run").first().over("value")).to_series().to_numpy()  # of each run's value
    firsts = np.flatnonzero(first == np.arange(first.size))
    numbers = np.empty(first.size, dtype=np.int32)
    numbers[firsts] = np.arange(firsts.size)
    return numbers[first], firsts
