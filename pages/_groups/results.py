"""What the Groups & targets page is asked and what it shows, computed once: nothing here depends on the target."""

from typing import NamedTuple

import streamlit as st

from fairviz.attention import Attention, Browsing, attention
from fairviz.grouping import Membership, Missing
from fairviz.model import Dataset, RankingSample, Run
from fairviz.studies.groups.by_rank import RankBins, share_by_rank
from fairviz.studies.groups.reach import JointReach, joint_reach
from fairviz.studies.groups.shares import GroupExposure, ShareIntervals, group_exposure, share_intervals
from pages._agreement.results import systems as distinct_systems
from pages._kit.cache import cached
from pages._kit.controls import (
    choose_browsing,
    choose_cutoff,
    choose_judgements,
    choose_place,
    choose_unlabelled,
    standing_cutoff,
)
from pages._kit.target_editor import Editing, editing, target_files
from pages._kit.target_presets import first_attribute, labelled_pools

K, DEEPEST = 10, 1000


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
    """The row of controls; what is chosen stands in them, so that they need no line of labels."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="groups_controls"):
        names = [ranked.system for ranked in distinct_systems(loaded)]
        system = choose_place("System", names, "system", width=170, inside="")
        attributes = [labels.attribute for labels in loaded.labels]
        first = first_attribute(loaded)
        attribute = choose_place("Groups", attributes, "labels", first=first, width=190, inside="Groups: ")
        browsing = choose_browsing(width=250)
        with st.popover(f"First {standing_cutoff(usual=K, most=DEEPEST)} ranks", width="content"):
            k = choose_cutoff("Ranks that count (k)", usual=K, most=DEEPEST)
        with st.popover("More", width="content"):
            unlabelled = choose_unlabelled()
            judgements = choose_judgements(loaded, systems(loaded)[system], width=260) if loaded.qrels else None
            chosen = Settings(system, attribute, judgements, unlabelled, browsing, k)
            if len(members_of(loaded, chosen).groups) > 1:
                target_files(edited_target(loaded, chosen), loaded)
    return chosen


def members_of(loaded: Dataset, settings: Settings) -> Membership:
    """Groups of the candidates."""
    return labelled_pools(loaded, settings.attribute, settings.system, settings.judgements, settings.unlabelled).members


def edited_target(loaded: Dataset, settings: Settings) -> Editing:
    """The target as it stands."""
    return editing(
        loaded,
        attribute=settings.attribute,
        system=settings.system,
        judgements=settings.judgements,
        unlabelled=settings.unlabelled,
    )


# Results, remembered.


class SystemExposure(NamedTuple):
    """One system: attention by group, what re-ranking can make of it, groups by rank."""

    exposure: GroupExposure
    ends: ShareIntervals
    reach: JointReach
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
def system_exposure(loaded: Dataset, settings: Settings) -> SystemExposure:
    """All of the chosen system that no target moves."""
    system, attribute, judgements, unlabelled, browsing, k = settings
    pools, members = labelled_pools(loaded, attribute, system, judgements, unlabelled)
    exposure = exposure_of(loaded, attribute, system, judgements, unlabelled, browsing, k)
    ranked = systems(loaded)[system]
    return SystemExposure(
        exposure,
        share_intervals(exposure),
        joint_reach(pools, members, settings.attention),
        share_by_rank(ranked, pools, members, depth=k),
    )


def unknown_of(loaded: Dataset, settings: Settings) -> GroupExposure:
    """Attention with what has no label kept apart, whatever the control says."""
    system, attribute, judgements, _, browsing, k = settings
    return exposure_of(loaded, attribute, system, judgements, "drop", browsing, k)
