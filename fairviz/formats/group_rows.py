"""Rows of a group table: header, cells, labels that are no group."""

import csv
import io
from collections.abc import Iterator
from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.formats.notes import NoteBook, shown
from fairviz.formats.source import Source
from fairviz.formats.text import whole_text

_DOC = {"doc_id", "docid", "docno", "doc", "document", "document_id", "page_id", "item", "item_id"}
_QUERY = {"query_id", "qid", "query", "topic", "topic_id"}
BLANK = " "
SEPARATORS = {"\t": "tabs", ",": "commas", BLANK: "blanks, or by tabs where names hold blanks"}
_NO_GROUP = {"", "unknown", "na", "n/a", "nan", "null", "-1", "?"}
_FIX = "Write a header such as: doc_id, group (or query_id, doc_id, group, weight), tab-separated."


class GroupRow(NamedTuple):
    """One row: an item, its label as written (stripped; None = no group), its weight."""

    line: int
    query: str | None
    doc: str
    label: str | None
    weight: str | None


class GroupHeader(NamedTuple):
    """What the header says: the attribute's name and which optional columns there are."""

    attribute: str
    per_query: bool
    weighted: bool


def means_no_group(label: str) -> bool:
    """Whether a label says that there is none: ``Unknown``, ``NA``, ``-1``."""
    return label.lower() in _NO_GROUP


def is_group_header(cells: list[str]) -> bool:
    """Whether the first line of a file is the header of a group table."""
    names = [cell.strip().lower() for cell in cells]
    at = 1 if names and names[0] in _QUERY else 0
    if len(names) == at + 3 and names[-1] != "weight":
        return False
    return at + 2 <= len(names) <= at + 3 and names[at] in _DOC


def header_cells(line: str) -> tuple[list[str], str]:
    """The cells of a header line and the character that separates them: tab, comma or blank."""
    separator = next((each for each in "\t," if each in line), BLANK)
    return (line.split() if separator == BLANK else line.split(separator)), separator


def group_rows(source: Source, book: NoteBook) -> tuple[GroupHeader, Iterator[GroupRow]]:
    """The header, and the rows as they are read.

    Args:
        source: The file.
        book: Where labels that are no group are noted.

    Raises:
        InputError: The header is missing, or (while rows are read) a row has other columns.
    """
    text = whole_text(source, book)
    if not text.strip():
        raise InputError("no data lines", file=source.name, fix=_FIX)
    first = text.split("\n", 1)[0]
    cells, separator = header_cells(first)
    if separator == BLANK:
        book.add("columns are separated by blanks, not by tabs", 1)
    if _is_weighted_row(cells):
        book.add("no header: read as doc_id, group, weight", 1)
        header = GroupHeader("group", per_query=False, weighted=True)
        return header, _rows(text, separator, header, book, skip=0)
    if not is_group_header(cells):
        hint = " (semicolon separated?)" if ";" in first else ""
        reason = f"expected a header with doc_id and a group column{hint}, found: {shown(first)}"
        raise InputError(reason, file=source.name, line=1, fix=_FIX)
    names = [cell.strip() for cell in cells]
    per_query = names[0].lower() in _QUERY
    weighted = len(names) == 3 + per_query
    header = GroupHeader(names[1 + per_query], per_query, weighted)
    return header, _rows(text, separator, header, book, skip=1)


def _is_weighted_row(cells: list[str]) -> bool:
    """Whether a first line is data already: a document, its group and a weight in [0, 1]."""
    try:
        return len(cells) == 3 and 0 <= float(cells[2]) <= 1
    except ValueError:
        return False


def _rows(text: str, separator: str, header: GroupHeader, book: NoteBook, *, skip: int) -> Iterator[GroupRow]:
    quoting = csv.QUOTE_NONE if separator != "," else csv.QUOTE_MINIMAL
    reader = csv.reader(
        io.StringIO(text, newline="\n"),
        delimiter=separator,
        quoting=quoting,
        strict=True,
    )
    n_cells = 2 + header.per_query + header.weighted
    for _ in range(skip):
        next(reader)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            quote = "unexpected end" in str(error)
            reason = "unclosed quote" if quote else f"not a CSV row: {error}"
            raise InputError(reason, file=book.file, line=line, fix="Quote cells as CSV.") from error
        if separator == BLANK:
            cells = [cell for cell in cells if cell]
        if not any(cell.strip() for cell in cells):
            book.add("blank line skipped", line)
            continue
        if len(cells) != n_cells:
            reason = f"{len(cells)} cells, header has {n_cells}"
            fix = f"Separate {n_cells} cells by {SEPARATORS[separator]}."
            raise InputError(reason, file=book.file, line=line, fix=fix)
        yield _row(cells, line, header, book)


def _row(cells: list[str], line: int, header: GroupHeader, book: NoteBook) -> GroupRow:
    query = cells[0].strip() if header.per_query else None
    doc = cells[1 if header.per_query else 0].strip()
    label: str | None = cells[2 if header.per_query else 1].strip()
    if not doc or query == "":
        raise InputError("empty id", file=book.file, line=line, fix="Name the item on each row.")
    if label == "":
        book.add(f"empty group label for {shown(doc)}: unlabelled", line, kind="empty label")
        label = None
    elif means_no_group(label):
        message = f"{shown(label)} is no group: {shown(doc)} is unlabelled"
        book.add(message, line, kind="no group")
        label = None
    return GroupRow(line, query, doc, label, cells[-1].strip() if header.weighted else None)
