"""How a generator uses what it was given: EU, EAR and EAE-D (Kim & Diaz, 3.3.2–3.3.5), kernels and descriptions.

Kernels: values per output or per pool row and offsets in, one value per query out. Recorded outputs are aligned with
what was given in ``fairviz.kernels.attribution``, and scored in ``evaluation.outputs``.
"""

from typing import Literal, TypeAlias

import numpy as np

from fairviz.metrics.describe import Measure, declared
from fairviz.model import Exposure, FloatArray, IntArray
from fairviz.model.arrays import ratio, segment_sums
from fairviz.resources import content

UtilityNorm: TypeAlias = Literal["none", "best"]
"""EU as recorded, or divided by the best that the generator reached for the query."""

Scale: TypeAlias = Literal["minmax", "share", "k"]
"""Scales on which retrieval and consumption disparity are put side by side."""

OUTPUT_MEASURES = tuple(
    Measure(name=name, **declared(record)) for name, record in content("methods/measures")["outputs"].items()
)


def expected_utility(utilities: FloatArray, offsets: IntArray) -> FloatArray:
    """EU, the mean utility of a query's outputs: (1/N) Σ μ_u(y, ŷ_π). Higher is better.

    Args:
        utilities: (O) utility per output, NaN = none recorded, which leaves the output out.
        offsets: (Q+1) outputs of each query.

    Returns:
        (Q) means; NaN for a query without a utility.

    Examples:
        >>> expected_utility(np.array([1.0, 0.0, np.nan]), np.array([0, 2, 3]))
        array([0.5, nan])
    """
    mask = ~np.isnan(utilities)
    sums = segment_sums(np.where(mask, utilities, 0.0), offsets)
    return ratio(sums, segment_sums(mask.astype(np.float64), offsets))


def largest_utility(utilities: FloatArray, offsets: IntArray) -> FloatArray:
    """(Q) the largest utility of a query's outputs; NaN where none is recorded."""
    best = np.full(offsets.size - 1, -np.inf)
    owner = np.repeat(np.arange(best.size), np.diff(offsets))
    np.maximum.at(best, owner, np.where(np.isnan(utilities), -np.inf, utilities))
    return np.where(np.isneginf(best), np.nan, best)


def share_of_best(utility: FloatArray, best: FloatArray) -> FloatArray:
    """EU / the largest utility that this generator reached for the query: 1 = as good as ever.

    Args:
        utility: (Q) expected utility.
        best: (Q) largest utility in any recorded run of the generator, oracle runs included.

    Returns:
        (Q) shares; NaN where the best is 0 (0/0): nothing shows what could be reached.

    Examples:
        >>> share_of_best(np.array([0.5, 0.0]), np.array([1.0, 0.0]))
        array([0.5, nan])
    """
    return ratio(utility, best)


def attribution_rate(n_attributed: IntArray, offsets: IntArray, *, k: int) -> FloatArray:
    """EAR, the share of the context that outputs attribute: mean of (attributed / k). In [0, 1].

    Args:
        n_attributed: (O) given items that each output attributes.
        offsets: (Q+1) outputs of each query.
        k: Items that a context holds.

    Returns:
        (Q) rates; NaN for a query without outputs.

    Examples:
        >>> attribution_rate(np.array([5, 0, 1]), np.array([0, 2, 3]), k=5)
        array([0.5, 0.2])
    """
    shares = segment_sums(n_attributed / k, offsets)
    return ratio(shares, np.diff(offsets).astype(np.float64))


def attributed_disparity(attributed: Exposure, offsets: IntArray) -> FloatArray:
    """EAE-D, ‖ε_a‖²: how concentrated attribution is. Lower = more items share it.

    ε_a,d is the share of outputs that attribute d, so that with one output per query
    EAE-D / k = EAR identically.

    Args:
        attributed: (M) attributed exposure per pool row.
        offsets: (Q+1) rows of each query.

    Returns:
        (Q) values; 0 where nothing is ever attributed, k where one list of k items always is.

    Examples:
        >>> attributed_disparity(np.array([1.0, 0.5, 0.5, 0.0]), np.array([0, 4]))
        array([1.5])
    """
    return segment_sums(attributed**2, offsets)


def concentration(disparity: FloatArray, total: FloatArray) -> FloatArray:
    """‖ε‖² / (Σε)², the Herfindahl index of exposure shares; 1 / it = effective sources.

    Args:
        disparity: (Q) ‖ε‖², plug-in or unbiased.
        total: (Q) Σε.

    Returns:
        (Q) between 1/n (all alike) and 1 (one item has everything); NaN where nothing is exposed.

    Examples:
        >>> 1 / concentration(np.array([4 * 0.5**2]), np.array([4 * 0.5]))
        array([4.])
    """
    return ratio(disparity, total**2)


def equal_chance(disparity: FloatArray, rate: FloatArray) -> FloatArray:
    """EAR² · x: the attributed disparity if each given item were equally likely to be used.

    On the ``k`` scale, ε_a = EAR · ε then; above this the generator concentrates attention
    further than retrieval did, the same criterion as y = x on the ``share`` scale.
    """
    return rate**2 * disparity
