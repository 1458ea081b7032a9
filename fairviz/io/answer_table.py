"""The one reader of tables of answers, of any :class:`Layout`: what each row says, read once for cells that are equal.

:mod:`fairviz.io.cells` makes a frame of a file; here its columns are found by folded names and aliases, and read. Of
all faults that on the earliest line is told.
"""

import json
from collections.abc import Callable, Container, Generator, Hashable, Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.io.answer_layout import Column, Layout, Row
from fairviz.io.cells import Cells, is_json, record_cells, separator_of, table_cells
from fairviz.io.json import json_records
from fairviz.io.names import folded, folded_record
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.io.text import head_of
from fairviz.kernels.lookup import alike
from fairviz.model import Factor, IndexArray

H = TypeVar("H", bound=Hashable)
T = TypeVar("T")


def header_names(line: str) -> set[str]:
    """The names in a header line, in lower case and without quotes."""
    cells = line.split(separator_of(line))
    return {folded(cell.strip(' \t\r\v\f"')) for cell in cells}


def missing_column(name: str, names: Iterable[str], file: str, fix: str) -> InputError:
    """The error of a file in which no row has a column; a header that Excel wrote with semicolons is said.

    Args:
        name: The column.
        names: The columns that there are.
        file: Name of the file.
        fix: How to write it.
    """
    columns = list(names)
    there = ", ".join(shown(column, 20) for column in columns[:12])
    reason = f"missing column: {name} (found: {there})"
    if len(columns) == 1 and ";" in columns[0]:
        reason, fix = f"missing column {name} (semicolon separated?)", "Save it with commas or tabs between the cells."
    return InputError(reason, file=file, line=1, fix=fix)


def read_rows(
    source: Source, layout: Layout, notes: NoteBook, *, quoted_tabs: bool = True
) -> Generator[Row, None, None]:
    """The rows of a file, one by one, with all that each holds.

    Args:
        source: CSV, TSV, JSON Lines or a JSON array.
        layout: Its columns.
        notes: Where repairs are noted.
        quoted_tabs: Whether cells between tabs may be quoted as in CSV; else a quote there is a character of a text.

    Raises:
        InputError: It is no text, a name stands twice, there are no rows, a required column is missing, or a row is not
            of the header.
    """
    if is_json(head_of(source)):
        for line, record in json_records(source, notes):
            row = Row(folded_record(record, file=source.name, line=line), line, notes)
            for name in layout.required:
                if name not in row.record:
                    raise row.lacks(name, fix=layout.fix)
            yield row
        return
    cells = table_cells(source, notes, quoted_tabs=quoted_tabs)
    _require_columns(cells, layout, source.name)
    names = cells.frame.columns
    for line, row in zip(cells.lines, cells.frame.iter_rows(), strict=True):
        yield Row(dict(zip(names, row, strict=True)), line, notes, True)
    if cells.fault is not None:
        raise cells.fault


def _require_columns(cells: Cells, layout: Layout, file: str) -> None:
    """Refuse a header that lacks a required column, and a file without a row."""
    for name in (layout.telling, *layout.required) if cells.in_table else ():
        if name and name not in cells.names:
            raise missing_column(name, cells.names, file, layout.fix)
    if cells.fault is not None and cells.lines.is_empty():
        raise cells.fault


# What rows say, by columns.


class Coded(NamedTuple, Generic[T]):
    """What R rows say.

    Attributes:
        values: What is said, each once, in the order of its first row.
        codes: (R) position of what each row says.
    """

    values: tuple[T, ...]
    codes: IndexArray

    def at(self, row: int) -> T:
        """What a row says."""
        return self.values[int(self.codes[row])]

    def mapped(self, read: Callable[[T], H]) -> "Coded[H]":
        """What is made of it, where several may become one.

        Examples:
            >>> Coded(("b", "B ", "a"), np.array([0, 1, 2], dtype=np.int32)).mapped(lambda text: text.strip().lower())
            Coded(values=('b', 'a'), codes=array([0, 0, 1], dtype=int32))
        """
        places: dict[H, int] = {}
        codes = np.array([places.setdefault(read(value), len(places)) for value in self.values], dtype=np.int32)
        return Coded(tuple(places), codes[self.codes])

    def told(self, is_it: Callable[[T], object]) -> NDArray[np.bool_]:
        """(R) whether it is true of what each row says."""
        return np.array([bool(is_it(value)) for value in self.values], dtype=np.bool_)[self.codes]

    def factor(self: "Coded[str]", name: str) -> Factor:
        """The same as a column of a noun."""
        return Factor(name, self.values, self.codes)

    @property
    def numbers(self) -> NDArray[np.int8]:
        """(R) what each row says, where these are small numbers."""
        return np.array(self.values, dtype=np.int8)[self.codes]

    @property
    def firsts(self) -> list[int]:
        """The first row that says each."""
        return np.unique(self.codes, return_index=True)[1].tolist()

    @property
    def column(self) -> pl.Series:
        """(R) what each row says, where these are texts or null."""
        return pl.Series(self.values).gather(self.codes)


