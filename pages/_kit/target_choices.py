"""Which target measures of groups are held against where a page has no target editor: by name, and the usual one."""

from typing import Literal

import streamlit as st

from fairviz.display.methods import AgainstTarget
from fairviz.grouping import Preset
from fairviz.model import Dataset
from fairviz.studies.groups.target_shares import target_weights
from pages._kit.commands import read_split
from pages._kit.target_presets import groups_of, matching_target
from pages._kit.target_state import Edited, place

TARGETS: dict[str, Preset] = {
    "equal": "uniform",
    "collection": "corpus",
    "candidates": "population",
    "useful documents": "relevance",
}
HAND, FILE = "as set on Groups & targets", "loaded file"


def targets(loaded: Dataset, attribute: int) -> dict[str, Preset | Literal["file"] | tuple[tuple[str, float], ...]]:
    """Targets by name, the one to begin with first."""
    offered_targets: dict[str, Preset | Literal["file"] | tuple[tuple[str, float], ...]] = {}
    groups, file = groups_of(loaded, attribute), matching_target(loaded, attribute)
    state = st.session_state.get(place(loaded, attribute, groups))
    if isinstance(state, Edited) and state.is_set:
        shares = [round(share, 9) for share in target_weights(state.weights).tolist()]
        offered_targets[HAND] = tuple(zip(groups, shares, strict=True))
    if file is not None:
        offered_targets[FILE] = "file"
    judged = bool(loaded.qrels)
    offered_targets.update({name: preset for name, preset in TARGETS.items() if judged or preset != "relevance"})
    return offered_targets


def usual_against(loaded: Dataset, attribute: int) -> AgainstTarget:
    """Groups with the target that pages begin with: as set on Groups & targets, else the loaded one, else equal."""
    return AgainstTarget(attribute, next(iter(targets(loaded, attribute).values())), read_split(loaded, attribute))
