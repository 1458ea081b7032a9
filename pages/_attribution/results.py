"""Controls of the Attribution page, and what it knows of the loaded outputs: computed once per setting.

The page opens on the scale ``share``, from which its sentence is drawn, so that title and chart say the same; the
paper's min-max scale is the first choice beside it. Every setting is in the address.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.evaluate.compare import Comparison, compare_all
from fairviz.evaluate.outputs import Estimate
from fairviz.exposure import Gain
from fairviz.metrics.consumption import Scale
from fairviz.model import Dataset, Scores
from fairviz.show.words import Finding, distinct_names
from fairviz.studies.attribution.findings import Rate, concentration_finding, rank_finding
from fairviz.studies.attribution.panels import (
    Generation,
    OutputSummary,
    Pair,
    RankDecline,
    by_generator,
    output_summaries,
    rank_decline,
)
from pages._kit.cache import cached
from pages._kit.recorded_outputs import AS_RECORDED, recorded, sources, usual_k, usual_source

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
    selection = st.segmented_control(
        "α of the lists given",
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
FIXED_LISTS = ("deterministic",)
"""Settings whose lists do not vary: use cannot be less concentrated than one fixed list."""


class Results(NamedTuple):
    """Everything that does not depend on the setting looked at.

    Attributes:
        groups: One member per generator, under a name that tells it from the others.
        rows: Summary per generator and setting, on the page's estimate.
        tested: Rows whose concentration may be compared: several outputs, lists that vary,
            unbiased.
        declines: Per generator, citations of rank 1 beside those of the last rank; of the
            deterministic or as recorded lists where there are some.
        finding: The page's title and sentence.
        problems: Why outputs could not be measured.
    """

    groups: tuple[Generation, ...]
    rows: tuple[OutputSummary, ...]
    tested: tuple[OutputSummary, ...]
    declines: tuple[tuple[str, RankDecline], ...]
    finding: Finding
    problems: tuple[str, ...]

    @property
    def single_sample(self) -> bool:
        """No query of any generator has more than one output."""
        return all(group.single_sample for group in self.groups)


@cached
def results(loaded: Dataset, selection: Settings) -> Results:
    """Measure, group and compare all recorded outputs."""
    measured = recorded(loaded, selection.k, selection.gain, selection.given_from, selection.estimate)
    groups = _named(by_generator(measured.points))
    rows = output_summaries(groups, rng=_rng())
    tested = _tested(loaded, selection)
    declines = tuple((group.name, rank_decline(group.points[-1].matches, rng=_rng())) for group in groups)
    if tested:
        finding = concentration_finding(tested)
    else:
        rates = [Rate(group.name, row.rate) for group, row in zip(groups, rows, strict=False)]
        finding = rank_finding(declines, rates, _gaps(groups))
    return Results(groups, rows, tested, declines, finding, measured.problems)


def _tested(loaded: Dataset, selection: Settings) -> tuple[OutputSummary, ...]:
    measured = recorded(loaded, selection.k, selection.gain, selection.given_from, "unbiased")
    rows = output_summaries(_named(by_generator(measured.points)), rng=_rng())
    return tuple(row for row in rows if not row.single_sample and row.setting not in FIXED_LISTS)


def _named(groups: tuple[Generation, ...]) -> tuple[Generation, ...]:
    """Generators under names without the parts that all share."""
    names = distinct_names([group.name for group in groups])
    return tuple(group._replace(name=name) for group, name in zip(groups, names, strict=True))


def _gaps(groups: tuple[Generation, ...]) -> Sequence[Comparison]:
    """The largest EAR minus each other one, over common queries; Holm over all pairs, among which it was searched."""
    rates = [
        Scores(
            system=group.name,
            measure="EAR",
            query_ids=group.points[0].outputs.query_ids,
            values=group.points[0].rate,
        )
        for group in groups
    ]
    known = [score for score in rates if not np.isnan(score.value)]
    if len(known) < 2:
        return []
    falling = sorted(known, key=lambda score: -score.value)
    compared = compare_all(list(combinations(falling, 2)), seed=SEED)
    return [gap for gap in compared if gap.system == falling[0].system]


def _rng() -> np.random.Generator:
    return np.random.default_rng(SEED)
