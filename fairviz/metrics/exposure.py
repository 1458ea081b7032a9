"""Expected-exposure measures of item-side fairness (Diaz et al. 2020; Kim & Diaz, 3.3.1).

Kernels: values per pool row and offsets in, one value per query out. EE-R carries no factor 2, so
EE-L = EE-D − 2·EE-R + ‖ε*‖².
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairviz.attention import Cascade
from fairviz.exposure import Interval, sample_exposure, varies
from fairviz.model import Exposure, FloatArray, IntArray, Pools, RankingSample, Run
from fairviz.model.arrays import segment_dots, segment_ids

# Where attention reads the gains on its way down (GERR), exposure is of rankings only, and the target of an ideal one.


class CascadeExposure(NamedTuple):
    """Exposure under a cascade.

    Attributes:
        exposure: (M) expected exposure ε.
        target: (M) target exposure ε*.
        mean_square: (Q) mean over the rankings of ‖ε_π‖².
        n_samples: (Q) rankings of each query.
    """

    exposure: Exposure
    target: Exposure
    mean_square: FloatArray
    n_samples: IntArray


def cascade_exposure(
    ranked: Run | RankingSample, pools: Pools, cascade: Cascade, *, largest_gain: float
) -> CascadeExposure:
    """Expected and target exposure of one system's rankings.

    Args:
        ranked: A run is one ranking per query.
        pools: The alignment of ``ranked`` with the judgements.
        cascade: Patience, and the chance that an item of the largest gain satisfies.
        largest_gain: Of all judgements, whichever of them are in the pools.
    """
    among = float(pools.gains.max(initial=0.0))
    if among > 0:  # sample_exposure relates gains to the largest among the pools
        cascade = replace(cascade, phi=cascade.phi * among / largest_gain)
    sample = _as_sample(ranked) if isinstance(ranked, Run) else ranked
    sampled = sample_exposure(sample, pools, cascade)
    return CascadeExposure(sampled.exposure, _target(pools, cascade), sampled.mean_square, sampled.n_samples)


def _target(pools: Pools, cascade: Cascade) -> Exposure:
    """The exposure of one ideal ranking, shared within blocks of equal gain.

    Positions of a block are reached by the same items above and like items within, so that the
    mean over the block is the target of each of its items.
    """
    query = segment_ids(pools.offsets)
    order = np.lexsort((-pools.gains, query))
    ideal = RankingSample(
        system="ideal",
        query_ids=pools.query_ids,
        doc_ids=pools.doc_ids,
        query_offsets=np.arange(len(pools.query_ids) + 1),
        sample_offsets=pools.offsets,
        docs=pools.docs[order],
    )
    exposure = sample_exposure(ideal, pools, cascade).exposure
    keys = np.stack([query.astype(np.float64), pools.gains])
    _, block = np.unique(keys, axis=1, return_inverse=True)
    return (np.bincount(block, weights=exposure) / np.bincount(block))[block]


def _as_sample(run: Run) -> RankingSample:
    """A run as one ranking per query."""
    return RankingSample(
        system=run.system,
        query_ids=run.query_ids,
        doc_ids=run.doc_ids,
        query_offsets=np.arange(len(run.query_ids) + 1),
        sample_offsets=run.offsets,
        docs=run.docs,
    )


def ee_disparity(exposure: Exposure, offsets: IntArray) -> FloatArray:
    """EE-D, ‖ε‖²: how concentrated exposure is. Lower is more equal.

    Smallest where every item of the pool is exposed alike, largest for one fixed list.

    Args:
        exposure: (M) expected exposure per pool row.
        offsets: (Q+1) rows of each query.

    Examples:
        >>> ee_disparity(np.array([1.0, 1.0, 0.5, 0.5]), np.array([0, 2, 4]))
        array([2. , 0.5])
    """
    return segment_dots(exposure, exposure, offsets)


def ee_relevance(exposure: Exposure, target: Exposure, offsets: IntArray) -> FloatArray:
    """EE-R, ⟨ε, ε*⟩: how much exposure is where usefulness is. Higher is better.

    Examples:
        >>> ee_relevance(np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.array([0, 2]))
        array([0.5])
    """
    return segment_dots(exposure, target, offsets)


def ee_loss(exposure: Exposure, target: Exposure, offsets: IntArray) -> FloatArray:
    """EE-L, ‖ε − ε*‖²: distance from equal exposure of equally useful items. 0 = on target.

    Examples:
        >>> ee_loss(np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.array([0, 2]))
        array([0.5])
    """
    gap = exposure - target
    return segment_dots(gap, gap, offsets)


def unbiased_disparity(disparity: FloatArray, mean_square: FloatArray, n_samples: IntArray | FloatArray) -> FloatArray:
    """EE-D from N sampled rankings without the plug-in's upward bias.

    E‖ε̂‖² = ‖ε‖² + (mean_π‖ε_π‖² − ‖ε‖²)/N, hence (N‖ε̂‖² − mean_π‖ε_π‖²)/(N−1).

    Args:
        disparity: (Q) plug-in ‖ε̂‖².
        mean_square: (Q) mean over the rankings of ‖ε_π‖².
        n_samples: (Q) rankings per query; of weighted ones their effective number, and means by squared weights in
            ``mean_square``.

    Returns:
        (Q) the estimate; NaN where N ≤ 1.
    """
    n = n_samples.astype(np.float64)
    unbiased = (n * disparity - mean_square) / np.where(n > 1, n - 1, 1)
    return np.where(n > 1, unbiased, np.nan)


def unbiased_loss(loss: FloatArray, disparity: FloatArray, mean_square: FloatArray, n_samples: IntArray) -> FloatArray:
    """EE-L from N sampled rankings with its EE-D part unbiased; NaN where N < 2."""
    return loss - disparity + unbiased_disparity(disparity, mean_square, n_samples)


def attainable(values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """(value − low) / (high − low): 0 and 1 are the ends that any policy over the pool can have.

    Never clipped: a list shorter than the attention may lie outside [0, 1].

    Returns:
        (Q) the normalised values; NaN where low = high, since nothing can differ there.
    """
    open_ = varies(Interval(low, high))
    return np.where(open_, (values - low) / np.where(open_, high - low, 1.0), np.nan)
