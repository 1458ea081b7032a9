"""Numbers by id: how often queries are asked, ``query_id, weight``, and how popular documents are, ``doc_id, count``.

A table or JSON Lines; weights may stand beside the words of the queries, popularity is counted as interactions or
ratings are.
"""

from fairviz.io.answer_table import Column, Layout, from_zero, one_of, read_rows, text_or_number
from fairviz.io.columns import DOC, QUERY
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.numerals import plural

WEIGHT, COUNT, WORDS = ("weight", "count"), ("count", "popularity"), ("text", "title", "metadata")
_IDS = {*QUERY, "_id"}


def has_weights(names: set[str]) -> bool:
    """Whether names of columns, or of a record, are those of queries with weights.

    Examples:
        >>> has_weights({"query_id", "weight"}), has_weights({"query_id", "doc_id", "weight"})
        (True, False)
    """
    return bool(names & _IDS) and bool(names & {*WEIGHT}) and names <= _IDS | {*WEIGHT, *WORDS}


def has_popularity(names: set[str]) -> bool:
    """Whether names of columns, or of a record, are those of documents with counts.

    Examples:
        >>> has_popularity({"doc_id", "count"}), has_popularity({"query_id", "count"}), has_popularity({"doc_id"})
        (True, False, False)
    """
    return bool(names & {*DOC}) and bool(names & {*COUNT}) and names <= {*DOC, *COUNT}


_QUERY, _DOC = (Column(text_or_number, names, filled=True) for names in ((*QUERY, "_id"), DOC))
_WEIGHT = Column(
    one_of(
        lambda text: from_zero(text) or None,
        "weight {cell} is no number above 0",
        "Leave out queries that nobody asks.",
        text=text_or_number,
    ),
    WEIGHT,
    filled=True,
)
_COUNT = Column(
    one_of(from_zero, "count {cell} is no number from 0 on", "Write how often it was chosen.", text=text_or_number),
    COUNT,
    filled=True,
)


@reader
def read_weights(source: Source) -> Parsed[dict[str, float]]:
    """Weights of queries by their ids; other columns are not read.

    Raises:
        InputError: A query or its weight is missing, a query stands twice, or a weight is no number above 0.
    """
    weights, lines, notes = _amounts(source, _QUERY, _WEIGHT, kind="query")
    return notes.parsed(weights, f"weights of {plural(len(weights), 'query', 'queries')}", lines)


@reader
def read_popularity(source: Source) -> Parsed[dict[str, float]]:
    """Counts of documents by their ids.

    Raises:
        InputError: A document or its count is missing, a document stands twice, or a count is no number from 0 on.
    """
    counts, lines, notes = _amounts(source, _DOC, _COUNT, kind="document")
    return notes.parsed(counts, f"popularity of {plural(len(counts), 'document')}", lines)


def _amounts(
    source: Source, ids: Column[str], amounts: Column[float], *, kind: str
) -> tuple[dict[str, float], dict[str, int], NoteBook]:
    """A number for each id, the line of each, and the notes on the file.

    Raises:
        InputError: An id or its number is missing, or an id stands twice.
    """
    notes = NoteBook(source.name)
    values: dict[str, float] = {}
    lines: dict[str, int] = {}
    layout = Layout(f"Write a header: {ids.name}, {amounts.name}; comma or tab between them.")
    for row in read_rows(source, layout, notes):
        name, amount = ids.stripped(row), amounts.of(row)
        if lines.setdefault(name, row.line) != row.line:
            raise row.wrong(f"{shown(name)} stands twice (first on line {lines[name]})", f"Keep one line per {kind}.")
        values[name] = amount
    return values, lines, notes
