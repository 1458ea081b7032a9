"""EE-D, EE-R and EE-L, described: what each rewards, its parameters, and its kernels.

The arithmetic is in ``metrics.exposure`` and ``fairviz.kernels.exposure``; here a parsed measure chooses among it.
``norm='attainable'`` at sampled or short rankings may leave [0, 1]: it is shown with a warning and never clipped.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from fairviz.kernels.attention import Attention, Cascade
from fairviz.kernels.exposure import (
    PolicyBounds,
    SampledExposure,
    effective_gains,
    exposure_bounds,
    run_exposure,
    sample_exposure,
    target_exposure,
)
from fairviz.kernels.grouping import Membership, group_sums
from fairviz.metrics.describe import Measure, Options, declared
from fairviz.metrics.exposure import (
    Part,
    attainable,
    cascade_exposure,
    ee_disparity,
    expeval,
    fair_rag,
    plug_in,
    unbiased_disparity,
)
from fairviz.metrics.group_exposure import OfMeans
from fairviz.model import Exposure, FloatArray, IntArray, ParamValue, Pools, RankingSample, Run
from fairviz.resources import content


def _misfit(params: Mapping[str, ParamValue], cutoff: int | None) -> str | None:
    """Why parameters and cutoff of an expected-exposure measure do not go together."""
    norm, browsing, unbiased = params["norm"], params["browsing"], params["estimate"] == "unbiased"
    by_item, printed = params["by"] == "item", norm in ("fair-rag", "expeval")
    faults = (
        (browsing == "topk" and cutoff is None, "browsing='topk' needs a cutoff: write @k, for example @5"),
        (
            browsing == "cascade" and norm == "attainable" and by_item,
            "browsing='cascade' depends on the ranking, so attainable bounds are undefined: use norm='none'",
        ),
        (norm == "fair-rag" and browsing != "topk", "norm='fair-rag' is a convention of browsing='topk'"),
        (
            norm == "expeval" and browsing not in ("rbp", "cascade"),
            "norm='expeval' is a convention of browsing='rbp' and 'cascade'",
        ),
        (norm == "expeval" and cutoff is not None, "norm='expeval' reads rankings to their end: leave out @k"),
        (printed and unbiased, f"estimate='unbiased' goes with norm='attainable' and 'none', not {norm!r}"),
        (printed and not by_item, f"norm={norm!r} is of items; by='group' has norm='none'"),
        (unbiased and not by_item, "estimate='unbiased' is of items; by='group' has estimate='plugin'"),
    )
    return next((words for holds, words in faults if holds), None)


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
    """An expected-exposure measure: which one it is, besides its description."""

    part: Part


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
        model = Cascade(options["p"], options["phi"], cutoff)
        seen = replace(pools, gains=gains)
        sampled, target = cascade_exposure(ranked, seen, model, largest_gain=float(largest[0]))
    else:
        model = Attention(options["browsing"], cutoff=cutoff, patience=options["p"], stopping=options["gamma"])
        target = target_exposure(pools, model)
        if isinstance(ranked, RankingSample):
            sampled = sample_exposure(ranked, pools, model)
        else:
            exposure = run_exposure(pools, model)
            squares = ee_disparity(exposure, pools.offsets)
            sampled = SampledExposure(exposure, squares, np.minimum(pools.n_retrieved, 1))
    return ExposureEvidence(pools=pools, attention=model, target=target, **sampled._asdict())


def exposure_values(
    measure: ExposureMeasure, evidence: ExposureEvidence, options: Options, cutoff: int | None
) -> FloatArray:
    """(Q) the measure per query; NaN where nothing was ranked or nothing can differ."""
    norm, pools, exposure = options["norm"], evidence.pools, evidence.exposure
    if norm == "expeval":  # it gives a query that the run lacks its worst value, instead of none
        utility = options["phi"] if isinstance(evidence.attention, Cascade) else None
        return expeval(measure.part, exposure, pools, patience=options["p"], utility=utility).normalised
    if norm == "fair-rag" and cutoff is not None:
        values = fair_rag(measure.part, exposure, pools, cutoff).normalised
    else:
        values = plug_in(measure.part, exposure, evidence.target, pools.offsets)
    if options["estimate"] == "unbiased" and measure.part != "relevance":  # linear in exposure: it is as it stands
        plugin = ee_disparity(exposure, pools.offsets)
        unbiased = unbiased_disparity(plugin, evidence.mean_square, evidence.n_samples)
        values = unbiased if measure.part == "disparity" else values - plugin + unbiased
    if norm == "attainable" and not isinstance(evidence.attention, Cascade):
        ends: PolicyBounds = getattr(exposure_bounds(evidence.target, pools.offsets, evidence.attention), measure.part)
        values = attainable(values, *ends)
    return np.where(pools.n_retrieved > 0, values, np.nan)


# EE-D, EE-R and EE-L of groups (Raj et al., 2.3–2.4): exposure of a group is that of its items.


def exposure_by_group(part: Part, evidence: ExposureEvidence, members: Membership) -> OfMeans:
    """An expected-exposure measure of groups; queries without a ranked item that the attribute applies to have none."""
    exposure = group_sums(members.weights * evidence.exposure[:, None], evidence.pools)
    target = group_sums(members.weights * evidence.target[:, None], evidence.pools)
    parts = np.concatenate([exposure, target], axis=1)
    in_base = group_sums((~members.not_applicable * evidence.exposure)[:, None], evidence.pools)[:, 0]
    parts[in_base == 0] = np.nan
    n_groups = len(members.groups)

    def of_rows(rows: FloatArray) -> FloatArray:
        exposures, targets = rows[:, :n_groups].ravel(), rows[:, n_groups:].ravel()
        return plug_in(part, exposures, targets, np.arange(len(rows) + 1) * n_groups)

    return OfMeans(parts, of_rows)


EXPOSURE_MEASURES = tuple(
    ExposureMeasure(name=name, rules=(_misfit,), **declared(record))
    for name, record in content("methods/measures")["exposure"].items()
)
