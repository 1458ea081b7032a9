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

from fairviz.errors import UsageError
from fairviz.model import PublishedTable
from fairviz.model.published import PrintedCell
from fairviz.resources import published_folder

_TABLES: Final = {
    "rag-social-biases": range(1, 13),
    "rag-medical-bias": range(1, 8),
    "fair-metric": range(1, 5),
    "comparing": (1, 3, 4, 5),
}
PUBLISHED: Final = tuple((paper, number) for paper, some in _TABLES.items() for number in some)
"""(paper, number) of every shipped table, paper by paper."""
_COMMENT = re.compile(r"# (paper|table|title|remark|column .+?): (.*)")


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
    """
    if (paper, number) not in PUBLISHED:
        known = "; ".join(f"{name} {', '.join(map(str, some))}" for name, some in _TABLES.items())
        raise UsageError(f"no published table {number} of '{paper}'; there are {known}")
    return table_of((published_folder() / f"{paper}.table-{number:02d}.csv").read_text(encoding="utf-8"))


def table_of(text: str) -> PublishedTable:
    """A published table from a text of the layout above; what is shipped is tested, not checked here."""
    lines = text.splitlines()
    comments = [_COMMENT.fullmatch(line) for line in lines if line.startswith("#")]
    told: list[tuple[str, str]] = [(comment[1], comment[2]) for comment in comments if comment]
    head = dict(told)
    meanings = {key.removeprefix("column "): words for key, words in told if key.startswith("column ")}
    _, *rows = csv.reader(lines[len(comments) :], strict=True)
    *cells, flags = zip(*rows, strict=True)
    return PublishedTable(
        paper=head["paper"],
        number=int(head["table"]),
        title=head["title"],
        columns=tuple(meanings),
        meanings=tuple(meanings.values()),
        rows=tuple(zip(*map(_column, cells), strict=True)),
        flags=flags,
        remarks=tuple(words for key, words in told if key == "remark"),
    )


def _column(printed: Sequence[str]) -> list[PrintedCell]:
    try:
        return [float(cell) if cell else None for cell in printed]
    except ValueError:
        return [cell or None for cell in printed]
