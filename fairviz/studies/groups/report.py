"""What a report says of groups and a target: Groups & targets at each share that one group's target can have.

A target of several groups has no single line of values; what moves is the share of the group that the page would speak
of first, the others keep their proportions, as "Raise one group" does on the page.
"""

from typing import NamedTuple

import numpy as np

from fairviz.attention import Browsing, attention
from fairviz.display.html import Play, Section
from fairviz.grouping import Membership, Preset, membership
from fairviz.model import FloatArray, GroupLabels, Pools, Qrels, Run, Target
from fairviz.points.shares import GroupExposure, ShareIntervals, group_exposure, off_target, share_intervals
from fairviz.points.targets import TargetGrid, as_shares, preset_shares, target_grid
from fairviz.pool import pool
from fairviz.studies.groups.findings import (
    headline,
    headline_group,
    moving_sentence,
    reach_sentence,
    unknown_sentence,
    unknown_title,
)
from fairviz.studies.groups.measures import ROWS, filled, measure_values
from fairviz.studies.groups.questions import Measured, five_answers, worst_group
from fairviz.studies.groups.reach import JointReach, joint_reach
from fairviz.studies.groups.rows import target_rows
from fairviz.studies.groups.tables import GroupResults, tables

BROWSING: Browsing = "dcg"
"""How attention falls with rank where nobody chose it: the page's own."""
READ = ("question", "words", "measure", "n_queries", "better")
"""Columns of the five questions: what is said holds the value in its unit."""


class TargetedRun(NamedTuple):
    """One run beside a target, with all that no target moves.

    Attributes:
        run: The run.
        labels: Groups of documents.
        qrels: Judgements, None for none.
        k: Ranks that count.
        exposure: Its attention by group.
        ends: Intervals.
        reach: What re-ranking can make of it.
        grid: Targets along the share of one group.
    """

    run: Run
    labels: GroupLabels
    qrels: Qrels | None
    k: int
    exposure: GroupExposure
    ends: ShareIntervals
    reach: JointReach
    grid: TargetGrid


def targeted(
    run: Run, qrels: Qrels | None, labels: GroupLabels, target: Target | Preset | None, *, k: int
) -> TargetedRun | None:
    """Measure a run once for all targets; None where there are not two groups, or no target for them.

    Args:
        run: The run.
        qrels: Judgements, where the target or a question needs them.
        labels: Groups of documents.
        target: The target at which the grid starts.
        k: Ranks that count.
    """
    if isinstance(target, Target) and not {*target.groups} & {*labels.groups}:
        return None
    pools = pool(run, qrels, queries="ranked")
    members = membership(pools, labels, target if isinstance(target, Target) else None)
    weights = _weights(target, members, pools)
    if weights is None or len(members.groups) < 2:
        return None
    falling = attention(BROWSING, cutoff=k)
    exposure = group_exposure(run, pools, members, falling)
    reach, grid = joint_reach(pools, members, falling), target_grid(weights, _group(exposure, weights))
    return TargetedRun(run, labels, qrels, k, exposure, share_intervals(exposure), reach, grid)


def _weights(target: Target | Preset | None, members: Membership, pools: Pools) -> FloatArray | None:
    if isinstance(target, Target):
        return as_shares(target, members.groups)
    return None if target is None else preset_shares(target, members, pools)


def _group(exposure: GroupExposure, weights: FloatArray) -> int:
    """Whose share moves: the group that the title is about, else the one furthest below its target."""
    spoken = headline_group(exposure, weights)
    return int(np.argmin(np.nan_to_num(exposure.shares) - weights)) if spoken is None else spoken


def report_sections(one: TargetedRun, *, is_set: bool = True) -> list[Section | Play]:
    """Sentences, shares and questions at each target of the grid.

    Args:
        one: The run.
        is_set: Whether somebody set the target where the grid starts; else it is equal shares, and called so.
    """
    grid = one.grid
    return [
        Play(
            name="target",
            label=grid.label(one.exposure.groups),
            stops=grid.names,
            start=grid.start,
            frames=tuple(
                _frame(one, target, moved=None if i == grid.start else grid.group, is_set=is_set)
                for i, target in enumerate(grid.targets)
            ),
        )
    ]


def _frame(one: TargetedRun, target: FloatArray, *, moved: int | None, is_set: bool) -> Section:
    exposure, is_set = one.exposure, is_set or moved is not None
    off = off_target(exposure.shares, one.ends.drawn, target, exposure.n_labelled)
    found = headline(exposure, target, where=f"{one.run.system},", moved=moved, is_set=is_set)
    said = "" if exposure.is_few else moving_sentence(off, target, is_set=is_set)
    nearest = one.reach.nearest(target)
    rows = target_rows(exposure, one.ends.shares, target, nearest, is_set=is_set)
    at = headline_group(exposure, target) if moved is None else moved
    worst = worst_group(exposure, one.ends.shares_corrected, target)
    group = at if at is not None else rows.rows[-1].group
    answers = five_answers(exposure, off, worst, _measured(one, target, group), group=group, is_set=is_set)
    known = tables(GroupResults(shares=rows, answers=answers))
    return Section(
        found.title,
        (
            f"{said} {found.sentence}".strip(),
            f"{unknown_title(exposure)} {unknown_sentence(exposure)} Ranks 1 to {one.k}, attention 1 / log₂(rank + 1).",
            reach_sentence(one.reach, nearest, target, exposure.groups, noun=("query", "queries")),
        ),
        (known["shares"], known["answers"].select(READ)),
    )


def _measured(one: TargetedRun, target: FloatArray, group: int) -> Measured:
    """Measures of every query that the questions need."""
    groups = one.exposure.groups
    largest = int(np.argmax(np.nan_to_num(one.exposure.shares)))
    asked = (("NDKL", group), ("PAIR of one group", group), ("PAIR of one group", largest), ("FAIR (nDCG)", group))
    rows = {row.label: row for row in ROWS}
    texts = [filled(rows[label], k=one.k, group=groups[at], missing="drop", browsing=BROWSING) for label, at in asked]
    values = measure_values(one.run, one.qrels, one.labels, texts, Target(groups=groups, shares=target))
    return Measured(*(values[text] for text in texts))
