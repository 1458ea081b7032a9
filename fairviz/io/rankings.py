"""Runs and samples of rankings in TREC's six columns, and the reader that finds out which it is.

``query Q0 document rank score tag``. In a run the score decides, ties by document id descending
(as trec_eval); in a multi-sample file column 2 names the sample, the rank decides and the score is
ignored (as expeval, https://github.com/diazf/expeval). Files of FairTREC and MS MARCO, JSON, tables with a header,
Parquet and frames in memory become such columns first.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TextIO, TypeAlias, TypeVar, cast

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.columns import LIST_DOC, LIST_QUERY, RANK, SAMPLE, SCORE, SYSTEM, Columns, read_of, same_id
from fairviz.io.json import Head
from fairviz.io.json_runs import dict_lists, json_lists, named_lists
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.io.trec import (
    Numbers,
    TrecTable,
    check_writable,
    format_tag,
    note_identifiers,
    parse_tag,
    query_lines,
    refuse_repeated_documents,
    tag_of,
    trec_table,
)
from fairviz.model import IndexArray, IntArray, RankingSample, Run, TieOrder
from fairviz.model.arrays import distinct_rows, encoded, first_repeated, offsets_of, segment_places

T = TypeVar("T")
Rankings: TypeAlias = Run | RankingSample

TREC_RUN = ("query", "sample", "doc", "rank", "score", "tag")
"""The columns of a run or of samples."""

BY_ID = "Leave out ties=rank: document ids then decide, as in trec_eval."
"""How to read a run whose ranks cannot decide."""

_MAX_RANK = 2**53
"""Whole numbers above it are not told apart."""


@reader
def read_rankings(source: Source, *, multi_sample: bool | None = None, ties: TieOrder = "id") -> Parsed[Rankings]:
    """Read a run or a sample of rankings, whichever the file holds.

    Args:
        source: A path or ``(name, bytes)``: TREC, FairTREC, MS MARCO or JSON ``{query: {doc: score}}``; plain or
            gzip'ed; or a table with a header (CSV, TSV, JSON Lines, Parquet) with columns query_id, doc_id, and score
            or rank.
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
    head, notes = Head(source), NoteBook(source.name)
    if head.is_json:
        parsed, system = json_lists(source, head, "score", partial(rankings_of_columns, ties=ties))
        return replace(parsed, value=replace(parsed.value, system=system, tag=system))
    if fairtrec_columns(head.raw):
        return _fairtrec(source, head.raw, notes, multi_sample=multi_sample)
    if is_marco(head.first):
        return _marco(source, len(head.first.split()), notes, ties=ties)
    table = trec_table(source, "run", TREC_RUN, notes)
    return _rankings(table, notes, multi_sample=multi_sample, ties=ties)


def run_of_dict(lists: Mapping[Any, Any], *, name: str = "", ties: TieOrder = "id") -> Parsed[Run]:
    """The run that ``{query: {document: score}}`` is, called ``name``, or "run".

    Raises:
        InputError: It is none, or its ranks are to decide among ties: it has none.
    """
    read = partial(rankings_of_columns, name=name or "run", ties=ties)
    return cast("Parsed[Run]", dict_lists(lists, name, "score", read))


def _rankings(
    table: TrecTable, notes: NoteBook, *, multi_sample: bool | None = None, ties: TieOrder = "id"
) -> Parsed[Rankings]:
    """The run or the sample in the columns of TREC."""
    tag = table.ids["tag"].values[0]
    if _holds_samples(table) if multi_sample is None else multi_sample:
        return _sample(table, notes, tag=tag, label="TREC multi-sample run")
    label = "TREC run, ties by rank" if ties == "rank" else "TREC run"
    return _run(table, notes, system=tag, label=label, ties=ties)


@reader
def read_run(source: Source) -> Parsed[Run]:
    """Read a file of one ranking per query.

    Raises:
        InputError: The file cannot be read, or holds several rankings per query, or several systems.
    """
    parsed = only_system(read_rankings(source))
    if isinstance(parsed.value, Run):
        return replace(cast("Parsed[Run]", parsed), more=())
    raise _several_rankings(parsed.file)


