"""Judgements in TREC's four columns: ``query 0 document grade``.

Column 2 is rarely what it is called: it holds 0, a round number (TREC-COVID), a counter (TREC RAG
2024), a list of groups (expeval) or a subtopic (web track). It is read as a subtopic only where a
(query, document) pair repeats with another value there, or where the caller says so.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TextIO

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.ids import check_ids, first_repeated, offsets_of
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.parquet import is_parquet
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.trec import check_writable, note_identifiers, query_lines
from fairviz.io.trec_table import Table, trec_table
from fairviz.model import BoolArray, IntArray, Qrels
from fairviz.model.arrays import segment_ids
from fairviz.numerals import count, plural


@reader
def read_qrels(
    file: FileInput | Source, *, subtopics: bool | None = None, generator: str | None = None
) -> Parsed[Qrels]:
    """Read judgements.

    Args:
        file: A path or ``(name, bytes)``, plain or gzip'ed; or a Parquet table with columns query_id, doc_id, grade.
        subtopics: Whether column 2 names subtopics; None: where a pair repeats with another value.
        generator: The generator whose utility gain the grades record; None for people's.

    Returns:
        The judgements with notes; ``lines`` holds the first line of each query.

    Raises:
        InputError: The file cannot be read, a grade is no integer in range, or two judgements of
            one document for one query (and subtopic) differ.
    """
    source = as_source(file)
    if is_parquet(source):
        from fairviz.io.frames import columns_of_parquet, qrels_of_frame  # loaded for such files alone

        given = columns_of_parquet(source)
        found = qrels_of_frame(given, name=source.stem, subtopics=subtopics, generator=generator)
        return replace(found, format=found.format.replace("TREC", "Parquet"))
    notes = NoteBook(source.name)
    table = trec_table(source, "qrels", ("query", "subtopic", "doc", "grade"), notes)
    return qrels_of_table(table, notes, name=source.stem, subtopics=subtopics, generator=generator)


def qrels_of_table(
    table: Table, notes: NoteBook, *, name: str, subtopics: bool | None = None, generator: str | None = None
) -> Parsed[Qrels]:
    """The judgements in a TREC table.

    Args:
        table: Columns query, subtopic, doc, grade.
        notes: The notes so far.
        name: What to call them.
        subtopics: As :func:`read_qrels`.
        generator: Likewise.

    Raises:
        InputError: Two judgements of one document for one query (and subtopic) differ.
    """
    queries, docs, topics = table.ids["query"], table.ids["doc"], table.ids["subtopic"]
    grades = table.numbers["grade"].astype(np.int64)
    keep, by_subtopic = kept_judgements(table, notes, subtopics=subtopics)
    _note_group_lists(table, notes)
    note_identifiers(table, notes)
    if by_subtopic:
        check_ids(topics.values, "subtopic", lambda code: table.line_of("subtopic", code), notes)
    order = np.flatnonzero(keep)[np.argsort(queries.codes[keep], kind="stable")]
    qrels = Qrels(
        name=name,
        query_ids=tuple(queries.values),
        doc_ids=docs.values,
        offsets=offsets_of(queries.codes[order], len(queries.values)),
        docs=docs.codes[order],
        grades=grades[order],
        subtopics=topics.codes[order] if by_subtopic else None,
        subtopic_ids=tuple(topics.values) if by_subtopic else (),
        generator=generator,
    )
    note_without_positives(qrels.query_ids, _positives(qrels), notes)
    low, high = int(grades.min()), int(grades.max())
    span = (f"grade {low}" if low == high else f"grades {low}–{high}").replace("-", "−")
    return notes.parsed(qrels, f"TREC qrels, {span}" + (", with subtopics" if by_subtopic else ""), query_lines(table))


def kept_judgements(table: Table, notes: NoteBook, *, subtopics: bool | None = None) -> tuple[BoolArray, bool]:
    """Which rows of a table count, equal ones once, and whether column 2 names subtopics.

    Args:
        table: Columns query, subtopic, doc, grade.
        notes: Where repetitions are noted.
        subtopics: As :func:`read_qrels`.

    Raises:
        InputError: Two judgements of one document for one query (and subtopic) differ.
    """
    docs = table.ids["doc"]
    grades = table.numbers["grade"].astype(np.int64)
    pairs = table.ids["query"].codes.astype(np.int64) * len(docs.values) + docs.codes
    keep = np.ones(grades.size, dtype=np.bool_)
    repeated = first_repeated(pl.DataFrame({"pair": pairs}))
    if repeated is not None:
        keep = _without_repetitions(pairs, grades, table, notes)
        repeated = first_repeated(pl.DataFrame({"pair": pairs[keep]}))
    by_subtopic = repeated is not None if subtopics is None else subtopics
    if repeated is not None:
        rows = np.flatnonzero(keep)
        _tell_repetition(int(rows[repeated[0]]), table, notes, allowed=by_subtopic)
    return keep, by_subtopic


def write_qrels(qrels: Qrels, to: TextIO) -> None:
    """Write judgements in TREC's four columns; column 2 is the subtopic, or 0.

    Args:
        qrels: The judgements.
        to: An open text file.

    Raises:
        ValueError: An identifier is empty or holds a blank.
    """
    check_writable(qrels.query_ids, "query id", opens_line=True)
    check_writable(qrels.doc_ids, "document id")
    check_writable(qrels.subtopic_ids, "subtopic")
    for q, query in enumerate(qrels.query_ids):
        for row in range(int(qrels.offsets[q]), int(qrels.offsets[q + 1])):
            subtopics = qrels.subtopics
            column = "0" if subtopics is None else qrels.subtopic_ids[int(subtopics[row])]
            doc = qrels.doc_ids[int(qrels.docs[row])]
            to.write(f"{query} {column} {doc} {qrels.grades[row]}\n")


def _without_repetitions(pairs: IntArray, grades: IntArray, table: Table, notes: NoteBook) -> BoolArray:
    """Keep the first of equal judgements.

    Raises:
        InputError: Two judgements of the same pair and column 2 differ.
    """
    topics = table.ids["subtopic"]
    keys = pairs * len(topics.values) + topics.codes
    order = np.argsort(keys, kind="stable")
    again = np.concatenate([[False], keys[order][1:] == keys[order][:-1]])
    firsts = order[np.maximum.accumulate(np.where(again, 0, np.arange(order.size)))]
    differ = again & (grades[order] != grades[firsts])
    if differ.any():
        where = np.flatnonzero(differ)
        at = int(where[np.argmin(order[where])])
        row, first = int(order[at]), int(firsts[at])
        raise InputError(
            f"conflicting judgements for {_pair(table, row)}: {grades[first]} "
            f"(line {table.line(first)}) and {grades[row]}",
            file=notes.file,
            line=table.line(row),
            fix="Keep one of them.",
        )
    keep = np.ones(grades.size, dtype=np.bool_)
    keep[order[again]] = False
    if again.any():
        row = int(order[again].min())
        message = f"duplicate judgement {_pair(table, row)} (same grade): read once"
        notes.add(message, table.line(row), kind="duplicate", count=int(again.sum()))
    return keep


def _tell_repetition(row: int, table: Table, notes: NoteBook, *, allowed: bool) -> None:
    if not allowed:
        raise InputError(
            f"{_pair(table, row)} is judged more than once, with different values in column 2",
            file=notes.file,
            line=table.line(row),
            fix="If column 2 holds subtopics, say so; else keep one judgement.",
        )
    query, doc = _pair(table, row).split(" ", 1)
    notes.add(f"column 2 holds subtopics: {doc} judged more than once for {query}", table.line(row))


def _pair(table: Table, row: int) -> str:
    query, doc = table.ids["query"], table.ids["doc"]
    return f"{shown(query.values[int(query.codes[row])])} {shown(doc.values[int(doc.codes[row])])}"


def _note_group_lists(table: Table, notes: NoteBook) -> None:
    topics = table.ids["subtopic"]
    for code, value in enumerate(topics.values):
        if "," in value or "|" in value:
            line = table.line_of("subtopic", code)
            message = f'column 2 holds group ids "{shown(value)}": ignored, give a group table'
            notes.add(message, line, kind="group ids")
            return


def _positives(qrels: Qrels) -> IntArray:
    """(Q) documents of each query whose grade is above 0."""
    queries = segment_ids(qrels.offsets)
    return np.bincount(queries, weights=qrels.grades > 0, minlength=len(qrels.query_ids)).astype(np.int64)


def note_without_positives(query_ids: Sequence[str], positives: IntArray, notes: NoteBook) -> None:
    """Say which queries have no relevant document."""
    without = [query_ids[q] for q in np.flatnonzero(positives == 0).tolist()]
    if len(without) == 1:
        notes.add(f"query {shown(without[0])} has no relevant document")
    elif without:
        examples = ", ".join(shown(query, 20) for query in without[:3])
        notes.add(
            f"no relevant document for {count(len(without))} of {plural(len(query_ids), 'query', 'queries')} "
            f"({examples}{', …' if len(without) > 3 else ''})"
        )
