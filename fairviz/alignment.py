"""Matching rows of one ragged table with rows of another: the only joins that fairviz makes."""

from collections.abc import Mapping, Sequence

import numba
import numpy as np

from fairviz.model import IndexArray, IntArray


def lookup(ids: Sequence[str], index: Mapping[str, int]) -> IntArray:
    """Position of each id in an index, −1 where it has none."""
    known = (index.get(name, -1) for name in ids)
    return np.fromiter(known, dtype=np.int64, count=len(ids))


@numba.njit(cache=True)
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


@numba.njit(cache=True)
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
