"""Disparity–quality curves of policies made from a run's scores (Kim & Diaz, 5; DESIGN 2.6)."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from fairviz.attention import Attention
from fairviz.exposure import (
    Bounds,
    Gain,
    exposure_bounds,
    run_exposure,
    sample_exposure,
    target_exposure,
    uniform_exposure,
)
from fairviz.metrics.exposure import attainable, ee_disparity, ee_relevance
from fairviz.model import Curve, Exposure, FloatArray, Pools, RankingSample
from fairviz.model.arrays import segment_sums
from fairviz.policies import PlackettLuce, normalised_scores, optimal_frontier, oracle_frontier

PolicyName: TypeAlias = Literal["plackett-luce", "optimal", "oracle", "uniform", "deterministic"]


def tradeoff_curve(
    pools: Pools,
    *,
    system: str,
    policy: PolicyName,
    alphas: FloatArray,
    attention: Attention,
    offset: float = 1.0,
    gain: Gain = "graded",
    rel: int = 1,
) -> Curve:
    """Exact attainable EE-D and EE-R of one policy along α.

    Args:
        pools: A scored run with its judgements.
        system: Name of the system.
        policy: "plackett-luce", "optimal" and "oracle" give one point per α, the latter two with
            the mean EE-D that Plackett–Luce has there; "uniform" (over the pool) and
            "deterministic" (the run as it is) give one point and ignore α.
        alphas: (A) fairness control of Plackett–Luce.
        attention: A rank-only browsing model.
        offset: 1 or 0, see :class:`PlackettLuce`.
        gain: Graded usefulness, or "binary".
        rel: The grade from which an item is useful, for binary gain.

    Returns:
        A curve with per-query values; undefined where the query was not ranked or cannot vary.
    """
    target = target_exposure(pools, attention, gain=gain, rel=rel)
    exposures: list[Exposure]
    match policy:
        case "uniform":
            alphas, exposures = np.array([np.nan]), [uniform_exposure(pools, attention)]
        case "deterministic":
            alphas, exposures = np.array([np.nan]), [run_exposure(pools, attention)]
        case "plackett-luce" | "optimal" | "oracle":
            exposures = [PlackettLuce(float(a), offset).exposure(pools, attention) for a in alphas]
    curve = exposure_curve(pools, exposures, target, attention, system, policy, alphas)
    if policy not in ("optimal", "oracle"):
        return curve
    frontier = optimal_frontier if policy == "optimal" else oracle_frontier
    matched = frontier(pools, target, attention).at(curve.mean_disparity)
    return exposure_curve(pools, matched, target, attention, system, policy, alphas)


def exposure_curve(
    pools: Pools,
    exposures: Sequence[Exposure],
    target: Exposure,
    attention: Attention,
    system: str,
    policy: str,
    alphas: FloatArray,
) -> Curve:
    """The curve through given exposures of one pool."""
    bounds = exposure_bounds(target, pools.offsets, attention)
    points = [_point(pools, exposure, target, bounds) for exposure in exposures]
    disparity, quality, score = (np.array(axis) for axis in zip(*points, strict=True))
    return Curve(
        system=system,
        policy=policy,
        query_ids=pools.query_ids,
        alphas=np.asarray(alphas, dtype=np.float64),
        disparity=disparity,
        quality=quality,
        score=score,
    )


def sampled_curve(
    samples: Sequence[RankingSample],
    pools: Sequence[Pools],
    *,
    attention: Attention,
    gain: Gain = "graded",
    rel: int = 1,
) -> Curve:
    """Attainable EE-D and EE-R (plug-in) of recorded samples of one system, ordered by α.

    Args:
        samples: Rankings of one system, one member per α.
        pools: The pools of each sample, over the same queries.
        attention: A rank-only browsing model.
        gain: As in :func:`tradeoff_curve`.
        rel: As in :func:`tradeoff_curve`.
    """
    alphas = np.array([np.nan if s.alpha is None else s.alpha for s in samples])
    order: list[int] = np.argsort(alphas, kind="stable").tolist()
    curves: list[Curve] = []
    for i in order:
        target = target_exposure(pools[i], attention, gain=gain, rel=rel)
        drawn = sample_exposure(samples[i], pools[i], attention)
        system, policy = samples[i].system, "sampled"
        curves.append(exposure_curve(pools[i], [drawn.exposure], target, attention, system, policy, alphas[i : i + 1]))
    return Curve(
        system=samples[0].system,
        policy="sampled",
        query_ids=pools[0].query_ids,
        alphas=alphas[order],
        disparity=np.concatenate([curve.disparity for curve in curves]),
        quality=np.concatenate([curve.quality for curve in curves]),
        score=np.concatenate([curve.score for curve in curves]),
        n_samples=int(max(sample.n_samples.max(initial=0) for sample in samples)),
    )


def _point(
    pools: Pools, exposure: Exposure, target: Exposure, bounds: Bounds
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Per query: attainable EE-D, attainable EE-R, ⟨ε, s̄⟩; NaN where nothing was ranked."""
    ranked = pools.n_retrieved > 0
    disparity = attainable(ee_disparity(exposure, pools.offsets), *bounds.disparity)
    quality = attainable(ee_relevance(exposure, target, pools.offsets), *bounds.relevance)
    return (
        np.where(ranked, disparity, np.nan),
        np.where(ranked, quality, np.nan),
        np.where(ranked, _score(pools, exposure), np.nan),
    )


def _score(pools: Pools, exposure: Exposure) -> FloatArray:
    """⟨ε, s̄⟩ per query, NaN where the rankings carry no scores."""
    if np.isnan(pools.scores).all():
        return np.full(pools.sizes.size, np.nan)
    return segment_sums(exposure * np.nan_to_num(normalised_scores(pools)), pools.offsets)
