"""Charts of recorded answers: consumption in panels, citations by retrieval rank, EE-R of rankings with EU of answers.

Consumption is what a generator was given against what it used. One panel per generator, all on the same ranges. Each
point is a query under one setting; those of the chosen setting are coloured, the others grey, and the path of the means
runs through them. Disparity of use needs logarithmic axes: it is often a hundredth of that of exposure.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.display.labels import Frame, Label, around, beside, place, written
from fairviz.display.paper import CALL_OUT
from fairviz.display.theme import (
    SMALL_SIZE,
    Layout,
    Palette,
    axis,
    base_layout,
    note,
    plain,
    rgba,
    scatter,
    y_title,
)
from fairviz.metrics.consumption import Scale
from fairviz.model import BoolArray, FloatArray
from fairviz.numerals import plural
from fairviz.points.figures_panels import panels_alt as panels_alt
from fairviz.points.figures_panels import panels_figure as panels_figure
from fairviz.points.generations import Pair, Panel
from fairviz.studies.attribution.settings import AttributionSettings

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Points, the path of means, straight lines.


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
    in_setting = panel.setting == at
    traces = [
        _dots(panel, ~in_setting, ranges, "other settings", rgba(colours.faint, 0.30), 4),
        _dots(panel, in_setting, ranges, setting, rgba(colours.plackett_luce.line, 0.55), 7),
    ]
    if identity:
        traces.append(_straight(1.0, ranges, colours.ink, "solid", "y = x"))
    slope = float(panel.chance[at]) if at >= 0 else np.nan
    if slope > 0:
        traces.append(_straight(slope, ranges, colours.optimal.line, "6px,3px", "equal chance"))
    traces.append(_path(panel, at, colours))
    if selected is not None:
        traces.append(_ring(panel, in_setting, selected, ranges, colours))
    return traces


def on_scale(x: FloatArray, y: FloatArray, ranges: Ranges) -> tuple[FloatArray, FloatArray]:
    """Points as drawn: those below a logarithmic scale on its edge."""
    if ranges.axes == "linear":
        return x, y
    return np.maximum(x, ranges.x[0] * EDGE), np.maximum(y, ranges.y[0] * EDGE)


def _dots(panel: Panel, selected: BoolArray, ranges: Ranges, name: str, colour: str, size: int) -> Layout:
    keep = np.flatnonzero(selected & np.isfinite(panel.x) & np.isfinite(panel.y))
    if size < 6 and keep.size > MOST_GREY:
        keep = keep[:: -(-keep.size // MOST_GREY)]
    x, y = panel.x[keep], panel.y[keep]
    symbols = np.full(x.size, "circle", dtype=object)
    if ranges.axes == "log":  # what lies below the scale points there
        symbols[y < ranges.y[0]] = "triangle-down"
        symbols[x < ranges.x[0]] = "triangle-left"
    kept: list[int] = keep.tolist()
    said: list[list[str | float]] = [
        [panel.query_ids[i], panel.settings[panel.setting[i]], float(panel.x[i]), float(panel.y[i])] for i in kept
    ]
    return scatter(
        name,
        "markers",
        *on_scale(x, y, ranges),
        customdata=said,
        text=[plain(panel.query_ids[i], longest=40) for i in kept],
        marker={"color": colour, "size": size, "symbol": symbols.tolist(), "line": {"width": 0}},
        cliponaxis=False,
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate="query %{text}<br>%{customdata[1]}<br>x %{customdata[2]:.3g}, y %{customdata[3]:.3g}"
        "<extra></extra>",
    )


def _path(panel: Panel, at: int, colours: Palette) -> Layout:
    known = np.flatnonzero(np.isfinite(panel.path_x) & np.isfinite(panel.path_y))
    look = {
        "symbol": "diamond",
        "size": [11 if i == at else 8 for i in known],
        "color": [colours.ink if i == at else colours.page for i in known],
        "opacity": 1,
        "line": {"color": colours.ink, "width": 1.4},
    }
    return scatter(
        "mean over queries",
        "lines+markers",
        panel.path_x[known],
        panel.path_y[known],
        text=[panel.settings[i] for i in known],
        line={"color": colours.ink, "width": 1.5},
        marker=look,
        hovertemplate="mean, %{text}<br>%{x:.3f}, %{y:.3f}<extra></extra>",
        unselected={"marker": {"opacity": 1}},
    )


def _straight(slope: float, ranges: Ranges, colour: str, dash: str, name: str) -> Layout:
    """The line y = slope · x over the whole width; straight on both kinds of axes."""
    ends = np.array(ranges.x)
    return scatter(name, "lines", ends, slope * ends, line={"color": colour, "width": 1.4, "dash": dash})


def _ring(panel: Panel, in_setting: BoolArray, query: str, ranges: Ranges, colours: Palette) -> Layout:
    at = in_setting & (np.array(panel.query_ids, dtype=object) == query)
    at &= np.isfinite(panel.x) & np.isfinite(panel.y)
    edge = {"color": colours.optimal.line, "width": 2.6}
    return scatter(
        "selected",
        "markers",
        *on_scale(panel.x[at], panel.y[at], ranges),
        marker={"symbol": "circle-open", "size": 15, "line": edge, "color": edge["color"]},
        cliponaxis=False,
        unselected={"marker": {"opacity": 1}},
        meta=CALL_OUT,
    )


# Direct labels.


WIDTHS = (270.0, 310.0)
"""Width of the plotting area of one of three panels, and of one on a phone, in px."""


def panel_labels(
    panel: Panel,
    ranges: Ranges,
    setting: str,
    colours: Palette,
    *,
    identity: bool,
    height: float,
) -> list[Layout]:
    """Names of the mean under the setting, of y = x and of the line of equal chance."""
    frame = Frame(_drawn_range(ranges.x, ranges), _drawn_range(ranges.y, ranges), WIDTHS, height)
    at = panel.position(setting)
    obstacles = [_path_points(panel, ranges), _chosen(panel, at, ranges)]
    lines: list[tuple[float, str, str]] = []
    if identity:
        lines.append((1.0, "y = x", colours.ink))
    slope = float(panel.chance[at]) if at >= 0 else np.nan
    if slope > 0:
        lines.append((slope, "equal chance", colours.optimal.text))
    labels: list[Label] = []
    drawn = [(_straight_points(slope, ranges, frame), text, ink) for slope, text, ink in lines]
    obstacles += [points for points, _, _ in drawn]
    mean = _mean(panel, at, setting, ranges, colours)
    if mean is not None:
        labels.append(mean)
    for points, text, ink in drawn:
        if len(points) > 1:
            spots = beside(points[:, 0], points[:, 1], width=len(text))
            labels.append(Label(html=text, width=len(text), colour=ink, spots=spots))
    spots = place(labels, np.vstack(obstacles), frame)
    return [written(label, spot, colours) for label, spot in zip(labels, spots, strict=True)]


def _mean(panel: Panel, at: int, setting: str, ranges: Ranges, colours: Palette) -> Label | None:
    if at < 0 or not (np.isfinite(panel.path_x[at]) and np.isfinite(panel.path_y[at])):
        return None
    if ranges.axes == "log" and min(panel.path_x[at], panel.path_y[at]) <= 0:
        return None
    x, y = _drawn(panel.path_x[at : at + 1], ranges), _drawn(panel.path_y[at : at + 1], ranges)
    text = f"{plain(setting, longest=16)}, mean {panel.path_y[at]:.3f}"
    spots = around(float(x[0]), float(y[0]), len(text), gap=14)
    return Label(html=f"<b>{text}</b>", width=len(text), colour=colours.ink, spots=spots)


def _drawn(values: FloatArray, ranges: Ranges) -> FloatArray:
    return np.log10(values) if ranges.axes == "log" else values


def _drawn_range(ends: tuple[float, float], ranges: Ranges) -> tuple[float, float]:
    low, high = _drawn(np.array(ends), ranges).tolist()
    return low, high


def _path_points(panel: Panel, ranges: Ranges) -> FloatArray:
    """Points along the path of the means."""
    known = np.isfinite(panel.path_x) & np.isfinite(panel.path_y)
    if ranges.axes == "log":
        known &= (panel.path_x > 0) & (panel.path_y > 0)
    x, y = _drawn(panel.path_x[known], ranges), _drawn(panel.path_y[known], ranges)
    if x.size < 2:
        return np.column_stack([x, y])
    steps: FloatArray = np.linspace(0, x.size - 1, 12 * x.size)
    places = np.arange(x.size)
    return np.column_stack([np.interp(steps, places, x), np.interp(steps, places, y)])


def _chosen(panel: Panel, at: int, ranges: Ranges) -> FloatArray:
    """The coloured points."""
    inside = (panel.setting == at) & np.isfinite(panel.x) & np.isfinite(panel.y)
    if ranges.axes == "log":
        inside &= (panel.x > 0) & (panel.y > 0)
    return np.column_stack([_drawn(panel.x[inside], ranges), _drawn(panel.y[inside], ranges)])


def _straight_points(slope: float, ranges: Ranges, frame: Frame) -> FloatArray:
    """Points of y = slope · x that lie inside the frame."""
    x = np.linspace(*ranges.x, 60) if ranges.axes == "linear" else np.geomspace(*ranges.x, 60)
    points = np.column_stack([_drawn(x, ranges), _drawn(slope * x, ranges)])
    inside = (points[:, 1] > frame.y[0]) & (points[:, 1] < frame.y[1])
    return points[inside]


HEIGHT = 310
MARGIN = {"l": 46, "r": 10, "t": 34, "b": 46}
SOURCES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Effective numbers of sources that a ``share`` axis names."""
SCALE_NAMES: dict[Scale, tuple[str, str]] = {
    "minmax": ("EE-D, min–max", "EAE-D / k"),
    "share": ("EE-D share", "EAE-D share"),
    "k": ("EE-D / k", "EAE-D / k"),
}
"""What the two disparities are called on each scale."""


