"""Where the identifiers of one table stand in another: the join of strings that every alignment begins with."""

from collections.abc import Sequence
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
    places = Ids.of(within).column.alias("id").to_frame().with_row_index("place")
    rows = Ids.of(ids).column.alias("id").to_frame().join(places, on="id", how="left", maintain_order="left")
    return rows["place"].cast(pl.Int64).fill_null(-1).to_numpy()


def union(first: Sequence[str], second: Sequence[str]) -> tuple[Ids, IndexArray]:
    """The identifiers of two tables, each once: those of the first, then what only the second has.

    Args:
        first: N distinct identifiers, which keep their places.
        second: M distinct identifiers.

    Returns:
        The union, and (M) where those of the second stand in it.
    """
    known, more = Ids.of(first), Ids.of(second)
    places = positions(more, known).copy()
    new = np.flatnonzero(places < 0)
    places[new] = len(known) + np.arange(new.size)
    if new.size:
        known = Ids(pl.concat([known.column.alias("id"), more.column.gather(new).alias("id")]))
    return known, places.astype(np.int32)


def encoded(column: pl.Series) -> IdColumn:
    """A column of identifiers, texts or categories, by number.

    Examples:
        >>> encoded(pl.Series(["b", "a", "b"]))
        IdColumn(codes=array([0, 1, 0], dtype=int32), values=Ids.of(['b', 'a']))
    """
    coded = column if isinstance(column.dtype, pl.Categorical) else column.cast(categories())
    numbers = coded.to_physical().to_numpy()  # in the order in which threads met them
    first = np.full(int(numbers.max(initial=0)) + 1, numbers.size, dtype=np.int64)
    first[numbers[::-1]] = np.arange(numbers.size)[::-1]
    order = np.argsort(first, kind="stable")[: int((first < numbers.size).sum())]
    places = np.zeros(first.size, dtype=np.int32)
    places[order] = np.arange(order.size, dtype=np.int32)
    return IdColumn(places[numbers], Ids(coded.gather(first[order]).cast(pl.String)))


def categories() -> pl.Categorical:
    """A type of column that holds each text once, shared by the columns of this type and by no others."""
    return pl.Categorical(pl.Categories.random())
