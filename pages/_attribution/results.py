"""Controls of the Attribution page, and what it knows of the loaded outputs: computed once per setting.

The page opens on the scale ``share``, from which its sentence is drawn, so that title and chart say the same; the
paper's min-max scale is the first choice beside it. Every setting is in the address.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
import streamlit as st

from fairviz.attention import TopK
from fairviz.evaluate.compare import Comparison, compare_all
from fairviz.evaluate.outputs import Estimate
from fairviz.exposure import Gain
from fairviz.metrics.consumption import Scale
from fairviz.model import Dataset, Factors, Scores
from fairviz.show.words import Finding
from fairviz.studies.attribution.figures import panel_axes
from fairviz.studies.attribution.findings import (
    Rate,
    concentration_finding,
    on_task,
    pairing_finding,
    rank_finding,
    references_finding,
)
from fairviz.studies.attribution.grid import Use, UseComparison, compare_uses, use_curves, uses
from fairviz.studies.attribution.panels import (
    Generation,
    OutputSummary,
    Pair,
    RankDecline,
    by_generator,
    output_summaries,
    rank_decline,
    told_by,
)
from fairviz.studies.tradeoff.curves import relevance_measure
from fairviz.studies.tradeoff.panels import Curves, apart, system_name
from pages._kit.cache import cached
from pages._kit.controls import choose_relevance
from pages._kit.panels import kept
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


def setting_names(groups: Sequence[Generation]) -> list[str]:
    """Settings of any system, those with an α first."""
    names = list(dict.fromkeys(name for group in groups for name in group.settings))
    return sorted(names, key=lambda name: not name.startswith(ALPHA))


def usual_setting(names: Sequence[str]) -> str:
    """Where the page begins."""
    return USUAL_SETTING if USUAL_SETTING in names else names[0]


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
FIXED_LISTS = ("deterministic",)
"""Settings whose lists do not vary: use cannot be less concentrated than one fixed list."""


class Systems(NamedTuple):
    """All recorded outputs, measured.

    Attributes:
        groups: One member per system of every task.
        unbiased: The same with the unbiased estimate of both disparities.
        problems: Why outputs could not be measured.
    """

    groups: tuple[Generation, ...]
    unbiased: tuple[Generation, ...]
    problems: tuple[str, ...]

    @property
    def planned(self) -> tuple[Factors, ...]:
        """What every policy of every system is made of."""
        return tuple(use.factors for use in uses(self.groups))

    @property
    def tasks(self) -> tuple[str | None, ...]:
        """Tasks, in the order of the outputs."""
        return tuple(dict.fromkeys(group.factors.task for group in self.groups))


class Results(NamedTuple):
    """What is known of the systems of one task, whatever setting is looked at.

    Attributes:
        groups: One member per system, under a name that tells it from the others of the task.
        rows: Summary per system and setting, on the page's estimate.
        tested: Rows whose concentration may be compared: several outputs, lists that vary,
            unbiased.
        declines: Per system, citations of rank 1 beside those of the last rank; of the
            deterministic or as recorded lists where there are some.
        finding: The page's title and sentence.
        problems: Why outputs could not be measured.
        task: The task; None = not recorded.
    """

    groups: tuple[Generation, ...]
    rows: tuple[OutputSummary, ...]
    tested: tuple[OutputSummary, ...]
    declines: tuple[tuple[str, RankDecline], ...]
    finding: Finding
    problems: tuple[str, ...]
    task: str | None = None

    @property
    def known(self) -> "Results":
        """The same for generators of which it is known what they were given besides what they cite."""
        return self._replace(groups=tuple(group for group in self.groups if not group.only_cited))

    @property
    def single_sample(self) -> bool:
        """No query of any generator has more than one output."""
        return all(group.single_sample for group in self.groups)

    @property
    def by(self) -> tuple[str, ...]:
        """Factors that tell the systems of the task apart."""
        return told_by([group.factors for group in self.groups])

    def only(self, group: Generation) -> "Results":
        """The same with one system to look at."""
        return self._replace(groups=(group,))


def systems(loaded: Dataset, selection: Settings) -> Systems:
    """Measure and group all recorded outputs."""
    measured = recorded(loaded, selection.k, selection.gain, selection.estimate)
    unbiased = recorded(loaded, selection.k, selection.gain, "unbiased")
    return Systems(by_generator(measured.points), by_generator(unbiased.points), measured.problems)


@cached
def results(loaded: Dataset, selection: Settings, task: str | None, off: Off = ()) -> Results:
    """Summarise and compare the systems of one task, without what is excluded."""
    found = systems(loaded, selection)
    of_task = [factors for factors in found.planned if factors.task == task]
    included = {factors._replace(policy=None) for factors in kept(of_task, off) or of_task}
    groups = _named(group for group in found.groups if group.factors in included)
    rows = output_summaries(groups, rng=_rng())
    unbiased = [group for group in _named(found.unbiased) if group.factors in included and not group.only_cited]
    tested = tuple(
        row
        for row in output_summaries(_named(unbiased), rng=_rng())
        if not row.single_sample and row.setting not in FIXED_LISTS
    )
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
    if len(found.tasks) > 1:
        finding = on_task(finding, task)
    return Results(groups, rows, tested, declines, finding, found.problems, task)


def whole(loaded: Dataset, selection: Settings) -> tuple[Results, ...]:
    """All systems, task by task; one empty result where none could be measured."""
    tasks = systems(loaded, selection).tasks
    return tuple(results(loaded, selection, task) for task in tasks or (None,))


def _named(groups: Iterable[Generation]) -> tuple[Generation, ...]:
    """Systems of one task under the names that tell them apart."""
    some = tuple(groups)
    by = told_by([group.factors for group in some])
    return tuple(group._replace(name=system_name(group.factors, by)) for group in some)


def _rates(rows: Sequence[OutputSummary]) -> list[Rate]:
    """EAR of each generator under its first setting."""
    first: dict[str, Rate] = {}
    for row in rows:
        first.setdefault(row.name, Rate(row.name, row.rate))
    return list(first.values())


def _gaps(groups: Sequence[Generation]) -> Sequence[Comparison]:
    """The largest EAR of the task minus each other one; Holm over all pairs, among which it was searched."""
    rates = [
        Scores(
            system=group.name,
            measure="EAR",
            query_ids=group.points[0].outputs.query_ids,
            values=group.points[0].rate,
        )
        for group in groups
    ]
    falling = sorted((score for score in rates if not np.isnan(score.value)), key=lambda score: -score.value)
    pairs = list(combinations(falling, 2))
    return [gap for gap in compare_all(pairs, seed=SEED) if gap.system == falling[0].system] if pairs else []


def _rng() -> np.random.Generator:
    return np.random.default_rng(SEED)


# Systems side by side.


def _uses(loaded: Dataset, selection: Settings, task: str | None, off: Off) -> list[Use]:
    """Policies of the systems of a task that are known to have been given what they were given."""
    groups = results(loaded, selection, task, off).known.groups
    found = {use.factors: use for use in uses(groups)}
    included = kept(tuple(found), off) or tuple(found)
    return [found[factors] for factors in included]


@cached
def path_curves(loaded: Dataset, selection: Settings, task: str | None, off: Off, pair: Pair) -> tuple[Curves, ...]:
    """What the small panels draw."""
    found = (use_curves(use, pair, selection.scale, rng=_rng()) for use in _uses(loaded, selection, task, off))
    return tuple(one for one in found if one is not None)


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
    groups = results(loaded, selection, task, off).groups
    measured = {name: points for group in groups for name, points in zip(group.settings, group.points, strict=True)}
    return compare_uses(
        _uses(loaded, selection, task, off),
        pair=pair,
        scale=selection.scale,
        setting=setting,
        alpha=measured[setting].outputs.alpha,
        baseline=baseline,
        by=by,
        measure=panel_axes(pair, selection.scale, selection.relevance_name).y,
        seed=SEED,
    )


def usual_comparisons(loaded: Dataset, selection: Settings) -> tuple[UseComparison, ...]:
    """EAR of the systems of each task beside its first, under the setting that the page begins with."""
    found: list[UseComparison] = []
    for one in whole(loaded, selection):
        every = [use.factors for use in _uses(loaded, selection, one.task, ())]
        if len(every) > 1:
            setting = usual_setting(setting_names(one.groups))
            made = beside(loaded, selection, one.task, (), "EED-EAR", setting, every[0], apart(every))
            found += [made] if made else []
    return tuple(found)
