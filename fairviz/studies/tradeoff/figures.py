"""The disparity–quality chart: what each policy gives up, and where α stands on it.

Plackett–Luce is solid with its 95 % band, optimal dashed, the oracle dotted, uniform an open and
deterministic a full square; the circle is "you are here", the diamond the optimal policy at the
same quality. Traces of one kind are merged, so a chart of twelve systems has as many as one of
two.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from fairviz.model import FloatArray
from fairviz.show.labels import Frame, Label, Spot, along, around, place, written
from fairviz.show.theme import (
    SMALL_SIZE,
    Layout,
    Palette,
    axis,
    axis_name,
    axis_title,
    base_layout,
    note,
    plain,
    rgba,
    y_title,
)
from fairviz.studies.tradeoff.figures_more import Band, Here, Line, TradeoffView

# Names of several systems beside the disparity–quality chart, which has no legend.


NAME_GAP = 15.0
"""Least distance between two system names, px."""

LONGEST_NAME = 17


def system_names(view: TradeoffView, frame: Frame, colours: Palette) -> list[Layout]:
    """Names of several systems right of the plot, at the height where their lines end."""
    if not view.others:
        return []
    lines = [view.line, *view.others]
    ends = np.array([_end(line, view)[1] for line in lines])
    span = frame.y[1] - frame.y[0]
    heights = _apart((frame.y[1] - ends) / span * frame.height, NAME_GAP, frame.height)
    names: list[Layout] = []
    for line, down in zip(lines, heights, strict=True):
        own = line.system == view.system
        name = plain(line.system, longest=LONGEST_NAME)
        names.append(
            note(
                colours,
                f"<b>{name}</b>" if own else name,
                x=1,
                xref="paper",
                y=frame.y[1] - down / frame.height * span,
                xanchor="left",
                yanchor="middle",
                xshift=6,
                font={
                    "size": SMALL_SIZE,
                    "color": colours.plackett_luce.text if own else colours.mute,
                },
            )
        )
    return names


def _end(line: Line, view: TradeoffView) -> tuple[float, float]:
    x, y = view.drawn if line.system == view.system else (line.x, line.y)
    return float(x[-1]), float(y[-1])


def _apart(wanted: FloatArray, gap: float, height: float) -> FloatArray:
    """Heights nearest to those wanted with at least ``gap`` between neighbours."""
    order = np.argsort(wanted, kind="stable")
    placed = wanted[order].astype(float)
    for i in range(1, placed.size):
        placed[i] = max(placed[i], placed[i - 1] + gap)
    placed -= max(0.0, (placed[-1] - height) if placed.size else 0.0)
    for i in range(placed.size - 2, -1, -1):
        placed[i] = min(placed[i], placed[i + 1] - gap)
    heights = np.empty_like(placed)
    heights[order] = placed
    return heights


# What is drawn in the disparity–quality chart: lines, a band, single points.


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


# The direct labels of the disparity–quality chart, which has no legend.


OTHERS_POINTS = 25
"""Points by which each grey line stops a label."""

NARROWEST_GAP = 0.04
"""Of the width: a connector shorter than this gets no percentage; the read-outs have it."""


def policy_labels(view: TradeoffView, here: Here | None, frame: Frame, colours: Palette) -> list[Layout]:
    """Labels of the policies, then of the point at α, each clear of lines and of the others.

    The policies are placed first and without the point at α, so that they stand still when it
    moves.
    """
    placed = _still(view, frame, colours)
    annotations = [written(*each, colours) for each in zip(placed.labels, placed.spots, strict=True)]
    if here is None:
        return annotations
    moving = _point(here, colours, least=NARROWEST_GAP * (frame.x[1] - frame.x[0]))
    marks = np.vstack([placed.obstacles, _marks(here)])
    spots = place([*_fixed(placed.labels, placed.spots), *moving], marks, frame)
    for label, spot in zip(moving, spots[len(placed.labels) :], strict=True):
        annotations.append(written(label, spot, colours))
    return annotations


class _Placed(NamedTuple):
    labels: list[Label]
    spots: list[Spot]
    obstacles: FloatArray


@lru_cache(maxsize=16)
def _still(view: TradeoffView, frame: Frame, colours: Palette) -> _Placed:
    """Labels of the policies and where they stand; a view is placed once, not on every move."""
    labels, obstacles = _policies(view, frame, colours), _obstacles(view)
    return _Placed(labels, place(labels, obstacles, frame), obstacles)


def _policies(view: TradeoffView, frame: Frame, colours: Palette) -> list[Label]:
    labels: list[Label] = []
    if view.deterministic is not None and view.deterministic.x.size:
        end = view.deterministic
        if beyond(end, frame):
            text = f"deterministic, {axis_name(end.x_measure)} {end.x[0]:.2f}"
            end = replace(end, x=np.array([frame.x[1]]))
        else:
            text = "deterministic"
        labels.append(_of_point(end, text, colours))
    if view.uniform is not None and view.uniform.x.size:
        labels.append(_of_point(view.uniform, "uniform", colours))
    if view.oracle is not None and view.oracle.x.size:
        points = _last_half(view.oracle, frame)
        labels.append(
            Label(
                html="<b>oracle limit</b>",
                width=12,
                colour=colours.oracle.text,
                spots=along(*points, width=12, above=True)[::-1],
            )
        )
    if view.optimal is not None and view.optimal.x.size > 1:
        labels.append(
            Label(
                html="<b>optimal</b>",
                width=8,
                colour=colours.optimal.text,
                spots=along(*_middle(view.optimal, 0.25, 0.7), width=8, above=True),
            )
        )
    if view.line.x.size > 1:
        name = "Plackett–Luce" if view.line.policy == "plackett-luce" else "recorded"
        kind = "exact" if view.exact else "from samples"
        detail = f"{kind}, 95 % band" if view.band is not None else kind
        labels.append(
            Label(
                html=f"<b>{name}</b><br>{detail}",
                width=max(14, len(detail)),
                colour=colours.plackett_luce.text,
                spots=along(*_middle(view.line, 0.5, 0.95), width=16, above=False, n_lines=2),
                n_lines=2,
            )
        )
    if view.sampled is not None and view.sampled.x.size:
        last = view.sampled.x.size // 2
        labels.append(
            Label(
                html="+ recorded samples",
                width=18,
                colour=colours.plackett_luce.text,
                spots=around(float(view.sampled.x[last]), float(view.sampled.y[last]), 18),
            )
        )
    return labels


def _of_point(line: Line, text: str, colours: Palette) -> Label:
    spots = around(float(line.x[0]), float(line.y[0]), len(text))
    return Label(html=text, width=len(text), colour=colours.ink, spots=spots)


def _point(here: Here, colours: Palette, *, least: float) -> list[Label]:
    """The labels that move; a gap too narrow to see (under ``least``) is left unlabelled."""
    text = f"α = {here.alpha:g}"
    labels = [
        Label(
            html=f"<b>{text}</b>",
            width=len(text),
            colour=colours.plackett_luce.text,
            spots=around(here.x, here.y, len(text), gap=15),
        )
    ]
    if abs(here.x - here.optimal_x) > least:
        change = round(-100 * here.saving)
        text = f"{change:+d} %".replace("-", "−") if change else "±0 %"
        labels.append(
            Label(
                html=f"<b>{text}</b>",
                width=len(text),
                colour=colours.optimal.text,
                spots=around(here.optimal_x, here.y, len(text), gap=13),
            )
        )
    return labels


def _fixed(labels: Sequence[Label], spots: Sequence[Spot]) -> list[Label]:
    """Labels that may only stay where they are."""
    return [
        Label(
            html=label.html,
            width=label.width,
            colour=label.colour,
            spots=[spot],
            n_lines=label.n_lines,
        )
        for label, spot in zip(labels, spots, strict=True)
    ]


def _obstacles(view: TradeoffView) -> FloatArray:
    """Points along every line, close enough to stop a label."""
    own = [view.drawn, *((line.x, line.y) for line in view.references)]
    points = [_dense(x, y) for x, y in own]
    points += [_dense(line.x, line.y, OTHERS_POINTS) for line in view.others]
    return np.vstack(points)


def _marks(here: Here) -> FloatArray:
    if np.isnan(here.optimal_x):
        return np.array([[here.x, here.y]])
    return _dense(np.array([here.optimal_x, here.x]), np.array([here.y, here.y]))


def _dense(x: FloatArray, y: FloatArray, n: int = 70) -> FloatArray:
    """Points spread evenly over the way a line goes."""
    if x.size < 2:
        return np.column_stack([x, y])
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    steps: FloatArray = np.linspace(0, float(way[-1]), n)
    return np.column_stack([np.interp(steps, way, x), np.interp(steps, way, y)])


def _middle(line: Line, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """The part of a line between two shares of its way, as evenly spread points."""
    points = _dense(line.x, line.y)
    part = points[int(low * len(points)) : int(high * len(points))]
    return part[:, 0], part[:, 1]


def _last_half(line: Line, frame: Frame) -> tuple[FloatArray, FloatArray]:
    if line.x.size < 2:
        return line.x, line.y
    x, y = _middle(line, 0.0, 1.0)
    inside = x <= frame.x[1]
    x, y = x[inside], y[inside]
    return (x[x.size // 2 :], y[x.size // 2 :]) if x.size else (line.x, line.y)


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
