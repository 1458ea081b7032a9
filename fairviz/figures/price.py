"""The price of fairness: change of quality against distance from the target.

Every re-ranker is one line from today's point over its strengths; the target stands at the right.
The nearest inside the budget is thick and in accent, the others grey with their own markers.
"""

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.labels import Frame, place, written
from fairviz.figures.price_labels import price_labels
from fairviz.figures.price_traces import (
    THIN,
    fallen_trace,
    line_trace,
    rings_trace,
    today_trace,
    with_today,
)
from fairviz.figures.price_view import PriceView, in_words
from fairviz.figures.theme import (
    Layout,
    Palette,
    axis,
    base_layout,
    note,
    rgba,
    y_title,
)
from fairviz.model import FloatArray

HEIGHT = 420
MARGIN = {"l": 44, "r": 16, "t": 40, "b": 50}
LEAST_FLOOR = -4.0
"""The chart reaches at least this far down, in percent, so that usual budgets are on it."""
TYPICAL = 2.5
"""Losses beyond this many times the middle one fall off the scale, named with their value."""


def price_figure(view: PriceView, *, colours: Palette, height: int = HEIGHT) -> go.Figure:
    """Draw the lines, today, the budget and what no re-ranker reaches.

    Args:
        view: What to draw; moving the budget changes rings and accent, never a range.
        colours: Light or dark.
        height: Of the chart in px.
    """
    frame = frame_of(view, height=height)
    layout = base_layout(colours, height=height, margin=MARGIN)
    layout["xaxis"] = axis(colours, title=view.scale.title, bounds=frame.x, nticks=7)
    layout["yaxis"] = axis(colours, bounds=frame.y, nticks=8, ticksuffix=f"{THIN}%")
    layout["shapes"] = _shapes(view, frame, colours)
    spots = price_labels(view, frame, colours)
    obstacles = _obstacles(view, frame)
    layout["annotations"] = [
        y_title(colours, f"change of {view.quality}, % of today's  ↑ better"),
        *_edge_notes(view, frame, colours),
        *(written(label, spot, colours) for label, spot in zip(spots, place(spots, obstacles, frame), strict=True)),
    ]
    rest = [line for line in view.lines if line.method != view.best]
    accent = [line for line in view.lines if line.method == view.best]
    traces = [line_trace(line, view, colours, accent=False) for line in rest]
    traces += [line_trace(line, view, colours, accent=True) for line in accent]
    traces += [trace for trace in (rings_trace(view, colours), fallen_trace(view, frame, colours)) if trace is not None]
    traces.append(today_trace(view, colours))
    return go.Figure({"data": traces, "layout": layout})


def frame_of(view: PriceView, *, height: int = HEIGHT) -> Frame:
    """Ranges that hold the points of all lines, but for losses far beyond the usual.

    They depend on the data alone, not on the budget.
    """
    x = np.concatenate([[view.today], *(line.x for line in view.lines)])
    x = x[~np.isnan(x)]
    ends = [*x.tolist(), *([] if np.isnan(view.scale.ideal) else [view.scale.ideal])]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    span = max(high - low, 1e-3)
    near, far = low - 0.04 * span, high + 0.06 * span
    y = np.concatenate([[0.0], *(line.y for line in view.lines)])
    top = float(np.nanmax(y))
    floor = min(_floor(view), LEAST_FLOOR)
    air = 0.07 * (top - floor)
    return Frame(
        x=(far, near) if view.scale.falling else (near, far),
        y=(floor, top + air),
        widths=(590.0, 300.0),
        height=float(height - MARGIN["t"] - MARGIN["b"]),
    )


def _floor(view: PriceView) -> float:
    """Down to the largest loss of any line, unless it dwarfs the others."""
    losses = np.array([-float(np.nanmin(line.y)) for line in view.lines if _known(line.y)])
    losses = losses[losses > 0]
    if not losses.size:
        return LEAST_FLOOR
    usual = TYPICAL * max(float(np.median(losses)), -LEAST_FLOOR)
    return -1.12 * float(losses[losses <= usual].max(initial=-LEAST_FLOOR))


