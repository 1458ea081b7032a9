"""Any group measure of the catalogue as the distance from the target that re-ranking pays for."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.display.words import number
from fairviz.errors import UndefinedError
from fairviz.evaluation.evaluate import evaluate
from fairviz.kernels.grouping import Missing, Preset
from fairviz.kernels.pool import lookup
from fairviz.metrics.catalogue import GROUP_MEASURES
from fairviz.metrics.describe import Measure
from fairviz.metrics.spec import parse_measure
from fairviz.model import FloatArray, GroupLabels, MeasureSpec, Qrels, RankingSample, Run, Scores, Target
from fairviz.studies.policy_lab.budget import MATERIAL, POINT
from fairviz.studies.policy_lab.price import PricePoint


class Distance(NamedTuple):
    """What off target means, and how it is written.

    Attributes:
        label: Name of the measure; "" for points of attention.
        step: A movement that counts: less is none.
        ideal: Value of a list on target; NaN = the measure has none.
        decimals: Digits in words.
        is_set: Whether somebody set the target; else it is equal shares, and called so.
    """

    label: str
    step: float
    ideal: float
    decimals: int
    is_set: bool = True

    @classmethod
    def points(cls, *, is_set: bool = True) -> "Distance":
        """Points of attention that would have to move to another group."""
        return cls("", POINT, 0.0, 0, is_set)

    @classmethod
    def by(cls, measure: Measure, cutoff: int | None, now: float, *, is_set: bool = True) -> "Distance":
        """Another measure; a twentieth of today's distance counts as a movement."""
        at = "" if cutoff is None else f"@{cutoff}"
        return cls(f"{measure.label}{at}", MATERIAL * now, 0.0 if has_ideal(measure) else math.nan, 3, is_set)

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
            >>> Distance.points().words(9.3), Distance.points().words(0.64, unit=True)
            ('9', '0.6 points off target')
        """
        small = self.in_points and 0.05 <= abs(value) < 1.95
        text = number(value, 1 if small else self.decimals)
        if not unit:
            return text
        if self.in_points:
            return f"{text} points{f' {self.off}' if off else ''}"
        return f"{text} by {self.label}"


def measure_text(name: str, *, k: int, browsing: str, missing: Missing, group: str | None) -> str:
    """The measure string that fits what a page shows.

    Args:
        name: Of a group measure.
        k: Ranks that count.
        browsing: How attention falls with rank, for measures that read it.
        missing: What unlabelled items are.
        group: The group of interest, for measures of one group against the rest.

    Examples:
        >>> measure_text("nDKL", k=10, browsing="dcg", missing="drop", group="x")
        "nDKL(missing='drop')@10"
    """
    measure = next(candidate for candidate in GROUP_MEASURES if candidate.name == name)
    known = {parameter.name for parameter in measure.parameters}
    parameters: dict[str, str] = {}
    if "browsing" in known:
        parameters["browsing"] = browsing
    if "missing" in known:
        parameters["missing"] = missing
    if "group" in known and group is not None and (measure.binomial or name == "Skew"):
        parameters["group"] = group
    inside = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
    return f"{name}({inside})@{k}" if inside else f"{name}@{k}"


def asked_distance(
    name: str, labels: GroupLabels, target: Target, *, k: int, browsing: str, missing: Missing
) -> MeasureSpec:
    """A group measure as the distance from a target; one of one group is of that with the largest target.

    Args:
        name: Of the group measure.
        labels: Groups of documents, the first of the target's.
        target: Shares of attention.
        k: Ranks that count.
        browsing: How attention falls with rank, for measures that read it.
        missing: What unlabelled items are.
    """
    group = labels.groups[int(np.argmax(target.shares[: len(labels.groups)]))]
    return parse_measure(measure_text(name, k=k, browsing=browsing, missing=missing, group=group))


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


def measured(
    point: PricePoint,
    ranked: Sequence[Run | RankingSample],
    spec: MeasureSpec,
    query_ids: tuple[str, ...],
    *,
    qrels: Qrels,
    labels: GroupLabels,
    target: Target | Preset,
) -> PricePoint:
    """A point whose distance is that of another measure.

    Args:
        point: Quality and attention stay as they are.
        ranked: The re-ranked lists; repeats of a random re-ranker are averaged.
        spec: A group measure.
        query_ids: Queries of the point.
        qrels: Judgements.
        labels: Groups.
        target: Target shares.

    Raises:
        UndefinedError: These data do not allow the measure; the text says why.
    """
    measure = next(rankings for rankings in GROUP_MEASURES if rankings.name == spec.name)
    rows: list[FloatArray] = []
    overall: list[float] = []
    for rankings in ranked:
        evaluation = evaluate([rankings], [spec], qrels=[qrels], labels=labels, target=target, refuse=False)
        if not evaluation.scores:
            reason = evaluation.refused[0].reason if evaluation.refused else "it has no value"
            raise UndefinedError(f"{spec.text}: {reason}")
        scores = evaluation.scores[0]
        per_query = isinstance(scores, Scores) and scores.aggregate == "mean"
        if isinstance(scores, Scores) and per_query and measure.better != "closest to 0":
            at = lookup(query_ids, {q: i for i, q in enumerate(scores.query_ids)})
            rows.append(distance(measure, np.append(scores.values, np.nan)[at]))
        else:  # one value of the system, or one whose sign must not cancel query by query
            overall.append(float(distance(measure, np.array([scores.value]))[0]))
    if rows:
        return point._replace(distance=np.asarray(np.mean(np.stack(rows), axis=0)))
    return point._replace(overall=float(np.mean(overall)))
