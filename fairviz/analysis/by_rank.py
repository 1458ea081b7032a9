"""Values of stacked rankings as a table: a row per ranking, a column per rank."""

import numpy as np

from fairviz.gains import ranks
from fairviz.model import FloatArray, IntArray
from fairviz.model.arrays import segment_ids


def running(values: FloatArray, offsets: IntArray, depth: int) -> FloatArray:
    """(R, K) sum of the values down to each rank; beyond the end of a ranking it stays.

    Args:
        values: (N) a value per rank of each ranking.
        offsets: (R+1) ranks of each ranking.
        depth: K.

    Examples:
        >>> running(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 3]), 3)
        array([[1., 3., 3.],
               [4., 4., 4.]])
    """
    found = np.zeros((offsets.size - 1, depth))
    rank = ranks(offsets).astype(np.int64)
    kept = rank <= depth
    found[segment_ids(offsets)[kept], rank[kept] - 1] = values[kept]
    return np.cumsum(found, axis=1)


def carried(values: FloatArray, offsets: IntArray, depth: int) -> FloatArray:
    """(R, K) value at each rank; the last one goes on beyond the end, NaN in an empty ranking.

    Examples:
        >>> carried(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 3]), 3)
        array([[1., 2., 2.],
               [4., 4., 4.]])
    """
    sizes = np.diff(offsets)
    found = np.full((sizes.size, depth), np.nan)
    filled = np.flatnonzero(sizes)
    at = np.minimum(np.arange(depth), sizes[filled, None] - 1)
    found[filled] = values[offsets[:-1][filled, None] + at]
    return found
