"""The one alignment of rankings and judgements.

The pool of a query is the items that were ranked for it and the items that were judged for it (DESIGN 2.2). A sample
shows some of the items of the run that it was drawn from: the run's are its pool, so that its EE-D stands on the scale
of the exact policy. Everything downstream works on the arrays made here; :func:`find_rows` is the only join of ragged
tables that fairviz makes.
"""

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.compiled import kernel
from fairviz.lookup import positions, union
from fairviz.model import FloatArray, IndexArray, IntArray, Pools, Qrels, RankingSample, Run
from fairviz.model.arrays import segment_ids

Queries: TypeAlias = Literal["judged", "ranked"]
"""Whose queries the pools are of."""

Members: TypeAlias = Literal["run+judged", "run"]
"""Whether judged items that were not ranked belong to the pool."""


def lookup(ids: Sequence[str], index: Mapping[str, int]) -> IntArray:
    """Position of each id in an index, −1 where it has none."""
    return np.fromiter(map(index.get, ids, repeat(-1)), dtype=np.int64, count=len(ids))


@kernel(exact=True)
def distinct_per_segment(docs: IndexArray, offsets: IntArray, n_docs: int) -> tuple[IndexArray, IntArray]:
    """Distinct documents of each segment in order of first appearance, with their offsets."""
    seen_in = np.full(n_docs, -1, dtype=np.int64)
    distinct = np.empty(docs.size, dtype=np.int32)
    distinct_offsets = np.zeros(offsets.size, dtype=np.int64)
    n = 0
    for segment in range(offsets.size - 1):
        for row in range(offsets[segment], offsets[segment + 1]):
            if seen_in[docs[row]] != segment:
                seen_in[docs[row]] = segment
                distinct[n] = docs[row]
                n += 1
        distinct_offsets[segment + 1] = n
    return distinct[:n].copy(), distinct_offsets


@kernel(exact=True)
def find_rows(queries: IntArray, docs: IndexArray, pool_docs: IndexArray, offsets: IntArray, n_docs: int) -> IntArray:
    """Pool row of each (query, document) pair, −1 where the pool lacks it.

    ``queries`` must not fall, so that one table of documents serves each query in turn.
    """
    row_of = np.full(n_docs, -1, dtype=np.int64)
    rows = np.full(docs.size, -1, dtype=np.int64)
    current = -1
    for i in range(docs.size):
        if queries[i] < 0 or docs[i] < 0:
            continue
        if queries[i] != current:
            if current >= 0:
                for row in range(offsets[current], offsets[current + 1]):
                    row_of[pool_docs[row]] = -1
            current = queries[i]
            for row in range(offsets[current], offsets[current + 1]):
                row_of[pool_docs[row]] = row
        rows[i] = row_of[docs[i]]
    return rows


class RankedLists(NamedTuple):
    """Rankings as rows of pools: one row per rank of each ranking.

    Attributes:
        rows: (N) pool row at each rank, best first.
        offsets: (R+1) ranks of each ranking.
        queries: (R) query of each ranking, never falling.
    """

    rows: IntArray
    offsets: IntArray
    queries: IntArray


def pool(
    ranked: Run | RankingSample,
    qrels: Qrels | None,
    *,
    members: Members = "run+judged",
    queries: Queries = "judged",
) -> Pools:
    """Align one system's rankings with the judgements.

    Args:
        ranked: The scored run, or sampled rankings (scores then unknown, NaN). A sample stands in the pool
            of what it was drawn from, where that is known: its source's items, shown or not.
        qrels: Judgements; their queries are the queries of the result. None: the queries of
            ``ranked``, all gains 0. Where a document is judged for several subtopics its largest
            grade counts.
        members: "run+judged" (default) or "run" for ranked items only.
        queries: "judged" (default): those of the judgements, where there are any; "ranked": those
            of ``ranked``, for measures that need no judgements.

    Returns:
        Pools with ranked items first, best first. Queries of ``ranked`` without judgements are in
        ``unjudged_queries``; judged queries that ``ranked`` lacks have ``n_retrieved`` 0.
    """
    query_ids = ranked.query_ids
    if qrels is not None and queries == "judged":
        query_ids = qrels.query_ids
    query_index = {query: q for q, query in enumerate(query_ids)}
    doc_ids = ranked.doc_ids
    sources = [_listed(ranked, query_index)]
    if isinstance(ranked, RankingSample) and ranked.source is not None:
        doc_ids, codes = union(doc_ids, ranked.source.doc_ids)
        queries_of, docs = _listed(ranked.source, query_index)
        sources.append((queries_of, codes[docs]))
    codes = np.empty(0, dtype=np.int32)
    if qrels is not None and members == "run":
        codes = positions(qrels.doc_ids, doc_ids).astype(np.int32)
    elif qrels is not None:
        doc_ids, codes = union(doc_ids, qrels.doc_ids)
        judged_query = lookup(qrels.query_ids, query_index)[segment_ids(qrels.offsets)]
        of_judged = judged_query >= 0
        sources.append((judged_query[of_judged], codes[qrels.docs[of_judged]]))
    rows_query, rows_doc = _distinct_rows(sources, len(query_ids), len(doc_ids))
    offsets = np.searchsorted(rows_query, np.arange(len(query_ids) + 1)).astype(np.int64)
    n_retrieved = np.bincount(sources[0][0], minlength=len(query_ids))
    gains, judged = _judge(rows_query, rows_doc, offsets, qrels, query_index, codes, len(doc_ids))
    return Pools(
        query_ids=query_ids,
        doc_ids=doc_ids,
        offsets=offsets,
        docs=rows_doc,
        scores=_scores(ranked, query_index, offsets, rows_doc.size),
        gains=gains,
        judged=judged,
        n_retrieved=n_retrieved,
        unjudged_queries=tuple(query for query in ranked.query_ids if query not in query_index),
    )


