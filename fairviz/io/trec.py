"""From the columns of a TREC file to a :class:`Run` or :class:`RankingSample`, and back to its lines."""

import math
import re
from collections.abc import Iterable
from typing import NamedTuple, TextIO, cast

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.ids import changes, check_ids, first_repeated, first_rows, offsets_of, score_order
from fairviz.io.names import is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.trec_table import Numbers, Table
from fairviz.kernels.lookup import alike
from fairviz.model import SCORE_SCALES, FloatArray, IndexArray, IntArray, RankingSample, Run, ScoreScale, TieOrder
from fairviz.numerals import count, plural

_NOT_FIRST = ("#", "{", "[", "\ufeff")
SCORES_DECIDE = "the scores decide (as trec_eval)"
_BLANKS = re.compile(r"[ \t\n\v\f\r\0]+")


def run_of_table(table: Table, notes: NoteBook, *, scores_decide: bool = True, ties: TieOrder = "id") -> Parsed[Run]:
    """The run in a TREC table: score decides, ties by document id descending or by rank.

    Args:
        table: Columns query, doc, rank, score, tag.
        notes: The notes so far.
        scores_decide: Whether notes speak of ties, and of scores that overrule ranks; else of
            ranks that overrule scores.
        ties: What orders tied scores.

    Raises:
        InputError: A document stands twice for a query, or ranks are to decide among ties and do not.
    """
    queries, docs = table.ids["query"], table.ids["doc"]
    refuse_repeated_documents(table, queries.codes, notes.file)
    scores, ranks = table.numbers["score"].astype(np.float64, copy=False), table.numbers["rank"]
    by_rank = ranks.astype(np.float64) if ties == "rank" else None
    order, n_tied = score_order(queries.codes, scores, docs.codes, docs.values, by_rank)
    rows = slice(None) if order is None else order
    if by_rank is not None:
        _refuse_undecided(table, by_rank, np.arange(scores.size)[rows], notes.file)
    if n_tied and order is not None and scores_decide:
        tied = _first_tied_row(queries.codes[rows], scores[rows], order)
        how = "by rank" if by_rank is not None else "by document id, descending (as trec_eval)"
        notes.add(f"{count(n_tied)} tied scores: ordered {how}", table.line(tied))
    decides = SCORES_DECIDE if scores_decide else "the ranks decide"
    _note_rank_order(table, decides, notes)
    note_identifiers(table, notes)
    run = Run(
        system=table.ids["tag"].values[0],
        query_ids=tuple(queries.values),
        doc_ids=docs.values,
        offsets=offsets_of(queries.codes[rows], len(queries.values)),
        docs=docs.codes[rows],
        scores=scores[rows],
        ties=ties,
    )
    return notes.parsed(run, "TREC run, ties by rank" if ties == "rank" else "TREC run", query_lines(table))


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


def refuse_repeated_documents(table: Table, rankings: IntArray | IndexArray, name: str) -> None:
    """Refuse a document that stands twice in a ranking.

    Args:
        table: The rows.
        rankings: Which ranking each row belongs to.
        name: Name of the file.

    Raises:
        InputError: Names the line, and the line where the document stood first.
    """
    docs = table.ids["doc"]
    repeated = first_repeated(pl.DataFrame({"ranking": rankings, "doc": docs.codes}))
    if repeated is None:
        return
    row, first = repeated
    reason = f"duplicate document {table.shown('doc', row)} for query {table.shown('query', row)}"
    reason += f" (first on line {table.line(first)})"
    raise InputError(reason, file=name, line=table.line(row), fix="Keep one line per query and document.")


