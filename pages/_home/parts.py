"""The start page: what equal quality costs two policies, which group is farthest from its share, and the doors."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from fairviz.attention import Browsing
from fairviz.model import Dataset
from fairviz.show.words import NO_INTERVAL, THIN, percent, plural, signed
from fairviz.studies.groups.findings import headline
from fairviz.studies.tradeoff.curves import FIXED_ALPHA
from fairviz.studies.tradeoff.findings import policy_words
from fairviz.studies.tradeoff.progressive import GrowingCurves, measured_at
from fairviz.studies.tradeoff.summary import AreaGap, Saving, n_defined
from fairviz.studies.tradeoff.view import AlphaPoint, Line
from pages._groups.results import exposure_of
from pages._kit import el, join
from pages._kit.cache import cached
from pages._kit.controls import relevance, score_policy, usual_judgements
from pages._kit.target_presets import as_shares, first_attribute, matching_target
from pages._tradeoff.results import (
    Settings,
    growing,
    measured_curves,
    saving,
    saving_headline,
    statistics,
)

CUTOFF = 5
MOMENT = 0.5
"""Seconds of computing between two looks at growing curves."""


def selection_of(loaded: Dataset) -> Settings:
    """What is shown of a data set that has a run and judgements: as the Trade-off page begins, and as was chosen."""
    run, policy = loaded.runs[0], score_policy()
    return Settings(
        system=run.system,
        judgements=usual_judgements(loaded, run),
        k=CUTOFF,
        gain=relevance(),
        quality="EER",
        offset=policy.offset,
        scores=policy.scores,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Headline:
    """The finding: what the policies are compared by, and over how many queries; all as on the Trade-off page.

    Attributes:
        title: The finding, with a branch for what cannot be told apart.
        saving: What the optimal policy saves.
        area: AUC of the optimal policy minus that of Plackett–Luce; None where several runs are loaded, whose areas
            share a range that takes the curves of all of them.
        n_runs: Runs that are loaded.
        n_queries: Queries in every mean.
        quality: The quality axis as a measure string.
        policy: How scores became a policy, where it is not as in the published code.
    """

    title: str
    saving: Saving | None
    area: AreaGap | None
    n_runs: int
    n_queries: int
    quality: str
    policy: str

    @property
    def how_sure(self) -> str:
        """The interval of the title's number, where it has one."""
        if self.saving is None or np.isnan(self.saving.other) or not np.isfinite(self.saving.interval.low):
            return ""
        low, high = self.saving.interval
        if low > 0:
            return f"; 95 % interval of the saving {percent(low)} to {percent(high)}"
        if high < 0:
            return f"; 95 % interval of the excess {percent(-high)} to {percent(-low)}"
        return f"; 95 % interval of the change {signed(-100 * high, 0)}{THIN}% to {signed(-100 * low, 0)}{THIN}%"

    @property
    def point(self) -> AlphaPoint | None:
        """The compared points, None where the optimal policy never gets there."""
        if self.saving is None or np.isnan(self.saving.other):
            return None
        return AlphaPoint(FIXED_ALPHA, self.saving.reference, self.saving.quality, self.saving.other)

    @property
    def researcher(self) -> str:
        """The sentence of the researcher's door."""
        how = "Curves without sampling noise, AUC with intervals, paired tests."
        if self.area is None:
            return f"{how} Here: {plural(self.n_runs, 'run')} to compare."
        ends = [signed(end) for end in self.area.interval]
        between = NO_INTERVAL if np.isnan(self.area.interval.low) else f"{ends[0]} to {ends[1]}"
        named = f", {self.policy}" if self.policy else ""
        return (
            f"{how} Here: optimal − Plackett–Luce {signed(self.area.difference)} AUC ({self.quality}{named}), interval "
            f"{between}."
        )


def curves_of(loaded: Dataset) -> GrowingCurves | None:
    """The first run's curves as far as they have got, None without a run or judgements.

    They are those of the Trade-off page, which finds them computed.
    """
    if not loaded.runs or not loaded.qrels:
        return None
    selection = selection_of(loaded)
    return growing(loaded, selection.system, selection)


def advance(loaded: Dataset, curves: GrowingCurves) -> bool:
    """Compute for a moment; whether both curves are complete."""
    points = measured_at(loaded.runs).size
    return curves.advance(selection_of(loaded).gain, {"plackett-luce": points, "optimal": points}, seconds=MOMENT)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """What the chart shows by now."""

    plackett_luce: Line
    optimal: Line
    ends: tuple[tuple[Line, str], tuple[Line, str]]


def drawn(curves: GrowingCurves) -> Drawn | None:
    """The lines so far, None where no query has a value."""
    gain = relevance()
    main, best = curves.curve("plackett-luce", gain), curves.curve("optimal", gain)
    if main is None or not main.defined.any():
        return None
    uniform, fixed = curves.point("uniform", gain), curves.point("deterministic", gain)
    return Drawn(
        plackett_luce=Line.of(main),
        optimal=Line.of(best or main),
        ends=((Line.of(uniform), "uniform random"), (Line.of(fixed), f"deterministic top {CUTOFF}")),
    )


def home_headline(loaded: Dataset) -> Headline | None:
    """The finding on complete curves, None where no query has a value."""
    selection = selection_of(loaded)
    curves = measured_curves(loaded, selection, alone=True)
    if curves.optimal is None or not curves.main.defined.any():
        return None
    alone = len(loaded.runs) == 1
    saved = saving(loaded, selection)
    return Headline(
        title=saving_headline(curves, saved, selection).title,
        saving=saved,
        area=statistics(loaded, selection).areas.gaps[0] if alone else None,
        n_runs=len(loaded.runs),
        n_queries=n_defined(curves.main),
        quality=selection.quality_name,
        policy=policy_words(selection.scores, selection.offset),
    )


# Doors.


def door(kind: str, title: str, text: str, *ways: tuple[str, str]) -> None:
    """One box: for whom, what, and the ways in, each (page, label)."""
    with st.container(border=True, height="stretch"):
        st.html(
            join(
                el("p", kind, cls="fv-kicker"),
                el("h2", title, cls="fv-section"),
                el("p", text, cls="fv-door"),
            )
        )
        for page, label in ways:
            st.page_link(page, label=label, icon=":material/arrow_forward:", icon_position="right")


BROWSING: Browsing = "dcg"
GROUPS_CUTOFF = 10
"""Attention as the Groups & targets page begins with."""


@cached
def group_sentence(loaded: Dataset) -> str:
    """What the first run's lists do against the loaded target, else against equal shares.

    Empty where there are no rankings with labels.
    """
    if not loaded.labels or not (loaded.runs or loaded.samples):
        return ""
    attribute = first_attribute(loaded)
    finding = exposure_of(loaded, attribute, 0, None, "drop", BROWSING, GROUPS_CUTOFF)
    file = matching_target(loaded, attribute)
    shares = None if file is None else as_shares(file, finding.groups)
    n = len(finding.groups)
    target = np.full(n, 1 / n) if shares is None else shares
    title = headline(finding, target).title
    if shares is None:
        for said in ("the target", "their target", "your target"):
            title = title.replace(said, "an equal share")
    return f"Here: {title[:1].lower()}{title[1:]}.".replace("your target", "the target")
