"""How deep the candidates of each query go, and which groups no query can show.

Re-ranking cannot add documents, but it can reach further down: where no document of a targeted group is among the first
ones, the candidates go on until there are as many as the group's share asks for.
"""

from typing import NamedTuple

import numpy as np

from fairviz.grouping import Membership
from fairviz.model import BoolArray, FloatArray, IntArray, Pools
from fairviz.model.arrays import segment_ids

DEEPEST = 1_000
"""Candidates of a query at most."""


class GroupDepths(NamedTuple):
    """How deep one run is re-ranked, for one target.

    Attributes:
        depths: (Q) candidates of each query.
        usual: Candidates of a query unless a group asks for more.
        n_queries: Queries that are counted below: those with candidates, of the ones that are compared.
        n_deeper: How many of them go deeper than usual.
        groups: Names of the groups that the target gives a share.
        n_nowhere: (G) queries that have no candidate of each at any rank.
    """

    depths: IntArray
    usual: int
    n_queries: int
    n_deeper: int
    groups: tuple[str, ...]
    n_nowhere: IntArray

    @property
    def deepest(self) -> int:
        """The most candidates that a query has."""
        return int(self.depths.max(initial=self.usual))

    @property
    def nowhere(self) -> list[tuple[str, int]]:
        """(group, queries) of the groups that queries have no candidate of, most first."""
        rows = zip(self.groups, self.n_nowhere.tolist(), strict=True)
        return sorted((row for row in rows if row[1]), key=lambda row: -row[1])


def group_depths(
    pools: Pools, members: Membership, target: FloatArray, *, usual: int, k: int, compared: BoolArray
) -> GroupDepths:
    """Down to where the candidates of each query go.

    A query with candidates of a targeted group, all of them below the usual depth, goes down to the rank at which it
    has ⌈k · share⌉ of them, or all that there are.

    Args:
        pools: The whole run's, whatever its depth.
        members: Groups of the pool rows.
        target: (G) shares of the groups.
        usual: Candidates of a query that has all groups among them.
        k: Ranks that count.
        compared: (Q) queries that are counted.
    """
    query = segment_ids(pools.offsets)
    rank = np.arange(query.size) - pools.offsets[query] + 1
    ranked = rank <= pools.n_retrieved[query]
    asked = np.flatnonzero(target > 1e-6).tolist()
    has = pools.n_retrieved > 0
    depths = np.full(has.size, usual, dtype=np.int64)
    n_nowhere: list[int] = []
    for group in asked:
        rows = np.flatnonzero(ranked & (members.weights[:, group] > 0))
        counts = np.bincount(query[rows], minlength=has.size)
        n_nowhere.append(int((has & compared & (counts == 0)).sum()))
        held = np.flatnonzero(counts)
        starts = np.cumsum(counts)[held] - counts[held]  # its rows by query, best first
        wanted = np.minimum(counts[held], max(int(np.ceil(k * target[group])), 1))
        below = rank[rows[starts]] > usual
        deep = np.minimum(rank[rows[starts + wanted - 1]], DEEPEST)
        depths[held[below]] = np.maximum(depths[held[below]], deep[below])
    return GroupDepths(
        depths=depths,
        usual=usual,
        n_queries=int((has & compared).sum()),
        n_deeper=int((compared & (depths > usual)).sum()),
        groups=tuple(members.groups[group] for group in asked),
        n_nowhere=np.array(n_nowhere, dtype=np.int64),
    )