def axis_names(settings: AttributionSettings) -> tuple[str, str]:
    """Titles of both axes of a panel, with scale and direction.

    Examples:
        >>> axis_names(AttributionSettings(axes="EED-EAED", scale="k"))
        ('EE-D / k  (↓ more equal)', 'EAE-D / k  (↓ more equal)')
        >>> axis_names(AttributionSettings(axes="EER-EAR"))[0]
        'EER@5  (↑ more relevant)'
    """
    given, used = (f"{name}  (↓ more equal)" for name in SCALE_NAMES[settings.scale])
    rate = "EAR  (↑ more of the list used)"
    across = f"{settings.relevance}  (↑ more relevant)" if settings.axes == "EER-EAR" else given
    return across, used if settings.axes == "EED-EAED" else rate


def panel_axes(settings: AttributionSettings) -> tuple[str, str]:
    """What the same axes are called in small panels of many systems.

    Examples:
        >>> panel_axes(AttributionSettings(axes="EED-EAR"))
        ('EE-D share', 'EAR')
    """
    across, up = (name.partition("  ")[0] for name in axis_names(settings))
    return across, up


def shared_ranges(panels: Sequence[Panel], pair: Pair) -> Ranges:
    """Ranges that hold every point of every panel, so that panels can be compared.

    Two disparities have logarithmic axes, which hold the positive values and end at 1.
    """
    kind: Axes = "log" if pair == "EED-EAED" else "linear"
    ends = _log_ends if kind == "log" else _linear_ends
    x, y = (np.concatenate([*values, np.empty(0)]) for values in ([p.x for p in panels], [p.y for p in panels]))
    return Ranges(ends(x[np.isfinite(x)]), ends(y[np.isfinite(y)]), kind)


