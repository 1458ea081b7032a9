"""FAIR as a number (Zehlike et al. 2017; Raj et al., Eq. 2): is a group under-represented?"""

import numpy as np

from fairviz.gains import ranks
from fairviz.metrics.prefixes import prefix_counts
from fairviz.model import FloatArray, IntArray
from fairviz.model.arrays import segment_sums


def fair_binomial(protected: FloatArray, offsets: IntArray, p: FloatArray) -> FloatArray:
    """(1/N) Σ_k P(m ≤ protected items in the first k | Binomial(k, p)), summed from m = 0.

    Unlabelled items are trials that are not protected. Over-representation is not penalised.

    Args:
        protected: (N) 1 where the item at that rank is of the protected group, else 0.
        offsets: (R+1) rows of each ranking.
        p: (R) chance that an item should be protected, per ranking.

    Returns:
        (R) in [0, 1], 1 = never fewer than chance would give; NaN for an empty ranking or where p
        is undefined.

    Examples:
        >>> fair_binomial(np.array([1.0, 0.0]), np.array([0, 2]), np.array([0.5]))
        array([0.875])
    """
    from scipy.special import bdtr  # half a second of imports, for this measure alone

    counts = np.rint(prefix_counts(protected[:, None], offsets)[:, 0])
    trials = ranks(offsets).astype(np.int64)
    chance = np.asarray(bdtr(counts, trials, np.repeat(p, np.diff(offsets))), dtype=np.float64)
    n = np.diff(offsets)
    return np.divide(segment_sums(chance, offsets), n, out=np.full(n.size, np.nan), where=n > 0)
