"""Expected, target and sampled exposure of items, and the bounds that any policy keeps.

ε_d = E_π[v_rank(d)] for a policy π and attention v (Diaz et al. 2020; Kim & Diaz, 3.3.1).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.kernels.attention import Attention, Cascade
from fairviz.kernels.compiled import by_queries, kernel
from fairviz.model import BoolArray, Exposure, FloatArray, IndexArray, IntArray, Pools, RankingSample, arrays
from fairviz.model.arrays import segment_dots, segment_ids, segment_places, segment_sums

Gain: TypeAlias = Literal["graded", "binary"]
"""Whether usefulness is the grade, or useful / not useful at a threshold."""


PolicyBounds: TypeAlias = tuple[FloatArray, FloatArray]
"""(Q) smallest and largest value that any policy over the pool can have."""


LINES = 100_000
"""Ranked items of a part that is worth a core of its own."""

ROUNDING = 1e-12
"""Bounds closer than this part of their size are one number."""


def varies(low: FloatArray, high: FloatArray) -> BoolArray:
    """(Q) whether policies can differ at all: False where low = high."""
    return high - low > ROUNDING * np.abs(high)


@dataclass(frozen=True, eq=False)
class Bounds:
    """Attainable intervals of the three expected-exposure measures, each computed when it is asked for.

    With v falling and n = pool size: EE-D in [(Σv)²/n, Σv²] (uniform … one fixed list), EE-R in
    [⟨v, t↑⟩, ⟨v, t↓⟩] (worst … best list), EE-L in [0, Σv² + Σt² − 2⟨v, t↑⟩].

    Attributes:
        target: (M) target exposure.
        offsets: (Q+1) rows of each query.
        weights: (M) attention at the rank equal to each row's place in its query.
    """

    target: Exposure
    offsets: IntArray
    weights: FloatArray

    @cached_property
    def disparity(self) -> PolicyBounds:
        """Bounds of EE-D."""
        sizes = np.maximum(np.diff(self.offsets), 1)
        return segment_sums(self.weights, self.offsets) ** 2 / sizes, self._squares

    @cached_property
    def relevance(self) -> PolicyBounds:
        """Bounds of EE-R."""
        falling = self.target[np.lexsort((-self.target, segment_ids(self.offsets)))]
        return self._worst, segment_dots(self.weights, falling, self.offsets)

    @cached_property
    def loss(self) -> PolicyBounds:
        """Bounds of EE-L."""
        squares = self._squares + segment_dots(self.target, self.target, self.offsets)
        return np.zeros(squares.size), squares - 2 * self._worst

    @cached_property
    def _squares(self) -> FloatArray:
        return segment_dots(self.weights, self.weights, self.offsets)

    @cached_property
    def _worst(self) -> FloatArray:
        rising = self.target[np.lexsort((self.target, segment_ids(self.offsets)))]
        return segment_dots(self.weights, rising, self.offsets)


class SampledExposure(NamedTuple):
    """Exposure estimated from N rankings.

    Attributes:
        exposure: (M) mean of v_rank over the rankings, the plug-in estimate.
        mean_square: (Q) mean over the rankings of ‖ε_π‖², which the unbiased estimate needs.
        n_samples: (Q) rankings of each query.
    """

    exposure: Exposure
    mean_square: FloatArray
    n_samples: IntArray


def attention_by_row(offsets: IntArray, attention: Attention) -> FloatArray:
    """(M) attention at the rank equal to each row's place in its query."""
    return _by_row(offsets, np.diff(offsets), attention)


def run_exposure(pools: Pools, attention: Attention) -> Exposure:
    """Exposure of the deterministic list: v_rank for ranked items, 0 for the others."""
    return _by_row(pools.offsets, pools.n_retrieved, attention)


def _weights(offsets: IntArray, attention: Attention) -> FloatArray:
    """Attention down to the end of the longest query."""
    return attention.weights(int(np.diff(offsets).max(initial=0)))


def _by_row(offsets: IntArray, sizes: IntArray, attention: Attention) -> FloatArray:
    """The weight of each row's place in its query, 0 from the place ``sizes`` on."""
    places = segment_places(offsets)
    return np.where(places < np.repeat(sizes, np.diff(offsets)), _weights(offsets, attention)[places], 0.0)


def uniform_exposure(pools: Pools, attention: Attention) -> Exposure:
    """Exposure of a random permutation of the pool: Σv / n for every item."""
    totals = segment_sums(attention_by_row(pools.offsets, attention), pools.offsets)
    return (totals / np.maximum(pools.sizes, 1))[segment_ids(pools.offsets)]


def effective_gains(gains: FloatArray, gain: Gain, rel: int) -> FloatArray:
    """Gains as the target sees them: the grade, or 1 where grade ≥ ``rel``."""
    return gains if gain == "graded" else (gains >= rel).astype(np.float64)


