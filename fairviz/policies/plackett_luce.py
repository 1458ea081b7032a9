"""The Plackett–Luce policy with fairness control α (Kim & Diaz, 3.2)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fairviz.kernels.attention import Attention
from fairviz.kernels.compiled import by_queries, kernel
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
from fairviz.policies.scales import Scaled, ranked_rows, scaled, scaled_scores

NOISE_AT_ONCE = 2**17
"""Random numbers that are held at once while rankings are drawn: they stay in the cache."""

ABOVE_ZERO = 2.0**-53
"""The least random number above 0."""

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

    def exposure(self, pools: Pools, attention: Attention, *, scaled: Scaled | None = None) -> Exposure:
        """Exact expected exposure of every pool row; judged items that were not ranked get 0.

        Args:
            pools: A scored run with its judgements.
            attention: A rank-only browsing model.
            scaled: Its ranked items' scores on this policy's scale, which many α share; None: they are scaled here.

        Raises:
            ValueError: If the pools come from rankings without scores.
        """
        weights = seen_weights(attention.weights(int(pools.n_retrieved.max(initial=0))))

        gaps = np.zeros(pools.docs.size)
        levels, falls = scaled or scaled_scores(pools, self.scores)
        gaps[ranked_rows(pools)] = logit_gaps(levels, falls, float(self.offset), float(self.alpha))

        def of_queries(first: int, last: int) -> FloatArray:
            offsets = pools.offsets[first : last + 1]
            rows, lengths = slice(int(offsets[0]), int(offsets[-1])), pools.n_retrieved[first:last]
            return expected_exposure(gaps[rows], offsets - offsets[0], lengths, weights)

        return np.concatenate(by_queries(of_queries, pools.offsets))

    def sample(self, run: Run, *, depth: int, n_samples: int, rng: np.random.Generator) -> RankingSample:
        """Draw rankings by Gumbel top-k: logit + Gumbel noise, sorted, is a Plackett–Luce ranking.

        Args:
            run: Scores to randomise.
            depth: Ranks kept of each ranking.
            n_samples: Rankings per query.
            rng: Source of chance; equal seeds give equal samples.
        """
        rankings = self.rankings(run, depth=depth, n_samples=n_samples, rng=rng)
        made = {"alpha": float(self.alpha), "scores": self.scores, "offset": float(self.offset)}
        drawn = dict(enumerate(rankings))
        return drawn_sample(run, drawn, system=run.system, policy="plackett-luce", tag=run.tag, source=run, **made)

    def rankings(self, run: Run, *, depth: int, n_samples: int, rng: np.random.Generator) -> Iterator[IndexArray]:
        """The documents of :meth:`sample`, (N, ranks) for one query after the other, drawn when they are asked for."""
        levels, falls = scaled(run.scores, run.offsets, self.scores)
        # Gumbel noise of a double spans 41 nats: no gap needs to be wider than a certain one.
        gaps = np.minimum(logit_gaps(levels, falls, float(self.offset), float(self.alpha)), CERTAIN_GAP)
        for first, last in pairwise(run.offsets.tolist()):
            behind, n = np.cumsum(gaps[first:last]), last - first
            drawn = np.empty((n_samples, min(depth, n)), dtype=np.int32)
            step = max(1, NOISE_AT_ONCE // max(1, n))
            for sample in range(0, n_samples, step):
                numbers = rng.random((min(step, n_samples - sample), n))
                _put_noise(numbers, behind)
                drawn[sample : sample + step] = run.docs[first:last][_top(numbers, depth)]
            yield drawn


@kernel
def _put_noise(numbers: FloatArray, behind: FloatArray) -> None:
    """Turn random numbers into how far each item comes last: how far it lies behind, less Gumbel noise.

    The noise is that of ``rng.gumbel`` to the bit, but that a zero counts as the next number above it, where NumPy
    leaves it out: no number then stands elsewhere in the stream for what came before it.
    """
    for sample in range(numbers.shape[0]):
        for i in range(behind.size):
            noise = 0.0 - math.log(-math.log(1.0 - max(numbers[sample, i], ABOVE_ZERO)))
            numbers[sample, i] = -(noise - behind[i])


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
