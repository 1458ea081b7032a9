"""One query of the Groups & targets page: its list with the groups of its documents."""

import math
import time
from collections.abc import Sequence

import numpy as np
import streamlit as st

from fairviz.groups import UNLABELLED
from fairviz.model import Dataset, FloatArray, Target
from fairviz.show.theme import group_hues
from fairviz.show.words import interval, listing, number, percent, plural
from fairviz.studies.groups.figures import (
    SharesView,
    by_rank_alt,
    by_rank_figure,
    highest_share,
    shares_alt,
    shares_figure,
)
from fairviz.studies.groups.findings import (
    attainable_notes,
    by_rank_title,
    per_item_title,
    points,
    unknown_sentence,
    unknown_title,
)
from fairviz.studies.groups.off_target import off_target
from fairviz.studies.groups.shares import GroupList, group_list
from pages._groups.agreement import agreement_section
from pages._groups.results import Seen, Settings, systems, unknown_of
from pages._kit import (
    Bar,
    Cell,
    Column,
    Glyph,
    Html,
    colours,
    counts_line,
    el,
    html_table,
    join,
    readouts,
    section,
    show_figure,
)
from pages._kit.controls import choose_query
from pages._kit.share_bars import keyed, legend, share_bar, swatch
from pages._kit.target_presets import labelled_pools

# Agreement of measures below the rest: it waits until the target rests.
#
# Measuring every system anew takes longer than a key press; while the target moves, the charts above
# come first.


REST = 0.8
"""Seconds without a move after which the target rests."""

AGREEMENT_SHOWN, AGREEMENT_DUE = "agreement-shown", "agreement-due"


def agreement(loaded: Dataset, chosen: Settings, target: Target) -> None:
    """The section, at once where its target is shown already or for the first time."""
    wanted = (loaded.fingerprint, chosen, target.groups, tuple(target.shares.tolist()))
    if st.session_state.get(AGREEMENT_SHOWN, wanted)[:2] != wanted[:2]:
        st.session_state.pop(AGREEMENT_SHOWN)  # other data or settings: a person waits for all of it
    if st.session_state.setdefault(AGREEMENT_SHOWN, wanted) == wanted:
        agreement_section(
            loaded,
            attribute=chosen.attribute,
            system=chosen.system,
            judgements=chosen.judgements,
            unlabelled=chosen.unlabelled,
            k=chosen.k,
        )
        st.page_link(
            "pages/learn.py",
            label="Which measure answers your question?",
            icon=":material/school:",
            query_params={"chapter": "Choose a metric"},
        )
        return
    st.session_state[AGREEMENT_DUE] = time.monotonic() + REST
    st.fragment(_wait, run_every=REST / 2)(wanted)


def _wait(wanted: tuple[object, ...]) -> None:
    """Look again on every tick; when the target rests, the page runs with the section in it."""
    if time.monotonic() >= st.session_state[AGREEMENT_DUE]:
        st.session_state[AGREEMENT_SHOWN] = wanted
        st.rerun()
    section("Do the measures order the systems alike?", "Measured again when the target rests …")


# A value with its interval on a range of its own, beside the place it is held against.


def on_range(
    value: float,
    ends: Sequence[float],
    *,
    span: tuple[float, float],
    best: float,
    target: bool = False,
) -> Html | str:
    """Dot, bar and a line: green where a measure is best, ink where a target is.

    Args:
        value: The dot; nothing is drawn where it is undefined.
        ends: Low and high end of the bar, NaN = none.
        span: Ends of the range; what lies beyond stands at the end.
        best: Where the line stands.
        target: Whether the line is a target.
    """
    low, high = span

    def place(at: float) -> float:
        return 100 * min(max((at - low) / (high - low), 0.0), 1.0)

    bar = None
    if not math.isnan(ends[0]):
        left, right = place(ends[0]), place(ends[1])
        style = f"left:{left:.1f}%;width:{max(right - left, 0):.1f}%"
        bar = el("span", cls="fv-reach fv-fill-ink", style=style)
    hue = "var(--fv-ink)" if target else "var(--fv-gain-fill)"
    line = f"background:{hue};opacity:1;width:2px;top:0;bottom:0;left:{place(best):.1f}%"
    dot = None
    if not math.isnan(value):
        at = f"left:{place(value):.1f}%"
        dot = el("span", cls="fv-dot fv-filled fv-tone-ink", style=at)
    if bar is None and dot is None:
        return ""
    return el(
        "span",
        el("span", cls="fv-zero", style=line),
        bar,
        dot,
        cls="fv-glyph",
        style="background:var(--fv-panel);border-radius:2px;min-width:6.5rem",
    )


# Sections of the Groups & targets page: sizes, shares against the target, ranks, per document.


IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""

