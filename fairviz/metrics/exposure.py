"""Expected-exposure measures of item-side fairness (Diaz et al. 2020; Kim & Diaz, 3.3.1).

Kernels: values per pool row and offsets in, one value per query out. EE-R carries no factor 2, so
EE-L = EE-D − 2·EE-R + ‖ε*‖².
"""

import numpy as np

from fairviz.exposure import Interval, varies
from fairviz.model import Exposure, FloatArray, IntArray
from fairviz.model.arrays import segment_sums


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
    return segment_sums(exposure**2, offsets)


def ee_relevance(exposure: Exposure, target: Exposure, offsets: IntArray) -> FloatArray:
    """EE-R, ⟨ε, ε*⟩: how much exposure is where usefulness is. Higher is better.

    Examples:
        >>> ee_relevance(np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.array([0, 2]))
        array([0.5])
    """
    return segment_sums(exposure * target, offsets)


def ee_loss(exposure: Exposure, target: Exposure, offsets: IntArray) -> FloatArray:
    """EE-L, ‖ε − ε*‖²: distance from equal exposure of equally useful items. 0 = on target.

    Examples:
        >>> ee_loss(np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.array([0, 2]))
        array([0.5])
    """
    return segment_sums((exposure - target) ** 2, offsets)


def unbiased_disparity(disparity: FloatArray, mean_square: FloatArray, n_samples: IntArray) -> FloatArray:
    """EE-D from N sampled rankings without the plug-in's upward bias.

    E‖ε̂‖² = ‖ε‖² + (mean_π‖ε_π‖² − ‖ε‖²)/N, hence (N‖ε̂‖² − mean_π‖ε_π‖²)/(N−1).

    Args:
        disparity: (Q) plug-in ‖ε̂‖².
        mean_square: (Q) mean over the rankings of ‖ε_π‖².
        n_samples: (Q) rankings per query.

    Returns:
        (Q) the estimate; NaN where N < 2.
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
