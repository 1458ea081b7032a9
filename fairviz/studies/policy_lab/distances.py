"""Any group measure of the catalogue as the distance from the target that re-ranking pays for."""

import math
from typing import NamedTuple

import numpy as np

from fairviz.display.words import number
from fairviz.errors import UndefinedError
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.systems import named
from fairviz.metrics.catalogue import CATALOGUE, GROUP_MEASURES
from fairviz.metrics.describe import Measure
from fairviz.metrics.spec import parse_measure
from fairviz.model import FloatArray, GroupLabels, MeasureSpec, RankingSample, Run, Scores, Target
from fairviz.model.arrays import positions
from fairviz.points.targeted import Held
from fairviz.studies.policy_lab.settings import PolicyLabSettings

POINT = 1.0
"""Points of attention that count: less is no movement, and settings less than this apart are alike."""
MATERIAL = 0.05
"""The same for another measure, which has no points: part of the way to the target."""


class Distance(NamedTuple):
    """What off target means, and how it is written: points of attention that have to move, else another measure.

    Attributes:
        label: Name of the measure; "" for points of attention.
        step: A movement that counts: less is none.
        ideal: Value of a list on target; NaN = the measure has none.
        decimals: Digits in words.
        is_set: Whether somebody set the target; else it is equal shares, and called so.
    """

    label: str = ""
    step: float = POINT
    ideal: float = 0.0
    decimals: int = 0
    is_set: bool = True

    @property
    def aim(self) -> str:
        """What it is a distance from."""
        return "the target" if self.is_set else "equal shares"

    @property
    def due(self) -> str:
        """What a number is called that says what a group should get."""
        return "target" if self.is_set else "equal share"

    @property
    def off(self) -> str:
        """Whose points they are that would have to move."""
        return "off target" if self.is_set else "from equal shares"

    @property
    def in_points(self) -> bool:
        """Whether it is in points of attention."""
        return not self.label

    @property
    def title(self) -> str:
        """Name of its axis."""
        return f"points of attention {self.off} → nearer" if self.in_points else f"distance by {self.label} → nearer"

    def words(self, value: float, *, unit: bool = False, off: bool = True) -> str:
        """A distance, or with ``off=False`` a difference of two, as sentences have it.

        Examples:
            >>> POINTS.words(9.3), POINTS.words(0.64, unit=True)
            ('9', '0.6 points off target')
        """
        small = self.in_points and 0.05 <= abs(value) < 1.95
        text = number(value, 1 if small else self.decimals)
        if not unit:
            return text
        if self.in_points:
            return f"{text} points{f' {self.off}' if off else ''}"
        return f"{text} by {self.label}"


POINTS = Distance()
"""Points of attention off a target that somebody set."""


def distance_by(measure: MeasureSpec, now: float, *, is_set: bool) -> Distance:
    """Another measure as the distance; a twentieth of today's distance counts as a movement."""
    known, at = CATALOGUE[measure.name], "" if measure.cutoff is None else f"@{measure.cutoff}"
    ideal = 0.0 if has_ideal(known) else math.nan
    return Distance(f"{known.label}{at}", MATERIAL * now, ideal, 3, is_set)


def distance_measure(labels: GroupLabels, target: Target, settings: PolicyLabSettings) -> MeasureSpec:
    """A group measure as the distance from a target; one of one group is of that with the largest target.

    Args:
        labels: Groups of documents, the first of the target's.
        target: Shares of attention.
        settings: The measure's name; ranks, attention, and what unlabelled items are, for measures that read it.

    Raises:
        UsageError: There is no such measure.
    """
    measure = named("distance", settings.distance, {each.name: each for each in GROUP_MEASURES})
    name = measure.name
    known = {parameter.name for parameter in measure.parameters}
    values = {"browsing": settings.browsing, "missing": settings.unlabelled}
    if measure.binomial or name == "Skew":
        values["group"] = labels.groups[int(np.argmax(target.shares[: len(labels.groups)]))]
    inside = ", ".join(f"{key}={value!r}" for key, value in values.items() if key in known)
    return parse_measure(f"{name}({inside})@{settings.k}" if inside else f"{name}@{settings.k}")


def distance(measure: Measure, values: FloatArray) -> FloatArray:
    """How far values are from the best that the measure has: 0 = there, larger = further.

    Lower is better: the value itself above its smallest. Higher is better: what is missing to the
    largest, or the negative value where there is no largest. Closest to 0: the absolute value.
    """
    low, high = measure.range
    match measure.better:
        case "lower":
            return values - (low if np.isfinite(low) else 0.0)
        case "higher":
            return (high if np.isfinite(high) else 0.0) - values
        case _:
            return np.abs(values)


def has_ideal(measure: Measure) -> bool:
    """Whether the measure has a best value, so that a list can be on target."""
    low, high = measure.range
    ends = {"lower": low, "higher": high}
    return bool(np.isfinite(ends.get(measure.better, 0.0)))


def measured(ranked: Run | RankingSample, spec: MeasureSpec, query_ids: tuple[str, ...], beside: Held) -> FloatArray:
    """The distance of rankings by a group measure: (Q) of each query, or one value without dimension of all together.

    Args:
        ranked: The rankings.
        spec: The measure.
        query_ids: Q queries; NaN where they have no value.
        beside: Judgements, groups, target.

    Raises:
        UndefinedError: These data do not allow the measure; the text says why.
    """
    measure = CATALOGUE[spec.name]
    qrels, of = [beside.of.qrels] if beside.of.qrels else [], beside.of
    evaluation = evaluate([ranked], [spec], qrels=qrels, labels=of.labels, target=beside.target, refuse=False)
    if not evaluation.scores:
        reason = evaluation.refused[0].reason if evaluation.refused else "it has no value"
        raise UndefinedError(f"{spec.text}: {reason}")
    scores = evaluation.scores[0]
    if isinstance(scores, Scores) and scores.aggregate == "mean" and measure.better != "closest to 0":
        at = positions(query_ids, scores.query_ids)
        return distance(measure, np.append(scores.values, np.nan)[at])
    # One value of the system, or one whose sign must not cancel query by query.
    return distance(measure, np.asarray(scores.value))
