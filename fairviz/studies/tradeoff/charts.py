"""The disparity–quality chart: what each policy gives up, and where α stands on it.

Plackett–Luce is solid with its 95 % band, optimal dashed, the oracle dotted, uniform an open and
deterministic a full square; small open diamonds with bars of two standard errors are estimated
between recorded α. The circle is "you are here", the full diamond the optimal policy at the same quality. Traces of
one kind are merged, so a chart of twelve systems has as many as one of two.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fairviz.display.marks import Frame, Label, Spot, along, around, place_labels, written
from fairviz.display.paper import CALL_OUT
from fairviz.display.table import shortened_apart
from fairviz.display.theme import (
    MOST_SYSTEMS,
    SMALL_SIZE,
    Hue,
    Layout,
    Palette,
    area,
    axis,
    axis_name,
    axis_title,
    base_layout,
    joined,
    look_colour,
    look_dash,
    note,
    plain,
    rgba,
    scatter,
    y_title,
)
from fairviz.display.words import capital, number, plural
from fairviz.model import Curve, FloatArray
from fairviz.points.charts import dodged
from fairviz.points.columns import left_out_words
from fairviz.points.view import AlphaPoint, EstimatedPoints, Line, TradeoffView
from fairviz.studies.tradeoff.findings import point_words

# The direct labels of the disparity–quality chart, which has no legend: policies, the point at α, system names.


OTHERS_POINTS = 25
"""Points by which each grey line stops a label."""
NARROWEST_GAP = 0.07
"""Of the width: a connector shorter than its percentage is written gets none; the read-outs have it."""


def policy_labels(view: TradeoffView, point: AlphaPoint | None, frame: Frame, colours: Palette) -> list[Layout]:
    """Labels of the policies, then of the point at α, each clear of lines and of the others.

    The policies are placed first and without the point at α, so that they stand still when it
    moves.
    """
    labels, spots, obstacles = _placed_policies(view, frame, colours)
    annotations = [written(*pair, colours) for pair in zip(labels, spots, strict=True)]
    if point is None:
        return annotations
    moving = _of_alpha(view, point, colours, least=NARROWEST_GAP * (frame.x[1] - frame.x[0]))
    fixed = [replace(label, spots=[spot]) for label, spot in zip(labels, spots, strict=True)]
    placed = place_labels([*fixed, *moving], np.vstack([obstacles, _marks(point)]), frame, crossing=100.0)
    for label, spot in zip(moving, placed[len(labels) :], strict=True):
        annotations.append(written(label, spot, colours) | {"name": CALL_OUT})
    return annotations


@lru_cache(maxsize=16)
def _placed_policies(view: TradeoffView, frame: Frame, colours: Palette) -> tuple[list[Label], list[Spot], FloatArray]:
    """Labels of the policies, where they stand, what stops others; a view is placed once, not on every move."""
    labels, obstacles = _policies(view, frame, colours), _obstacles(view)
    return labels, place_labels(labels, obstacles, frame), obstacles


def _policies(view: TradeoffView, frame: Frame, colours: Palette) -> list[Label]:
    labels: list[Label] = []
    if (end := view.of("deterministic")) is not None:
        text = "deterministic"
        if beyond(end, frame):
            text = f"deterministic, {axis_name(end.x_measure)} {end.x[0]:.2f}"
            end = replace(end, x=np.array([frame.x[1]]))
        labels.append(_of_point(end, text, colours.ink))
    if (uniform := view.of("uniform")) is not None:
        labels.append(_of_point(uniform, "uniform", colours.ink))
    if (oracle := view.of("oracle")) is not None:
        spots = along(*_last_half(oracle, frame), width=12, above=True)[::-1]
        labels.append(Label(html="<b>oracle limit</b>", width=12, colour=colours.oracle.text, spots=spots))
    if (optimal := view.of("optimal")) is not None and optimal.x.size > 1:
        spots = along(*_middle(optimal, 0.25, 0.7), width=8, above=True)
        labels.append(Label(html="<b>optimal</b>", width=8, colour=colours.optimal.text, spots=spots))
    own = _own(view, colours).text
    if view.line.x.size > 1:
        name = "Plackett–Luce" if view.line.policy == "plackett-luce" else "recorded"
        kind = "exact" if view.exact else "from samples"
        detail = f"{kind}, 95 % band" if view.band is not None else kind
        spots = along(*_middle(view.line, 0.5, 0.95), width=16, above=False, n_lines=2)
        width = max(14, len(detail))
        labels.append(Label(html=f"<b>{name}</b><br>{detail}", width=width, colour=own, spots=spots, n_lines=2))
    if (sampled := view.of("sampled")) is not None:
        labels.append(_of_point(sampled, "+ recorded samples", own, sampled.x.size // 2))
    return labels


def _of_point(line: Line, text: str, colour: str, index: int = 0) -> Label:
    spots = around(float(line.x[index]), float(line.y[index]), len(text))
    return Label(html=text, width=len(text), colour=colour, spots=spots)


def _of_alpha(view: TradeoffView, point: AlphaPoint, colours: Palette, *, least: float) -> list[Label]:
    """The labels that move; a gap too narrow to see (under ``least``) is left unlabelled."""
    text = f"α = {point.alpha:g}"
    spots, own = around(point.x, point.y, len(text), gap=15), _own(view, colours).text
    labels = [Label(html=f"<b>{text}</b>", width=len(text), colour=own, spots=spots)]
    if abs(point.x - point.optimal_x) > least:
        change = round(-100 * point.saving)
        text = f"{change:+d} %".replace("-", "−") if change else "±0 %"
        spots = around(point.optimal_x, point.y, len(text), gap=13)
        labels.append(Label(html=f"<b>{text}</b>", width=len(text), colour=colours.optimal.text, spots=spots))
    return labels


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
LONGEST_NAME = 15


def system_names(view: TradeoffView, frame: Frame, colours: Palette) -> list[Layout]:
    """Names of several systems right of the plot, at the height where their lines end."""
    if not view.others:
        return []
    lines = [view.line, *view.others]
    ends = [float((view.drawn[1] if line.system == view.system else line.y)[-1]) for line in lines]
    heights = dodged(ends, NAME_GAP / frame.height * (frame.y[1] - frame.y[0]), frame.y[0])
    names: list[Layout] = []
    short = shortened_apart([line.system for line in lines], LONGEST_NAME)
    for line, text, y in zip(lines, short, heights, strict=True):
        is_own, name = line.system == view.system, plain(text, longest=len(text))
        at = {"x": 1, "xref": "paper", "y": y, "xanchor": "left", "yanchor": "middle", "xshift": 6}
        usual = colours.plackett_luce.text if is_own else colours.mute
        font = {"size": SMALL_SIZE, "color": colours.ink if any(view.look_of(line)) else usual}
        names.append(note(colours, f"<b>{name}</b>" if is_own else name, **at, font=font))
    return names


def beyond(point: Line, frame: Frame) -> bool:
    """Whether a single point lies right of the chart: it is drawn on the edge, pointing there."""
    return bool(point.x.size and point.x[0] > frame.x[1])


if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 410
MARGIN = {"l": 44, "r": 14, "t": 34, "b": 50}
NAME_MARGIN = 118
NAMED_WIDTHS = (520.0, 190.0)
"""Of the plotting area on a wide and on a narrow screen, where names of systems stand beside it."""
SHORT = 0.4
"""A line that is not joined and ends left of this EE-D gets the width for itself."""

MARKED_ALPHAS = (1.0, 2.0, 4.0, 8.0)
"""The paper's four, small circles on the line."""