@reader
def read_ranked_run(source: Source) -> Parsed[Run]:
    """Read a run in the order of its rank column, for what goes by rank: scores are −rank, equal ranks by their score.

    Where a file has no usable ranks (JSON, FairTREC, a column that is constant, negative or no integers) or no scores
    beside them (MS MARCO), ranks are 1, 2, … in the order of the scores; that is noted unless the format has no rank
    column.

    Raises:
        InputError: The file cannot be read, or holds several rankings per query, or several systems.
    """
    head, columns = Head(source), named_lists(source)
    if columns is not None:
        with columns.named():
            tables = _tables_of(columns, unnamed=source.stem)
            parsed, *others = [_run_by_rank(table, columns.notes) for table in tables]
            return only_system(replace(read_of(columns, parsed), more=tuple(others)))
    if head.is_json or fairtrec_columns(head.raw) or is_marco(head.first):
        parsed = read_run(source)
        return replace(parsed, value=replace(parsed.value, scores=-counted_ranks(parsed.value).astype(np.float64)))
    notes = NoteBook(source.name)
    return _run_by_rank(trec_table(source, "run", TREC_RUN, notes), notes)


def _run_by_rank(table: TrecTable, notes: NoteBook) -> Parsed[Run]:
    """The run in the columns of TREC in the order of its ranks, or of its scores where these cannot be used.

    Raises:
        InputError: It holds several rankings per query.
    """
    if _holds_samples(table):
        raise _several_rankings(notes.file)
    ranks = table.numbers["rank"].astype(np.float64)
    constant = ranks.size > len(table.ids["query"].values) and bool((ranks == ranks[0]).all())
    whole = (ranks == np.floor(ranks)) & (ranks >= 0) & (ranks <= _MAX_RANK)  # not NaN either
    usable = not constant and bool(whole.all())
    parsed = _run(table, notes, system=table.ids["tag"].values[0], label="TREC run", scores_decide=not usable)
    if not usable and not np.isnan(ranks).all():  # else there is no such column
        notes.add("rank column cannot be used: ranks are counted in the order of the scores")
    rows = np.arange(ranks.size)[_ranked_order(table)[0]]
    if usable:
        rows = rows[np.lexsort((ranks[rows], table.ids["query"].codes[rows]))]
    scores = -ranks[rows] if usable else -counted_ranks(parsed.value).astype(np.float64)
    run = replace(parsed.value, docs=table.ids["doc"].codes[rows], scores=scores)
    return replace(parsed, value=run, notes=notes.collected)


def _several_rankings(file: str) -> InputError:
    reason = "column 2 has several values within a query: a sample of rankings, not a run"
    return InputError(reason, file=file, fix="Give a run with one ranking per query.")


def counted_ranks(run: Run) -> IntArray:
    """Ranks 1, 2, … within each query."""
    return segment_places(run.offsets) + 1


def _holds_samples(table: TrecTable) -> bool:
    queries, samples = table.ids["query"], table.ids["sample"]
    if len(samples.values) == 1:
        return False
    _, firsts = distinct_rows(pl.DataFrame({"query": queries.codes, "sample": samples.codes}))
    return firsts.size > len(queries.values)


# FairTREC submissions: ``id [seq_no] page_id`` under that header, ranked by line order.
#
# The format of the TREC Fair Ranking track 2022 (https://fair-trec.github.io): task 1 has one ranking
# per topic, task 2 a sequence of rankings numbered by ``seq_no``.


_FAIRTREC = {b"id": "query", b"seq_no": "sample", b"page_id": "doc"}


def fairtrec_columns(head: bytes) -> list[str]:
    r"""What the columns of a FairTREC file hold, in the order of its header; nothing where a file has another.

    Examples:
        >>> [fairtrec_columns(header) for header in (b"id\tpage_id\nq1\td1", b"page_id id", b"page_id region")]
        [['query', 'doc'], ['doc', 'query'], []]
    """
    names = head.partition(b"\n")[0].split()
    is_header = {b"id", b"page_id"} <= {*names} <= _FAIRTREC.keys() and len({*names}) == len(names)
    return [_FAIRTREC[name] for name in names] if is_header else []


def _fairtrec(source: Source, head: bytes, notes: NoteBook, *, multi_sample: bool | None) -> Parsed[Rankings]:
    """The rankings of a FairTREC file, whose scores are n − rank; with several ``seq_no`` in a topic they are a sample.

    Raises:
        InputError: A line that is no row, or a page twice in a ranking.
    """
    table = trec_table(source, "FairTREC run", fairtrec_columns(head), notes)
    table.numbers["rank"] = np.arange(table.lines.size)
    if "sample" in table.ids and (_holds_samples(table) if multi_sample is None else multi_sample):
        return _sample(table, notes, tag=source.stem, label="FairTREC run, several rankings per topic")
    queries = pl.DataFrame({"query": table.ids["query"].codes})
    table.numbers["rank"] = queries.select(pl.int_range(1, pl.len() + 1).over("query")).to_series().to_numpy()
    table.numbers["score"] = _scores_of_ranks(table)
    return _run(table, notes, system=source.stem, label="FairTREC run")


