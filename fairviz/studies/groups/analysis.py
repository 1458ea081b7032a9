"""Attention by group of one system beside a target: shares and their gaps, five questions, every measure.

What no target moves (attention, its intervals, what re-ranking can reach, measures without a target) is computed once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from fairviz.display.html import Play, Section
from fairviz.display.table import Tables
from fairviz.display.words import Finding
from fairviz.evaluation.systems import named
from fairviz.kernels.attention import Browsing, attention
from fairviz.kernels.grouping import UNLABELLED, Missing
from fairviz.model import Dataset, FloatArray, Target
from fairviz.points.shares import (
    GroupExposure,
    OffTarget,
    ShareIntervals,
    headline_group,
    off_target,
    share_intervals,
)
from fairviz.points.targeted import Held, exposure_of, grid_of, held, labelled
from fairviz.remembered import remembered
from fairviz.stats.bootstrap import Intervals
from fairviz.studies.groups.by_rank import RankBins, share_by_rank
from fairviz.studies.groups.columns import (
    ON_PAPER,
    MeasureRow,
    answers_table,
    group_table,
    measure_row,
    missing_labels_table,
    per_document_table,
    shares_table,
)
from fairviz.studies.groups.findings import headline, moving_sentence, reach_sentence, unknown_sentence, unknown_title
from fairviz.studies.groups.measures import ROWS, STILL, MeasureContext, MeasureValue, Row, filled, measure_values
from fairviz.studies.groups.questions import Answer, five_answers
from fairviz.studies.groups.reach import JointReach, NearestShares, joint_reach
from fairviz.studies.groups.rows import TargetRows, target_rows
from fairviz.studies.groups.settings import GroupsSettings
from fairviz.studies.study import Analysis, Chart

Key: TypeAlias = tuple[str, int, int | None, Missing, tuple[str, ...]]
"""What a system with its groups is remembered by (:class:`~fairviz.points.targeted.Held`)."""
BY_LABEL = {row.label: row for row in ROWS}
STEMS = ("shares", "answers", "measures", "measures-printed", "per-document", "missing-labels")
PANELS = 6
"""Groups with a chart of their own: the largest."""
PRINTED = ("measure", "value", "low", "high", "n_queries", "n_undefined")
"""Columns of the measures that a terminal has room for."""
READ = ("question", "words", "measure", "n_queries", "better")
"""Columns of the five questions in a report: what is said holds the value in its unit."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemExposure:
    """One system: all that no target moves.

    Attributes:
        exposure: Attention by group.
        ends: Intervals.
        reach: What re-ranking can make of it.
        bins: Groups by rank.
    """

    exposure: GroupExposure
    ends: ShareIntervals
    reach: JointReach
    bins: RankBins


