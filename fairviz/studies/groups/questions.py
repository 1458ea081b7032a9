"""Five questions about the groups in a system's lists, five measures: what each says in a sentence, with its interval.

How far is attention from the target, is every list balanced, who is worst off, do useful documents get their due, and
quality and balance together. No measure settles all of them; the other measures say more of each.
"""

import math
from typing import NamedTuple

import numpy as np

from fairviz.display.words import THIN, called, count_word, interval, number, percent, plural
from fairviz.model import FloatArray
from fairviz.points.shares import GroupExposure, OffTarget, off_target_groups
from fairviz.stats.bootstrap import Interval, Intervals
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.groups.measures import MeasureValue

TIMES = f"{THIN}×"


class WorstGroup(NamedTuple):
    """The group that gets the smallest part of its target: of those significantly under theirs, where any is.

    Attributes:
        group: Its place.
        ratio: Its share of attention over its target, of all queries together.
        interval: Corrected for having looked at all groups to find it; NaN = none.
        is_under: Whether it is significantly under its target, as its row says.
    """

    group: int
    ratio: float
    interval: Interval
    is_under: bool


class Answer(NamedTuple):
    """One of the questions, answered.

    Attributes:
        question: As a person asks it.
        measure: What answers it.
        words: The answer.
        value, interval: In the unit of the measure.
        unit: "points", "×", "%" or "".
        span: Range of its drawing.
        best: The best value.
        better: Which way is better.
        n_queries: Queries that it rests on.
        n_asked: Queries there are.
    """

    question: str
    measure: str
    words: str
    value: float
    interval: Interval
    unit: str
    span: tuple[float, float]
    best: float
    better: str
    n_queries: int
    n_asked: int

    @property
    def is_few(self) -> bool:
        """Whether it rests on too few queries for anything to be said."""
        return self.n_queries < MIN_UNITS

    @property
    def shown(self) -> str:
        """The value as a person reads it."""
        if math.isnan(self.value):
            return "–"
        if self.unit == "%":
            return percent(self.value)
        if self.unit == "points":
            return number(self.value, 0)
        return f"{number(self.value, 2)}{TIMES if self.unit == '×' else ''}"

    @property
    def shown_interval(self) -> str:
        """The interval as a person reads it, with the queries where not all have a value."""
        low, high = self.interval
        if self.is_few or math.isnan(low):
            return ""
        part = 100 if self.unit == "%" else 1
        said = interval(part * low, part * high, 0 if self.unit in ("%", "points") else 2)
        unit = {"%": "\u202f%", "points": " points"}.get(self.unit, "")
        rest = "" if self.n_queries == self.n_asked else f", {plural(self.n_queries, 'query', 'queries')}"
        return f"{said}{unit}{rest}"


def worst_group(exposure: GroupExposure, corrected: Intervals, target: FloatArray) -> WorstGroup | None:
    """Share over target of the group for which it is smallest; None where no share or no target is known.

    Of all queries together: a smallest skew per query is −∞ as soon as one query lacks a group.

    Args:
        exposure: Attention by group.
        corrected: (G) intervals of its shares, corrected for their number.
        target: (G) target shares; a group whose target is 0 is not looked at.

    Examples:
        Half of its target goes to the second group:

        >>> from dataclasses import replace
        >>> from fairviz.points.shares import corrected_intervals
        >>> attention = np.array([[3.0, 1.0]] * 20)
        >>> nothing = np.zeros(20)
        >>> one = GroupExposure(system="s", groups=("a", "b"), query_ids=tuple(map(str, range(20))),
        ...     attention=attention, unlabelled=nothing, places=attention, unlabelled_places=nothing,
        ...     candidates=attention, unlabelled_candidates=nothing)
        >>> worst_group(one, corrected_intervals(one).shares, np.array([0.5, 0.5]))[:2]
        (1, 0.5)
    """
    ratios = np.divide(exposure.shares, target, out=np.full(target.shape, np.nan), where=target > 0)
    if np.isnan(ratios).all():
        return None
    under = off_target_groups(exposure, target) & (ratios < 1)
    at = int(np.nanargmin(np.where(under, ratios, np.nan) if under.any() else ratios))
    ends = Interval(float(corrected.low[at] / target[at]), float(corrected.high[at] / target[at]))
    return WorstGroup(at, float(ratios[at]), ends, bool(under[at]))


class Measured(NamedTuple):
    """What the questions need besides shares: measures of every query.

    Attributes:
        ndkl: NDKL.
        pair, pair_largest: PAIR of the group that is looked at, and of the one with the largest share.
        fair: FAIR with nDCG.
    """

    ndkl: MeasureValue
    pair: MeasureValue
    pair_largest: MeasureValue
    fair: MeasureValue


