"""The price of fairness: change of quality against distance from the target.

Every re-ranker is one line from today's point over its strengths; the target stands at the right. The nearest inside
the budget is thick and in accent, the others grey with their own markers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import plotly.graph_objects as go

from fairviz.model import FloatArray
from fairviz.show.labels import CHARACTER, LINE, Frame, Label, Spot, around, place, written
from fairviz.show.theme import Layout, Palette, axis, base_layout, note, plain, rgba, y_title
from fairviz.show.words import THIN, in_words
from fairviz.studies.policy_lab.price import PointSummary, PriceCurve

SYMBOLS = (
    "square",
    "circle",
    "triangle-up",
    "diamond",
    "x-thin-open",
    "cross-thin-open",
    "triangle-down",
    "star",
    "hexagon",
    "pentagon",
    "triangle-left",
    "triangle-right",
)
"""Marker of each re-ranker, by its place in the catalogue."""
LONGEST = 26
"""Characters of a re-ranker's name in the chart."""
WIDE_ENOUGH = 0.2
"""Part of the chart from which what nobody reaches is named."""

HEIGHT = 420
MARGIN = {"l": 44, "r": 16, "t": 40, "b": 50}
STILL = 1e-6
"""What moves by less, in points and in percent of quality, stays where it is."""
LEAST_FLOOR = -4.0
"""The chart reaches at least this far down, in percent, so that usual budgets are on it."""
TYPICAL = 2.5
"""Losses beyond this many times the middle one fall off the scale, named with their value."""


class GroupScale(NamedTuple):
    """The axis of a group measure.

    Attributes:
        title: What is measured, with its direction.
        unit: What stands behind a value in words ("points"), or nothing.
        ideal: Value of a list on target; NaN = the measure has none.
        falling: Whether smaller is nearer, so that the axis is reversed.
        decimals: Digits in words.
    """

    title: str
    unit: str = ""
    ideal: float = 0.0
    falling: bool = True
    decimals: int = 1


POINTS_OFF = GroupScale("points of attention off target, all queries together (½ L1)  ↓ nearer", "points")
NARROWEST = 1.0, 0.01
"""Least width of the group axis, in points and in values of another measure: no axis in millionths of a point."""


