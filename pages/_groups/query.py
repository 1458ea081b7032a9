"""One query of the Groups & targets page: its list with the groups of its documents."""

import streamlit as st

from fairviz.groups import UNLABELLED
from fairviz.model import Dataset
from fairviz.show.words import listing, number, percent, plural, quoted
from fairviz.studies.groups.by_rank import GroupList, group_list
from pages._groups.results import Settings, systems, unknown_of
from pages._kit import Bar, Cell, Column, el, html_table, join, section
from pages._kit.controls import choose_query
from pages._kit.share_bars import keyed, swatch
from pages._kit.target_presets import labelled_pools

ITEMS_SHOWN = 20
"""Items in the table; Inspect has all."""
LONGEST = 100
"""Characters of a document's text."""


def one_query(loaded: Dataset, settings: Settings) -> None:
    """Choose a query and see who stands where."""
    ranked = systems(loaded)[settings.system]
    pools, members = labelled_pools(loaded, settings.attribute, settings.system, settings.judgements, "drop")
    known = [q for q, n in zip(pools.query_ids, pools.n_retrieved, strict=True) if n]
    if not known:
        return
    title = st.container()
    attention = unknown_of(loaded, settings).attention
    labelled = dict(zip(pools.query_ids, attention.sum(axis=1).tolist(), strict=True))
    first = next((q for q in known if labelled[q] > 0), known[0])
    query = choose_query("One query", known, loaded.texts or {}, key="groups_query", first=first)
    listed = group_list(ranked, pools, members, query, settings.attention, most=ITEMS_SHOWN)
    with title:
        section(_title(listed, members.groups), _subtitle(listed, settings.k))
    largest = max(float(listed.attention.max(initial=0)), 1e-12)
    passages = loaded.passages or {}
    rows: list[list[Cell]] = []
    for i, doc in enumerate(listed.doc_ids):
        weight = float(listed.attention[i])
        text = passages.get(doc, "")
        excerpt = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        rows.append(
            [
                str(i + 1),
                _groups(listed, i, members.groups),
                f"{listed.gains[i]:g}" if listed.judged[i] else "unjudged",
                join(
                    el("code", doc),
                    el("span", excerpt, cls="fv-below", style="white-space:normal") if excerpt else None,
                ),
                number(weight, 2),
                Bar(length=weight / largest, tone="mute"),
            ]
        )
    columns = [
        Column(label="Rank"),
        Column(label="Group"),
        Column(label="grade", align="right"),
        Column(label="Document"),
        Column(label="attention", align="right"),
        Column(label="", wide=True),
    ]
    html_table(columns, rows, caption=f"First {len(rows)} documents of one query", tall=True, narrow="scroll")
    if loaded.runs and ranked in loaded.runs:
        st.page_link(
            "pages/inspect.py",
            label="This query in Inspect",
            icon=":material/search:",
            query_params={"q": query},
        )


def _groups(listed: GroupList, at: int, groups: tuple[str, ...]) -> Cell:
    """Swatch and name of each group of a document; the hatched swatch is no label."""
    weights = listed.weights[at]
    parts = [keyed(groups, g, "" if w > 0.999 else f" {percent(float(w))}") for g, w in enumerate(weights) if w > 0]
    rest = 1 - float(weights.sum())
    if rest > 1e-6:
        part = "" if rest > 0.999 else f" {percent(rest)}"
        parts.append(join(swatch((UNLABELLED,), 0), el("span", f" no label{part}", style="white-space:nowrap")))
    return join(*(el("span", part, style="margin-right:.6rem") for part in parts))


def _title(listed: GroupList, groups: tuple[str, ...]) -> str:
    sums = listed.weights.sum(axis=0).tolist()
    named = [f"{_places(n)} labelled {quoted(g)}" for g, n in zip(groups, sums, strict=True) if n > 0]
    first = plural(len(listed.doc_ids), "document")
    if not named:
        return f"None of the first {first} has a label"
    return f"Of the first {first}, {listing(named)}"


def _subtitle(listed: GroupList, k: int) -> str:
    several = f" The first of {listed.n_rankings} rankings of this sample." if listed.n_rankings > 1 else ""
    return f"Attention ends after rank {k}. Hatched: no label.{several}"


def _places(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"