def tradeoff_figure(view: TradeoffView, *, colours: Palette, point: AlphaPoint | None = None) -> "go.Figure":
    """Draw the curves of a view and the point at the slider's α.

    Args:
        view: The curves.
        colours: Light or dark.
        point: Where α stands; None draws no marker.

    Returns:
        A figure with at most 18 traces, and one more of each of the others where they are few or have looks; its ranges
        are fixed by ``view`` alone.
    """
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    frame = frame_of(view)
    margin = MARGIN | ({"r": NAME_MARGIN} if view.others else {})
    layout = base_layout(colours, height=HEIGHT, margin=margin)
    line = view.line
    layout["xaxis"] = axis(colours, title=axis_title(line.x_measure), bounds=frame.x, nticks=6)
    layout["yaxis"] = axis(colours, bounds=frame.y, nticks=8)
    layout["annotations"] = [
        y_title(colours, axis_title(line.y_measure)),
        *system_names(view, frame, colours),
        *policy_labels(view, point, frame, colours),
    ]
    moving = [trace | {"meta": CALL_OUT} for trace in _moving_traces(view, point, colours)]
    traces = [*_still_traces(view, frame, colours), *moving]
    return go.Figure({"data": traces, "layout": layout})


def frame_of(view: TradeoffView) -> Frame:
    """Ranges that hold everything in the view, so that they do not move with α."""
    drawn = [*view.lines, *view.references, *view.further]
    x = np.concatenate([line.x for line in drawn])
    y = [line.y for line in drawn]
    if view.band is not None:
        y += [view.band.low, view.band.high]
    if view.estimated is not None:
        x = np.concatenate([x, view.estimated.line.x])
        y += [*view.estimated.reach]
    y = np.concatenate(y)
    y = y[~np.isnan(y)]
    if not y.size:
        return Frame(x=_padded(0.0, 1.0), y=_padded(0.0, 1.0))
    frame = Frame(x=_x_range(view, x), y=_padded(float(y.min()), float(y.max())))
    return frame._replace(widths=NAMED_WIDTHS, right=0.0, weights=(1.0, 0.4)) if view.others else frame