@dataclass(frozen=True, kw_only=True, eq=False)
class Beside:
    """One system beside one target: what a page shows while the target moves.

    Attributes:
        settings: Of the study.
        held: System, groups, target.
        fixed: What no target moves.
        unknown: Attention with what has no label kept apart, whatever the settings say.
        headline: Title and sentence.
        moving: How much attention would have to move, in a sentence; empty where nothing may be said.
        off: The same as a number with its interval.
        nearest: What re-ranking reaches of all targets at once.
        rows: A row per group.
        group: Place of the group of interest.
        is_set: Whether somebody set the target; else it is equal shares.
    """

    settings: GroupsSettings
    held: Held
    fixed: SystemExposure
    unknown: GroupExposure
    headline: Finding
    moving: str
    off: OffTarget
    nearest: NearestShares
    rows: TargetRows
    group: int
    is_set: bool

    def values(self, data: Dataset, rows: Sequence[Row], *, group: int | None = None) -> list[MeasureValue]:
        """Values of measures, in their order; of another group of interest where one is named."""
        settings, of = self.settings, self.held.of
        name = self.held.target.groups[self.group if group is None else group]
        texts = [
            filled(row, k=settings.k, group=name, missing=settings.unlabelled, browsing=settings.browsing)
            for row in rows
        ]
        still = tuple(text for row, text in zip(rows, texts, strict=True) if row in STILL)
        by_text = dict(_still(data, self.held.key, still)) if still else {}
        moving = [text for text in texts if text not in by_text]
        if moving:
            by_text |= measure_values(of.ranked, of.qrels, of.labels, moving, self.held.target)
        return [by_text[text] for text in texts]

    def answers(self, data: Dataset) -> tuple[Answer, ...]:
        """The five questions, answered."""
        exposure, ends, target = self.fixed.exposure, self.fixed.ends, self.held.target
        ndkl, pair, fair = (BY_LABEL[label] for label in ("NDKL", "PAIR of one group", "FAIR (nDCG)"))
        shares = np.where([group == UNLABELLED for group in exposure.groups], -1, np.nan_to_num(exposure.shares))
        of_list, with_quality = self.values(data, [ndkl, fair])
        (own,), (of_largest,) = self.values(data, [pair]), self.values(data, [pair], group=int(np.argmax(shares)))
        measured = of_list, own, of_largest, with_quality
        corrected, due = ends.shares_corrected, target.shares
        return five_answers(exposure, self.off, corrected, due, measured, group=self.group, is_set=self.is_set)

    def tables(self, answers: Sequence[Answer]) -> Tables:
        """Every table but that of the measures, by stem."""
        return Tables(
            {
                "shares": lambda: shares_table(self.rows),
                "answers": lambda: answers_table(answers),
                "per-document": lambda: per_document_table(self.fixed.exposure, shown_per_item(self.fixed)),
                "missing-labels": lambda: missing_labels_table(self.unknown, aims_of(self)),
            }
        )


@dataclass(frozen=True, kw_only=True)
class GroupsAnalysis(Analysis):
    """Attention by group beside a target, and what it rests on.

    Attributes:
        beside: The system beside the target.
        measures: Every measure, refused ones too.
    """

    beside: Beside
    measures: tuple[MeasureRow, ...]


def analyse(data: Dataset, settings: GroupsSettings) -> GroupsAnalysis:
    """Shares beside the target, five questions, every measure, attention per document, what labels leave open.

    Args:
        data: Rankings and groups; judgements where measures need them.
        settings: System, ranks, attention, target.

    Raises:
        UndefinedError: There are no groups, fewer than two, or no target for them.
        UsageError: There is no such system or group.
    """
    beside = beside_target(data, settings)
    beside.held.refuse_one_group()
    exposure, target = beside.fixed.exposure, beside.held.target
    group = exposure.groups[beside.group]
    context = MeasureContext(group, settings.k, sum(name != UNLABELLED for name in exposure.groups))
    rows = [
        measure_row(row, value, context, n_labelled=exposure.n_labelled)
        for row, value in zip(ROWS, beside.values(data, ROWS), strict=True)
    ]
    due = dict(zip(target.groups, target.shares.tolist(), strict=True))
    measures = group_table(rows, system=beside.held.of.ranked.system, target=due)
    known = {**beside.tables(beside.answers(data)), "measures": measures}
    known["measures-printed"] = replace(measures.select(ON_PAPER), audience="papers")
    known = {stem: known[stem] for stem in STEMS}
    return GroupsAnalysis(
        beside=beside,
        measures=tuple(rows),
        findings=(beside.headline, *([Finding("How far off", beside.moving)] if beside.moving else [])),
        tables=known,
        charts={
            f"by-rank-{exposure.groups[at]}": Chart(
                "groups",
                "by_rank",
                (beside.fixed.bins, exposure.groups, at, float(target.shares[at])),
                {"few": exposure.is_few},
            )
            for at in largest(exposure)
        },
        printed={"shares": known["shares"].keys, "answers": ("question", "words", "n_queries"), "measures": PRINTED},
        sections=partial(sections, data, beside),
    )


