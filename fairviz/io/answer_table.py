"""The one reader of tables of answers: CSV, TSV, JSON Lines or a JSON array, of any :class:`Layout`.

It finds columns by folded names and aliases, refuses repeated ones, and knows the line of every cell. :func:`read_rows`
goes row by row, so that the fault on the earliest line is the one that is told. :func:`read_columns` is for tables of
millions of rows of which few values are distinct: Arrow parses tables and lines of JSON block by block where every row
is plain; anything odd sends the whole file through the rows, which are slower and know every line. The line of a row is
looked up only where a message needs it.
"""

import csv
import re
from array import array
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from fairviz.errors import InputError
from fairviz.io.answer_layout import TEXT_OR_NUMBER, Column, Layout, Row, WrongCellError
from fairviz.io.arrow import IdChunks, Records, blank_cells, one_dictionary, parse_cells, parse_records
from fairviz.io.json import Json, first_record, is_array, json_records
from fairviz.io.limits import MAX_JSON_LINE
from fairviz.io.names import folded, is_blank, refuse_repeated
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import Source
from fairviz.io.text import Block, head_of, line_blocks, lines_of, whole_text, work_ahead
from fairviz.model import Factor
from fairviz.numerals import count, plural

T = TypeVar("T")

_CELL = rb'(?:"[^"]*"|[^",\t]*)'
_QUOTED_WHOLE = re.compile(_CELL + rb"(?:[,\t]" + _CELL + rb")*\r?")
"""A header whose cells are in quotes from end to end, or not at all."""


# How a header is recognised.


def is_json(head: bytes) -> bool:
    """Whether the first bytes are of JSON."""
    return head.lstrip()[:1] == b"{" or is_array(head)


def separator_of(line: str) -> str:
    """What separates the cells of a header line: a tab where there is one, else a comma."""
    return "\t" if "\t" in line else ","


def header_names(line: str) -> set[str]:
    """The names in a header line, in lower case and without quotes."""
    cells = line.split(separator_of(line))
    return {folded(cell.strip(' \t\r\v\f"')) for cell in cells}


def _missing_column(column: str, columns: Sequence[str], file: str, *, fix: str) -> InputError:
    """The error of a table without a column; a header that Excel wrote with semicolons is said."""
    semicolons = len(columns) == 1 and ";" in columns[0]
    there = ", ".join(shown(name, 20) for name in columns[:12])
    reason = (
        f"missing column {column} (semicolon separated?)"
        if semicolons
        else f"missing column: {column} (found: {there})"
    )
    fix = "Save it with commas or tabs between the cells." if semicolons else fix
    return InputError(reason, file=file, line=1, fix=fix)


# Row by row.


_Records: TypeAlias = Generator[tuple[int, dict[str, Json]], None, None]


class AnswerRows:
    """The rows of a table, read as they are asked for.

    Attributes:
        columns: Names in the header; of JSON, those met so far, in the order of their first record.
        in_table: Whether there is a header: CSV or TSV.
    """

    def __init__(self, source: Source, layout: Layout, notes: NoteBook) -> None:
        self._layout = layout
        self._notes = notes
        self._header, self._records = _records(source, notes, quoted_tabs=layout.quoted_tabs)
        self.in_table = self._header is not None
        self.columns: dict[str, None] = dict.fromkeys(self._header or ())

    def __iter__(self) -> Iterator[Row]:
        """The rows; a table without a required column is refused before, a record of JSON where it stands."""
        required, in_table, notes = self._layout.required, self.in_table, self._notes
        if in_table:
            for name in (self._layout.telling, *required):
                if name and name not in self.columns:
                    raise self.missing(name)
        with closing(self._records) as records:
            for line, record in records:
                row = Row(record, line, notes, in_table)
                if not in_table:
                    self.columns.update(dict.fromkeys(record))
                    for name in required:
                        if name not in record:
                            raise row.lacks(name, fix=self._layout.fix)
                yield row

    def missing(self, name: str) -> InputError:
        """The error of a file in which no row has a column."""
        return _missing_column(name, self._header or tuple(self.columns), self._notes.file, fix=self._layout.fix)

    def note_other_columns(self) -> None:
        """Note the columns that are not read."""
        note_other_columns(self.columns, self._layout, self._notes)


def note_other_columns(columns: Iterable[str], layout: Layout, notes: NoteBook) -> None:
    """Note the columns, by folded names, that a layout does not have."""
    others = [shown(column, 30) for column in columns if column and column not in layout.names]
    if others:
        more = f" and {len(others) - 8} more" if len(others) > 8 else ""
        notes.add(f"columns not read: {', '.join(others[:8])}{more}")


