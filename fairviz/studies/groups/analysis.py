"""Attention by group of one system beside a target: shares and their gaps, five questions, every measure.

What no target moves (attention, its intervals, what re-ranking can reach, measures without a target) is computed once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl

from fairviz.display.html import Play, Section
from fairviz.display.table import Tables
from fairviz.display.words import Finding
from fairviz.evaluation.systems import named
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import Dataset, FloatArray, Target
from fairviz.points.shares import GroupExposure, OffTarget, headline_group, off_target
from fairviz.points.targets import Key, TargetedSystem, exposure_of, grid_of, labelled, targeted_system
from fairviz.remembered import remembered
from fairviz.studies.groups.columns import (
    ON_PAPER,
    answers_table,
    group_table,
    measure_row,
    missing_labels_table,
    per_document_table,
    shares_table,
    target_rows,
)
from fairviz.studies.groups.findings import headline, moving_sentence, reach_sentence, unknown_sentence, unknown_title
from fairviz.studies.groups.measures import (
    ROWS,
    STILL,
    Answer,
    MeasureRow,
    MeasureValue,
    filled,
    five_answers,
    measure_values,
)
from fairviz.studies.groups.settings import GroupsSettings
from fairviz.studies.groups.system import SystemExposure, system_exposure
from fairviz.studies.study import Analysis, Chart

BY_LABEL = {row.label: row for row in ROWS}
PANELS = 6
"""Groups with a chart of their own: the largest."""
PRINTED = ("measure", "value", "low", "high", "n_queries", "n_undefined")
"""Columns of the measures that a terminal has room for."""
READ = ("question", "words", "measure", "n_queries", "better")
"""Columns of the five questions in a report: what is said holds the value in its unit."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupsAnalysis(Analysis):
    """One system beside one target, and what is said of it; measures are computed when they are read.

    Attributes:
        data: Rankings and groups.
        settings: Of the study.
        targeted: System, groups, target.
        fixed: What no target moves.
        unknown: Attention with what has no label kept apart, whatever the settings say.
        off: How much attention would have to move, with its interval.
        moving: The same in a sentence; empty where nothing may be said.
        nearest: (G) shares that re-ranking reaches of all targets at once.
        rows: A row per group.
        group: Place of the group of interest.
        is_set: Whether somebody set the target; else it is equal shares.
    """

    data: Dataset
    settings: GroupsSettings
    targeted: TargetedSystem
    fixed: SystemExposure
    unknown: GroupExposure
    off: OffTarget
    moving: str
    nearest: FloatArray
    rows: pl.DataFrame
    group: int
    is_set: bool

    @property
    def aims(self) -> FloatArray:
        """(G) what is asked of the documents that have a group, where those without are no group of their own."""
        target = self.targeted.target
        shares = dict(zip(target.groups, target.shares.tolist(), strict=True))
        aims = np.array([shares.get(group, 0.0) for group in self.unknown.groups])
        return aims / aims.sum() if UNLABELLED in shares and aims.sum() > 0 else aims

    def values(self, rows: Sequence[MeasureRow], *, group: int | None = None) -> list[MeasureValue]:
        """Values of measures, in their order; of another group of interest where one is named."""
        settings, of, data = self.settings, self.targeted.of, self.data
        name = self.targeted.target.groups[self.group if group is None else group]
        texts = [
            filled(row, k=settings.k, group=name, missing=settings.unlabelled, browsing=settings.browsing)
            for row in rows
        ]
        still = tuple(text for row, text in zip(rows, texts, strict=True) if row in STILL)
        by_text = dict(_still(data, self.targeted.key, still)) if still else {}
        moving = [text for text in texts if text not in by_text]
        if moving:
            by_text |= measure_values(of.ranked, of.qrels, of.labels, moving, self.targeted.target)
        return [by_text[text] for text in texts]

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """The five questions, answered."""
        exposure, target = self.fixed.exposure, self.targeted.target
        ndkl, pair, fair = (BY_LABEL[label] for label in ("NDKL", "PAIR of one group", "FAIR (nDCG)"))
        shares = np.where([group == UNLABELLED for group in exposure.groups], -1, np.nan_to_num(exposure.shares))
        of_list, with_quality = self.values([ndkl, fair])
        (own,), (of_largest,) = self.values([pair]), self.values([pair], group=int(np.argmax(shares)))
        measured = of_list, own, of_largest, with_quality
        corrected, due = self.fixed.corrected[0], target.shares
        return five_answers(
            exposure, self.off, corrected, due, measured, group=self.group, is_set=self.is_set, unit=self.settings.unit
        )

    @cached_property
    def measures(self) -> list[dict[str, Any]]:
        """Every measure, refused ones too."""
        exposure = self.fixed.exposure
        n_groups = sum(name != UNLABELLED for name in exposure.groups)
        rows = partial(
            measure_row,
            group=exposure.groups[self.group],
            k=self.settings.k,
            n_groups=n_groups,
            n_labelled=exposure.n_labelled,
            unit=self.settings.unit,
        )
        return list(map(rows, ROWS, self.values(ROWS)))