def n_off_scale(panel: Panel, ranges: Ranges) -> int:
    """Points that a logarithmic chart cannot hold: drawn as marks on its edge, and counted."""
    if ranges.axes == "linear":
        return 0
    known = np.isfinite(panel.x) & np.isfinite(panel.y)
    below = (panel.x < ranges.x[0]) | (panel.y < ranges.y[0])
    return int((known & below).sum())


def attribution_figure(
    panel: Panel,
    settings: AttributionSettings,
    *,
    setting: str,
    colours: Palette,
    ranges: Ranges | None = None,
    selected: str | None = None,
) -> "go.Figure":
    """One panel.

    The line y = x stands where both axes are disparities; the line of equal chance, y = EAR²·x,
    where the panel has one.

    Args:
        panel: The points of a generator.
        settings: What stands on the axes.
        setting: Whose points are coloured.
        colours: Light or dark.
        ranges: From :func:`shared_ranges` over all panels of the row; None: it stands alone.
        selected: Query to ring.
    """
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    pair, sources = settings.axes, settings.scale == "share"
    ranges = ranges or shared_ranges([panel], pair)
    across, up = axis_names(settings)
    layout = base_layout(colours, height=HEIGHT, margin=MARGIN)
    layout["xaxis"] = _axis(colours, ranges.x, ranges.axes, across, sources=sources and pair != "EER-EAR")
    layout["yaxis"] = _axis(colours, ranges.y, ranges.axes, "", sources=sources and pair == "EED-EAED")
    identity = pair == "EED-EAED"
    plot_height = HEIGHT - MARGIN["t"] - MARGIN["b"]
    layout["annotations"] = [
        y_title(colours, up),
        *panel_labels(panel, ranges, setting, colours, identity=identity, height=plot_height),
    ]
    traces = panel_traces(panel, ranges, setting, colours, identity=identity, selected=selected)
    return go.Figure({"data": traces, "layout": layout})


