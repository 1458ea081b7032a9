"""What missing labels leave open: shares if the unlabelled attention were of a group, or not."""

import math

import numpy as np
import streamlit as st

from fairviz.divergence import l1
from fairviz.evaluate.evaluate import evaluate, score_intervals
from fairviz.groups import UNLABELLED
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import parse_measure
from fairviz.model import Dataset, MeasureSpec, Target
from fairviz.show.table import csv_text, latex_text
from fairviz.show.words import count, interval, number, percent, plural
from fairviz.stats.bootstrap import UNDEFINED
from fairviz.studies.groups.findings import ROWS, SECTIONS, Asked, Row, bounds_sentence, bounds_title, filled
from fairviz.studies.groups.moving_target import MeasureValue, TargetBench
from fairviz.studies.groups.off_target import distance_range, share_range
from fairviz.studies.groups.tables import MeasureRow, group_content, measure_row
from pages._groups.results import Seen, Settings, systems, unknown_of
from pages._groups.sections import on_range
from pages._kit import Column, Html, Two, counts_line, download_row, el, html_table, join, section
from pages._kit.cache import cached
from pages._kit.share_bars import keyed

# Every group measure as one readable table that follows the target.


STILL = tuple(row for row in ROWS if row.section == "groups" or row.label == "nDCG")
"""Rows that no target moves."""


@cached
def bench(loaded: Dataset, attribute: int, system: int, judgements: int | None, n_groups: int) -> TargetBench:
    """What the measures of one system need besides the target; shared, and only ever added to."""
    del n_groups  # part of the key: groups without a label are one more
    qrels = None if judgements is None else loaded.qrels[judgements]
    return TargetBench(systems(loaded)[system], qrels, loaded.labels[attribute])


