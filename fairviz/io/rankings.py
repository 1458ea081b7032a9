"""Runs and samples of rankings in TREC's six columns, and the reader that finds out which it is.

``query Q0 document rank score tag``. In a run the score decides, ties by document id descending
(as trec_eval); in a multi-sample file column 2 names the sample, the rank decides and the score is
ignored (as expeval, https://github.com/diazf/expeval).
"""

import re
from dataclasses import replace
from typing import cast

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.cells import is_json
from fairviz.io.columns import (
    DOC,
    QUERY,
    RANK,
    SAMPLE,
    SCORE,
    SYSTEM,
    Columns,
    by_row,
    named_lists,
    read_of,
    same_id,
)
from fairviz.io.ids import offsets_of
from fairviz.io.json_runs import read_json_run
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.io.text import head_of
from fairviz.io.trec import (
    BY_ID,
    note_identifiers,
    query_lines,
    refuse_repeated_documents,
    run_of_table,
    sample_of_table,
)
from fairviz.io.trec_table import Numbers, Table, ranks, scores, trec_table
from fairviz.kernels.lookup import alike, encoded
from fairviz.model import IntArray, RankingSample, Run, TieOrder
from fairviz.model.arrays import segment_ids
from fairviz.numerals import plural

# FairTREC submissions: ``id [seq_no] page_id`` under that header, ranked by line order.
#
# The format of the TREC Fair Ranking track 2022 (https://fair-trec.github.io): task 1 has one ranking
# per topic, task 2 a sequence of rankings numbered by ``seq_no``.


_HEADER = re.compile(rb"[ \t]*id[ \t]+(seq_no[ \t]+)?page_id[ \t]*(\n|$)")


def is_fairtrec(head: bytes) -> bool:
    """Whether a file starts with FairTREC's header."""
    return _HEADER.match(head) is not None


def read_fairtrec(
    source: Source, head: bytes, *, multi_sample: bool | None = None
) -> Parsed[Run] | Parsed[RankingSample]:
    """Read a FairTREC file.

    A ranking's scores are n − rank. With several ``seq_no`` in a topic it is a sample of rankings.

    Args:
        source: The file.
        head: Its first bytes, which hold the header.
        multi_sample: Whether ``seq_no`` names samples; None: where a topic has more than one.

    Raises:
        InputError: A line that is no row, or a page twice in a ranking.
    """
    notes = NoteBook(source.name)
    header = _HEADER.match(head)
    sequenced = header is not None and header[1] is not None
    columns = ("query", "sample", "doc") if sequenced else ("query", "doc")
    table = trec_table(source, "FairTREC run", columns, notes)
    if sequenced:
        table.numbers["rank"] = np.arange(table.ids["doc"].codes.size)
        samples = sample_of_table(table, notes, tag=source.stem, file_format="FairTREC run, several rankings per topic")
        several = bool((samples.value.n_samples > 1).any())
        if several if multi_sample is None else multi_sample:
            return samples
    else:
        note_identifiers(table, notes)
    return _one_ranking(table, source, notes)


def _one_ranking(table: Table, source: Source, notes: NoteBook) -> Parsed[Run]:
    queries, docs = table.ids["query"], table.ids["doc"]
    refuse_repeated_documents(table, queries.codes, source.name)
    order = np.argsort(queries.codes, kind="stable")
    offsets = offsets_of(queries.codes[order], len(queries.values))
    run = Run(
        system=source.stem,
        query_ids=tuple(queries.values),
        doc_ids=docs.values,
        offsets=offsets,
        docs=docs.codes[order],
        scores=(np.repeat(offsets[1:], np.diff(offsets)) - np.arange(order.size) - 1).astype(np.float64),
    )
    return notes.parsed(run, "FairTREC run", query_lines(table))


TREC_RUN = ("query", "sample", "doc", "rank", "score", "tag")
"""The columns of a run or of samples."""

_MAX_RANK = 2**53
"""Whole numbers above it are not told apart."""


