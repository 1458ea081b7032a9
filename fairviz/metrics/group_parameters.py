"""Parameters that group measures share, each described once."""

from typing import Literal, NotRequired, TypeAlias, TypedDict

from fairviz.attention import Browsing
from fairviz.divergence import Divergence
from fairviz.exposure import Gain
from fairviz.grouping import Missing
from fairviz.metrics.describe import Parameter, Span, When
from fairviz.metrics.fair import Irm
from fairviz.metrics.group_exposure import Aggregate, Distance
from fairviz.metrics.pairwise import PairKind
from fairviz.metrics.prefix_fairness import PrefixDistance

Scale: TypeAlias = Literal["shares", "minmax"]
"""How scores become usefulness: as they are, or min–max per query."""

CHANCE = Span(0, 1, open=True)
"""Where a continuation or stopping probability lies."""

GAIN_PARAMETERS = (
    Parameter(
        name="gain",
        kind="text",
        default="graded",
        choices=("graded", "binary"),
        meaning="whether usefulness is the grade, or useful / not useful",
    ),
    Parameter(
        name="rel",
        kind="whole",
        default=1,
        span=Span(1),
        only_with=("gain", ("binary",)),
        chooses=True,
        meaning="smallest grade that is useful; typing it means gain='binary'",
    ),
)

MISSING = Parameter(
    name="missing",
    kind="text",
    default="drop",
    choices=("drop", "group"),
    meaning="whether unlabelled items count for no group, or are a group of their own",
)

CASCADE_NEEDS = When("browsing", ("cascade",), adds=("qrels",))
"""A cascade reads the usefulness of what stands above."""

GROUP = Parameter(
    name="group",
    kind="text",
    default=None,
    meaning="the protected group G+ (with two groups: the smaller one unless named)",
)


class GroupOptions(TypedDict):
    """Parameters of group measures, validated by the catalogue; a measure has those it names."""

    browsing: Browsing | Literal["cascade"]
    p: NotRequired[float]
    gamma: float
    phi: float
    gain: Gain
    rel: int
    group: NotRequired[str]
    missing: Missing
    over: Literal["query", "system"]
    distance: Distance | PrefixDistance
    step: int
    normalise: bool
    eps: float
    by: Literal["group", "item"]
    utility: Literal["gain", "score"]
    kind: PairKind
    aggregate: Aggregate | Literal["min", "max", "share"]
    irm: Irm
    alpha: float
    additive: bool
    divergence: Divergence
    scale: Scale


def browsing_parameters(default: Browsing) -> tuple[Parameter, ...]:
    """How attention falls with rank, with the parameters of each model."""
    models = ("topk", "rbp", "geometric", "log", "dcg", "cascade")
    return (
        Parameter(
            name="browsing",
            kind="text",
            default=default,
            choices=(default, *(model for model in models if model != default)),
            meaning="how attention falls with rank",
        ),
        Parameter(
            name="gamma",
            kind="number",
            default=0.5,
            span=CHANCE,
            only_with=("browsing", ("geometric",)),
            meaning="chance of stopping at each rank, for geometric",
        ),
        Parameter(
            name="p",
            kind="number",
            default=0.8,
            span=CHANCE,
            only_with=("browsing", ("rbp", "cascade")),
            meaning="chance of going on to the next rank, for rbp and cascade",
        ),
        Parameter(
            name="phi",
            kind="number",
            default=0.5,
            span=Span(0, 1),
            only_with=("browsing", ("cascade",)),
            meaning="chance that an item of the largest grade satisfies, for cascade",
        ),
    )


def over(default: Literal["query", "system"]) -> Parameter:
    """Whether queries are averaged before or after the measure."""
    other = "system" if default == "query" else "query"
    return Parameter(
        name="over",
        kind="text",
        default=default,
        choices=(default, other),
        meaning="the mean of a value per query, or one value of exposure averaged over queries",
    )


def aggregated(*more: str) -> Parameter:
    """How values of queries become one."""
    return Parameter(
        name="aggregate",
        kind="text",
        default="mean",
        choices=("mean", "min", "max", *more),
        meaning="over queries: their mean, the smallest or the largest"
        + (", or the share of queries infeasible at k" if more else ""),
    )
