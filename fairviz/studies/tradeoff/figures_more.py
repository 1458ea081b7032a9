"""One query: the expected exposure of each item, in the order of scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from fairviz.model import Curve, FloatArray
from fairviz.show.theme import GRADE_NAMES, Hue, Layout, Palette, axis, axis_title, base_layout, note, rgba, y_title
from fairviz.studies.tradeoff.intervals import Spread

# What the disparity–quality chart is made of: lines of means, a band, the point at α.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """A curve as it is drawn: one mean point per α (NaN: the point has none)."""

    system: str
    policy: str
    alphas: FloatArray
    x: FloatArray
    y: FloatArray
    x_measure: str = "EED"
    y_measure: str = "EER"

    @classmethod
    def of(cls, curve: Curve) -> "Line":
        """The means of a curve, without the points at which no query is defined."""
        shown = curve.defined.any(axis=1)
        return cls(
            system=curve.system,
            policy=curve.policy,
            alphas=curve.alphas[shown],
            x=curve.mean_disparity[shown],
            y=curve.mean_quality[shown],
            x_measure=curve.x,
            y_measure=curve.y,
        )

    def by_x(self) -> "Line":
        """The same points from left to right."""
        order = np.argsort(self.x, kind="stable")
        return replace(self, alphas=self.alphas[order], x=self.x[order], y=self.y[order])


class Band(NamedTuple):
    """An interval of quality at fixed disparity."""

    x: FloatArray
    low: FloatArray
    high: FloatArray


class Here(NamedTuple):
    """The point at the slider's α, and the optimal policy at the same quality (NaN: none)."""

    alpha: float
    x: float
    y: float
    optimal_x: float = float("nan")

    @property
    def saving(self) -> float:
        """Share of disparity that the optimal policy does without; NaN where it has no point."""
        return 1 - self.optimal_x / self.x if self.x else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TradeoffView:
    """Everything on the chart that does not move with α.

    Attributes:
        lines: The main curve of each system.
        system: The highlighted system, one of those of ``lines``.
        optimal, oracle, uniform, deterministic: Its other policies, where known.
        sampled: Its recorded samples, drawn as points.
        band: 95 % interval of the highlighted line.
        joined: Whether the line runs on to the deterministic point (not where it turns back).
        exact: Whether the highlighted line is exact, not estimated from samples.
    """

    lines: Sequence[Line]
    system: str
    optimal: Line | None = None
    oracle: Line | None = None
    uniform: Line | None = None
    deterministic: Line | None = None
    sampled: Line | None = None
    band: Band | None = None
    joined: bool = True
    exact: bool = True

    def __post_init__(self) -> None:
        if self.system not in {line.system for line in self.lines}:
            raise ValueError(f"no line of the highlighted system {self.system!r}")

    @property
    def line(self) -> Line:
        """The highlighted line."""
        return next(line for line in self.lines if line.system == self.system)

    @property
    def others(self) -> list[Line]:
        """The lines in thin grey."""
        return [line for line in self.lines if line.system != self.system and line.x.size]

    @property
    def references(self) -> list[Line]:
        """The highlighted system's other policies that have a point."""
        policies = (self.optimal, self.oracle, self.uniform, self.deterministic, self.sampled)
        return [line for line in policies if line is not None and line.x.size]

    @property
    def drawn(self) -> tuple[FloatArray, FloatArray]:
        """The highlighted line as drawn: run on to the deterministic point where joined."""
        line, end = self.line, self.deterministic
        if not self.joined or end is None or not end.x.size:
            return line.x, line.y
        return np.append(line.x, end.x), np.append(line.y, end.y)

    def with_band(self, band: Band | None) -> "TradeoffView":
        """The same curves with another band."""
        return replace(self, band=band)

    def at(self, alpha: float) -> Here:
        """The point of the highlighted line at α, and the optimal policy at the same quality.

        Between points of the line, straight lines; NaN outside its α.
        """
        line = self.line
        if not line.x.size or not line.alphas[0] <= alpha <= line.alphas[-1]:
            return Here(alpha, float("nan"), float("nan"))
        x = float(np.interp(alpha, line.alphas, line.x))
        y = float(np.interp(alpha, line.alphas, line.y))
        return Here(alpha, x, y, float("nan") if self.optimal is None else _reach(self.optimal, y))


def _reach(line: Line, quality: float) -> float:
    """The smallest x at which a line has a quality; NaN where it never does."""
    order = np.argsort(line.x, kind="stable")
    x, y = line.x[order], line.y[order]
    reached = np.flatnonzero(y >= quality)
    if not reached.size:
        return float("nan")
    after = int(reached[0])
    if after == 0 or y[after] == y[after - 1]:
        return float(x[after])
    part = (quality - y[after - 1]) / (y[after] - y[after - 1])
    return float(x[after - 1] + part * (x[after] - x[after - 1]))


# Distribution of EE-D over queries at each α (Kim & Diaz, Figure 3).


DISTRIBUTION_HEIGHT = 290

