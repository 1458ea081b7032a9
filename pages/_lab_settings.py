"""Controls of the Policy lab: what is re-ranked, by whom, and how it is read."""

from typing import NamedTuple

import streamlit as st

from fairviz.analysis.price_axes import QualityName
from fairviz.attention import Attention, Browsing, attention
from fairviz.groups import Missing
from fairviz.model import Dataset, Target
from fairviz.rerank.catalogue import RERANKERS
from pages._groups_settings import BROWSING, MISSING
from pages._lab_measures import MEASURES
from pages._target_presets import matching_target

K = 10
DEPTH = 100
"""Candidates per query that are re-ranked, unless more are asked for."""
QUALITIES: dict[str, QualityName] = {"nDCG": "nDCG", "EE-R": "EER"}
FIRST = (
    "det-greedy",
    "det-cons",
    "det-const-sort",
    "fair-epsilon-greedy",
    "fa-ir",
    "fairness-of-exposure",
    "plackett-luce",
)
"""Re-rankers that are shown before anything is chosen: the others repeat one of them, or look at
no group."""
LABELS = {each.name: each.label for each in RERANKERS}


class Settings(NamedTuple):
    """What is computed; plain values, so that it is the key of what is remembered.

    Attributes:
        system, attribute, judgements: Indices into the data.
        k: Ranks that count.
        depth: Candidates of each query that are re-ranked.
        browsing: How attention falls with rank.
        unlabelled: Whether documents without a label are a group of their own.
        quality: What re-ranking may cost.
        judged: Whether re-rankers that can use judgements may look at them.
        measure: Group measure on the other axis, by its name on the page.
    """

    system: int
    attribute: int
    judgements: int
    k: int
    depth: int
    browsing: Browsing
    unlabelled: Missing
    quality: QualityName
    judged: bool
    measure: str

    @property
    def attention(self) -> Attention:
        """How attention falls with rank, down to k."""
        return attention(self.browsing, cutoff=self.k)

    @property
    def quality_label(self) -> str:
        """Name of the quality measure."""
        return f"{'nDCG' if self.quality == 'nDCG' else 'EE-R'}@{self.k}"


class Aim(NamedTuple):
    """A target as plain values."""

    groups: tuple[str, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, target: Target) -> "Aim":
        """The target, rounded to what nobody can see, so that equal ones are found again."""
        return cls(target.groups, tuple(round(share, 6) for share in target.shares.tolist()))


def settings(loaded: Dataset) -> Settings:
    """The row of controls."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        system = _one("System", [run.system for run in loaded.runs], "system", width=210)
        names = [labels.attribute for labels in loaded.labels]
        attribute = _one("Groups", names, "labels", first=_spoken_of(loaded), width=150)
        k = int(st.number_input("k, ranks seen", 1, 1000, K, key="k", bind="query-params", width=120))
        quality = (
            st.segmented_control(
                "Quality",
                list(QUALITIES),
                default="nDCG",
                required=True,
                key="lab_quality",
                help="nDCG: gains discounted by rank over the best list. EE-R: expected exposure of "
                "useful documents, scaled to what any order could reach.",
            )
            or "nDCG"
        )
        depth, browsing, unlabelled, measure, judged, judgements = _further(loaded)
    return Settings(
        system=system,
        attribute=attribute,
        judgements=judgements,
        k=k,
        depth=max(depth, k),
        browsing=browsing,
        unlabelled=unlabelled,
        quality=QUALITIES[quality],
        judged=judged,
        measure=measure,
    )


def methods() -> tuple[str, ...]:
    """The re-rankers to compare, in the order of the catalogue."""
    chosen = st.multiselect(
        "Re-rankers",
        list(LABELS),
        default=list(FIRST),
        key="lab_methods",
        format_func=lambda name: LABELS[name],
        placeholder="Choose at least one",
        help="\n\n".join(f"**{each.label}**: {each.summary}" for each in RERANKERS),
    )
    return tuple(name for name in LABELS if name in chosen)


def budget() -> float:
    """Part of today's quality that may be given up."""
    percent = st.slider(
        "Quality I am ready to give up",
        0.5,
        20.0,
        3.0,
        0.5,
        format="%g %%",
        key="lab_budget",
        help="Of today's mean quality. It only decides which point is ringed: nothing is computed anew.",
    )
    return float(percent) / 100


def _further(loaded: Dataset) -> tuple[int, Browsing, Missing, str, bool, int]:
    with st.popover("More", icon=":material/tune:", width="content"):
        judged_by = [qrels.name for qrels in loaded.qrels]
        judgements = _one("Judgements", judged_by, "judgements", width=260)
        depth = st.number_input(
            "Candidates per query",
            2,
            1000,
            DEPTH,
            key="lab_depth",
            bind="query-params",
            help="Only the first so many documents are re-ranked; the rest keeps its order below.",
        )
        browsing = st.selectbox(
            "Attention by rank",
            list(BROWSING),
            format_func=lambda name: BROWSING[name],
            key="browsing",
        )
        unlabelled = (
            st.segmented_control(
                "Documents without a label",
                list(MISSING),
                default="leave out",
                key="unlabelled",
                required=True,
                bind="query-params",
            )
            or "leave out"
        )
        measure = st.selectbox("Distance from the target", list(MEASURES), key="lab_measure")
        judged = st.toggle(
            "Let re-rankers see the judgements",
            key="lab_judged",
            help="FAIR ε-greedy, α-DCG greedy and fairness of exposure can use known usefulness. "
            "Off, they know scores and order alone, as in use.",
        )
    return int(depth), browsing, MISSING[unlabelled], str(measure), judged, judgements


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
