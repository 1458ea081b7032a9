"""Rankings drawn so that they have exactly a given exposure.

For ``topk`` an exposure is a set of inclusion chances, and systematic sampling draws k items with
just these. For any other attention the exposure is written as a convex combination of at most n
rankings, of which one is drawn.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fairviz.kernels.attention import Attention
from fairviz.model import Exposure, FloatArray, IndexArray, IntArray, Mixture, Pools, RankingSample, Run

SLACK = 1e-12
"""Room left to a face of the permutahedron that counts as none."""

SUM_TOLERANCE = 1e-6
"""Part of all attention by which an exposure may miss its sum through rounding."""


def systematic(inclusion: FloatArray, *, n_samples: int, rng: np.random.Generator) -> IntArray:
    """Draw k of n items with the given chances of inclusion.

    The chances are laid end to end on a line of length k, and items are taken at u, u + 1, … for
    one uniform u: item d is hit with chance ε_d ≤ 1, and never twice.

    Args:
        inclusion: (n) chances in [0, 1] that sum to a whole number k.
        n_samples: How many sets to draw.
        rng: Source of chance.

    Returns:
        (n_samples, k) item positions.
    """
    ends = np.cumsum(inclusion)
    k = round(float(ends[-1]))
    ends *= k / ends[-1]
    points = rng.random((n_samples, 1)) + np.arange(k)
    return np.minimum(np.searchsorted(ends, points, side="right"), inclusion.size - 1)


def decompose(exposure: FloatArray, weights: FloatArray) -> Mixture:
    """Write an attainable exposure as a convex combination of at most n rankings.

    Walk from the vertex in the order of ε through ε to the far side; the face met there has one
    more tight prefix sum, so at most n − 1 walks remain. Tight prefixes are kept as blocks: later
    vertices may reorder items within a block only.

    Args:
        exposure: (n) a point of the permutahedron of ``weights``.
        weights: (n) attention by rank, falling.

    Returns:
        Chances that sum to 1 and the order of each ranking.

    Raises:
        ValueError: If the items do not share exactly the attention that there is.
    """
    n = exposure.size
    if abs(float(exposure.sum() - weights.sum())) > SUM_TOLERANCE * max(1.0, float(weights.sum())):
        raise ValueError(f"exposure sums to {exposure.sum():g}, attention to {weights.sum():g}")
    point = exposure.astype(np.float64)
    block = np.zeros(n, dtype=np.int64)
    chances: list[float] = []
    orders: list[IntArray] = []
    left = 1.0
    for _ in range(n):
        order = np.lexsort((-point, block)).astype(np.int64)
        vertex = np.empty(n)
        vertex[order] = weights
        direction = point - vertex
        if np.abs(direction).max(initial=0.0) < SLACK:
            break
        step, tight = _farthest(point, direction, block, weights)
        if not np.isfinite(step):  # what is left to move is rounding
            break
        chances.append(left * step / (1 + step))
        orders.append(order)
        left -= chances[-1]
        point = point + step * direction
        block = block * 2 + 1
        block[tight] -= 1
        block = np.unique(block, return_inverse=True)[1].astype(np.int64)
        point = _settled(point, block, weights)
    order = np.lexsort((-point, block)).astype(np.int64)
    return Mixture(np.array([*chances, left]), np.array([*orders, order]))


def drawn_sample(
    table: Run | Pools, drawn: Mapping[int, IntArray | IndexArray], *, system: str, policy: str, **made: Any
) -> RankingSample:
    """Rankings of some queries as a sample.

    Args:
        table: Where their documents come from.
        drawn: By place of a query, (N, L) documents: N rankings of L.
        system: Name of the system.
        policy: What drew them.
        **made: How: further fields of a sample.
    """
    n_rankings = np.array([len(rankings) for rankings in drawn.values()], dtype=np.int64)
    sizes = np.repeat(np.array([rankings.shape[1] for rankings in drawn.values()], dtype=np.int64), n_rankings)
    return RankingSample(
        system=system,
        policy=policy,
        query_ids=tuple(table.query_ids[query] for query in drawn),
        doc_ids=table.doc_ids,
        query_offsets=np.concatenate([[0], np.cumsum(n_rankings)]).astype(np.int64),
        sample_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        docs=np.concatenate([np.empty(0, np.int32), *(rankings.ravel() for rankings in drawn.values())]).astype(
            np.int32
        ),
        **made,
    )


def marginal_rankings(
    pools: Pools, exposure: Exposure, attention: Attention, *, depth: int, n_samples: int, rng: np.random.Generator
) -> Iterator[tuple[int, IntArray]]:
    """Draw rankings whose expected exposure is exactly ``exposure``, query by query, each when it is asked for.

    Args:
        pools: Where the exposure lives.
        exposure: (M) attainable exposure; a query where it is all 0 gives no ranking.
        attention: The attention that exposure was computed for.
        depth: Ranks kept of each ranking, at least those that attention sees.
        n_samples: Rankings per query.
        rng: Source of chance.

    Yields:
        Place of a query and (N, ranks) documents.
    """
    for q in range(len(pools.query_ids)):
        rows = slice(int(pools.offsets[q]), int(pools.offsets[q + 1]))
        inclusion = exposure[rows]
        if attention.browsing == "topk":
            items = np.flatnonzero(inclusion > 0)
        else:  # judged items that the run lacks take part only in a policy over the whole pool
            n_ranked = int(pools.n_retrieved[q])
            items = np.arange(inclusion.size if inclusion[n_ranked:].any() else n_ranked)
        if inclusion.any():
            drawn = _draw(inclusion[items], attention, n_samples, rng)[:, :depth]
            yield q, pools.docs[rows][items[drawn]].astype(np.int64)


def _draw(exposure: FloatArray, attention: Attention, n_samples: int, rng: np.random.Generator) -> IntArray:
    """(n_samples, ranks) item positions of one query, best first."""
    if attention.browsing == "topk":
        # Within the first k attention is equal: the order there is the order of exposure.
        falling = np.argsort(-exposure, kind="stable")
        inclusion = np.clip(exposure[falling], 0.0, 1.0)
        return falling[systematic(inclusion, n_samples=n_samples, rng=rng)]
    return decompose(exposure, attention.weights(exposure.size)).draw(n_samples=n_samples, rng=rng)


def _settled(point: FloatArray, block: IntArray, weights: FloatArray) -> FloatArray:
    """Give each block exactly the attention of its ranks, so that rounding cannot add up."""
    sizes = np.bincount(block)
    attention = np.add.reduceat(weights, np.cumsum(sizes) - sizes)
    return point + ((attention - np.bincount(block, weights=point)) / sizes)[block]


def _farthest(point: FloatArray, direction: FloatArray, block: IntArray, weights: FloatArray) -> tuple[float, IntArray]:
    """Largest step that stays attainable, and the items of the prefix that then is tight; infinite where none is.

    Newton's method on the most violated prefix sum: each round takes the step at which that prefix
    is tight, and ends when no other is violated.
    """
    limits = np.cumsum(weights)
    inside = np.diff(np.sort(block)) == 0
    step = np.inf
    tight = np.arange(0)
    trial = float(1 / max(SLACK, np.abs(direction).max()))
    while True:
        moved = point + min(step, trial) * direction
        order = np.lexsort((-moved, block)).astype(np.int64)
        excess = np.cumsum(moved[order]) - limits
        worst = int(np.argmax(np.where(inside, excess[:-1], -np.inf)))
        growth = float(direction[order[: worst + 1]].sum())
        room = float(limits[worst] - point[order[: worst + 1]].sum())
        if growth <= SLACK or max(room, 0.0) / growth >= step * (1 - SLACK):
            return step, tight
        step = max(room, 0.0) / growth
        tight = order[: worst + 1]