def read_rows(source: Source, layout: Layout, notes: NoteBook) -> AnswerRows:
    """The rows of JSON Lines, a JSON array, CSV or TSV.

    Args:
        source: The file.
        layout: Its columns.
        notes: Where repairs are noted. A byte order mark of a table is none: spreadsheets write it.

    Raises:
        InputError: No text, a repeated column, or (while rows are read) no rows, a missing column, a row that is not of
            the header.
    """
    return AnswerRows(source, layout, notes)


def _records(source: Source, notes: NoteBook, *, quoted_tabs: bool = True) -> tuple[tuple[str, ...] | None, _Records]:
    """The folded header, None for JSON, and line and cells of each record.

    A cell may span lines; the line of a record is where it starts.
    """
    if is_json(head_of(source)):
        return None, _folded(json_records(source, notes))
    text = whole_text(source, NoteBook(source.name))
    if not text.strip():
        raise InputError("no data lines", file=source.name, fix="The file holds blanks only.")
    separator = separator_of(text.split("\n", 1)[0])
    quoting = csv.QUOTE_MINIMAL if quoted_tabs or separator != "\t" else csv.QUOTE_NONE
    reader = csv.reader(lines_of(text), delimiter=separator, quoting=quoting, strict=True)
    _, header = _next(reader, source.name) or (1, [])
    refuse_repeated(header, "column", file=source.name, line=1)
    columns = tuple(folded(cell) for cell in header)
    return columns, _table_records(reader, columns, notes)


def _folded(records: _Records) -> _Records:
    known: dict[str, str] = {}
    with closing(records):
        for line, record in records:
            for key in record:
                if key not in known:
                    known[key] = folded(key)
            yield line, {known[key]: value for key, value in record.items()}


class _Reader(Protocol):
    """What the ``csv`` module returns and does not name."""

    @property
    def line_num(self) -> int: ...

    def __next__(self) -> list[str]: ...


def _table_records(reader: _Reader, columns: tuple[str, ...], notes: NoteBook) -> _Records:
    empty = True
    while line_and_cells := _next(reader, notes.file):
        line, cells = line_and_cells
        if not any(cell.strip() for cell in cells):
            notes.add("blank line skipped", line)
            continue
        if len(cells) != len(columns):
            reason = f"{plural(len(cells), 'cell')}, header has {len(columns)}"
            fix = "Give every row the cells of the header; quote cells that hold a separator."
            raise InputError(reason, file=notes.file, line=line, fix=fix)
        empty = False
        yield line, cast(dict[str, Json], dict(zip(columns, cells, strict=True)))
    if empty:
        raise InputError("no data rows", file=notes.file, line=1, fix="The header stands alone.")


def _next(reader: _Reader, name: str) -> tuple[int, list[str]] | None:
    """The next row and the line on which it starts, None at the end."""
    line = reader.line_num + 1
    try:
        return line, next(reader)
    except StopIteration:
        return None
    except csv.Error as error:
        unclosed = "unexpected end" in str(error)
        reason = "unclosed quote" if unclosed else f"not a CSV row: {shown(str(error), limit=200)}"
        fix = 'Quote cells as CSV: "…", with "" for a quote within.'
        if "field larger" in str(error):
            reason = f"a cell of more than {count(csv.field_size_limit())} characters"
            fix = "Write long answers as JSON Lines."
        raise InputError(reason, file=name, line=line, fix=fix) from error


# Whole columns.


class AnswerColumns(NamedTuple):
    """The columns of a table that its layout declares, as texts.

    Attributes:
        columns: Each by its name as the file writes it.
        n_rows: Rows.
        file: Name of the file.
        line: The 1-based line of a row, found by reading the file again where it has quotes.
        finds_lines: Whether ``line`` answers at once.
        names: Names of all columns as the file writes them, where they are known at once.
        truths: Columns of JSON that hold true and false.
        in_table: Whether there is a header: CSV or TSV.
    """

    columns: dict[str, Factor]
    n_rows: int
    file: str
    line: Callable[[int], int]
    finds_lines: bool = True
    names: tuple[str, ...] = ()
    truths: frozenset[str] = frozenset()
    in_table: bool = True

    def near_line(self, row: int) -> int | None:
        """The line of a row where it is known at once, for notes."""
        return self.line(row) if self.finds_lines else None

    def texts(self, column: Column[Any]) -> Factor | None:
        """A column as the file has it, None where it has none of its names."""
        by_name = {folded(name): factor for name, factor in self.columns.items()}
        name = column.name_in(by_name)
        return None if name is None else by_name[name]

    def cells(self, column: Column[T]) -> list[T] | None:
        """What the distinct values of a column say, None where it is not there.

        Raises:
            InputError: One is not what the column holds; its first line is named.
        """
        factor = self.texts(column)
        if factor is None:
            return None
        cells: list[T] = []
        for code, text in enumerate(factor.values):
            try:
                cells.append(column.read(text, factor.name))
            except WrongCellError as cell:
                line = self.line(int(np.argmax(factor.codes == code)))
                raise InputError(cell.reason, file=self.file, line=line, fix=cell.fix) from cell
        return cells


