"""Controls of the Groups & targets page: system, labels, attention, unlabelled, judgements."""

from typing import NamedTuple

import streamlit as st

from fairviz.attention import Attention, Browsing, attention
from fairviz.groups import Missing
from fairviz.model import Dataset, RankingSample, Run
from pages._target_presets import matching_target

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
        system = _one("System", [s.system for s in systems(loaded)], "system", width=160)
        names = [labels.attribute for labels in loaded.labels]
        attribute = _one("Groups", names, "labels", first=_spoken_of(loaded), width=130)
        browsing = st.selectbox(
            "Attention by rank",
            list(BROWSING),
            format_func=lambda name: BROWSING[name],
            key="browsing",
            bind="query-params",
            width=195,
        )
        k = int(st.number_input("k, ranks seen", 1, 1000, K, key="k", bind="query-params", width=105))
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
        judged = [qrels.name for qrels in loaded.qrels]
        judgements = _one("Judgements", judged, "judgements", width=150) if judged else None
    return Settings(system, attribute, judgements, MISSING[unlabelled], browsing, k)


def _one(label: str, names: list[str], key: str, *, first: int = 0, width: int) -> int:
    """Index of the chosen name; no control where there is no choice."""
    if len(names) < 2:
        return 0
    picked = st.selectbox(label, names, index=first, key=key, bind="query-params", width=width)
    return names.index(picked)


def _spoken_of(loaded: Dataset) -> int:
    """The labels that the loaded target speaks of, else the first."""
    spoken = (i for i in range(len(loaded.labels)) if matching_target(loaded, i) is not None)
    return next(spoken, 0)
