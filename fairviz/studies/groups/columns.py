"""Results of Groups & targets as rows: groups beside their targets, every measure, attention per document, labels."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.display.table import Cell, Column, Table
from fairviz.display.words import ARROWS, interval, percent, plural
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import parse_measure
from fairviz.model import FloatArray
from fairviz.points.shares import MOST_UNLABELLED, SAME, GroupExposure, off_target_groups, share_range
from fairviz.points.targets import ShareScale, share_scale
from fairviz.stats.bootstrap import Intervals, described
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.groups.findings import MANY, points, share_words
from fairviz.studies.groups.measures import SECTIONS, MeasureContext, MeasureValue, Row, Section
from fairviz.studies.groups.questions import Answer
from fairviz.studies.groups.reach import NearestShares

# The groups as one reads them: a row each, largest share first, on one scale, with what may be said of its gap.

Gap: TypeAlias = Literal["over", "under", "even", "silent"]
"""Over or under its target, not significantly off it, or nothing may be claimed."""

ON_TARGET = "on target"
VISIBLE = 0.01
"""Among many groups, gap between target and reach from which the reach is drawn."""


class TargetRow(NamedTuple):
    """One group.

    Attributes:
        group: Its place among the groups.
        name: Its name.
        share: Its share of attention today; NaN = undefined.
        low, high: 95 % interval of it; NaN = none.
        target: Its target.
        reached: What the mix of re-rankings that is nearest to all targets gives it; NaN = undefined.
        gap: What may be said of share and target.
        words: The same in words: "17 points over".
        is_set: Whether somebody set the target; else it is an equal share, and called so.
    """

    group: int
    name: str
    share: float
    low: float
    high: float
    target: float
    reached: float
    gap: Gap
    words: str
    is_set: bool = True

    @property
    def is_missed(self) -> bool:
        """Whether re-ranking cannot reach the target, as far as can be seen."""
        return abs(self.reached - self.target) >= VISIBLE

    @property
    def spoken(self) -> str:
        """The row's drawing in words."""
        if math.isnan(self.share):
            return self.words
        ends = "" if math.isnan(self.low) else f", 95\u202f% interval {interval(100 * self.low, 100 * self.high, 0)}"
        reach = f"; re-ranking gets to {percent(self.reached)}" if self.is_missed else ""
        aim = "target" if self.is_set else "an equal share would be"
        return f"{share_words(self.share)} today{ends}; {aim} {percent(self.target)}{reach}"


class TargetRows(NamedTuple):
    """All groups.

    Attributes:
        rows: The largest share first.
        scale: Of the shares.
    """

    rows: tuple[TargetRow, ...]
    scale: ShareScale

    @property
    def title(self) -> str:
        """What the rows show: of many groups, how many are under, over, and neither."""
        if len(self.rows) <= MANY or any(row.gap == "silent" for row in self.rows):
            return "Who gets attention, and who should"
        n = {gap: sum(row.gap == gap for row in self.rows) for gap in ("under", "over", "even")}
        are = "is" if n["under"] == 1 else "are"
        aim = "target" if self.rows[0].is_set else "an equal share"
        said = f"{n['under']} group{'' if n['under'] == 1 else 's'} {are} under {aim}, {n['over']} over"
        return f"{said}; for {n['even']} the gap is not significant" if n["even"] else said


def target_rows(
    exposure: GroupExposure, ends: Intervals, target: FloatArray, nearest: NearestShares, *, is_set: bool = True
) -> TargetRows:
    """The rows of one system under one target.

    Args:
        exposure: Attention by group.
        ends: (G) 95 % intervals of its shares.
        target: (G) target shares.
        nearest: The nearest mix of re-rankings.
        is_set: Whether somebody set the target; else it is equal shares.
    """
    shares, off = exposure.shares, off_target_groups(exposure, target)
    nothing = np.full(shares.shape, np.nan)
    low, high = (nothing, nothing) if exposure.is_few else ends
    no_verdict = exposure.is_few or exposure.unlabelled_share > MOST_UNLABELLED
    rows: list[TargetRow] = []
    order: list[int] = np.argsort(-np.nan_to_num(shares), kind="stable").tolist()
    for group in order:
        share, aim = float(shares[group]), float(target[group])
        gap, words = _gap(share, aim, off=bool(off[group]), silent=no_verdict)
        words = "an equal share" if words == ON_TARGET and not is_set else words
        own, reached = (float(low[group]), float(high[group])), float(nearest.shares[group])
        rows.append(TargetRow(group, exposure.groups[group], share, *own, aim, reached, gap, words, is_set))
    return TargetRows(tuple(rows), share_scale(shares, high, target))


