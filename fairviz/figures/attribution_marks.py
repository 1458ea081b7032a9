"""What is drawn in a scatter panel of consumption: points, the path of means, straight lines."""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.analysis.output_panels import Panel
from fairviz.figures.theme import Layout, Palette, plain, rgba
from fairviz.model import BoolArray, FloatArray

Axes: TypeAlias = Literal["log", "linear"]
EDGE = 1.03
"""Where a point below a logarithmic scale is drawn: this factor inside its edge."""
MOST_GREY = 1500
"""Grey points drawn at most: they only give the shape of the cloud."""


class Ranges(NamedTuple):
    """Data ranges that all panels of a row share, and how their axes are scaled."""

    x: tuple[float, float]
    y: tuple[float, float]
    axes: Axes


def panel_traces(
    panel: Panel,
    ranges: Ranges,
    setting: str,
    colours: Palette,
    *,
    identity: bool,
    selected: str | None,
) -> list[Layout]:
    """Traces of one panel, the most important last, on top."""
    at = panel.position(setting)
    chosen = panel.setting == at
    traces = [
        _dots(panel, ~chosen, ranges, "other settings", rgba(colours.faint, 0.30), 4),
        _dots(panel, chosen, ranges, setting, rgba(colours.plackett_luce.line, 0.55), 7),
    ]
    if identity:
        traces.append(_straight(1.0, ranges, colours.ink, "solid", "y = x"))
    slope = float(panel.chance[at]) if at >= 0 else np.nan
    if slope > 0:
        traces.append(_straight(slope, ranges, colours.optimal.line, "6px,3px", "equal chance"))
    traces.append(_path(panel, at, colours))
    if selected is not None:
        traces.append(_ring(panel, chosen, selected, ranges, colours))
    return traces


def on_scale(x: FloatArray, y: FloatArray, ranges: Ranges) -> tuple[FloatArray, FloatArray]:
    """Points as drawn: those below a logarithmic scale on its edge."""
    if ranges.axes == "linear":
        return x, y
    return np.maximum(x, ranges.x[0] * EDGE), np.maximum(y, ranges.y[0] * EDGE)


def _dots(panel: Panel, shown: BoolArray, ranges: Ranges, name: str, colour: str, size: int) -> Layout:
    keep = np.flatnonzero(shown & np.isfinite(panel.x) & np.isfinite(panel.y))
    if size < 6 and keep.size > MOST_GREY:
        keep = keep[:: -(-keep.size // MOST_GREY)]
    x, y = panel.x[keep], panel.y[keep]
    symbols = np.full(x.size, "circle", dtype=object)
    if ranges.axes == "log":  # what lies below the scale points there
        symbols[y < ranges.y[0]] = "triangle-down"
        symbols[x < ranges.x[0]] = "triangle-left"
    drawn_x, drawn_y = on_scale(x, y, ranges)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": drawn_x,
        "y": drawn_y,
        "customdata": [
            [
                panel.query_ids[i],
                panel.settings[panel.setting[i]],
                float(panel.x[i]),
                float(panel.y[i]),
            ]
            for i in keep
        ],
        "text": [plain(panel.query_ids[i], longest=40) for i in keep],
        "marker": {
            "color": colour,
            "size": size,
            "symbol": symbols.tolist(),
            "line": {"width": 0},
        },
        "cliponaxis": False,
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "hovertemplate": (
            "query %{text}<br>%{customdata[1]}<br>x %{customdata[2]:.3g}, y %{customdata[3]:.3g}<extra></extra>"
        ),
    }


def _path(panel: Panel, at: int, colours: Palette) -> Layout:
    known = np.flatnonzero(np.isfinite(panel.path_x) & np.isfinite(panel.path_y))
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "mean over queries",
        "x": panel.path_x[known],
        "y": panel.path_y[known],
        "text": [panel.settings[i] for i in known],
        "line": {"color": colours.ink, "width": 1.5},
        "marker": {
            "symbol": "diamond",
            "size": [11 if i == at else 8 for i in known],
            "color": [colours.ink if i == at else colours.page for i in known],
            "opacity": 1,
            "line": {"color": colours.ink, "width": 1.4},
        },
        "hovertemplate": "mean, %{text}<br>%{x:.3f}, %{y:.3f}<extra></extra>",
        "unselected": {"marker": {"opacity": 1}},
    }


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


def _ring(panel: Panel, chosen: BoolArray, query: str, ranges: Ranges, colours: Palette) -> Layout:
    at = chosen & (np.array(panel.query_ids, dtype=object) == query)
    at &= np.isfinite(panel.x) & np.isfinite(panel.y)
    x, y = on_scale(panel.x[at], panel.y[at], ranges)
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
