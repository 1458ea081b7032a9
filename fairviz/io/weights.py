"""How often queries are asked: ``query_id, weight``, a table or JSON Lines, perhaps beside the words of the queries."""

import math

from fairviz.io.answer_table import Column, Layout, one_of, read_rows, text_or_number
from fairviz.io.columns import QUERY
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.numerals import plural

WEIGHT, WORDS = ("weight", "count"), ("text", "title", "metadata")
_IDS = {*QUERY, "_id"}
FIX = "Write a header: query_id, weight; comma or tab between them."


def has_weights(names: set[str]) -> bool:
    """Whether names of columns, or of a record, are those of queries with weights.

    Examples:
        >>> has_weights({"query_id", "weight"}), has_weights({"query_id", "doc_id", "weight"})
        (True, False)
    """
    return bool(names & _IDS) and bool(names & {*WEIGHT}) and names <= _IDS | {*WEIGHT, *WORDS}


def _positive(text: str) -> float | None:
    """A finite number above 0."""
    try:
        weight = float(text)
    except ValueError:
        return None
    return weight if 0 < weight < math.inf else None


_QUERY = Column(text_or_number, (*QUERY, "_id"), filled=True)
_WEIGHT = Column(
    one_of(_positive, "weight {cell} is no number above 0", "Leave out queries that nobody asks.", text=text_or_number),
    WEIGHT,
    filled=True,
)


@reader
def read_weights(source: Source) -> Parsed[dict[str, float]]:
    """Weights of queries by their ids; other columns are not read.

    Raises:
        InputError: A query or its weight is missing, a query stands twice, or a weight is no number above 0.
    """
    weights, lines, notes = read_amounts(source, _QUERY, _WEIGHT, fix=FIX, kind="query")
    return notes.parsed(weights, f"weights of {plural(len(weights), 'query', 'queries')}", lines)


def read_amounts(
    source: Source, ids: Column[str], amounts: Column[float], *, fix: str, kind: str
) -> tuple[dict[str, float], dict[str, int], NoteBook]:
    """A number for each id of a table, and the line of each; what a reader of such a table shares with others.

    Args:
        source: The file.
        ids: The column of ids.
        amounts: That of numbers.
        fix: What to write where it is no such table.
        kind: What an id is of.

    Raises:
        InputError: An id or its number is missing, or an id stands twice.
    """
    notes = NoteBook(source.name)
    values: dict[str, float] = {}
    lines: dict[str, int] = {}
    for row in read_rows(source, Layout(fix), notes):
        name, amount = ids.stripped(row), amounts.of(row)
        if lines.setdefault(name, row.line) != row.line:
            raise row.wrong(f"{shown(name)} stands twice (first on line {lines[name]})", f"Keep one line per {kind}.")
        if amount is not None:
            values[name] = amount
    return values, lines, notes
