"""Expected-exposure measures with their parameters: browsing model, gains, normalisation, estimate.

The arithmetic is in ``metrics.exposure`` and ``fairviz.exposure``; here a parsed measure chooses
among it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypedDict

import numpy as np

from fairviz.attention import Attention, Browsing, Cascade, attention
from fairviz.exposure import (
    Bounds,
    Gain,
    Interval,
    effective_gains,
    exposure_bounds,
    run_exposure,
    sample_exposure,
    target_exposure,
)
from fairviz.groups import Missing
from fairviz.metrics.cascade import cascade_exposure
from fairviz.metrics.conventions import Reference, References, expeval, fair_rag
from fairviz.metrics.description import Measure
from fairviz.metrics.exposure import attainable, ee_disparity
from fairviz.model import Exposure, FloatArray, IntArray, Pools, RankingSample, Run
from fairviz.pool import Members

Norm: TypeAlias = Literal["attainable", "none", "fair-rag", "expeval"]
"""How raw values are brought to a common scale."""

Estimate: TypeAlias = Literal["plugin", "unbiased"]
"""Which estimate of an expectation sampled rankings give."""


class ExposureOptions(TypedDict):
    """Parameters of EED, EER and EEL, validated by the catalogue."""

    browsing: Browsing | Literal["cascade"]
    p: float
    gamma: float
    phi: float
    norm: Norm
    gain: Gain
    rel: int
    pool: Members
    estimate: Estimate
    by: Literal["item", "group"]
    over: Literal["query", "system"]
    missing: Missing


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposureEvidence:
    """What every expected-exposure measure of one system is computed from.

    Attributes:
        pools: The system's rankings aligned with judgements; gains as the target sees them.
        attention: The browsing model.
        exposure: (M) expected exposure ε.
        target: (M) target exposure ε*.
        mean_square: (Q) mean over the rankings of ‖ε_π‖².
        n_samples: (Q) rankings of each query.
    """

    pools: Pools
    attention: Attention | Cascade
    exposure: Exposure
    target: Exposure
    mean_square: FloatArray
    n_samples: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposureMeasure(Measure):
    """An expected-exposure measure: its kernels besides its description.

    Attributes:
        plugin: Value per query from the exposure of the rankings at hand.
        unbiased: The same without the plug-in's bias; NaN for a single ranking.
        interval: Its attainable bounds, among those of EE-D, EE-R and EE-L.
        convention: Itself among what a published program computes.

    What is None must be no choice of its parameters ``estimate`` and ``norm``.
    """

    plugin: Callable[[ExposureEvidence], FloatArray]
    unbiased: Callable[[ExposureEvidence], FloatArray] | None = None
    interval: Callable[[Bounds], Interval] | None = None
    convention: Callable[[References], Reference] | None = None


def exposure_evidence(
    ranked: Run | RankingSample,
    pools: Pools,
    options: ExposureOptions,
    cutoff: int | None,
    *,
    largest_grade: int,
) -> ExposureEvidence:
    """Expected and target exposure of one system.

    Args:
        ranked: A run is one ranking per query; a sample is as many as it holds.
        pools: The alignment of ``ranked`` with the judgements.
        options: Validated parameters.
        cutoff: The measure's ``@k``.
        largest_grade: Of all judgements: what a cascade measures gains against.
    """
    gains = effective_gains(pools.gains, options["gain"], options["rel"])
    pools = replace(pools, gains=gains)
    if options["browsing"] == "cascade":
        largest = np.array([float(largest_grade)])
        largest = effective_gains(largest, options["gain"], options["rel"])
        if options["norm"] == "expeval":  # to expeval, any grade above 0 satisfies alike
            gains, largest = (effective_gains(each, "binary", 1) for each in (gains, largest))
        cascade = Cascade(options["p"], options["phi"], cutoff)
        seen = replace(pools, gains=gains)
        found = cascade_exposure(ranked, seen, cascade, largest_gain=float(largest[0]))
        return ExposureEvidence(pools=pools, attention=cascade, **found._asdict())
    model = attention(options["browsing"], cutoff=cutoff, patience=options["p"], stopping=options["gamma"])
    target = target_exposure(pools, model)
    if isinstance(ranked, RankingSample):
        found = sample_exposure(ranked, pools, model)
        return ExposureEvidence(pools=pools, attention=model, target=target, **found._asdict())
    exposure = run_exposure(pools, model)
    return ExposureEvidence(
        pools=pools,
        attention=model,
        exposure=exposure,
        target=target,
        mean_square=ee_disparity(exposure, pools.offsets),
        n_samples=np.minimum(pools.n_retrieved, 1),
    )


def exposure_values(
    measure: ExposureMeasure,
    evidence: ExposureEvidence,
    options: ExposureOptions,
    cutoff: int | None,
) -> FloatArray:
    """(Q) the measure per query; NaN where nothing was ranked or nothing can differ."""
    norm, pools = options["norm"], evidence.pools
    if norm == "expeval" and measure.convention:
        return measure.convention(_expeval(evidence, options)).normalised
    if norm == "fair-rag" and measure.convention and cutoff is not None:
        values = measure.convention(fair_rag(evidence.exposure, pools, cutoff)).normalised
    else:
        unbiased = measure.unbiased if options["estimate"] == "unbiased" else None
        values = (unbiased or measure.plugin)(evidence)
    if norm == "attainable" and measure.interval and not isinstance(evidence.attention, Cascade):
        bounds = exposure_bounds(evidence.target, pools.offsets, evidence.attention)
        values = attainable(values, *measure.interval(bounds))
    return np.where(pools.n_retrieved > 0, values, np.nan)


def _expeval(evidence: ExposureEvidence, options: ExposureOptions) -> References:
    """What expeval prints, which gives a missing query its worst value instead of none."""
    cascade = isinstance(evidence.attention, Cascade)
    utility = options["phi"] if cascade else None
    return expeval(evidence.exposure, evidence.pools, patience=options["p"], utility=utility)
