"""Sections of the Groups & targets page: sizes, shares against the target, ranks, per document, missing labels."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from fairviz.divergence import l1
from fairviz.groups import UNLABELLED
from fairviz.model import Dataset, FloatArray, Target
from fairviz.show.theme import group_hues
from fairviz.show.words import interval, number, percent, plural, quoted
from fairviz.stats.bootstrap import Intervals
from fairviz.studies.groups.figures import (
    SharesView,
    by_rank_alt,
    by_rank_figure,
    highest_share,
    shares_alt,
    shares_figure,
)
from fairviz.studies.groups.findings import (
    MOST_UNLABELLED,
    attainable_notes,
    bounds_sentence,
    bounds_title,
    by_rank_title,
    per_item_title,
    unknown_sentence,
    unknown_title,
)
from fairviz.studies.groups.off_target import distance_range, off_target, share_range
from fairviz.studies.groups.tables import GroupResults, tables
from pages._groups.results import Settings, SystemExposure, unknown_of
from pages._kit import (
    Column,
    Glyph,
    Html,
    Row,
    Tone,
    Toned,
    colours,
    counts_line,
    el,
    join,
    muted,
    page_table,
    readouts,
    section,
    show_chart,
    show_figure,
)
from pages._kit.share_bars import keyed, legend, share_bar, swatch

SHARES = ("group", "n_candidates", "share_of_candidates", "share_of_attention")

IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""
SHOWN = 6
"""Groups with a panel at first sight."""


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


def sizes(loaded: Dataset, settings: Settings) -> None:
    """Group sizes, and first of all what has no label."""
    exposure = unknown_of(loaded, settings)
    section(unknown_title(exposure), unknown_sentence(exposure))
    groups = (UNLABELLED, *exposure.groups)
    parts = (
        ("Attention", exposure.unlabelled.sum(), exposure.attention.sum(axis=0)),
        (f"Places seen, first {settings.k}", exposure.unlabelled_places.sum(), exposure.places.sum(axis=0)),
        ("Retrieved documents", exposure.unlabelled_candidates.sum(), exposure.candidates.sum(axis=0)),
    )
    every = [np.concatenate([[rest], known]) for _, rest, known in parts]
    attention = every[0] / max(float(every[0].sum()), 1e-12)
    share_bar("Attention", groups, attention)
    legend(groups, [percent(float(share), 1) for share in attention])
    for (label, _, _), sums in zip(parts[1:], every[1:], strict=True):
        listed = ", ".join(f"{quoted(name)} {_whole(float(n))}" for name, n in zip(groups[1:], sums[1:], strict=True))
        counts_line(f"{label}: no label {_whole(float(sums[0]))}, {listed}")


def shares(view: SharesView, exposures: SystemExposure, target: FloatArray, n_others: int) -> None:
    """Where attention goes against the target, and what re-ranking could make of it."""
    others = f" Small marks: {n_others} other systems." if n_others else ""
    mark = (
        f"Grey: only {plural(exposures.exposure.n_labelled, 'query', 'queries')} with labelled documents, too few for "
        "an interval or a verdict."
        if view.few
        else "Large mark: this system with its 95 % interval (bootstrap over queries); verdicts are corrected for the "
        "number of groups."
    )
    section(
        f"Where {view.unit} goes, and your target",
        f"{mark}{others} Line: your target. Pale band: what re-ranking the same candidates could reach.",
    )
    show_chart(lambda palette: shares_figure(view, colours=palette), "group-shares", shares_alt(view))
    _read_out(exposures, target)
    noun = ("query", "queries")
    for text in attainable_notes(exposures.reach, target, view.groups, noun=noun):
        counts_line(text)


def _read_out(exposures: SystemExposure, target: FloatArray) -> None:
    """How far in all, and the groups at both ends; of few queries nothing but the first, in grey."""
    exposure = exposures.exposure
    now = off_target(exposure.shares, exposures.ends.drawn, target, exposure.n_labelled)
    if np.isnan(now.off):
        return
    off = f"{number(100 * now.off, 1)} points"
    n = plural(exposure.n_labelled, "query", "queries")
    if exposure.is_few:
        readouts([(off, f"of attention off target, over {n}", "mute")])
        return
    low, high = (number(100 * end, 1) for end in now.interval)
    between = f", {low} to {high}" if low != high else ""
    values: list[tuple[str, str, Tone]] = [(off, f"of attention off target (over {n}{between})", "")]
    if now.least >= 0 and exposure.unlabelled_share <= MOST_UNLABELLED and len(exposure.groups) > 1:
        least, most = exposure.groups[now.least], exposure.groups[now.most]
        values.append((f"{number(now.least_ratio, 2)} ×", f"its target: {quoted(least)}, least here", ""))
        values.append((f"{number(now.most_ratio, 2)} ×", f"its target: {quoted(most)}, most here", ""))
    readouts(values)


def by_rank(exposures: SystemExposure, target: FloatArray, settings: Settings) -> None:
    """One panel per group: its share at each rank against the target."""
    bins, groups = exposures.bins, exposures.exposure.groups
    smallest = int(bins.n.min()) if bins.n.size else 0
    section(
        by_rank_title(bins, groups, few=exposures.exposure.is_few),
        "Share of labelled documents by rank with 95 % intervals over queries; the title: t-test over queries, "
        "corrected for the groups. Dashed: target. Ranks are pooled; the smallest point rests on "
        f"{smallest} labelled places of the first "
        f"{settings.k} ranks.",
    )
    if not bins.n.sum() > 0:
        return
    order = list(range(len(groups)))
    if len(groups) > SHOWN:  # the largest shares are seen at first sight
        order.sort(key=lambda group: -float(np.nan_to_num(exposures.exposure.shares[group])))
    _panels(exposures, order[:SHOWN], target)
    if len(groups) > SHOWN:
        with st.expander(f"The other {len(groups) - SHOWN} groups"):
            _panels(exposures, order[SHOWN:], target)


def per_document(exposures: SystemExposure) -> None:
    """Total and per-item attention: parity and proportionality."""
    exposure, ends = exposures.exposure, exposures.ends.per_item
    if exposure.is_few:  # shown without an interval
        nothing = np.full_like(ends.low, np.nan)
        ends = Intervals(nothing, nothing)
    section(
        per_item_title(exposure, exposures.ends.per_item_corrected),
        "Parity asks for equal shares whatever a group's size; proportionality for equal "
        "attention per retrieved document: 1.00 = as much as a labelled document gets on average.",
    )
    sure = exposures.ends.per_item_corrected  # of one searched among all groups
    certain = ~np.bool_(exposure.is_few) & ((sure.low > 1) | (sure.high < 1))
    apart: dict[str, bool] = dict(zip(exposure.groups, certain.tolist(), strict=True))
    page_table(
        tables(GroupResults(per_document=(exposure, ends)))["per-document"],
        show=(*SHARES, "per_document", "interval"),
        drawn={
            "group": lambda row: keyed(exposure.groups, exposure.groups.index(row.text("group"))),
            "n_candidates": lambda row: _whole(row.number("n_candidates")),
            "per_document": lambda row: _per_document(row, few=exposure.is_few),
            "interval": lambda row: _around_one(row, apart[row.text("group")]),
        },
        columns={
            "interval": Column(label="95 % interval", span=_reach(ends.low, ends.high, exposure.per_item), zero=1.0)
        },
        narrow="scroll",
    )


def _per_document(row: Row, *, few: bool) -> Html | Toned:
    if few:
        return muted(number(row.number("per_document"), 2))
    ends = interval(row.number("ci_low"), row.number("ci_high"), 2)
    return join(number(row.number("per_document"), 2), el("span", ends, cls="fv-below"))


def _around_one(row: Row, apart: bool) -> Glyph | str:
    """The interval of attention per document, filled where it is apart from 1, corrected over the groups."""
    low, high = row.number("ci_low"), row.number("ci_high")
    if np.isnan(low):
        return ""
    return Glyph(value=row.number("per_document"), low=low, high=high, filled=apart)


def _panels(exposures: SystemExposure, groups: list[int], target: FloatArray) -> None:
    hues = group_hues(exposures.exposure.groups, colours())
    if exposures.exposure.is_few:
        hues = [hue._replace(line=colours().faint, text=colours().mute) for hue in hues]
    highest = highest_share(exposures.bins)
    for start in range(0, len(groups), IN_A_ROW):
        columns = st.columns(IN_A_ROW, gap="medium")
        for column, group in zip(columns, groups[start : start + IN_A_ROW], strict=False):
            name, share = exposures.exposure.groups[group], float(target[group])
            with column.container(gap="xsmall"):
                st.html(
                    el(
                        "p",
                        swatch(exposures.exposure.groups, group),
                        el("strong", name, style="min-width:0"),
                        el("span", f"target {percent(share)}", cls="fv-mute", style="white-space:nowrap"),
                        cls="fv-keyed",
                    )
                )
                figure = by_rank_figure(
                    exposures.bins,
                    group,
                    target=share,
                    highest=highest,
                    hue=hues[group],
                    colours=colours(),
                )
                alt = by_rank_alt(exposures.bins, group, name=name, target=share)
                show_figure(figure, f"by-rank-{group}", alt)


def _reach(low: FloatArray, high: FloatArray, value: FloatArray) -> tuple[float, float]:
    """One range for all intervals, with 1 inside."""
    ends = np.concatenate([low, high, value, [0.0, 2.0]])
    return 0.0, 1.05 * float(np.nanmax(ends))


def _whole(value: float) -> str:
    """A count; soft labels and samples make it a fraction."""
    text = f"{value:,.0f}" if abs(value - round(value)) < 0.05 else f"{value:,.1f}"
    return text.replace(",", "\u202f")


def _between(least: float, most: float) -> str:
    """Two shares, one where both read alike."""
    low, high = percent(least, 1), percent(most, 1)
    return low if low == high else f"{low} to {high}"


def unknown_labels(loaded: Dataset, settings: Settings, target: Target) -> None:
    """A row per group: observed share, the least and the most it can be, the target."""
    exposure = unknown_of(loaded, settings)
    named = dict(zip(target.groups, target.shares.tolist(), strict=True))
    aims = np.array([named.get(group, 0.0) for group in exposure.groups])
    if UNLABELLED in named and aims.sum() > 0:
        aims = aims / aims.sum()  # what is asked of the documents that have a group
    labelled, rest = exposure.attention.sum(axis=0), float(exposure.unlabelled.sum())
    ends = share_range(labelled, rest)
    observed = exposure.shares
    section(
        bounds_title(ends, aims, exposure.groups),
        "Bar: the share of all attention if what has no label went away from the group, or all to "
        "it. Dot: share of labelled attention. Line: target.",
    )
    page_table(
        tables(GroupResults(missing_labels=(exposure, aims)))["missing-labels"],
        show=("group", "share_of_labelled", "range", "target", "bar"),
        drawn={
            "group": lambda row: keyed(exposure.groups, exposure.groups.index(row.text("group"))),
            "range": lambda row: _between(row.number("least"), row.number("most")),
            "bar": lambda row: on_range(
                row.number("share_of_labelled"),
                (row.number("least"), row.number("most")),
                span=(0, 1),
                best=row.number("target"),
                target=True,
            ),
        },
        columns={"range": Column(label="of all attention, least to most", align="right"), "bar": ""},
        narrow="scroll",
    )
    if float(aims.sum()) > 0:
        now = float(l1(observed, aims))
        sentence = bounds_sentence(distance_range(labelled, rest, aims, l1), now)
        if sentence:
            counts_line(sentence)
