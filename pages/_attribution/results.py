"""Controls of the Attribution page, and what it knows of the loaded outputs: computed once per setting.

The page opens on the scale ``share``, from which its sentence is drawn, so that title and chart say the same; the
paper's min-max scale is the first choice beside it. Every setting is in the address.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.attention import TopK
from fairviz.evaluate.compare import Comparison, compare_all
from fairviz.evaluate.outputs import Estimate
from fairviz.exposure import Gain
from fairviz.metrics.consumption import Scale
from fairviz.model import Dataset, Scores
from fairviz.show.words import Finding, distinct_names
from fairviz.studies.attribution.findings import (
    Rate,
    concentration_finding,
    pairing_finding,
    rank_finding,
    references_finding,
)
from fairviz.studies.attribution.panels import (
    Generation,
    OutputSummary,
    Pair,
    RankDecline,
    by_generator,
    output_summaries,
    rank_decline,
)
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
    def known(self) -> "Results":
        """The same for generators of which it is known what they were given besides what they cite."""
        return self._replace(groups=tuple(group for group in self.groups if not group.only_cited))

    @property
    def single_sample(self) -> bool:
        """No query of any generator has more than one output."""
        return all(group.single_sample for group in self.groups)


@cached
def results(loaded: Dataset, selection: Settings) -> Results:
    """Measure, group and compare all recorded outputs."""
    measured = recorded(loaded, selection.k, selection.gain, selection.estimate)
    groups = _named(by_generator(measured.points))
    rows = output_summaries(groups, rng=_rng())
    tested = _tested(loaded, selection)
    known = [group for group in groups if not group.only_cited]
    declines = tuple((group.name, rank_decline(group.points[-1].matches, rng=_rng())) for group in known)
    if not groups and any(pairing.question for pairing in pairs_of(loaded)):
        finding = pairing_finding()
    elif groups and not known:
        finding = references_finding(_rates(rows))
    elif tested:
        finding = concentration_finding(tested)
    else:
        finding = rank_finding(declines, _rates(rows), _gaps(groups))
    return Results(groups, rows, tested, declines, finding, measured.problems)


def _tested(loaded: Dataset, selection: Settings) -> tuple[OutputSummary, ...]:
    measured = recorded(loaded, selection.k, selection.gain, "unbiased")
    groups = [group for group in _named(by_generator(measured.points)) if not group.only_cited]
    rows = output_summaries(groups, rng=_rng())
    return tuple(row for row in rows if not row.single_sample and row.setting not in FIXED_LISTS)


def _rates(rows: Sequence[OutputSummary]) -> list[Rate]:
    """EAR of each generator under its first setting."""
    first: dict[str, Rate] = {}
    for row in rows:
        first.setdefault(row.name, Rate(row.name, row.rate))
    return list(first.values())


def _named(groups: tuple[Generation, ...]) -> tuple[Generation, ...]:
    """Generators under names without the parts that all share."""
    names = distinct_names([group.name for group in groups])
    return tuple(group._replace(name=name) for group, name in zip(groups, names, strict=True))


def _task(group: Generation) -> str:
    return group.points[0].outputs.task or ""


def _gaps(groups: tuple[Generation, ...]) -> Sequence[Comparison]:
    """The largest EAR of each task minus each other one of it; Holm over all pairs, among which it was searched."""
    rates = [
        Scores(
            system=group.name,
            measure="EAR",
            query_ids=group.points[0].outputs.query_ids,
            values=group.points[0].rate,
        )
        for group in groups
    ]
    pairs: list[tuple[Scores, Scores]] = []
    largest: set[str] = set()
    for task in dict.fromkeys(map(_task, groups)):
        of_task = [score for score, group in zip(rates, groups, strict=True) if _task(group) == task]
        falling = sorted((score for score in of_task if not np.isnan(score.value)), key=lambda score: -score.value)
        pairs += combinations(falling, 2)
        largest |= {score.system for score in falling[:1]}
    return [gap for gap in compare_all(pairs, seed=SEED) if gap.system in largest] if pairs else []


def _rng() -> np.random.Generator:
    return np.random.default_rng(SEED)
