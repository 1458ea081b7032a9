"""The controls of the Attribution page; every setting is in the address."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from fairviz.analysis.consumption import Estimate
from fairviz.analysis.output_panels import Generation, Pair
from fairviz.exposure import Gain
from fairviz.metrics.consumption import Scale
from fairviz.model import Dataset
from pages._recorded import AS_RECORDED, sources, usual_k, usual_source

GAINS: dict[str, Gain] = {"grade ≥ 1": "binary", "graded": "graded"}
SCALES: dict[str, Scale] = {"min-max": "minmax", "share": "share", "k": "k"}
ESTIMATES: dict[str, Estimate] = {"plug-in": "plugin", "unbiased": "unbiased"}
PAIRS: dict[str, Pair] = {
    "EE-D, EAE-D": "EED-EAED",
    "EE-D, EAR": "EED-EAR",
    "EE-R, EAR": "EER-EAR",
}
USUAL_SETTING = "α = 2"
ALPHA = "α = "


class Settings(NamedTuple):
    """What the page shows.

    Attributes:
        k: Items that a context holds.
        gain: Graded or binary usefulness, for EE-R.
        given_from: What counts as given where outputs do not say it.
        scale: On which both disparities stand.
        estimate: Of both disparities.
    """

    k: int
    gain: Gain
    given_from: str
    scale: Scale
    estimate: Estimate


def settings(loaded: Dataset) -> Settings:
    """Show the controls in a row and return what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        scale = st.segmented_control(
            "Scale",
            list(SCALES),
            default="share",
            required=True,
            key="scale",
            bind="query-params",
            help="min-max: attainable EE-D beside EAE-D / k (the paper's). share: how attention "
            "is shared, whatever its amount. k: both divided by k; no point can lie above y = x.",
        )
        k = st.number_input(
            "k, items given",
            1,
            100,
            usual_k(loaded),
            key="items",
            bind="query-params",
            width=120,
            help="Only the first k items given count.",
        )
        known, given_from = sources(loaded), AS_RECORDED
        if known:
            given_from = st.selectbox(
                "Items given",
                known,
                index=known.index(usual_source(loaded)),
                key="given",
                bind="query-params",
                width=200,
                help="These outputs do not record the list they were given: it is taken from the "
                "first k of a run, or from the list of references that they record.",
            )
        gain = st.segmented_control(
            "Useful is",
            list(GAINS),
            default="grade ≥ 1",
            required=True,
            key="gain",
            bind="query-params",
            disabled=not loaded.qrels,
        )
        with st.popover("Advanced", icon=":material/tune:", width="content"):
            estimate = st.radio(
                "Estimate of both disparities",
                list(ESTIMATES),
                key="estimate",
                bind="query-params",
                help="The plug-in of N outputs is too high by about (mean ‖ε_π‖² − ‖ε‖²) / N; the "
                "unbiased estimate is undefined for one output.",
            )
    return Settings(
        k=int(k),
        gain=GAINS[gain or "grade ≥ 1"],
        given_from=str(given_from),
        scale=SCALES[scale or "share"],
        estimate=ESTIMATES[estimate or "plug-in"],
    )


def setting_control(groups: Sequence[Generation]) -> str:
    """Which lists the answers were made from: an α, or the deterministic list."""
    names = list(dict.fromkeys(name for group in groups for name in group.settings))
    names.sort(key=lambda name: not name.startswith(ALPHA))
    if len(names) == 1:
        return names[0]
    usual = USUAL_SETTING if USUAL_SETTING in names else names[0]
    labels = [name.removeprefix(ALPHA) for name in names]
    chosen = st.segmented_control(
        "α of the lists given",
        labels,
        default=usual.removeprefix(ALPHA),
        required=True,
        key="lists_at",
        bind="query-params",
        help="Answers were recorded for lists drawn at these α, and for the deterministic list.",
    )
    return names[labels.index(chosen)] if chosen in labels else usual


def pair_control() -> Pair:
    """Which two measures the panels of several generators show."""
    chosen = st.segmented_control(
        "Axes",
        list(PAIRS),
        default="EE-D, EAE-D",
        required=True,
        key="axes",
        bind="query-params",
    )
    return PAIRS[chosen or "EE-D, EAE-D"]
