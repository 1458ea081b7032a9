"""Columns of long answer tables: millions of rows of which few values are distinct.

A table whose every row is plain is parsed by Arrow block by block; anything odd sends the whole
file through :mod:`fairviz.formats.answer_table`, which is slower and knows every line. The line of
a row is looked up only where a message needs it.
"""

import csv
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.formats.ahead import work_ahead
from fairviz.formats.answer_table import answer_table, is_json, separator_of
from fairviz.formats.arrow import IdChunks, one_dictionary, parse_cells
from fairviz.formats.bias_words import as_text
from fairviz.formats.json_lines import json_records
from fairviz.formats.notes import NoteBook
from fairviz.formats.source import Source
from fairviz.formats.strict_json import json_type
from fairviz.formats.text import Block, head_of, line_blocks
from fairviz.model import Factor


class AnswerColumns(NamedTuple):
    """Some columns of a table.

    Attributes:
        columns: Each wanted column that the file has, by its name there.
        n_rows: Rows.
        line: The 1-based line of a row, found by reading the file again where it has quotes.
        finds_lines: Whether ``line`` answers at once.
    """

    columns: dict[str, Factor]
    n_rows: int
    line: Callable[[int], int]
    finds_lines: bool = True

    def near_line(self, row: int) -> int | None:
        """The line of a row where it is known at once, for notes."""
        return self.line(row) if self.finds_lines else None


def answer_columns(source: Source, wanted: Callable[[str], bool], book: NoteBook, *, key: str) -> AnswerColumns:
    """Columns of a CSV or TSV table with a header, or of JSON Lines.

    Args:
        source: The file.
        wanted: Whether a column of that name, in lower case, is needed.
        book: Where repairs are noted.
        key: A column without which no row may be; its blank cells are left to the exact reader.

    Raises:
        InputError: A row is not of the header, a wanted value is no text or number, or there are no
            rows.
    """
    head = head_of(source)
    if is_json(head):
        return _from_json(source, wanted, book)
    columns = _plainly(source, head, wanted, key)
    return columns or _exactly(source, wanted, book)


def _header(head: bytes) -> tuple[list[str], str]:
    first = head.split(b"\n", 1)[0].decode(errors="replace")
    separator = separator_of(first)
    cells = next(csv.reader([first or " "], delimiter=separator))
    return [cell.strip() for cell in cells], separator


def _plainly(source: Source, head: bytes, wanted: Callable[[str], bool], key: str) -> AnswerColumns | None:
    """The columns as Arrow reads them, None where anything is odd."""
    names, separator = _header(head)
    chosen = [name for name in names if wanted(name.lower())]
    lower = [name.lower() for name in names]
    if b'"' in head.split(b"\n", 1)[0] or len(set(lower)) < len(names) or not chosen:
        return None
    parse = partial(_parsed, names=names, wanted=chosen, separator=separator)
    parts: list[dict[str, IdChunks]] = []
    quoted = False
    with (
        closing(line_blocks(source, NoteBook(source.name))) as blocks,
        closing(work_ahead(parse, _whole_records(blocks))) as parsed,
    ):
        for text, part in parsed:
            quoted = quoted or b'"' in text
            if part is None:
                return None
            parts.append(part)
    if not parts:
        return None
    columns: dict[str, Factor] = {}
    for name in chosen:  # pop: memory is returned column by column
        column = one_dictionary([part.pop(name) for part in parts])
        if name.lower() == key and any(not value.strip() for value in column.values):
            return None
        columns[name] = Factor(name, column.values, column.codes)
    n_rows = len(columns[chosen[0]])
    if not quoted:
        return AnswerColumns(columns, n_rows, _line_below_header)
    return AnswerColumns(columns, n_rows, partial(_line_of, source), finds_lines=False)


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


def _parsed(text: bytes, *, names: Sequence[str], wanted: Sequence[str], separator: str) -> dict[str, IdChunks] | None:
    quotes = text.count(b'"')
    if quotes % 2:
        return None
    return parse_cells(text, names, wanted, separator, quoted=quotes > 0)


def _line_below_header(row: int) -> int:
    """The line of a row in a table without blank lines and quotes."""
    return row + 2


def _line_of(source: Source, row: int) -> int:
    table = answer_table(source, NoteBook(source.name))
    with closing(table.records) as records:
        return next(islice(records, row, None))[0]


def _exactly(source: Source, wanted: Callable[[str], bool], book: NoteBook) -> AnswerColumns:
    """The columns row by row."""
    names, _ = _header(head_of(source))
    table = answer_table(source, book)
    lower = table.columns or ()
    chosen = [name for name in lower if wanted(name)]
    as_written = {name.lower(): name for name in names}
    cells: dict[str, list[str]] = {name: [] for name in chosen}
    lines: list[int] = []
    with closing(table.records) as records:
        for line, record in records:
            lines.append(line)
            for name in chosen:
                cells[name].append(str(record[name]))
    columns = {as_written.get(name, name): Factor.of(name, texts) for name, texts in cells.items()}
    return AnswerColumns(columns, len(lines), lines.__getitem__)


def _from_json(source: Source, wanted: Callable[[str], bool], book: NoteBook) -> AnswerColumns:
    cells: dict[str, list[str]] = {}
    lines: list[int] = []
    known: dict[str, str] = {}  # key of a record -> column, "" for none
    with closing(json_records(source, book)) as records:
        for line, record in records:
            for key, value in record.items():
                if key not in known:
                    known[key] = key.strip() if wanted(key.strip().lower()) else ""
                column = known[key]
                if not column:
                    continue
                text = as_text(value)
                if text is None:
                    reason = f"{column} must be a string, found {json_type(value)}"
                    fix = f"Give {column} as text or a number."
                    raise InputError(reason, file=source.name, line=line, fix=fix)
                texts = cells.setdefault(column, [])
                if len(texts) < len(lines):
                    texts.extend([""] * (len(lines) - len(texts)))
                texts.append(text)
            lines.append(line)
    n = len(lines)
    padded = {name: texts + [""] * (n - len(texts)) for name, texts in cells.items()}
    columns = {name: Factor.of(name, texts) for name, texts in padded.items()}
    return AnswerColumns(columns, n, lines.__getitem__)