def _x_range(view: TradeoffView, x: FloatArray) -> tuple[float, float]:
    """0 to 1 and what lies outside; less where the line turns back early (``offset=0``).

    The deterministic list is then named at the right edge.
    """
    low = min(0.0, float(np.nanmin(x)))
    if not view.joined:
        near = [*view.lines, *(line for line in view.references if line.policy in ("optimal", "sampled"))]
        ends = np.concatenate([line.x for line in near])
        high = float(np.nanmax(ends)) if np.isfinite(ends).any() else 1.0
        if high < SHORT:
            span = max(high - low, 0.01)
            return low - 0.06 * span, high + 0.45 * span
    return _padded(low, max(1.0, float(np.nanmax(x))))


def tradeoff_alt(view: TradeoffView, point: AlphaPoint | None = None) -> str:
    """What the chart shows, in words."""
    line = view.line
    quality = axis_name(line.y_measure)
    if not line.x.size:
        return f"{quality} against EE-D: {line.system} has no point."
    parts = [
        f"{quality} against EE-D for {len(view.lines)} "
        f"{'system' if len(view.lines) == 1 else 'systems'}; {line.system} runs from "
        f"EE-D {number(line.x[0], 2)}, {quality} {number(line.y[0], 2)} to "
        f"EE-D {number(line.x[-1], 2)}, {quality} {number(line.y[-1], 2)}."
    ]
    if view.estimated is not None and view.estimated.line.x.size:
        parts.append(f"{plural(view.estimated.line.x.size, 'point')} between the recorded α estimated by re-weighting.")
    if view.further:
        parts.append(f"Beside them {len(view.further)} policies of other systems.")
    if view.left_out:
        parts.append(f"{left_out_words(view.left_out)}.")
    if point is not None:
        parts.append(point_words(view, point))
    return " ".join(parts)


def _padded(low: float, high: float) -> tuple[float, float]:
    """A range with air around it."""
    span = max(high - low, 0.05)
    return low - 0.05 * span, high + 0.06 * span


def _merged(lines: Sequence[Line]) -> dict[str, list[Any]]:
    """Several lines as one trace, cut apart by gaps, with the names of their systems."""
    names = [plain(line.system) for line in lines for _ in range(line.x.size + 1)]
    return joined((line.x, line.y) for line in lines) | {"text": names}


def _hover(line: Line, name: str, *, alpha: bool = False, x: str = "x") -> str:
    """What hovering says: a name, α where points have one, both measures; ``x`` is where the value across stands."""
    at = "<br>α = %{customdata:.3~f}" if alpha else ""
    across, up = axis_name(line.x_measure), axis_name(line.y_measure)
    return f"<b>{name}</b>{at}<br>{across} %{{{x}:.3f}}<br>{up} %{{y:.3f}}<extra></extra>"


