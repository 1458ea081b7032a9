"""Measures of Groups & targets: five questions with their answers, and every measure folded below."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.words import count, count_word, interval, number, plural
from fairviz.grouping import UNLABELLED
from fairviz.metrics.spec import parse_measure
from fairviz.model import Dataset, Target
from fairviz.report.group_pages import GroupsSettings
from fairviz.report.systems import named_rankings
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.groups.measures import ROWS, SECTIONS, STILL, MeasureContext, Row, filled
from fairviz.studies.groups.moving_target import MeasureValue, TargetBench, unmoved_values
from fairviz.studies.groups.off_target import OffTarget
from fairviz.studies.groups.questions import Answer, Measured, five_answers, worst_group
from fairviz.studies.groups.rows import TargetRows
from fairviz.studies.groups.tables import GroupResults, MeasureRow, measure_row, tables
from pages._groups.folds import fold
from pages._groups.results import Settings, SystemExposure, systems
from pages._kit import (
    Cell,
    Column,
    Two,
    counts_line,
    download,
    download_row,
    el,
    html_table,
    join,
    muted,
    page_table,
)
from pages._kit import Row as PageRow
from pages._kit.cache import cached
from pages._kit.commands import held_against, page_commands
from pages._kit.table import on_range

STEM = "fairviz-groups"

BY_LABEL = {row.label: row for row in ROWS}


@cached
def bench(loaded: Dataset, attribute: int, system: int, judgements: int | None, n_groups: int) -> TargetBench:
    """What the measures of one system need besides the target; shared, and only ever added to."""
    del n_groups  # part of the key: groups without a label are one more
    qrels = None if judgements is None else loaded.qrels[judgements]
    return TargetBench(systems(loaded)[system], qrels, loaded.labels[attribute])


@cached
def still_values(loaded: Dataset, settings: Settings, texts: tuple[str, ...]) -> dict[str, MeasureValue]:
    """Measures that no target moves, by their string."""
    qrels = None if settings.judgements is None else loaded.qrels[settings.judgements]
    return unmoved_values(systems(loaded)[settings.system], qrels, loaded.labels[settings.attribute], texts)


class Asked(NamedTuple):
    """Whose measures are asked for.

    Attributes:
        loaded, settings: The data and what is looked at.
        exposures: Its attention by group.
        target: The target.
        group: The group of interest.
    """

    loaded: Dataset
    settings: Settings
    exposures: SystemExposure
    target: Target
    group: str

    def values(self, rows: Sequence[Row], *, group: str = "") -> list[MeasureValue]:
        """Values of measures, in their order; of another group of interest where one is named."""
        loaded, settings = self.loaded, self.settings
        texts = [_text(row, settings, group or self.group) for row in rows]
        still = tuple(text for row, text in zip(rows, texts, strict=True) if row in STILL)
        by_text = dict(still_values(loaded, settings, still)) if still else {}
        moving = [text for text in texts if text not in by_text]
        n_groups = len(self.exposures.exposure.groups)
        of_system = bench(loaded, settings.attribute, settings.system, settings.judgements, n_groups)
        found = of_system.values([parse_measure(text) for text in moving], self.target)
        by_text |= dict(zip(moving, found, strict=True))
        return [by_text[text] for text in texts]


def answers(asked: Asked, off: OffTarget, *, is_set: bool) -> tuple[Answer, ...]:
    """The five questions, answered."""
    exposure, ends = asked.exposures.exposure, asked.exposures.ends
    ndkl, pair, fair = (BY_LABEL[label] for label in ("NDKL", "PAIR of one group", "FAIR (nDCG)"))
    labelled = [group for group in exposure.groups if group != UNLABELLED]
    largest = max(labelled, key=lambda group: float(np.nan_to_num(exposure.shares)[exposure.groups.index(group)]))
    of_list, with_quality = asked.values([ndkl, fair])
    (own,), (of_largest,) = asked.values([pair]), asked.values([pair], group=largest)
    measured = Measured(of_list, own, of_largest, with_quality)
    worst = worst_group(exposure, ends.shares_corrected, asked.target.shares)
    return five_answers(exposure, off, worst, measured, group=exposure.groups.index(asked.group), is_set=is_set)


def answers_table(found: tuple[Answer, ...], n_queries: int, n_groups: int) -> None:
    """A row per question: what the lists say, the measure that says it, its interval on the measure's range."""
    with st.container(key="groups_answers"):
        _answers_table(found, n_queries, n_groups)


