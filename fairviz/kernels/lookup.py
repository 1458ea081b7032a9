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
    codes, firsts = numbered(runs)
    return IdColumn(np.repeat(codes, runs.struct.field("len")), Ids(runs.struct.field("value").gather(firsts)))


def numbered(runs: pl.Series) -> tuple[IndexArray, IntArray]:
    """The number of the value of each run, in the order in which values come first, and the first run of each value."""
    groups = runs.struct.field("value").to_frame("value").with_row_index("run")
    groups = groups.group_by("value", maintain_order=True).agg("run")["run"]
    codes = np.empty(len(runs), dtype=np.int32)
    codes[groups.explode().to_numpy()] = np.repeat(np.arange(len(groups)), groups.list.len())
    return codes, groups.list.first().to_numpy().astype(np.int64)
