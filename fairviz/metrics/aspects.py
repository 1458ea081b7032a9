"""Aspects of queries, J(d, a): what diversity measures want a list to cover."""

import numpy as np

from fairviz.alignment import find_rows, lookup
from fairviz.groups import Membership
from fairviz.model import FloatArray, IntArray, Pools, Qrels
from fairviz.model.arrays import segment_ids


def subtopic_aspects(pools: Pools, qrels: Qrels) -> FloatArray:
    """(M, A) 1 where a pool item is relevant to the query's a-th subtopic, else 0.

    A is the largest number of subtopics of a query; a query with fewer leaves columns empty.

    Raises:
        ValueError: If the judgements carry no subtopics.
    """
    if qrels.subtopics is None:
        raise ValueError("these judgements carry no subtopics")
    queries = lookup(qrels.query_ids, {q: i for i, q in enumerate(pools.query_ids)})
    queries = queries[segment_ids(qrels.offsets)]
    docs = lookup(qrels.doc_ids, {d: i for i, d in enumerate(pools.doc_ids)})[qrels.docs]
    used = np.flatnonzero((queries >= 0) & (docs >= 0) & (qrels.grades > 0))
    used = used[np.argsort(queries[used], kind="stable")]
    rows = find_rows(queries[used], docs[used].astype(np.int32), pools.docs, pools.offsets, len(pools.doc_ids))
    keys = queries[used] * len(qrels.subtopic_ids) + qrels.subtopics[used]
    distinct, place = np.unique(keys, return_inverse=True)  # by query, then subtopic
    of_query = distinct // max(len(qrels.subtopic_ids), 1)
    first = np.searchsorted(of_query, of_query)
    column: IntArray = (np.arange(distinct.size) - first)[place]
    aspects = np.zeros((pools.docs.size, int(column.max(initial=-1)) + 1))
    aspects[rows, column] = 1.0
    return aspects


def group_aspects(pools: Pools, members: Membership) -> FloatArray:
    """(M, G) how much a useful item belongs to each group: groups as the aspects (Gao et al.)."""
    return np.where((pools.gains > 0)[:, None], members.weights, 0.0)
