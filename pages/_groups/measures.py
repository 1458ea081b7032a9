"""The measures of groups, and what is folded away below them."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import streamlit as st

from fairviz.display.latex import latex_text
from fairviz.display.table import Tables, csv_text
from fairviz.display.words import count, count_word, interval, number, percent, plural
from fairviz.kernels.divergence import l1
from fairviz.model import Dataset, FloatArray
from fairviz.points.shares import distance_range, share_range
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.groups.analysis import PANELS, Beside, GroupsAnalysis, aims_of, analyse, largest, shown_per_item
from fairviz.studies.groups.charts import by_rank_alt, by_rank_figure
from fairviz.studies.groups.columns import MeasureRow
from fairviz.studies.groups.findings import (
    amount,
    bounds_sentence,
    bounds_title,
    by_rank_title,
    per_item_title,
)
from fairviz.studies.groups.measures import ROWS, SECTIONS
from fairviz.studies.groups.questions import Answer
from fairviz.studies.groups.settings import GroupsSettings
from pages._groups.results import fold_label
from pages._kit import colours, counts_line, show_figure
from pages._kit.commands import study_commands
from pages._kit.downloads import download, download_row
from pages._kit.html import Cell, Column, Glyph, Html, Toned, Two, el, html_table, join
from pages._kit.table import Row, keyed, muted, on_range, page_table, swatch

SHARES = ("group", "n_candidates", "share_of_candidates", "share_of_attention")

IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""


@contextmanager
def fold(name: str, finding: str) -> Iterator[bool]:
    """A fold with its finding beside its name; whether it is open, and its body wanted."""
    with st.expander(fold_label(name, finding), key=f"groups-fold-{name}", on_change="rerun") as opened:
        yield bool(opened.open)


def by_rank(beside: Beside) -> None:
    """One panel per group: its share at each rank against the target."""
    bins, exposure = beside.fixed.bins, beside.fixed.exposure
    with fold("By rank", by_rank_title(bins, exposure.groups, few=exposure.is_few)) as is_open:
        if not is_open or not bins.n.sum() > 0:
            return
        counts_line(
            "Share of labelled documents by rank with 95 % intervals over queries; the finding by a test over queries "
            "(t-test), corrected for having looked at all groups. Dashed: target. Ranks are pooled; the smallest point "
            f"rests on {int(bins.n.min())} labelled places of the first {beside.settings.k} ranks."
        )
        _panels(beside)
        if len(exposure.groups) > PANELS:
            counts_line(f"The {PANELS} largest of {len(exposure.groups)} groups.")


def per_document(beside: Beside, known: Tables) -> None:
    """Total and per-item attention: parity and proportionality."""
    exposure, sure = beside.fixed.exposure, beside.fixed.ends.per_item_corrected  # of one searched among all groups
    with fold("Per document", per_item_title(exposure, sure)) as is_open:
        if not is_open:
            return
        ends = shown_per_item(beside.fixed)
        counts_line(
            "Parity asks for equal shares whatever a group's size; proportionality for equal attention per retrieved "
            "document: 1.00 = as much as a labelled document gets on average. Intervals: of each group alone; filled: "
            f"apart from 1 by one widened for {count_word(len(exposure.groups))} groups, as is the finding."
        )
        certain = ~np.bool_(exposure.is_few) & ((sure.low > 1) | (sure.high < 1))
        apart: dict[str, bool] = dict(zip(exposure.groups, certain.tolist(), strict=True))
        span = _reach(ends.low, ends.high, exposure.per_item)
        page_table(
            known["per-document"],
            show=(*SHARES, "per_document", "interval"),
            drawn={
                "group": lambda row: keyed(exposure.groups, exposure.groups.index(row.text("group"))),
                "n_candidates": lambda row: amount(row.number("n_candidates")),
                "per_document": lambda row: _per_document(row, few=exposure.is_few),
                "interval": lambda row: _around_one(row, apart[row.text("group")]),
            },
            columns={"interval": Column(label="95 % interval", span=span, zero=1.0)},
            narrow="scroll",
        )


def missing_labels(beside: Beside, known: Tables) -> None:
    """A row per group: observed share, the least and the most it can be, the target."""
    exposure, aims, is_set = beside.unknown, aims_of(beside), beside.is_set
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
            known["missing-labels"],
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


def _panels(beside: Beside) -> None:
    exposure, target = beside.fixed.exposure, beside.held.target.shares
    groups = largest(exposure)
    for start in range(0, len(groups), IN_A_ROW):
        columns = st.columns(IN_A_ROW, gap="medium")
        for column, group in zip(columns, groups[start : start + IN_A_ROW], strict=False):
            name, share = exposure.groups[group], float(target[group])
            with column.container(gap="xsmall"):
                st.html(
                    el(
                        "p",
                        swatch(exposure.groups, group),
                        el("strong", name, style="min-width:0"),
                        el("span", f"target {percent(share)}", cls="fv-mute", style="white-space:nowrap"),
                        cls="fv-keyed",
                    )
                )
                shown = (beside.fixed.bins, exposure.groups, group, share)
                figure = by_rank_figure(*shown, few=exposure.is_few, colours=colours())
                show_figure(figure, f"by-rank-{group}", by_rank_alt(*shown))


def _per_document(row: Row, *, few: bool) -> Html | Toned:
    if few:
        return muted(number(row.number("per_document"), 2))
    ends = interval(row.number("low"), row.number("high"), 2)
    return join(number(row.number("per_document"), 2), el("span", ends, cls="fv-below"))


def _around_one(row: Row, apart: bool) -> Glyph | str:
    """The interval of attention per document, filled where it is apart from 1, corrected over the groups."""
    low, high = row.number("low"), row.number("high")
    if np.isnan(low):
        return ""
    return Glyph(value=row.number("per_document"), low=low, high=high, filled=apart)


def _reach(low: FloatArray, high: FloatArray, value: FloatArray) -> tuple[float, float]:
    """One range for all intervals, with 1 inside."""
    ends = np.concatenate([low, high, value, [0.0, 2.0]])
    return 0.0, 1.05 * float(np.nanmax(ends))


def _between(least: float, most: float) -> str:
    """Two shares, one where both read alike."""
    low, high = percent(least, 1), percent(most, 1)
    return low if low == high else f"{low} to {high}"


STEM = "fairviz-groups"


def answers_table(found: tuple[Answer, ...], known: Tables, n_queries: int, n_groups: int) -> None:
    """A row per question: what the lists say, the measure that says it, its interval on the measure's range."""
    over = plural(n_queries, "query", "queries")
    by_question = {answer.question: answer for answer in found}

    def of(row: Row) -> Answer:
        return by_question[row.text("question")]

    with st.container(key="groups_answers"):
        counts_line(
            f"{over}: too few for intervals and verdicts, so values stand in grey."
            if n_queries < MIN_UNITS
            else f"Green line: the best value. Intervals: 95\u202f%, by resampling {over} (bootstrap); that of the "
            f"worst group is widened because the worst of {count_word(n_groups)} groups was picked."
        )
        page_table(
            known["answers"],
            show=("question", "words", "value", "interval", "drawn", "better"),
            drawn={
                "question": lambda row: join(
                    el("strong", row.text("question")),
                    el("span", of(row).measure, cls="fv-below", style="white-space:normal"),
                ),
                "value": lambda row: _shown(of(row)),
                "interval": lambda row: "too few queries" if of(row).is_few else of(row).shown_interval,
                "drawn": lambda row: (
                    ""
                    if of(row).is_few
                    else on_range(of(row).value, of(row).interval, span=of(row).span, best=of(row).best)
                ),
                "better": lambda row: muted(row.text("better")),
            },
            columns={
                "words": Column(label="Answer"),
                "value": Column(label="Value", align="right", short=True),
                "interval": Column(label="95 % interval", short=True),
                "drawn": Column(label="", wide=True),
                "better": Column(label="Better", short=True),
            },
        )


