"""The groups as one reads them: a row each, largest share first, on one scale, with what may be said of its gap."""

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.display.words import interval, percent
from fairviz.model import FloatArray
from fairviz.points.shares import MOST_UNLABELLED, SAME, GroupExposure, off_target_groups
from fairviz.stats.bootstrap import Intervals
from fairviz.studies.groups.findings import MANY, points, share_words
from fairviz.studies.groups.reach import NearestShares

Gap: TypeAlias = Literal["over", "under", "even", "silent"]
"""Over or under its target, not significantly off it, or nothing may be claimed."""

STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Distances of ticks; the first with which five are enough."""
TICKS = 5
BEYOND_TARGET = 2.0
"""The scale ends at twice the largest target, or at the largest upper end."""
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
    def spoken(self) -> str:
        """The row's drawing in words."""
        if math.isnan(self.share):
            return self.words
        ends = "" if math.isnan(self.low) else f", 95\u202f% interval {interval(100 * self.low, 100 * self.high, 0)}"
        misses = abs(self.reached - self.target) >= VISIBLE
        reach = f"; re-ranking gets to {percent(self.reached)}" if misses else ""
        aim = "target" if self.is_set else "an equal share would be"
        return f"{share_words(self.share)} today{ends}; {aim} {percent(self.target)}{reach}"


class TargetRows(NamedTuple):
    """All groups.

    Attributes:
        rows: The largest share first.
        scale: Share at which the scale ends.
        ticks: Shares with a tick.
    """

    rows: tuple[TargetRow, ...]
    scale: float
    ticks: tuple[float, ...]

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
    scale, ticks = _scale(shares, high, target)
    no_verdict = exposure.is_few or exposure.unlabelled_share > MOST_UNLABELLED
    rows: list[TargetRow] = []
    order: list[int] = np.argsort(-np.nan_to_num(shares), kind="stable").tolist()
    for group in order:
        share, aim = float(shares[group]), float(target[group])
        gap, words = _gap(share, aim, off=bool(off[group]), silent=no_verdict)
        words = "an equal share" if words == ON_TARGET and not is_set else words
        own, reached = (float(low[group]), float(high[group])), float(nearest.shares[group])
        rows.append(TargetRow(group, exposure.groups[group], share, *own, aim, reached, gap, words, is_set))
    return TargetRows(tuple(rows), scale, ticks)


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


def _scale(shares: FloatArray, high: FloatArray, target: FloatArray) -> tuple[float, tuple[float, ...]]:
    """End of the scale and its ticks."""
    largest = float(np.fmax(np.nan_to_num(shares), np.nan_to_num(high)).max())
    end = max(BEYOND_TARGET * float(target.max()), largest)
    end = min(max(end, STEPS[0]), 1.0)
    step = next((step for step in STEPS if end <= TICKS * step + 1e-9), STEPS[-1])
    n = math.ceil(end / step - 1e-9)
    return n * step, tuple(round(at * step, 6) for at in range(n + 1))
