"""Controls of the Attribution page, and what it knows of the loaded outputs: computed once per setting.

The page opens on the scale ``share``, from which its sentence is drawn, so that title and chart say the same; the
paper's min-max scale is the first choice beside it. Every setting is in the address.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import streamlit as st

from fairviz.attention import TopK
from fairviz.evaluation.outputs import Estimate
from fairviz.exposure import Gain
from fairviz.metrics.consumption import Scale
from fairviz.model import Dataset, Factors
from fairviz.report.page_tables import AttributionSettings
from fairviz.studies.attribution import report
from fairviz.studies.attribution.grid import UseComparison
from fairviz.studies.attribution.panels import Generation, Pair
from fairviz.studies.attribution.report import (
    ALPHA,
    Results,
    Systems,
    analysed,
    compared_under,
    measured_systems,
    setting_names,
    usual_setting,
)
from fairviz.studies.tradeoff.curves import relevance_measure
from fairviz.studies.tradeoff.panels import Curves, kept
from pages._kit.cache import cached
from pages._kit.controls import bound_number, choose_relevance
from pages._kit.recorded_outputs import pairs_of, recorded, usual_k

SCALES: dict[str, Scale] = {"min-max": "minmax", "share": "share", "k": "k"}
ESTIMATES: dict[str, Estimate] = {"plug-in": "plugin", "unbiased": "unbiased"}
PAIRS: dict[str, Pair] = {
    "EE-D, EAE-D": "EED-EAED",
    "EE-D, EAR": "EED-EAR",
    "EE-R, EAR": "EER-EAR",
}


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

    def as_command(self) -> AttributionSettings:
        """The same as a command takes it."""
        return AttributionSettings(k=self.k, gain=self.gain, scale=self.scale, estimate=self.estimate)


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
        k = bound_number(
            "Context size k",
            1,
            100,
            usual_k(loaded),
            "items",
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
                "unbiased estimate is undefined for one output. On the scale “share” it is always the unbiased one, "
                "but for answers of one output per query.",
                disabled=scale == "share",
            )
    return Settings(
        k=k,
        gain=gain,
        scale=SCALES[scale or "share"],
        estimate=ESTIMATES[estimate or "plug-in"],
    )


def setting_control(groups: Sequence[Generation]) -> str:
    """Which lists the answers were made from: an α, or the deterministic list."""
    names = setting_names(groups)
    if len(names) == 1:
        return names[0]
    usual = usual_setting(names)
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


def known_pairs(result: "Results") -> list[Pair]:
    """Axes that have a value: without judgements there is no EE-R."""
    judged = any(not np.isnan(points.relevance).all() for group in result.groups for points in group.points)
    return [pair for pair in PAIRS.values() if judged or pair != "EER-EAR"]


def pair_control(result: "Results") -> Pair:
    """Which two measures the panels of several systems show."""
    known = known_pairs(result)
    usual = "EE-D, EAR" if result.single_sample else "EE-D, EAE-D"  # of one answer concentration is decided by EAR
    selection = st.segmented_control(
        "Axes",
        [name for name, pair in PAIRS.items() if pair in known],
        default=usual,
        required=True,
        key="axes",
        bind="query-params",
    )
    return PAIRS[selection or usual]


SEED = 0
Off: TypeAlias = tuple[tuple[str, str | None], ...]
"""(factor, value) of what is excluded."""


@cached
def systems(loaded: Dataset, selection: Settings) -> Systems:
    """Measure and group all recorded outputs."""
    measured = recorded(loaded, selection.k, selection.gain, selection.estimate)
    unclear = any(pairing.question for pairing in pairs_of(loaded))
    return measured_systems(measured.points, problems=measured.problems, unclear=unclear)


@cached
def results(loaded: Dataset, selection: Settings, task: str | None, off: Off = ()) -> Results:
    """Summarise and compare the systems of one task, without what is excluded."""
    found = systems(loaded, selection)
    of_task = [factors for factors in found.planned if factors.task == task]
    return analysed(found, task, included=kept(of_task, off) or of_task, seed=SEED)


def whole(loaded: Dataset, selection: Settings) -> tuple[Results, ...]:
    """All systems, task by task; one empty result where none could be measured."""
    return tuple(results(loaded, selection, task) for task in systems(loaded, selection).tasks)


@cached
def path_curves(loaded: Dataset, selection: Settings, task: str | None, off: Off, pair: Pair) -> tuple[Curves, ...]:
    """What the small panels draw."""
    return report.path_curves(results(loaded, selection, task, off), pair, selection.scale, seed=SEED)


@cached
def beside(
    loaded: Dataset,
    selection: Settings,
    task: str | None,
    off: Off,
    pair: Pair,
    setting: str,
    baseline: Factors,
    by: tuple[str, ...],
) -> UseComparison | None:
    """Each system under a setting beside the baseline; None where the baseline has no value there."""
    return compared_under(
        results(loaded, selection, task, off),
        setting,
        pair=pair,
        scale=selection.scale,
        relevance=selection.relevance_name,
        baseline=baseline,
        by=by,
        seed=SEED,
    )
