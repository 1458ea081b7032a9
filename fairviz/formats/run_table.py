"""From the columns of a TREC file to a :class:`Run`, and back to its lines."""

from collections.abc import Iterable
from typing import TextIO

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.columns import Table
from fairviz.formats.notes import NoteBook, Parsed, shown
from fairviz.formats.odd_ids import note_odd_ids
from fairviz.formats.ordering import first_repetition, first_rows, offsets_of, score_order
from fairviz.model import FloatArray, IndexArray, IntArray, Run

_NOT_FIRST = ("#", "{", "[", "\ufeff")


def run_of_table(table: Table, book: NoteBook, *, scores_decide: bool = True) -> Parsed[Run]:
    """The run in a TREC table: score decides, ties by document id descending.

    Args:
        table: Columns query, doc, rank, score, tag.
        book: The notes so far.
        scores_decide: Whether notes speak of ties, and of scores that overrule ranks; else of
            ranks that overrule scores.

    Raises:
        InputError: A document stands twice for a query.
    """
    queries, docs = table.ids["query"], table.ids["doc"]
    refuse_repeated_documents(table, queries.codes.astype(np.int64), book.file)
    scores, ranks = table.numbers["score"].astype(np.float64), table.numbers["rank"]
    order, n_tied = score_order(queries.codes, scores, docs.codes, docs.values)
    rows = np.arange(scores.size) if order is None else order
    if n_tied and scores_decide:
        tied = _first_tied_row(queries.codes[rows], scores[rows], rows)
        message = f"{n_tied:,} tied scores: ordered by document id, descending (as trec_eval)"
        book.add(message, table.line(tied))
    decides = "the scores decide (as trec_eval)" if scores_decide else "the ranks decide"
    _note_ranks(queries.codes, scores, ranks.astype(np.float64), decides, book)
    note_identifiers(table, book)
    run = Run(
        system=table.ids["tag"].values[0],
        query_ids=queries.values,
        doc_ids=docs.values,
        offsets=offsets_of(queries.codes[rows], len(queries.values)),
        docs=docs.codes[rows],
        scores=scores[rows],
    )
    return Parsed(
        value=run,
        file=book.file,
        format="TREC run",
        notes=book.notes,
        lines=query_lines(table),
    )


def write_run(run: Run, to: TextIO) -> None:
    """Write a run in TREC's six columns; :func:`read_run` gives it back.

    Args:
        run: The run.
        to: An open text file.

    Raises:
        ValueError: An identifier is empty or holds a blank.
    """
    check_writable(run.query_ids, "query id", opens_line=True)
    check_writable(run.doc_ids, "document id")
    tag = tag_of(run.system)
    for q, query in enumerate(run.query_ids):
        start, end = int(run.offsets[q]), int(run.offsets[q + 1])
        rows = zip(run.docs[start:end].tolist(), run.scores[start:end].tolist(), strict=True)
        to.writelines(
            f"{query} Q0 {run.doc_ids[doc]} {rank} {score!r} {tag}\n" for rank, (doc, score) in enumerate(rows, start=1)
        )


def refuse_repeated_documents(table: Table, rankings: IntArray, name: str) -> None:
    """Refuse a document that stands twice in a ranking.

    Args:
        table: The rows.
        rankings: Which ranking each row belongs to.
        name: Name of the file.

    Raises:
        InputError: Names the line, and the line where the document stood first.
    """
    docs = table.ids["doc"]
    found = first_repetition(rankings * len(docs.values) + docs.codes)
    if found is None:
        return
    row, first = found
    doc = shown(docs.values[int(docs.codes[row])])
    queries = table.ids["query"]
    query = shown(queries.values[int(queries.codes[row])])
    raise InputError(
        f"duplicate document {doc} for query {query} (first on line {table.line(first)})",
        file=name,
        line=table.line(row),
        fix="Keep one line per query and document.",
    )


def note_identifiers(table: Table, book: NoteBook) -> None:
    """Note odd query ids, document ids and tags of a TREC table."""
    for column, what in (("query", "query id"), ("doc", "document id")):
        note_odd_ids(table.ids[column].values, what, lambda code, c=column: table.line_of(c, code), book)
    queries = table.ids["query"].values
    if "all" in queries:
        line = table.line_of("query", queries.index("all"))
        book.add('query id "all" is the name of the aggregate row in other tools', line)
    if "tag" in table.ids:
        _note_tags(table, book)


def query_lines(table: Table) -> dict[str, int]:
    """First line of each query."""
    queries = table.ids["query"]
    rows = first_rows(queries.codes, len(queries.values))
    return {q: table.line(row) for q, row in zip(queries.values, rows.tolist(), strict=True)}


def check_writable(values: Iterable[str], what: str, *, opens_line: bool = False) -> None:
    """Refuse identifiers that a table separated by blanks cannot hold.

    Args:
        values: The identifiers.
        what: What they identify, for the message.
        opens_line: Whether they stand first on a line, where some characters mean a comment,
            JSON or a byte order mark.

    Raises:
        ValueError: An identifier cannot be written.
    """
    for value in values:
        if not value or any(c in value for c in " \t\n\v\f\r\0"):
            raise ValueError(f"{what} {shown(value)!r} cannot stand in a TREC file")
        if opens_line and value.startswith(_NOT_FIRST):
            raise ValueError(f"{what} {shown(value)!r} cannot stand first on a line of a TREC file")


def tag_of(system: str) -> str:
    """A system's name as a run tag: blanks become underscores."""
    return "_".join(system.split()) or "run"


def _note_tags(table: Table, book: NoteBook) -> None:
    tags = table.ids["tag"].values
    if len(tags) > 1:
        names = ", ".join(shown(tag, 20) for tag in tags[:3]) + (", …" if len(tags) > 3 else "")
        message = f"more than one run tag ({names}): the first names the system"
        book.add(message, table.line_of("tag", 1))
    for code, tag in enumerate(tags):
        if ("/" in tag.split(";")[0] and not tag.startswith("<")) or "\\" in tag:
            line = table.line_of("tag", code)
            book.add(f"run tag looks like a path: {shown(tag)}", line, kind="path tag")
    note_odd_ids(tags, "run tag", lambda code: table.line_of("tag", code), book)


def _first_tied_row(queries: IndexArray, scores: FloatArray, rows: IntArray) -> int:
    """The first row of the file whose score another one of its query has; all in ranked order."""
    equal = (queries[1:] == queries[:-1]) & (scores[1:] == scores[:-1])
    return int(np.minimum(rows[1:], rows[:-1])[equal].min())


def _note_ranks(queries: IndexArray, scores: FloatArray, ranks: FloatArray, decides: str, book: NoteBook) -> None:
    """Say where the rank column tells another order than the scores, and which of them counts."""
    n_queries = int(queries.max(initial=-1)) + 1
    known = ~np.isnan(ranks)
    if not known.all():
        return  # noted already: a rank is not an integer
    if ranks.size > n_queries and (ranks == ranks[0]).all():
        book.add("rank column is constant: the scores decide")
        return
    same = queries[1:] == queries[:-1]
    agree = ~same | ((ranks[1:] > ranks[:-1]) & (scores[1:] <= scores[:-1]))
    if agree.all() and (queries[1:] >= queries[:-1]).all():
        return
    order = np.lexsort((ranks, -scores, queries))
    same = queries[order][1:] == queries[order][:-1]
    wrong = same & (ranks[order][1:] < ranks[order][:-1])
    if wrong.any():
        n = np.unique(queries[order][1:][wrong]).size
        book.add(f"rank order and score order disagree for {n:,} of {n_queries:,} queries: {decides}")
