"""Export: the groups and the target that measures of groups are computed with."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import streamlit as st

from fairviz.analysis.agreement_measures import ONE_GROUP
from fairviz.errors import FairvizError
from fairviz.groups import Preset
from fairviz.metrics.spec import parse_measure
from fairviz.model import Dataset
from fairviz.report.against_target import AgainstTarget
from pages import _uploads
from pages._join_groups import first_attribute
from pages._shared import counts_line
from pages._target_presets import matching_target
from pages._target_shares import target_weights
from pages._target_state import Edited, place

TARGETS: dict[str, Preset] = {
    "equal": "uniform",
    "collection": "corpus",
    "pool": "population",
    "useful documents": "relevance",
}
HAND, FILE = "as set on Groups & targets", "loaded file"
OF_ONE_GROUP = ONE_GROUP | {"Skew", "PAIR"}


class Grouping(NamedTuple):
    """What was chosen: groups with their target, and the group of interest."""

    against: AgainstTarget
    group: str


def grouping(loaded: Dataset) -> Grouping:
    """The controls; there are labels."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        names = [labels.attribute for labels in loaded.labels]
        attribute = first_attribute(loaded)
        if len(names) > 1:
            picked = st.selectbox("Groups", names, index=attribute, key="labels", bind="query-params", width=160)
            attribute = names.index(picked)
        offered = targets(loaded, attribute)
        asked = st.selectbox(
            "Target",
            list(offered),
            key=f"export_target_{attribute}",
            width=260,
            persist_state="session",
            help="Equal: every group the same. Collection: as in all labelled documents. Pool: as "
            "among each query's candidates. Useful documents: in proportion to the mean "
            "usefulness of a group's documents.",
        )
        groups = loaded.labels[attribute].groups
        group = groups[0]
        if len(groups) > 2:
            group = st.selectbox(
                "Group of interest, G+",
                groups,
                key=f"export_group_{attribute}",
                width=200,
                persist_state="session",
                help="The group that measures of one group against the others look at.",
            )
        st.page_link("pages/groups.py", label="Set a target", icon=":material/tune:")
    against = AgainstTarget(attribute, offered[asked], _read_split(loaded, attribute))
    counts_line(f"Target shares of attention: {against.words(loaded)}.")
    return Grouping(against, group if len(groups) > 2 else "")


def targets(loaded: Dataset, attribute: int) -> dict[str, Preset | Literal["file"] | tuple[tuple[str, float], ...]]:
    """Targets by name, the one to begin with first."""
    found: dict[str, Preset | Literal["file"] | tuple[tuple[str, float], ...]] = {}
    labels, file = loaded.labels[attribute], matching_target(loaded, attribute)
    further = () if file is None else file.groups
    groups = (*labels.groups, *(group for group in further if group not in labels.groups))
    state = st.session_state.get(place(loaded, labels.attribute, len(groups)))
    if isinstance(state, Edited):
        shares = [round(share, 9) for share in target_weights(state.weights).tolist()]
        found[HAND] = tuple(zip(groups, shares, strict=True))
    if file is not None:
        found[FILE] = "file"
    judged = bool(loaded.qrels)
    found.update({name: preset for name, preset in TARGETS.items() if judged or preset != "relevance"})
    return found


def with_group(measures: Sequence[str], group: str) -> tuple[str, ...]:
    """Measure strings in which measures of one group name it, where they name none."""
    return tuple(_named(text, group) for text in measures) if group else tuple(measures)


def _named(text: str, group: str) -> str:
    try:
        spec = parse_measure(text)
    except FairvizError:
        return text  # said where it is evaluated
    distance = spec.params.get("distance")  # KL is of all groups, absdiff of one
    of_one = (spec.name in OF_ONE_GROUP and distance != "KL") or distance == "absdiff"
    if not of_one or "group" in spec.params:
        return text
    name, bracket, rest = text.partition("(")
    if bracket:
        return f"{name}(group={group!r}, {rest}"
    name, at, cutoff = text.partition("@")
    return f"{name}(group={group!r}){at}{cutoff}"


def _read_split(loaded: Dataset, attribute: int) -> bool:
    """Whether the file of these labels was read with labels shared in halves."""
    file = [file.name for file in loaded.files if file.role == "groups"][attribute]
    known = _uploads.uploads().get(file)
    return known is not None and known.options.labels == "split"
