"""What the disparity–quality chart is made of: lines of means, a band, the point at α; how systems are named.

A view is everything that does not move with α, so that its labels are placed once and not on every move.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from fairviz.display.marks import Band
from fairviz.errors import UsageError
from fairviz.model import Curve, Factors, FloatArray, Look
from fairviz.points.summary import MeanCurve, first_reach, rising

POLICY_NAMES = {
    "plackett-luce": "Plackett–Luce",
    "optimal": "Exposure-optimal",
    "oracle": "Oracle limit",
    "uniform": "Uniform",
    "deterministic": "Deterministic list",
    "sampled": "Recorded samples",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """A curve as it is drawn: one mean point per α (NaN: the point has none)."""

    system: str
    policy: str
    alphas: FloatArray
    x: FloatArray
    y: FloatArray
    x_measure: str = "EED"
    y_measure: str = "EER"

    @classmethod
    def of(cls, curve: Curve) -> "Line":
        """The means of a curve, without the points at which no query is defined."""
        defined = curve.defined.any(axis=1)
        return cls(
            system=curve.system,
            policy=curve.policy,
            alphas=curve.alphas[defined],
            x=curve.mean_disparity[defined],
            y=curve.mean_quality[defined],
            x_measure=curve.x,
            y_measure=curve.y,
        )

    def by_x(self) -> "Line":
        """The line with its points from left to right."""
        order = np.argsort(self.x, kind="stable")
        return replace(self, alphas=self.alphas[order], x=self.x[order], y=self.y[order])


class EstimatedPoints(NamedTuple):
    """Points between the recorded α, estimated from the answers to other α.

    Attributes:
        line: The points.
        errors: Standard error of each one's quality, from the chance in the drawn lists.
        low, high: Its interval over queries.
        n_effective: Effective answers per query behind it.
    """

    line: Line
    errors: FloatArray
    low: FloatArray
    high: FloatArray
    n_effective: FloatArray

    @property
    def reach(self) -> FloatArray:
        """(2, P) ends of the bars: two standard errors below and above."""
        return self.line.y + 2 * np.stack([-self.errors, self.errors])


class AlphaPoint(NamedTuple):
    """The point at the slider's α, and the optimal policy at the same quality (NaN: none)."""

    alpha: float
    x: float
    y: float
    optimal_x: float = float("nan")

    @property
    def saving(self) -> float:
        """Share of disparity that the optimal policy does without; NaN where it has no point."""
        return 1 - self.optimal_x / self.x if self.x else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TradeoffView:
    """Everything on the chart that does not move with α.

    Attributes:
        lines: The main curve of each system.
        system: The highlighted system, one of those of ``lines``.
        policies: Its other policies by name, where known; "sampled" are its recorded samples, drawn as points.
        estimated: Points between its recorded α.
        further: Other policies of other systems, drawn thin in their policy's colour.
        band: 95 % interval of the highlighted line.
        looks: Colours and dashes of systems, as the table of systems says.
        left_out: Systems that would narrow the range on which areas are compared.
        joined: Whether the line runs on to the deterministic point (not where it turns back).
        exact: Whether the highlighted line is exact, not estimated from samples.
    """

    lines: Sequence[Line]
    system: str
    policies: Mapping[str, Line] = field(default_factory=dict[str, Line])
    estimated: EstimatedPoints | None = None
    further: tuple[Line, ...] = ()
    band: Band | None = None
    looks: Mapping[str, Look] = field(default_factory=dict[str, Look])
    left_out: tuple[str, ...] = ()
    joined: bool = True
    exact: bool = True

    def __post_init__(self) -> None:
        if self.system not in {line.system for line in self.lines}:
            raise ValueError(f"no line of the highlighted system {self.system!r}")

    def look_of(self, line: Line) -> Look:
        """The look of a line's system."""
        return self.looks.get(line.system, Look())

    @property
    def line(self) -> Line:
        """The highlighted line."""
        return next(line for line in self.lines if line.system == self.system)

    @property
    def others(self) -> list[Line]:
        """The lines in thin grey."""
        return [line for line in self.lines if line.system != self.system and line.x.size]

    @property
    def references(self) -> list[Line]:
        """The highlighted system's other policies that have a point."""
        return [line for line in self.policies.values() if line.x.size]

    def of(self, policy: str) -> Line | None:
        """Another policy of the highlighted system; None where it has no point."""
        line = self.policies.get(policy)
        return line if line is not None and line.x.size else None

    @property
    def drawn(self) -> tuple[FloatArray, FloatArray]:
        """The highlighted line as drawn: run on to the deterministic point where joined."""
        line, end = self.line, self.of("deterministic")
        if not self.joined or end is None:
            return line.x, line.y
        return np.append(line.x, end.x), np.append(line.y, end.y)

    def at(self, alpha: float) -> AlphaPoint:
        """The point of the highlighted line at α, and the optimal policy at the same quality.

        Between points of the line, straight lines; NaN outside its α.
        """
        line = self.line
        if not line.x.size or not line.alphas[0] <= alpha <= line.alphas[-1]:
            return AlphaPoint(alpha, float("nan"), float("nan"))
        x = float(np.interp(alpha, line.alphas, line.x))
        y = float(np.interp(alpha, line.alphas, line.y))
        optimal = self.of("optimal")
        if optimal is None:
            return AlphaPoint(alpha, x, y)
        points = rising(MeanCurve(optimal.x[:, None], optimal.y[:, None]))
        return AlphaPoint(alpha, x, y, float(first_reach(points, np.array([y]))[0]))


