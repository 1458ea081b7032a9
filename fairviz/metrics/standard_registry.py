"""The effectiveness measures that ir-measures knows, described in fairviz's words.

ir-measures (MacAvaney et al. 2022) is imported when a measure of its is first named. Its own
parser is not used: it knows only its own names and accepts a parameter twice.
"""

from collections.abc import Mapping
from functools import cache
from typing import cast

from fairviz.errors import UsageError
from fairviz.metrics.parameters import Kind, Parameter, Span, check_cutoff, check_parameters
from fairviz.metrics.standard_protocols import ParamInfo, Provider, StandardMeasure
from fairviz.model import MeasureSpec

PROVIDERS = ("pytrec_eval", "cwl_eval", "compat", "pyndeval", "judged", "msmarco", "accuracy")
"""Providers in the order they are asked; the last two for RR@k and Accuracy, which no other has."""

REFUSED = ("ERR",)
"""Computed by gdeval alone, which misreads query ids that are not numbers."""

DIVERSITY_PROVIDER = "pyndeval"
DIVERSITY_CUTOFF = 20
"""ndeval counts no deeper."""

DEFAULTS: Mapping[tuple[str, str], int] = {("RBP", "rel"): 1}
"""Parameters that have a default here and none in ir-measures."""

SPANS = {
    "p": Span(0, 1, open=True),
    "alpha": Span(0, 1),
    "beta": Span(0, open=True),
    "recall": Span(0, 1),
    "T": Span(0, open=True),
    "rel": Span(0),
    "min_rel": Span(0),
    "max_rel": Span(1),
}
"""Numbers that make sense, by parameter name; ir-measures checks types only."""

KIND_OF: Mapping[object, Kind] = {
    int: "whole",
    float: "number",
    bool: "flag",
    str: "text",
    dict: "gains",
}


@cache
def registry() -> Mapping[str, StandardMeasure]:
    """All measures of ir-measures by name, aliases included."""
    import ir_measures

    known = cast("object", ir_measures.measures.registry)  # pyright: ignore[reportUnknownMemberType]
    return cast("Mapping[str, StandardMeasure]", known)


@cache
def providers() -> tuple[Provider, ...]:
    """The providers that fairviz trusts and that are installed."""
    import ir_measures

    known = cast("Mapping[str, Provider]", ir_measures.providers.registry)
    return tuple(known[name] for name in PROVIDERS if known[name].is_available())


def standard_names() -> tuple[str, ...]:
    """The names under which ir-measures' measures are listed: no aliases, none that is refused."""
    known = registry().items()
    return tuple(name for name, one in known if name == one.NAME and name not in REFUSED)


def standard_parameters(name: str) -> tuple[Parameter, ...]:
    """What may stand in parentheses, cutoff aside."""
    measure = registry()[name]
    return tuple(
        _described(measure.NAME, parameter, info)
        for parameter, info in measure.SUPPORTED_PARAMS.items()
        if parameter != "cutoff"
    )


def check_standard(name: str, params: Mapping[str, object], at: object) -> MeasureSpec:
    """Parameters and ``@k`` of an ir-measures measure, validated.

    Args:
        name: A name in :func:`registry`.
        params: Parameters as typed.
        at: What follows @, or None; for IPrec it is the recall level.

    Raises:
        UsageError: Naming what is accepted, or why no provider computes this.
    """
    typed = dict(params)
    measure = registry()[name]
    if at is not None and measure.AT_PARAM != "cutoff":
        typed, at = {**typed, measure.AT_PARAM: at}, None
    checked = check_parameters(name, standard_parameters(name), typed)
    takes_cutoff = "cutoff" in measure.SUPPORTED_PARAMS
    if at is not None and not takes_cutoff:
        raise UsageError(f"{name} takes no @k")
    if at is None and takes_cutoff and measure.SUPPORTED_PARAMS["cutoff"].required:
        raise UsageError(f"{name} needs a cutoff: write {name}@k, for example @5")
    cutoff = None if at is None else check_cutoff(name, at)
    spec = MeasureSpec(name, checked, cutoff)
    provider_of(spec)
    return spec


def standard_measure(spec: MeasureSpec) -> StandardMeasure:
    """The measure object of ir-measures, with :data:`DEFAULTS` for what was not typed."""
    measure = registry()[spec.name]
    ours = {name: default for (owner, name), default in DEFAULTS.items() if owner == measure.NAME}
    measure = measure(**(ours | spec.params))
    return measure if spec.cutoff is None else measure(cutoff=spec.cutoff)


def provider_of(spec: MeasureSpec) -> Provider:
    """The provider that computes a measure.

    Raises:
        UsageError: If none does, with the reason where it is known.
    """
    measure = standard_measure(spec)
    _refuse_what_breaks(measure)
    for provider in providers():
        if provider.supports(measure):
            _refuse_beyond_provider(measure, provider)
            return provider
    raise UsageError(f"{_shown(measure)}: no provider computes it with these parameters and cutoff")


def _described(measure: str, name: str, info: ParamInfo) -> Parameter:
    kind = KIND_OF[info.dtype]
    default = info.default if isinstance(info.default, int | float | str) else None
    default = DEFAULTS.get((measure, name), default)
    choices = info.choices if isinstance(info.choices, list) else []
    return Parameter(
        name=name,
        kind=kind,
        default=default,
        meaning=(info.desc or "").partition(", or NOT_PROVIDED")[0],
        choices=tuple(choices),
        span=SPANS.get(name),
        required=info.required,
    )


def _refuse_what_breaks(measure: StandardMeasure) -> None:
    """Combinations that would crash, or be answered by gdeval, which is wrong silently."""
    params = measure.params
    if measure.NAME in REFUSED or params.get("dcg") == "exp-log2":
        raise UsageError(
            f"{_shown(measure)} is refused: only gdeval computes it, which misreads query ids "
            "that are not numbers and returns wrong values"
        )
    low, high = params.get("min_rel", 0), params.get("max_rel")
    if isinstance(low, int) and isinstance(high, int) and low >= high:
        raise UsageError(f"{_shown(measure)}: min_rel must be below max_rel")
    recall = params.get("recall")
    if isinstance(recall, float) and round(recall, 2) != recall:
        raise UsageError(f"{_shown(measure)}: recall is computed to two decimals")


def _refuse_beyond_provider(measure: StandardMeasure, provider: Provider) -> None:
    """Limits that ndeval has and states only by crashing."""
    if provider.NAME != DIVERSITY_PROVIDER:
        return
    cutoff = measure.params.get("cutoff")
    if "cutoff" in measure.SUPPORTED_PARAMS and cutoff is None:
        raise UsageError(f"{_shown(measure)} needs a cutoff, for example @20")
    if isinstance(cutoff, int) and cutoff > DIVERSITY_CUTOFF:
        raise UsageError(f"{_shown(measure)}: ndeval counts no deeper than @{DIVERSITY_CUTOFF}")
    if measure.params.get("judged_only"):
        raise UsageError(f"{_shown(measure)}: judged_only is not computed for diversity measures")


def _shown(measure: StandardMeasure) -> str:
    """A measure in ir-measures' own words."""
    return str(measure)