def _gap(share: float, target: float, *, off: bool, silent: bool) -> tuple[Gap, str]:
    if math.isnan(share):
        return "silent", "undefined: no labelled attention"
    if silent and not off:
        return "silent", "no verdict"
    if abs(share - target) < SAME:
        return "even", ON_TARGET
    if not off:
        return "even", "no significant gap"
    gap = "under" if share < target else "over"
    return gap, f"{points(share - target)} {gap}"


# Tables.


WITHOUT_LABELS = frozenset({"nDCG"})
"""Measures of the table that read no labels."""

ON_PAPER = ("section", "measure", "direction", "value", "low", "high", "n_queries", "n_undefined", "words")
"""Columns of the table of one system on paper: the caption names the system."""


ENDS = Column("low", "low", "interval"), Column("high", "high", "interval")
"""Of the interval of the column before."""


class MeasureRow(NamedTuple):
    """A measure with its value, ready to be shown.

    Attributes:
        section, label, goal: Where it stands, its name, where it is best.
        arrow: Which way it improves.
        result: Its value, or why there is none.
        span: Range of its glyph.
        best: Where it is best within that range.
        words: The value in plain words.
        is_few: Whether it rests on too few queries for anything to be said of it.
    """

    section: Section
    label: str
    goal: str
    arrow: str
    result: MeasureValue
    span: tuple[float, float]
    best: float
    words: str
    is_few: bool = False


def measure_row(
    row: Row, result: MeasureValue, context: MeasureContext, *, n_labelled: int | None = None
) -> MeasureRow:
    """What is shown of one measure.

    Args:
        row: The measure.
        result: Its value.
        context: What its words read.
        n_labelled: Queries with labelled attention: a measure of groups rests on no more.
    """
    rests_on = result.n_queries - result.n_undefined
    if n_labelled is not None and row.label not in WITHOUT_LABELS:
        rests_on = min(rests_on, n_labelled)
    is_few = rests_on < MIN_UNITS and not result.refused and not math.isnan(result.value)
    low, high = _span(row, result, context)
    best = min(max(row.best, low), high)
    words = f"No verdict: {plural(rests_on, 'query', 'queries')}." if is_few else _words(row, result, context)
    about = row.section, row.label, row.goal, _arrow(result.measure)
    return MeasureRow(*about, result, (low, high), best, words, is_few)


def group_table(rows: Sequence[MeasureRow], *, system: str, target: Mapping[str, float]) -> Table:
    """Every measure of one system, refused ones with their reason: the columns of ``fairviz evaluate``, and words."""

    def cells(row: MeasureRow) -> tuple[Cell, ...]:
        measure, value, ends, *n = row.result[:5]
        about = SECTIONS[row.section], row.goal, row.words
        return (system, measure, _defined(value), *n, *map(_defined, ends), *about)

    shares = ", ".join(f"{group} {share:.4g}" for group, share in target.items())
    return Table(
        (
            Column("system"),
            Column("measure"),
            Column("value", kind="number"),
            Column("n_queries", "queries", "number"),
            Column("n_undefined", "undefined", "number"),
            *ENDS,
            Column("section"),
            Column("direction"),
            Column("words", "in words"),
        ),
        tuple(map(cells, rows)),
        caption=f"Group measures of {system}; target: {shares}; intervals: {described(seed=0)}",
    )


