"""An external sort: rows of a file in the order of their ids, however many there are.

Pieces of some millions of rows are sorted and put on the disk; then the ids are taken in their order, some at a time,
from all pieces. Memory holds one piece, or one range of ids, and every id once.
"""

import errno
import os
import shutil
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow
import pyarrow.ipc

from fairviz.errors import OutputError
from fairviz.io.arrow import numbers_of
from fairviz.io.plain import Stretches
from fairviz.lookup import encoded
from fairviz.model import IndexArray, IntArray

_pa: Any = pyarrow
_ipc: Any = pyarrow.ipc

BATCH = 8_192
"""Rows of a piece that are read at a time."""

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""What the system says where a disk, or what one may use of it, has no room for more."""

_ID = "id"


@contextmanager
def folder_beside(to: str) -> Generator[Path]:
    """Where the pieces are, beside the result; whoever holds the lock of the result owns it.

    Raises:
        OutputError: It cannot be made.
    """
    place = Path(to).resolve()
    folder = place.with_name(f".{place.name}.pieces")
    shutil.rmtree(folder, ignore_errors=True)  # of a writer that was killed
    try:
        folder.mkdir()
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", file=to, fix="Name another file.") from error
    try:
        yield folder
    except OSError as error:  # no reading ends so: the input is not to blame
        if error.errno not in FULL:
            raise
        fix = "Make room, or name a file on another disk: pieces as large as the input stand beside the result."
        raise OutputError(f"cannot be written: {os.strerror(error.errno)}", file=to, fix=fix) from error
    finally:
        with suppress(OSError):
            shutil.rmtree(folder)


class Names:
    """Identifiers of a whole column, numbered in order of first appearance."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}

    def numbered(self, column: Stretches) -> IndexArray:
        """The numbers of the rows of a part."""
        codes, names = encoded([column.ids])
        numbers = self.added(names)[codes]
        return numbers if column.sizes is None else np.repeat(numbers, column.sizes)

    def added(self, names: Iterable[str]) -> IndexArray:
        """The numbers of some names."""
        known = self.codes
        return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int32)


class SortedRange(NamedTuple):
    """Rows of some ids, in the order of the ids and, within one, of the file.

    Attributes:
        ids: (Q) the ids.
        places: (Q) which of all ids each is, in the order of the file.
        of: (R) id of each row, from 0.
        columns: (R) rows of each column: numbers as arrays, texts as Arrow has them.
    """

    ids: list[str]
    places: IntArray
    of: IndexArray
    columns: dict[str, Any]


class _Piece(NamedTuple):
    path: Path
    ids: IndexArray
    starts: IntArray


class SortedPieces:
    """Rows on the disk, piece by piece, each sorted by an id.

    Args:
        folder: Where.
        size: Rows in a piece.
        by_name: Whether ids come in the order of their names, not in that of their first rows.

    Attributes:
        ids: Of all rows.
        n_rows: How many there are.
    """

    def __init__(self, folder: Path, size: int, *, by_name: bool = True) -> None:
        self.ids = Names()
        self._by_name = by_name
        self.n_rows = 0
        self._folder, self._size = folder, size
        self._held: list[tuple[IndexArray, Mapping[str, Any]]] = []
        self._n_held = 0
        self._pieces: list[_Piece] = []

    def add(self, of: IndexArray, columns: Mapping[str, Any]) -> None:
        """Take rows.

        Args:
            of: (R) number of each row's id in ``ids``.
            columns: (R) each: numbers as arrays, texts as an array of Arrow.
        """
        self._held.append((of, columns))
        self._n_held += of.size
        self.n_rows += of.size
        if self._n_held >= self._size:
            self.flush()

    def flush(self) -> None:
        """Sort what is held, and put it on the disk."""
        if not self._held:
            return
        held, self._held, self._n_held = self._held, [], 0
        of = np.concatenate([ids for ids, _ in held])
        by_id = self._in_order(np.unique(of)).astype(np.int32)
        place = np.empty(len(self.ids.codes), dtype=np.int32)
        place[by_id] = np.arange(by_id.size, dtype=np.int32)
        order = np.argsort(place[of], kind="stable")
        table = {_ID: _pa.array(of[order])}
        for name, first in held[0][1].items():
            column = [columns[name] for _, columns in held]
            if isinstance(first, np.ndarray):
                table[name] = _pa.array(np.concatenate(column)[order])
            else:
                table[name] = _pa.concat_arrays(column).take(_pa.array(order))
        batch = _pa.record_batch([*table.values()], names=[*table])
        path = self._folder / str(len(self._pieces))
        with _ipc.new_file(str(path), batch.schema) as file:
            for start in range(0, batch.num_rows, BATCH):
                file.write_batch(batch.slice(start, BATCH))
        starts = np.searchsorted(place[of[order]], np.arange(by_id.size + 1)).astype(np.int64)
        self._pieces.append(_Piece(path, by_id, starts))

    def ranges(self, size: int) -> Iterator[SortedRange]:
        """All rows, the ids in their order, some at a time.

        Args:
            size: Rows at a time, but for an id that has more.
        """
        self.flush()
        names = list(self.ids.codes)
        order = self._in_order(np.arange(len(names)))
        rank = np.empty(order.size, dtype=np.int64)
        rank[order] = np.arange(order.size)
        sizes = np.zeros(order.size, dtype=np.int64)
        ranked: list[tuple[Any, IntArray, IntArray]] = []
        for path, by_id, starts in self._pieces:
            sizes[rank[by_id]] += np.diff(starts)
            ranked.append((_ipc.open_file(_pa.OSFile(str(path))), rank[by_id], starts))
        ends = np.cumsum(sizes)
        first = 0
        while first < order.size:
            before = int(ends[first - 1]) if first else 0
            behind = max(int(np.searchsorted(ends, before + size, side="right")), first + 1)
            slices = [_slice(file, ranks, starts, first, behind) for file, ranks, starts in ranked]
            table = _pa.Table.from_batches([batch for batches in slices for batch in batches])
            of, columns = _merged(table, rank, first)
            yield SortedRange([names[i] for i in order[first:behind].tolist()], order[first:behind], of, columns)
            first = behind

    def _in_order(self, of: IntArray | IndexArray) -> IntArray:
        """Rising numbers of ids in the order of these."""
        if not self._by_name:
            return of.astype(np.int64)
        names = list(self.ids.codes)
        return np.array(sorted(of.tolist(), key=names.__getitem__), dtype=np.int64)


def _slice(file: Any, ranks: IntArray, starts: IntArray, first: int, behind: int) -> list[Any]:
    """The rows of a range of ids in one piece."""
    low, high = (int(starts[np.searchsorted(ranks, one)]) for one in (first, behind))
    return [
        file.get_batch(i).slice(max(low - i * BATCH, 0), min(high, (i + 1) * BATCH) - max(low, i * BATCH))
        for i in range(low // BATCH, -(-high // BATCH))
    ]


def _merged(table: Any, rank: IntArray, first: int) -> tuple[IndexArray, dict[str, Any]]:
    """Rows from several pieces, sorted by id; the pieces follow each other in the file."""
    of = (rank[numbers_of(table[_ID].chunks)] - first).astype(np.int32)
    order = np.argsort(of, kind="stable")
    columns: dict[str, Any] = {}
    for name in table.column_names[1:]:
        chunks = table[name].chunks
        if _pa.types.is_string(table[name].type):
            columns[name] = _pa.concat_arrays(chunks).take(_pa.array(order))
        else:
            columns[name] = numbers_of(chunks)[order]
    return of[order], columns
