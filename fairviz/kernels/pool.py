"""The one alignment of rankings and judgements.

The pool of a query is the items that were ranked for it and the items that were judged for it (DESIGN 2.2). A sample
shows some of the items of the run that it was drawn from: the run's are its pool, so that its EE-D stands on the scale
of the exact policy. Everything downstream works on the arrays made here; :func:`find_rows` is the only join of ragged
tables that fairviz makes.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fairviz.model import FloatArray, IndexArray, IntArray, Pools, Qrels, RankingSample, Run
from fairviz.model.arrays import offsets_of, positions, segment_ids, segment_rows, union

Queries: TypeAlias = Literal["judged", "ranked"]
"""Whose queries the pools are of."""

Members: TypeAlias = Literal["run+judged", "run"]
"""Whether judged items that were not ranked belong to the pool."""


def moved(values: FloatArray, ids: Sequence[str], wanted: Sequence[str]) -> FloatArray:
    """Values of queries in another order; NaN where a query has none.

    Examples:
        >>> moved(np.array([1.0, 2.0]), ("a", "b"), ("b", "c"))
        array([ 2., nan])
    """
    return np.append(values, np.nan)[positions(wanted, ids)]


def with_more(docs: IndexArray, offsets: IntArray, more: IndexArray, bounds: IntArray) -> tuple[IndexArray, IntArray]:
    """Documents of each query, then those of more rows that it lacks, each once in order of first appearance.

    Args:
        docs: (M) documents of the queries so far, each once.
        offsets: (Q+1) rows of each query.
        more: (N) documents.
        bounds: (Q, 2) first row of each query in ``more``, and the first after it.
    """
    added, added_offsets = _taken(more, bounds)
    pairs = [_pairs(segment_ids(offsets), docs), _pairs(segment_ids(added_offsets), added)]
    merged = pl.Series(np.concatenate(pairs)).unique(maintain_order=True).to_numpy()
    merged = merged[np.argsort(merged >> 32, kind="stable")]
    return merged.astype(np.int32), offsets_of(merged >> 32, len(bounds))


def _taken(more: IndexArray, bounds: IntArray) -> tuple[IndexArray, IntArray]:
    """The documents between the bounds of each query, and where each query begins among them."""
    rows, offsets = segment_rows(bounds.ravel(), 2 * np.arange(len(bounds)))
    return more[rows], offsets


def find_rows(queries: IntArray, docs: IndexArray, pool_docs: IndexArray, offsets: IntArray) -> IntArray:
    """Pool row of each (query, document) pair, −1 where the pool lacks it; codes of −1 are in none.

    Documents are looked up in one table, filled for one query after the other, which beats a join where pairs of a
    query are neighbours, as everywhere here.
    """
    rows = np.full(docs.size, -1, dtype=np.int64)
    row_of = np.full(max(pool_docs.max(initial=-1), docs.max(initial=-1)) + 2, -1)  # the last is that of code −1
    cuts: list[int] = (np.flatnonzero(np.diff(queries, append=-2)) + 1).tolist()
    for first, last in pairwise([0, *cuts]):
        if (query := int(queries[first])) >= 0:
            own = slice(int(offsets[query]), int(offsets[query + 1]))
            row_of[pool_docs[own]] = np.arange(own.start, own.stop)
            rows[first:last] = row_of[docs[first:last]]
            row_of[pool_docs[own]] = -1
    return rows


def _pairs(queries: IntArray, docs: IndexArray) -> IntArray:
    """A query and a document as one number, the document in its lower half."""
    return queries.astype(np.int64) << 32 | docs


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
    ranked: Run | RankingSample, qrels: Qrels | None, *, members: Members = "run+judged", queries: Queries = "judged"
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
    doc_ids, shown = ranked.doc_ids, _bounds(ranked, query_ids)
    if isinstance(ranked, Run):
        docs, offsets = _taken(ranked.docs, shown)
    else:  # its lists show documents again and again
        nothing = np.empty(0, dtype=np.int32), np.zeros(len(query_ids) + 1, dtype=np.int64)
        docs, offsets = with_more(*nothing, ranked.docs, shown)
    n_retrieved = np.diff(offsets)
    if isinstance(ranked, RankingSample) and ranked.source is not None:
        doc_ids, codes = union(doc_ids, ranked.source.doc_ids)
        docs, offsets = with_more(docs, offsets, codes[ranked.source.docs], _bounds(ranked.source, query_ids))
    codes = np.empty(0, dtype=np.int32)
    if qrels is not None and members == "run":
        codes = positions(qrels.doc_ids, doc_ids).astype(np.int32)
    elif qrels is not None:
        doc_ids, codes = union(doc_ids, qrels.doc_ids)
        docs, offsets = with_more(docs, offsets, codes[qrels.docs], _bounds(qrels, query_ids))
    gains, judged = _judge(docs, offsets, qrels, query_ids, codes)
    in_pools = set(query_ids)
    return Pools(
        query_ids=query_ids,
        doc_ids=doc_ids,
        offsets=offsets,
        docs=docs,
        scores=_scores(ranked, query_ids, offsets, docs.size),
        gains=gains,
        judged=judged,
        n_retrieved=n_retrieved,
        unjudged_queries=tuple(query for query in ranked.query_ids if query not in in_pools),
    )


def ranked_lists(ranked: Run | RankingSample, pools: Pools) -> RankedLists:
    """The rankings of one system, as rows of its pools.

    Args:
        ranked: A run is one ranking per query; a sample is as many as it holds.
        pools: Made from ``ranked``; queries that these lack are left out.
    """
    if isinstance(ranked, Run):
        filled = np.flatnonzero(pools.n_retrieved)
        return RankedLists(*segment_rows(pools.offsets, filled, most=pools.n_retrieved[filled]), filled)
    queries = np.repeat(positions(ranked.query_ids, pools.query_ids), ranked.n_samples)
    order = np.argsort(queries, kind="stable")
    order = order[queries[order] >= 0]
    shown, offsets = segment_rows(ranked.sample_offsets, order)
    codes = positions(ranked.doc_ids, pools.doc_ids).astype(np.int32)[ranked.docs[shown]]
    of_row = np.repeat(queries[order], np.diff(offsets))
    rows = find_rows(of_row, codes, pools.docs, pools.offsets)
    return RankedLists(rows, offsets, queries[order])


def cut_lists(lists: RankedLists, cutoff: int | None) -> RankedLists:
    """The first k ranks of every ranking; None = all."""
    if cutoff is None:
        return lists
    rows, offsets = segment_rows(lists.offsets, most=cutoff)
    return RankedLists(lists.rows[rows], offsets, lists.queries)


def _bounds(source: Run | RankingSample | Qrels, query_ids: Sequence[str]) -> IntArray:
    """(Q, 2) first row of each query in a source, and the first after it; equal where it has none."""
    offsets = source.sample_offsets[source.query_offsets] if isinstance(source, RankingSample) else source.offsets
    queries = positions(source.query_ids, query_ids)
    bounds = np.zeros((len(query_ids), 2), dtype=np.int64)
    mask = queries >= 0
    bounds[queries[mask], 0], bounds[queries[mask], 1] = offsets[:-1][mask], offsets[1:][mask]
    return bounds


def _scores(ranked: Run | RankingSample, query_ids: Sequence[str], offsets: IntArray, n_rows: int) -> FloatArray:
    """(M) scores of a run where the rows of its queries begin in the pools; NaN of all other rows."""
    scores = np.full(n_rows, np.nan)
    if isinstance(ranked, Run):
        queries = positions(ranked.query_ids, query_ids)
        shared = np.flatnonzero(queries >= 0)
        rows, _ = segment_rows(ranked.offsets, shared)
        into, _ = segment_rows(offsets, queries[shared], most=np.diff(ranked.offsets)[shared])
        scores[into] = ranked.scores[rows]
    return scores


def _judge(
    rows_doc: IndexArray, offsets: IntArray, qrels: Qrels | None, query_ids: Sequence[str], codes: IndexArray
) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Gain max(grade, 0) of each row and whether it was judged; ``codes`` are those of the judged documents."""
    gains = np.zeros(rows_doc.size)
    judged = np.zeros(rows_doc.size, dtype=np.bool_)
    if qrels is None:
        return gains, judged
    queries = positions(qrels.query_ids, query_ids)[segment_ids(qrels.offsets)]
    rows = find_rows(queries, codes[qrels.docs], rows_doc, offsets)
    mask = rows >= 0
    judged[rows[mask]] = True
    np.maximum.at(gains, rows[mask], np.maximum(qrels.grades[mask], 0).astype(np.float64))
    return gains, judged
