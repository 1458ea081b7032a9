"""What Groups & targets folds away: ranks, missing labels, attention per document; drawn when opened."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import streamlit as st

from fairviz.display.theme import group_hues
from fairviz.display.words import count_word, interval, number, percent
from fairviz.divergence import l1
from fairviz.grouping import UNLABELLED
from fairviz.model import FloatArray, Target
from fairviz.stats.bootstrap import Intervals
from fairviz.studies.groups.figures import by_rank_alt, by_rank_figure, highest_share
from fairviz.studies.groups.findings import (
    bounds_sentence,
    bounds_title,
    by_rank_title,
    per_item_title,
)
from fairviz.studies.groups.off_target import distance_range, share_range
from fairviz.studies.groups.shares import GroupExposure
from fairviz.studies.groups.tables import GroupResults, tables
from pages._groups.results import SystemExposure
from pages._groups.rows import fold_label
from pages._kit import (
    Column,
    Glyph,
    Html,
    Row,
    Toned,
    colours,
    counts_line,
    el,
    join,
    muted,
    page_table,
    show_figure,
)
from pages._kit.table import keyed, on_range, swatch

SHARES = ("group", "n_candidates", "share_of_candidates", "share_of_attention")

IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""
SHOWN = 6
"""Groups with a panel."""


@contextmanager
def fold(name: str, finding: str) -> Iterator[bool]:
    """A fold with its finding beside its name; whether it is open, and its body wanted."""
    with st.expander(fold_label(name, finding), key=f"groups-fold-{name}", on_change="rerun") as opened:
        yield bool(opened.open)


def by_rank(exposures: SystemExposure, target: FloatArray, k: int) -> None:
    """One panel per group: its share at each rank against the target."""
    bins, groups = exposures.bins, exposures.exposure.groups
    with fold("By rank", by_rank_title(bins, groups, few=exposures.exposure.is_few)) as is_open:
        if not is_open or not bins.n.sum() > 0:
            return
        counts_line(
            "Share of labelled documents by rank with 95 % intervals over queries; the finding by a test over queries "
            "(t-test), corrected for having looked at all groups. Dashed: target. Ranks are pooled; the smallest point "
            f"rests on {int(bins.n.min())} labelled places of the first {k} ranks."
        )
        order = np.argsort(-np.nan_to_num(exposures.exposure.shares), kind="stable").tolist()
        _panels(exposures, order[:SHOWN], target)
        if len(order) > SHOWN:
            counts_line(f"The {SHOWN} largest of {len(order)} groups.")


def per_document(exposures: SystemExposure) -> None:
    """Total and per-item attention: parity and proportionality."""
    exposure, sure = exposures.exposure, exposures.ends.per_item_corrected  # of one searched among all groups
    with fold("Per document", per_item_title(exposure, sure)) as is_open:
        if not is_open:
            return
        ends = exposures.ends.per_item
        if exposure.is_few:  # shown without an interval
            nothing = np.full_like(ends.low, np.nan)
            ends = Intervals(nothing, nothing)
        counts_line(
            "Parity asks for equal shares whatever a group's size; proportionality for equal attention per retrieved "
            "document: 1.00 = as much as a labelled document gets on average. Intervals: of each group alone; filled: "
            f"apart from 1 by one widened for {count_word(len(exposure.groups))} groups, as is the finding."
        )
        certain = ~np.bool_(exposure.is_few) & ((sure.low > 1) | (sure.high < 1))
        apart: dict[str, bool] = dict(zip(exposure.groups, certain.tolist(), strict=True))
        span = _reach(ends.low, ends.high, exposure.per_item)
        page_table(
            tables(GroupResults(per_document=(exposure, ends)))["per-document"],
            show=(*SHARES, "per_document", "interval"),
            drawn={
                "group": lambda row: keyed(exposure.groups, exposure.groups.index(row.text("group"))),
                "n_candidates": lambda row: _whole(row.number("n_candidates")),
                "per_document": lambda row: _per_document(row, few=exposure.is_few),
                "interval": lambda row: _around_one(row, apart[row.text("group")]),
            },
            columns={"interval": Column(label="95 % interval", span=span, zero=1.0)},
            narrow="scroll",
        )


def missing_labels(exposure: GroupExposure, target: Target, *, is_set: bool) -> None:
    """A row per group: observed share, the least and the most it can be, the target.

    Args:
        exposure: Attention by group, that of items without a label apart.
        target: It may have a share for these items.
        is_set: Whether somebody set it; else it is equal shares.
    """
    named = dict(zip(target.groups, target.shares.tolist(), strict=True))
    aims = np.array([named.get(group, 0.0) for group in exposure.groups])
    if UNLABELLED in named and aims.sum() > 0:
        aims = aims / aims.sum()  # what is asked of the documents that have a group
    labelled, rest = exposure.attention.sum(axis=0), float(exposure.unlabelled.sum())
    title = bounds_title(share_range(labelled, rest), aims, exposure.groups, is_set=is_set)
    with fold("If labels were known", title) as is_open:
        if not is_open:
            return
        counts_line(
            "Bar: the group's share of all attention if none, or all, of the unlabelled documents were its own. "
            f"Dot: share of labelled attention. Line: {'target' if is_set else 'equal share'}."
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
            now = float(l1(exposure.shares, aims))
            counts_line(bounds_sentence(distance_range(labelled, rest, aims, l1), now, is_set=is_set))


def _panels(exposures: SystemExposure, groups: Sequence[int], target: FloatArray) -> None:
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
                    exposures.bins, group, target=share, highest=highest, hue=hues[group], colours=colours()
                )
                show_figure(figure, f"by-rank-{group}", by_rank_alt(exposures.bins, group, name=name, target=share))


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