def note_identifiers(table: Table, notes: NoteBook) -> None:
    """Refuse ids of a TREC table that could not be written again; note odd query ids, document ids and tags."""
    for code, query in enumerate(table.ids["query"].values):
        if query.startswith(_NOT_FIRST):
            fix = "Name the query otherwise: so begin comments, JSON and byte order marks."
            reason = why_unwritable(query, "query id", opens_line=True)
            raise InputError(reason, file=notes.file, line=table.line_of("query", code), fix=fix)
    for column, what in (("query", "query id"), ("doc", "document id")):
        check_ids(table.ids[column].values, what, lambda code, c=column: table.line_of(c, code), notes)
    queries = tuple(table.ids["query"].values)
    if "all" in queries:
        line = table.line_of("query", queries.index("all"))
        notes.add('query id "all" is the name of the aggregate row in other tools', line)
    if "tag" in table.ids:
        _note_tags(table, notes)


def query_lines(table: Table) -> dict[str, int]:
    """First line of each query."""
    queries = table.ids["query"]
    lines = table.lines[first_rows(queries.codes, len(queries.values))]
    return dict(zip(queries.values, lines.tolist(), strict=True))


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
        reason = why_unwritable(value, what, opens_line=opens_line)
        if reason:
            raise ValueError(reason)


def why_unwritable(value: str, what: str, *, opens_line: bool = False) -> str:
    """Why an identifier cannot stand in a table separated by blanks, "" where it can.

    Args:
        value: The identifier.
        what: What it identifies.
        opens_line: As :func:`check_writable` says.
    """
    if is_blank(value) or _BLANKS.search(value):
        return f"{what} '{shown(value)}' is blank or holds a blank: it cannot stand in a TREC file"
    if opens_line and value.startswith(_NOT_FIRST):
        return f"{what} '{shown(value)}' cannot stand first on a line of a TREC file"
    return ""


def tag_of(system: str) -> str:
    """A system's name as a run tag: blanks that end a column become underscores."""
    tag = "_".join(part for part in _BLANKS.split(system) if part)
    return "run" if is_blank(tag) else tag


def _note_tags(table: Table, notes: NoteBook) -> None:
    tags = table.ids["tag"].values
    if len(tags) > 1:
        names = ", ".join(shown(tag, 20) for tag in tags[:3]) + (", …" if len(tags) > 3 else "")
        message = f"more than one run tag ({names}): the first names the system"
        notes.add(message, table.line_of("tag", 1))
    for code, tag in enumerate(tags):
        if ("/" in tag.split(";")[0] and not tag.startswith("<")) or "\\" in tag:
            line = table.line_of("tag", code)
            notes.add(f"run tag looks like a path: {shown(tag)}", line, kind="path tag")
    check_ids(tags, "run tag", lambda code: table.line_of("tag", code), notes)


BY_ID = "Leave out ties=rank: document ids then decide, as in trec_eval."
"""How to read a run whose ranks cannot decide."""


def _refuse_undecided(table: Table, ranks: FloatArray, order: IntArray, name: str) -> None:
    """Refuse ranks that are none, or are those of another document of the same query and score."""
    if np.isnan(ranks).any():
        line = table.line(int(np.argmax(np.isnan(ranks))))
        raise InputError("rank is not a whole number", file=name, line=line, fix=BY_ID)
    queries = table.ids["query"]
    columns = (queries.codes[order], table.numbers["score"][order], ranks[order])
    equal = np.flatnonzero(np.all([column[1:] == column[:-1] for column in columns], axis=0))
    if equal.size:
        first, line = sorted(table.lines[order[equal[0] : equal[0] + 2]].tolist())
        query = table.shown("query", int(order[equal[0]]))
        raise InputError(f"rank and score of query {query} stand on line {first}, too", file=name, line=line, fix=BY_ID)


def _first_tied_row(queries: IndexArray, scores: FloatArray, rows: IntArray) -> int:
    """The first row of the file whose score another one of its query has; all in ranked order."""
    equal = np.flatnonzero((queries[1:] == queries[:-1]) & (scores[1:] == scores[:-1]))
    return int(np.minimum(rows[equal + 1], rows[equal]).min())


