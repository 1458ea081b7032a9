"""Order and repetition in long columns, by sorting integers; nothing here knows a file."""

from collections.abc import Sequence

import numpy as np

from fairviz.model import FloatArray, IndexArray, IntArray


def first_repetition(keys: IntArray) -> tuple[int, int] | None:
    """The first row whose key stood before, and the row where it stood first.

    Examples:
        >>> first_repetition(np.array([5, 3, 5, 3]))
        (2, 0)
        >>> first_repetition(np.array([5, 3])) is None
        True
    """
    ordered = np.sort(keys)
    if not (ordered[1:] == ordered[:-1]).any():
        return None
    order = np.argsort(keys, kind="stable")
    again = order[1:][keys[order[1:]] == keys[order[:-1]]]
    row = int(again.min())
    return row, int(np.argmax(keys == keys[row]))


def changes(keys: IntArray | IndexArray, *more: IndexArray) -> IntArray:
    """Rows where a new stretch of equal keys starts: ``[4, 4, 7] -> [0, 2]``.

    With several columns, a stretch is equal in all of them.
    """
    starts = keys[1:] != keys[:-1]
    for column in more:
        starts |= column[1:] != column[:-1]
    return np.concatenate([[0], np.flatnonzero(starts) + 1])


def offsets_of(sorted_codes: IntArray | IndexArray, n: int) -> IntArray:
    """Offsets of the segments of codes ``0 … n − 1`` in a sorted column."""
    return np.searchsorted(sorted_codes, np.arange(n + 1)).astype(np.int64)


def first_rows(codes: IndexArray, n: int) -> IntArray:
    """(n) first row of each code; every code must occur."""
    starts = changes(codes)
    first = np.zeros(n, dtype=np.int64)
    first[codes[starts][::-1]] = starts[::-1]  # the last assignment, the first row, stays
    return first


def score_order(
    queries: IndexArray, scores: FloatArray, docs: IndexArray, doc_ids: Sequence[str]
) -> tuple[IntArray | None, int]:
    """Ranked order: by query, score descending, ties by document id descending.

    Ids are compared by code point, which is the byte order of UTF-8 and trec_eval's order.

    Returns:
        The order of rows, None where they stand in it already; and how many rows are tied.
    """
    order: IntArray | None = None
    same = queries[1:] == queries[:-1]
    falling = (queries[1:] > queries[:-1]) | (same & (scores[1:] <= scores[:-1]))
    if not falling.all():
        order = np.lexsort((-scores, queries))
        queries, scores, docs = queries[order], scores[order], docs[order]
        same = queries[1:] == queries[:-1]
    equal = same & (scores[1:] == scores[:-1])
    if not equal.any():
        return order, 0
    tied = np.concatenate([[False], equal]) | np.concatenate([equal, [False]])
    rows = np.flatnonzero(tied)
    run = np.cumsum(np.concatenate([[True], ~equal]))[rows]
    by_id = sorted(np.unique(docs[rows]).tolist(), key=doc_ids.__getitem__, reverse=True)
    place = np.zeros(len(doc_ids), dtype=np.int64)
    place[by_id] = np.arange(len(by_id))
    inner = np.lexsort((place[docs[rows]], run))
    within = np.arange(queries.size)
    within[rows] = rows[inner]
    return (within if order is None else order[within]), rows.size
