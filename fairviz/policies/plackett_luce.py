"""The Plackett–Luce policy with fairness control α (Kim & Diaz, 3.2)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from fairviz.kernels.attention import Attention
from fairviz.kernels.compiled import by_queries, kernel, side_by_side
from fairviz.model import (
    SCORE_SCALES,
    Exposure,
    FloatArray,
    IndexArray,
    IntArray,
    Pools,
    RankingSample,
    Run,
    ScoreScale,
)
from fairviz.policies.arrivals import CERTAIN_GAP, expected_exposure
from fairviz.policies.marginals import drawn_sample
from fairviz.policies.scales import ranked_rows, scaled, scaled_scores

NOISE_AT_ONCE = 2**17
"""Random numbers that a core holds at once while rankings are drawn: they stay in its cache."""

ABOVE_ZERO = 2.0**-53
"""The least random number above 0."""

DRAWN_AT_ONCE = 2**22
"""Ranks that are drawn ahead of who reads one query after the other."""

NEGLIGIBLE = 1e-14
"""Attention below this part of the first rank's is cut: it changes no exposure."""

LARGEST_ALPHA = 1000
"""2^α is then still a double."""


@dataclass(frozen=True, slots=True)
class PlackettLuce:
    """Items are drawn one after another with chance ∝ exp((s̄ + offset)^α).

    s̄ is the query's min–max score. α = 0 is uniform over the run's items, whatever the scores; a
    large α follows them. Constant scores are uniform.

    Attributes:
        alpha: Fairness control, 0 to 1,000.
        offset: 1 as the paper's published code (default) or 0 as the paper prints it. With 0,
            disparity peaks at small α and returns towards uniform, since s̄^α → 0 below the top.
        scores: How scores become s̄: "given" (min–max, default), "ranks" (min–max of the ranks) or
            "zscore" (two standard deviations about the mean fill [0, 1]); see
            :mod:`fairviz.policies.scales`.
    """

    alpha: float
    offset: float = 1.0
    scores: ScoreScale = "given"

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= LARGEST_ALPHA:
            raise ValueError(f"alpha must lie in [0, {LARGEST_ALPHA}], got {self.alpha}")
        if self.offset not in (0, 1):
            raise ValueError(f"offset is 1 (published code) or 0 (as printed), got {self.offset}")
        if self.scores not in SCORE_SCALES:
            raise ValueError(f"scores is one of {', '.join(SCORE_SCALES)}, got {self.scores!r}")

    def logits(self, normalised: FloatArray) -> FloatArray:
        """(s̄ + offset)^α, to be shown: at a large α their differences have lost their digits."""
        return np.power(normalised + self.offset, self.alpha)

    def exposure(self, pools: Pools, attention: Attention) -> Exposure:
        """Exact expected exposure of every pool row; judged items that were not ranked get 0.

        Raises:
            ValueError: If the pools come from rankings without scores.
        """
        weights = seen_weights(attention.weights(int(pools.n_retrieved.max(initial=0))))

        def of_queries(first: int, last: int) -> FloatArray:
            queries, offsets = slice(first, last), pools.offsets[first : last + 1] - pools.offsets[first]
            levels, falls = scaled_scores(pools, self.scores, queries)
            gaps = np.zeros(int(offsets[-1]))
            rows = ranked_rows(pools, queries) - pools.offsets[first]
            gaps[rows] = logit_gaps(levels, falls, float(self.offset), float(self.alpha))
            return expected_exposure(gaps, offsets, pools.n_retrieved[queries], weights)

        return np.concatenate(by_queries(of_queries, pools.offsets))

    def sample(self, run: Run, *, depth: int, n_samples: int, rng: np.random.Generator) -> RankingSample:
        """Draw rankings by Gumbel top-k: logit + Gumbel noise, sorted, is a Plackett–Luce ranking.

        Args:
            run: Scores to randomise.
            depth: Ranks kept of each ranking.
            n_samples: Rankings per query.
            rng: Source of chance; equal seeds give equal samples. Every core jumps to its place in the stream, which
                NumPy's default allows; a generator that does not gives one number, which seeds one that does.
        """
        rankings = self.rankings(run, depth=depth, n_samples=n_samples, rng=rng)
        made = {"alpha": float(self.alpha), "scores": self.scores, "offset": float(self.offset)}
        drawn = dict(enumerate(rankings))
        return drawn_sample(run, drawn, system=run.system, policy="plackett-luce", tag=run.tag, source=run, **made)

    def rankings(self, run: Run, *, depth: int, n_samples: int, rng: np.random.Generator) -> Iterator[IndexArray]:
        """The documents of :meth:`sample`, (N, ranks) for one query after the other, drawn when they are asked for."""
        drawing = self._drawing(run, depth, n_samples, rng)
        first = 0
        while first < len(run.query_ids):
            last = first + 1
            while last < len(run.query_ids) and drawing.n_ranks(first, last + 1) <= DRAWN_AT_ONCE:
                last += 1
            docs = drawing.docs(first, last)
            for query in range(first, last):
                start, n = drawing.n_ranks(first, query), drawing.n_ranks(query, query + 1)
                yield docs[start : start + n].reshape(n_samples, n // max(1, n_samples))
            first = last

    def _drawing(self, run: Run, depth: int, n_samples: int, rng: np.random.Generator) -> "_Drawing":
        def of_queries(first: int, last: int) -> FloatArray:
            offsets = run.offsets[first : last + 1]
            levels, falls = scaled(run.scores[offsets[0] : offsets[-1]], offsets - offsets[0], self.scores)
            # Gumbel noise of a double spans 41 nats: no gap needs to be wider than a certain one.
            return np.minimum(logit_gaps(levels, falls, float(self.offset), float(self.alpha)), CERTAIN_GAP)

        gaps = np.concatenate(by_queries(of_queries, run.offsets))
        starts = np.concatenate([[0], np.cumsum(np.minimum(np.diff(run.offsets), depth))]) * n_samples
        return _Drawing(run.docs, gaps, run.offsets.tolist(), starts.tolist(), n_samples, _stream(rng))


class _Drawing(NamedTuple):
    """What rankings of a run are drawn from.

    Attributes:
        items: (M) documents of the run.
        gaps: (M) how far each lies below the one before it.
        offsets: (Q+1) its rows of each query.
        starts: (Q+1) where the ranks of each query begin among all that are drawn.
        n_samples: Rankings of each query.
        stream: Of random numbers, one for each item of each ranking, query by query.
    """

    items: IndexArray
    gaps: FloatArray
    offsets: list[int]
    starts: list[int]
    n_samples: int
    stream: "_Stream"

    def n_ranks(self, first: int, last: int) -> int:
        """Ranks of all rankings of some queries."""
        return self.starts[last] - self.starts[first]

    def docs(self, first: int, last: int) -> IndexArray:
        """The documents of all rankings of some queries, one ranking after the other; those of the next ones follow."""
        found = np.empty(self.n_ranks(first, last), dtype=np.int32)
        side_by_side(partial(self._put, found, first), list(self._pieces(first, last)))
        self.stream.advance(self.n_samples * (self.offsets[last] - self.offsets[first]))
        return found

    def _put(self, found: IndexArray, first: int, piece: "_Piece") -> None:
        """Put the rankings of a piece where they belong; ``first`` is the query with which what is found begins."""
        query, sample, n_queries, n_samples = piece
        rows = slice(self.offsets[query], self.offsets[query + n_queries])
        n = self.offsets[query + 1] - self.offsets[query]
        depth = self.n_ranks(query, query + 1) // self.n_samples
        at = self.n_samples * (rows.start - self.offsets[first]) + sample * n
        numbers = _numbers_of(self.stream, at, (n_queries, n_samples, n))
        _put_noise(numbers, np.cumsum(self.gaps[rows].reshape(n_queries, n), axis=1))
        top = _top(numbers.reshape(-1, n), depth)
        place = self.n_ranks(first, query) + sample * depth
        _put_docs(self.items[rows], n_samples, n, top, found[place : place + top.size])

    def _pieces(self, first: int, last: int) -> "Iterator[_Piece]":
        """All samples, in their order; those of neighbours of one length together."""
        query = first
        while query < last:
            n = self.offsets[query + 1] - self.offsets[query]
            end = query + 1
            while (
                end < last
                and self.offsets[end + 1] - self.offsets[end] == n
                and (end + 1 - query) * self.n_samples * n <= NOISE_AT_ONCE
            ):
                end += 1
            step = self.n_samples if end > query + 1 else max(1, NOISE_AT_ONCE // max(1, n))
            for sample in range(0, self.n_samples if n else 0, step):
                yield _Piece(query, sample, end - query, min(step, self.n_samples - sample))
            query = end


class _Piece(NamedTuple):
    """Some samples of a query, or all samples of some queries of one length.

    Attributes:
        query: The first, as its place in the run.
        sample: The first of its samples.
        n_queries, n_samples: How many of each.
    """

    query: int
    sample: int
    n_queries: int
    n_samples: int


_Stream = np.random.PCG64 | np.random.PCG64DXSM
"""Streams in which every core can jump to the numbers of its piece."""


def _stream(rng: np.random.Generator) -> _Stream:
    """The caller's own stream, which goes on behind what is drawn; else one that a number of it seeds."""
    bits = rng.bit_generator
    return bits if isinstance(bits, _Stream) else np.random.PCG64(rng.integers(2**63))


def _numbers_of(stream: _Stream, at: int, shape: tuple[int, ...]) -> FloatArray:
    """Random numbers in [0, 1) from a place in a stream on; the stream stays where it is."""
    bits = type(stream)(0)
    bits.state = stream.state
    return np.random.Generator(bits.advance(at)).random(shape)


@kernel
def _put_noise(numbers: FloatArray, behind: FloatArray) -> None:
    """Turn random numbers into how far each item comes last: how far it lies behind, less Gumbel noise.

    The noise is that of ``rng.gumbel`` to the bit, but that a zero counts as the next number above it, where NumPy
    leaves it out: no number then stands elsewhere in the stream for what came before it.
    """
    n_queries, n_samples, n = numbers.shape
    for query in range(n_queries):
        for sample in range(n_samples):
            for i in range(n):
                noise = 0.0 - math.log(-math.log(1.0 - max(numbers[query, sample, i], ABOVE_ZERO)))
                numbers[query, sample, i] = -(noise - behind[query, i])


@kernel
def _put_docs(items: IndexArray, n_samples: int, n: int, top: IntArray, docs: IndexArray) -> None:
    """Documents of the items at each rank, ``n_samples`` rankings of each stretch of ``n`` items."""
    depth = top.shape[1]
    for row in range(top.shape[0]):
        first = row // n_samples * n
        for rank in range(depth):
            docs[row * depth + rank] = items[first + top[row, rank]]


@kernel
def logit_gaps(levels: FloatArray, falls: FloatArray, offset: float, alpha: float) -> FloatArray:
    """How far the logit of each item lies below that of the item before; 0 for tied items.

    With a ≤ b the neighbours' s̄ + offset, b^α − a^α = b^α (1 − (a/b)^α) and a/b = 1 − fall/b: no
    digit of the fall is lost, where the difference of two powers near 2^1000 would have none.

    Args:
        levels: (M) s̄.
        falls: (M) s̄ of the item before minus s̄, 0 for the first of a query.
        offset: 1 or 0.
        alpha: Fairness control.
    """
    gaps = np.zeros(levels.size)
    for i in range(1, levels.size):
        if falls[i] > 0.0 and alpha > 0.0:
            above = levels[i - 1] + offset
            share = 1.0
            if falls[i] < above:
                share = -math.expm1(alpha * math.log1p(-falls[i] / above))
            if share > 0.0:  # z-scores know no largest s̄: the power, and the gap with it, may be infinite
                gaps[i] = math.pow(above, alpha) * share
    return gaps


def seen_weights(weights: FloatArray) -> FloatArray:
    """Attention down to the last rank that is seen at all."""
    seen = np.flatnonzero(weights > NEGLIGIBLE * weights[:1].sum())
    return weights[: int(seen[-1]) + 1] if seen.size else weights[:0]


def _top(late: FloatArray, depth: int) -> IntArray:
    """(N, depth) columns of the smallest values of each row, smallest first."""
    if depth >= late.shape[1]:
        return np.argsort(late, axis=1)
    best = np.argpartition(late, depth - 1, axis=1)[:, :depth]
    order = np.argsort(np.take_along_axis(late, best, axis=1), axis=1)
    return np.take_along_axis(best, order, axis=1)