class ApartPoint(NamedTuple):
    """A point over other queries than today's lists: its place, its queries, its strength in words."""

    x: float
    y: float
    n_queries: int
    words: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PriceLine:
    """One re-ranker.

    Attributes:
        method: Name as typed.
        label: Name in the chart.
        symbol: Its marker.
        x: (A) value on the group axis, by rising strength.
        y: (A) change of mean quality in percent of today's.
        words: (A) the strength in words.
        spread: (A, 4) lowest and highest x, lowest and highest y over the repeats of a random
            re-ranker; None where nothing is random.
        apart: Points over other queries than today's lists; NaN among the others. They stand apart: hollow, with
            their n, joined to nothing.
    """

    method: str
    label: str
    symbol: str
    x: FloatArray
    y: FloatArray
    words: tuple[str, ...]
    spread: FloatArray | None = None
    apart: tuple[ApartPoint, ...] = ()

    @classmethod
    def of(
        cls,
        curve: PriceCurve,
        points: Sequence[PointSummary],
        now: PointSummary,
        *,
        label: str,
        symbol: str,
        words: Sequence[str],
    ) -> "PriceLine":
        """A curve as it is drawn, its points beside today's lists."""
        repeats = [point.repeats for point in curve.points]
        spread = None
        if any(len(repeat) for repeat in repeats):
            spread = np.array([_spread(repeat, now) for repeat in repeats])
        own = np.array([np.nan if point.is_apart else 1.0 for point in points])
        x, y = np.array([point.off for point in points]), 100 * np.array([point.change for point in points])
        return cls(
            method=curve.method,
            label=label,
            symbol=symbol,
            x=x * own,
            y=y * own,
            words=tuple(words),
            spread=spread,
            apart=tuple(
                ApartPoint(float(x[i]), float(y[i]), point.n_queries, words[i])
                for i, point in enumerate(points)
                if point.is_apart and np.isfinite(x[i] + y[i])
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PriceView:
    """The whole chart.

    Attributes:
        lines: Re-rankers, in the order of the catalogue.
        today: Value of today's lists on the group axis.
        quality: Label of the quality measure.
        scale: The group axis.
        budget: Percent of today's quality that may be given up; above 0.
        ringed: Index of the best point within the budget, by method.
        best: Method that is nearest within the budget; "" for none.
        certain: Methods whose ringed point is within the budget with its whole interval.
    """

    lines: Sequence[PriceLine]
    today: float
    quality: str
    budget: float
    ringed: dict[str, int]
    best: str = ""
    scale: GroupScale = POINTS_OFF
    certain: frozenset[str] = frozenset()

    @property
    def still(self) -> list[str]:
        """Names of the re-rankers that stay at today's point: they are named below the chart, not on top of it."""
        return [line.label for line in self.lines if _is_still(line, self.today)]

    def reach(self) -> float:
        """The value nearest to the target that any re-ranker has; today's where none is nearer."""
        values = np.concatenate([[self.today], *(line.x for line in self.lines)])
        known = values[~np.isnan(values)]
        if not known.size:
            return float("nan")
        return float(known.min() if self.scale.falling else known.max())


def _is_still(line: PriceLine, today: float) -> bool:
    """Whether no strength of a re-ranker moves anything."""
    x, y = line.x[~np.isnan(line.x)], line.y[~np.isnan(line.y)]
    return bool(x.size and (np.abs(x - today) < STILL).all() and (np.abs(y) < STILL).all())


def _spread(repeats: FloatArray, now: PointSummary) -> tuple[float, float, float, float]:
    if not len(repeats):
        return (np.nan, np.nan, np.nan, np.nan)
    change = 100 * (repeats[:, 1] / now.quality - 1)
    return (
        float(repeats[:, 0].min()),
        float(repeats[:, 0].max()),
        float(change.min()),
        float(change.max()),
    )


class Fall(NamedTuple):
    """Where a line leaves the chart at its foot, and the lowest value it goes to."""

    x: float
    lowest: float


# Names: at the end of each line, or where it falls off.


def off_the_scale(line: PriceLine, today: float, frame: Frame) -> Fall | None:
    """Where a line crosses the foot of the chart; None where it stays on it."""
    floor = frame.y[0]
    x, y = with_today(line, today)
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    below = np.flatnonzero(y < floor)
    if not below.size:
        return None
    i = int(below[0])
    part = (floor - y[i - 1]) / (y[i] - y[i - 1]) if i else 1.0
    crossing = float(x[i - 1] + part * (x[i] - x[i - 1])) if i else float(x[i])
    low, high = sorted(frame.x)
    return Fall(min(max(crossing, low), high), float(np.nanmin(y)))


def price_labels(view: PriceView, frame: Frame, colours: Palette) -> list[Label]:
    """Labels by importance: what is out of reach, today, the best re-ranker, then the others."""
    labels = [*_out_of_reach(view, frame, colours), _budget(view, frame, colours)]
    labels += [
        Label(
            html="<b>today</b>",
            width=5,
            colour=colours.ink,
            spots=around(view.today, 0.0, 5, gap=12.0),
        )
    ]
    first = [line for line in view.lines if line.method == view.best]
    rest = [line for line in view.lines if line.method != view.best]
    for line in first + rest:
        if _is_still(line, view.today):
            continue
        label = _named(line, view, frame, colours)
        if label is not None:
            labels.append(label)
    return labels


def _budget(view: PriceView, frame: Frame, colours: Palette) -> Label:
    """The name of the dotted line, from the left on where nothing is in the way."""
    text = f"budget {in_words(view.budget)} %"
    floor = frame.y[0]
    if -view.budget < floor:
        text += ", below this chart"
    width = len(text)
    room = 0.5 * (width * CHARACTER + 8) / min(frame.widths)
    parts = np.linspace(min(room, 0.5), max(1 - room, 0.5), 7)
    at = [frame.x[0] + float(part) * (frame.x[1] - frame.x[0]) for part in parts]
    spots = [Spot(x, max(-view.budget, floor), 0.0, -LINE / 2 - 1) for x in at]
    return Label(html=text, width=width, colour=colours.mute, spots=spots)


def _out_of_reach(view: PriceView, frame: Frame, colours: Palette) -> list[Label]:
    """The name of the shaded area, where it is wide enough for one."""
    ideal, reach = view.scale.ideal, view.reach()
    width = abs(reach - ideal) / max(abs(frame.x[1] - frame.x[0]), 1e-9)
    if np.isnan(width) or width < WIDE_ENOUGH:
        return []
    spot = Spot((reach + ideal) / 2, frame.y[1], 0.0, LINE + 8)
    text = "no re-ranker<br>gets here"
    return [Label(html=text, width=12, n_lines=2, colour=colours.mute, spots=[spot])]


def _above_the_foot(fall: Fall, width: int, frame: Frame) -> list[Spot]:
    """Places beside the end of a line that leaves the chart, then higher up along it."""
    spots = [spot for spot in around(fall.x, frame.y[0], width, n_lines=2) if spot.down < 0]
    higher = [spot._replace(down=spot.down - up) for up in (30.0, 60.0, 95.0) for spot in spots[:6]]
    return spots + higher


def _named(line: PriceLine, view: PriceView, frame: Frame, colours: Palette) -> Label | None:
    best = line.method == view.best
    colour = colours.plackett_luce.text if best else colours.mute
    name = plain(line.label, longest=LONGEST)
    width = min(len(line.label), LONGEST)
    fall = off_the_scale(line, view.today, frame)
    if fall is not None:
        value = f"{in_words(fall.lowest, 0, sign=True)} % below"
        return Label(
            html=f"{name}<br>{value}",
            width=max(width, len(value)),
            n_lines=2,
            colour=colour,
            spots=_above_the_foot(fall, width, frame),
        )
    known = np.flatnonzero(~(np.isnan(line.x) | np.isnan(line.y)))
    if not known.size:
        return None
    # the point nearest to the target is what a person looks for; the last of equal ones
    x = line.x[known] if view.scale.falling else -line.x[known]
    end = int(known[int(np.flatnonzero(x == x.min())[-1])])
    # where its end is crowded, a line is named at another of its points
    spots = around(float(line.x[end]), float(line.y[end]), width)
    for i in known[::-1]:
        spots += around(float(line.x[i]), float(line.y[i]), width)[:10]
    html = f"<b>{name}</b>" if best else name
    return Label(html=html, width=width, colour=colour, spots=spots)


# Traces: lines, rings, what falls off the scale, today.


def with_today(line: PriceLine, today: float) -> tuple[FloatArray, FloatArray]:
    """Where a line goes, from today's point over its strengths."""
    return np.concatenate([[today], line.x]), np.concatenate([[0.0], line.y])


def line_trace(line: PriceLine, view: PriceView, colours: Palette, *, accent: bool) -> Layout:
    """One re-ranker: thick and in accent where it is the nearest within the budget."""
    colour = colours.plackett_luce.line if accent else colours.faint
    x, y = with_today(line, view.today)
    scale, unit = view.scale, f" {view.scale.unit}" if view.scale.unit else ""
    words = [
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
        "text": ["", *words],
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
    """The best point of each re-ranker within the budget."""
    ringed = [line for line in view.lines if line.method in view.ringed]
    if not ringed:
        return None
    rings = [colours.plackett_luce.line if line.method == view.best else colours.faint for line in ringed]
    return {
        "type": "scatter",
        "name": "within the budget",
        "x": [float(line.x[view.ringed[line.method]]) for line in ringed],
        "y": [float(line.y[view.ringed[line.method]]) for line in ringed],
        "mode": "markers",
        "marker": {
            "symbol": "circle-open",
            "size": 19,
            "color": rings,
            "line": {"width": [2.4 if line.method in view.certain else 1.2 for line in ringed], "color": rings},
        },
        "hoverinfo": "skip",
    }


def apart_trace(view: PriceView, colours: Palette) -> Layout | None:
    """Points over other queries than today's lists: hollow and grey, joined to nothing, with their n."""
    points = [(line, point) for line in view.lines for point in line.apart]
    if not points:
        return None
    return {
        "type": "scatter",
        "name": "other queries",
        "x": [point.x for _, point in points],
        "y": [point.y for _, point in points],
        "mode": "markers",
        "marker": {
            "symbol": [f"{line.symbol.removesuffix('-open')}-open" for line, _ in points],
            "size": 6,
            "opacity": 0.7,
            "color": colours.faint,
        },
        "text": [
            f"{plain(line.label)}, {point.words}: over {point.n_queries} queries only, not compared"
            for line, point in points
        ],
        "hovertemplate": "%{text}<extra></extra>",
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


# The chart: ranges, shapes and what is written on it.


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
    more = (apart_trace(view, colours), rings_trace(view, colours), fallen_trace(view, frame, colours))
    traces += [trace for trace in more if trace is not None]
    traces.append(today_trace(view, colours))
    return go.Figure({"data": traces, "layout": layout})


def frame_of(view: PriceView, *, height: int = HEIGHT) -> Frame:
    """Ranges that hold the points of all lines, but for losses far beyond the usual.

    They depend on the data alone, not on the budget.
    """
    x = np.concatenate([[view.today], *(line.x for line in view.lines), *_apart(view, "x")])
    x = x[~np.isnan(x)]
    ends = [*x.tolist(), *([] if np.isnan(view.scale.ideal) else [view.scale.ideal])]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    high = max(high, low + NARROWEST[0 if view.scale.unit else 1])
    span = high - low
    near, far = low - 0.04 * span, high + 0.06 * span
    y = np.concatenate([[0.0], *(line.y for line in view.lines), *_apart(view, "y")])
    top = float(np.nanmax(y))
    floor = min(_floor(view), LEAST_FLOOR)
    air = 0.07 * (top - floor)
    return Frame(
        x=(far, near) if view.scale.falling else (near, far),
        y=(floor, top + air),
        widths=(590.0, 300.0),
        height=float(height - MARGIN["t"] - MARGIN["b"]),
    )


def _apart(view: PriceView, axis: Literal["x", "y"]) -> list[FloatArray]:
    """Places of the points that stand apart, by line."""
    return [np.array([getattr(point, axis) for point in line.apart]) for line in view.lines]


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
    if n_apart := sum(len(line.apart) for line in view.lines):
        parts.append(f"{n_apart} hollow points are over fewer queries than today's and are not compared.")
    if view.best:
        line = next(line for line in view.lines if line.method == view.best)
        i = view.ringed[view.best]
        where = in_words(float(line.x[i]), scale.decimals)
        parts.append(
            f"Closest within a budget of {in_words(view.budget)} %: {line.label}, "
            f"{where} for {in_words(float(line.y[i]), sign=True)} %."
        )
    else:
        parts.append(f"None is ringed within a budget of {in_words(view.budget, 1)} %.")
    return " ".join(parts)
