"""Measures of recorded outputs with their parameters: utility, normalisation, size of the context.

The arithmetic is in ``metrics.consumption``; here a parsed measure chooses among it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from fairviz.attention import TopK
from fairviz.attribution import Attribution
from fairviz.exposure import sample_exposure
from fairviz.metrics.consumption import (
    attributed_disparity,
    attribution_rate,
    expected_utility,
    share_of_best,
)
from fairviz.metrics.description import Measure
from fairviz.metrics.exposure import unbiased_disparity
from fairviz.model import FloatArray, IntArray, ParamValue
from fairviz.pool import pool


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityEvidence:
    """What expected utility is computed from.

    Attributes:
        utilities: (O) utility of each output, NaN = none.
        offsets: (Q+1) outputs of each query.
        best: (Q) largest utility that the generator reached for the query in any recorded run.
    """

    utilities: FloatArray
    offsets: IntArray
    best: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityMeasure(Measure):
    """A measure of how good answers are."""

    compute: Callable[[UtilityEvidence, Mapping[str, ParamValue]], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionMeasure(Measure):
    """A measure of which given items outputs attribute."""

    compute: Callable[[Attribution, Mapping[str, ParamValue]], FloatArray]


def utility_per_query(evidence: UtilityEvidence, options: Mapping[str, ParamValue]) -> FloatArray:
    """EU, raw or as a share of the best."""
    values = expected_utility(evidence.utilities, evidence.offsets)
    return share_of_best(values, evidence.best) if options["norm"] == "best" else values


def attribution_per_query(found: Attribution, _: Mapping[str, ParamValue]) -> FloatArray:
    """EAR."""
    return attribution_rate(found.n_attributed, found.attributed.query_offsets, k=found.k)


def attributed_disparity_per_query(
    found: Attribution, options: Mapping[str, ParamValue]
) -> FloatArray:
    """EAE-D, plug-in or unbiased, divided by k or raw."""
    pools = pool(found.given, None)
    drawn = sample_exposure(found.attributed, pools, TopK(found.k))
    values = attributed_disparity(drawn.exposure, pools.offsets, k=found.k, norm="none")
    if options["estimate"] == "unbiased":
        values = unbiased_disparity(values, drawn.mean_square, drawn.n_samples)
    values = np.where(drawn.n_samples > 0, values, np.nan)
    return values / found.k if options["norm"] == "k" else values