def shares_table(rows: TargetRows) -> Table:
    """A row per group, the largest share first: today with its interval, target, what re-ranking reaches jointly."""
    return Table(
        (
            Column("group", "Group"),
            Column("share", "today", "share"),
            Column("low", "low", "share"),
            Column("high", "high", "share"),
            Column("target", kind="share"),
            Column("reached", "reach of re-ranking", "share"),
            Column("gap", "gap today"),
        ),
        tuple(
            (row.name, *map(_defined, (row.share, row.low, row.high, row.target, row.reached)), row.words)
            for row in rows.rows
        ),
        caption="Share of attention by group, its target, and what re-ranking reaches of all targets at once",
    )


def answers_table(answers: Sequence[Answer]) -> Table:
    """A row per question."""
    return Table(
        (
            Column("question", "Question"),
            Column("words", "Answer"),
            Column("value", "Value", "number"),
            *ENDS,
            Column("measure"),
            Column("n_queries", "queries", "number"),
            Column("better", "Better"),
        ),
        tuple(
            (
                one.question,
                one.words,
                *map(_defined, (one.value, *one.interval)),
                one.measure,
                one.n_queries,
                one.better,
            )
            for one in answers
        ),
        caption="Five questions about these lists",
    )


def per_document_table(exposure: GroupExposure, ends: Intervals) -> Table:
    """Total and per-item attention of each group: parity, and proportion to numbers.

    Args:
        exposure: Attention by group.
        ends: Intervals of attention per item.
    """
    candidates = exposure.candidates.sum(axis=0)
    shares = candidates / max(float(candidates.sum()), 1e-12)
    columns = (candidates, shares, exposure.shares, exposure.per_item, ends.low, ends.high)
    return Table(
        (
            Column("group", "Group"),
            Column("n_candidates", "candidates", "number"),
            Column("share_of_candidates", "share of candidates", "share"),
            Column("share_of_attention", "share of attention", "share"),
            Column("per_document", "attention per document", "number"),
            *ENDS,
        ),
        tuple(zip(exposure.groups, *(map(_defined, column.tolist()) for column in columns), strict=True)),
        caption="Attention per document by group",
    )


def missing_labels_table(exposure: GroupExposure, target: FloatArray) -> Table:
    """Shares that the missing labels leave open: least and most of all attention.

    Args:
        exposure: Attention by group, that of items without a label apart.
        target: (G) target shares.
    """
    known = share_range(exposure.attention.sum(axis=0), float(exposure.unlabelled.sum()))
    columns = (exposure.shares, known.low, known.high, target)
    return Table(
        (
            Column("group", "Group"),
            Column("share_of_labelled", "of labelled attention", "share"),
            Column("least", "of all attention, least", "share"),
            Column("most", "of all attention, most", "share"),
            Column("target", kind="share"),
        ),
        tuple(zip(exposure.groups, *(map(_defined, column.tolist()) for column in columns), strict=True)),
        caption="Shares that the missing labels leave open",
    )


def _words(row: Row, result: MeasureValue, context: MeasureContext) -> str:
    if result.missing:
        return result.missing
    words = row.says(result.value, context)
    low, high = result.interval
    if row.best == 0 and low < 0 < high:
        return f"{words} Not significantly different from 0."
    return words


def _arrow(text: str) -> str:
    spec = parse_measure(text)
    measure = CATALOGUE.get(spec.name)
    if spec.name in {"MinSkew", "MaxSkew", "Skew"}:
        return ARROWS["closest to 0"]
    return ARROWS[measure.direction(spec.params)] if measure else ARROWS["higher"]


def _span(row: Row, result: MeasureValue, context: MeasureContext) -> tuple[float, float]:
    match row.span:
        case "ranks":
            return 0, context.k
        case "places":
            return 0, context.k * max(context.n_groups - 1, 1)
        case "values":
            ends = [end for end in (result.value, result.interval.high) if math.isfinite(end)]
            return 0, 1.15 * max([1e-9, *ends])
        case (low, high):
            return low, high


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
