"""The papers' published tables, as shipped: comment lines that say what they hold, then a CSV.

``# paper:``, ``# table:`` and ``# title:`` stand first, then ``# column NAME: meaning, unit`` for
every column and ``# remark:`` for what concerns the table as a whole. The CSV is in long form, a
row per printed combination; its last column ``flag`` says what contradicts itself or another
table. Such values are shown as printed and never repaired.
"""

import csv
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from fairviz.errors import InputError, UsageError
from fairviz.io.json import as_place
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.model import PublishedTable
from fairviz.model.published import PrintedCell
from fairviz.numerals import plural
from fairviz.resources import published_folder

_TABLES: Final = {
    "rag-social-biases": range(1, 13),
    "rag-medical-bias": range(1, 8),
    "fair-metric": range(1, 5),
    "comparing": (1, 3, 4, 5),
}
PUBLISHED: Final = tuple((paper, number) for paper, some in _TABLES.items() for number in some)
"""(paper, number) of every shipped table, paper by paper."""
_FLAG = "flag"
_FIX = "Install fairviz again: the file is shipped with it."


@cache
def read_published(paper: str, number: int) -> PublishedTable:
    """One shipped table.

    Args:
        paper: "rag-social-biases", "rag-medical-bias", "fair-metric" or "comparing".
        number: The table's number in the paper.

    Returns:
        The table. A column whose printed cells are all numbers holds floats, any other words;
        None where nothing is printed.

    Raises:
        UsageError: This table is not shipped.
        InputError: The file is damaged.
    """
    if (paper, number) not in PUBLISHED:
        known = "; ".join(f"{name} {', '.join(map(str, some))}" for name, some in _TABLES.items())
        raise UsageError(f"no published table {number} of '{paper}'; there are {known}")
    return table_of(published_folder() / f"{paper}.table-{number:02d}.csv")


@reader
def table_of(file: FileInput | Source) -> PublishedTable:
    """A published table from a file of the layout above.

    Raises:
        InputError: A comment or a row that does not fit.
    """
    source = as_source(file)
    with source.open() as reader:
        text = b"".join(iter(lambda: reader.read(1 << 16), b"")).decode("utf-8")
    lines = text.splitlines()
    n_comments = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    comments = _comments(lines[:n_comments], source.name)
    header, *rows = [*_rows(lines[n_comments:], n_comments + 1, source.name)] or [()]
    columns = header[:-1]
    if header[-1:] != (_FLAG,) or columns != tuple(comments.meanings):
        reason = "the header does not name the described columns and 'flag'"
        raise InputError(reason, file=source.name, line=n_comments + 1, fix=_FIX)
    cells = [_column([row[place] for row in rows]) for place in range(len(columns))]
    return PublishedTable(
        paper=comments.head["paper"],
        number=as_place(comments.head["table"]) or 0,
        title=comments.head["title"],
        columns=columns,
        meanings=tuple(comments.meanings.values()),
        rows=tuple(zip(*cells, strict=True)),
        flags=tuple(row[-1] for row in rows),
        remarks=comments.remarks,
    )


class _Comments(NamedTuple):
    head: dict[str, str]
    meanings: dict[str, str]
    remarks: tuple[str, ...]


def _comments(lines: Iterable[str], name: str) -> _Comments:
    head: dict[str, str] = {}
    meanings: dict[str, str] = {}
    remarks: list[str] = []
    for number, line in enumerate(lines, 1):
        key, separator, text = line.removeprefix("#").strip().partition(": ")
        if key in ("paper", "table", "title") and key not in head:
            head[key] = text
        elif key.startswith("column ") and separator:
            meanings[key.removeprefix("column ")] = text
        elif key == "remark":
            remarks.append(text)
        else:
            reason = f"a comment that is not understood: '{line}'"
            raise InputError(reason, file=name, line=number, fix=_FIX)
    if len(head) < 3 or as_place(head["table"]) is None:
        raise InputError("paper, table or title is not said", file=name, line=1, fix=_FIX)
    return _Comments(head, meanings, tuple(remarks))


def _rows(lines: Iterable[str], first: int, name: str) -> Iterator[tuple[str, ...]]:
    width = 0
    for number, row in enumerate(csv.reader(lines, strict=True), first):
        width = width or len(row)
        if len(row) != width:
            reason = f"{plural(len(row), 'cell')}, the header has {width}"
            raise InputError(reason, file=name, line=number, fix=_FIX)
        yield tuple(row)


def _column(printed: list[str]) -> list[PrintedCell]:
    try:
        return [float(cell) if cell else None for cell in printed]
    except ValueError:
        return [cell or None for cell in printed]
