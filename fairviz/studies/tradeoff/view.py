"""What the disparity–quality chart is made of: lines of means, a band, the point at α.

A view is everything that does not move with α, so that its labels are placed once and not on every move.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fairviz.display.bands import Band
from fairviz.model import Curve, FloatArray


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
        """The same points from left to right."""
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
        optimal, oracle, uniform, deterministic: Its other policies, where known.
        sampled: Its recorded samples, drawn as points.
        estimated: Points between its recorded α.
        further: Other policies of other systems, drawn thin in their policy's colour.
        band: 95 % interval of the highlighted line.
        left_out: Systems that would narrow the range on which areas are compared.
        joined: Whether the line runs on to the deterministic point (not where it turns back).
        exact: Whether the highlighted line is exact, not estimated from samples.
    """

    lines: Sequence[Line]
    system: str
    optimal: Line | None = None
    oracle: Line | None = None
    uniform: Line | None = None
    deterministic: Line | None = None
    sampled: Line | None = None
    estimated: EstimatedPoints | None = None
    further: tuple[Line, ...] = ()
    band: Band | None = None
    left_out: tuple[str, ...] = ()
    joined: bool = True
    exact: bool = True

    def __post_init__(self) -> None:
        if self.system not in {line.system for line in self.lines}:
            raise ValueError(f"no line of the highlighted system {self.system!r}")

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
        policies = (self.optimal, self.oracle, self.uniform, self.deterministic, self.sampled)
        return [line for line in policies if line is not None and line.x.size]

    @property
    def drawn(self) -> tuple[FloatArray, FloatArray]:
        """The highlighted line as drawn: run on to the deterministic point where joined."""
        line, end = self.line, self.deterministic
        if not self.joined or end is None or not end.x.size:
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
        return AlphaPoint(alpha, x, y, float("nan") if self.optimal is None else _reach(self.optimal, y))


def _reach(line: Line, quality: float) -> float:
    """The smallest x at which a line has a quality; NaN where it never does."""
    order = np.argsort(line.x, kind="stable")
    x, y = line.x[order], line.y[order]
    reached = np.flatnonzero(y >= quality)
    if not reached.size:
        return float("nan")
    after = int(reached[0])
    if after == 0 or y[after] == y[after - 1]:
        return float(x[after])
    part = (quality - y[after - 1]) / (y[after] - y[after - 1])
    return float(x[after - 1] + part * (x[after] - x[after - 1]))