def _note_rank_order(table: Table, decides: str, notes: NoteBook) -> None:
    """Say where ranks tell another order than scores, and which counts; ranks that are none are noted already."""
    queries, scores, ranks = table.ids["query"], table.numbers["score"], table.numbers["rank"]
    if np.isnan(ranks).any():
        return
    n_queries = len(queries.values)
    if (ranks == ranks[0]).all():  # equal ranks tell no order
        if ranks.size > n_queries:
            notes.add("rank column is constant: the scores decide")
    elif n_disagreeing := _n_disagreeing(queries.codes, scores, ranks):
        which = f"{count(n_disagreeing)} of {plural(n_queries, 'query', 'queries')}"
        notes.add(f"rank order and score order disagree for {which}: {decides}")


def _n_disagreeing(queries: IndexArray, scores: Numbers, ranks: Numbers) -> int:
    """Queries in which a line with a lower score has a better rank."""
    same = queries[1:] == queries[:-1]
    agree = ~same | ((ranks[1:] > ranks[:-1]) & (scores[1:] <= scores[:-1]))
    if agree.all() and (queries[1:] >= queries[:-1]).all():
        return 0
    rows = pl.DataFrame({"query": queries, "score": scores, "rank": ranks})
    rows = rows.sort("query", "score", "rank", descending=[False, True, False])
    return rows.filter(pl.col("rank") < pl.col("rank").shift().over("query"))["query"].n_unique()


_POLICY = re.compile(
    r"(?P<system>.+?);policy=(?P<policy>[^;=]+)(;alpha=(?P<alpha>[0-9.eE+-]+))?"
    rf"(;scores=(?P<scores>{'|'.join(SCORE_SCALES)}))?(;offset=(?P<offset>[01]))?"
)


class SampleTag(NamedTuple):
    """What a tag such as ``bm25;policy=plackett-luce;alpha=2;scores=zscore;offset=0`` says.

    The scale of the scores and the offset of the logits stand there where they are not "given" and 1.
    """

    system: str
    policy: str | None
    alpha: float | None
    scores: ScoreScale = "given"
    offset: float = 1.0


def parse_tag(tag: str) -> SampleTag:
    """System, policy, α, score scale and offset of a run tag.

    Examples:
        >>> parse_tag("bm25;policy=plackett-luce;alpha=2;scores=ranks")
        SampleTag(system='bm25', policy='plackett-luce', alpha=2.0, scores='ranks', offset=1.0)
        >>> parse_tag("bm25")
        SampleTag(system='bm25', policy=None, alpha=None, scores='given', offset=1.0)
    """
    match = _POLICY.fullmatch(tag)
    if match is None or is_blank(match["system"]) or is_blank(match["policy"]):
        return SampleTag(tag, None, None)
    try:
        alpha = None if match["alpha"] is None else float(match["alpha"])
    except ValueError:
        return SampleTag(tag, None, None)
    if alpha is not None and not math.isfinite(alpha):
        return SampleTag(tag, None, None)
    scores = cast("ScoreScale", match["scores"] or "given")
    return SampleTag(match["system"], match["policy"], alpha, scores, float(match["offset"] or 1))


def format_tag(tag: SampleTag) -> str:
    """The tag that :func:`parse_tag` reads.

    Examples:
        >>> format_tag(SampleTag("bm25", "plackett-luce", 2.0))
        'bm25;policy=plackett-luce;alpha=2'
        >>> format_tag(SampleTag("bm25", "plackett-luce", 2.0, "zscore", 0.0))
        'bm25;policy=plackett-luce;alpha=2;scores=zscore;offset=0'
    """
    if tag.policy is None:
        return tag_of(tag.system)
    alpha = "" if tag.alpha is None else f";alpha={tag.alpha:.17g}"
    scores = "" if tag.scores == "given" else f";scores={tag.scores}"
    offset = "" if tag.offset == 1 else f";offset={tag.offset:g}"
    return f"{tag_of(tag.system)};policy={tag_of(tag.policy)}{alpha}{scores}{offset}"