# MS MARCO's runs: ``query document rank``, and a score where the file has one, which then decides.


def is_marco(line: str) -> bool:
    """Whether a first line is of an MS MARCO run; with a score only where it can be no line of judgements.

    Examples:
        >>> is_marco("q1 d7 1"), is_marco("q1 d7 1 12.5"), is_marco("q1 0 d7 1"), is_marco("d7 north 0.5")
        (True, True, False, False)
    """
    cells = line.split()
    if len(cells) == 4:  # a fraction is no grade
        return cells[2] in ("0", "1") and re.fullmatch(r"[+-]?[0-9]*\.[0-9]*[1-9][0-9]*", cells[3]) is not None
    return len(cells) == 3 and cells[2].isascii() and cells[2].isdecimal()


def _marco(source: Source, n_columns: int, notes: NoteBook, *, ties: TieOrder) -> Parsed[Run]:
    """The run in columns of MS MARCO.

    Raises:
        InputError: A rank is no number, none is the first, or one stands twice where ranks decide.
    """
    table = trec_table(source, "MS MARCO run", ("query", "doc", "rank", "score")[:n_columns], notes)
    _refuse_no_rank(table, notes.file)
    if (least := table.numbers["rank"].min()) > 1:
        fix = "Write MS MARCO's columns, query document rank, or FairTREC's with their header, id seq_no page_id."
        raise notes.wrong(f"no rank in column 3 is 1: the smallest is {least:g}", fix, table.line(0))
    if n_columns == 3:
        table.numbers["score"] = _scores_of_ranks(table)
    parsed = _run(table, notes, system=source.stem, label="MS MARCO run", ties=ties)
    ranks = pl.DataFrame({"query": table.ids["query"].codes, "rank": table.numbers["rank"]})
    repeated = first_repeated(ranks) if n_columns == 3 else None
    if repeated is not None:  # grades in the place of ranks
        query, rank = ranks.row(repeated[0])
        reason = f"rank {rank:g} of query {shown(table.ids['query'].values[query])} stands on line "
        fix = "Number the ranks of a query 1, 2, …; judgements have four columns, query 0 document grade, or a header."
        raise notes.wrong(reason + f"{table.line(repeated[1])}, too", fix, table.line(repeated[0]))
    return parsed


def _scores_of_ranks(table: TrecTable) -> Numbers:
    """(M) scores n − rank of rows that have ranks alone, n being the last rank of the query."""
    rows = pl.DataFrame({"query": table.ids["query"].codes, "rank": table.numbers["rank"]})
    return rows.select(pl.col("rank").max().over("query") - pl.col("rank")).to_series().to_numpy()


def _refuse_no_rank(table: TrecTable, file: str) -> None:
    """Refuse a row without a rank, where ranks decide."""
    ranks = table.numbers["rank"]
    for row in np.flatnonzero(~np.isfinite(ranks))[:1].tolist():
        reason = "rank is not a number" if np.isnan(ranks[row]) else "rank overflows to infinity"
        fix = "Number the ranks 1, 2, …: in this file they decide."
        raise InputError(reason, file=file, line=table.line(row), fix=fix)


# Tables by the names of their columns.


