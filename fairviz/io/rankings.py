"""Runs and samples of rankings in TREC's six columns, and the reader that finds out which it is.

``query Q0 document rank score tag``. In a run the score decides, ties by document id descending
(as trec_eval); in a multi-sample file column 2 names the sample, the rank decides and the score is
ignored (as expeval, https://github.com/diazf/expeval).
"""

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np

from fairviz.errors import InputError
from fairviz.io.ids import changes, check_ids, offsets_of, score_order
from fairviz.io.json import Json, json_type, key_line, parse_json
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.parquet import is_parquet
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.text import head_of, whole_text
from fairviz.io.trec import (
    BY_ID,
    note_identifiers,
    query_lines,
    refuse_repeated_documents,
    run_of_table,
    sample_of_table,
    why_unwritable,
)
from fairviz.io.trec_table import Kind, Layout, Part, Table, gather, read_parts
from fairviz.model import IntArray, RankedRun, RankingSample, Run, TieOrder
from fairviz.model.arrays import segment_ids
from fairviz.numerals import count

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
    columns: dict[str, Kind] = {"query": "id", "sample": "id", "doc": "id"}
    if not sequenced:
        del columns["sample"]
    layout = Layout("FairTREC run", columns, header=True)
    table = gather(list(read_parts(source, layout, notes)), layout, source.name)
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
    refuse_repeated_documents(table, queries.codes.astype(np.int64), source.name)
    order = np.argsort(queries.codes, kind="stable")
    offsets = offsets_of(queries.codes[order], len(queries.values))
    sizes = np.diff(offsets)
    ends = np.repeat(offsets[1:], sizes)
    run = Run(
        system=source.stem,
        query_ids=tuple(queries.values),
        doc_ids=docs.values,
        offsets=offsets,
        docs=docs.codes[order],
        scores=(ends - np.arange(ends.size) - 1).astype(np.float64),
    )
    return Parsed(
        value=run,
        file=source.name,
        format="FairTREC run",
        notes=notes.collected,
        lines=query_lines(table),
    )


# Runs as one JSON object ``{query: {document: score}}``, as ranx and pytrec_eval write them.


_FIX = 'Write {"query": {"document": score}}.'


def read_json_run(source: Source) -> Parsed[Run]:
    """Read a JSON run; the file's stem names the system.

    Raises:
        InputError: Not an object of objects of finite numbers.
    """
    notes = NoteBook(source.name)
    text = whole_text(source, notes)
    content = parse_json(text, file=source.name)
    if not isinstance(content, dict):
        reason = f"expected object of query -> documents, found {json_type(content)}"
        raise InputError(reason, file=source.name, line=1, fix=_FIX)
    if not content:
        raise InputError("no data: the object is empty", file=source.name, line=1, fix=_FIX)
    doc_codes: dict[str, int] = {}
    queries: list[int] = []
    docs: list[int] = []
    scores: list[float] = []
    for q, (query, ranking) in enumerate(content.items()):
        line = partial(key_line, text, query)
        _check_id(query, "query id", line, source.name)
        if not isinstance(ranking, dict):
            reason = f"query {shown(query)}: expected object of doc -> score, found "
            raise InputError(reason + json_type(ranking), file=source.name, line=line(), fix=_FIX)
        if not ranking:
            reason = f"query {shown(query)} has no documents"
            raise InputError(reason, file=source.name, line=line(), fix="Give its documents, or leave the query out.")
        for doc, score in ranking.items():
            if doc not in doc_codes:
                _check_id(doc, "document id", partial(line, doc), source.name)
            docs.append(doc_codes.setdefault(doc, len(doc_codes)))
            scores.append(_number(score, query, doc, partial(line, doc), source.name))
        queries.extend([q] * len(ranking))
    query_ids, doc_ids = tuple(content), tuple(doc_codes)
    query_codes = np.array(queries, dtype=np.int32)
    doc_rows, score_rows = np.array(docs, dtype=np.int32), np.array(scores, dtype=np.float64)
    order, n_tied = score_order(query_codes, score_rows, doc_rows, doc_ids)
    if n_tied:
        notes.add(f"{count(n_tied)} tied scores: ordered by document id, descending (as trec_eval)")
    if order is not None:
        query_codes, doc_rows, score_rows = query_codes[order], doc_rows[order], score_rows[order]
    check_ids(query_ids, "query id", lambda _: None, notes)
    check_ids(doc_ids, "document id", lambda _: None, notes)
    run = Run(
        system=source.stem,
        query_ids=query_ids,
        doc_ids=doc_ids,
        offsets=offsets_of(query_codes, len(query_ids)),
        docs=doc_rows,
        scores=score_rows,
    )
    return Parsed(value=run, file=source.name, format="JSON run", notes=notes.collected)


_Place: TypeAlias = Callable[[], int | None]
"""Finds a line, where it is needed."""


def _check_id(value: str, what: str, line: _Place, name: str) -> None:
    """Refuse an id that no other file of rankings or judgements could hold."""
    reason = why_unwritable(value, what, opens_line=what == "query id")
    if reason:
        raise InputError(reason, file=name, line=line(), fix="Write ids without blanks, in all files that name it.")


def _number(score: Json, query: str, doc: str, line: _Place, name: str) -> float:
    if isinstance(score, bool) or not isinstance(score, int | float):
        reason = f"query {shown(query)}, document {shown(doc)}: expected a number, found "
        raise InputError(reason + json_type(score), file=name, line=line(), fix="Give numbers as scores.")
    return float(score)


