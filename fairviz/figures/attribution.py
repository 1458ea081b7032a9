"""Scatter panels of consumption: what a generator was given against what it used.

One panel per generator, all on the same ranges. Each point is a query at one α; those at the
chosen α are coloured, the others grey, and the mean path over α runs through them. EE-D against
EAE-D needs logarithmic axes: attribution is often a hundredth of exposure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.theme import (
    SMALL_SIZE,
    Layout,
    Palette,
    axis,
    base_layout,
    note,
    rgba,
    y_title,
)
from fairviz.model import FloatArray

HEIGHT = 300
Axes: TypeAlias = Literal["log", "linear"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """The points of one generator: P (query, α) pairs and the mean path over A values of α.

    Attributes:
        name: The generator or system.
        query_ids: (P) query of each point.
        alphas: (P) α of each point, NaN = the deterministic list.
        x, y: (P) values, NaN = undefined.
        path_alphas, path_x, path_y: (A) means per α, in the order they are joined.
        chance: EAR² at the chosen α, the slope of the line of equal chance; NaN = no such line.
    """

    name: str
    query_ids: tuple[str, ...]
    alphas: FloatArray
    x: FloatArray
    y: FloatArray
    path_alphas: FloatArray
    path_x: FloatArray
    path_y: FloatArray
    chance: float = float("nan")


class Ranges(NamedTuple):
    """Data ranges that all panels of a row share, and how their axes are scaled."""

    x: tuple[float, float]
    y: tuple[float, float]
    axes: Axes


def shared_ranges(panels: Sequence[Panel], axes: Axes) -> Ranges:
    """Ranges that hold every point of every panel, so that panels can be compared.

    Logarithmic ranges hold the positive values and end at 1.
    """
    ranges: list[tuple[float, float]] = []
    for values in ([p.x for p in panels], [p.y for p in panels]):
        finite = np.concatenate([*values, np.empty(0)])
        finite = finite[np.isfinite(finite)]
        if axes == "log":
            finite = finite[finite > 0]
            low = float(np.quantile(finite, 0.005)) if finite.size else 0.01
            ranges.append((low / 1.25, max(float(finite.max(initial=0)), 1.0) * 1.2))
        else:
            low = min(float(finite.min(initial=0.0)), 0.0)
            high = float(finite.max(initial=low))
            span = max(high - low, 0.05)
            ranges.append((low - 0.04 * span, high + 0.06 * span))
    return Ranges(ranges[0], ranges[1], axes)


def n_off_scale(panel: Panel, ranges: Ranges) -> int:
    """Points that a logarithmic chart cannot hold: drawn as marks on its edge, and counted."""
    if ranges.axes == "linear":
        return 0
    known = np.isfinite(panel.x) & np.isfinite(panel.y)
    below = (panel.x < ranges.x[0]) | (panel.y < ranges.y[0])
    return int((known & below).sum())


def attribution_figure(
    panel: Panel,
    *,
    ranges: Ranges,
    x_name: str,
    y_name: str,
    alpha: float,
    colours: Palette,
    identity: bool = False,
    selected: str | None = None,
    height: int = HEIGHT,
) -> go.Figure:
    """One panel.

    Args:
        panel: The points of a generator.
        ranges: From :func:`shared_ranges` over all panels of the row.
        x_name: Title of the x axis, with the scale and the direction.
        y_name: Title of the y axis.
        alpha: The α whose points are coloured; NaN = the deterministic list.
        colours: Light or dark.
        identity: Draw the line y = x.
        selected: Query to ring.
        height: Of the chart in px.
    """
    layout = base_layout(colours, height=height, margin={"l": 46, "r": 8})
    layout["xaxis"] = _axis(colours, ranges.x, ranges.axes, title=x_name)
    layout["yaxis"] = _axis(colours, ranges.y, ranges.axes)
    layout["annotations"] = [y_title(colours, y_name)]
    chosen = _same(panel.alphas, alpha)
    traces = [
        _dots(panel, ~chosen, ranges, "other α", rgba(colours.faint, 0.30), 4),
        _dots(panel, chosen, ranges, "chosen α", rgba(colours.plackett_luce.line, 0.55), 7),
    ]
    if identity:
        traces.append(_straight(1.0, ranges, colours.ink, "solid", "y = x"))
        layout["annotations"].append(_line_name("y = x", 1.0, 0.28, ranges, colours.ink, colours))
    if np.isfinite(panel.chance) and panel.chance > 0:
        own = colours.optimal
        traces.append(_straight(panel.chance, ranges, own.line, "6px,3px", "equal chance"))
        layout["annotations"].append(
            _line_name("equal chance", panel.chance, 0.78, ranges, own.text, colours, below=True)
        )
    traces += _path(panel, alpha, colours)
    layout["annotations"] += _mean_name(panel, alpha, ranges, colours)
    if selected is not None:
        traces.append(_ring(panel, chosen, selected, ranges, colours))
    return go.Figure({"data": traces, "layout": layout})


def attribution_alt(panel: Panel, *, alpha: float, x_name: str, y_name: str) -> str:
    """What one panel shows, in words."""
    at = _same(panel.path_alphas, alpha)
    n = int((_same(panel.alphas, alpha) & np.isfinite(panel.x) & np.isfinite(panel.y)).sum())
    text = f"{panel.name}: {y_name} against {x_name} for {n} queries"
    if at.any():
        text += f"; mean {panel.path_x[at][0]:.3f}, {panel.path_y[at][0]:.3f}"
    return text + "."


def alpha_name(alpha: float) -> str:
    """An α as labels write it.

    Examples:
        >>> alpha_name(2.0), alpha_name(float("nan"))
        ('α = 2', 'deterministic')
    """
    return "deterministic" if np.isnan(alpha) else f"α = {alpha:g}"


def _same(alphas: FloatArray, alpha: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.isnan(alphas) if np.isnan(alpha) else np.isclose(alphas, alpha)


def _axis(colours: Palette, bounds: tuple[float, float], axes: Axes, *, title: str = "") -> Layout:
    if axes == "linear":
        return axis(colours, title=title, bounds=bounds, nticks=5)
    low, high = float(np.log10(bounds[0])), float(np.log10(bounds[1]))
    steps = (1, 3) if high - low > 1.2 else (1, 2, 5)
    ticks = [m * 10.0**e for e in range(-8, 2) for m in steps]
    ticks = [tick for tick in ticks if bounds[0] <= tick <= bounds[1]]
    return axis(colours, title=title, bounds=(low, high), type="log") | {
        "tickvals": ticks,
        "ticktext": [f"{tick:g}" for tick in ticks],
    }


def _dots(
    panel: Panel,
    shown: np.ndarray[tuple[int], np.dtype[np.bool_]],
    ranges: Ranges,
    name: str,
    colour: str,
    size: int,
) -> Layout:
    keep = shown & np.isfinite(panel.x) & np.isfinite(panel.y)
    x, y = panel.x[keep], panel.y[keep]
    symbols = np.full(x.size, "circle", dtype=object)
    if ranges.axes == "log":  # what lies below the scale is drawn on its edge, pointing there
        symbols[y < ranges.y[0]] = "triangle-down"
        symbols[x < ranges.x[0]] = "triangle-left"
        x, y = np.maximum(x, ranges.x[0] * 1.03), np.maximum(y, ranges.y[0] * 1.03)
    queries = np.array(panel.query_ids, dtype=object)[keep]
    style = {"color": colour, "size": size, "symbol": symbols.tolist(), "line": {"width": 0}}
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": x,
        "y": y,
        "customdata": [
            [query, alpha_name(a)] for query, a in zip(queries, panel.alphas[keep], strict=True)
        ],
        "marker": style,
        "cliponaxis": False,
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "hovertemplate": (
            "query %{customdata[0]}<br>%{customdata[1]}<br>%{x:.3g}, %{y:.3g}<extra></extra>"
        ),
    }


def _path(panel: Panel, alpha: float, colours: Palette) -> list[Layout]:
    known = np.isfinite(panel.path_x) & np.isfinite(panel.path_y)
    here = _same(panel.path_alphas, alpha)[known]
    names = [alpha_name(a) for a in panel.path_alphas[known]]
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": "mean over queries",
            "x": panel.path_x[known],
            "y": panel.path_y[known],
            "text": names,
            "line": {"color": colours.ink, "width": 1.5},
            "marker": {
                "symbol": "diamond",
                "size": [11 if at else 8 for at in here],
                "color": [colours.ink if at else colours.page for at in here],
                "opacity": 1,
                "line": {"color": colours.ink, "width": 1.4},
            },
            "hovertemplate": "mean, %{text}<br>%{x:.3f}, %{y:.3f}<extra></extra>",
            "unselected": {"marker": {"opacity": 1}},
        }
    ]


def _straight(slope: float, ranges: Ranges, colour: str, dash: str, name: str) -> Layout:
    """The line y = slope · x over the whole width; straight on both kinds of axes."""
    ends = np.array(ranges.x)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": ends,
        "y": slope * ends,
        "line": {"color": colour, "width": 1.4, "dash": dash},
        "hoverinfo": "skip",
    }


def _ring(
    panel: Panel,
    chosen: np.ndarray[tuple[int], np.dtype[np.bool_]],
    query: str,
    ranges: Ranges,
    colours: Palette,
) -> Layout:
    at = chosen & (np.array(panel.query_ids, dtype=object) == query)
    at &= np.isfinite(panel.x) & np.isfinite(panel.y)
    x, y = panel.x[at], panel.y[at]
    if ranges.axes == "log":
        x, y = np.maximum(x, ranges.x[0] * 1.03), np.maximum(y, ranges.y[0] * 1.03)
    edge = {"color": colours.optimal.line, "width": 2.6}
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "selected",
        "x": x,
        "y": y,
        "marker": {"symbol": "circle-open", "size": 15, "line": edge, "color": edge["color"]},
        "cliponaxis": False,
        "hoverinfo": "skip",
        "unselected": {"marker": {"opacity": 1}},
    }


def _line_name(
    text: str,
    slope: float,
    share: float,
    ranges: Ranges,
    colour: str,
    colours: Palette,
    *,
    below: bool = False,
) -> Layout:
    """A label beside a straight line, at a share of the width."""
    if ranges.axes == "log":
        low, high = np.log10(ranges.x)
        x = float(low + share * (high - low))
        y = float(x + np.log10(slope))
    else:
        x = ranges.x[0] + share * (ranges.x[1] - ranges.x[0])
        y = slope * x
    return note(
        colours,
        text,
        x=x,
        y=y,
        yanchor="top" if below else "bottom",
        yshift=-5 if below else 5,
        font={"size": SMALL_SIZE, "color": colour},
    )


def _mean_name(panel: Panel, alpha: float, ranges: Ranges, colours: Palette) -> list[Layout]:
    """The name of the mean at the chosen α, above its point, tied to it."""
    at = _same(panel.path_alphas, alpha) & np.isfinite(panel.path_x) & np.isfinite(panel.path_y)
    if not at.any():
        return []
    x, y = float(panel.path_x[at][0]), float(panel.path_y[at][0])
    if ranges.axes == "log":
        if x <= 0 or y <= 0:
            return []
        x, y = float(np.log10(x)), float(np.log10(y))
        low, high = np.log10(ranges.x)
    else:
        low, high = ranges.x
    right = (x - low) / (high - low) > 0.62
    text = f"<b>{alpha_name(alpha)}, mean {panel.path_y[at][0]:.3g}</b>"
    leader = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": colours.ink}
    where = {"ax": -34 if right else 10, "ay": -44, "standoff": 6}
    font = {"size": SMALL_SIZE, "color": colours.ink}
    ground = {"bgcolor": rgba(colours.page, 0.75), "borderpad": 1}
    return [note(colours, text, x=x, y=y, font=font) | leader | where | ground]