class AnswerTable:
    """R rows of answers by column.

    A cell is read as a column of the layout, once for all that are equal. What is wrong with any is kept until
    :meth:`check`.

    Attributes:
        cells: What the file holds.
        layout: The columns that are read.
    """

    def __init__(self, cells: Cells, layout: Layout, notes: NoteBook) -> None:
        self.cells = cells
        self.layout = layout
        self._notes = notes
        self._faults: list[tuple[int, InputError]] = []
        self._noted: list[tuple[int, NoteBook, int]] = []
        _require_columns(cells, layout, notes.file)
        for name in layout.required:
            lacking = cells.frame[name].is_null().arg_max() or 0 if name in cells.frame.columns else 0
            row = self._row(lacking)
            if name not in row.record:
                self._faults.append((lacking, row.lacks(name, fix=layout.fix)))

    @property
    def file(self) -> str:
        """Name of the file."""
        return self._notes.file

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.cells.lines.len()

    def line(self, row: int) -> int:
        """The line on which a row starts."""
        return int(self.cells.lines[row])

    def has(self, column: Column[Any]) -> bool:
        """Whether the file has a column."""
        return column.name_in(self.cells.names) is not None

    def missing(self, name: str) -> InputError:
        """The error of a file in which no row has a column.

        Raises:
            InputError: The file cannot be read to its end.
        """
        self.check()
        return missing_column(name, self.cells.names, self._notes.file, self.layout.fix)

    def said(self, read: Callable[[Row], H], *columns: Column[Any]) -> Coded[H]:
        """What each row says.

        Args:
            read: What a row with some cells says; it may note what is odd, or raise an :class:`InputError`.
            columns: Whose cells these are.
        """
        frame = self.cells.frame
        names = [name for column in columns for name in column.names if name in frame.columns]
        cells = frame.select(names) if names else pl.DataFrame({"": np.zeros(self.n_rows, dtype=np.int32)})
        codes, rows = alike(cells)
        firsts: list[int] = rows.tolist()
        n = np.bincount(codes)
        places: dict[H, int] = {}
        of: list[int] = []
        for first, n_equal, cell in zip(firsts, n.tolist(), cells[firsts].iter_rows(named=True), strict=True):
            row = self._row(first, cell if names else {})
            try:
                of.append(places.setdefault(read(row), len(places)))
            except InputError:
                of.append(places.setdefault(cast(H, None), len(places)))  # until it is refused
                self._faults.append((first, self._fault(read, first)))
            if row.notes.collected:
                self._noted.append((first, row.notes, n_equal))
        return Coded(tuple(places), np.array(of, dtype=np.int32)[codes])

    def check(self) -> None:
        """Refuse the table for what is wrong with its earliest row; else note what is odd, row by row.

        Raises:
            InputError: A cell is not what its column holds, or the file cannot be read further.
        """
        if self._faults:
            raise min(self._faults, key=lambda fault: fault[0])[1]
        if self.cells.fault is not None:
            raise self.cells.fault
        for _, notes, n_equal in sorted(self._noted, key=lambda noted: noted[0]):
            self._notes.add_all(notes, times=n_equal)

    def note_other_columns(self, known: Container[str]) -> None:
        """Note the columns that are not read."""
        others = [shown(name, 30) for name in self.cells.names if name and name not in known]
        if others:
            more = f" and {len(others) - 8} more" if len(others) > 8 else ""
            self._notes.add(f"columns not read: {', '.join(others[:8])}{more}")

    def _row(self, row: int, cells: Mapping[str, str | None] | None = None) -> Row:
        """A row, or some cells of it, with notes of its own."""
        named = self.cells.frame.row(row, named=True) if cells is None else cells
        there = {name: cell for name, cell in named.items() if cell is not None}
        record = there if self.cells.in_table else {name: json.loads(cell) for name, cell in there.items()}
        return Row(record, self.line(row), NoteBook(self._notes.file), self.cells.in_table)

    def _fault(self, read: Callable[[Row], Any], row: int) -> InputError:
        """What is wrong with a row, which may name all that the row has."""
        try:
            read(self._row(row))
        except InputError as error:
            return error
        raise AssertionError("what some of a row's cells say, all of them say")


def read_table(source: Source, layout: Layout, notes: NoteBook) -> AnswerTable:
    """The rows of a file by column.

    Args:
        source: CSV, TSV, JSON Lines or a JSON array.
        layout: Its columns.
        notes: Where repairs are noted.

    Raises:
        InputError: It is no text, a name stands twice, there are no rows, a header lacks a required column, or the
            first row is wrong.
    """
    read = record_cells if is_json(head_of(source)) else table_cells
    return AnswerTable(read(source, notes), layout, notes)