def _shown(answer: Answer) -> Cell:
    return muted(answer.shown) if answer.is_few else el("strong", answer.shown)


def all_measures(loaded: Dataset, settings: GroupsSettings) -> None:
    """Every measure, section by section, and downloads of these numbers; computed when opened."""
    with fold(f"All {len(ROWS)} measures", "in numbers and words; CSV and LaTeX") as is_open:
        if is_open:
            _every(analyse(loaded, settings), settings)


def _every(found: GroupsAnalysis, settings: GroupsSettings) -> None:
    known = found.tables
    counts_line(
        f"Group of interest, G+: {settings.group}; move another target to look at another. Arrow: the direction that "
        "improves. Green line: where it is best. Intervals: 95 %, by resampling queries (bootstrap)."
    )
    _table([row for row in found.measures if not row.result.refused])
    refused = [row for row in found.measures if row.result.refused]
    if refused:
        _refused(refused)
    download_row(
        STEM,
        "All measures",
        frame_csv=lambda: csv_text(known["measures"]),
        latex=lambda: latex_text(known["measures-printed"], label="tab:measures-printed"),
        commands=lambda: study_commands("groups", settings, csv="measures", latex=["measures-printed"]),
    )
    download(
        "Shares, CSV",
        lambda: csv_text(known["shares"]),
        file_name="fairviz-shares.csv",
        mime="text/csv",
        key="fairviz-shares-csv",
    )


def _table(rows: list[MeasureRow]) -> None:
    columns = [
        Column(label="Measure"),
        Column(label="Value", align="right"),
        Column(label="95 % interval", align="right", wide=True),
        Column(label="", wide=False),
        Column(label="Queries", align="right", wide=True),
        Column(label="In plain words"),
    ]
    cells: list[list[Cell]] = []
    for part, title in SECTIONS.items():
        in_section = [row for row in rows if row.section == part]
        if in_section:
            cells.append([el("strong", title, cls="fv-mute"), "", "", "", "", ""])
        cells += [_cells(row) for row in in_section]
    html_table(columns, cells, caption="Group measures of one system")


def _cells(row: MeasureRow) -> list[Cell]:
    result = row.result
    label = join(el("strong", row.label), f" {row.arrow}", el("span", row.goal, cls="fv-below"))
    n, name = count(result.n_queries - result.n_undefined), el("span", label, title=result.measure)
    queries = Two(top=n, below=f"{count(result.n_undefined)} undefined") if result.n_undefined else n
    if row.is_few:  # grey, without interval and mark
        return [name, muted(number(result.value)), "", "", queries, muted(row.words)]
    return [
        name,
        el("strong", number(result.value)),
        el("span", interval(*result.interval), style="white-space:nowrap"),
        on_range(result.value, result.interval, span=row.span, best=row.best),
        queries,
        el("span", row.words, style="font-size:.88rem"),
    ]


def _refused(rows: list[MeasureRow]) -> None:
    # what a person types in a command is a choice here: the row of one group, which follows the target that moves
    reasons = {row.label: row.result.refused for row in rows}
    chosen = {label: f"Choose one group to compute {label}" for label, why in reasons.items() if "group=" in why}
    entries = (el("li", el("strong", label), f": {chosen.get(label, why)}") for label, why in reasons.items())
    head = el("summary", f"{plural(len(rows), 'measure')} not on these data, and why")
    st.html(el("details", head, el("ul", *entries), cls="fv-notes", open=""))