def attribution_alt(panel: Panel, settings: AttributionSettings, *, setting: str) -> str:
    """What one panel shows, in words."""
    across, up = (name.split("  ")[0] for name in axis_names(settings))
    text = f"{panel.name}: {up} against {across} for {plural(panel.n_points(setting), 'query', 'queries')}, {setting}"
    at = panel.position(setting)
    if at >= 0 and not np.isnan(panel.path_x[at]):
        text += f"; mean {panel.path_x[at]:.3f}, {panel.path_y[at]:.3f}"
    return text + "."


def use_figure(panel: Panel, settings: AttributionSettings, *, colours: Palette) -> "go.Figure":
    """The only system of a task, its first setting coloured."""
    return attribution_figure(panel, settings, setting=panel.settings[0], colours=colours)


def use_alt(panel: Panel, settings: AttributionSettings) -> str:
    """The same in words."""
    return attribution_alt(panel, settings, setting=panel.settings[0])


def _log_ends(values: FloatArray) -> tuple[float, float]:
    positive = values[values > 0]
    low = float(np.quantile(positive, 0.005)) if positive.size else 0.01
    return low / 1.3, max(float(positive.max(initial=0)), 1.0) * 1.25


def _linear_ends(values: FloatArray) -> tuple[float, float]:
    low = min(float(values.min(initial=0.0)), 0.0)
    high = float(values.max(initial=low))
    span = max(high - low, 0.05)
    return low - 0.04 * span, high + 0.06 * span