@cached
def still_values(loaded: Dataset, chosen: Settings, group: str) -> dict[str, MeasureValue]:
    """Measures that no target moves, by their string."""
    specs = [parse_measure(_text(row, chosen, group)) for row in STILL]
    qrels = [] if chosen.judgements is None else [loaded.qrels[chosen.judgements]]
    asked = [spec for spec in specs if qrels or not _needs_judgements(spec)]
    result = evaluate(
        [systems(loaded)[chosen.system]],
        asked,
        qrels=qrels,
        labels=loaded.labels[chosen.attribute],
        refuse=False,
    )
    whys = dict(note.message.split(": undefined, ", 1) for note in result.notes if ": undefined, " in note.message)
    found = {
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
    reasons = {each.measure: each.reason.removeprefix(f"{each.measure}: ") for each in result.refused}
    for spec in specs:
        reason = reasons.get(spec.text, "judgements are needed")
        missing = MeasureValue(spec.text, math.nan, UNDEFINED, 0, 0, reason)
        found.setdefault(spec.text, missing)
    return found


def measures(loaded: Dataset, chosen: Settings, seen: Seen, target: Target) -> None:
    """The table, section by section, and its downloads."""
    title = st.container()
    groups = seen.exposure.groups
    known = [group for group in groups if group != UNLABELLED]
    smallest = min(range(len(known)), key=lambda i: float(seen.exposure.candidates[:, i].sum()))
    group = st.selectbox(
        "Group of interest, G+",
        known,
        index=smallest,
        key="group",
        bind="query-params",
        width=240,
        help="The group that measures of one group against the others look at.",
    )
    asked = Asked(group, chosen.k, len(known))
    still = still_values(loaded, chosen, group)
    moving = [row for row in ROWS if row not in STILL]
    texts = [_text(row, chosen, group) for row in moving]
    of_system = bench(loaded, chosen.attribute, chosen.system, chosen.judgements, len(groups))
    values = of_system.values([parse_measure(text) for text in texts], target)
    found = still | dict(zip(texts, values, strict=True))
    rows = [measure_row(row, found[_text(row, chosen, group)], asked) for row in ROWS]
    allowed = [row for row in rows if not row.found.refused]
    with title:
        section(
            f"{plural(len(allowed), 'measure')} of the same lists, in numbers and in words",
            "Arrow: the direction that improves. Green line: where it is best. Intervals: "
            "bootstrap over queries, 95 %.",
        )
    _table(allowed)
    refused = [row for row in rows if row.found.refused]
    if refused:
        _refused(refused)
    system = systems(loaded)[chosen.system].system
    shares = dict(zip(target.groups, target.shares.tolist(), strict=True))
    content = group_content(rows, system=system, target=shares)
    download_row(
        "fairviz-groups",
        frame_csv=lambda: csv_text(content),
        latex=lambda: latex_text(content, label="tab:groups"),
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
    cells: list[list[Html | str | Two]] = []
    for part, title in SECTIONS.items():
        here = [row for row in rows if row.section == part]
        if here:
            cells.append([el("strong", title, cls="fv-mute"), "", "", "", "", ""])
        cells += [_cells(row) for row in here]
    html_table(columns, cells, caption="Group measures of one system")


def _cells(row: MeasureRow) -> list[Html | str | Two]:
    found = row.found
    name = join(el("strong", row.label), f" {row.arrow}", el("span", row.goal, cls="fv-below"))
    n = count(found.n_queries - found.n_undefined)
    queries = Two(top=n, below=f"{count(found.n_undefined)} undefined") if found.n_undefined else n
    return [
        el("span", name, title=found.measure),
        el("strong", number(found.value)),
        el("span", interval(*found.interval, 2), style="white-space:nowrap"),
        on_range(found.value, found.interval, span=row.span, best=row.best),
        queries,
        el("span", row.words, style="font-size:.88rem"),
    ]


def _refused(rows: list[MeasureRow]) -> None:
    entries = (el("li", el("strong", row.label), f": {row.found.refused}") for row in rows)
    head = el("summary", f"{plural(len(rows), 'measure')} not on these data, and why")
    st.html(el("details", head, el("ul", *entries), cls="fv-notes", open=""))


def _text(row: Row, chosen: Settings, group: str) -> str:
    return filled(row, k=chosen.k, group=group, missing=chosen.unlabelled, browsing=chosen.browsing)


def _needs_judgements(spec: MeasureSpec) -> bool:
    measure = CATALOGUE.get(spec.name)
    return measure is None or "qrels" in measure.needs


def unknown_labels(loaded: Dataset, chosen: Settings, target: Target) -> None:
    """A row per group: observed share, the least and the most it can be, the target."""
    found = unknown_of(loaded, chosen)
    named = dict(zip(target.groups, target.shares.tolist(), strict=True))
    wanted = np.array([named.get(group, 0.0) for group in found.groups])
    if UNLABELLED in named and wanted.sum() > 0:
        wanted = wanted / wanted.sum()  # what is asked of the documents that have a group
    labelled, rest = found.attention.sum(axis=0), float(found.unlabelled.sum())
    ends = share_range(labelled, rest)
    observed = found.shares
    section(
        bounds_title(ends, wanted, found.groups),
        "Bar: the share of all attention if what has no label went away from the group, or all to "
        "it. Dot: share of labelled attention. Line: target.",
    )
    rows = [
        [
            keyed(found.groups, i),
            percent(float(observed[i]), 1),
            f"{percent(float(ends.low[i]), 1)} to {percent(float(ends.high[i]), 1)}",
            percent(float(wanted[i]), 1),
            on_range(
                float(observed[i]),
                (float(ends.low[i]), float(ends.high[i])),
                span=(0, 1),
                best=float(wanted[i]),
                target=True,
            ),
        ]
        for i in range(len(found.groups))
    ]
    columns = [
        Column(label="Group"),
        Column(label="of labelled attention", align="right"),
        Column(label="of all attention, least to most", align="right"),
        Column(label="target", align="right"),
        Column(label=""),
    ]
    html_table(columns, rows, caption="Shares that the missing labels leave open", narrow="scroll")
    if float(wanted.sum()) > 0:
        now = float(l1(observed, wanted))
        said = bounds_sentence(distance_range(labelled, rest, wanted, l1), now)
        if said:
            counts_line(said)
