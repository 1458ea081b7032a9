"""The controls of the Trade-off page; every setting is in the address."""

from typing import Literal, NamedTuple

import streamlit as st

from fairviz.analysis.intervals import IntervalTest
from fairviz.analysis.mean_curve import SlopeWeights
from fairviz.exposure import Gain
from fairviz.model import Dataset

Quality = Literal["EER", "EU", "EU/best"]
GAINS: dict[str, Gain] = {"grade ≥ 1": "binary", "graded": "graded"}
QUALITIES: dict[str, Quality] = {"EE-R": "EER", "EU": "EU", "EU of best": "EU/best"}
OFFSETS = {"1, published code": 1.0, "0, as printed": 0.0}
TESTS: dict[str, IntervalTest] = {
    "paired t": "paired",
    "unpaired, Student": "student",
    "unpaired, Welch": "welch",
}
WEIGHTS: dict[str, SlopeWeights] = {"by EE-D spacing": "spacing", "every point alike": "points"}


class Settings(NamedTuple):
    """What the page shows.

    Attributes:
        system: The highlighted system.
        judgements: Position of the judgements in the data set.
        k: Items that the reader or generator sees.
        gain: Graded or binary usefulness.
        quality: Measure on the y axis.
        offset: Of the Plackett–Luce logits.
        weights: How points count in the slope.
        test: Test against the deterministic list.
    """

    system: str
    judgements: int
    k: int
    gain: Gain
    quality: Quality
    offset: float
    weights: SlopeWeights
    test: IntervalTest


def settings(loaded: Dataset) -> Settings:
    """Show the controls in a row and return what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        quality = _quality(loaded)
        system, judgements = "", 0
        if quality == "EER":
            system, judgements = _system(loaded), _judgements(loaded)
        k = st.number_input(
            "k, items seen",
            1,
            100,
            5,
            key="k",
            bind="query-params",
            width=120,
            help="The reader or generator sees the first k items of a ranking, all alike.",
        )
        gain = st.segmented_control(
            "Useful is",
            list(GAINS),
            default="grade ≥ 1",
            required=True,
            key="gain",
            bind="query-params",
        )
        offset, weights, test = _advanced()
    return Settings(
        system=system,
        judgements=judgements,
        k=int(k),
        gain=GAINS[gain or "grade ≥ 1"],
        quality=quality,
        offset=offset,
        weights=weights,
        test=test,
    )


def can_rank(loaded: Dataset) -> bool:
    """Whether there are scores and judgements, so that policies can be made and judged."""
    return bool(loaded.runs and loaded.qrels)


def _quality(loaded: Dataset) -> Quality:
    """What is on the y axis: no choice where only one thing is known."""
    if not has_utility(loaded):
        return "EER"
    known = [name for name, measure in QUALITIES.items() if can_rank(loaded) or measure != "EER"]
    chosen = st.segmented_control(
        "Quality",
        known,
        default=known[0],
        required=True,
        key="quality",
        bind="query-params",
        help="EE-R: of the ranking, by judgements. EU: of the recorded answers, mean utility. EU "
        "of best: EU over the largest utility that the generator reached for the query.",
    )
    return QUALITIES[chosen or known[0]]


def _system(loaded: Dataset) -> str:
    systems = [run.system for run in loaded.runs]
    if len(systems) == 1:
        return systems[0]
    return str(st.selectbox("System", systems, key="system", bind="query-params", width=220))


def _judgements(loaded: Dataset) -> int:
    names = [qrels.name for qrels in loaded.qrels]
    if len(names) == 1:
        return 0
    chosen = st.selectbox("Judgements", names, key="judgements", bind="query-params", width=200)
    return names.index(str(chosen))


def has_utility(loaded: Dataset) -> bool:
    """Whether any recorded answer has a utility."""
    return any((outputs.utilities == outputs.utilities).any() for outputs in loaded.outputs)


def _advanced() -> tuple[float, SlopeWeights, IntervalTest]:
    with st.popover("Advanced", icon=":material/tune:", width="content"):
        offset = st.radio(
            "Offset of the logits, (s + offset)^α",
            list(OFFSETS),
            key="offset",
            bind="query-params",
            help="With 0, disparity peaks at small α and then returns towards uniform.",
        )
        weights = st.radio(
            "Slope weighs points",
            list(WEIGHTS),
            key="slope",
            bind="query-params",
            help="By spacing, the slope hardly depends on the α grid; the paper weighs all alike.",
        )
        test = st.radio(
            "Test against the deterministic list",
            list(TESTS),
            key="test",
            bind="query-params",
        )
    return (
        OFFSETS[offset or "1, published code"],
        WEIGHTS[weights or "by EE-D spacing"],
        TESTS[test or "paired t"],
    )
