"""From the columns of a multi-sample TREC file to a :class:`RankingSample`, and back."""

import re
from typing import NamedTuple, TextIO

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.columns import Numbers, Table
from fairviz.formats.notes import NoteBook, Parsed
from fairviz.formats.ordering import changes, offsets_of
from fairviz.formats.run_table import (
    check_writable,
    note_identifiers,
    query_lines,
    refuse_repeated_documents,
    tag_of,
)
from fairviz.model import IndexArray, IntArray, RankingSample

_POLICY = re.compile(r"(?P<system>.*?);policy=(?P<policy>[^;=]+)(;alpha=(?P<alpha>[0-9.eE+-]+))?")


class SampleTag(NamedTuple):
    """What a tag such as ``bm25;policy=plackett-luce;alpha=2`` says."""

    system: str
    policy: str | None
    alpha: float | None


def parse_tag(tag: str) -> SampleTag:
    """System, policy and α of a run tag.

    Examples:
        >>> parse_tag("bm25;policy=plackett-luce;alpha=2")
        SampleTag(system='bm25', policy='plackett-luce', alpha=2.0)
        >>> parse_tag("bm25")
        SampleTag(system='bm25', policy=None, alpha=None)
    """
    found = _POLICY.fullmatch(tag)
    if found is None:
        return SampleTag(tag, None, None)
    try:
        alpha = None if found["alpha"] is None else float(found["alpha"])
    except ValueError:
        return SampleTag(tag, None, None)
    return SampleTag(found["system"], found["policy"], alpha)


def format_tag(tag: SampleTag) -> str:
    """The tag that :func:`parse_tag` reads.

    Examples:
        >>> format_tag(SampleTag("bm25", "plackett-luce", 2.0))
        'bm25;policy=plackett-luce;alpha=2'
    """
    policy = "" if tag.policy is None else f";policy={tag_of(tag.policy)}"
    alpha = "" if tag.alpha is None or not policy else f";alpha={tag.alpha:.17g}"
    return f"{tag_of(tag.system)}{policy}{alpha}"


def sample_of_table(table: Table, book: NoteBook, *, tag: str, file_format: str) -> Parsed[RankingSample]:
    """The samples in a table: column "sample" names the sample, "rank" decides.

    Samples of a query stand in file order.

    Args:
        table: Columns query, sample, doc, rank.
        book: The notes so far.
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
        raise InputError("rank is not a number", file=book.file, line=table.line(row), fix=fix)
    rankings, ranking_queries = _rankings(table)
    refuse_repeated_documents(table, rankings, book.file)
    _note_equal_ranks(rankings, ranks, table, book)
    note_identifiers(table, book)
    order = _reading_order(rankings, ranking_queries, ranks)
    if order is not None:
        rankings, codes = rankings[order], docs.codes[order]
    else:
        codes = docs.codes
    place = np.argsort(ranking_queries, kind="stable")
    bounds = np.append(changes(rankings), rankings.size).astype(np.int64)
    told = parse_tag(tag)
    sample = RankingSample(
        system=told.system,
        policy=told.policy,
        alpha=told.alpha,
        query_ids=queries.values,
        doc_ids=docs.values,
        query_offsets=offsets_of(ranking_queries[place], len(queries.values)),
        sample_offsets=bounds,
        docs=codes,
    )
    return Parsed(
        value=sample,
        file=book.file,
        format=file_format,
        notes=book.notes,
        lines=query_lines(table),
    )


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
    tag = format_tag(SampleTag(sample.system, sample.policy, sample.alpha))
    for q, query in enumerate(sample.query_ids):
        first = int(sample.query_offsets[q])
        for s in range(first, int(sample.query_offsets[q + 1])):
            start, end = int(sample.sample_offsets[s]), int(sample.sample_offsets[s + 1])
            n, number = end - start, s - first + 1
            to.writelines(
                f"{query} {number} {sample.doc_ids[doc]} {rank} {n - rank + 1} {tag}\n"
                for rank, doc in enumerate(sample.docs[start:end].tolist(), start=1)
            )


def _rankings(table: Table) -> tuple[IntArray, IndexArray]:
    """The ranking of each row, numbered in file order, and the query of each ranking."""
    queries, samples = table.ids["query"], table.ids["sample"]
    starts = changes(queries.codes, samples.codes)
    pairs = queries.codes[starts].astype(np.int64) * len(samples.values) + samples.codes[starts]
    distinct, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    place = np.empty(distinct.size, dtype=np.int64)
    by_first = np.argsort(first)
    place[by_first] = np.arange(distinct.size)
    sizes = np.diff(np.append(starts, queries.codes.size))
    return np.repeat(place[inverse], sizes), queries.codes[starts[np.sort(first)]]


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


def _note_equal_ranks(rankings: IntArray, ranks: Numbers, table: Table, book: NoteBook) -> None:
    equal = (rankings[1:] == rankings[:-1]) & (ranks[1:] == ranks[:-1])
    if equal.any():
        message = "equal ranks within a sample: the order of lines decides"
        book.add(message, table.line(int(np.argmax(equal)) + 1), count=int(equal.sum()))
