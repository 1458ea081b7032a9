"""The groups of one query's documents on Inspect: colour, marker and name of each."""

from typing import NamedTuple

import streamlit as st

from fairviz.analysis.group_list import GroupList, group_list
from fairviz.attention import TopK
from fairviz.figures.group_hues import group_hues
from fairviz.figures.theme import DARK, LIGHT
from fairviz.groups import UNLABELLED
from fairviz.model import Dataset
from pages._join_groups import first_attribute
from pages._shared import Html, el, join, listing, percent, plural
from pages._table import WHOLE
from pages._target_presets import labelled_pools

GLYPHS = {
    "circle": "●",
    "diamond": "◆",
    "square": "■",
    "triangle-up": "▲",
    "pentagon": "⬟",
    "triangle-down": "▼",
    "circle-open": "○",
}
"""Characters that look like the markers of figures."""
ALL = 1e-9
"""Weights that miss 1 by less are 1."""


class Labelled(NamedTuple):
    """The documents of one query and their groups, best score first."""

    attribute: str
    groups: tuple[str, ...]
    found: GroupList

    def cell(self, at: int) -> Html:
        """Marker and name of each group of a document; what has no label is hatched."""
        weights = self.found.weights[at].tolist()
        parts = [
            _named(self.groups, g, "" if w > 1 - ALL else f" {percent(w)}") for g, w in enumerate(weights) if w > 0
        ]
        rest = 1 - sum(weights)
        if rest > ALL:
            share = "" if rest > 1 - ALL else f" {percent(rest)}"
            swatch = el("span", cls="fv-swatch fv-hatched", aria_hidden="true")
            name = el("span", f"no label{share}", cls="fv-mute", style="white-space:nowrap")
            parts.append(el("span", swatch, name, cls="fv-keyed"))
        return join(*parts)

    def written(self, at: int) -> str:
        """The groups of a document in a file: names, with weights where they are parts."""
        pairs = zip(self.groups, self.found.weights[at].tolist(), strict=True)
        return "; ".join(g if w > 1 - ALL else f"{g} {w:g}" for g, w in pairs if w > 0)

    def sentence(self, k: int) -> str:
        """How many of the first k documents each group has."""
        shown = min(k, len(self.found.doc_ids))
        sums = self.found.weights[:shown].sum(axis=0).tolist()
        said = [f"{_amount(n)} {group}" for group, n in zip(self.groups, sums, strict=True) if n]
        rest = shown - sum(sums)
        said += [f"{_amount(rest)} without a label"] if rest > ALL else []
        return f"Of the first {plural(shown, 'document')}, by {self.attribute}: {listing(said)}."


def choose_labels(loaded: Dataset) -> int | None:
    """Which labels to show; None where there are none."""
    names = [labels.attribute for labels in loaded.labels]
    if not names:
        return None
    if len(names) == 1:
        return 0
    picked = st.selectbox(
        "Groups",
        names,
        index=first_attribute(loaded),
        key="labels",
        bind="query-params",
        width=140,
    )
    return names.index(picked)


def labelled(loaded: Dataset, attribute: int, system: int, judgements: int | None, query: str, k: int) -> Labelled:
    """The retrieved documents of a query with their groups."""
    pools, members = labelled_pools(loaded, attribute, system, judgements, "drop")
    n = int(pools.n_retrieved[pools.query_ids.index(query)])
    found = group_list(loaded.runs[system], pools, members, query, TopK(k), shown=n)
    return Labelled(loaded.labels[attribute].attribute, members.groups, found)


def lab_link(loaded: Dataset, query: str) -> None:
    """The way to this query's lists before and after re-ranking, where there is a price."""
    if loaded.labels and loaded.qrels:
        st.page_link(
            "pages/policy_lab.py",
            label="Before and after re-ranking, in Policy lab",
            icon=":material/balance:",
            query_params={"q": query},
        )


def _named(groups: tuple[str, ...], at: int, share: str) -> Html:
    name = f"{groups[at]}{share}"
    whole = "white-space:nowrap" if len(name) <= WHOLE else ""
    if groups[at] == UNLABELLED:
        mark = el("span", cls="fv-swatch fv-hatched", aria_hidden="true")
    else:
        light, dark = (group_hues(groups, colours)[at] for colours in (LIGHT, DARK))
        size = ";font-size:.7em" if light.marker == "pentagon" else ""  # fonts draw it larger
        mark = el(
            "span",
            GLYPHS[light.marker],
            cls="fv-key",
            aria_hidden="true",
            style=f"color:light-dark({light.line},{dark.line}){size}",
        )
    return el("span", mark, el("span", name, style=whole), cls="fv-keyed", style="margin-right:.6rem")


def _amount(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"
