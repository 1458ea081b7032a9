"""Sections of the Groups & targets page: sizes, shares against the target, ranks, per document."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from fairviz.analysis.off_target import off_target
from fairviz.figures.group_by_rank import by_rank_alt, by_rank_figure, highest_share
from fairviz.figures.group_hues import group_hues
from fairviz.figures.group_shares import SharesView, shares_alt, shares_figure
from fairviz.groups import UNLABELLED
from fairviz.model import Dataset, FloatArray
from fairviz.report.group_findings import (
    attainable_notes,
    by_rank_title,
    per_item_title,
    points,
    unknown_sentence,
    unknown_title,
)
from pages._groups_results import Seen, unknown_of
from pages._groups_settings import Settings
from pages._shared import (
    Cell,
    Column,
    Glyph,
    colours,
    counts_line,
    el,
    html_table,
    interval,
    join,
    number,
    percent,
    readouts,
    section,
    show_figure,
)
from pages._target_bars import keyed, legend, share_bar, swatch

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
