"""EE-D, EE-R and EE-L, described: what each rewards, its parameters, and its kernels."""

from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter

from fairviz.metrics.exposure import (
    ee_disparity,
    ee_loss,
    ee_relevance,
    unbiased_disparity,
    unbiased_loss,
)
from fairviz.metrics.exposure_evidence import ExposureEvidence, ExposureMeasure
from fairviz.metrics.group_parameters import (
    GAIN_PARAMETERS,
    MISSING,
    browsing_parameters,
    over,
)
from fairviz.metrics.parameters import ESTIMATE, Parameter
from fairviz.model import FloatArray, ParamValue

EXPOSURE_PARAMETERS = (
    *browsing_parameters("topk"),
    Parameter(
        name="norm",
        kind="text",
        default="attainable",
        choices=("attainable", "none", "fair-rag", "expeval"),
        meaning="scale: between the ends any policy can reach, raw, or as two programs print it",
    ),
    *GAIN_PARAMETERS,
    Parameter(
        name="pool",
        kind="text",
        default="run+judged",
        choices=("run+judged", "run"),
        meaning="whether judged items that were not ranked count among the candidates",
    ),
    ESTIMATE,
    Parameter(
        name="by",
        kind="text",
        default="item",
        choices=("item", "group"),
        meaning="exposure of single items, or of groups (raw: norm='none')",
    ),
    replace(over("system"), only_with=("by", ("group",))),
    replace(MISSING, only_with=("by", ("group",))),
)


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


EXPOSURE_RULES = (
    _topk_needs_a_cutoff,
    _cascade_has_no_bounds,
    _conventions_fit_their_program,
    _groups_are_raw,
)


def _disparity(found: ExposureEvidence) -> FloatArray:
    return ee_disparity(found.exposure, found.pools.offsets)


def _disparity_unbiased(found: ExposureEvidence) -> FloatArray:
    return unbiased_disparity(_disparity(found), found.mean_square, found.n_samples)


def _relevance(found: ExposureEvidence) -> FloatArray:
    """Linear in exposure, so that the plug-in is unbiased as it is."""
    return ee_relevance(found.exposure, found.target, found.pools.offsets)


def _loss(found: ExposureEvidence) -> FloatArray:
    return ee_loss(found.exposure, found.target, found.pools.offsets)


def _loss_unbiased(found: ExposureEvidence) -> FloatArray:
    return unbiased_loss(_loss(found), _disparity(found), found.mean_square, found.n_samples)


EXPOSURE_MEASURES = (
    ExposureMeasure(
        name="EED",
        label="EE-D",
        title="expected-exposure disparity",
        better="lower",
        range=(0, 1),
        formula="‖ε‖²",
        latex=r"\lVert \epsilon \rVert_2^2",
        summary=(
            "How concentrated exposure is on few items. 0: every candidate is exposed alike; 1: always the same list."
        ),
        citation="Diaz et al. 2020, section 4; Kim & Diaz, section 3.3.1",
        parameters=EXPOSURE_PARAMETERS,
        cutoff="required for topk",
        needs=("rankings", "qrels"),
        rules=EXPOSURE_RULES,
        plugin=_disparity,
        unbiased=_disparity_unbiased,
        interval=attrgetter("disparity"),
        convention=attrgetter("disparity"),
    ),
    ExposureMeasure(
        name="EER",
        label="EE-R",
        title="expected-exposure relevance",
        better="higher",
        range=(0, 1),
        formula="⟨ε, ε*⟩",
        latex=r"\langle \epsilon, \epsilon^{*} \rangle",
        summary=("How much exposure goes to useful items. 0: the worst list that the candidates allow; 1: the best."),
        citation="Diaz et al. 2020, section 4; Kim & Diaz, section 3.3.1 (no factor 2)",
        parameters=EXPOSURE_PARAMETERS,
        cutoff="required for topk",
        needs=("rankings", "qrels"),
        rules=EXPOSURE_RULES,
        plugin=_relevance,
        unbiased=_relevance,
        interval=attrgetter("relevance"),
        convention=attrgetter("relevance"),
    ),
    ExposureMeasure(
        name="EEL",
        label="EE-L",
        title="expected-exposure loss",
        better="lower",
        range=(0, 1),
        formula="‖ε − ε*‖² = EE-D − 2 EE-R + ‖ε*‖²",
        latex=r"\lVert \epsilon - \epsilon^{*} \rVert_2^2",
        summary=(
            "Distance from equal exposure of equally useful items. 0: exactly that; 1: as far as any list can be."
        ),
        citation="Diaz et al. 2020, section 3; Kim & Diaz, section 3.3.1",
        parameters=EXPOSURE_PARAMETERS,
        cutoff="required for topk",
        needs=("rankings", "qrels"),
        rules=EXPOSURE_RULES,
        plugin=_loss,
        unbiased=_loss_unbiased,
        interval=attrgetter("loss"),
        convention=attrgetter("loss"),
    ),
)
