"""The papers' published tables, as shipped: comment lines that say what they hold, then a CSV.

``# paper:``, ``# table:`` and ``# title:`` stand first, then ``# column NAME: meaning, unit`` for
every column and ``# remark:`` for what concerns the table as a whole. The CSV is in long form, a
row per printed combination; its last column ``flag`` says what contradicts itself or another
table. Such values are shown as printed and never repaired.
"""

import csv
import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from fairviz.errors import InputError, UsageError
from fairviz.io.json import as_place
from fairviz.io.notes import NoteBook
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.text import whole_text
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
_COMMENT = re.compile(r"# (paper|table|title|remark|column .+?): (.*)")
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

    def wrong(reason: str, line: int) -> InputError:
        return InputError(reason, file=source.name, line=line, fix=_FIX)

    lines = whole_text(source, NoteBook(source.name)).splitlines()
    head: dict[str, str] = {}
    meanings: dict[str, str] = {}
    remarks: list[str] = []
    n_comments = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    for number, line in enumerate(lines[:n_comments], 1):
        comment = _COMMENT.fullmatch(line)
        if comment is None:
            raise wrong(f"a comment that is not understood: '{line}'", number)
        key, text = comment.groups()
        if key == "remark":
            remarks.append(text)
        elif key.startswith("column "):
            meanings[key.removeprefix("column ")] = text
        else:
            head[key] = text
    if len(head) < 3 or as_place(head["table"]) is None:
        raise wrong("paper, table or title is not said", 1)
    header, *rows = [*csv.reader(lines[n_comments:], strict=True)] or [list[str]()]
    if header != [*meanings, _FLAG]:
        raise wrong("the header does not name the described columns and 'flag'", n_comments + 1)
    for number, row in enumerate(rows, n_comments + 2):
        if len(row) != len(header):
            raise wrong(f"{plural(len(row), 'cell')}, the header has {len(header)}", number)
    *cells, flags = zip(*rows, strict=True)
    return PublishedTable(
        paper=head["paper"],
        number=as_place(head["table"]) or 0,
        title=head["title"],
        columns=tuple(meanings),
        meanings=tuple(meanings.values()),
        rows=tuple(zip(*map(_column, cells), strict=True)),
        flags=flags,
        remarks=tuple(remarks),
    )


def _column(printed: Sequence[str]) -> list[PrintedCell]:
    try:
        return [float(cell) if cell else None for cell in printed]
    except ValueError:
        return [cell or None for cell in printed]
