"""The one reader of tables of answers (CSV, TSV, JSON Lines, a JSON array): declared columns, and what rows say.

A noun that people write as a table has an :class:`AnswerColumn` for each thing that it says: what it is called, and a
reader of its cells, which says what is wrong with one. :mod:`fairviz.io.cells` makes a frame of a file; here its
columns are found by folded names and aliases, and read once for cells that are equal. Of all faults that on the
earliest line is told.
"""

import json
import math
import re
from collections.abc import Callable, Container, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, filterfalse
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.cells import Cells, read_cells
from fairviz.io.json import FileRow, Json, as_text, as_whole, is_id, json_type, value_in
from fairviz.io.names import is_blank
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.model import IndexArray
from fairviz.model.arrays import distinct_rows, encoded

H = TypeVar("H", bound=Hashable)
T = TypeVar("T")


Read: TypeAlias = Callable[[Json, str, FileRow], T]
"""What a cell says: its value (None where it is absent or null), what the file calls the column, the row it is of.

Raises an :class:`InputError` where it is not what the column holds.
"""


@dataclass(frozen=True, slots=True)
class AnswerColumn(Generic[T]):
    """A column, and how its cells are read.

    Attributes:
        read: What a cell says.
        names: Its names in lower case; where several are there, the first counts.
        filled: Whether a blank cell is refused.
    """

    read: Read[T]
    names: tuple[str, ...]
    filled: bool = False

    @property
    def name(self) -> str:
        """The column's own name; the others are aliases."""
        return self.names[0]

    def name_in(self, names: Container[str]) -> str | None:
        """Under which of its names it is there."""
        return next((name for name in self.names if name in names), None)

    def of(self, row: FileRow) -> T:
        """What the cell of a row says.

        Raises:
            InputError: It is not what the column holds.
        """
        name = self.names[0]
        value = row.record.get(name)
        if value is None and len(self.names) > 1:
            name = self.name_in(row.record) or name
            value = row.record.get(name)
        if self.filled and (value is None or (isinstance(value, str) and is_blank(value))):
            raise row.unfilled(name)
        return self.read(value, name, row)

    def stripped(self: "AnswerColumn[str]", row: FileRow) -> str:
        """What the cell of a row says, without blanks around it."""
        return self.of(row).strip()


# Readers of cells.


def texts(what: str, fix: str, *, any_number: bool = True) -> Read[str]:
    """Words as they are written, "" for an absent cell.

    Args:
        what: What the cell must be, for its error.
        fix: What to give, for its error.
        any_number: Whether every number, true and false count as text; else integers alone.
    """

    def read(value: Json, name: str, row: FileRow) -> str:
        if isinstance(value, str):
            return value
        value = as_whole(value)
        if any_number or value is None or (isinstance(value, int) and not isinstance(value, bool)):
            text = as_text(value)
            if text is not None:
                return text
        raise row.wrong(f"{name} must be {what.format(type=json_type(value))}", f"Give {name} as {fix}.")

    return read


one_string = texts("a string, found {type}", "one string", any_number=False)
text_or_number = texts("a string, found {type}", "text or a number")


def depth(value: Json, name: str, row: FileRow) -> str:
    """How many documents were given, as a label; one that is no number from 1 on is kept and noted."""
    k = text_or_number(value, name, row).strip().removesuffix(".0")
    if k and not (k.isascii() and k.isdecimal() and k.strip("0")):
        row.notes.add(f"{name} is {shown(k, 20)!r}, no number of documents: kept as a label", row.line, kind="k")
    return k


