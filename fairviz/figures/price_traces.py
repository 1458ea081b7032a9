"""Traces of the price of fairness: lines, rings, what falls off the scale, today."""

import numpy as np

from fairviz.figures.labels import Frame
from fairviz.figures.price_labels import off_the_scale
from fairviz.figures.price_view import PriceLine, PriceView, in_words
from fairviz.figures.theme import Layout, Palette, plain
from fairviz.model import FloatArray

THIN = "\N{NARROW NO-BREAK SPACE}"


def with_today(line: PriceLine, today: float) -> tuple[FloatArray, FloatArray]:
    """Where a line goes, from today's point over its strengths."""
    return np.concatenate([[today], line.x]), np.concatenate([[0.0], line.y])


def line_trace(line: PriceLine, view: PriceView, colours: Palette, *, accent: bool) -> Layout:
    """One re-ranker: thick and in accent where it is the nearest inside the budget."""
    colour = colours.plackett_luce.line if accent else colours.faint
    x, y = with_today(line, view.today)
    scale, unit = view.scale, f" {view.scale.unit}" if view.scale.unit else ""
    told = [
        f"{plain(line.label)}, {word}: {in_words(float(a), scale.decimals)}{unit}, "
        f"{in_words(float(b), sign=True)}{THIN}%"
        for word, a, b in zip(line.words, line.x, line.y, strict=True)
    ]
    drawn: Layout = {
        "type": "scatter",
        "name": line.method,
        "x": x,
        "y": y,
        "mode": "lines+markers",
        "line": {"color": colour, "width": 3.2 if accent else 1.6},
        "marker": {
            "symbol": ["circle", *[line.symbol] * line.x.size],
            "size": [0.1, *[9 if accent else 7.5] * line.x.size],
            "color": colour,
            "line": {"width": 2, "color": colour} if "thin" in line.symbol else {"width": 0},
        },
        "text": ["", *told],
        "hovertemplate": "%{text}<extra></extra>",
    }
    if line.spread is not None:
        low_x, high_x, low_y, high_y = line.spread.T
        bars = {"color": colour, "thickness": 1, "width": 0, "type": "data", "symmetric": False}
        drawn["error_x"] = bars | {
            "array": _after_today(high_x - line.x),
            "arrayminus": _after_today(line.x - low_x),
        }
        drawn["error_y"] = bars | {
            "array": _after_today(high_y - line.y),
            "arrayminus": _after_today(line.y - low_y),
        }
    return drawn


def _after_today(values: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], np.nan_to_num(np.maximum(values, 0.0))])


def rings_trace(view: PriceView, colours: Palette) -> Layout | None:
    """The best point of each re-ranker inside the budget."""
    ringed = [line for line in view.lines if line.method in view.ringed]
    if not ringed:
        return None
    rings = [colours.plackett_luce.line if line.method == view.best else colours.faint for line in ringed]
    return {
        "type": "scatter",
        "name": "inside the budget",
        "x": [float(line.x[view.ringed[line.method]]) for line in ringed],
        "y": [float(line.y[view.ringed[line.method]]) for line in ringed],
        "mode": "markers",
        "marker": {
            "symbol": "circle-open",
            "size": 19,
            "color": rings,
            "line": {"width": 2.4, "color": rings},
        },
        "hoverinfo": "skip",
    }


def fallen_trace(view: PriceView, frame: Frame, colours: Palette) -> Layout | None:
    """Where lines leave the chart at its foot."""
    points = [fall for line in view.lines if (fall := off_the_scale(line, view.today, frame))]
    if not points:
        return None
    return {
        "type": "scatter",
        "name": "off the scale",
        "x": [point.x for point in points],
        "y": [frame.y[0]] * len(points),
        "mode": "markers",
        "cliponaxis": False,
        "marker": {"symbol": "triangle-down", "size": 10, "color": colours.faint},
        "hoverinfo": "skip",
    }


def today_trace(view: PriceView, colours: Palette) -> Layout:
    """The run as it stands."""
    return {
        "type": "scatter",
        "name": "today",
        "x": [view.today],
        "y": [0.0],
        "mode": "markers",
        "marker": {"symbol": "circle", "size": 12, "color": colours.ink},
        "hovertemplate": f"today: {in_words(view.today, view.scale.decimals)}<extra></extra>",
    }
