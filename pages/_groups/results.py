"""What the Groups & targets page is asked and what it shows, computed once: nothing here depends on the target."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.attention import Attention, Browsing, attention
from fairviz.groups import Missing
from fairviz.model import Dataset, FloatArray, RankingSample, Run
from fairviz.studies.groups.attainable import Attainable, attainable_shares
from fairviz.studies.groups.by_rank import RankBins, share_by_rank
from fairviz.studies.groups.figures import SharesView
from fairviz.studies.groups.findings import MOST_UNLABELLED, gap_words, off_target_groups, unit
from fairviz.studies.groups.shares import GroupExposure, ShareIntervals, group_exposure, share_intervals
from pages._groups.agreement_results import systems as distinct_systems
from pages._kit.cache import cached
from pages._kit.controls import choose_cutoff, choose_judgements, choose_place
from pages._kit.target_presets import align, first_attribute, labelled_pools

BROWSING: dict[Browsing, str] = {
    "dcg": "1 / log2(rank + 1)",
    "log": "1 / log2(rank), first two alike",
    "geometric": "halves at each rank",
    "rbp": "0.8 of the rank above",
    "topk": "equal for the first k",
}
"""Attention models by their name in measure strings."""
MISSING: dict[str, Missing] = {"leave out": "drop", "own group": "group"}
K = 10


class Settings(NamedTuple):
    """What is looked at; indices into the data, so that it is a key for remembered results."""

    system: int
    attribute: int
    judgements: int | None
    unlabelled: Missing
    browsing: Browsing
    k: int

    @property
    def attention(self) -> Attention:
        """How attention falls with rank."""
        return attention(self.browsing, cutoff=self.k)


def systems(loaded: Dataset) -> tuple[Run | RankingSample, ...]:
    """All that can be looked at: runs, then samples."""
    return (*loaded.runs, *loaded.samples)


def settings(loaded: Dataset) -> Settings:
    """The row of controls."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        system = choose_place("System", [s.system for s in distinct_systems(loaded)], "system", width=160)
        names = [labels.attribute for labels in loaded.labels]
        attribute = choose_place("Groups", names, "labels", first=first_attribute(loaded), width=130)
        browsing = st.selectbox(
            "Attention by rank",
            list(BROWSING),
            format_func=lambda name: BROWSING[name],
            key="browsing",
            bind="query-params",
            width=195,
        )
        k = choose_cutoff("Cutoff k", usual=K, most=1000, width=105)
        unlabelled = (
            st.segmented_control(
                "Documents without a label",
                list(MISSING),
                default="leave out",
                key="unlabelled",
                required=True,
                bind="query-params",
                help="Leave out: shares are of labelled attention. Own group: shares are of all "
                "attention, and what has no label is a group with a target of its own.",
            )
            or "leave out"
        )
        judgements = choose_judgements(loaded, systems(loaded)[system], width=150) if loaded.qrels else None
    return Settings(system, attribute, judgements, MISSING[unlabelled], browsing, k)


# Results, remembered.


class SystemExposure(NamedTuple):
    """One system: attention by group, what re-ranking could make of it, groups by rank."""

    exposure: GroupExposure
    ends: ShareIntervals
    reach: Attainable
    bins: RankBins


@cached
def exposure_of(
    loaded: Dataset,
    attribute: int,
    system: int,
    judgements: int | None,
    unlabelled: Missing,
    browsing: Browsing,
    k: int,
) -> GroupExposure:
    """Attention by group of the chosen system."""
    pools, members = labelled_pools(loaded, attribute, system, judgements, unlabelled)
    return group_exposure(systems(loaded)[system], pools, members, attention(browsing, cutoff=k))


@cached
def every_share(
    loaded: Dataset,
    attribute: int,
    judgements: int | None,
    unlabelled: Missing,
    browsing: Browsing,
    k: int,
) -> FloatArray:
    """(S, G) shares of attention of all systems; their pools are not kept."""
    rows: list[FloatArray] = []
    for i, ranked in enumerate(systems(loaded)):
        pools, members = align(loaded, attribute, i, judgements, unlabelled)
        exposure = group_exposure(ranked, pools, members, attention(browsing, cutoff=k))
        rows.append(exposure.shares)
    return np.array(rows)


@cached
def system_exposure(loaded: Dataset, settings: Settings) -> SystemExposure:
    """All of the chosen system that no target moves."""
    system, attribute, judgements, unlabelled, browsing, k = settings
    pools, members = labelled_pools(loaded, attribute, system, judgements, unlabelled)
    exposure = exposure_of(loaded, attribute, system, judgements, unlabelled, browsing, k)
    ranked = systems(loaded)[system]
    return SystemExposure(
        exposure,
        share_intervals(exposure),
        attainable_shares(pools, members, settings.attention),
        share_by_rank(ranked, pools, members, depth=k),
    )


def unknown_of(loaded: Dataset, settings: Settings) -> GroupExposure:
    """Attention with what has no label kept apart, whatever the control says."""
    system, attribute, judgements, _, browsing, k = settings
    return exposure_of(loaded, attribute, system, judgements, "drop", browsing, k)


def shares_view(loaded: Dataset, settings: Settings, target: FloatArray) -> SharesView:
    """Shares of the chosen system, of the others, and the target."""
    exposures = system_exposure(loaded, settings)
    every = every_share(
        loaded, settings.attribute, settings.judgements, settings.unlabelled, settings.browsing, settings.k
    )
    names = [ranked.system for ranked in systems(loaded)]
    shares, ends = exposures.exposure.shares, exposures.ends.shares
    sure = exposures.ends.shares_corrected
    rows = zip(shares.tolist(), sure.low.tolist(), sure.high.tolist(), target.tolist(), strict=True)
    few = exposures.exposure.is_few
    off = off_target_groups(exposures.exposure, sure, target)
    unsure = exposures.exposure.unlabelled_share > MOST_UNLABELLED
    return SharesView(
        groups=exposures.exposure.groups,
        shares=shares,
        low=np.full_like(ends.low, np.nan) if few else ends.low,
        high=np.full_like(ends.high, np.nan) if few else ends.high,
        target=target,
        reach_low=exposures.reach.low,
        reach_high=exposures.reach.high,
        others=np.delete(every, settings.system, axis=0),
        other_names=(*names[: settings.system], *names[settings.system + 1 :]),
        words=tuple(
            gap_words(*row, silent=few or (unsure and not apart)) for row, apart in zip(rows, off.tolist(), strict=True)
        ),
        few=few,
        unit=unit(exposures.exposure.groups),
    )
