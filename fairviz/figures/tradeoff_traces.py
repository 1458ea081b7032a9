"""What is drawn in the disparity–quality chart: lines, a band, single points."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairviz.figures.axes import axis_name
from fairviz.figures.curves import Band, Here, Line, TradeoffView
from fairviz.figures.labels import Frame
from fairviz.figures.theme import Layout, Palette, plain, rgba

MARKED_ALPHAS = (1.0, 2.0, 4.0, 8.0)
"""The paper's four, small circles on the line."""


def _merged(lines: Sequence[Line]) -> dict[str, list[Any]]:
    """Several lines as one trace, cut apart by gaps."""
    x: list[float | None] = []
    y: list[float | None] = []
    text: list[str] = []
    for line in lines:
        x += [*line.x.tolist(), None]
        y += [*line.y.tolist(), None]
        text += [plain(line.system)] * (line.x.size + 1)
    return {"x": x, "y": y, "text": text}


def _hover(line: Line, name: str) -> str:
    return (
        f"<b>{name}</b><br>α = %{{customdata:.3~f}}<br>{axis_name(line.x_measure)} %{{x:.3f}}"
        f"<br>{axis_name(line.y_measure)} %{{y:.3f}}<extra></extra>"
    )


def _point_hover(line: Line, name: str) -> str:
    return (
        f"<b>{name}</b><br>{axis_name(line.x_measure)} %{{x:.3f}}"
        f"<br>{axis_name(line.y_measure)} %{{y:.3f}}<extra></extra>"
    )


def _end_hover(end: Line) -> str:
    return (
        f"<b>deterministic list</b><br>{axis_name(end.x_measure)} %{{customdata:.3f}}"
        f"<br>{axis_name(end.y_measure)} %{{y:.3f}}<extra></extra>"
    )


def beyond(point: Line, frame: Frame) -> bool:
    """Whether a single point lies right of the chart: it is drawn on the edge, pointing there."""
    return bool(point.x.size and point.x[0] > frame.x[1])


def still_traces(view: TradeoffView, frame: Frame, colours: Palette) -> list[Layout]:
    """Traces that do not move with α, the most important last, on top."""
    traces: list[Layout] = []
    line, end = view.line, view.deterministic
    own = colours.plackett_luce
    if view.band is not None and view.band.x.size:
        traces.append(_band(view.band, colours))
    if view.others:
        traces.append(
            _merged(view.others)
            | _curve("others", colours.faint, 1.2, "solid")
            | {"hovertemplate": "%{text}<br>%{x:.3f}, %{y:.3f}<extra></extra>"}
        )
    if view.oracle is not None:
        traces.append(
            _xy(view.oracle)
            | _curve("oracle", colours.oracle.line, 2.0, "dot")
            | {"hovertemplate": _point_hover(view.oracle, "oracle limit")}
        )
    if view.optimal is not None:
        traces.append(
            _xy(view.optimal)
            | _curve("optimal", colours.optimal.line, 2.4, "8px,3px")
            | {"hovertemplate": _point_hover(view.optimal, "optimal")}
        )
    x, y = view.drawn
    alphas = np.append(line.alphas, [np.nan] * (x.size - line.x.size))
    traces.append(
        {"x": x, "y": y, "customdata": alphas}
        | _curve("plackett-luce", own.line, 2.8, "solid")
        | {"hovertemplate": _hover(line, plain(line.system))}
    )
    marked = np.isin(line.alphas, MARKED_ALPHAS)
    traces.append(
        {"x": line.x[marked], "y": line.y[marked], "customdata": line.alphas[marked]}
        | _points("alphas", "circle", 7, colours.page, own.line, 1.6)
        | {"hovertemplate": _hover(line, plain(line.system))}
    )
    if view.sampled is not None and view.sampled.x.size:
        traces.append(
            _xy(view.sampled)
            | {"customdata": view.sampled.alphas}
            | _points("sampled", "cross-thin", 10, own.text, own.text, 2.2)
            | {"hovertemplate": _hover(view.sampled, "recorded samples")}
        )
    if view.uniform is not None:
        traces.append(
            _xy(view.uniform)
            | _points("uniform", "square", 11, colours.page, colours.ink, 1.8)
            | {"hovertemplate": _point_hover(view.uniform, "uniform over the pool")}
        )
    if end is not None:
        symbol = "triangle-right" if beyond(end, frame) else "square"
        traces.append(
            {"x": np.minimum(end.x, frame.x[1]), "y": end.y, "customdata": end.x}
            | _points("deterministic", symbol, 11, colours.ink, colours.page, 1.0)
            | {"hovertemplate": _end_hover(end)}
        )
    return traces


def moving_traces(line: Line, here: Here | None, colours: Palette) -> list[Layout]:
    """The point at α, and the optimal policy at the same quality."""
    if here is None:
        return []
    traces: list[Layout] = []
    if not np.isnan(here.optimal_x):
        traces.append(
            {"x": [here.optimal_x, here.x], "y": [here.y, here.y], "hoverinfo": "skip"}
            | _curve("connector", colours.ink, 1.2, "solid")
        )
        traces.append(
            {"x": [here.optimal_x], "y": [here.y]}
            | _points("same quality", "diamond", 11, colours.optimal.line, colours.page, 1.0)
            | {"hovertemplate": _point_hover(line, "optimal, same quality")}
        )
    traces.append(
        {"x": [here.x], "y": [here.y], "customdata": [here.alpha]}
        | _points("here", "circle", 15, colours.plackett_luce.line, colours.page, 2.0)
        | {"hovertemplate": _hover(line, plain(line.system))}
    )
    return traces


def _xy(line: Line) -> Layout:
    return {"x": line.x, "y": line.y}


def _curve(name: str, colour: str, width: float, dash: str) -> Layout:
    style = {"color": colour, "width": width, "dash": dash, "shape": "linear"}
    return {"type": "scatter", "mode": "lines", "name": name, "line": style}


def _points(name: str, symbol: str, size: float, fill: str, edge: str, width: float) -> Layout:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "cliponaxis": False,
        "marker": {
            "symbol": symbol,
            "size": size,
            "color": fill,
            "opacity": 1,
            "line": {"color": edge, "width": width},
        },
    }


def _band(band: Band, colours: Palette) -> Layout:
    return {
        "type": "scatter",
        "mode": "lines",  # a filled band without a mode also draws its corners
        "name": "band",
        "x": np.concatenate([band.x, band.x[::-1]]),
        "y": np.concatenate([band.low, band.high[::-1]]),
        "fill": "toself",
        "fillcolor": rgba(colours.plackett_luce.line, 0.15 if colours.name == "light" else 0.22),
        "line": {"width": 0},
        "hoverinfo": "skip",
    }
