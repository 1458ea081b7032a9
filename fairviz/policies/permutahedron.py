"""Euclidean projection onto the attainable exposures of an attention.

All policies over n items together attain exactly the permutahedron of v (its vertices are the
rankings). Projecting z sorts it, fits z − v by isotonic (falling) regression and subtracts the fit;
for ``topk`` this is the capped simplex, ε_d = clip(z_d − τ, 0, 1) with Σε = k.
"""

import numba
import numpy as np

from fairviz.model import FloatArray, IntArray


@numba.njit(cache=True)
def project(falling: FloatArray, offsets: IntArray, weights: FloatArray) -> FloatArray:
    """Nearest attainable exposure of each query's values.

    Args:
        falling: (M) values, falling within each query.
        offsets: (Q+1) rows of each query.
        weights: Attention at ranks 1, 2, …, at least as long as the longest query; falling.

    Returns:
        (M) exposure in the same order, summing to Σv of each query.
    """
    exposure = np.empty(falling.size)
    longest = 0
    for q in range(offsets.size - 1):
        longest = max(longest, offsets[q + 1] - offsets[q])
    block_start = np.empty(longest + 1, dtype=np.int64)
    block_sum = np.empty(longest)
    for q in range(offsets.size - 1):
        start = offsets[q]
        n = offsets[q + 1] - start
        n_blocks = 0
        for i in range(n):
            block_start[n_blocks] = i
            block_sum[n_blocks] = falling[start + i] - weights[i]
            n_blocks += 1
            # Pool neighbours whose means rise: they share one value of the fit.
            while n_blocks > 1:
                size = i + 1 - block_start[n_blocks - 1]
                size_before = block_start[n_blocks - 1] - block_start[n_blocks - 2]
                if block_sum[n_blocks - 2] * size > block_sum[n_blocks - 1] * size_before:
                    break
                block_sum[n_blocks - 2] += block_sum[n_blocks - 1]
                n_blocks -= 1
        block_start[n_blocks] = n
        for b in range(n_blocks):
            low, high = block_start[b], block_start[b + 1]
            # Differences from the block's first value keep precision where values are huge.
            first = falling[start + low]
            mean_gap, mean_weight = 0.0, 0.0
            for i in range(low, high):
                mean_gap += falling[start + i] - first
                mean_weight += weights[i]
            mean_gap /= high - low
            mean_weight /= high - low
            for i in range(low, high):
                exposure[start + i] = falling[start + i] - first - mean_gap + mean_weight
    return exposure
