"""The Plackett–Luce policy with fairness control α (Kim & Diaz, 3.2)."""

from dataclasses import dataclass

import numpy as np

from fairviz.attention import Attention
from fairviz.model import Exposure, FloatArray, IntArray, Pools, RankingSample, Run
from fairviz.model.arrays import segment_ids
from fairviz.policies.arrivals import expected_exposure

NEGLIGIBLE = 1e-14
"""Attention below this part of the first rank's is cut: it changes no exposure."""

LARGEST_ALPHA = 1000
"""2^α must be a double; long before, the policy is the deterministic list."""


@dataclass(frozen=True, slots=True)
class PlackettLuce:
    """Items are drawn one after another with chance ∝ exp((s̄ + offset)^α).

    s̄ is the query's min–max score. α = 0 is uniform over the run's items, whatever the scores; a
    large α follows them. Constant scores are uniform.

    Attributes:
        alpha: Fairness control, 0 to 1,000.
        offset: 1 as the paper's published code (default) or 0 as the paper prints it. With 0,
            disparity peaks at small α and returns towards uniform, since s̄^α → 0 below the top.
    """

    alpha: float
    offset: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= LARGEST_ALPHA:
            raise ValueError(f"alpha must lie in [0, {LARGEST_ALPHA}], got {self.alpha}")
        if self.offset not in (0, 1):
            raise ValueError(f"offset is 1 (published code) or 0 (as printed), got {self.offset}")

    def logits(self, normalised: FloatArray) -> FloatArray:
        """(s̄ + offset)^α."""
        return np.power(normalised + self.offset, self.alpha)

    def exposure(self, pools: Pools, attention: Attention) -> Exposure:
        """Exact expected exposure of every pool row; judged items that were not ranked get 0.

        Raises:
            ValueError: If the pools come from rankings without scores.
        """
        scores = normalised_scores(pools)
        logits = self.logits(np.where(np.isnan(scores), 0.0, scores))
        depth = int(pools.n_retrieved.max(initial=0))
        return expected_exposure(logits, pools.offsets, pools.n_retrieved, seen_weights(attention.weights(depth)))

    def sample(self, run: Run, *, depth: int, n_samples: int, rng: np.random.Generator) -> RankingSample:
        """Draw rankings by Gumbel top-k: logit + Gumbel noise, sorted, is a Plackett–Luce ranking.

        Args:
            run: Scores to randomise.
            depth: Ranks kept of each ranking.
            n_samples: Rankings per query.
            rng: Source of chance; equal seeds give equal samples.
        """
        normalised = min_max(run.scores, run.offsets)
        rankings: list[np.ndarray[tuple[int, int], np.dtype[np.int32]]] = []
        for start, end in zip(run.offsets[:-1], run.offsets[1:], strict=True):
            logits = self.logits(normalised[start:end])
            noisy = logits + rng.gumbel(size=(n_samples, end - start))
            rankings.append(run.docs[start:end][_top(noisy, depth)])
        lengths = np.repeat(np.minimum(np.diff(run.offsets), depth), n_samples)
        return RankingSample(
            system=run.system,
            policy="plackett-luce",
            alpha=float(self.alpha),
            query_ids=run.query_ids,
            doc_ids=run.doc_ids,
            query_offsets=np.arange(len(run.query_ids) + 1, dtype=np.int64) * n_samples,
            sample_offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            docs=np.concatenate([r.ravel() for r in rankings] or [np.empty(0, np.int32)]),
        )


def min_max(scores: FloatArray, offsets: IntArray) -> FloatArray:
    """s̄: scores of each segment scaled to [0, 1]; all 0 where they are constant.

    Examples:
        >>> min_max(np.array([3.0, 2.0, 1.0, 7.0, 7.0]), np.array([0, 3, 5]))
        array([1. , 0.5, 0. , 0. , 0. ])
    """
    filled = np.flatnonzero(np.diff(offsets))
    low, high = np.zeros(offsets.size - 1), np.zeros(offsets.size - 1)
    if filled.size:
        low[filled] = np.minimum.reduceat(scores, offsets[filled])
        high[filled] = np.maximum.reduceat(scores, offsets[filled])
    # Halved first, so that the range of two huge scores of opposite sign stays finite.
    width = high / 2 - low / 2
    segment = segment_ids(offsets)
    scaled = (scores / 2 - low[segment] / 2) / np.where(width > 0, width, 1.0)[segment]
    return np.where(width[segment] > 0, scaled, 0.0)


def normalised_scores(pools: Pools) -> FloatArray:
    """(M) s̄ of ranked rows, NaN for the others.

    Raises:
        ValueError: If ranked rows have no scores.
    """
    ranked = ranked_rows(pools)
    if np.isnan(pools.scores[ranked]).any():
        raise ValueError("these rankings carry no scores: a policy needs a scored run")
    scores = np.full(pools.scores.size, np.nan)
    scores[ranked] = min_max(pools.scores[ranked], ranked_offsets(pools))
    return scores


def ranked_rows(pools: Pools) -> IntArray:
    """Rows of the items that were ranked."""
    starts = np.repeat(pools.offsets[:-1], pools.n_retrieved)
    return starts + np.arange(starts.size) - ranked_offsets(pools)[:-1].repeat(pools.n_retrieved)


def ranked_offsets(pools: Pools) -> IntArray:
    """(Q+1) offsets of the ranked items alone."""
    return np.concatenate([[0], np.cumsum(pools.n_retrieved)]).astype(np.int64)


def seen_weights(weights: FloatArray) -> FloatArray:
    """Attention down to the last rank that is seen at all."""
    seen = np.flatnonzero(weights > NEGLIGIBLE * weights[:1].sum())
    return weights[: int(seen[-1]) + 1] if seen.size else weights[:0]


def _top(noisy: FloatArray, depth: int) -> IntArray:
    """(N, depth) columns of the largest values of each row, largest first."""
    n = noisy.shape[1]
    if depth < n:
        best = np.argpartition(-noisy, depth - 1, axis=1)[:, :depth]
    else:
        best = np.tile(np.arange(n, dtype=np.int64), (noisy.shape[0], 1))
    order = np.argsort(-np.take_along_axis(noisy, best, axis=1), axis=1, kind="stable")
    return np.take_along_axis(best, order, axis=1)
