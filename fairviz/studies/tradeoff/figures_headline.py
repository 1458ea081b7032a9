"""The small chart of the start page: two policies, and what equal quality costs each."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from fairviz.model import FloatArray
from fairviz.show.theme import Hue, Layout, Palette, axis, axis_name, base_layout, note, y_title
from fairviz.studies.tradeoff.view import AlphaPoint, Line

HEADLINE_HEIGHT = 360
BESIDE = 0.06
"""Share of the y range within which a curve would run through a label."""


def headline_figure(
    plackett_luce: Line,
    optimal: Line,
    ends: Sequence[tuple[Line, str]],
    point: AlphaPoint | None,
    *,
    colours: Palette,
    height: int = HEADLINE_HEIGHT,
) -> go.Figure:
    """Draw two curves, their end points, and an arrow from one to the other at equal quality.

    Args:
        plackett_luce: The solid curve.
        optimal: The dashed curve.
        ends: Single points and their names: (uniform, "uniform random"), (deterministic, …).
        point: Where the two are compared; None draws no arrow.
        colours: Light or dark.
        height: Of the chart in px.
    """
    points = [line for line, _ in ends if line.x.size]
    low, high = _range(np.concatenate([line.y for line in (plackett_luce, optimal, *points)]))
    layout = base_layout(colours, height=height, margin={"t": 40, "r": 16})
    layout["xaxis"] = axis(
        colours,
        title="EE-D, disparity  (↓ more equal)",
        bounds=(-0.03, 1.03),
        tickvals=[0, 0.25, 0.5, 0.75, 1],
    )
    layout["yaxis"] = axis(colours, bounds=(low, high), nticks=6)
    traces: list[Layout] = [
        _curve(plackett_luce, ends, colours.plackett_luce.line, 2.8, "solid"),
        _curve(optimal, [], colours.optimal.line, 2.4, "8px,3px"),
    ]
    labels = [y_title(colours, f"{axis_name(plackett_luce.y_measure)}, quality  (↑ more useful)")]
    labels += _names(plackett_luce, optimal, colours, high - low)
    for i, (line, name) in enumerate(ends):
        if line.x.size:
            traces.append(_end(line, name, colours, hollow=i == 0))
            labels.append(_end_label(line, name, (plackett_luce, optimal), colours, low=low, high=high))
    if point is not None and np.isfinite(point.optimal_x):
        traces += _drops(point, low, colours)
        labels += _arrow(point, low, colours)
    layout["annotations"] = labels
    return go.Figure({"data": traces, "layout": layout})


def headline_alt(plackett_luce: Line, point: AlphaPoint | None) -> str:
    """What the chart shows, in words."""
    quality = axis_name(plackett_luce.y_measure)
    text = (
        f"{quality} against EE-D of {plackett_luce.system}: Plackett–Luce runs from EE-D "
        f"{plackett_luce.x[0]:.2f} to {plackett_luce.x[-1]:.2f}."
    )
    if point is None or not np.isfinite(point.optimal_x):
        return text
    return f"{text} At {quality} {point.y:.2f} it needs EE-D {point.x:.2f}, the optimal policy {point.optimal_x:.2f}."


def _range(y: FloatArray) -> tuple[float, float]:
    low, high = float(np.nanmin(y)), float(np.nanmax(y))
    span = max(high - low, 0.05)
    return low - 0.2 * span, high + 0.2 * span


def _curve(line: Line, ends: Sequence[tuple[Line, str]], colour: str, width: float, dash: str) -> Layout:
    """A curve, run on to the last of the end points."""
    last = [end for end, _ in ends[-1:] if end.x.size]
    x = np.concatenate([line.x, *(end.x for end in last)])
    y = np.concatenate([line.y, *(end.y for end in last)])
    return {
        "type": "scatter",
        "mode": "lines",
        "name": line.policy,
        "x": x,
        "y": y,
        "line": {"color": colour, "width": width, "dash": dash},
        "hovertemplate": f"EE-D %{{x:.2f}}<br>{axis_name(line.y_measure)} %{{y:.2f}}<extra></extra>",
    }


def _names(first: Line, second: Line, colours: Palette, span: float) -> list[Layout]:
    """Names beside the lines, below the lower and above the higher one where they differ most."""
    at = 0.72
    lower, higher = np.interp(at, first.x, first.y), np.interp(0.34, second.x, second.y)
    return [
        _name("Plackett–Luce", at, float(lower) - 0.055 * span, "top", colours.plackett_luce),
        _name("optimal", 0.34, float(higher) + 0.04 * span, "bottom", colours.optimal),
    ]


def _name(text: str, x: float, y: float, anchor: str, hue: Hue) -> Layout:
    return {
        "text": f"<b>{text}</b>",
        "x": x,
        "y": y,
        "showarrow": False,
        "yanchor": anchor,
        "xanchor": "left" if anchor == "top" else "center",
        "font": {"size": 13, "color": hue.text},
    }


def _end(line: Line, name: str, colours: Palette, *, hollow: bool) -> Layout:
    fill = colours.page if hollow else colours.ink
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": line.x,
        "y": line.y,
        "marker": {"symbol": "square", "size": 11, "color": fill, "line": {"color": colours.ink, "width": 2}},
        "hovertemplate": f"{name}<br>EE-D %{{x:.2f}}<br>{axis_name(line.y_measure)} %{{y:.2f}}<extra></extra>",
    }


def _end_label(line: Line, name: str, curves: Sequence[Line], colours: Palette, *, low: float, high: float) -> Layout:
    """The name of an end point: above it on the right, else right of it and of the curves."""
    x, y = float(line.x[0]), float(line.y[0])
    if x > 0.5:
        return note(colours, name, x=x, y=min(y, high), xanchor="right", yanchor="bottom", xshift=6, yshift=9)
    beside = [
        float(curve.x[i])
        for curve in curves
        for i in range(curve.x.size)
        if abs(float(curve.y[i]) - y) < BESIDE * (high - low) and float(curve.x[i]) < x + 0.25
    ]
    return note(colours, name, x=max([x, *beside]), y=y, xanchor="left", yanchor="middle", xshift=12, yshift=-2)


def _drops(point: AlphaPoint, low: float, colours: Palette) -> list[Layout]:
    """Dotted lines down to the axis, and the two marks."""
    pairs = (
        (point.optimal_x, colours.optimal.line, "diamond"),
        (point.x, colours.plackett_luce.line, "circle"),
    )
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": [x, x],
            "y": [point.y, low],
            "line": {"color": colour, "width": 1.4, "dash": "2px,3px"},
            "hoverinfo": "skip",
            "marker": {"symbol": symbol, "size": [12, 0], "color": colour, "opacity": 1},
        }
        for x, colour, symbol in pairs
    ]


def _arrow(point: AlphaPoint, low: float, colours: Palette) -> list[Layout]:
    arrow: Layout = {
        "x": point.optimal_x,
        "y": point.y,
        "ax": point.x,
        "ay": point.y,
        "xref": "x",
        "yref": "y",
        "axref": "x",
        "ayref": "y",
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowsize": 1,
        "arrowwidth": 1.8,
        "arrowcolor": colours.ink,
        "standoff": 8,
        "startstandoff": 9,
    }
    near = abs(point.x - point.optimal_x) < 0.14
    marks = (
        (point.optimal_x, colours.optimal, "right" if near else "left"),
        (point.x, colours.plackett_luce, "left"),
    )
    values = [
        note(
            colours,
            f"<b>{x:.2f}</b>",
            x=x,
            y=low,
            xanchor=side,
            yanchor="bottom",
            yshift=4,
            xshift=5 if side == "left" else -5,
            font={"size": 15, "color": hue.text},
        )
        for x, hue, side in marks
    ]
    arrows = [arrow] if abs(point.x - point.optimal_x) > 0.05 else []
    return [*arrows, *values]