def rankings_of_columns(
    columns: Columns, *, name: str = "", unnamed: str = "run", multi_sample: bool | None = None, ties: TieOrder = "id"
) -> Parsed[Rankings]:
    """The runs, or the samples of rankings, that a table holds: those of its first system, of others in ``more``.

    Columns: query_id (or qid, as PyTerrier has it), doc_id (docno), score, and any of rank, sample, system. In a run
    the score decides, ties by document id descending, as in a file, or without scores the rank; in a sample the rank,
    or without one the order of the rows.

    Args:
        columns: The table.
        name: Name of the system; without, those of a column system.
        unnamed: Its name where neither says it.
        multi_sample: Whether a column ``sample`` names samples; None: where there is one.
        ties: What orders tied scores of a run: document ids, or the column rank.

    Raises:
        InputError: A column is missing, a cell is none of its kind, a document stands twice for a query.
    """
    with columns.named():
        sampled = columns.find(SAMPLE) is not None
        if multi_sample:
            columns.need(SAMPLE, "samples")
        samples = sampled if multi_sample is None else multi_sample
        read: list[Parsed[Rankings]] = []
        for table in _tables_of(columns, unnamed=unnamed):
            table.ids["tag"] = same_id(table.lines.size, name) if name else table.ids["tag"]
            notes = NoteBook(columns.file) if read else columns.notes
            parsed = _rankings(table, notes, multi_sample=samples, ties=ties)
            read.append(read_of(columns, parsed))
    return replace(read[0], more=tuple(read[1:]))


def only_system(parsed: Parsed[T]) -> Parsed[T]:
    """The rankings of a table that holds those of one system.

    Raises:
        InputError: It holds several.
    """
    if parsed.more:
        names = [shown(cast("Run", each.value).system) for each in parsed.every]
        named = ", ".join([*names[:3], *(["…"] if len(names) > 3 else [])])
        reason = f"one system's rankings are needed: it holds {len(names)} ({named})"
        raise InputError(reason, file=parsed.file, fix="Keep the rows of one.")
    return parsed


def _tables_of(columns: Columns, *, unnamed: str) -> list[TrecTable]:
    """The rows of each system in TREC's columns; ranks are NaN without a column, of samples the order of the rows."""
    n = columns.table.height
    ids = {
        "query": columns.ids(columns.need(LIST_QUERY, "queries"), "query id", opens_line=True),
        "doc": columns.ids(columns.need(LIST_DOC, "documents"), "document id"),
    }
    sampled, ranked, scored, system = (columns.find(names) for names in (SAMPLE, RANK, SCORE, SYSTEM))
    numbers: dict[str, Numbers] = {}
    if scored is not None or (sampled is None and ranked is None):
        numbers["score"] = columns.numbers(SCORE, "scores")
    numbers["rank"] = np.arange(n) + 1.0 if sampled else np.full(n, np.nan)
    if ranked is not None:
        numbers["rank"] = columns.numbers(RANK, "ranks")
    ids["tag"] = encoded(columns.texts(system)) if system else same_id(n, unnamed)
    ids["sample"] = columns.ids(sampled, "sample") if sampled else same_id(n, "0")
    tables = _by_system(TrecTable(ids, numbers, columns.rows))
    for table in tables if "score" not in numbers else ():
        _refuse_no_rank(table, columns.file)
        table.numbers["score"] = _scores_of_ranks(table)
    return tables


def _by_system(table: TrecTable) -> list[TrecTable]:
    """The rows of each system that a column names, in the order in which they first appear."""
    tags = table.ids["tag"]
    if len(tags.values) == 1:
        return [table]
    parts: list[TrecTable] = []
    for code in range(len(tags.values)):
        rows = np.flatnonzero(tags.codes == code)
        ids = {name: encoded(column.values.column.gather(column.codes[rows])) for name, column in table.ids.items()}
        parts.append(TrecTable(ids, {name: own[rows] for name, own in table.numbers.items()}, table.lines[rows]))
    return parts


# From the columns of TREC to nouns.

SCORES_DECIDE = "the scores decide (as trec_eval)"


def _run(
    table: TrecTable, notes: NoteBook, *, system: str, label: str, scores_decide: bool = True, ties: TieOrder = "id"
) -> Parsed[Run]:
    """The run in the columns of TREC: score decides, ties by document id descending or by rank.

    Args:
        table: Columns query, doc, rank, score, and perhaps tag.
        notes: The notes so far.
        system: Name of the system.
        label: The format found.
        scores_decide: Whether notes speak of ties, and of scores that overrule ranks; else of
            ranks that overrule scores.
        ties: What orders tied scores.

    Raises:
        InputError: A document stands twice for a query, or ranks are to decide among ties and do not.
    """
    queries, docs = table.ids["query"], table.ids["doc"]
    refuse_repeated_documents(table, queries.codes, notes.file)
    rows, n_tied = _ranked_order(table, ties)
    scores = table.numbers["score"].astype(np.float64, copy=False)[rows]
    ranked_queries = queries.codes[rows]
    if ties == "rank":
        _refuse_undecided(table, np.arange(scores.size)[rows], notes.file)
    if n_tied and scores_decide:
        equal = np.flatnonzero((ranked_queries[1:] == ranked_queries[:-1]) & (scores[1:] == scores[:-1]))
        of_file = np.arange(scores.size)[rows]
        tied = int(np.minimum(of_file[equal + 1], of_file[equal]).min())
        how = "by rank" if ties == "rank" else "by document id, descending (as trec_eval)"
        notes.tally(f"{{n}} tied scores: ordered {how}", n_tied, line=table.line(tied))
    _note_rank_order(table, SCORES_DECIDE if scores_decide else "the ranks decide", notes)
    note_identifiers(table, notes)
    run = Run(
        system=system,
        query_ids=tuple(queries.values),
        doc_ids=docs.values,
        offsets=offsets_of(ranked_queries, len(queries.values)),
        docs=docs.codes[rows],
        scores=scores,
        ties=ties,
    )
    return notes.parsed(run, label, query_lines(table))