def target_exposure(pools: Pools, attention: Attention, *, gain: Gain = "graded", rel: int = 1) -> Exposure:
    """Exposure under equal expected exposure, ε*: items of equal gain share their positions.

    In an ideal ranking of the pool, items of one gain occupy a block of positions; each gets the
    mean of v over the block. For ``topk`` and binary gain with m useful of n items: 1 or k/m for
    the useful ones, (k−m)/(n−m) or 0 for the others (Kim & Diaz, 3.3.1).
    """
    gains, offsets = effective_gains(pools.gains, gain, rel), pools.offsets
    useful = np.flatnonzero(gains)
    queries, weights = segment_ids(offsets)[useful], _weights(offsets, attention)
    falling = useful[np.lexsort((-gains[useful], queries))]
    n_useful = np.bincount(queries, minlength=pools.sizes.size)
    places = segment_places(offsets)
    rest = np.where(places >= np.repeat(n_useful, pools.sizes), weights[places], 0.0)
    target = (segment_sums(rest, offsets) / np.maximum(pools.sizes - n_useful, 1))[segment_ids(offsets)]
    if falling.size:
        changes = (np.diff(gains[falling]) != 0) | (np.diff(queries) != 0)
        starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
        own = segment_places(np.concatenate([[0], np.cumsum(n_useful)]))
        sizes = np.diff(starts, append=falling.size)
        target[falling] = np.repeat(np.add.reduceat(weights[own], starts) / sizes, sizes)
    return target


def exposure_bounds(target: Exposure, offsets: IntArray, attention: Attention) -> Bounds:
    """Smallest and largest EE-D, EE-R and EE-L that any policy over the pool can have."""
    return Bounds(target, offsets, attention_by_row(offsets, attention))


def sample_exposure(sample: RankingSample, pools: Pools, attention: Attention | Cascade) -> SampledExposure:
    """Exposure estimated from recorded rankings: the mean of v_rank over a query's rankings.

    Args:
        sample: Rankings; queries outside ``pools`` are left out.
        pools: Must hold the sample's items (``pool(sample, …)``).
        attention: A rank-only model, or :class:`Cascade`, which reads the gains on the way.

    Raises:
        ValueError: If a sampled item is not in its query's pool.
    """
    n_queries = len(pools.query_ids)
    queries = arrays.positions(sample.query_ids, pools.query_ids)
    codes = arrays.positions(sample.doc_ids, pools.doc_ids).astype(np.int32)
    weights = attention.weights(int(np.diff(sample.sample_offsets).max(initial=0)))
    satisfied = _satisfaction(pools.gains, attention)
    exposure = SampledExposure(np.zeros(pools.docs.size), np.zeros(n_queries), np.zeros(n_queries, dtype=np.int64))

    def of_queries(first: int, last: int) -> int:
        """Each query has rows of its own in what was found."""
        return _accumulate(
            queries[first:last],
            sample.query_offsets[first : last + 1],
            sample.sample_offsets,
            sample.docs,
            codes,
            pools.docs,
            pools.offsets,
            np.full(len(pools.doc_ids), -1, dtype=np.int64),
            weights,
            satisfied,
            *exposure,
        )

    outside = sum(by_queries(of_queries, sample.query_rows, rows=LINES))
    if outside:
        raise ValueError(f"{outside} sampled items are not in the pool of their query")
    return exposure


def _satisfaction(gains: FloatArray, attention: Attention | Cascade) -> FloatArray:
    """Chance φ that an item ends the reading: 0 unless attention is a cascade."""
    largest = float(gains.max(initial=0.0))
    if not isinstance(attention, Cascade) or largest == 0:
        return np.zeros(gains.size)
    return attention.phi * gains / largest


@kernel
def _accumulate(
    queries: IntArray,
    query_offsets: IntArray,
    sample_offsets: IntArray,
    docs: IndexArray,
    codes: IndexArray,
    pool_docs: IndexArray,
    pool_offsets: IntArray,
    row_of: IntArray,
    weights: FloatArray,
    satisfied: FloatArray,
    exposure: FloatArray,
    mean_square: FloatArray,
    n_samples: IntArray,
) -> int:
    """Add the rankings of some queries; ``row_of`` holds −1 for every document. Items outside the pools are counted."""
    outside = 0
    for i in range(queries.size):
        q = queries[i]
        if q < 0:
            continue
        for row in range(pool_offsets[q], pool_offsets[q + 1]):
            row_of[pool_docs[row]] = row
        n = query_offsets[i + 1] - query_offsets[i]
        n_samples[q] = n
        for s in range(query_offsets[i], query_offsets[i + 1]):
            unsatisfied = 1.0
            for r in range(sample_offsets[s + 1] - sample_offsets[s]):
                code = codes[docs[sample_offsets[s] + r]]
                row = row_of[code] if code >= 0 else -1
                if row < 0:
                    outside += 1
                    continue
                seen = weights[r] * unsatisfied
                exposure[row] += seen / n
                mean_square[q] += seen * seen / n
                unsatisfied *= 1 - satisfied[row]
        for row in range(pool_offsets[q], pool_offsets[q + 1]):
            row_of[pool_docs[row]] = -1
    return outside