def _still_traces(view: TradeoffView, frame: Frame, colours: Palette) -> Iterator[Layout]:
    """Traces that do not move with α, the most important last, on top."""
    line, hue = view.line, _own(view, colours)
    if view.band is not None and view.band.x.size:
        yield area("band", view.band.outline(), hue.line, 0.15 if colours.name == "light" else 0.22)
    yield from _others(view, colours)
    yield from _further(view, colours)
    for name, words, colour, width, dash in (
        ("oracle", "oracle limit", colours.oracle.line, 2.0, "dot"),
        ("optimal", "optimal", colours.optimal.line, 2.4, "8px,3px"),
    ):
        if (own := view.of(name)) is not None:
            yield _curve(name, colour, width, dash, x=own.x, y=own.y, hovertemplate=_hover(own, words))
    (x, y), template = view.drawn, _hover(line, plain(line.system), alpha=True)
    alphas = np.append(line.alphas, [np.nan] * (x.size - line.x.size))
    dash, along = look_dash(view.look_of(line)), {"x": x, "y": y, "customdata": alphas}
    curve = _curve("plackett-luce", hue.line, 2.8, dash, **along, hovertemplate=template)
    yield curve | {"marker": {"color": hue.line}} | _system(view, line)
    at = np.isin(line.alphas, MARKED_ALPHAS)
    marked = {"x": line.x[at], "y": line.y[at], "customdata": line.alphas[at], "hovertemplate": template}
    yield _points("alphas", "circle", 7, colours.page, hue.line, 1.6, **marked)
    if view.estimated is not None and view.estimated.line.x.size:
        yield _estimated(view.estimated, colours, hue)
    if (own := view.of("sampled")) is not None:
        drawn = {"x": own.x, "y": own.y, "customdata": own.alphas}
        template = _hover(own, "recorded samples", alpha=True)
        yield _points("sampled", "cross-thin", 10, hue.text, hue.text, 2.2, **drawn, hovertemplate=template)
    if (own := view.of("uniform")) is not None:
        template = _hover(own, "uniform over the pool")
        yield _points("uniform", "square", 11, colours.page, colours.ink, 1.8, x=own.x, y=own.y, hovertemplate=template)
    if (end := view.of("deterministic")) is not None:
        symbol, template = "square", _hover(end, "deterministic list", x="customdata")
        symbol = "triangle-right" if beyond(end, frame) else symbol
        drawn = {"x": np.minimum(end.x, frame.x[1]), "y": end.y, "customdata": end.x}
        yield _points("deterministic", symbol, 11, colours.ink, colours.page, 1.0, **drawn, hovertemplate=template)


def _others(view: TradeoffView, colours: Palette) -> Iterator[Layout]:
    """The lines of other systems, thin: in one grey trace, but those that have a look, and all where they are few."""
    template = "%{text}<br>%{x:.3f}, %{y:.3f}<extra></extra>"
    alone = [line for line in view.others if any(view.look_of(line)) or _system(view, line)]
    if alike := [line for line in view.others if line not in alone]:
        yield _curve("others", colours.faint, 1.2, "solid", **_merged(alike), hovertemplate=template)
    for line in alone:
        look = view.look_of(line)
        colour, width = look_colour(look, colours, colours.faint), 1.8 if any(look) else 1.2
        curve = _curve("others", colour, width, look_dash(look), **_merged([line]), hovertemplate=template)
        yield curve | {"marker": {"color": colour}} | _system(view, line)


def _own(view: TradeoffView, colours: Palette) -> Hue:
    """Line and text of the highlighted system: of its look, else of its policy."""
    look, usual = view.look_of(view.line), colours.plackett_luce
    return Hue(look_colour(look, colours, usual.line), colours.ink) if any(look) else usual


def _system(view: TradeoffView, line: Line) -> Layout:
    """The system as the group of a trace where there are so few that each has a grey and a dash of its own in print."""
    return {"legendgroup": line.system} if 1 < len(view.lines) <= MOST_SYSTEMS else {}


def _further(view: TradeoffView, colours: Palette) -> Iterator[Layout]:
    """Other systems' policies: one trace for each policy."""
    for policy in ("oracle", "optimal", "uniform", "deterministic"):
        if lines := [line for line in view.further if line.policy == policy]:
            name, merged = f"further {policy}", _merged(lines)
            template = f"%{{text}}, {policy}<br>%{{x:.3f}}, %{{y:.3f}}<extra></extra>"
            if policy == "oracle" or policy == "optimal":
                hue, dash = (colours.oracle, "dot") if policy == "oracle" else (colours.optimal, "6px,3px")
                yield _curve(name, rgba(hue.line, 0.7), 1.2, dash, **merged, hovertemplate=template)
            else:
                fill = colours.page if policy == "uniform" else colours.ink
                yield _points(name, "square", 6, fill, colours.ink, 1.0, **merged, hovertemplate=template)