T = TypeVar("T")

TREC_RUN = Layout(
    "run",
    {"query": "id", "sample": "id", "doc": "id", "rank": "rank", "score": "score", "tag": "id"},
    note_crlf=True,
)
"""The columns of a run or of samples."""


_MAX_RANK = 2**53
"""Whole numbers above it are not told apart."""


@reader
def read_rankings(
    file: FileInput | Source, *, multi_sample: bool | None = None, ties: TieOrder = "id"
) -> Parsed[Run] | Parsed[RankingSample]:
    """Read a run or a sample of rankings, whichever the file holds.

    Args:
        file: A path or ``(name, bytes)``: TREC, FairTREC or JSON ``{query: {doc: score}}``; plain
            or gzip'ed; or a Parquet table with columns query_id, doc_id, score.
        multi_sample: Whether column 2 names samples; None: it does where a query has more than
            one value there.
        ties: What orders tied scores of a run: "id", document ids descending as in trec_eval; "rank", its rank column.

    Returns:
        The noun with notes; ``lines`` holds the first line of each query.

    Raises:
        InputError: The file cannot be read; names file, line and reason.
    """
    source = as_source(file)
    if is_parquet(source):
        from fairviz.io.frames import columns_of_parquet, rankings_of_columns  # loaded for such files alone

        found = rankings_of_columns(columns_of_parquet(source), name="", multi_sample=multi_sample, ties=ties)
        return replace(found, format=found.format.replace("TREC", "Parquet"))
    head = head_of(source)
    if ties == "rank" and head.lstrip()[:1] == b"{":
        raise InputError("has no ranks that could decide among tied scores", file=source.name, fix=BY_ID)
    if head.lstrip()[:1] == b"{":
        return read_json_run(source)
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
def read_run(file: FileInput | Source) -> Parsed[Run]:
    """Read a file of one ranking per query.

    Raises:
        InputError: The file cannot be read, or holds several rankings per query.
    """
    parsed = read_rankings(file, multi_sample=None)
    if isinstance(parsed.value, Run):
        return _retyped(parsed, parsed.value)
    raise _several_rankings(parsed.file)


@reader
def read_ranked_run(file: FileInput | Source) -> Parsed[RankedRun]:
    """Read a run together with its rank column, for what goes by rank and not by score.

    Where a file has no usable ranks (JSON, FairTREC, a column that is constant, negative or no
    integers), ranks are 1, 2, … in the order of the scores; that is noted unless the format has no
    rank column.

    Raises:
        InputError: The file cannot be read, or holds several rankings per query.
    """
    source = as_source(file)
    head = head_of(source)
    if head.lstrip()[:1] == b"{" or is_fairtrec(head):
        parsed = read_run(source)
        return _retyped(parsed, RankedRun(run=parsed.value, ranks=counted_ranks(parsed.value)))
    notes = NoteBook(source.name)
    table = _table(source, notes)
    if _holds_samples(table):
        raise _several_rankings(source.name)
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
        notes.add("rank column cannot be used: ranks are counted in the order of the scores")
        ranks = counted_ranks(run)
    return replace(_retyped(parsed, RankedRun(run=run, ranks=ranks)), notes=notes.collected)


@reader
def read_samples(file: FileInput | Source) -> Parsed[RankingSample]:
    """Read a multi-sample file: column 2 is the sample, the rank decides.

    Raises:
        InputError: The file cannot be read, or its format has no samples.
    """
    parsed = read_rankings(file, multi_sample=True)
    if isinstance(parsed.value, RankingSample):
        return _retyped(parsed, parsed.value)
    reason = f"this {parsed.format} holds one ranking per query, not samples"
    raise InputError(reason, file=parsed.file, fix="Give samples in TREC's six columns.")


def _several_rankings(file: str) -> InputError:
    reason = "column 2 has several values within a query: a sample of rankings, not a run"
    return InputError(reason, file=file, fix="Give a run with one ranking per query.")


def counted_ranks(run: Run) -> IntArray:
    """Ranks 1, 2, … within each query."""
    return np.arange(run.docs.size) - np.repeat(run.offsets[:-1], np.diff(run.offsets)) + 1


def _table(source: Source, notes: NoteBook) -> Table:
    parts: list[Part] = []
    with closing(read_parts(source, TREC_RUN, notes)) as blocks:
        for part in blocks:
            if not parts:
                _refuse_early_repetition(part, source.name)
            parts.append(part)
    return gather(parts, TREC_RUN, source.name)


def _retyped(parsed: Parsed[object], value: T) -> Parsed[T]:
    return Parsed(value=value, file=parsed.file, format=parsed.format, notes=parsed.notes, lines=parsed.lines)


def _holds_samples(table: Table) -> bool:
    samples = table.ids["sample"]
    if len(samples.values) == 1:
        return False
    queries = table.ids["query"]
    starts = changes(queries.codes, samples.codes)
    pairs = queries.codes[starts].astype(np.int64) * len(samples.values) + samples.codes[starts]
    return np.unique(pairs).size > len(queries.values)


def _refuse_early_repetition(part: Part, name: str) -> None:
    """Fail after the first block of a file that repeats itself, not after its last."""
    copy = part._replace(ids=dict(part.ids), numbers=dict(part.numbers))
    table = gather([copy], TREC_RUN, name)
    queries, samples = table.ids["query"], table.ids["sample"]
    rankings = queries.codes.astype(np.int64) * len(samples.values) + samples.codes
    refuse_repeated_documents(table, rankings, name)
