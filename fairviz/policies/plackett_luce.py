"""The Plackett–Luce policy with fairness control α (Kim & Diaz, 3.2)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fairviz.attention import Attention
from fairviz.compiled import kernel
from fairviz.cores import as_they_come, by_queries
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
from fairviz.policies.scales import ranked_rows, scaled, scaled_scores

NOISE_AT_ONCE = 2**21
"""Random numbers held at once while rankings are drawn."""

NOISE_AHEAD = 2**17
"""Random numbers that are worth a core of their own."""

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
            rng: Source of chance; equal seeds give equal samples.
        """
        rankings = [*self.rankings(run, depth=depth, n_samples=n_samples, rng=rng)]
        lengths = np.repeat(np.minimum(np.diff(run.offsets), depth), n_samples)
        return RankingSample(
            system=run.system,
            policy="plackett-luce",
            alpha=float(self.alpha),
            scores=self.scores,
            offset=float(self.offset),
            tag=run.tag,
            source=run,
            query_ids=run.query_ids,
            doc_ids=run.doc_ids,
            query_offsets=np.arange(len(run.query_ids) + 1, dtype=np.int64) * n_samples,
            sample_offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            docs=np.concatenate([r.ravel() for r in rankings] or [np.empty(0, np.int32)]),
        )

    def rankings(self, run: Run, *, depth: int, n_samples: int, rng: np.random.Generator) -> Iterator[IndexArray]:
        """The documents of :meth:`sample`, (N, ranks) for one query after the other, drawn when they are asked for."""
        levels, falls = scaled(run.scores, run.offsets, self.scores)
        # Gumbel noise of a double spans 41 nats: no gap needs to be wider than a certain one.
        gaps = np.minimum(logit_gaps(levels, falls, float(self.offset), float(self.alpha)), CERTAIN_GAP)
        offsets: list[int] = run.offsets.tolist()

        def of_pieces(pieces: list[_Piece]) -> list[IndexArray]:
            drawn: list[IndexArray] = []
            for query, numbers in pieces:
                rows = slice(offsets[query], offsets[query + 1])
                _put_noise(numbers, np.cumsum(gaps[rows]))
                drawn.append(run.docs[rows][_top(numbers, depth)])
            return drawn

        held: list[IndexArray] = []
        for drawn in as_they_come(of_pieces, _pieces(offsets, n_samples, rng)):
            for docs in drawn:
                held.append(docs)
                if sum(map(len, held)) == n_samples:
                    yield held[0] if len(held) == 1 else np.concatenate(held)
                    held = []


class _Piece(NamedTuple):
    """Random numbers of some samples of a query.

    Attributes:
        query: Its place in the run.
        numbers: (N, n) in (0, 1), a row per sample.
    """

    query: int
    numbers: FloatArray


def _pieces(offsets: list[int], n_samples: int, rng: np.random.Generator) -> Iterator[list[_Piece]]:
    """The numbers of all samples, in their order; a few pieces at a time."""
    pieces: list[_Piece] = []
    n_numbers = 0
    for q, (start, end) in enumerate(pairwise(offsets)):
        step = max(1, NOISE_AT_ONCE // max(1, end - start))
        for first in range(0, n_samples, step):
            n = min(step, n_samples - first)
            pieces.append(_Piece(q, _positive(n * (end - start), rng).reshape(n, end - start)))
            n_numbers += n * (end - start)
            if n_numbers >= NOISE_AHEAD:
                yield pieces
                pieces, n_numbers = [], 0
    if pieces:
        yield pieces


def _positive(n: int, rng: np.random.Generator) -> FloatArray:
    """Random numbers in (0, 1): those of which ``rng.gumbel`` makes noise, which leaves out a zero, too."""
    numbers = rng.random(n)
    while numbers.min(initial=1.0) == 0.0:
        left = numbers[numbers > 0.0]
        numbers = np.concatenate([left, rng.random(n - left.size)])
    return numbers


@kernel
def _put_noise(numbers: FloatArray, behind: FloatArray) -> None:
    """Turn random numbers into Gumbel noise, the bits of ``rng.gumbel``, less how far each item lies behind the first.

    The stream of numbers is one; its logarithms, which take the most time, are every thread's.
    """
    for sample in range(numbers.shape[0]):
        for i in range(numbers.shape[1]):
            numbers[sample, i] = 0.0 - math.log(-math.log(1.0 - numbers[sample, i])) - behind[i]


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


def _top(noisy: FloatArray, depth: int) -> IntArray:
    """(N, depth) columns of the largest values of each row, largest first."""
    if depth >= noisy.shape[1]:
        return np.argsort(-noisy, axis=1)
    best = np.argpartition(-noisy, depth - 1, axis=1)[:, :depth]
    order = np.argsort(-np.take_along_axis(noisy, best, axis=1), axis=1)
    return np.take_along_axis(best, order, axis=1)