def _answers_table(found: tuple[Answer, ...], n_queries: int, n_groups: int) -> None:
    over = plural(n_queries, "query", "queries")
    counts_line(
        f"{over}: too few for intervals and verdicts, so values stand in grey."
        if n_queries < MIN_UNITS
        else f"Green line: the best value. Intervals: 95\u202f%, by resampling {over} (bootstrap); that of the "
        f"worst group is widened because the worst of {count_word(n_groups)} groups was picked."
    )
    by_question = {answer.question: answer for answer in found}

    def of(row: PageRow) -> Answer:
        return by_question[row.text("question")]

    page_table(
        tables(GroupResults(answers=found))["answers"],
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


def all_measures(asked: Asked, rows: TargetRows) -> None:
    """Every measure, section by section, and downloads of these numbers; computed when opened."""
    with fold(f"All {len(ROWS)} measures", "in numbers and words; CSV and LaTeX") as is_open:
        if is_open:
            _every(asked, rows)


def _every(asked: Asked, shares: TargetRows) -> None:
    exposure, target = asked.exposures.exposure, asked.target
    n_known = sum(group != UNLABELLED for group in exposure.groups)
    context = MeasureContext(asked.group, asked.settings.k, n_known)
    rows = [
        measure_row(row, value, context, n_labelled=exposure.n_labelled)
        for row, value in zip(ROWS, asked.values(ROWS), strict=True)
    ]
    counts_line(
        f"Group of interest, G+: {asked.group}; move another target to look at another. Arrow: the direction that "
        "improves. Green line: where it is best. Intervals: 95 %, by resampling queries (bootstrap)."
    )
    _table([row for row in rows if not row.result.refused])
    refused = [row for row in rows if row.result.refused]
    if refused:
        _refused(refused)
    system = systems(asked.loaded)[asked.settings.system].system
    named = dict(zip(target.groups, target.shares.tolist(), strict=True))
    known = tables(GroupResults(measures=rows, system=system, target=named, shares=shares))
    download_row(
        STEM,
        "All measures",
        frame_csv=lambda: csv_text(known["measures"]),
        latex=lambda: latex_text(known["measures-printed"], label="tab:measures-printed"),
        commands=lambda: page_commands("groups", _told(asked), csv="measures", latex=["measures-printed"]),
    )
    download(
        "Shares, CSV",
        lambda: csv_text(known["shares"]),
        file_name="fairviz-shares.csv",
        mime="text/csv",
        key="fairviz-shares-csv",
    )


def _told(asked: Asked) -> GroupsSettings:
    """What a command has to be told."""
    loaded, settings = asked.loaded, asked.settings
    return GroupsSettings(
        k=settings.k,
        system=named_rankings(loaded)[settings.system].system,
        group=asked.group,
        browsing=settings.browsing,
        unlabelled=settings.unlabelled,
        judgements=settings.judgements or 0,
        against=held_against(loaded, settings.attribute, asked.target),
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
    name = join(el("strong", row.label), f" {row.arrow}", el("span", row.goal, cls="fv-below"))
    n = count(result.n_queries - result.n_undefined)
    if row.is_few:  # grey, without interval and mark
        return [
            el("span", name, title=result.measure),
            muted(number(result.value)),
            "",
            "",
            Two(top=n, below=f"{count(result.n_undefined)} undefined") if result.n_undefined else n,
            muted(row.words),
        ]
    queries = Two(top=n, below=f"{count(result.n_undefined)} undefined") if result.n_undefined else n
    return [
        el("span", name, title=result.measure),
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


def _text(row: Row, settings: Settings, group: str) -> str:
    return filled(row, k=settings.k, group=group, missing=settings.unlabelled, browsing=settings.browsing)
