"""Values of systems by many measures, as a table that knows which way each measure improves."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.description import Better
from fairviz.model import FloatArray, MeasureSpec


class Scored(Protocol):
    """One measure of one system: a mean over queries, or one value for the system."""

    @property
    def system(self) -> str:
        """Name of the system."""
        ...

    @property
    def measure(self) -> str:
        """The measure string as typed."""
        ...

    @property
    def value(self) -> float:
        """The value, NaN = undefined."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredSystems:
    """Every measure of every system on one data set.

    Attributes:
        name: Of the data set: what was judged and labelled.
        systems: S names.
        measures: X measure strings as typed.
        better: (X) which way each measure improves.
        values: (S, X) values, NaN = undefined.
    """

    name: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    better: tuple[Better, ...]
    values: FloatArray

    def __post_init__(self) -> None:
        shape = (len(self.systems), len(self.measures))
        if self.values.shape != shape or len(self.better) != shape[1]:
            raise ValueError(f"{self.name}: expected values of shape {shape}")

    @property
    def turned(self) -> FloatArray:
        """(S, X) the values turned so that higher is closer to the measure's own ideal."""
        nearness = -np.abs(self.values)
        signs = np.array([1.0 if better == "higher" else -1.0 for better in self.better])
        to_zero = np.array([better == "closest to 0" for better in self.better], dtype=np.bool_)
        return np.where(to_zero, nearness, signs * self.values)


def short_names(measures: Sequence[str]) -> tuple[str, ...]:
    """Measure strings without their parameters, where that leaves them distinct.

    Examples:
        >>> short_names(["EED(by='group')@5", "AWRF(gamma=0.2)", "AWRF"])
        ('EED@5', 'AWRF(gamma=0.2)', 'AWRF')
    """
    short = [re.sub(r"\(.*\)", "", measure) for measure in measures]
    counts = Counter(short)
    return tuple(name if counts[name] == 1 else whole for name, whole in zip(short, measures, strict=True))


def direction(spec: MeasureSpec) -> Better:
    """Which way a measure improves; those of ir-measures are all better when higher."""
    measure = CATALOGUE.get(spec.name)
    return measure.direction(spec.params) if measure else "higher"


def measured_systems(name: str, scores: Sequence[Scored], specs: Sequence[MeasureSpec]) -> MeasuredSystems:
    """Values as a table of systems and measures.

    Args:
        name: Of the data set.
        scores: One per system and measure, as ``evaluate`` gives them.
        specs: The measures asked for; one that no system has a score of is left out.
    """
    systems = tuple(dict.fromkeys(one.system for one in scores))
    found = {(one.system, one.measure): one.value for one in scores}
    scored = {one.measure for one in scores}
    kept = {text: spec for spec in specs if (text := spec.text or spec.name) in scored}
    rows = [[found.get((system, text), float("nan")) for text in kept] for system in systems]
    return MeasuredSystems(
        name=name,
        systems=systems,
        measures=tuple(kept),
        better=tuple(direction(spec) for spec in kept.values()),
        values=np.array(rows, dtype=np.float64).reshape(len(systems), len(kept)),
    )