def five_answers(
    exposure: GroupExposure,
    off: OffTarget,
    worst: WorstGroup | None,
    measured: Measured,
    *,
    group: int,
    is_set: bool = True,
) -> tuple[Answer, ...]:
    """The five questions, answered for one system under one target.

    Args:
        exposure: Attention by group.
        off: Its shares against the target.
        worst: As of :func:`worst_group`.
        measured: Measures of every query.
        group: The group that is looked at.
        is_set: Whether somebody set the target; else it is equal shares, and called so.
    """
    aim, due, on = ("the target", "target", "on target") if is_set else ("equal shares", "equal share", "equal shares")
    its, of = ("its target share", "on target") if is_set else ("an equal share", "of equal shares")
    n, asked, groups = exposure.n_labelled, len(exposure.query_ids), exposure.groups
    distance, points = off.interval, number(100 * off.off, 0)
    nobody = Interval(math.nan, math.nan)
    answers = (
        Answer(
            f"How far is attention from {aim}?",
            "AWRF, all queries, ÷ 2",
            f"{points} of 100 points would have to move to another group."
            if not math.isnan(off.off)
            else "Undefined: no attention falls on a labelled document.",
            100 * off.off,
            Interval(100 * distance.low, 100 * distance.high),
            "points",
            (0, 100),
            0,
            f"↓ 0 is {on}",
            n,
            asked,
        ),
        _of(
            measured.ndkl,
            "Is every list balanced from the top?",
            "NDKL",
            _ndkl(measured.ndkl.value, len(groups)),
            (0, 2),
            0,
            f"↓ 0 is {on}",
            n,
        ),
        Answer(
            "Which group is worst off?",
            f"smallest share ÷ {due}",
            "Undefined: no share, or no target." if worst is None else _worst(worst, groups[worst.group], its),
            math.nan if worst is None else worst.ratio,
            nobody if worst is None else worst.interval,
            "×",
            (0, 1.2),
            1,
            f"→ 1 is {'on target' if is_set else 'an equal share'}",
            n,
            asked,
        ),
        _of(
            measured.pair,
            "Do useful documents get their due?",
            f"PAIR, group {groups[group]}",
            _pair(measured, groups, group, int(np.argmax(np.nan_to_num(exposure.shares)))),
            (0, 1),
            1,
            "↑ 100\u202f%: always ranked above",
            n,
        )._replace(unit="%"),
        _of(
            measured.fair,
            "Quality and balance together?",
            "FAIR (nDCG)",
            f"{percent(measured.fair.value)} of what an ideal list {of} would score.",
            (0, 1),
            1,
            "↑ 1 is ideal",
            n,
        ),
    )
    return tuple(
        answer._replace(words=f"No verdict: {plural(answer.n_queries, 'query', 'queries')}.")
        if answer.is_few and not math.isnan(answer.value)
        else answer
        for answer in answers
    )


def answers_title(answers: tuple[Answer, ...], rows_without: int, *, is_set: bool = True) -> str:
    """The answers in a line, for where they are folded.

    Args:
        answers: As of :func:`five_answers`.
        rows_without: Groups that get nothing.
        is_set: As there.
    """
    off, _, worst, _, fair = answers
    if off.is_few:
        return "too few queries to say"
    said = [f"{off.shown} points {'off target' if is_set else 'from equal shares'}"]
    if rows_without:
        said.append(f"{count_word(rows_without)} group{' gets' if rows_without == 1 else 's get'} nothing")
    elif not math.isnan(worst.value):
        said.append(worst.words.rstrip("."))
    if not math.isnan(fair.value):
        said.append(fair.words.rstrip("."))
    return "; ".join(said)


def _of(
    result: MeasureValue,
    question: str,
    measure: str,
    words: str,
    span: tuple[float, float],
    best: float,
    better: str,
    n_labelled: int,
) -> Answer:
    n = result.n_queries - result.n_undefined
    if result.refused:
        words = f"Not on these data: {result.refused}"
    elif math.isnan(result.value):
        words = f"Undefined for every query{': ' if result.why else ''}{result.why}."
    return Answer(
        question,
        measure,
        words,
        result.value,
        result.interval,
        "",
        span,
        best,
        better,
        min(n, n_labelled),
        result.n_queries,
    )


def _ndkl(value: float, n_groups: int) -> str:
    if math.isinf(value):
        return "A list shows a group whose target is 0: no finite distance."
    return (
        f"Every list at every rank, the top counting most. A single result can never match {count_word(n_groups)} "
        "shares, so 0 is impossible; use it to compare systems."
    )


def _worst(worst: WorstGroup, name: str, due: str) -> str:
    if not worst.is_under:
        return f"No group is significantly under {due}."
    return f"{called(name)}: {'none' if worst.ratio == 0 else percent(worst.ratio)} of {due}."


def _pair(measured: Measured, groups: tuple[str, ...], group: int, largest: int) -> str:
    said = (
        f"A useful one from {called(groups[group])} stands above a less useful one from elsewhere in "
        f"{percent(measured.pair.value)} of pairs"
    )
    if largest == group or math.isnan(measured.pair_largest.value):
        return f"{said}."
    return f"{said}; for {called(groups[largest])} it is {percent(measured.pair_largest.value)}."
