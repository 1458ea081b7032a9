"""The measures of groups, and what is folded away below them."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import streamlit as st

from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.words import count, count_word, interval, number, percent, plural
from fairviz.kernels.divergence import l1
from fairviz.model import Dataset
from fairviz.points.shares import distance_range, share_range
from fairviz.studies.groups.analysis import PANELS, GroupsAnalysis, analyse, largest
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
from pages._kit import colours, counts_line, show_figure
from pages._kit.commands import study_commands
from pages._kit.downloads import download, download_row
from pages._kit.html import Cell, Column, Glyph, Html, Toned, Two, el, folded_list, html_table, join
from pages._kit.table import Row, keyed, muted, on_range, page_table, swatch
from pages._kit.target import escaped

SHARES = ("group", "n_candidates", "share_of_candidates", "share_of_attention")

IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""


@contextmanager
def fold(name: str, finding: str) -> Iterator[bool]:
    """A fold with its finding, which holds names of people, beside its name; whether its body is wanted."""
    with st.expander(f"**{name}**\u2002{escaped(finding)}", key=f"groups-fold-{name}", on_change="rerun") as opened:
        yield bool(opened.open)


def by_rank(beside: GroupsAnalysis) -> None:
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
        target, groups = beside.held.target.shares, largest(exposure)
        for start in range(0, len(groups), IN_A_ROW):
            columns = st.columns(IN_A_ROW, gap="medium")
            for column, group in zip(columns, groups[start : start + IN_A_ROW], strict=False):
                name, share = exposure.groups[group], float(target[group])
                with column.container(gap="xsmall"):
                    aim = el("span", f"target {percent(share)}", cls="fv-mute", style="white-space:nowrap")
                    named = el("strong", name, style="min-width:0")
                    st.html(el("p", swatch(exposure.groups, group), named, aim, cls="fv-keyed"))
                    shown = (bins, exposure.groups, group, share)
                    figure = by_rank_figure(*shown, few=exposure.is_few, colours=colours())
                    show_figure(figure, f"by-rank-{group}", by_rank_alt(*shown))
        if len(exposure.groups) > PANELS:
            counts_line(f"The {PANELS} largest of {len(exposure.groups)} groups.")


def per_document(beside: GroupsAnalysis) -> None:
    """Total and per-item attention: parity and proportionality."""
    exposure, sure = beside.fixed.exposure, beside.fixed.ends.per_item_corrected  # of one searched among all groups
    with fold("Per document", per_item_title(exposure, sure)) as is_open:
        if not is_open:
            return
        ends = beside.fixed.per_item
        counts_line(
            "Parity asks for equal shares whatever a group's size; proportionality for equal attention per retrieved "
            "document: 1.00 = as much as a labelled document gets on average. Intervals: of each group alone; filled: "
            f"apart from 1 by one widened for {count_word(len(exposure.groups))} groups, as is the finding."
        )
        certain = ~np.bool_(exposure.is_few) & ((sure.low > 1) | (sure.high < 1))
        apart: dict[str, bool] = dict(zip(exposure.groups, certain.tolist(), strict=True))
        highest = float(np.nanmax(np.concatenate([ends.low, ends.high, exposure.per_item, [2.0]])))

        def value(row: Row) -> Html | Toned:
            size = number(row.number("per_document"), 2)
            if exposure.is_few:
                return muted(size)
            return join(size, el("span", interval(row.number("low"), row.number("high"), 2), cls="fv-below"))

        def around_one(row: Row) -> Glyph | str:
            """Filled where it is apart from 1, corrected over the groups."""
            low, high = row.number("low"), row.number("high")
            size, filled = row.number("per_document"), apart[row.text("group")]
            return "" if np.isnan(low) else Glyph(value=size, low=low, high=high, filled=filled)

        page_table(
            beside.tables["per-document"],
            show=(*SHARES, "per_document", "interval"),
            drawn={
                "group": lambda row: keyed(exposure.groups, exposure.groups.index(row.text("group"))),
                "n_candidates": lambda row: amount(row.number("n_candidates")),
                "per_document": value,
                "interval": around_one,
            },
            columns={"interval": Column(label="95 % interval", span=(0.0, 1.05 * highest), zero=1.0)},
            narrow="scroll",
        )


def missing_labels(beside: GroupsAnalysis) -> None:
    """A row per group: observed share, the least and the most it can be, the target."""
    exposure, aims, is_set = beside.unknown, beside.aims, beside.is_set
    labelled, rest = exposure.attention.sum(axis=0), float(exposure.unlabelled.sum())
    title = bounds_title(share_range(labelled, rest), aims, exposure.groups, is_set=is_set)
    with fold("If labels were known", title) as is_open:
        if not is_open:
            return
        counts_line(
            "Bar: the group's share of all attention if none, or all, of the unlabelled documents were its own. "
            f"Dot: share of labelled attention. Line: {'target' if is_set else 'equal share'}."
        )

        def between(row: Row) -> str:
            """Two shares, one where both read alike."""
            return " to ".join(dict.fromkeys(percent(row.number(end), 1) for end in ("least", "most")))

        page_table(
            beside.tables["missing-labels"],
            show=("group", "share_of_labelled", "range", "target", "bar"),
            drawn={
                "group": lambda row: keyed(exposure.groups, exposure.groups.index(row.text("group"))),
                "range": between,
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


STEM = "fairviz-groups"


def answers_table(beside: GroupsAnalysis) -> None:
    """A row per question: what the lists say, the measure that says it, its interval on the measure's range."""
    exposure = beside.fixed.exposure
    over = plural(exposure.n_labelled, "query", "queries")
    by_question = {answer.question: answer for answer in beside.answers}

    def of(row: Row) -> Answer:
        return by_question[row.text("question")]

    def value(row: Row) -> Cell:
        return muted(of(row).shown) if of(row).is_few else el("strong", of(row).shown)

    def on_its_range(row: Row) -> Cell:
        answer = of(row)
        return "" if answer.is_few else on_range(answer.value, answer.interval, span=answer.span, best=answer.best)

    with st.container(key="groups_answers"):
        counts_line(
            f"{over}: too few for intervals and verdicts, so values stand in grey."
            if exposure.is_few
            else f"Green line: the best value. Intervals: 95\u202f%, by resampling {over} (bootstrap); that of the "
            f"worst group is widened because the worst of {count_word(len(exposure.groups))} groups was picked."
        )
        page_table(
            beside.tables["answers"],
            show=("question", "words", "value", "interval", "drawn", "better"),
            drawn={
                "question": lambda row: join(
                    el("strong", row.text("question")),
                    el("span", of(row).measure, cls="fv-below", style="white-space:normal"),
                ),
                "value": value,
                "interval": lambda row: "too few queries" if of(row).is_few else of(row).shown_interval,
                "drawn": on_its_range,
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


def all_measures(loaded: Dataset, settings: GroupsSettings) -> None:
    """Every measure, section by section, and downloads of these numbers; computed when opened."""
    with fold(f"All {len(ROWS)} measures", "in numbers and words; CSV and LaTeX") as is_open:
        if not is_open:
            return
        found = analyse(loaded, settings)
        known, measured = found.tables, [row for row in found.measures if not row.result.refused]
        counts_line(
            f"Group of interest, G+: {settings.group}; move another target to look at another. Arrow: the direction "
            "that improves. Green line: where it is best. Intervals: 95 %, by resampling queries (bootstrap)."
        )
        cells: list[list[Cell]] = []
        for part, title in SECTIONS.items():
            if in_section := [_cells(row) for row in measured if row.section == part]:
                cells += [[el("strong", title, cls="fv-mute"), "", "", "", "", ""], *in_section]
        html_table(MEASURES, cells, caption="Group measures of one system")
        # What a person types in a command is a choice here: the row of one group, which follows the target that moves.
        reasons = {row.label: row.result.refused for row in found.measures if row.result.refused}
        reasons |= {label: f"Choose one group to compute {label}" for label, why in reasons.items() if "group=" in why}
        if reasons:
            entries = (el("li", el("strong", label), f": {why}") for label, why in reasons.items())
            folded_list(f"{plural(len(reasons), 'measure')} not on these data, and why", entries, is_open=True)
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


MEASURES = (
    Column(label="Measure"),
    Column(label="Value", align="right"),
    Column(label="95 % interval", align="right", wide=True),
    Column(label=""),
    Column(label="Queries", align="right", wide=True),
    Column(label="In plain words"),
)


def _cells(row: MeasureRow) -> list[Cell]:
    """A measure in the columns of :data:`MEASURES`; over too few queries grey, without interval and mark."""
    result = row.result
    label = join(el("strong", row.label), f" {row.arrow}", el("span", row.goal, cls="fv-below"))
    n, name = count(result.n_queries - result.n_undefined), el("span", label, title=result.measure)
    queries = Two(top=n, below=f"{count(result.n_undefined)} undefined") if result.n_undefined else n
    if row.is_few:
        return [name, muted(number(result.value)), "", "", queries, muted(row.words)]
    return [
        name,
        el("strong", number(result.value)),
        el("span", interval(*result.interval), style="white-space:nowrap"),
        on_range(result.value, result.interval, span=row.span, best=row.best),
        queries,
        el("span", row.words, style="font-size:.88rem"),
    ]