def read_columns(source: Source, layout: Layout, notes: NoteBook) -> AnswerColumns:
    """The declared columns of a CSV or TSV table with a header, or of JSON.

    Which of them there must be is for the caller to say, who knows what else the file has: :func:`missing_column`.

    Args:
        source: The file.
        layout: Its columns.
        notes: Where repairs are noted.

    Raises:
        InputError: A row is not of the header, a cell of JSON is no text or number, or there are no rows.
    """
    head = head_of(source)
    if is_json(head):
        return _plain_records(source, head, layout) or _exact_columns(source, layout, notes)
    return _plain_columns(source, head, layout) or _exact_columns(source, layout, notes)


def columns_if_plain(source: Source, layout: Layout) -> AnswerColumns | None:
    """The same of a file in which every row is plain; None where anything is odd, which only its rows can tell."""
    head = head_of(source)
    try:
        return _plain_records(source, head, layout) if is_json(head) else _plain_columns(source, head, layout)
    except InputError:
        return None


def missing_column(name: str, source: Source, layout: Layout) -> InputError:
    """The error of a file without a column, with the names in its header or first record."""
    header, records = _records(source, NoteBook(source.name))
    with closing(records):
        return _missing_column(name, header or tuple(next(records)[1]), source.name, fix=layout.fix)


def _header(head: bytes) -> tuple[list[str], str]:
    first = head.split(b"\n", 1)[0].decode(errors="replace")
    separator = separator_of(first)
    cells = next(csv.reader([first or " "], delimiter=separator))
    return [cell.strip() for cell in cells], separator


def _declared(names: Iterable[str], layout: Layout) -> list[str]:
    known = layout.names
    return [name for name in names if folded(name) in known or layout.in_family(name)]


def _plain_columns(source: Source, head: bytes, layout: Layout) -> AnswerColumns | None:
    """The columns as Arrow reads them, None where anything is odd."""
    names, separator = _header(head)
    declared = _declared(names, layout)
    distinct = {folded(name) for name in names}
    if not _QUOTED_WHOLE.fullmatch(head.split(b"\n", 1)[0]) or len(distinct) < len(names) or not declared:
        return None
    parts: list[dict[str, IdChunks]] = []
    quoted = False
    with closing(_pieces_of_table(source, names, declared, separator)) as pieces:
        for has_quotes, part in pieces:
            quoted = quoted or has_quotes
            if part is None:
                return None
            parts.append(part)
    if not parts:
        return None
    columns: dict[str, Factor] = {}
    for name in declared:  # pop: memory is returned column by column
        codes, values = one_dictionary([part.pop(name) for part in parts])
        if folded(name) in layout.key_names and any(map(is_blank, values)):
            return None
        columns[name] = Factor(name, values, codes)
    n_rows = len(columns[declared[0]])
    if not quoted:
        return AnswerColumns(columns, n_rows, source.name, _line_below_header, names=tuple(names))
    return AnswerColumns(columns, n_rows, source.name, partial(_line_of, source), finds_lines=False)


def _pieces_of_table(
    source: Source, names: Sequence[str], declared: Sequence[str], separator: str
) -> Generator[tuple[bool, dict[str, IdChunks] | None], None, None]:
    """Whether a piece has quotes, and its columns as Arrow reads them; None where anything is odd."""
    parse = partial(_parsed, names=names, declared=declared, separator=separator)
    with (
        closing(line_blocks(source, NoteBook(source.name))) as blocks,
        closing(work_ahead(parse, _whole_records(blocks))) as parsed,
    ):
        for text, part in parsed:
            yield b'"' in text, part


def _whole_records(blocks: Iterable[Block]) -> Generator[bytes, None, None]:
    """Blocks without the header, joined where a quoted cell goes on in the next one."""
    held, first = b"", True
    for block in blocks:
        text = block.text[block.text.index(b"\n") + 1 :] if first else block.text
        first = False
        held = held + text if held else text
        if held and held.count(b'"') % 2 == 0:
            yield held
            held = b""
    if held:
        yield held