def _known(values: FloatArray) -> bool:
    return bool((~np.isnan(values)).any())


def _shapes(view: PriceView, frame: Frame, colours: Palette) -> list[Layout]:
    low, high = frame.y
    budget = max(-view.budget, low)
    across = {"type": "rect", "layer": "below", "line": {"width": 0}}
    shapes: list[Layout] = [
        across
        | {"xref": "paper", "x0": 0, "x1": 1, "y0": low, "y1": budget}
        | {"fillcolor": rgba(colours.panel, 0.75)},
        {
            "type": "line",
            "name": "budget",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": budget,
            "y1": budget,
            "line": {"color": colours.mute, "width": 1.6, "dash": "dot"},
        },
    ]
    ideal, reach = view.scale.ideal, view.reach()
    if not np.isnan(ideal):
        shapes.append(
            across
            | {"name": "nobody", "x0": reach, "x1": ideal, "y0": low, "y1": high}
            | {"fillcolor": rgba(colours.axis, 0.28)}
        )
        upright = {"type": "line", "name": "target", "x0": ideal, "x1": ideal, "y0": low}
        shapes.append(upright | {"y1": high, "line": {"color": colours.ink, "width": 1.8}})
    return shapes


def _edge_notes(view: PriceView, frame: Frame, colours: Palette) -> list[Layout]:
    """The name of the target."""
    notes: list[Layout] = []
    ideal = view.scale.ideal
    if not np.isnan(ideal):
        at = {"x": ideal, "y": 1, "yref": "paper", "xanchor": "right", "yanchor": "bottom"}
        notes.append(note(colours, "<b>on target</b>", **at, xshift=8))
    return notes


def _obstacles(view: PriceView, frame: Frame) -> FloatArray:
    """Points along all lines, which labels keep clear of."""
    along = np.linspace(0, 1, 9)
    parts: list[FloatArray] = [np.array([[view.today, 0.0]])]
    for line in view.lines:
        x, y = with_today(line, view.today)
        known = ~(np.isnan(x) | np.isnan(y))
        x, y = x[known], y[known]
        steps = np.arange(x.size - 1) + along[:, None]
        path = np.arange(x.size)
        parts.append(np.column_stack([np.interp(steps, path, x).ravel(), np.interp(steps, path, y).ravel()]))
    points = np.concatenate(parts)
    return points[points[:, 1] >= frame.y[0]]


def price_alt(view: PriceView) -> str:
    """What the chart shows, in words."""
    scale, unit = view.scale, f" {view.scale.unit} off target" if view.scale.unit else ""
    parts = [
        f"Change of {view.quality} against the distance from the target for "
        f"{len(view.lines)} re-rankers; today: {in_words(view.today, scale.decimals)}{unit}."
    ]
    for line in view.lines:
        known = ~(np.isnan(line.x) | np.isnan(line.y))
        if not known.any():
            continue
        x = np.where(known, line.x if scale.falling else -line.x, np.inf)
        i = int(np.argmin(x))
        parts.append(
            f"{line.label} gets to {in_words(float(line.x[i]), scale.decimals)} for "
            f"{in_words(float(line.y[i]), sign=True)} %."
        )
    if view.best:
        line = next(line for line in view.lines if line.method == view.best)
        i = view.ringed[view.best]
        where = in_words(float(line.x[i]), scale.decimals)
        parts.append(
            f"Nearest inside a budget of {in_words(view.budget)} %: {line.label}, "
            f"{where} for {in_words(float(line.y[i]), sign=True)} %."
        )
    else:
        parts.append(f"None is nearer inside a budget of {in_words(view.budget, 1)} %.")
    return " ".join(parts)
