"""Whitespace-separated tables of millions of lines, column by column.

Most files separate their columns by one space or one tab throughout: Arrow parses those in
parallel, ids as a dictionary of distinct values. A block that is anything else goes through
:mod:`fairviz.io.tokens`, which is slower and knows every line by number.
"""

import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.io.arrow import CellType, IdChunks, IdColumn, are_plain, one_dictionary, parse_table
from fairviz.io.limits import MAX_GRADE
from fairviz.io.notes import NoteBook
from fairviz.io.source import Source
from fairviz.io.text import Block, line_blocks, work_ahead
from fairviz.io.tokens import Noun, Tokens, grades, ranks, scores
from fairviz.lookup import encoded
from fairviz.model import IntArray
from fairviz.model.ids import Ids

Kind: TypeAlias = Literal["id", "document", "rank", "score", "grade"]
"""Documents are identifiers, too: nearly as many of them as rows."""
Numbers: TypeAlias = NDArray[np.number[Any]]

_CELLS: dict[Kind, CellType] = {
    "id": "id",
    "document": "text",
    "rank": "integer",
    "score": "decimal",
    "grade": "integer",
}
_HEXADECIMAL = re.compile(rb"[ \t][+-]?0[xX]")


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

    ids: dict[str, IdChunks | Ids]
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
        part = int(np.searchsorted(self.starts, row, side="right")) - 1
        lines = self.lines[part]
        within = row - int(self.starts[part])
        return lines + within if isinstance(lines, int) else int(lines[within])

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
    plain = partial(_plain_part, layout=layout)
    with (
        closing(line_blocks(source, notes, note_crlf=layout.note_crlf)) as blocks,
        closing(work_ahead(plain, _without_header(blocks, layout))) as parsed,
    ):
        for block, rows in parsed:
            part = rows or _exact_part(block, layout, notes)
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
        if kind in ("id", "document"):
            ids[column] = _one_column([part.ids.pop(column) for part in parts])
        else:
            numbers[column] = np.concatenate([part.numbers.pop(column) for part in parts])
    starts = np.cumsum([0, *(part.n_rows for part in parts)])[:-1]
    return Table(ids, numbers, starts, [part.lines for part in parts])


def _one_column(pieces: list[IdChunks | Ids]) -> IdColumn:
    """The pieces of a column, each identifier once."""
    texts = [piece for piece in pieces if isinstance(piece, Ids)]
    if texts:
        return IdColumn(*encoded(texts))
    return one_dictionary([piece for piece in pieces if isinstance(piece, IdChunks)])


def _without_header(blocks: Iterable[Block], layout: Layout) -> Iterator[Block]:
    for block in blocks:
        if not layout.header or block.line > 1:
            yield block
        elif rest := block.text[block.text.index(b"\n") + 1 :]:
            yield block._replace(text=rest, line=2)


def _plain_part(block: Block, layout: Layout) -> Part | None:
    """The block as Arrow reads it, or None where anything about it is odd."""
    if block.text.startswith((b" ", b"\t", b"\n")):
        return None
    if (b"0x" in block.text or b"0X" in block.text) and _HEXADECIMAL.search(block.text):
        return None  # Arrow reads it as a whole number
    separator = "\t" if b"\t" in block.text[:4096] else " "
    cells: dict[str, CellType] = {name: _CELLS[kind] for name, kind in layout.columns.items()}
    columns = parse_table(block.text, cells, separator)
    if columns is None:
        return None
    part = Part({}, {}, block.line, 0)
    n_rows = 0
    for name, column in columns.items():
        if isinstance(column, IdChunks):
            if not column.all_plain() or (not part.ids and column.any_starts_with("#")):
                return None  # a comment may have as many columns as a row
            part.ids[name] = column
        elif isinstance(column, Ids):
            if not are_plain(column):
                return None
            part.ids[name] = column
            n_rows = len(column)
        else:
            if not _plain_numbers(column, layout.columns[name]):
                return None
            part.numbers[name] = column
            n_rows = column.size
    return part._replace(n_rows=n_rows)


def _plain_numbers(values: Numbers, kind: Kind) -> bool:
    if not values.size or kind == "score":
        return bool(np.isfinite(values).all())
    return int(values.min()) >= 0 and (kind == "rank" or int(values.max()) <= MAX_GRADE)


def _exact_part(block: Block, layout: Layout, notes: NoteBook) -> Part:
    """The block from its tokens, every irregularity noted or refused with its line."""
    rows = Tokens(block, len(layout.columns), layout.noun, notes)
    part = Part({}, {}, rows.lines, rows.lines.size)
    for j, (name, kind) in enumerate(layout.columns.items()):
        texts = rows.column(j)
        if kind == "id":
            part.ids[name] = texts.encoded()
        elif kind == "document":
            part.ids[name] = texts.ids()
        elif kind == "score":
            part.numbers[name] = scores(texts, rows.lines, notes.file)
        elif kind == "rank":
            part.numbers[name] = ranks(texts, rows.lines, notes)
        else:
            part.numbers[name] = grades(texts, rows.lines, notes)
    rows.refuse_bad_line()
    return part
