"""EE-D, EE-R and EE-L, described: what each rewards, its parameters, and its kernels.

The arithmetic is in ``metrics.exposure`` and ``fairviz.kernels.exposure``; here a parsed measure chooses among it.
``norm='attainable'`` at sampled or short rankings may leave [0, 1]: it is shown with a warning and never clipped.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fairviz.kernels.attention import Attention, Cascade
from fairviz.kernels.exposure import (
    PolicyBounds,
    effective_gains,
    exposure_bounds,
    run_exposure,
    sample_exposure,
    target_exposure,
)
from fairviz.kernels.grouping import Membership, group_sums
from fairviz.metrics.describe import Measure, Options, declared
from fairviz.metrics.exposure import (
    Reference,
    References,
    attainable,
    cascade_exposure,
    ee_disparity,
    ee_loss,
    ee_relevance,
    expeval,
    fair_rag,
    unbiased_disparity,
    unbiased_loss,
)
from fairviz.metrics.group_exposure import OfMeans, group_disparity, group_loss, group_relevance
from fairviz.model import Exposure, FloatArray, IntArray, ParamValue, Pools, RankingSample, Run
from fairviz.resources import content

BY_GROUP: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "EED": lambda exposure, _: group_disparity(exposure),
    "EER": group_relevance,
    "EEL": group_loss,
}
"""Measure -> its kernel on (B, G) exposure and target of groups."""


def _topk_needs_a_cutoff(params: Mapping[str, ParamValue], cutoff: int | None) -> str | None:
    if params["browsing"] == "topk" and cutoff is None:
        return "browsing='topk' needs a cutoff: write @k, for example @5"
    return None


def _cascade_has_no_bounds(params: Mapping[str, ParamValue], _: int | None) -> str | None:
    by_item = params["by"] == "item"
    if params["browsing"] == "cascade" and params["norm"] == "attainable" and by_item:
        return "browsing='cascade' depends on the ranking, so attainable bounds are undefined: use norm='none'"
    return None


def _conventions_fit_their_program(params: Mapping[str, ParamValue], cutoff: int | None) -> str | None:
    norm, browsing = params["norm"], params["browsing"]
    if norm == "fair-rag" and browsing != "topk":
        return "norm='fair-rag' is a convention of browsing='topk'"
    if norm == "expeval" and browsing not in ("rbp", "cascade"):
        return "norm='expeval' is a convention of browsing='rbp' and 'cascade'"
    if norm == "expeval" and cutoff is not None:
        return "norm='expeval' reads rankings to their end: leave out @k"
    if norm in ("fair-rag", "expeval") and params["estimate"] == "unbiased":
        return f"estimate='unbiased' goes with norm='attainable' and 'none', not {norm!r}"
    return None


def _groups_are_raw(params: Mapping[str, ParamValue], _: int | None) -> str | None:
    if params["by"] == "item":
        return None
    if params["norm"] in ("fair-rag", "expeval"):
        return f"norm={params['norm']!r} is of items; by='group' has norm='none'"
    if params["estimate"] == "unbiased":
        return "estimate='unbiased' is of items; by='group' has estimate='plugin'"
    return None


EXPOSURE_RULES = (_topk_needs_a_cutoff, _cascade_has_no_bounds, _conventions_fit_their_program, _groups_are_raw)


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
        part: Itself among the bounds of EE-D, EE-R and EE-L, and among what a published program computes.
    """

    plugin: Callable[[ExposureEvidence], FloatArray]
    unbiased: Callable[[ExposureEvidence], FloatArray]
    part: Literal["disparity", "relevance", "loss"]


