"""Every group measure as one readable table that follows the target."""

import math

import streamlit as st

from fairviz.evaluate.evaluate import evaluate, score_intervals
from fairviz.groups import UNLABELLED
from fairviz.metrics.spec import parse_measure
from fairviz.model import Dataset, Target
from fairviz.show.latex import latex_text
from fairviz.show.table import csv_text
from fairviz.show.words import count, interval, number, plural
from fairviz.stats.bootstrap import UNDEFINED
from fairviz.studies.groups.measures import ROWS, SECTIONS, MeasureContext, Row, filled
from fairviz.studies.groups.moving_target import MeasureValue, TargetBench
from fairviz.studies.groups.tables import GroupResults, MeasureRow, measure_row, tables
from pages._groups.results import Settings, SystemExposure, systems
from pages._groups.sections import on_range
from pages._kit import Cell, Column, Two, download_row, el, html_table, join, muted, section
from pages._kit.cache import cached

STEM = "fairviz-groups"

STILL = tuple(row for row in ROWS if row.section == "groups" or row.label == "nDCG")
"""Rows that no target moves."""


@cached
def bench(loaded: Dataset, attribute: int, system: int, judgements: int | None, n_groups: int) -> TargetBench:
    """What the measures of one system need besides the target; shared, and only ever added to."""
    del n_groups  # part of the key: groups without a label are one more
    qrels = None if judgements is None else loaded.qrels[judgements]
    return TargetBench(systems(loaded)[system], qrels, loaded.labels[attribute])


@cached
def still_values(loaded: Dataset, settings: Settings, group: str) -> dict[str, MeasureValue]:
    """Measures that no target moves, by their string."""
    specs = [parse_measure(_text(row, settings, group)) for row in STILL]
    qrels = [] if settings.judgements is None else [loaded.qrels[settings.judgements]]
    result = evaluate(
        [systems(loaded)[settings.system]],
        specs,
        qrels=qrels,
        labels=loaded.labels[settings.attribute],
        refuse=False,
    )
    whys = dict(note.message.split(": undefined, ", 1) for note in result.notes if ": undefined, " in note.message)
    values = {
        score.measure: MeasureValue(
            score.measure,
            score.value,
            ends,
            score.n_queries,
            score.n_undefined,
            why=whys.get(score.measure, ""),
        )
        for score, ends in zip(result.scores, score_intervals(result.scores, seed=0), strict=True)
    }
    reasons = {refusal.measure: refusal.reason.removeprefix(f"{refusal.measure}: ") for refusal in result.refused}
    for spec in specs:
        missing = MeasureValue(spec.text, math.nan, UNDEFINED, 0, 0, reasons.get(spec.text, ""))
        values.setdefault(spec.text, missing)
    return values


def measures(loaded: Dataset, settings: Settings, exposures: SystemExposure, target: Target) -> None:
    """The table, section by section, and its downloads."""
    title = st.container()
    groups = exposures.exposure.groups
    known = [group for group in groups if group != UNLABELLED]
    smallest = min(range(len(known)), key=lambda i: float(exposures.exposure.candidates[:, i].sum()))
    group = st.selectbox(
        "Group of interest, G+",
        known,
        index=smallest,
        key="group",
        bind="query-params",
        width=240,
        help="The group that measures of one group against the others look at.",
    )
    context = MeasureContext(group, settings.k, len(known))
    still = still_values(loaded, settings, group)
    moving = [row for row in ROWS if row not in STILL]
    texts = [_text(row, settings, group) for row in moving]
    of_system = bench(loaded, settings.attribute, settings.system, settings.judgements, len(groups))
    values = of_system.values([parse_measure(text) for text in texts], target)
    by_text = still | dict(zip(texts, values, strict=True))
    n = exposures.exposure.n_labelled
    rows = [measure_row(row, by_text[_text(row, settings, group)], context, n_labelled=n) for row in ROWS]
    allowed = [row for row in rows if not row.result.refused]
    with title:
        section(
            f"{plural(len(allowed), 'measure')} of the same lists, in numbers and in words",
            "Arrow: the direction that improves. Green line: where it is best. Intervals: "
            "bootstrap over queries, 95 %.",
        )
    _table(allowed)
    refused = [row for row in rows if row.result.refused]
    if refused:
        _refused(refused)
    system = systems(loaded)[settings.system].system
    shares = dict(zip(target.groups, target.shares.tolist(), strict=True))
    known = tables(GroupResults(measures=rows, system=system, target=shares))
    download_row(
        STEM,
        frame_csv=lambda: csv_text(known["measures"]),
        latex=lambda: latex_text(known["measures-printed"], label="tab:groups"),
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
    entries = (el("li", el("strong", row.label), f": {row.result.refused}") for row in rows)
    head = el("summary", f"{plural(len(rows), 'measure')} not on these data, and why")
    st.html(el("details", head, el("ul", *entries), cls="fv-notes", open=""))


def _text(row: Row, settings: Settings, group: str) -> str:
    return filled(row, k=settings.k, group=group, missing=settings.unlabelled, browsing=settings.browsing)
