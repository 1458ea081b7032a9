"""A value with its interval on a range of its own, beside the place it is held against."""

import math
from collections.abc import Sequence

from pages._shared import Html, el


def on_range(
    value: float,
    ends: Sequence[float],
    *,
    span: tuple[float, float],
    best: float,
    target: bool = False,
) -> Html | str:
    """Dot, bar and a line: green where a measure is best, ink where a target is.

    Args:
        value: The dot; nothing is drawn where it is undefined.
        ends: Low and high end of the bar, NaN = none.
        span: Ends of the range; what lies beyond stands at the end.
        best: Where the line stands.
        target: Whether the line is a target.
    """
    low, high = span

    def place(at: float) -> float:
        return 100 * min(max((at - low) / (high - low), 0.0), 1.0)

    bar = None
    if not math.isnan(ends[0]):
        left, right = place(ends[0]), place(ends[1])
        style = f"left:{left:.1f}%;width:{max(right - left, 0):.1f}%"
        bar = el("span", cls="fv-reach fv-fill-ink", style=style)
    hue = "var(--fv-ink)" if target else "var(--fv-gain-fill)"
    line = f"background:{hue};opacity:1;width:2px;top:0;bottom:0;left:{place(best):.1f}%"
    dot = None
    if not math.isnan(value):
        at = f"left:{place(value):.1f}%"
        dot = el("span", cls="fv-dot fv-filled fv-tone-ink", style=at)
    if bar is None and dot is None:
        return ""
    return el(
        "span",
        el("span", cls="fv-zero", style=line),
        bar,
        dot,
        cls="fv-glyph",
        style="background:var(--fv-panel);border-radius:2px;min-width:6.5rem",
    )