def exposure_evidence(
    ranked: Run | RankingSample, pools: Pools, options: Options, cutoff: int | None, *, largest_grade: int
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
            gains, largest = (effective_gains(values, "binary", 1) for values in (gains, largest))
        cascade = Cascade(options["p"], options["phi"], cutoff)
        seen = replace(pools, gains=gains)
        sampled, target = cascade_exposure(ranked, seen, cascade, largest_gain=float(largest[0]))
        return ExposureEvidence(pools=pools, attention=cascade, target=target, **sampled._asdict())
    model = Attention(options["browsing"], cutoff=cutoff, patience=options["p"], stopping=options["gamma"])
    target = target_exposure(pools, model)
    if isinstance(ranked, RankingSample):
        sampled = sample_exposure(ranked, pools, model)
        return ExposureEvidence(pools=pools, attention=model, target=target, **sampled._asdict())
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
    measure: ExposureMeasure, evidence: ExposureEvidence, options: Options, cutoff: int | None
) -> FloatArray:
    """(Q) the measure per query; NaN where nothing was ranked or nothing can differ."""
    norm, pools = options["norm"], evidence.pools
    if norm == "expeval":
        return _convention(_expeval(evidence, options), measure)
    if norm == "fair-rag" and cutoff is not None:
        values = _convention(fair_rag(evidence.exposure, pools, cutoff), measure)
    else:
        values = (measure.unbiased if options["estimate"] == "unbiased" else measure.plugin)(evidence)
    if norm == "attainable" and not isinstance(evidence.attention, Cascade):
        ends: PolicyBounds = getattr(exposure_bounds(evidence.target, pools.offsets, evidence.attention), measure.part)
        values = attainable(values, *ends)
    return np.where(pools.n_retrieved > 0, values, np.nan)


def _convention(printed: References, measure: ExposureMeasure) -> FloatArray:
    reference: Reference = getattr(printed, measure.part)
    return reference.normalised


def _expeval(evidence: ExposureEvidence, options: Options) -> References:
    """What expeval prints, which gives a missing query its worst value instead of none."""
    cascade = isinstance(evidence.attention, Cascade)
    utility = options["phi"] if cascade else None
    return expeval(evidence.exposure, evidence.pools, patience=options["p"], utility=utility)


# EE-D, EE-R and EE-L of groups (Raj et al., 2.3–2.4): exposure of a group is that of its items.


def exposure_by_group(name: str, evidence: ExposureEvidence, members: Membership) -> OfMeans:
    """An expected-exposure measure of groups; queries without a ranked item that the attribute applies to have none."""
    exposure = group_sums(members.weights * evidence.exposure[:, None], evidence.pools)
    target = group_sums(members.weights * evidence.target[:, None], evidence.pools)
    parts = np.concatenate([exposure, target], axis=1)
    in_base = group_sums((~members.not_applicable * evidence.exposure)[:, None], evidence.pools)[:, 0]
    parts[in_base == 0] = np.nan
    n_groups = len(members.groups)
    kernel = BY_GROUP[name]
    return OfMeans(parts, lambda rows: kernel(rows[:, :n_groups], rows[:, n_groups:]))


def _disparity(evidence: ExposureEvidence) -> FloatArray:
    return ee_disparity(evidence.exposure, evidence.pools.offsets)


def _disparity_unbiased(evidence: ExposureEvidence) -> FloatArray:
    return unbiased_disparity(_disparity(evidence), evidence.mean_square, evidence.n_samples)


def _relevance(evidence: ExposureEvidence) -> FloatArray:
    """Linear in exposure, so that the plug-in is unbiased as it is."""
    return ee_relevance(evidence.exposure, evidence.target, evidence.pools.offsets)


def _loss(evidence: ExposureEvidence) -> FloatArray:
    return ee_loss(evidence.exposure, evidence.target, evidence.pools.offsets)


def _loss_unbiased(evidence: ExposureEvidence) -> FloatArray:
    return unbiased_loss(_loss(evidence), _disparity(evidence), evidence.mean_square, evidence.n_samples)


PLUGIN: dict[str, Callable[[ExposureEvidence], FloatArray]] = {"EED": _disparity, "EER": _relevance, "EEL": _loss}
UNBIASED = PLUGIN | {"EED": _disparity_unbiased, "EEL": _loss_unbiased}

EXPOSURE_MEASURES = tuple(
    ExposureMeasure(name=name, plugin=PLUGIN[name], unbiased=UNBIASED[name], rules=EXPOSURE_RULES, **declared(record))
    for name, record in content("methods/measures")["exposure"].items()
)
