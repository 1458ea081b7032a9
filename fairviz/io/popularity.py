"""How popular documents are: ``doc_id, count``, a table or JSON Lines, as interactions or ratings were counted."""

import math

from fairviz.io.answer_table import Column, one_of, text_or_number
from fairviz.io.columns import DOC
from fairviz.io.notes import Parsed
from fairviz.io.source import Source, reader
from fairviz.io.weights import read_amounts
from fairviz.numerals import plural

COUNT = ("count", "popularity")
FIX = "Write a header: doc_id, count; comma or tab between them."


def has_popularity(names: set[str]) -> bool:
    """Whether names of columns, or of a record, are those of documents with counts.

    Examples:
        >>> has_popularity({"doc_id", "count"}), has_popularity({"query_id", "count"}), has_popularity({"doc_id"})
        (True, False, False)
    """
    return bool(names & {*DOC}) and bool(names & {*COUNT}) and names <= {*DOC, *COUNT}


def _count(text: str) -> float | None:
    """A finite number from 0 on."""
    try:
        count = float(text)
    except ValueError:
        return None
    return count if 0 <= count < math.inf else None


_DOC = Column(text_or_number, DOC, filled=True)
_COUNT = Column(
    one_of(_count, "count {cell} is no number from 0 on", "Write how often it was chosen.", text=text_or_number),
    COUNT,
    filled=True,
)


@reader
def read_popularity(source: Source) -> Parsed[dict[str, float]]:
    """Counts of documents by their ids.

    Raises:
        InputError: A document or its count is missing, a document stands twice, or a count is no number from 0 on.
    """
    counts, lines, notes = read_amounts(source, _DOC, _COUNT, fix=FIX, kind="document")
    return notes.parsed(counts, f"popularity of {plural(len(counts), 'document')}", lines)
