"""Scatter panels of consumption: what a generator was given against what it used.

One panel per generator, all on the same ranges. Each point is a query under one setting; those of
the chosen setting are coloured, the others grey, and the path of the means runs through them.
Disparity of use needs logarithmic axes: it is often a hundredth of that of exposure.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from fairviz.analysis.output_panels import Pair, Panel
from fairviz.figures.attribution_labels import panel_labels
from fairviz.figures.attribution_marks import Axes, Ranges, panel_traces
from fairviz.figures.theme import Layout, Palette, axis, base_layout, y_title
from fairviz.metrics.consumption import Scale
from fairviz.model import FloatArray

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


class AxisNames(NamedTuple):
    """Titles of both axes, with scale and direction."""

    x: str
    y: str


def axis_names(pair: Pair, scale: Scale) -> AxisNames:
    """Titles of the axes of a panel.

    Examples:
        >>> axis_names("EED-EAED", "k")
        AxisNames(x='EE-D / k  (↓ more equal)', y='EAE-D / k  (↓ more equal)')
        >>> axis_names("EER-EAR", "share").x
        'EE-R  (↑ more useful)'
    """
    given, used = (f"{name}  (↓ more equal)" for name in SCALE_NAMES[scale])
    rate = "EAR  (↑ more of the list used)"
    match pair:
        case "EED-EAED":
            return AxisNames(given, used)
        case "EED-EAR":
            return AxisNames(given, rate)
        case "EER-EAR":
            return AxisNames("EE-R  (↑ more useful)", rate)


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
    *,
    ranges: Ranges,
    pair: Pair,
    scale: Scale,
    setting: str,
    colours: Palette,
    selected: str | None = None,
    height: int = HEIGHT,
) -> go.Figure:
    """One panel.

    The line y = x stands where both axes are disparities; the line of equal chance, y = EAR²·x,
    where the panel has one.

    Args:
        panel: The points of a generator.
        ranges: From :func:`shared_ranges` over all panels of the row.
        pair: What the axes are.
        scale: Scale of the disparities, named on the axes.
        setting: Whose points are coloured.
        colours: Light or dark.
        selected: Query to ring.
        height: Of the chart in px.
    """
    names = axis_names(pair, scale)
    sources = scale == "share"
    layout = base_layout(colours, height=height, margin=MARGIN)
    layout["xaxis"] = _axis(colours, ranges.x, ranges.axes, names.x, sources=sources and pair != "EER-EAR")
    layout["yaxis"] = _axis(colours, ranges.y, ranges.axes, "", sources=sources and pair == "EED-EAED")
    identity = pair == "EED-EAED"
    plot_height = height - MARGIN["t"] - MARGIN["b"]
    layout["annotations"] = [
        y_title(colours, names.y),
        *panel_labels(panel, ranges, setting, colours, identity=identity, height=plot_height),
    ]
    traces = panel_traces(panel, ranges, setting, colours, identity=identity, selected=selected)
    return go.Figure({"data": traces, "layout": layout})


def attribution_alt(panel: Panel, *, pair: Pair, scale: Scale, setting: str) -> str:
    """What one panel shows, in words."""
    names = axis_names(pair, scale)
    text = (
        f"{panel.name}: {names.y.split('  ')[0]} against {names.x.split('  ')[0]} for "
        f"{panel.n_points(setting)} queries, {setting}"
    )
    at = panel.position(setting)
    if at >= 0 and not np.isnan(panel.path_x[at]):
        text += f"; mean {panel.path_x[at]:.3f}, {panel.path_y[at]:.3f}"
    return text + "."


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
    shown = [n for n in SOURCES if bounds[0] <= 1 / n <= bounds[1]]
    if not log:  # far out the shares lie too close to each other
        shown = [n for n in shown if n in (1, 2, 3, 5, 10)]
    return {
        "tickvals": [1 / n for n in shown],
        "ticktext": [f"1/{n}" if n > 1 else "1" for n in shown],
    }