def one_of(
    reading: Callable[[str], T | None],
    wrong: str,
    fix: str,
    *,
    text: Read[str] = one_string,
    tidy: Callable[[str], str] = str.strip,
    blank: Container[str] = (),
    default: Any = None,
) -> Read[T]:
    """Read one of a few values, as words or numbers name them.

    Args:
        reading: What a text names, None for no choice.
        wrong: The reason of the error, with ``{name}`` and ``{cell}``.
        fix: How to mend it.
        text: The text of a cell.
        tidy: What is done to it before it is read, and shown.
        blank: Texts in lower case that name nothing.
        default: What these say.
    """

    def read(value: Json, name: str, row: FileRow) -> T:
        written = tidy(text(value, name, row))
        if written.casefold() in blank:
            return cast(T, default)
        chosen = reading(written)
        if chosen is None:
            raise row.wrong(wrong.format(name=name, cell=shown(written)), fix)
        return chosen

    return read


def from_zero(text: str) -> float | None:
    """The finite number from 0 on that a text writes, None for any other text.

    Examples:
        >>> from_zero("2.5"), from_zero("-1"), from_zero("nan"), from_zero("often")
        (2.5, None, None, None)
    """
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None


truth: Read[bool | None] = one_of(
    {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get,
    "{name} must be true or false, found {cell}",
    "Write true, false, 1, 0, yes, no, or nothing.",
    text=text_or_number,
    tidy=lambda text: text.strip().lower(),
    blank=("",),
)


def ids(value: Json, name: str, row: FileRow) -> tuple[str, ...] | None:
    """Ids in their order: a JSON array, or a cell with blanks or "|" between them; None where there are none.

    In JSON a string is read as a cell of a table is, and noted; ids named twice are read once, and noted.
    """
    if isinstance(value, str) and value.strip() and not row.in_table:
        message = f"{name} is a string, not an array: read as ids with blanks or | between them"
        row.notes.add(message, row.line, kind=f"{name} is a string")
    value = written(value, name, row)
    if not isinstance(value, list):
        cell = one_string(value, name, row).strip()
        if not cell:
            return None
        value = [text.strip() for text in (cell.split("|") if "|" in cell else cell.split())]
    for element in filterfalse(is_id, value):
        what = "an empty one" if isinstance(element, str) else json_type(element)
        raise row.wrong(f"{name} must hold ids, found {what}", f"Give {name} as an array of document ids.")
    named = list(map(str, value))
    distinct = tuple(dict.fromkeys(named))
    if len(distinct) < len(named):
        duplicate = next(doc for at, doc in enumerate(named) if doc in named[:at])
        row.notes.add(f"{name} names {shown(duplicate)} twice: read once", row.line, kind="retrieved twice")
    return distinct


def written(value: Json, name: str, row: FileRow) -> Json:
    """The list or object that a cell writes which begins as one; any other cell itself."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    read = value_in(value)
    if read is None:
        fix = 'Write a JSON list, such as ["one", "two"], in whole characters.'
        raise row.wrong(f"{name} is no list: {shown(value)}", fix)
    return read


_LABELLED = re.compile(r"^[(\[]?[A-Ja-j][)\].:]\s*")
_BETWEEN = re.compile(r"\s*\|\s*|\s*\n\s*")


def option_words(value: Json, name: str, row: FileRow) -> tuple[str, ...]:
    """Words of options: a list, an object ``{A: words}``, a cell "A. words | B. words"; () where there are none."""
    value = written(value, name, row)
    if isinstance(value, dict):
        inner = value.get("text")
        value = inner if isinstance(inner, list) else [value[key] for key in sorted(value)]
    if isinstance(value, list):
        return tuple(_LABELLED.sub("", text_or_number(element, name, row).strip()) for element in value)
    parts = _BETWEEN.split(one_string(value, name, row).strip())
    return tuple(_LABELLED.sub("", part.strip()) for part in parts if part.strip()) if len(parts) > 1 else ()


# Rows of a file, one by one or by columns.


class Coded(NamedTuple, Generic[T]):
    """What R rows say.

    Attributes:
        values: What is said, each once, in the order of its first row.
        codes: (R) position of what each row says.
    """

    values: tuple[T, ...]
    codes: IndexArray

    @classmethod
    def of(cls, rows: pl.Series) -> "Coded[str]":
        """What a column of texts says."""
        column = encoded(rows)
        return Coded(tuple(column.values), column.codes)

    def mapped(self, read: Callable[[T], H]) -> "Coded[H]":
        """What is made of it, where several may become one."""
        places: dict[H, int] = {}
        codes = np.array([places.setdefault(read(value), len(places)) for value in self.values], dtype=np.int32)
        return Coded(tuple(places), codes[self.codes])

    def enum(self: "Coded[str]", name: str) -> pl.Series:
        """The values as an enum, whose names are in the order of the file."""
        return pl.Series(name, self.codes).cat.to(pl.Enum(self.values))

    @property
    def firsts(self) -> list[int]:
        """The first row that says each."""
        return np.unique(self.codes, return_index=True)[1].tolist()

    def column(self, dtype: pl.DataType | type[pl.DataType] = pl.String) -> pl.Series:
        """(R) what each row says, as texts or another type; None is null."""
        return pl.Series(self.values, dtype=dtype).gather(self.codes)

    def lists(self: "Coded[tuple[str, ...]] | Coded[tuple[str, ...] | None]") -> pl.Series:
        """(R) the texts of each row's list; null where the list is empty or absent."""
        values = [value or () for value in self.values]
        of = np.repeat(np.arange(len(values), dtype=np.int32), list(map(len, values)))
        columns = {"of": of, "texts": list(chain.from_iterable(values))}
        texts = pl.DataFrame(columns, schema_overrides={"texts": pl.String})
        lists = texts.group_by("of").agg("texts")  # a series from lists is made one list at a time
        return pl.DataFrame({"of": self.codes}).join(lists, on="of", how="left", maintain_order="left")["texts"]


class AnswerTable:
    """R rows of answers by column.

    What is wrong with any is kept until :meth:`check`.

    Args:
        cells: What the file holds.
        fix: How to write such a table, for errors of missing columns.
        notes: Where what is odd is noted.
        required: Names of the columns that must be there, and stand in each record of JSON; of several that a header
            lacks the first in the alphabet is named.
    """

    def __init__(self, cells: Cells, fix: str, notes: NoteBook, *, required: Sequence[str] = ()) -> None:
        self.cells = cells
        self._fix = fix
        self._notes = notes
        self._required = required
        self._faults: list[tuple[int, Callable[[FileRow], object]]] = []
        self._noted: list[tuple[int, NoteBook, int]] = []
        for name in sorted(required) if cells.in_table else ():
            if name not in cells.names:
                raise self._lacks(name)
        if cells.fault is not None and cells.lines.is_empty():
            raise cells.fault
        columns = [pl.col(name) for name in required if name in cells.frame.columns]
        n_there = cells.frame.select(pl.sum_horizontal(pl.lit(0), *(column.is_not_null() for column in columns)))
        lacking = (n_there.to_series() < len(required)).arg_true()
        self._faults += [(int(row), self.require) for row in lacking[:1]]

    def require(self, row: FileRow) -> None:
        """Refuse a row without a required cell."""
        for name in self._required:
            if name not in row.record:
                raise row.lacks(name, fix=self._fix)

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

    def has(self, column: AnswerColumn[Any]) -> bool:
        """Whether the file has a column."""
        return column.name_in(self.cells.names) is not None

    def missing(self, name: str) -> InputError:
        """The error of a file in which no row has a column.

        Raises:
            InputError: The file cannot be read to its end.
        """
        self.check()
        return self._lacks(name)

    def coded(self, read: Callable[[FileRow], H], *columns: AnswerColumn[Any]) -> Coded[H]:
        """What each row says.

        Args:
            read: What a row with some cells says; it may note what is odd, or raise an :class:`InputError`.
            columns: Whose cells these are.
        """
        frame = self.cells.frame
        names = [name for column in columns for name in column.names if name in frame.columns]
        cells = frame.select(names) if names else pl.DataFrame({"": np.zeros(self.n_rows, dtype=np.int32)})
        codes, firsts = distinct_rows(cells)
        rows = cells[firsts].rows(named=True) if names else [{}]
        places: dict[H, int] = {}
        of: list[int] = []
        noted: list[tuple[int, NoteBook]] = []
        notes = NoteBook(self.file)
        lines = self.cells.lines[firsts].to_list()
        for first, line, row in zip(firsts.tolist(), lines, rows, strict=True):
            try:
                value = read(self._row(row, line, notes))
            except InputError:
                value = cast(H, None)  # until it is refused
                self._faults.append((first, read))
            of.append(places.setdefault(value, len(places)))
            if not notes.is_empty:
                noted.append((len(of) - 1, notes))
                notes = NoteBook(self.file)
        n = np.bincount(codes) if noted else codes
        self._noted += [(int(firsts[code]), notes, int(n[code])) for code, notes in noted]
        return Coded(tuple(places), codes if len(places) == len(of) else np.array(of, dtype=np.int32)[codes])

    def words(self, column: AnswerColumn[str]) -> Coded[str]:
        """What the cells of a column of :func:`texts` say: those of a table are words as they stand."""
        name = column.name_in(self.cells.frame.columns)
        if name is None or not self.cells.in_table:
            return self.coded(column.of, column)
        words = Coded.of(self.cells.frame[name].cast(pl.String))
        return self.coded(column.of, column) if column.filled and any(map(is_blank, words.values)) else words

    def check(self) -> None:
        """Refuse the table for what is wrong with its earliest row; else note what is odd, row by row.

        Raises:
            InputError: A cell is not what its column holds, or the file cannot be read further.
        """
        for row, read in sorted(self._faults, key=lambda fault: fault[0]):
            read(self.row(row))  # which may name all that the row has
        if self.cells.fault is not None:
            raise self.cells.fault
        for _, notes, n_equal in sorted(self._noted, key=lambda noted: noted[0]):
            self._notes.add_all(notes, times=n_equal)

    def row(self, row: int) -> FileRow:
        """A row with notes of its own."""
        return self._row(self.cells.frame.row(row, named=True), self.line(row), NoteBook(self.file))

    def _row(self, cells: Mapping[str, str | None], line: int, notes: NoteBook) -> FileRow:
        if self.cells.in_table:
            return FileRow(cells, line, notes, in_table=True)
        return FileRow({name: json.loads(cell) for name, cell in cells.items() if cell is not None}, line, notes)

    def _lacks(self, name: str) -> InputError:
        """The error of a file without a column; a header that Excel wrote with semicolons is said."""
        columns = list(self.cells.names)
        names = ", ".join(shown(column, 20) for column in columns[:12])
        reason, fix = f"missing column: {name} (found: {names})", self._fix
        if len(columns) == 1 and ";" in columns[0]:
            reason = f"missing column {name} (semicolon separated?)"
            fix = "Save it with commas or tabs between the cells."
        return self._notes.wrong(reason, fix, 1)


def read_rows(
    source: Source, fix: str, notes: NoteBook, *, required: Sequence[str] = (), quoted_tabs: bool = True
) -> Generator[FileRow, None, None]:
    """The rows of a file, one by one, with all that each holds.

    Args:
        source: CSV, TSV, JSON Lines or a JSON array.
        fix: How to write it, for errors of missing columns.
        notes: Where repairs are noted.
        required: Names of the columns that must be there.
        quoted_tabs: Whether cells between tabs may be quoted as in CSV; else a quote there is a character of a text.

    Raises:
        InputError: It is no text, a name stands twice, there are no rows, a required column is missing, or a row is not
            of the header.
    """
    table = AnswerTable(read_cells(source, notes, quoted_tabs=quoted_tabs), fix, notes, required=required)
    for index in range(table.n_rows):
        row = table.row(index)._replace(notes=notes)
        table.require(row)
        yield row
    table.check()
