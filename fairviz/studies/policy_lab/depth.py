"""Where the candidates of each group stand: among those that are re-ranked, below them, or nowhere in the run.

Re-ranking cannot add documents, but it can reach further down: a group whose documents stand below the depth that is
re-ranked does not lack retrieval.
"""

from typing import NamedTuple

import numpy as np

from fairviz.groups import Membership
from fairviz.model import FloatArray, IntArray, Pools
from fairviz.model.arrays import segment_ids

STEP = 50
"""Depths that are offered are multiples of this."""
DEEPEST = 1_000
"""Deepest that is offered."""


class GroupDepths(NamedTuple):
    """Where a run has candidates of the groups that the target gives a share.

    Attributes:
        groups: Their names.
        depth: Candidates of each query that are re-ranked.
        n_queries: Queries with candidates.
        n_below: (G) queries whose candidates of the group all stand below the depth.
        n_nowhere: (G) queries that have none at any rank.
        first: (G) the highest rank at which such a query has one; 0 where there is none.
        enough: A depth at which every query has as many candidates of each group as its share of the first k asks
            for, or as many as it has; 0 where a greater depth adds none.
    """

    groups: tuple[str, ...]
    depth: int
    n_queries: int
    n_below: IntArray
    n_nowhere: IntArray
    first: IntArray
    enough: int

    @property
    def below(self) -> list[tuple[str, int, int]]:
        """(group, queries, first rank) of the groups with queries that hold them below the depth, most first."""
        rows = zip(self.groups, self.n_below.tolist(), self.first.tolist(), strict=True)
        return sorted((row for row in rows if row[1]), key=lambda row: -row[1])

    @property
    def nowhere(self) -> list[tuple[str, int]]:
        """(group, queries) of the groups that queries have no candidate of, most first."""
        rows = zip(self.groups, self.n_nowhere.tolist(), strict=True)
        return sorted((row for row in rows if row[1]), key=lambda row: -row[1])


def group_depths(pools: Pools, members: Membership, target: FloatArray, *, depth: int, k: int) -> GroupDepths:
    """Where the candidates of each group stand.

    Args:
        pools: The whole run's, whatever its depth.
        members: Groups of the pool rows.
        target: (G) shares of the groups.
        depth: Candidates of each query that are re-ranked.
        k: Ranks that count.
    """
    query = segment_ids(pools.offsets)
    rank = np.arange(query.size) - pools.offsets[query] + 1
    ranked = rank <= pools.n_retrieved[query]
    asked = np.flatnonzero(target > 1e-6)
    has = pools.n_retrieved > 0
    n_below: list[int] = []
    n_nowhere: list[int] = []
    first: list[int] = []
    enough = 0
    for group in asked.tolist():
        rows = np.flatnonzero(ranked & (members.weights[:, group] > 0))
        counts = np.bincount(query[rows], minlength=has.size)
        held = counts > 0
        starts = np.cumsum(counts)[held] - counts[held]  # its rows by query, best first
        tops = np.zeros(has.size, dtype=np.int64)
        tops[held] = rank[rows[starts]]
        below = tops > depth
        n_below.append(int(below.sum()))
        n_nowhere.append(int((has & (counts == 0)).sum()))
        first.append(int(tops[below].min()) if below.any() else 0)
        wanted = np.minimum(counts[held], max(int(np.ceil(k * target[group])), 1))
        if below.any():
            enough = max(enough, int(rank[rows[starts + wanted - 1]].max()))
    rounded = min(-(-enough // STEP) * STEP, DEEPEST)
    return GroupDepths(
        groups=tuple(members.groups[group] for group in asked.tolist()),
        depth=depth,
        n_queries=int(has.sum()),
        n_below=np.array(n_below, dtype=np.int64),
        n_nowhere=np.array(n_nowhere, dtype=np.int64),
        first=np.array(first, dtype=np.int64),
        enough=rounded if rounded > depth else 0,
    )