SMALL = 0.4
"""Where every EE-D is below this, the axis ends at the largest instead of 1."""


def ee_distribution_figure(
    spreads: Sequence[Spread], *, colours: Palette, height: int = DISTRIBUTION_HEIGHT
) -> go.Figure:
    """One box per α: quartiles, extremes, and a diamond at the mean.

    Args:
        spreads: Distribution of EE-D at each α, as ``disparity_by_alpha`` gives it.
        colours: Light or dark.
        height: Of the chart in px.
    """
    shown = [spread for spread in spreads if spread.n_queries]
    names = [f"{spread.alpha:g}" for spread in shown]
    layout = base_layout(colours, height=height, margin={"t": 38})
    layout["xaxis"] = axis(colours, title="α", type="category", showgrid=False)
    ends = [0.0, *(s.minimum for s in shown), *(s.maximum for s in shown)]
    if max(ends) >= SMALL:
        ends.append(1.0)
    air = 0.05 * max(max(ends) - min(ends), 1e-3)
    layout["yaxis"] = axis(colours, bounds=(min(ends) - air, max(ends) + air), nticks=6)
    layout["annotations"] = [y_title(colours, axis_title("EED"))]
    own = colours.plackett_luce
    boxes: Layout = {
        "type": "box",
        "name": "EE-D",
        "x": names,
        "lowerfence": [spread.minimum for spread in shown],
        "q1": [spread.quarter for spread in shown],
        "median": [spread.median for spread in shown],
        "q3": [spread.three_quarters for spread in shown],
        "upperfence": [spread.maximum for spread in shown],
        "line": {"color": own.line, "width": 1.8},
        "fillcolor": rgba(own.line, 0.18),
        "width": 0.42,
        "hoverinfo": "y",
        "hoverlabel": {"namelength": 0},
    }
    means: Layout = {
        "type": "scatter",
        "mode": "markers",
        "name": "mean",
        "x": names,
        "y": [spread.mean for spread in shown],
        "marker": {
            "symbol": "diamond",
            "size": 9,
            "color": colours.ink,
            "line": {"color": colours.page, "width": 1},
        },
        "customdata": [spread.n_queries for spread in shown],
        "hovertemplate": "α = %{x}: mean %{y:.3f}, %{customdata} queries<extra></extra>",
    }
    return go.Figure({"data": [boxes, means] if shown else [], "layout": layout})


def ee_distribution_alt(spreads: Sequence[Spread]) -> str:
    """What the chart shows, in words."""
    parts = [
        f"α = {spread.alpha:g}: median {spread.median:.2f}, from {spread.minimum:.2f} to {spread.maximum:.2f}"
        for spread in spreads
        if not np.isnan(spread.median)
    ]
    return f"EE-D over queries. {'; '.join(parts)}."


# The small chart of the start page: two policies, and what equal quality costs each.


HEADLINE_HEIGHT = 360

BESIDE = 0.06
"""Share of the y range within which a curve would run through a label."""


def headline_figure(
    plackett_luce: Line,
    optimal: Line,
    ends: Sequence[tuple[Line, str]],
    here: Here | None,
    *,
    colours: Palette,
    height: int = HEADLINE_HEIGHT,
) -> go.Figure:
    """Draw two curves, their end points, and an arrow from one to the other at equal quality.

    Args:
        plackett_luce: The solid curve.
        optimal: The dashed curve.
        ends: Single points and their names: (uniform, "all alike"), (deterministic, …).
        here: Where the two are compared; None draws no arrow.
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
    labels = [y_title(colours, "EE-R, quality  (↑ more useful)")]
    labels += _names(plackett_luce, optimal, colours, high - low)
    for i, (line, name) in enumerate(ends):
        if line.x.size:
            traces.append(_end(line, name, colours, hollow=i == 0))
            labels.append(_end_label(line, name, (plackett_luce, optimal), colours, low=low, high=high))
    if here is not None and np.isfinite(here.optimal_x):
        traces += _drops(here, low, colours)
        labels += _arrow(here, low, colours)
    layout["annotations"] = labels
    return go.Figure({"data": traces, "layout": layout})


def headline_alt(plackett_luce: Line, here: Here | None) -> str:
    """What the chart shows, in words."""
    text = (
        f"EE-R against EE-D of {plackett_luce.system}: Plackett–Luce runs from EE-D "
        f"{plackett_luce.x[0]:.2f} to {plackett_luce.x[-1]:.2f}."
    )
    if here is None or not np.isfinite(here.optimal_x):
        return text
    return f"{text} At EE-R {here.y:.2f} it needs EE-D {here.x:.2f}, the optimal policy {here.optimal_x:.2f}."


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
        "hovertemplate": "EE-D %{x:.2f}<br>EE-R %{y:.2f}<extra></extra>",
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
        "hovertemplate": f"{name}<br>EE-D %{{x:.2f}}<br>EE-R %{{y:.2f}}<extra></extra>",
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


def _drops(here: Here, low: float, colours: Palette) -> list[Layout]:
    """Dotted lines down to the axis, and the two marks."""
    pairs = (
        (here.optimal_x, colours.optimal.line, "diamond"),
        (here.x, colours.plackett_luce.line, "circle"),
    )
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": [x, x],
            "y": [here.y, low],
            "line": {"color": colour, "width": 1.4, "dash": "2px,3px"},
            "hoverinfo": "skip",
            "marker": {"symbol": symbol, "size": [12, 0], "color": colour, "opacity": 1},
        }
        for x, colour, symbol in pairs
    ]


def _arrow(here: Here, low: float, colours: Palette) -> list[Layout]:
    arrow: Layout = {
        "x": here.optimal_x,
        "y": here.y,
        "ax": here.x,
        "ay": here.y,
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
    near = abs(here.x - here.optimal_x) < 0.14
    marks = (
        (here.optimal_x, colours.optimal, "right" if near else "left"),
        (here.x, colours.plackett_luce, "left"),
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
    shown = [arrow] if abs(here.x - here.optimal_x) > 0.05 else []
    return [*shown, *values]


QUERY_HEIGHT = 330

SHOWN = 40
"""Items drawn; the rest is in the sentence above the chart."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QueryExposure:
    """Exposure of one query's items under a policy, best score first.

    Attributes:
        exposure: (n) expected exposure ε of each item.
        fixed: (n) exposure of the same items in the deterministic list.
        gains: (n) graded usefulness; 0 = not useful or unjudged.
        names: (n) document ids, shown on hover.
    """

    exposure: FloatArray
    fixed: FloatArray
    gains: FloatArray
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.exposure.shape == self.fixed.shape == self.gains.shape:
            raise ValueError("exposure, fixed and gains need one value per item each")