def ranked_lists(ranked: Run | RankingSample, pools: Pools) -> RankedLists:
    """The rankings of one system, as rows of its pools.

    Args:
        ranked: A run is one ranking per query; a sample is as many as it holds.
        pools: Made from ``ranked``; queries that these lack are left out.
    """
    if isinstance(ranked, Run):
        filled = np.flatnonzero(pools.n_retrieved)
        sizes = pools.n_retrieved[filled]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        within = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], sizes)
        return RankedLists(np.repeat(pools.offsets[filled], sizes) + within, offsets, filled)
    query_index = {query: q for q, query in enumerate(pools.query_ids)}
    queries = np.repeat(lookup(ranked.query_ids, query_index), ranked.n_samples)
    order = np.argsort(queries, kind="stable")
    order = order[queries[order] >= 0]
    sizes = np.diff(ranked.sample_offsets)[order]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    within = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], sizes)
    docs = ranked.docs[np.repeat(ranked.sample_offsets[order], sizes) + within]
    codes = positions(ranked.doc_ids, pools.doc_ids).astype(np.int32)[docs]
    of_row = np.repeat(queries[order], sizes)
    rows = find_rows(of_row, codes, pools.docs, pools.offsets, len(pools.doc_ids))
    return RankedLists(rows, offsets, queries[order])


def cut_lists(lists: RankedLists, cutoff: int | None) -> RankedLists:
    """The first k ranks of every ranking; None = all."""
    if cutoff is None:
        return lists
    sizes = np.minimum(np.diff(lists.offsets), cutoff)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    within = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], sizes)
    cut_rows = np.repeat(lists.offsets[:-1], sizes) + within
    return RankedLists(lists.rows[cut_rows], offsets, lists.queries)


def _listed(ranked: Run | RankingSample, query_index: dict[str, int]) -> tuple[IntArray, IndexArray]:
    """(query, document) of each distinct ranked item, best first within a query."""
    if isinstance(ranked, Run):
        docs, offsets = ranked.docs, ranked.offsets
    else:
        docs, offsets = distinct_per_segment(
            ranked.docs, ranked.sample_offsets[ranked.query_offsets], len(ranked.doc_ids)
        )
    queries = lookup(ranked.query_ids, query_index)[segment_ids(offsets)]
    known = queries >= 0
    return queries[known], docs[known]


def _distinct_rows(
    sources: list[tuple[IntArray, IndexArray]], n_queries: int, n_docs: int
) -> tuple[IntArray, IndexArray]:
    """Union of the sources per query, earlier sources first."""
    queries = np.concatenate([query for query, _ in sources])
    docs = np.concatenate([doc for _, doc in sources])
    order = np.argsort(queries, kind="stable")
    offsets = np.searchsorted(queries[order], np.arange(n_queries + 1)).astype(np.int64)
    distinct, distinct_offsets = distinct_per_segment(docs[order], offsets, n_docs)
    return segment_ids(distinct_offsets), distinct


def _scores(ranked: Run | RankingSample, query_index: dict[str, int], offsets: IntArray, n_rows: int) -> FloatArray:
    scores = np.full(n_rows, np.nan)
    if isinstance(ranked, Run):
        put_rows(ranked.scores, ranked.offsets, lookup(ranked.query_ids, query_index), offsets, scores)
    return scores


@kernel(exact=True)
def put_rows(
    values: FloatArray, offsets: IntArray, queries: IntArray, pool_offsets: IntArray, into: FloatArray
) -> None:
    """Put the values of each ranked query where its rows begin in the pools; those of query −1 are left out."""
    for i in range(queries.size):
        if queries[i] >= 0:
            start = pool_offsets[queries[i]]
            for row in range(offsets[i], offsets[i + 1]):
                into[start + row - offsets[i]] = values[row]


def _judge(
    rows_query: IntArray,
    rows_doc: IndexArray,
    offsets: IntArray,
    qrels: Qrels | None,
    query_index: dict[str, int],
    codes: IndexArray,
    n_docs: int,
) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Gain max(grade, 0) of each row and whether it was judged; ``codes`` are those of the judged documents."""
    gains = np.zeros(rows_doc.size)
    judged = np.zeros(rows_doc.size, dtype=np.bool_)
    if qrels is None:
        return gains, judged
    queries = lookup(qrels.query_ids, query_index)[segment_ids(qrels.offsets)]
    order = np.argsort(queries, kind="stable")
    rows = find_rows(queries[order], codes[qrels.docs[order]], rows_doc, offsets, n_docs)
    known = rows >= 0
    judged[rows[known]] = True
    grades = qrels.grades[order][known]
    np.maximum.at(gains, rows[known], np.maximum(grades, 0).astype(np.float64))
    return gains, judged
