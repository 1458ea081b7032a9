"""Controls of the Attribution page, and what it knows of the loaded outputs: computed once per setting.

The page opens on the scale ``share``, from which its sentence is drawn, so that title and chart say the same; the
paper's min-max scale is the first choice beside it. Every setting is in the address.
"""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from fairviz.attention import TopK
from fairviz.evaluate.outputs import Estimate
from fairviz.exposure import Gain
from fairviz.metrics.consumption import Scale
from fairviz.model import Dataset
from fairviz.studies.attribution.panels import (
    Generation,
    Pair,
)
from fairviz.studies.attribution.report import Results, analysed
from fairviz.studies.tradeoff.curves import relevance_measure
from pages._kit.cache import cached
from pages._kit.controls import choose_relevance
from pages._kit.recorded_outputs import pairs_of, recorded, usual_k

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
        scale: On which both disparities stand.
        estimate: Of both disparities.
    """

    k: int
    gain: Gain
    scale: Scale
    estimate: Estimate

    @property
    def relevance_name(self) -> str:
        """EE-R of the retrieved context, with how relevance was counted."""
        return relevance_measure(TopK(self.k), self.gain)


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
            "Context size k",
            1,
            100,
            usual_k(loaded),
            key="items",
            bind="query-params",
            width=120,
            help="Only the first k retrieved documents count.",
        )
        gain = choose_relevance(disabled=not loaded.qrels)
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
        gain=gain,
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
    selection = st.segmented_control(
        "α of the retrieved context",
        labels,
        default=usual.removeprefix(ALPHA),
        required=True,
        key="lists_at",
        bind="query-params",
        help="Answers were recorded for lists drawn at these α, and for the deterministic list.",
    )
    return names[labels.index(selection)] if selection in labels else usual


def pair_control() -> Pair:
    """Which two measures the panels of several generators show."""
    selection = st.segmented_control(
        "Axes",
        list(PAIRS),
        default="EE-D, EAE-D",
        required=True,
        key="axes",
        bind="query-params",
    )
    return PAIRS[selection or "EE-D, EAE-D"]


SEED = 0


@cached
def results(loaded: Dataset, selection: Settings) -> Results:
    """Measure, group and compare all recorded outputs."""
    measured = recorded(loaded, selection.k, selection.gain, selection.estimate)
    unbiased = recorded(loaded, selection.k, selection.gain, "unbiased")
    unclear = any(pairing.question for pairing in pairs_of(loaded))
    return analysed(measured.points, unbiased.points, unclear=unclear, seed=SEED)._replace(problems=measured.problems)
