"""Judgements in TREC's four columns, ``query 0 document grade``, or in a table with a header, such as BEIR's.

Column 2 is rarely what it is called: it holds 0, a round number (TREC-COVID), a counter (TREC RAG
2024), a list of groups (expeval) or a subtopic (web track). It is read as a subtopic only where a
(query, document) pair repeats with another value there, or where the caller says so.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, TextIO

import numpy as np
import polars as pl

from fairviz.io.columns import GRADE, LIST_DOC, LIST_QUERY, SUBTOPIC, Columns, read_of, same_id
from fairviz.io.json import Head
from fairviz.io.json_runs import dict_lists, json_lists, named_lists
from fairviz.io.names import check_ids
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.io.trec import TrecTable, check_writable, note_identifiers, query_lines, trec_table
from fairviz.model import IntArray, Qrels
from fairviz.model.arrays import first_repeated, offsets_of, segment_ids
from fairviz.numerals import count, plural


@reader
def read_qrels(source: Source, *, subtopics: bool | None = None, generator: str | None = None) -> Parsed[Qrels]:
    """Read judgements.

    Args:
        source: A path or ``(name, bytes)``, plain or gzip'ed: TREC's columns; or a table with a header (CSV, TSV, JSON
            Lines, Parquet) with columns query_id, doc_id, grade, or those of BEIR; or JSON ``{query: {doc: grade}}``.
        subtopics: Whether column 2 names subtopics; None: where a pair repeats with another value.
        generator: The generator whose utility gain the grades record; None for people's.

    Returns:
        The judgements with notes; ``lines`` holds the first line of each query.

    Raises:
        InputError: The file cannot be read, a grade is no integer in range, or two judgements of
            one document for one query (and subtopic) differ.
    """
    if (columns := named_lists(source)) is not None:
        return qrels_of_columns(columns, name=source.stem, subtopics=subtopics, generator=generator)
    notes, head = NoteBook(source.name), Head(source)
    if head.is_json:
        read = partial(qrels_of_columns, name=source.stem, subtopics=subtopics, generator=generator)
        return json_lists(source, head, "grade", read)[0]
    table = trec_table(source, "qrels", ("query", "subtopic", "doc", "grade"), notes)
    return qrels_of_table(table, notes, name=source.stem, subtopics=subtopics, generator=generator)


def qrels_of_dict(
    lists: Mapping[Any, Any], *, name: str = "", subtopics: bool | None = None, generator: str | None = None
) -> Parsed[Qrels]:
    """The judgements that ``{query: {document: grade}}`` are; arguments and errors of :func:`qrels_of_columns`."""
    read = partial(qrels_of_columns, name=name, subtopics=subtopics, generator=generator)
    return dict_lists(lists, name, "grade", read)


def qrels_of_table(
    table: TrecTable, notes: NoteBook, *, name: str, subtopics: bool | None = None, generator: str | None = None
) -> Parsed[Qrels]:
    """The judgements in a TREC table.

    Args:
        table: Columns query, subtopic, doc, grade.
        notes: The notes so far.
        name: What to call them.
        subtopics: Whether column 2 names subtopics; None: where a document repeats for a query.
        generator: Whose utility the grades are; None: people's.

    Raises:
        InputError: Two judgements of one document for one query (and subtopic) differ.
    """
    queries, docs, topics = table.ids["query"], table.ids["doc"], table.ids["subtopic"]
    grades = table.numbers["grade"].astype(np.int64)
    kept, by_subtopic = _kept(table, notes, subtopics=subtopics)
    _note_group_lists(table, notes)
    note_identifiers(table, notes)
    if by_subtopic:
        check_ids(topics.values, "subtopic", lambda code: table.line_of("subtopic", code), notes)
    order = kept[np.argsort(queries.codes[kept], kind="stable")]
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
    _note_without_positives(qrels, notes)
    low, high = int(grades.min()), int(grades.max())
    span = (f"grade {low}" if low == high else f"grades {low}–{high}").replace("-", "−")
    return notes.parsed(qrels, f"TREC qrels, {span}" + (", with subtopics" if by_subtopic else ""), query_lines(table))


def _kept(table: TrecTable, notes: NoteBook, *, subtopics: bool | None) -> tuple[IntArray, bool]:
    """The rows of a table that count, equal ones once, and whether column 2 names subtopics.

    Raises:
        InputError: Two judgements of one document for one query (and subtopic) differ.
    """
    ids = {name: table.ids[name].codes for name in ("query", "doc", "subtopic")}
    rows = pl.DataFrame(ids | {"grade": table.numbers["grade"]}).with_row_index("row")
    if first_repeated(rows.select("query", "doc")) is None:
        return np.arange(rows.height), bool(subtopics)
    rows = rows.with_columns(pl.col("row", "grade").first().over("query", "doc", "subtopic").name.prefix("first_"))
    differing = rows.filter(pl.col("grade") != pl.col("first_grade"))
    for row, grade, first, first_grade in differing.select("row", "grade", "first_row", "first_grade").rows():
        grades = f"{first_grade} (line {table.line(first)}) and {grade}"
        reason = f"conflicting judgements for {_pair(table, row)}: {grades}"
        raise notes.wrong(reason, "Keep one of them.", table.line(row))
    again = rows.filter(pl.col("row") != pl.col("first_row"))["row"]
    if again.len():
        message = f"duplicate judgement {_pair(table, again[0])} (same grade): read once"
        notes.add(message, table.line(again[0]), kind="duplicate", count=again.len())
    kept = rows.filter(pl.col("row") == pl.col("first_row"))
    repeated = first_repeated(kept.select("query", "doc"))
    by_subtopic = repeated is not None if subtopics is None else subtopics
    if repeated is not None:
        row = int(kept["row"][repeated[0]])
        if not by_subtopic:
            reason = f"{_pair(table, row)} is judged more than once, with different values in column 2"
            raise notes.wrong(reason, "If column 2 holds subtopics, say so; else keep one judgement.", table.line(row))
        query, doc = _pair(table, row).split(" ", 1)
        notes.add(f"column 2 holds subtopics: {doc} judged more than once for {query}", table.line(row))
    return kept["row"].to_numpy().astype(np.int64), by_subtopic


def qrels_of_columns(
    columns: Columns, *, name: str = "", subtopics: bool | None = None, generator: str | None = None
) -> Parsed[Qrels]:
    """The judgements that a table holds.

    Columns: query_id (or qid), doc_id (docno), grade (relevance, label), and subtopic.

    Args:
        columns: The table.
        name: What to call them; "qrels" without.
        subtopics: Whether the column of subtopics counts; None: where a document is judged twice for a query.
        generator: The generator whose utility gain the grades record; None for people's.

    Raises:
        InputError: A column is missing, a grade is no whole number, two judgements of one document differ.
    """
    notes = columns.notes
    with columns.named():
        ids = {
            "query": columns.ids(columns.need(LIST_QUERY, "queries"), "query id", opens_line=True),
            "doc": columns.ids(columns.need(LIST_DOC, "documents"), "document id"),
        }
        subtopic = columns.find(SUBTOPIC)
        ids["subtopic"] = columns.ids(subtopic, "subtopic") if subtopic else same_id(columns.table.height, "0")
        table = TrecTable(ids, {"grade": columns.numbers(GRADE, "grades")}, columns.rows)
        parsed = qrels_of_table(table, notes, name=name or "qrels", subtopics=subtopics, generator=generator)
    return read_of(columns, parsed)


def write_qrels(qrels: Qrels, to: TextIO) -> None:
    """Write judgements in TREC's four columns; column 2 is the subtopic, or 0.

    Args:
        qrels: The judgements.
        to: An open text file.

    Raises:
        ValueError: An identifier is empty or holds a blank.
    """
    check_writable(qrels)
    rows = qrels.to_polars()
    rows = rows if "subtopic" in rows.columns else rows.with_columns(subtopic=pl.lit("0"))
    for query, subtopic, doc, grade in rows.select("query_id", "subtopic", "doc_id", "grade").iter_rows():
        to.write(f"{query} {subtopic} {doc} {grade}\n")


def _pair(table: TrecTable, row: int) -> str:
    return f"{table.shown('query', row)} {table.shown('doc', row)}"


def _note_group_lists(table: TrecTable, notes: NoteBook) -> None:
    topics = table.ids["subtopic"].values
    for code in topics.column.str.contains(r"[,|]").arg_true().head(1):
        message = f'column 2 holds group ids "{shown(topics[code])}": ignored, give a group table'
        notes.add(message, table.line_of("subtopic", code), kind="group ids")


def _note_without_positives(qrels: Qrels, notes: NoteBook) -> None:
    """Say which queries have no relevant document."""
    n_queries = len(qrels.query_ids)
    positives = np.bincount(segment_ids(qrels.offsets)[qrels.grades > 0], minlength=n_queries)
    without = [qrels.query_ids[q] for q in np.flatnonzero(positives == 0).tolist()]
    if len(without) == 1:
        notes.add(f"query {shown(without[0])} has no relevant document")
    elif without:
        examples = ", ".join(shown(query, 20) for query in without[:3])
        which = f"({examples}{', …' if len(without) > 3 else ''})"
        of = plural(n_queries, "query", "queries")
        notes.add(f"no relevant document for {count(len(without))} of {of} {which}")
