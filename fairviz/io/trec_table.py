"""Whitespace-separated tables of millions of lines, column by column.

Most files separate their columns by one space or one tab throughout: :mod:`fairviz.io.plain` reads those, several
blocks at a time. A block that is anything else goes through :mod:`fairviz.io.tokens`, which
is slower and knows every line by number.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.notes import NoteBook
from fairviz.io.plain import Kind, Numbers, Schema, plain_columns, schema_of
from fairviz.io.source import Source
from fairviz.io.text import Block, line_blocks, n_lines, work_ahead
from fairviz.io.tokens import Noun, Tokens, grades, ranks, scores
from fairviz.lookup import IdColumn, encoded
from fairviz.model import IntArray


class Layout(NamedTuple):
    """The columns of a table.

    Attributes:
        noun: What the table is, for messages and hints.
        columns: Name and kind of each column, left to right.
        header: Whether the first line names the columns.
        note_crlf: Whether Windows line ends are worth a note.
    """

    noun: Noun
    columns: dict[str, Kind]
    header: bool = False
    note_crlf: bool = False


class Part(NamedTuple):
    """The rows of one block.

    ``lines`` is the line of each row, or of the first where rows stand on consecutive lines.
    """

    ids: dict[str, pl.Series]
    numbers: dict[str, Numbers]
    lines: int | IntArray
    n_rows: int


class Table(NamedTuple):
    """All rows of a file, column by column."""

    ids: dict[str, IdColumn]
    numbers: dict[str, Numbers]
    starts: IntArray
    lines: list[int | IntArray]

    def line(self, row: int) -> int:
        """1-based line of a row."""
        return int(self.lines_of(np.array([row]))[0])

    def lines_of(self, rows: IntArray) -> IntArray:
        """1-based lines of some rows."""
        found = np.empty(rows.size, dtype=np.int64)
        parts: IntArray = np.searchsorted(self.starts, rows, side="right") - 1
        used: list[int] = np.unique(parts).tolist()
        for part in used:
            of_part = parts == part
            within: IntArray = rows[of_part] - self.starts[part]
            lines = self.lines[part]
            found[of_part] = lines + within if isinstance(lines, int) else lines[within]
        return found

    def line_of(self, column: str, code: int) -> int:
        """1-based line where an identifier of a column stands first."""
        return self.line(int(np.argmax(self.ids[column].codes == code)))


def read_parts(source: Source, layout: Layout, notes: NoteBook) -> Generator[Part, None, None]:
    """Read a table block by block.

    Args:
        source: The file.
        layout: Its columns.
        notes: Where repairs are noted.

    Yields:
        The rows of each block that has any.

    Raises:
        InputError: A line that is no row of the layout.
    """
    schema = schema_of(layout.columns)
    plain = partial(_plain_part, schema=schema)
    with (
        closing(line_blocks(source, notes, note_crlf=layout.note_crlf)) as blocks,
        closing(work_ahead(plain, _without_header(blocks, layout))) as parsed,
    ):
        for block, rows in parsed:
            part = rows or exact_part(block, layout, schema, notes)
            if part.n_rows:
                yield part


def gather(parts: list[Part], layout: Layout, name: str) -> Table:
    """One table of all parts; each column of ids gets one dictionary for the whole file.

    Raises:
        InputError: There is no row.
    """
    if not parts:
        raise InputError("no data lines", file=name, fix="The file holds blanks or comments only.")
    ids: dict[str, IdColumn] = {}
    numbers: dict[str, Numbers] = {}
    for column, kind in layout.columns.items():  # pop: memory is returned column by column
        if kind == "id":
            ids[column] = encoded(pl.concat([part.ids.pop(column) for part in parts]))
        else:
            numbers[column] = np.concatenate([part.numbers.pop(column) for part in parts])
    starts = np.cumsum([0, *(part.n_rows for part in parts)])[:-1]
    return Table(ids, numbers, starts, [part.lines for part in parts])


def _without_header(blocks: Iterable[Block], layout: Layout) -> Iterator[Block]:
    for block in blocks:
        if not layout.header or block.line > 1:
            yield block
        elif rest := block.text[block.text.index(b"\n") + 1 :]:
            yield block._replace(text=rest, line=2)


def _plain_part(block: Block, schema: Schema) -> Part | None:
    """The block as Polars reads it, or None where anything about it is odd."""
    columns = plain_columns(block.text, schema)
    if columns is None:
        return None
    ids = {name: columns[name] for name, (kind, _) in schema.items() if kind == "id"}
    numbers = {name: columns[name].to_numpy() for name, (kind, _) in schema.items() if kind != "id"}
    return Part(ids, numbers, block.line, n_lines(block.text))


def exact_part(block: Block, layout: Layout, schema: Schema, notes: NoteBook) -> Part:
    """The block from its tokens, every irregularity noted or refused with its line."""
    rows = Tokens(block, len(layout.columns), layout.noun, notes)
    part = Part({}, {}, rows.lines, rows.lines.size)
    for j, (name, (kind, dtype)) in enumerate(schema.items()):
        texts = rows.column(j)
        if kind == "id":
            part.ids[name] = texts.cast(dtype)
        elif kind == "score":
            part.numbers[name] = scores(texts, rows.lines, notes.file)
        elif kind == "rank":
            part.numbers[name] = ranks(texts, rows.lines, notes)
        else:
            part.numbers[name] = grades(texts, rows.lines, notes)
    rows.refuse_bad_line()
    return part