SHOWN = 6
"""Groups with a panel at first sight."""


def sizes(loaded: Dataset, chosen: Settings) -> None:
    """Group sizes, and first of all what has no label."""
    found = unknown_of(loaded, chosen)
    section(unknown_title(found), unknown_sentence(found))
    groups = (UNLABELLED, *found.groups)
    parts = (
        ("Attention", found.unlabelled.sum(), found.attention.sum(axis=0)),
        (f"Places seen, first {chosen.k}", found.unlabelled_places.sum(), found.places.sum(axis=0)),
        ("Retrieved documents", found.unlabelled_candidates.sum(), found.candidates.sum(axis=0)),
    )
    every = [np.concatenate([[rest], known]) for _, rest, known in parts]
    attention = every[0] / max(float(every[0].sum()), 1e-12)
    share_bar("Attention", groups, attention)
    legend(groups, [percent(float(share), 1) for share in attention])
    for (label, _, _), sums in zip(parts[1:], every[1:], strict=True):
        listed = ", ".join(f"{name} {_whole(float(n))}" for name, n in zip(groups[1:], sums[1:], strict=True))
        counts_line(f"{label}: no label {_whole(float(sums[0]))}, {listed}")


def shares(view: SharesView, found: Seen, target: FloatArray, n_others: int) -> None:
    """Where attention goes against the target, and what re-ranking could make of it."""
    others = f" Small marks: {n_others} other systems." if n_others else ""
    section(
        f"Where {view.unit} goes, against the target",
        f"Large mark: this system with its 95 % interval (bootstrap over queries).{others} Line: "
        "your target. Pale band: what re-ranking the same candidates could reach.",
    )
    show_figure(shares_figure(view, colours=colours()), "group-shares", shares_alt(view))
    _read_out(found, target)
    noun = ("query", "queries")
    for text in attainable_notes(found.reach, target, view.groups, noun=noun):
        counts_line(text)


def _read_out(found: Seen, target: FloatArray) -> None:
    """How far in all, and the groups at both ends."""
    now = off_target(found.exposure.shares, found.ends.drawn, target)
    if np.isnan(now.off) or now.least < 0:
        return
    groups = found.exposure.groups
    between = interval(100 * now.interval.low, 100 * now.interval.high, 0)
    readouts(
        [
            (points(now.off), f"of attention off target ({between})", ""),
            (f"{number(now.least_ratio, 2)} ×", f"its target: {groups[now.least]}, least", ""),
            (f"{number(now.most_ratio, 2)} ×", f"its target: {groups[now.most]}, most", ""),
        ]
    )


def by_rank(found: Seen, target: FloatArray, chosen: Settings) -> None:
    """One panel per group: its share at each rank against the target."""
    bins, groups = found.bins, found.exposure.groups
    smallest = int(bins.n.min()) if bins.n.size else 0
    section(
        by_rank_title(bins, groups),
        "Share of labelled documents by rank with 95 % intervals (Wilson). Dashed: target. Ranks "
        f"are pooled; the smallest point rests on {smallest} labelled places of the first "
        f"{chosen.k} ranks.",
    )
    if not bins.n.sum() > 0:
        return
    shown = list(range(min(SHOWN, len(groups))))
    _panels(found, shown, target)
    if len(groups) > SHOWN:
        with st.expander(f"The other {len(groups) - SHOWN} groups"):
            _panels(found, list(range(SHOWN, len(groups))), target)


def per_document(found: Seen) -> None:
    """Total and per-item attention: parity and proportionality."""
    exposure, ends = found.exposure, found.ends.per_item
    section(
        per_item_title(exposure, ends),
        "Parity asks for equal shares whatever a group's size; proportionality for equal "
        "attention per retrieved document: 1.00 = as much as a labelled document gets on average.",
    )
    candidates = exposure.candidates.sum(axis=0)
    of_candidates = candidates / max(float(candidates.sum()), 1e-12)
    low, high = _reach(ends.low, ends.high, exposure.per_item)
    columns = [
        Column(label="Group"),
        Column(label="candidates", align="right"),
        Column(label="share of candidates", align="right"),
        Column(label="share of attention", align="right"),
        Column(label="attention per document", align="right"),
        Column(label="95 % interval", span=(low, high), zero=1.0),
    ]
    rows: list[Sequence[Cell]] = []
    for i in range(len(exposure.groups)):
        value, a, b = (float(x[i]) for x in (exposure.per_item, ends.low, ends.high))
        sure = bool(a > 1 or b < 1)
        glyph = Glyph(value=value, low=a, high=b, filled=sure) if not np.isnan(a) else ""
        rows.append(
            [
                keyed(exposure.groups, i),
                _whole(float(candidates[i])),
                percent(float(of_candidates[i]), 1),
                percent(float(exposure.shares[i]), 1),
                join(number(value, 2), el("span", interval(a, b, 2), cls="fv-below")),
                glyph,
            ]
        )
    html_table(columns, rows, caption="Attention per document by group", narrow="scroll")