def _ranked_order(table: TrecTable, ties: TieOrder = "id") -> tuple[IntArray | slice, int]:
    """Ranked order: by query, score descending, ties by rank where that decides, else by document id descending.

    Ids are compared by code point, which is the byte order of UTF-8 and trec_eval's order.

    Returns:
        The rows in that order, all of them as they are where they stand in it already; and how many rows are tied.
    """
    queries, scores, docs = table.ids["query"].codes, table.numbers["score"], table.ids["doc"].codes
    order: IntArray | slice = slice(None)
    same = queries[1:] == queries[:-1]
    falling = (queries[1:] > queries[:-1]) | (same & (scores[1:] <= scores[:-1]))
    if not falling.all():
        order = np.lexsort((-scores, queries))
        queries, scores, docs = queries[order], scores[order], docs[order]
        same = queries[1:] == queries[:-1]
    equal = same & (scores[1:] == scores[:-1])
    if not equal.any():
        return order, 0
    rows = np.flatnonzero(np.concatenate([[False], equal]) | np.concatenate([equal, [False]]))
    tie = np.cumsum(~np.concatenate([[False], equal])[rows])
    if ties == "rank":
        ranks = table.numbers["rank"][order][rows]
    else:
        tied, names = np.unique(docs[rows]), table.ids["doc"].values
        places = np.zeros(len(names), dtype=np.int64)
        places[tied] = names.column.gather(tied).rank("ordinal", descending=True).to_numpy()
        ranks = places[docs[rows]]
    ranked = np.arange(queries.size)[order]
    ranked[rows] = ranked[rows[np.lexsort((ranks, tie))]]
    return ranked, rows.size


def _refuse_undecided(table: TrecTable, order: IntArray, name: str) -> None:
    """Refuse ranks that are none, or are those of another document of the same query and score."""
    ranks = table.numbers["rank"]
    if np.isnan(ranks).any():
        line = table.line(int(np.argmax(np.isnan(ranks))))
        raise InputError("no rank, or none that is a whole number", file=name, line=line, fix=BY_ID)
    queries = table.ids["query"]
    columns = (queries.codes[order], table.numbers["score"][order], ranks[order])
    equal = np.flatnonzero(np.all([column[1:] == column[:-1] for column in columns], axis=0))
    if equal.size:
        first, line = sorted(table.lines[order[equal[0] : equal[0] + 2]].tolist())
        query = table.shown("query", int(order[equal[0]]))
        raise InputError(f"rank and score of query {query} stand on line {first}, too", file=name, line=line, fix=BY_ID)


def _note_rank_order(table: TrecTable, decides: str, notes: NoteBook) -> None:
    """Say where ranks tell another order than scores, and which counts; ranks that are none are noted already."""
    queries, scores, ranks = table.ids["query"], table.numbers["score"], table.numbers["rank"]
    if np.isnan(ranks).any():
        return
    n_queries = len(queries.values)
    constant = bool((ranks == ranks[0]).all())  # equal ranks tell no order
    if ranks.size > n_queries:
        notes.tally("rank column is constant: the scores decide", constant * ranks.size, ranks.size, shown="all")
    n_disagreeing = 0 if constant else _n_disagreeing(queries.codes, scores, ranks)
    disagree = f"rank order and score order disagree for {{n}} of {{of_queries}}: {decides}"
    notes.tally(disagree, n_disagreeing, n_queries)


