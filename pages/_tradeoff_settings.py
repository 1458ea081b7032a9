"""The controls of the Trade-off page; every setting is in the address."""

from typing import Literal, NamedTuple

import streamlit as st

from fairviz.analysis.intervals import IntervalTest
from fairviz.analysis.mean_curve import SlopeWeights
from fairviz.exposure import Gain
from fairviz.model import Dataset

Quality = Literal["EER", "EU"]
GAINS: dict[str, Gain] = {"grade ≥ 1": "binary", "graded": "graded"}
QUALITIES: dict[str, Quality] = {"EE-R": "EER", "EU": "EU"}
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
    systems = [run.system for run in loaded.runs]
    names = [qrels.name for qrels in loaded.qrels]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        system = systems[0]
        if len(systems) > 1:
            system = st.selectbox("System", systems, key="system", bind="query-params", width=220)
        judged = names[0]
        if len(names) > 1:
            judged = st.selectbox(
                "Judgements", names, key="judgements", bind="query-params", width=200
            )
        k = st.number_input(
            "k, items seen", 1, 100, 5, key="k", bind="query-params", width=120,
            help="The reader or generator sees the first k items of a ranking, all alike.",
        )  # fmt: skip
        gain = st.segmented_control(
            "Useful is", list(GAINS), default="grade ≥ 1", required=True, key="gain",
            bind="query-params",
        )  # fmt: skip
        quality = "EE-R"
        if has_utility(loaded):
            quality = st.segmented_control(
                "Quality", list(QUALITIES), default="EE-R", required=True, key="quality",
                bind="query-params", help="EE-R of the ranking, or EU of the recorded answers.",
            )  # fmt: skip
        offset, weights, test = _advanced()
    return Settings(
        system=str(system),
        judgements=names.index(str(judged)),
        k=int(k),
        gain=GAINS[gain or "grade ≥ 1"],
        quality=QUALITIES[quality or "EE-R"],
        offset=offset,
        weights=weights,
        test=test,
    )


def has_utility(loaded: Dataset) -> bool:
    """Whether any recorded answer has a utility."""
    return any((outputs.utilities == outputs.utilities).any() for outputs in loaded.outputs)


def _advanced() -> tuple[float, SlopeWeights, IntervalTest]:
    with st.popover("Advanced", icon=":material/tune:", width="content"):
        offset = st.radio(
            "Offset of the logits, (s + offset)^α", list(OFFSETS), key="offset",
            bind="query-params",
            help="With 0, disparity peaks at small α and then returns towards uniform.",
        )  # fmt: skip
        weights = st.radio(
            "Slope weighs points", list(WEIGHTS), key="slope", bind="query-params",
            help="By spacing, the slope hardly depends on the α grid; the paper weighs all alike.",
        )  # fmt: skip
        test = st.radio(
            "Test against the deterministic list", list(TESTS), key="test",
            bind="query-params",
        )  # fmt: skip
    return (
        OFFSETS[offset or "1, published code"],
        WEIGHTS[weights or "by EE-D spacing"],
        TESTS[test or "paired t"],
    )
