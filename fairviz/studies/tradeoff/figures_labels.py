"""The direct labels of the disparity–quality chart, which has no legend: policies, the point at α, system names."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fairviz.display.labels import Frame, Label, Spot, along, around, place, written
from fairviz.display.paper import CALL_OUT
from fairviz.display.table import shortened_apart
from fairviz.display.theme import SMALL_SIZE, Layout, Palette, axis_name, note, plain
from fairviz.model import FloatArray
from fairviz.studies.tradeoff.view import AlphaPoint, Line, TradeoffView

OTHERS_POINTS = 25
"""Points by which each grey line stops a label."""
NARROWEST_GAP = 0.04
"""Of the width: a connector shorter than this gets no percentage; the read-outs have it."""


def policy_labels(view: TradeoffView, point: AlphaPoint | None, frame: Frame, colours: Palette) -> list[Layout]:
    """Labels of the policies, then of the point at α, each clear of lines and of the others.

    The policies are placed first and without the point at α, so that they stand still when it
    moves.
    """
    placed = _placed_policies(view, frame, colours)
    annotations = [written(*pair, colours) for pair in zip(placed.labels, placed.spots, strict=True)]
    if point is None:
        return annotations
    moving = _of_alpha(point, colours, least=NARROWEST_GAP * (frame.x[1] - frame.x[0]))
    marks = np.vstack([placed.obstacles, _marks(point)])
    spots = place([*_fixed(placed.labels, placed.spots), *moving], marks, frame)
    for label, spot in zip(moving, spots[len(placed.labels) :], strict=True):
        annotations.append(written(label, spot, colours) | {"name": CALL_OUT})
    return annotations


class _Placed(NamedTuple):
    labels: list[Label]
    spots: list[Spot]
    obstacles: FloatArray


@lru_cache(maxsize=16)
def _placed_policies(view: TradeoffView, frame: Frame, colours: Palette) -> _Placed:
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


def _of_alpha(point: AlphaPoint, colours: Palette, *, least: float) -> list[Label]:
    """The labels that move; a gap too narrow to see (under ``least``) is left unlabelled."""
    text = f"α = {point.alpha:g}"
    labels = [
        Label(
            html=f"<b>{text}</b>",
            width=len(text),
            colour=colours.plackett_luce.text,
            spots=around(point.x, point.y, len(text), gap=15),
        )
    ]
    if abs(point.x - point.optimal_x) > least:
        change = round(-100 * point.saving)
        text = f"{change:+d} %".replace("-", "−") if change else "±0 %"
        labels.append(
            Label(
                html=f"<b>{text}</b>",
                width=len(text),
                colour=colours.optimal.text,
                spots=around(point.optimal_x, point.y, len(text), gap=13),
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
    lines = [view.drawn, *((line.x, line.y) for line in view.references)]
    points = [_dense(x, y) for x, y in lines]
    points += [_dense(line.x, line.y, OTHERS_POINTS) for line in (*view.others, *view.further)]
    if view.estimated is not None:
        points += [np.column_stack([view.estimated.line.x, y]) for y in (view.estimated.line.y, *view.estimated.reach)]
    return np.vstack(points)


def _marks(point: AlphaPoint) -> FloatArray:
    if np.isnan(point.optimal_x):
        return np.array([[point.x, point.y]])
    return _dense(np.array([point.optimal_x, point.x]), np.array([point.y, point.y]))


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
    short = shortened_apart([line.system for line in lines], LONGEST_NAME)
    for line, text, down in zip(lines, short, heights, strict=True):
        drawn_lines = line.system == view.system
        name = plain(text, longest=len(text))
        names.append(
            note(
                colours,
                f"<b>{name}</b>" if drawn_lines else name,
                x=1,
                xref="paper",
                y=frame.y[1] - down / frame.height * span,
                xanchor="left",
                yanchor="middle",
                xshift=6,
                font={
                    "size": SMALL_SIZE,
                    "color": colours.plackett_luce.text if drawn_lines else colours.mute,
                },
            )
        )
    return names


def _end(line: Line, view: TradeoffView) -> tuple[float, float]:
    x, y = view.drawn if line.system == view.system else (line.x, line.y)
    return float(x[-1]), float(y[-1])


def _apart(desired: FloatArray, gap: float, height: float) -> FloatArray:
    """Heights nearest to those desired with at least ``gap`` between neighbours."""
    order = np.argsort(desired, kind="stable")
    placed = desired[order].astype(float)
    for i in range(1, placed.size):
        placed[i] = max(placed[i], placed[i - 1] + gap)
    placed -= max(0.0, (placed[-1] - height) if placed.size else 0.0)
    for i in range(placed.size - 2, -1, -1):
        placed[i] = min(placed[i], placed[i + 1] - gap)
    heights = np.empty_like(placed)
    heights[order] = placed
    return heights


def beyond(point: Line, frame: Frame) -> bool:
    """Whether a single point lies right of the chart: it is drawn on the edge, pointing there."""
    return bool(point.x.size and point.x[0] > frame.x[1])