def analyse(data: Dataset, settings: GroupsSettings) -> GroupsAnalysis:
    """Shares beside the target, five questions, every measure, attention per document, what labels leave open.

    Args:
        data: Rankings and groups; judgements where measures need them.
        settings: System, ranks, attention, target.

    Raises:
        UndefinedError: There are no groups, fewer than two, or no target for them.
        UsageError: There is no such system or group.
    """
    analysis = beside_target(data, settings)
    analysis.targeted.refuse_one_group()
    return analysis


def beside_target(data: Dataset, settings: GroupsSettings) -> GroupsAnalysis:
    """Attention by group beside the target, also of a single group, which has all attention.

    The group of interest is the one that is named, else the one that titles speak of.
    """
    beside = targeted_system(data, settings.against, settings.system, settings.judgements, settings.unlabelled)
    target, system = beside.target, beside.of.ranked.system
    shares = target.shares
    fixed = system_exposure(data, beside.key, settings.browsing, settings.k)
    exposure = fixed.exposure
    unknown = exposure_of(data, *beside.key[:3], "drop", beside.key[4], settings.browsing, settings.k)
    groups = {name: at for at, name in enumerate(exposure.groups)}
    moved = named("group", settings.group, groups) if settings.group else None
    is_set = settings.against is not None and settings.against.is_set(data)
    off = off_target(exposure.shares, fixed.pooled.drawn, shares, exposure.n_labelled)
    nearest = fixed.reach.nearest(shares)
    rows = target_rows(exposure, fixed.pooled.ends, shares, nearest, is_set=is_set)
    at = headline_group(exposure, shares) if moved is None else moved
    moving = "" if exposure.is_few else moving_sentence(off, is_set=is_set)
    due = dict(zip(target.groups, shares.tolist(), strict=True))
    tables = Tables(
        {
            "shares": lambda: shares_table(rows),
            "answers": lambda: answers_table(analysis.answers),
            "measures": lambda: group_table(analysis.measures, system=system, target=due),
            "measures-printed": lambda: replace(tables["measures"].select(ON_PAPER), audience="papers"),
            "per-document": lambda: per_document_table(exposure, fixed.per_item, settings.unit),
            "missing-labels": lambda: missing_labels_table(unknown, analysis.aims),
        }
    )
    analysis = GroupsAnalysis(
        data=data,
        settings=settings,
        targeted=beside,
        fixed=fixed,
        unknown=unknown,
        off=off,
        moving=moving,
        nearest=nearest,
        rows=rows,
        group=at if at is not None else int(rows["at"][-1]),
        is_set=is_set,
        findings=(
            headline(exposure, shares, where=f"{system},", moved=moved, is_set=is_set, unit=settings.unit),
            *([Finding("How far off", moving)] if moving else []),
        ),
        tables=tables,
        charts={
            f"by-rank-{exposure.groups[at]}": Chart(
                "groups", "by_rank", (fixed.bins, exposure.groups, at, float(shares[at])), {"few": exposure.is_few}
            )
            for at in largest(exposure)
        },
        printed={"shares": tables["shares"].keys, "answers": ("question", "words", "n_queries"), "measures": PRINTED},
        sections=lambda: sections(analysis),
    )
    return analysis


@remembered
def _still(data: Dataset, key: Key, texts: tuple[str, ...]) -> dict[str, MeasureValue]:
    """Measures that no target moves, by their string."""
    of = labelled(data, *key)
    return measure_values(of.ranked, of.qrels, of.labels, texts)


def largest(exposure: GroupExposure) -> list[int]:
    """Places of the groups that have a chart of their own."""
    order: list[int] = np.argsort(-np.nan_to_num(exposure.shares), kind="stable")[:PANELS].tolist()
    return order


# What a report says: the same at each share that one group's target can have.


def sections(analysis: GroupsAnalysis) -> list[Section | Play]:
    """Sentences, shares and questions at each target of the grid."""
    groups, settings = analysis.targeted.target.groups, analysis.settings
    grid = grid_of(analysis.fixed.exposure, analysis.targeted.target.shares)
    frames: list[Section] = []
    for at, shares in enumerate(grid.targets):
        stop = analysis
        if at != grid.start:  # the group of interest is the one that was moved
            against = settings.against and settings.against.of(Target(groups=groups, shares=shares))
            stop = beside_target(analysis.data, replace(settings, group=groups[grid.group], against=against))
        frames.append(_frame(stop))
    return [Play(name="target", label=grid.label(groups), stops=grid.names, start=grid.start, frames=tuple(frames))]


def _frame(analysis: GroupsAnalysis) -> Section:
    target, unknown, reach = analysis.targeted.target, analysis.unknown, analysis.fixed.reach
    settings = analysis.settings
    title, sentence = analysis.findings[0]
    return Section(
        title,
        (
            f"{analysis.moving} {sentence}".strip(),
            f"{unknown_title(unknown, settings.unit)} {unknown_sentence(unknown)} "
            f"Ranks 1 to {settings.k}, attention 1 / log₂(rank + 1).",
            reach_sentence(reach, analysis.nearest, target.shares, target.groups, unit=settings.unit),
        ),
        (analysis.tables["shares"], analysis.tables["answers"].select(READ)),
    )