def query_figure(
    query: QueryExposure, *, colours: Palette, shown: int = SHOWN, height: int = QUERY_HEIGHT
) -> go.Figure:
    """Bars of exposure, coloured by grade, over the outline of the deterministic list."""
    n = min(shown, query.exposure.size)
    ranks = np.arange(1, n + 1)
    top = max(float(query.exposure.max(initial=0)), float(query.fixed.max(initial=0)), 1e-9)
    layout = base_layout(colours, height=height, margin={"t": 40, "r": 8, "l": 40})
    layout["bargap"] = 0.18
    layout["xaxis"] = axis(
        colours,
        title="item, in score order",
        bounds=(0.0, max(n, 5) + 1.0),
        showgrid=False,
        tickvals=_ticks(n, int((query.fixed > 0).sum())),
    )
    layout["yaxis"] = axis(colours, bounds=(0.0, 1.12 * top), nticks=4, showline=False)
    layout["annotations"] = [
        y_title(colours, "expected exposure ε"),
        note(
            colours,
            "dashed: deterministic list",
            x=1,
            y=1,
            xref="paper",
            yref="paper",
            xanchor="right",
            yanchor="top",
            font={"size": 12, "color": colours.mute},
        ),
    ]
    fills = np.array(colours.grades)[np.clip(query.gains[:n], 0, 3).astype(int)]
    bars: Layout = {
        "type": "bar",
        "name": "exposure",
        "x": ranks,
        "y": query.exposure[:n],
        "marker": {"color": fills.tolist(), "line": {"width": 0}},
        "customdata": query.gains[:n],
        "hovertemplate": "item %{x} · grade %{customdata:g}<br>ε %{y:.3f}<extra></extra>",
    }
    outline: Layout = {
        "type": "scatter",
        "mode": "lines",
        "name": "deterministic",
        "x": np.concatenate([[0.5], np.repeat(ranks[:-1] + 0.5, 2), [n + 0.5]]),
        "y": np.repeat(query.fixed[:n], 2),
        "line": {"color": colours.mute, "width": 1.4, "dash": "3px,3px"},
        "hoverinfo": "skip",
    }
    return go.Figure({"data": [bars, outline] if n else [], "layout": layout})


def grade_legend(query: QueryExposure, *, colours: Palette) -> list[tuple[str, str]]:
    """(colour, name) of each grade on the chart, for the key below it."""
    largest = int(query.gains.max(initial=0))
    names = [*GRADE_NAMES[:3], GRADE_NAMES[3] if largest > 3 else "3"]
    return list(zip(colours.grades, names, strict=True))[: max(1, min(largest, 3)) + 1]


def query_alt(query: QueryExposure) -> str:
    """What the chart shows, in words."""
    total = float(query.exposure.sum())
    if total <= 0:
        return "No item of this query is exposed."
    useful = float(query.exposure[query.gains > 0].sum()) / total
    first = float(query.exposure[query.fixed > 0].sum()) / total
    return (
        f"Expected exposure of {query.exposure.size} items: {first:.0%} of attention stays on the "
        f"items of the deterministic list, {useful:.0%} reaches items judged useful."
    )


def _ticks(n: int, depth: int) -> list[int]:
    """1, the last exposed rank of the fixed list, and the tens."""
    tens = [ten for ten in range(10, n + 1, 10) if ten - depth > 3]
    return sorted({1, *([depth] if 1 < depth <= n else []), *tens})
