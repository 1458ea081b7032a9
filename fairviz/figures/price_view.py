"""What the chart of the price of fairness draws: lines of re-rankers, today, a budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.analysis.price import PriceCurve, Standing
from fairviz.model import FloatArray

SYMBOLS = (
    "square",
    "circle",
    "triangle-up",
    "diamond",
    "x-thin-open",
    "cross-thin-open",
    "triangle-down",
    "star",
    "hexagon",
    "pentagon",
    "triangle-left",
    "triangle-right",
)
"""Marker of each re-ranker, by its place in the catalogue."""


class GroupScale(NamedTuple):
    """The axis of a group measure.

    Attributes:
        title: What is measured, with its direction.
        unit: What stands behind a value in words ("points"), or nothing.
        ideal: Value of a list on target; NaN = the measure has none.
        falling: Whether smaller is nearer, so that the axis is reversed.
        decimals: Digits in words.
    """

    title: str
    unit: str = ""
    ideal: float = 0.0
    falling: bool = True
    decimals: int = 1


POINTS_OFF = GroupScale("points of attention off target (AWRF, ½ L1)  ↓ nearer", "points")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PriceLine:
    """One re-ranker.

    Attributes:
        method: Name as typed.
        label: Name in the chart.
        symbol: Its marker.
        x: (A) value on the group axis, by rising strength.
        y: (A) change of mean quality in percent of today's.
        words: (A) the strength in words.
        spread: (A, 4) lowest and highest x, lowest and highest y over the repeats of a random
            re-ranker; None where nothing is random.
    """

    method: str
    label: str
    symbol: str
    x: FloatArray
    y: FloatArray
    words: tuple[str, ...]
    spread: FloatArray | None = None

    @classmethod
    def of(
        cls,
        curve: PriceCurve,
        found: Sequence[Standing],
        now: Standing,
        *,
        label: str,
        symbol: str,
        words: Sequence[str],
    ) -> "PriceLine":
        """A curve as it is drawn, its points beside today's lists."""
        repeats = [point.repeats for point in curve.points]
        spread = None
        if any(len(one) for one in repeats):
            spread = np.array([_spread(one, now) for one in repeats])
        return cls(
            method=curve.method,
            label=label,
            symbol=symbol,
            x=np.array([one.off for one in found]),
            y=100 * np.array([one.change for one in found]),
            words=tuple(words),
            spread=spread,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PriceView:
    """The whole chart.

    Attributes:
        lines: Re-rankers, in the order of the catalogue.
        today: Value of today's lists on the group axis.
        quality: Label of the quality measure.
        scale: The group axis.
        budget: Percent of today's quality that may be given up; above 0.
        ringed: Index of the best point inside the budget, by method.
        best: Method that is nearest inside the budget; "" for none.
    """

    lines: Sequence[PriceLine]
    today: float
    quality: str
    budget: float
    ringed: dict[str, int]
    best: str = ""
    scale: GroupScale = POINTS_OFF

    def reach(self) -> float:
        """The value nearest to the target that any re-ranker has; today's where none is nearer."""
        values = np.concatenate([[self.today], *(line.x for line in self.lines)])
        known = values[~np.isnan(values)]
        if not known.size:
            return float("nan")
        return float(known.min() if self.scale.falling else known.max())


def in_words(value: float, decimals: int = 1, *, sign: bool = False) -> str:
    """A number in the chart, with a true minus sign.

    Examples:
        >>> in_words(-2.63, sign=True), in_words(25.9), in_words(0.0, 0, sign=True)
        ('−2.6', '25.9', '±0')
    """
    if np.isnan(value):
        return "–"
    text = f"{abs(value):.{decimals}f}"
    if value < 0 and float(text):
        return f"−{text}"
    return f"{'+' if float(text) else '±'}{text}" if sign else text


def _spread(repeats: FloatArray, now: Standing) -> tuple[float, float, float, float]:
    if not len(repeats):
        return (np.nan, np.nan, np.nan, np.nan)
    change = 100 * (repeats[:, 1] / now.quality - 1)
    return (
        float(repeats[:, 0].min()),
        float(repeats[:, 0].max()),
        float(change.min()),
        float(change.max()),
    )