SYSTEM = ("task", "dataset", "retriever", "generator")
"""Factors of a system, in the order of columns; its policy and α stand apart."""
FACTORS = (*SYSTEM, "policy")
"""Factors of a condition; α runs along it, and k is one for all."""


def value_name(factor: str, value: str | None) -> str:
    """A value of a factor as people read it.

    Examples:
        >>> value_name("policy", "plackett-luce"), value_name("retriever", None)
        ('Plackett–Luce', '–')
    """
    if value is None:
        return "–"
    return POLICY_NAMES.get(value, value) if factor == "policy" else value


def system_name(factors: Factors, by: Sequence[str]) -> str:
    """Values of some factors, as a person reads them together; nothing reads them apart again.

    Examples:
        >>> system_name(Factors("t", "bm25", "small"), ("task", "retriever", "generator"))
        'bm25 + small'
    """
    parts = [value_name(name, getattr(factors, name)) for name in by if name != "task"]
    return " + ".join(parts) or factors.retriever or "the only system"


def values_of(factor: str, of: Sequence[Factors]) -> tuple[str | None, ...]:
    """Distinct values of a factor, in order of first appearance."""
    return tuple(dict.fromkeys(getattr(factors, factor) for factors in of))


def distinguishing(of: Sequence[Factors], usual: str = "retriever") -> tuple[str, ...]:
    """Factors, other than the task, that tell conditions apart; ``usual`` where nothing does."""
    return tuple(name for name in FACTORS[1:] if len(values_of(name, of)) > 1) or (usual,)


def apart_with_task(every: Sequence[Factors]) -> tuple[str, ...]:
    """Factors that tell systems apart, the task among them where there are several."""
    names = (*distinguishing(every), *(["task"] if len(values_of("task", every)) > 1 else []))
    return tuple(name for name in FACTORS if name in names)


def kept(every: Sequence[Factors], off: Sequence[tuple[str, str | None]]) -> tuple[Factors, ...]:
    """The conditions that are included: none of whose factors has an excluded value."""
    return tuple(factors for factors in every if not any(getattr(factors, name) == value for name, value in off))


def factors_of_texts(texts: Sequence[str]) -> tuple[tuple[str, str | None], ...]:
    """Factors as a command names them, FACTOR=VALUE each; nothing behind the sign: not known.

    Raises:
        UsageError: There is no such factor.

    Examples:
        >>> factors_of_texts(["generator=small", "policy="])
        (('generator', 'small'), ('policy', None))
    """
    parts = [text.partition("=") for text in texts]
    for text, (name, mark, _) in zip(texts, parts, strict=True):
        if not mark or name not in FACTORS:
            raise UsageError(f"{text}: expected FACTOR=VALUE, of {', '.join(FACTORS)}")
    return tuple((name, value or None) for name, _, value in parts)


def factor_texts(of: Iterable[tuple[str, str | float | None]]) -> tuple[str, ...]:
    """Factors as :func:`factors_of_texts` reads them again; those of a condition alone, not α."""
    return tuple(f"{name}={'' if value is None else value}" for name, value in of if name in FACTORS)