def _moving_traces(view: TradeoffView, point: AlphaPoint | None, colours: Palette) -> Iterator[Layout]:
    """The point at α, and the optimal policy at the same quality."""
    if point is None:
        return
    line = view.line
    if not np.isnan(point.optimal_x):
        yield _curve("connector", colours.ink, 1.2, "solid", x=[point.optimal_x, point.x], y=[point.y, point.y])
        same = {"x": [point.optimal_x], "y": [point.y], "hovertemplate": _hover(line, "optimal, same quality")}
        yield _points("same quality", "diamond", 11, colours.optimal.line, colours.page, 1.0, **same)
    position = {"x": [point.x], "y": [point.y], "customdata": [point.alpha]}
    template = _hover(line, plain(line.system), alpha=True)
    fill = _own(view, colours).line
    yield _points("here", "circle", 15, fill, colours.page, 2.0, **position, hovertemplate=template)


def _estimated(points: EstimatedPoints, colours: Palette, hue: Hue) -> Layout:
    """Open diamonds with bars of two standard errors: chance in the lists alone, as the band is over queries."""
    line, reach = points.line, 2 * points.errors
    return _points(
        "estimated",
        "diamond",
        6,
        colours.page,
        hue.line,
        1.2,
        x=line.x,
        y=line.y,
        customdata=np.stack([line.alphas, reach, points.low, points.high, points.n_effective], axis=1),
        error_y={"type": "data", "array": reach, "color": hue.line, "thickness": 1.2, "width": 0},
        hovertemplate="<b>estimated from answers at other α</b><br>α = %{customdata[0]:.3~f}<br>"
        f"{axis_name(line.x_measure)} %{{x:.3f}}<br>{axis_name(line.y_measure)} %{{y:.3f}} ± %{{customdata[1]:.3f}}"
        "<br>over queries %{customdata[2]:.3f} to %{customdata[3]:.3f}<br>effective size %{customdata[4]:.0f}"
        "<extra></extra>",
    )


def _curve(name: str, colour: str, width: float, dash: str, **drawn: Any) -> Layout:
    line = {"color": colour, "width": width, "dash": dash, "shape": "linear"}
    return scatter(name, "lines", **drawn, line=line)


def _points(name: str, symbol: str, size: float, fill: str, edge: str, width: float, **drawn: Any) -> Layout:
    look = {"symbol": symbol, "size": size, "color": fill, "opacity": 1, "line": {"color": edge, "width": width}}
    return scatter(name, "markers", **drawn, marker=look, cliponaxis=False)


def tradeoff_caption(view: TradeoffView, curve: Curve, *, k: int) -> str:
    """What legend and title of the chart would say, by dashes and marks, so that it holds in greyscale too.

    Args:
        view: What is drawn.
        curve: The highlighted curve.
        k: Items that are seen.
    """
    line = view.line
    quality, own = axis_name(line.y_measure), "Plackett–Luce" if line.policy == "plackett-luce" else line.policy
    parts = [f"solid: {own} of {view.system}" + (", with its 95 % bootstrap band" if view.band is not None else "")]
    looks = {"optimal": "dashed: exposure-optimal policy", "oracle": "dotted: oracle that knows the judgements"}
    parts += [look for policy, look in looks.items() if policy in view.policies]
    parts += [f"thin: {plural(len(view.others), 'other system')}"] if view.others else []
    points = {"uniform": "open square: uniform", "deterministic": "filled square: deterministic list"}
    parts += [look for policy, look in points.items() if policy in view.policies]
    words = "; ".join([*parts, *([left_out_words(view.left_out)] if view.left_out else [])])
    n = plural(curve.n_defined, "query", "queries")
    alphas = f"α from {line.alphas.min():g} to {line.alphas.max():g}" if line.alphas.size else "α"
    return f"{quality} over EE-D, mean of {n}, k = {k}, {alphas}. {capital(words)}."


# EE-D over queries at each α (Kim & Diaz, Figure 3), and EE-R of lists beside EU of answers.


DISTRIBUTION_HEIGHT = 290
SMALL = 0.4
"""Where every EE-D is below this, the axis ends at the largest instead of 1."""
ROUNDED = 1e-3
"""Unless all are below this, and only rounding could be seen."""


