"""The start page: what equal quality costs two policies, which group is farthest from its share, and the doors."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from fairviz.attention import Browsing
from fairviz.model import Dataset
from fairviz.show.words import interval, percent, signed
from fairviz.stats.bootstrap import PairedDifference
from fairviz.studies.groups.findings import headline
from fairviz.studies.groups.shares import share_intervals
from fairviz.studies.tradeoff.findings import saving_finding
from fairviz.studies.tradeoff.progressive import GrowingCurves
from fairviz.studies.tradeoff.summary import Saving, auc_difference, disparity_saved
from fairviz.studies.tradeoff.view import AlphaPoint, Line
from pages._groups.results import exposure_of
from pages._kit import el, join
from pages._kit.cache import cached
from pages._kit.target_presets import as_shares, first_attribute, matching_target
from pages._tradeoff.results import LARGE, grower

CUTOFF = 5
COMPARED_AT = 3.0
"""α of the point at which the policies are compared, fixed in advance."""
GAIN, OFFSET = "binary", 1.0
MOMENT = 0.5
"""Seconds of computing between two looks at growing curves."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Headline:
    """The finding: what the policies are compared by, and over how many queries."""

    reach: float
    saving: Saving
    areas: PairedDifference
    n_queries: int

    @property
    def title(self) -> str:
        """The finding, with a branch for what cannot be told apart."""
        return saving_finding(self.saving, gain=GAIN, reach=self.reach, n_queries=self.n_queries).title

    @property
    def how_sure(self) -> str:
        """The interval of the title's number, where it has one."""
        low, high = self.saving.interval
        if not np.isfinite(low) or np.isnan(self.saving.other):
            return ""
        return f"; 95 % interval of the saving {percent(low)} to {percent(high)}"

    @property
    def point(self) -> AlphaPoint | None:
        """The compared points, None where the optimal policy never gets there."""
        if np.isnan(self.saving.other):
            return None
        return AlphaPoint(COMPARED_AT, self.saving.reference, self.saving.quality, self.saving.other)

    @property
    def researcher(self) -> str:
        """The sentence of the researcher's door."""
        gap = self.areas
        return (
            "Curves without sampling noise, AUC with intervals, paired tests. Here: optimal − "
            f"Plackett–Luce {signed(gap.difference)} AUC, interval "
            f"{interval(*gap.interval)}."
        )


def curves_of(loaded: Dataset) -> GrowingCurves | None:
    """The first run's curves as far as they have got, None without a run or judgements.

    They are those of the Trade-off page, which finds them computed.
    """
    qrels = loaded.qrels_for(None)
    if not loaded.runs or qrels is None:
        return None
    judgements = next(i for i, labels in enumerate(loaded.qrels) if labels is qrels)
    return grower(loaded, loaded.runs[0].system, judgements, CUTOFF, OFFSET)


def advance(curves: GrowingCurves) -> bool:
    """Compute for a moment; whether both curves are complete."""
    points = 17 if curves.pools.docs.size > LARGE else 33
    return curves.advance(GAIN, {"plackett-luce": points, "optimal": points}, seconds=MOMENT)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """What the chart shows by now."""

    plackett_luce: Line
    optimal: Line
    ends: tuple[tuple[Line, str], tuple[Line, str]]


def drawn(curves: GrowingCurves) -> Drawn | None:
    """The lines so far, None where no query has a value."""
    main, best = curves.curve("plackett-luce", GAIN), curves.curve("optimal", GAIN)
    if main is None or not main.defined.any():
        return None
    uniform, fixed = curves.point("uniform", GAIN), curves.point("deterministic", GAIN)
    return Drawn(
        plackett_luce=Line.of(main),
        optimal=Line.of(best or main),
        ends=((Line.of(uniform), "all alike"), (Line.of(fixed), f"always the same {CUTOFF}")),
    )


@cached
def home_headline(loaded: Dataset) -> Headline | None:
    """The finding on complete curves, None where no query has a value."""
    curves = curves_of(loaded)
    main = None if curves is None else curves.curve("plackett-luce", GAIN)
    best = None if curves is None else curves.curve("optimal", GAIN)
    if main is None or best is None or not main.defined.any():
        return None
    return Headline(
        reach=float(max(np.nanmax(main.mean_quality), np.nanmax(best.mean_quality))),
        saving=disparity_saved(main, best, rng=np.random.default_rng(0), alpha=COMPARED_AT),
        areas=auc_difference(best, main, rng=np.random.default_rng(0)),
        n_queries=int(main.defined.all(axis=0).sum()),
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
    name = "the target" if shares is not None else "an equal share"
    target = np.full(n, 1 / n) if shares is None else shares
    title = headline(finding, share_intervals(finding), target, where="").title
    return f"Here: {title[:1].lower()}{title[1:]}.".replace("your target", name)
