"""One list of one query with the groups of its items: what the shares are made of."""

from dataclasses import dataclass

import numpy as np

from fairviz.attention import Attention
from fairviz.groups import Membership
from fairviz.model import BoolArray, FloatArray, Pools, RankingSample, Run


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupList:
    """The first items of one ranking.

    Attributes:
        doc_ids: R documents, best first.
        weights: (R, G) membership; what is missing to 1 is unlabelled.
        gains: (R) graded usefulness.
        judged: (R) whether it was judged.
        attention: (R) attention at its rank.
        n_rankings: Rankings that the system has for the query; this is the first.
    """

    doc_ids: tuple[str, ...]
    weights: FloatArray
    gains: FloatArray
    judged: BoolArray
    attention: FloatArray
    n_rankings: int


def group_list(
    ranked: Run | RankingSample,
    pools: Pools,
    members: Membership,
    query_id: str,
    attention: Attention,
    *,
    shown: int,
) -> GroupList:
    """The list of a run for one query, or the first ranking of a sample.

    Args:
        ranked: The system.
        pools: Its pools.
        members: Groups of the pool rows.
        query_id: One of the queries of the pools.
        attention: How attention falls with rank.
        shown: Most items to return.
    """
    query = pools.query_ids.index(query_id)
    start, end = int(pools.offsets[query]), int(pools.offsets[query + 1])
    n_rankings = 1
    if isinstance(ranked, Run):
        rows = np.arange(start, start + int(pools.n_retrieved[query]))
    else:
        own = ranked.query_ids.index(query_id)
        first = int(ranked.query_offsets[own])
        n_rankings = int(ranked.query_offsets[own + 1]) - first
        docs = ranked.docs[ranked.sample_offsets[first] : ranked.sample_offsets[first + 1]]
        docs_here: list[int] = pools.docs[start:end].tolist()
        at = {pools.doc_ids[d]: start + i for i, d in enumerate(docs_here)}
        rows = np.array([at[ranked.doc_ids[d]] for d in docs.tolist()], dtype=np.int64)
    rows = rows[:shown]
    listed: list[int] = pools.docs[rows].tolist()
    return GroupList(
        doc_ids=tuple(pools.doc_ids[d] for d in listed),
        weights=members.weights[rows],
        gains=pools.gains[rows],
        judged=pools.judged[rows],
        attention=attention.weights(rows.size),
        n_rankings=n_rankings,
    )
