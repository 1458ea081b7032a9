"""The disparity–quality chart: what each policy gives up, and where α stands on it.

Plackett–Luce is solid with its 95 % band, optimal dashed, the oracle dotted, uniform an open and
deterministic a full square; the circle is "you are here", the diamond the optimal policy at the
same quality. Traces of one kind are merged, so a chart of twelve systems has as many as one of
two.
"""

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.axes import axis_name, axis_title
from fairviz.figures.curves import Here, TradeoffView
from fairviz.figures.labels import Frame
from fairviz.figures.system_names import system_names
from fairviz.figures.theme import Palette, axis, base_layout, y_title
from fairviz.figures.tradeoff_labels import policy_labels
from fairviz.figures.tradeoff_traces import MARKED_ALPHAS, moving_traces, still_traces
from fairviz.model import FloatArray

HEIGHT = 410
MARGIN = {"l": 44, "r": 14, "t": 34, "b": 50}
NAME_MARGIN = 118
SHORT = 0.4
"""A line that is not joined and ends left of this EE-D gets the width for itself."""

__all__ = ["MARKED_ALPHAS", "frame_of", "tradeoff_alt", "tradeoff_figure"]


def tradeoff_figure(
    view: TradeoffView, *, colours: Palette, here: Here | None = None, height: int = HEIGHT
) -> go.Figure:
    """Draw the curves of a view and the point at the slider's α.

    Args:
        view: The curves.
        colours: Light or dark.
        here: Where α stands; None draws no marker.
        height: Of the chart in px.

    Returns:
        A figure with at most 13 traces, its ranges fixed by ``view`` alone.
    """
    frame = frame_of(view)
    margin = MARGIN | ({"r": NAME_MARGIN} if view.others else {})
    layout = base_layout(colours, height=height, margin=margin)
    line = view.line
    layout["xaxis"] = axis(colours, title=axis_title(line.x_measure), bounds=frame.x, nticks=6)
    layout["yaxis"] = axis(colours, bounds=frame.y, nticks=8)
    layout["annotations"] = [
        y_title(colours, axis_title(line.y_measure)),
        *system_names(view, frame, colours),
        *policy_labels(view, here, frame, colours),
    ]
    traces = [*still_traces(view, frame, colours), *moving_traces(line, here, colours)]
    return go.Figure({"data": traces, "layout": layout})


def frame_of(view: TradeoffView) -> Frame:
    """Ranges that hold everything in the view, so that they do not move with α."""
    drawn = [*view.lines, *view.references]
    x = np.concatenate([line.x for line in drawn])
    y = [line.y for line in drawn]
    if view.band is not None:
        y += [view.band.low, view.band.high]
    y = np.concatenate(y)
    y = y[~np.isnan(y)]
    if not y.size:
        return Frame(x=_padded(0.0, 1.0), y=_padded(0.0, 1.0))
    return Frame(x=_x_range(view, x), y=_padded(float(y.min()), float(y.max())))


def _x_range(view: TradeoffView, x: FloatArray) -> tuple[float, float]:
    """0 to 1 and what lies outside; less where the line turns back early (``offset=0``).

    The deterministic list is then named at the right edge.
    """
    low = min(0.0, float(np.nanmin(x)))
    if not view.joined:
        near = [*view.lines, *(line for line in (view.optimal, view.sampled) if line is not None)]
        ends = np.concatenate([line.x for line in near])
        high = float(np.nanmax(ends)) if np.isfinite(ends).any() else 1.0
        if high < SHORT:
            span = max(high - low, 0.01)
            return low - 0.06 * span, high + 0.45 * span
    return _padded(low, max(1.0, float(np.nanmax(x))))


def tradeoff_alt(view: TradeoffView, here: Here | None = None) -> str:
    """What the chart shows, in words."""
    line = view.line
    quality = axis_name(line.y_measure)
    if not line.x.size:
        return f"{quality} against EE-D: {line.system} has no point."
    parts = [
        f"{quality} against EE-D for {len(view.lines)} "
        f"{'system' if len(view.lines) == 1 else 'systems'}; {line.system} runs from "
        f"EE-D {line.x[0]:.2f}, {quality} {line.y[0]:.2f} to "
        f"EE-D {line.x[-1]:.2f}, {quality} {line.y[-1]:.2f}."
    ]
    if here is not None:
        parts.append(
            f"At α = {here.alpha:g}: EE-D {here.x:.2f}, {quality} {here.y:.2f}"
            + (
                "."
                if np.isnan(here.optimal_x)
                else f"; the optimal policy has the same {quality} at EE-D {here.optimal_x:.2f}."
            )
        )
    return " ".join(parts)


def _padded(low: float, high: float) -> tuple[float, float]:
    """A range with air around it."""
    span = max(high - low, 0.05)
    return low - 0.05 * span, high + 0.06 * span