def ee_distribution_figure(spreads: pl.DataFrame, *, colours: Palette) -> "go.Figure":
    """One box per α: quartiles, extremes, and a diamond at the mean.

    Args:
        spreads: Distribution of EE-D at each α, as ``disparity_by_alpha`` gives it.
        colours: Light or dark.
    """
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    defined = spreads.filter(pl.col("n_queries") > 0).to_dict(as_series=False)
    names = [f"{alpha:g}" for alpha in defined["alpha"]]
    layout = base_layout(colours, height=DISTRIBUTION_HEIGHT, margin={"t": 38})
    layout["xaxis"] = axis(colours, title="α", type="category", showgrid=False)
    ends = [0.0, *defined["minimum"], *defined["maximum"]]
    if not ROUNDED <= max(ends) < SMALL:
        ends.append(1.0)
    air = 0.05 * (max(ends) - min(ends))
    layout["yaxis"] = axis(colours, bounds=(min(ends) - air, max(ends) + air), nticks=6)
    layout["annotations"] = [y_title(colours, "EE-D, disparity ↓")]  # beside a table: there is no room for more
    hue = colours.plackett_luce
    boxes: Layout = {
        "type": "box",
        "name": "EE-D",
        "x": names,
        "lowerfence": defined["minimum"],
        "q1": defined["quarter"],
        "median": defined["median"],
        "q3": defined["three_quarters"],
        "upperfence": defined["maximum"],
        "line": {"color": hue.line, "width": 1.8},
        "fillcolor": rgba(hue.line, 0.18),
        "width": 0.42,
        "hoverinfo": "y",
        "hoverlabel": {"namelength": 0},
    }
    means = scatter(
        "mean",
        "markers",
        names,
        defined["mean"],
        marker={"symbol": "diamond", "size": 9, "color": colours.ink, "line": {"color": colours.page, "width": 1}},
        customdata=defined["n_queries"],
        hovertemplate="α = %{x}: mean %{y:.3f}, %{customdata} queries<extra></extra>",
    )
    return go.Figure({"data": [boxes, means] if names else [], "layout": layout})


def ee_distribution_alt(spreads: pl.DataFrame) -> str:
    """What the chart shows, in words."""
    shown = spreads.drop_nulls("median").select("alpha", "median", "minimum", "maximum").rows()
    parts = [f"α = {alpha:g}: median {median:.2f}, from {low:.2f} to {high:.2f}" for alpha, median, low, high in shown]
    return f"EE-D over queries. {'; '.join(parts)}."


CORRELATION_HEIGHT = 290


def correlation_figure(curve: Curve, *, colours: Palette) -> "go.Figure":
    """Points of (query, α), and the mean of each α joined in the order of α.

    Args:
        curve: One quality against another.
        colours: Light or dark.
    """
    defined = curve.defined
    a, b = curve.disparity[defined], curve.quality[defined]
    rows, columns = (places.tolist() for places in np.nonzero(defined))
    layout = base_layout(colours, height=CORRELATION_HEIGHT, margin={"t": 38})
    layout["xaxis"] = axis(colours, title=axis_title(curve.x), bounds=_range(a), nticks=6)
    layout["yaxis"] = axis(colours, bounds=_range(b), nticks=6)
    layout["annotations"] = [y_title(colours, axis_title(curve.y))]
    names = f"{axis_name(curve.x)} %{{x:.3f}}<br>{axis_name(curve.y)} %{{y:.3f}}"
    dots = scatter(
        "queries",
        "markers",
        a,
        b,
        customdata=[[curve.query_ids[q], float(curve.alphas[i])] for i, q in zip(rows, columns, strict=True)],
        text=[plain(curve.query_ids[q], longest=40) for q in columns],
        marker={"color": rgba(colours.plackett_luce.line, 0.5), "size": 7, "line": {"width": 0}},
        hovertemplate=f"query %{{text}}, α = %{{customdata[1]:g}}<br>{names}<extra></extra>",
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0.35}},
        cliponaxis=False,
    )
    measured, edge = np.flatnonzero(defined.any(axis=1)), {"color": colours.ink, "width": 1.4}
    path = scatter(
        "mean per α",
        "lines+markers",
        curve.mean_disparity[measured],
        curve.mean_quality[measured],
        customdata=curve.alphas[measured],
        line={"color": colours.ink, "width": 1.5},
        marker={"symbol": "diamond", "size": 8, "color": colours.page, "opacity": 1, "line": edge},
        hovertemplate=f"mean, α = %{{customdata:g}}<br>{names}<extra></extra>",
    )
    import plotly.graph_objects as go  # only where a chart is drawn: tables and reports of the core have none

    return go.Figure({"data": [dots, path], "layout": layout})


def correlation_alt(pearson: float, spearman: float, n_points: int) -> str:
    """What the chart shows, in words."""
    pairs = f"{plural(n_points, 'pair')} of query and α"
    return f"EE-R against EU for {pairs}: Pearson {pearson:.2f}, Spearman {spearman:.2f}."


def _range(values: FloatArray) -> tuple[float, float]:
    return _padded(float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