def sample_of_table(table: Table, notes: NoteBook, *, tag: str, file_format: str) -> Parsed[RankingSample]:
    """The samples in a table: column "sample" names the sample, "rank" decides.

    Samples of a query stand in file order.

    Args:
        table: Columns query, sample, doc, rank.
        notes: The notes so far.
        tag: The run tag; may name policy and α.
        file_format: The format, for people.

    Raises:
        InputError: A rank is no number, or a document stands twice in a sample.
    """
    queries, docs = table.ids["query"], table.ids["doc"]
    ranks = table.numbers["rank"]
    if np.isnan(ranks).any():
        row = int(np.argmax(np.isnan(ranks)))
        fix = "Number the ranks 1, 2, …; in a multi-sample file the rank decides."
        raise InputError("rank is not a number", file=notes.file, line=table.line(row), fix=fix)
    ranking_codes, firsts = alike(pl.DataFrame({"query": queries.codes, "sample": table.ids["sample"].codes}))
    rankings, ranking_queries = ranking_codes.astype(np.int64), queries.codes[firsts]
    refuse_repeated_documents(table, rankings, notes.file)
    equal = (rankings[1:] == rankings[:-1]) & (ranks[1:] == ranks[:-1])
    if equal.any():
        message = "equal ranks within a sample: the order of lines decides"
        notes.add(message, table.line(int(np.argmax(equal)) + 1), count=int(equal.sum()))
    note_identifiers(table, notes)
    order = _reading_order(rankings, ranking_queries, ranks)
    if order is not None:
        rankings, codes = rankings[order], docs.codes[order]
    else:
        codes = docs.codes
    place = np.argsort(ranking_queries, kind="stable")
    bounds = np.append(changes(rankings), rankings.size).astype(np.int64)
    parsed = parse_tag(tag)
    sample = RankingSample(
        **parsed._asdict(),
        query_ids=tuple(queries.values),
        doc_ids=docs.values,
        query_offsets=offsets_of(ranking_queries[place], len(queries.values)),
        sample_offsets=bounds,
        docs=codes,
    )
    return notes.parsed(sample, file_format, query_lines(table))


def write_samples(sample: RankingSample, to: TextIO) -> None:
    """Write samples in TREC's six columns, sample numbers from 1 in column 2.

    The score falls with the rank, for tools that look at it.

    Args:
        sample: The rankings.
        to: An open text file.

    Raises:
        ValueError: An identifier is empty or holds a blank.
    """
    check_writable(sample.query_ids, "query id", opens_line=True)
    check_writable(sample.doc_ids, "document id")
    tag = format_tag(SampleTag(sample.system, sample.policy, sample.alpha, sample.scores, sample.offset))
    for q, query in enumerate(sample.query_ids):
        first = int(sample.query_offsets[q])
        for s in range(first, int(sample.query_offsets[q + 1])):
            start, end = int(sample.sample_offsets[s]), int(sample.sample_offsets[s + 1])
            n, number = end - start, s - first + 1
            to.writelines(
                f"{query} {number} {sample.doc_ids[doc]} {rank} {n - rank + 1} {tag}\n"
                for rank, doc in enumerate(sample.docs[start:end].tolist(), start=1)
            )


def _reading_order(rankings: IntArray, ranking_queries: IndexArray, ranks: Numbers) -> IntArray | None:
    """Order of rows by query, then sample, then rank; None where they stand in it."""
    by_query = (ranking_queries[1:] >= ranking_queries[:-1]).all()
    same = rankings[1:] == rankings[:-1]
    rising = (rankings[1:] > rankings[:-1]) | (same & (ranks[1:] >= ranks[:-1]))
    if by_query and rising.all():
        return None
    place = np.empty(ranking_queries.size, dtype=np.int64)
    place[np.argsort(ranking_queries, kind="stable")] = np.arange(ranking_queries.size)
    return np.lexsort((ranks, place[rankings]))