def _parsed(
    text: bytes, *, names: Sequence[str], declared: Sequence[str], separator: str
) -> dict[str, IdChunks] | None:
    quotes = text.count(b'"')
    return None if quotes % 2 else parse_cells(text, names, declared, separator, quoted=quotes > 0)


def _line_below_header(row: int) -> int:
    """The line of a row in a table without blank lines and quotes."""
    return row + 2


def _line_of(source: Source, row: int) -> int:
    _, records = _records(source, NoteBook(source.name))
    with closing(records):
        return next(islice(records, row, None))[0]


class _Cells:
    """The texts of a column, each that differs held once."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._codes = array("i")

    def add(self, text: str, *, row: int = 0) -> None:
        """Put a text below the others, or into a row further down, below blank ones."""
        self._fill(row)
        self._codes.append(self._places.setdefault(text, len(self._places)))

    def factor(self, name: str, *, n_rows: int = 0) -> Factor:
        """The column, of so many rows at least."""
        self._fill(n_rows)
        return Factor(name, tuple(self._places), np.array(self._codes, dtype=np.int32))

    def _fill(self, n_rows: int) -> None:
        if (blank := n_rows - len(self._codes)) > 0:
            self._codes.extend([self._places.setdefault("", len(self._places))] * blank)


def _plain_records(source: Source, head: bytes, layout: Layout) -> AnswerColumns | None:
    """The columns of JSON Lines as Arrow reads them, None where anything is odd."""
    first = first_record(head.decode(errors="replace"))
    if first is None:
        return None
    book = NoteBook(source.name)
    parts: list[Records] = []
    blocks = line_blocks(source, book, max_line=MAX_JSON_LINE)
    with closing(_pieces_of_records(blocks, first, layout)) as pieces:
        for part in pieces:
            if part is None:
                return None
            parts.append(part)
    names = dict.fromkeys([*first, *(name for part in parts for name in part.names)])
    distinct = {folded(name) for name in names}
    if book.collected or len(distinct) < len(names) or not any(part.cells for part in parts):
        return None
    columns: dict[str, Factor] = {}
    for name in names:
        if any(name in part.cells for part in parts):
            pieces = [part.cells.pop(name, None) or blank_cells(part.n_rows) for part in parts]
            codes, values = one_dictionary(pieces)
            columns[name.strip()] = Factor(name.strip(), values, codes)
    n_rows = sum(part.n_rows for part in parts)
    truths = frozenset(name.strip() for part in parts for name in part.truths)
    return AnswerColumns(
        columns, n_rows, source.name, _line_of_record, names=tuple(names), truths=truths, in_table=False
    )


def _pieces_of_records(
    blocks: Generator[Block, None, None], first: dict[str, Json], layout: Layout
) -> Generator[Records | None, None, None]:
    """Lines of JSON as Arrow reads them, block by block; None where anything is odd."""
    texts = [name for name, value in first.items() if isinstance(value, str)]
    parse = partial(parse_records, texts=texts, is_read=lambda name: bool(_declared((name.strip(),), layout)))
    with closing(blocks), closing(work_ahead(lambda block: parse(block.text), blocks)) as parsed:
        for _, part in parsed:
            yield part


def _line_of_record(row: int) -> int:
    """The line of a record in JSON Lines without blank lines; in an array its number."""
    return row + 1


def _exact_columns(source: Source, layout: Layout, notes: NoteBook) -> AnswerColumns:
    """The columns row by row; the name of a declared one is as the header, or its first record, writes it."""
    head = head_of(source)
    in_table = not is_json(head)
    cells: dict[str, _Cells] = {}
    lines = array("q")
    column_of: dict[str, str] = {}  # key of a record -> column, "" for none
    as_written = {folded(name): name for name in _header(head)[0]} if in_table else {}
    with closing(_records(source, notes)[1] if in_table else json_records(source, notes)) as records:
        for line, record in records:
            for key, value in record.items():
                if key not in column_of:
                    name = key.strip()
                    same = name if layout.in_family(name) else folded(name)
                    column_of[key] = as_written.setdefault(same, name) if _declared((name,), layout) else ""
                column = column_of[key]
                if not column:
                    continue
                try:
                    text = TEXT_OR_NUMBER.read(value, key.strip())
                except WrongCellError as cell:
                    raise InputError(cell.reason, file=source.name, line=line, fix=cell.fix) from cell
                cells.setdefault(column, _Cells()).add(text, row=len(lines))
            lines.append(line)
    n_rows = len(lines)
    columns = {name: column.factor(name, n_rows=n_rows) for name, column in cells.items()}
    return AnswerColumns(columns, n_rows, source.name, lines.__getitem__, in_table=in_table)