@reader
def read_rankings(
    source: Source, *, multi_sample: bool | None = None, ties: TieOrder = "id"
) -> Parsed[Run] | Parsed[RankingSample]:
    """Read a run or a sample of rankings, whichever the file holds.

    Args:
        source: A path or ``(name, bytes)``: TREC, FairTREC or JSON ``{query: {doc: score}}``; plain or gzip'ed; or a
            table with a header (CSV, TSV, JSON Lines, Parquet) with columns query_id, doc_id, score.
        multi_sample: Whether column 2 names samples; None: it does where a query has more than
            one value there.
        ties: What orders tied scores of a run: "id", document ids descending as in trec_eval; "rank", its rank column.

    Returns:
        The noun with notes; ``lines`` holds the first line of each query.

    Raises:
        InputError: The file cannot be read; names file, line and reason.
    """
    if (columns := named_lists(source)) is not None:
        return rankings_of_columns(columns, unnamed=source.stem, multi_sample=multi_sample, ties=ties)
    head = head_of(source)
    if is_json(head):
        if ties == "rank":
            raise InputError("has no ranks that could decide among tied scores", file=source.name, fix=BY_ID)
        return read_json_run(source, head)
    if is_fairtrec(head):
        return read_fairtrec(source, head, multi_sample=multi_sample)
    notes = NoteBook(source.name)
    return rankings_of_table(_table(source, notes), notes, multi_sample=multi_sample, ties=ties)


def rankings_of_table(
    table: Table, notes: NoteBook, *, multi_sample: bool | None = None, ties: TieOrder = "id"
) -> Parsed[Run] | Parsed[RankingSample]:
    """The run or the sample in a TREC table.

    Args:
        table: Columns query, sample, doc, rank, score, tag.
        notes: The notes so far.
        multi_sample: As :func:`read_rankings`.
        ties: Likewise.

    Raises:
        InputError: A document stands twice in a ranking, or a sample has no usable ranks.
    """
    if _holds_samples(table) if multi_sample is None else multi_sample:
        tag = table.ids["tag"].values[0]
        return sample_of_table(table, notes, tag=tag, file_format="TREC multi-sample run")
    return run_of_table(table, notes, ties=ties)


@reader
def read_run(source: Source) -> Parsed[Run]:
    """Read a file of one ranking per query.

    Raises:
        InputError: The file cannot be read, or holds several rankings per query.
    """
    parsed = read_rankings(source)
    if isinstance(parsed.value, Run):
        return cast("Parsed[Run]", parsed)
    raise _several_rankings(parsed.file)


@reader
def read_ranked_run(source: Source) -> Parsed[Run]:
    """Read a run in the order of its rank column, for what goes by rank: scores are −rank, equal ranks by their score.

    Where a file has no usable ranks (JSON, FairTREC, a column that is constant, negative or no
    integers), ranks are 1, 2, … in the order of the scores; that is noted unless the format has no
    rank column.

    Raises:
        InputError: The file cannot be read, or holds several rankings per query.
    """
    head, columns = head_of(source), named_lists(source)
    if columns is not None:
        notes = columns.notes
        columns.need(SCORE, "scores")
        with by_row(columns):
            return read_of(columns, _of_ranks(_table_of(columns, notes, unnamed=source.stem), notes))
    if is_json(head) or is_fairtrec(head):
        parsed = read_run(source)
        return replace(parsed, value=_by_rank(parsed.value, counted_ranks(parsed.value)))
    notes = NoteBook(source.name)
    return _of_ranks(_table(source, notes), notes)


def _of_ranks(table: Table, notes: NoteBook) -> Parsed[Run]:
    """The run in a TREC table in the order of its ranks, or of its scores where these cannot be used.

    Raises:
        InputError: It holds several rankings per query.
    """
    if _holds_samples(table):
        raise _several_rankings(notes.file)
    given = table.numbers["rank"].astype(np.float64)
    constant = given.size > len(table.ids["query"].values) and bool((given == given[0]).all())
    whole = (given == np.floor(given)) & (given >= 0) & (given <= _MAX_RANK)  # not NaN either
    usable = not constant and bool(whole.all())
    parsed = run_of_table(table, notes, scores_decide=not usable)
    run = parsed.value
    if usable:  # the run keeps the codes of the table: rows pair up by query and document
        n_docs = len(run.doc_ids)
        queries = table.ids["query"].codes.astype(np.int64)
        rows = np.argsort(queries * n_docs + table.ids["doc"].codes)
        ranks = np.empty(given.size, dtype=np.int64)
        ranks[np.argsort(segment_ids(run.offsets) * n_docs + run.docs)] = given[rows]
    else:
        if not np.isnan(given).all():  # else there is no such column
            notes.add("rank column cannot be used: ranks are counted in the order of the scores")
        ranks = counted_ranks(run)
    return replace(parsed, value=_by_rank(run, ranks), notes=notes.collected)


def _by_rank(run: Run, ranks: IntArray) -> Run:
    """A run in the order of (M) ranks, whose scores are −rank; equal ranks by their score."""
    rows = np.lexsort((ranks, segment_ids(run.offsets)))
    return replace(run, docs=run.docs[rows], scores=-ranks[rows].astype(np.float64))


