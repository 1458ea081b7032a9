"""Values with their intervals on one scale for all rows, as boxes of a table that prints and is read."""

import math
from typing import NamedTuple

from fairviz.display.words import signed
from fairviz.stats.bootstrap import Interval
from pages._kit.html import Html, el

STEPS = (5, 10, 20, 25, 50)
MOST_TICKS = 6


class Scale(NamedTuple):
    """The range that every row of a table is drawn on."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Where a value stands, in percent of the width."""
        return 100 * min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    @property
    def ticks(self) -> list[int]:
        """Round values inside the range, 0 among them."""
        step = next((step for step in STEPS if (self.high - self.low) / step <= MOST_TICKS), STEPS[-1])
        return list(range(math.ceil(self.low / step) * step, math.floor(self.high / step) * step + 1, step))


def on_scale(scale: Scale, value: float, interval: Interval, *, way: int) -> Html:
    """A dot with its interval: filled and in the colour of its sign where significant, else hollow and grey.

    Args:
        scale: The table's.
        value: Of the dot; nothing is drawn for NaN.
        interval: Its ends; NaN ends are left out.
        way: 1 towards the stereotype, −1 against it, 0 not significant.
    """
    marks = [*(_line("fv-tick", scale.place(tick)) for tick in scale.ticks), _line("fv-zero", scale.place(0.0))]
    tone = {1: "optimal", -1: "plackett-luce", 0: "mute"}[way]
    if not math.isnan(interval.low):
        left, right = scale.place(interval.low), scale.place(interval.high)
        style = f"left:{left:.1f}%;width:{right - left:.1f}%"
        marks.append(el("span", cls=f"fv-reach fv-fill-{tone}", style=style))
    if not math.isnan(value):
        dot = f"fv-dot fv-{'filled' if way else 'hollow'} fv-tone-{tone}"
        marks.append(el("span", cls=dot, style=f"left:{scale.place(value):.1f}%"))
    return el("span", *marks, cls="fv-scale", aria_hidden="true")


def tick_labels(scale: Scale) -> Html:
    """The numbers of the scale, below its column."""
    places = ((tick, f"left:{scale.place(tick):.1f}%") for tick in scale.ticks)
    labels = (el("span", signed(tick, 0) if tick else "0", style=place) for tick, place in places)
    return el("span", *labels, cls="fv-ticks", aria_hidden="true")


def _line(cls: str, place: float) -> Html:
    return el("span", cls=cls, style=f"left:{place:.1f}%")