def _panels(found: Seen, groups: list[int], target: FloatArray) -> None:
    hues = group_hues(found.exposure.groups, colours())
    highest = highest_share(found.bins)
    for start in range(0, len(groups), IN_A_ROW):
        columns = st.columns(IN_A_ROW, gap="medium")
        for column, group in zip(columns, groups[start : start + IN_A_ROW], strict=False):
            name, share = found.exposure.groups[group], float(target[group])
            with column.container(gap="xsmall"):
                st.html(
                    el(
                        "p",
                        swatch(found.exposure.groups, group),
                        el("strong", name),
                        el("span", f"target {percent(share)}", cls="fv-mute"),
                        cls="fv-keyed",
                    )
                )
                figure = by_rank_figure(
                    found.bins,
                    group,
                    target=share,
                    highest=highest,
                    hue=hues[group],
                    colours=colours(),
                )
                alt = by_rank_alt(found.bins, group, name=name, target=share)
                show_figure(figure, f"by-rank-{group}", alt)


def _reach(low: FloatArray, high: FloatArray, value: FloatArray) -> tuple[float, float]:
    """One range for all intervals, with 1 inside."""
    ends = np.concatenate([low, high, value, [0.0, 2.0]])
    return 0.0, 1.05 * float(np.nanmax(ends))


def _whole(value: float) -> str:
    """A count; soft labels and samples make it a fraction."""
    text = f"{value:,.0f}" if abs(value - round(value)) < 0.05 else f"{value:,.1f}"
    return text.replace(",", "\u202f")


ITEMS_SHOWN = 20
"""Items in the table; Inspect has all."""

LONGEST = 100
"""Characters of a document's text."""


def one_query(loaded: Dataset, chosen: Settings) -> None:
    """Choose a query and see who stands where."""
    ranked = systems(loaded)[chosen.system]
    pools, members = labelled_pools(loaded, chosen.attribute, chosen.system, chosen.judgements, "drop")
    known = [q for q, n in zip(pools.query_ids, pools.n_retrieved, strict=True) if n]
    if not known:
        return
    title = st.container()
    attention = unknown_of(loaded, chosen).attention
    labelled = dict(zip(pools.query_ids, attention.sum(axis=1).tolist(), strict=True))
    first = next((q for q in known if labelled[q] > 0), known[0])
    query = choose_query("One query", known, loaded.texts or {}, key="groups_query", first=first)
    found = group_list(ranked, pools, members, query, chosen.attention, shown=ITEMS_SHOWN)
    with title:
        section(_title(found, members.groups), _subtitle(found, chosen.k))
    largest = max(float(found.attention.max(initial=0)), 1e-12)
    passages = loaded.passages or {}
    rows: list[list[Cell]] = []
    for i, doc in enumerate(found.doc_ids):
        weight = float(found.attention[i])
        text = passages.get(doc, "")
        shown = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        rows.append(
            [
                str(i + 1),
                _groups(found, i, members.groups),
                f"{found.gains[i]:g}" if found.judged[i] else "unjudged",
                join(el("code", doc), el("span", shown, cls="fv-below", style="white-space:normal") if shown else None),
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


def _groups(found: GroupList, at: int, groups: tuple[str, ...]) -> Cell:
    """Swatch and name of each group of a document; the hatched swatch is no label."""
    weights = found.weights[at]
    parts = [keyed(groups, g, "" if w > 0.999 else f" {percent(float(w))}") for g, w in enumerate(weights) if w > 0]
    rest = 1 - float(weights.sum())
    if rest > 1e-6:
        part = "" if rest > 0.999 else f" {percent(rest)}"
        parts.append(join(swatch((UNLABELLED,), 0), el("span", f" no label{part}", style="white-space:nowrap")))
    return join(*(el("span", part, style="margin-right:.6rem") for part in parts))


def _title(found: GroupList, groups: tuple[str, ...]) -> str:
    sums = found.weights.sum(axis=0).tolist()
    named = [f"{_places(n)} labelled {g}" for g, n in zip(groups, sums, strict=True) if n > 0]
    first = plural(len(found.doc_ids), "document")
    if not named:
        return f"None of the first {first} has a label"
    return f"Of the first {first}, {listing(named)}"


def _subtitle(found: GroupList, k: int) -> str:
    several = f" The first of {found.n_rankings} rankings of this sample." if found.n_rankings > 1 else ""
    return f"Attention ends after rank {k}. Hatched: no label.{several}"


def _places(value: float) -> str:
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"