def _axis(colours: Palette, bounds: tuple[float, float], axes: Axes, title: str, *, sources: bool) -> Layout:
    """An axis; where it is a share, ticks are 1 / an effective number of sources."""
    if axes == "linear":
        drawn = axis(colours, title=title, bounds=bounds, nticks=5)
        low, high = bounds
    else:
        low, high = float(np.log10(bounds[0])), float(np.log10(bounds[1]))
        drawn = axis(colours, title=title, bounds=(low, high), type="log")
    if sources:
        return drawn | _source_ticks(bounds, log=axes == "log")
    if axes == "linear":
        return drawn
    steps = (1, 3) if high - low > 1.2 else (1, 2, 5)
    ticks = [m * 10.0**e for e in range(-8, 2) for m in steps]
    ticks = [tick for tick in ticks if bounds[0] <= tick <= bounds[1]]
    return drawn | {"tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}


def _source_ticks(bounds: tuple[float, float], *, log: bool) -> Layout:
    sources = [n for n in SOURCES if bounds[0] <= 1 / n <= bounds[1]]
    if not log:  # far out the shares lie too close to each other
        sources = [n for n in sources if n in (1, 2, 3, 5, 10)]
    return {
        "tickvals": [1 / n for n in sources],
        "ticktext": [f"1/{n}" if n > 1 else "1" for n in sources],
    }


RANK_HEIGHT = 215


def cited_by_rank_figure(shares: FloatArray, *, highest: float, colours: Palette) -> "go.Figure":
    """Bars of the share of answers that cite rank r; the first and the last are named.

    Args:
        shares: (k) share of answers that cite the item at rank 1 … k, NaN = nobody was given one.
        highest: Largest share over all panels of the row, so that they have one y-range.
        colours: Light or dark.
    """
    ranks = np.arange(1, shares.size + 1)
    known = np.flatnonzero(np.isfinite(shares))
    ends = {int(known[0]), int(known[-1])} if known.size else set[int]()
    own = colours.plackett_luce
    # The first and the last carry their number; the pale bars between them give the shape.
    fills = [own.line if i in ends else colours.grades[1] for i in range(shares.size)]
    layout = base_layout(colours, height=RANK_HEIGHT, margin={"t": 42, "r": 8, "l": 46})
    layout["bargap"] = 0.2
    layout["xaxis"] = axis(
        colours,
        title="retrieval rank",
        bounds=(0.3, shares.size + 0.7),
        showgrid=False,
        tickvals=[1, *range(5, shares.size + 1, 5)] if shares.size > 6 else ranks.tolist(),
    )
    layout["yaxis"] = axis(
        colours,
        bounds=(0.0, min(1.16 * max(highest, 0.05), 1.16)),
        nticks=4,
        tickformat=".0%",
        showline=False,
    )
    layout["annotations"] = [y_title(colours, "share of answers that cite it")]
    layout["annotations"] += [_percent(i, float(shares[i]), colours) for i in sorted(ends)]
    bars: Layout = {
        "type": "bar",
        "name": "cited",
        "x": ranks,
        "y": shares,
        "marker": {"color": fills, "line": {"width": 1, "color": own.line}},
        "hovertemplate": "rank %{x}: cited in %{y:.1%} of answers<extra></extra>",
    }
    import plotly.graph_objects as go  # only where a chart is drawn: tables and reports of the core have none

    return go.Figure({"data": [bars], "layout": layout})


def cited_by_rank_alt(name: str, shares: FloatArray) -> str:
    """What the chart shows, in words."""
    known = np.flatnonzero(np.isfinite(shares))
    if not known.size:
        return f"{name}: no answer was given a list."
    first, last = int(known[0]), int(known[-1])
    return (
        f"{name}: the item at rank {first + 1} is cited in {shares[first]:.0%} of answers, "
        f"the item at rank {last + 1} in {shares[last]:.0%}."
    )


def _percent(position: int, share: float, colours: Palette) -> Layout:
    return note(
        colours,
        f"<b>{100 * share:.0f} %</b>",
        x=position + 1,
        y=share,
        yanchor="bottom",
        yshift=1,
        font={"size": SMALL_SIZE, "color": colours.plackett_luce.text},
    )
