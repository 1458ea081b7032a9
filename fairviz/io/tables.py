"""Small tables of a line each: what systems are made of, how often queries are asked, how popular documents are.

A system has a ``label``, a look, and factors (task, retriever, …). Weights of queries, ``query_id, weight``, may stand
beside the words of the queries; popularity, ``doc_id, count``, is counted as interactions or ratings are.
"""

import csv
import re
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from fairviz.io.answer_table import AnswerColumn, from_zero, one_of, read_rows, text_or_number
from fairviz.io.columns import DOC, QUERY
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.io.trec import date_in
from fairviz.model import COLOURS, DASHES, FACTORS, Factors
from fairviz.numerals import plural

COLUMNS = ("label", "colour", "dash", "date", *FACTORS)
FIX = f"Write a header: system, then some of {', '.join(COLUMNS)}; comma or tab between them."


def is_factors(names: set[str]) -> bool:
    """Whether the names in a header are those of such a table.

    Examples:
        >>> is_factors({"system", "task", "retriever"}), is_factors({"system", "region"}), is_factors({"system"})
        (True, False, False)
    """
    return "system" in names and len(names) > 1 and names <= {"system", *COLUMNS}


def _colour(text: str) -> str | None:
    """A colour by its name, or as red, green and blue in two hexadecimal digits each."""
    colour = text.strip()
    if re.fullmatch("#[0-9A-Fa-f]{6}", colour):
        return colour.upper()
    return colour.lower() if colour.lower() in COLOURS else None


def _dash(text: str) -> str | None:
    """A dash by its name."""
    dash = text.strip().lower()
    return dash if dash in DASHES else None


def _size(text: str) -> int | None:
    """A number of documents from 1 on."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0 else None


_SYSTEM = AnswerColumn(text_or_number, ("system",), filled=True)


def _column(read: Callable[[str], Any], wrong: str, fix: str, *names: str, filled: bool = False) -> AnswerColumn[Any]:
    """A column; empty cells say nothing, or are refused where it must be filled."""
    wrong = f"{names[0]} {{cell}} is no {wrong}"
    return AnswerColumn(one_of(read, wrong, fix, text=text_or_number, blank=("",)), names, filled)


_OF_COLOURS = f"Write one of {', '.join(COLOURS)}, or #RRGGBB, such as #1B5560."
_COLUMNS: dict[str, AnswerColumn[Any]] = {
    **{name: AnswerColumn(text_or_number, (name,)) for name in COLUMNS},
    "date": _column(date_in, "year, month or day", "Write it as 2026-03-01.", "date"),
    "colour": _column(_colour, "colour", _OF_COLOURS, "colour"),
    "dash": _column(_dash, "dash", f"Write one of {', '.join(DASHES)}.", "dash"),
    "alpha": _column(from_zero, "number from 0 on", "Write it as 0.5.", "alpha"),
    "k": _column(_size, "whole number from 1 on", "Write it as 5.", "k"),
}


@reader
def read_factors(source: Source) -> Parsed[dict[str, Factors]]:
    """Factors of systems by their name; an empty cell says nothing.

    Raises:
        InputError: No column ``system``, an unknown or repeated column, a line of another length, a system or a label
            twice, an α or a k that is no number.
    """
    notes = NoteBook(source.name)
    factors: dict[str, Factors] = {}
    lines: dict[str, int] = {}
    labels: dict[str, int] = {}
    for row in read_rows(source, FIX, notes, required=("system",)):
        if unknown := row.record.keys() - {"", "system", *COLUMNS}:
            at_header = row._replace(line=1) if row.in_table else row
            raise at_header.wrong(f"unknown column {shown(min(unknown))}", FIX)
        system = _SYSTEM.of(row).strip()
        cells = {name: column.of(row) for name, column in _COLUMNS.items()}
        cells |= {name: cell.strip() or None for name, cell in cells.items() if isinstance(cell, str)}
        row.refuse_again(lines, system, shown(system), "Keep one line per system.")
        if label := cells["label"]:
            row.refuse_again(labels, label, f"the label {shown(label)}", "Give each system its own.")
        factors[system] = Factors(**cells)
    return notes.parsed(factors, "factors of systems", lines)


def write_factors(systems: Mapping[str, Factors], to: TextIO) -> None:
    """Write the factors of systems that one of them has; :func:`read_factors` gives them back.

    Args:
        systems: Factors by the name of the system.
        to: An open text file.
    """
    columns = [name for name in COLUMNS if any(getattr(factors, name) is not None for factors in systems.values())]
    table = csv.writer(to, delimiter="\t", lineterminator="\n")
    table.writerow(["system", *columns])
    for system, factors in systems.items():
        table.writerow([system, *("" if (cell := getattr(factors, name)) is None else cell for name in columns)])


# Numbers by id: how often queries are asked, and how popular documents are.


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


_QUERY, _DOC = (AnswerColumn(text_or_number, names, filled=True) for names in ((*QUERY, "_id"), DOC))
_WEIGHT = _column(
    lambda text: from_zero(text) or None, "number above 0", "Leave out queries that nobody asks.", *WEIGHT, filled=True
)
_COUNT = _column(from_zero, "number from 0 on", "Write how often it was chosen.", *COUNT, filled=True)


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
    source: Source, ids: AnswerColumn[str], amounts: AnswerColumn[float], *, kind: str
) -> tuple[dict[str, float], dict[str, int], NoteBook]:
    """A number for each id, the line of each, and the notes on the file.

    Raises:
        InputError: An id or its number is missing, or an id stands twice.
    """
    notes = NoteBook(source.name)
    values: dict[str, float] = {}
    lines: dict[str, int] = {}
    fix = f"Write a header: {ids.name}, {amounts.name}; comma or tab between them."
    for row in read_rows(source, fix, notes):
        name, amount = ids.stripped(row), amounts.of(row)
        row.refuse_again(lines, name, shown(name), f"Keep one line per {kind}.")
        values[name] = amount
    return values, lines, notes