def _n_disagreeing(queries: IndexArray, scores: Numbers, ranks: Numbers) -> int:
    """Queries in which a line with a lower score has a better rank."""
    same = queries[1:] == queries[:-1]
    agree = ~same | ((ranks[1:] > ranks[:-1]) & (scores[1:] <= scores[:-1]))
    if agree.all() and (queries[1:] >= queries[:-1]).all():
        return 0
    rows = pl.DataFrame({"query": queries, "score": scores, "rank": ranks})
    rows = rows.sort("query", "score", "rank", descending=[False, True, False])
    return rows.filter(pl.col("rank") < pl.col("rank").shift().over("query"))["query"].n_unique()


def _sample(table: TrecTable, notes: NoteBook, *, tag: str, label: str) -> Parsed[RankingSample]:
    """The samples in the columns of TREC: column "sample" names the sample, "rank" decides.

    Samples of a query stand in file order.

    Args:
        table: Columns query, sample, doc, rank.
        notes: The notes so far.
        tag: The run tag; may name policy and α.
        label: The format found.

    Raises:
        InputError: A rank is no number, or a document stands twice in a sample.
    """
    queries, docs = table.ids["query"], table.ids["doc"]
    ranks = table.numbers["rank"]
    _refuse_no_rank(table, notes.file)
    rankings, firsts = distinct_rows(pl.DataFrame({"query": queries.codes, "sample": table.ids["sample"].codes}))
    ranking_queries = queries.codes[firsts]
    refuse_repeated_documents(table, rankings, notes.file)
    equal = (rankings[1:] == rankings[:-1]) & (ranks[1:] == ranks[:-1])
    if equal.any():
        message = "equal ranks within a sample: the order of lines decides"
        notes.add(message, table.line(int(np.argmax(equal)) + 1), count=int(equal.sum()))
    note_identifiers(table, notes)
    by_query = np.argsort(ranking_queries, kind="stable")
    rows = _reading_order(rankings, by_query, ranks)
    ranked = rankings[rows]
    starts = np.flatnonzero(ranked[1:] != ranked[:-1]) + 1
    sample = RankingSample(
        **parse_tag(tag),
        query_ids=tuple(queries.values),
        doc_ids=docs.values,
        query_offsets=offsets_of(ranking_queries[by_query], len(queries.values)),
        sample_offsets=np.concatenate([[0], starts, [rankings.size]]),
        docs=docs.codes[rows],
    )
    return notes.parsed(sample, label, query_lines(table))


def _reading_order(rankings: IndexArray, by_query: IntArray, ranks: Numbers) -> IntArray | slice:
    """The rows by query, then sample, then rank; all of them as they are where they stand in that order.

    Args:
        rankings: (M) the ranking of each row, numbered in the order of the file.
        by_query: The rankings in the order of their queries.
        ranks: (M) rank of each row.
    """
    same = rankings[1:] == rankings[:-1]
    rising = (rankings[1:] > rankings[:-1]) | (same & (ranks[1:] >= ranks[:-1]))
    if (by_query[1:] > by_query[:-1]).all() and rising.all():
        return slice(None)
    return np.lexsort((ranks, np.argsort(by_query)[rankings]))


# Back to lines.


def write_run(run: Run, to: TextIO) -> None:
    """Write a run in TREC's six columns; :func:`read_run` gives it back.

    Args:
        run: The run.
        to: An open text file.

    Raises:
        ValueError: An identifier is empty or holds a blank.
    """
    check_writable(run)
    tag = tag_of(run.system)
    rows = run.to_polars().select("query_id", "doc_id", "rank", "score").iter_rows()
    to.writelines(f"{query} Q0 {doc} {rank} {score!r} {tag}\n" for query, doc, rank, score in rows)


def write_samples(sample: RankingSample, to: TextIO) -> None:
    """Write samples in TREC's six columns, sample numbers from 1 in column 2.

    The score falls with the rank, for tools that look at it.

    Args:
        sample: The rankings.
        to: An open text file.

    Raises:
        ValueError: An identifier is empty or holds a blank.
    """
    check_writable(sample)
    tag = format_tag(sample)
    rows = sample.to_polars().with_columns(n=pl.len().over("query_id", "sample"))
    rows = rows.select("query_id", "sample", "doc_id", "rank", score=pl.col("n") - pl.col("rank") + 1).iter_rows()
    to.writelines(f"{query} {number} {doc} {rank} {score} {tag}\n" for query, number, doc, rank, score in rows)