def beside_target(data: Dataset, settings: GroupsSettings) -> Beside:
    """The system beside the target; the group of interest is the one that is named, else the one titles speak of."""
    found = held(data, settings.against, settings.system, settings.judgements, settings.unlabelled)
    shares = found.target.shares
    fixed = system_exposure(data, found.key, settings.browsing, settings.k)
    exposure = fixed.exposure
    unknown = exposure_of(data, *found.key[:3], "drop", found.key[4], settings.browsing, settings.k)
    groups = {name: at for at, name in enumerate(exposure.groups)}
    moved = named("group", settings.group, groups) if settings.group else None
    is_set = settings.against is not None and settings.against.is_set(data)
    off = off_target(exposure.shares, fixed.ends.drawn, shares, exposure.n_labelled)
    nearest = fixed.reach.nearest(shares)
    rows = target_rows(exposure, fixed.ends.shares, shares, nearest, is_set=is_set)
    at = headline_group(exposure, shares) if moved is None else moved
    return Beside(
        settings=settings,
        held=found,
        fixed=fixed,
        unknown=unknown,
        headline=headline(exposure, shares, where=f"{found.of.ranked.system},", moved=moved, is_set=is_set),
        moving="" if exposure.is_few else moving_sentence(off, shares, is_set=is_set),
        off=off,
        nearest=nearest,
        rows=rows,
        group=at if at is not None else rows.rows[-1].group,
        is_set=is_set,
    )


@remembered
def system_exposure(data: Dataset, key: Key, browsing: Browsing, k: int) -> SystemExposure:
    """All of one system that no target moves."""
    of, exposure = labelled(data, *key), exposure_of(data, *key, browsing, k)
    return SystemExposure(
        exposure=exposure,
        ends=share_intervals(exposure),
        reach=joint_reach(of.pools, of.members, attention(browsing, cutoff=k)),
        bins=share_by_rank(of.ranked, of.pools, of.members, depth=k),
    )


@remembered
def _still(data: Dataset, key: Key, texts: tuple[str, ...]) -> dict[str, MeasureValue]:
    """Measures that no target moves, by their string."""
    of = labelled(data, *key)
    return measure_values(of.ranked, of.qrels, of.labels, texts)


def largest(exposure: GroupExposure) -> list[int]:
    """Places of the groups that have a chart of their own."""
    order: list[int] = np.argsort(-np.nan_to_num(exposure.shares), kind="stable")[:PANELS].tolist()
    return order


def shown_per_item(fixed: SystemExposure) -> Intervals:
    """Intervals of attention per document; none over too few queries."""
    ends = fixed.ends.per_item
    if not fixed.exposure.is_few:
        return ends
    nothing = np.full_like(ends.low, np.nan)
    return Intervals(nothing, nothing)


def aims_of(beside: Beside) -> FloatArray:
    """(G) what is asked of the documents that have a group, where those without are no group of their own."""
    target = beside.held.target
    shares = dict(zip(target.groups, target.shares.tolist(), strict=True))
    aims = np.array([shares.get(group, 0.0) for group in beside.unknown.groups])
    return aims / aims.sum() if UNLABELLED in shares and aims.sum() > 0 else aims


# What a report says: the same at each share that one group's target can have.


def sections(data: Dataset, beside: Beside) -> list[Section | Play]:
    """Sentences, shares and questions at each target of the grid."""
    groups, settings = beside.held.target.groups, beside.settings
    grid = grid_of(beside.fixed.exposure, beside.held.target.shares)
    frames: list[Section] = []
    for at, shares in enumerate(grid.targets):
        stop = beside
        if at != grid.start:  # the group of interest is the one that was moved
            against = settings.against and settings.against.of(Target(groups=groups, shares=shares))
            stop = beside_target(data, replace(settings, group=groups[grid.group], against=against))
        frames.append(_frame(data, stop))
    return [Play(name="target", label=grid.label(groups), stops=grid.names, start=grid.start, frames=tuple(frames))]


def _frame(data: Dataset, beside: Beside) -> Section:
    target, unknown, known = beside.held.target, beside.unknown, beside.tables(beside.answers(data))
    reach, noun = beside.fixed.reach, ("query", "queries")
    reached = reach_sentence(reach, beside.nearest, target.shares, target.groups, noun=noun)
    return Section(
        beside.headline.title,
        (
            f"{beside.moving} {beside.headline.sentence}".strip(),
            f"{unknown_title(unknown)} {unknown_sentence(unknown)} "
            f"Ranks 1 to {beside.settings.k}, attention 1 / log₂(rank + 1).",
            reached,
        ),
        (known["shares"], known["answers"].select(READ)),
    )
