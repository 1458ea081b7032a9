"""Rows of converted files: written one row group after the other, read again alone or by ranges of their ids.

Row groups are read and cut one by one, and each is a piece of every column: memory holds what is kept of them, and
Arrow cannot read more than 2 GiB of texts in lists at once.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any, BinaryIO, Self

import numpy as np
import pyarrow
import pyarrow.compute
import pyarrow.parquet

from fairviz.io.arrow import numbers_of, text_array, text_ids
from fairviz.io.converted import as_it_says
from fairviz.lookup import encoded
from fairviz.model import Factor, IndexArray, IntArray

_pa: Any = pyarrow
_pq: Any = pyarrow.parquet
_compute: Any = pyarrow.compute

CODES = _pa.dictionary(_pa.int32(), _pa.string())
"""Type of a column whose few words repeat."""
TEXTS = _pa.list_(_pa.string())
"""Type of a column of lists of words or ids."""


# Reading.


def read_groups(
    path: str,
    groups: Iterable[int],
    columns: Sequence[str] | None = None,
    *,
    cut: Callable[[Any], Any] = lambda table: table,
) -> Any:
    """Row groups as one table, of which each column has a piece for each of them, and at least one.

    Args:
        path: Of the file.
        groups: Which row groups.
        columns: Which columns; None = all.
        cut: What is kept of a row group.

    Raises:
        InputError: The file is not as it says.
    """
    with as_it_says(path):
        file = _pq.ParquetFile(path)
        names = file.schema_arrow.names if columns is None else list(columns)
        pieces = [cut(file.read_row_group(i, names, use_threads=False)) for i in groups]
        nothing = file.schema_arrow.empty_table().select(names)
        return _pa.concat_tables([piece for piece in pieces if piece.num_rows] or [nothing])


def read_between(
    path: str,
    by: str,
    firsts: Sequence[str],
    low: str,
    high: str | None,
    columns: Sequence[str] | None = None,
    *,
    first_group: int = 0,
) -> Any:
    """The rows of a range of ids, as :func:`read_groups` gives them.

    Args:
        path: Of the file.
        by: The column of the ids, by which the rows are sorted.
        firsts: First id of each row group.
        low: First id of the range.
        high: The id that follows the last; None = to the end.
        columns: Which columns, ``by`` among them; None = all.
        first_group: The row group that ``firsts`` begins with.

    Raises:
        InputError: The file is not as it says.
    """

    def cut(table: Any) -> Any:
        inside = _compute.greater_equal(table[by], low)
        if high is not None:
            inside = _compute.and_(inside, _compute.less(table[by], high))
        return table.filter(inside)

    first = max(bisect_right(firsts, low) - 1, 0)
    behind = len(firsts) if high is None else bisect_left(firsts, high)
    return read_groups(path, range(first_group + first, first_group + behind), columns, cut=cut)


def flat(lists: Sequence[Any]) -> list[Any]:
    """What the lists in each piece of a column hold."""
    return [_compute.list_flatten(piece) for piece in lists]


def offsets_in(lists: Sequence[Any]) -> IntArray:
    """(R+1) where each list of a column in pieces begins among what all of them hold; null is an empty list."""
    sizes = numbers_of([_compute.list_value_length(piece).fill_null(0) for piece in lists])
    return np.append(0, np.cumsum(sizes, dtype=np.int64))


def numbers_or(missing: int, pieces: Sequence[Any]) -> Any:
    """A column of numbers; ``missing`` where there is none."""
    return numbers_of([piece.fill_null(missing) for piece in pieces])


def factor_of(name: str, pieces: Sequence[Any]) -> Factor:
    """A column of texts, each once, in the order of their first rows."""
    codes, values = encoded([text_ids(piece) for piece in pieces])
    return Factor(name, tuple(values), codes)


def factor_among(name: str, values: tuple[str, ...], pieces: Sequence[Any]) -> Factor:
    """A column whose type is :data:`CODES`, by the codes that its words have among these.

    Raises:
        KeyError: A word is none of them.
    """
    known = {value: code for code, value in enumerate(values)}
    codes: list[IndexArray] = []
    for piece in pieces:
        own = np.array([known[value] for value in piece.dictionary.to_pylist()], dtype=np.int32)
        codes.append(own[numbers_of([piece.indices])])
    return Factor(name, values, np.concatenate(codes))


# Writing.


class GroupWriter:
    """Writes a file row group by row group.

    Args:
        to: An open file.
        schema: Its columns.
        options: How Arrow writes some of them.

    Attributes:
        sizes: Rows of each row group.
    """

    def __init__(self, to: BinaryIO, schema: Any, **options: Any) -> None:
        self._schema = schema
        self.sizes: list[int] = []
        self._writer = _pq.ParquetWriter(to, schema, compression="zstd", compression_level=1, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()  # where it is closed already, nothing happens

    def _add(self, cells: dict[str, Any] | list[Any]) -> Any:
        """Write a row group, the table that is returned."""
        table = _pa.table(cells, schema=self._schema)
        self._writer.write_table(table, row_group_size=max(len(table), 1))
        self.sizes.append(len(table))
        return table

    def _end(self, key: bytes, version: int, said: dict[str, Any]) -> None:
        """Write what the file says of itself, and close it."""
        self._writer.add_key_value_metadata({key: json.dumps({"version": version} | said).encode()})
        self._writer.close()


def coded(codes: Any, values: Sequence[str]) -> Any:
    """A column of words by their codes."""
    return _pa.DictionaryArray.from_arrays(_pa.array(codes), text_array(values))


def texts(codes: IndexArray, values: Sequence[str]) -> Any:
    """A column of identifiers spelled out, of which hardly one repeats within a row group."""
    return coded(codes, values).dictionary_decode()


def lists(offsets: IntArray, values: Any) -> Any:
    """A column of lists."""
    return _pa.ListArray.from_arrays(_pa.array(offsets.astype(np.int32)), values)