def _several_rankings(file: str) -> InputError:
    reason = "column 2 has several values within a query: a sample of rankings, not a run"
    return InputError(reason, file=file, fix="Give a run with one ranking per query.")


def counted_ranks(run: Run) -> IntArray:
    """Ranks 1, 2, … within each query."""
    return np.arange(run.docs.size) - np.repeat(run.offsets[:-1], np.diff(run.offsets)) + 1


def _table(source: Source, notes: NoteBook) -> Table:
    return trec_table(source, "run", TREC_RUN, notes, check_first=lambda table: _refuse_repetition(table, source.name))


def _holds_samples(table: Table) -> bool:
    queries, samples = table.ids["query"], table.ids["sample"]
    if len(samples.values) == 1:
        return False
    _, firsts = alike(pl.DataFrame({"query": queries.codes, "sample": samples.codes}))
    return firsts.size > len(queries.values)


def _refuse_repetition(table: Table, name: str) -> None:
    queries, samples = table.ids["query"], table.ids["sample"]
    rankings = queries.codes.astype(np.int64) * len(samples.values) + samples.codes
    refuse_repeated_documents(table, rankings, name)


# Tables by the names of their columns.


def rankings_of_columns(
    given: Columns, *, name: str = "", unnamed: str = "run", multi_sample: bool | None = None, ties: TieOrder = "id"
) -> Parsed[Run] | Parsed[RankingSample]:
    """The run, or the sample of rankings, that a table holds.

    Columns: query_id (or qid, as PyTerrier has it), doc_id (docno), score, and any of rank, sample, system. In a run
    the score decides, ties by document id descending, as in a file; in a sample the rank, or without one the order of
    the rows.

    Args:
        given: The table.
        name: Name of the system; without, that of a column system.
        unnamed: Its name where neither says it.
        multi_sample: Whether a column ``sample`` names samples; None: where there is one.
        ties: What orders tied scores of a run: document ids, or the column rank.

    Raises:
        InputError: A column is missing, a cell is none of its kind, a document stands twice for a query.
    """
    notes = given.notes
    with by_row(given):
        sampled = given.find(SAMPLE) is not None
        if multi_sample:
            given.need(SAMPLE, "samples")
        table = _table_of(given, notes, name=name, unnamed=unnamed)
        samples = sampled if multi_sample is None else multi_sample
        parsed = rankings_of_table(table, notes, multi_sample=samples, ties=ties)
    return cast("Parsed[Run] | Parsed[RankingSample]", read_of(given, parsed))


def _table_of(given: Columns, notes: NoteBook, *, name: str = "", unnamed: str) -> Table:
    """The rows of a table in TREC's columns; ranks are NaN without a column, of samples the order of the rows."""
    n = given.table.height
    ids = {
        "query": given.ids(given.need(QUERY, "queries"), "query id", opens_line=True),
        "doc": given.ids(given.need(DOC, "documents"), "document id"),
    }
    sampled, ranked, scored = given.find(SAMPLE), given.find(RANK), given.find(SCORE)
    numbers: dict[str, Numbers] = {}
    if sampled is None or scored is not None:
        numbers["score"] = given.numbers(SCORE, "scores", lambda texts: scores(texts, given.rows, given.file))
    numbers["rank"] = np.arange(n) + 1.0 if sampled else np.full(n, np.nan)
    if ranked is not None:
        numbers["rank"] = given.numbers(RANK, "ranks", lambda texts: ranks(texts, given.rows, notes))
    named = _system(given)  # which refuses several, whatever they are called together
    ids["tag"] = same_id(n, name or named or unnamed)
    ids["sample"] = given.ids(sampled, "sample") if sampled else same_id(n, "0")
    return Table(ids, numbers, given.rows)


def _system(given: Columns) -> str | None:
    """The system that a column names.

    Raises:
        InputError: It names several.
    """
    column = given.find(SYSTEM)
    if column is None:
        return None
    codes, values = encoded(given.texts(column))
    if len(values) > 1:
        named = [*map(shown, values[:3]), *(["…"] if len(values) > 3 else [])]
        reason = f"column {shown(column)} names {plural(len(values), 'system')} ({', '.join(named)})"
        fix = f"Give each its own table: [part for _, part in frame.groupby({column!r})]."
        line = None if given.lines is None else int(given.lines[np.argmax(codes)])
        raise InputError(reason, file=given.file, line=line, fix=fix)
    return next(iter(values))
