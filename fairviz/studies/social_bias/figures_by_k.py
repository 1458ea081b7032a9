"""A measure of answers by number of retrieved documents (Zhang et al. 2025, Figures 3–7)."""

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from fairviz.show.labels import LINE
from fairviz.show.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, note, plain, rgba
from fairviz.show.words import in_words
from fairviz.studies.social_bias.by_k import KLine
from fairviz.studies.social_bias.figures_slopes import range_with_zero
from fairviz.studies.social_bias.labels import short_column
from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.rows import is_without_rag

HEIGHT = 240
AIR = 0.08
"""Part of the range kept empty at either end."""

TOP, BELOW, RIGHT = 10, 40, 66
LONGEST = 10
TITLE = "k, documents retrieved"


def k_bounds(lines: Sequence[KLine], measure: BiasMeasure) -> tuple[float, float]:
    """Range of the y axis: 0 and every interval; accuracy has 0 to 100."""
    if measure.startswith("acc"):
        return (0.0, 100.0)
    return range_with_zero([values for line in lines for values in (line.values, line.low, line.high)], air=AIR)


def by_k_figure(
    lines: Sequence[KLine],
    measure: BiasMeasure,
    *,
    bounds: tuple[float, float],
    colours: Palette,
    height: int = HEIGHT,
) -> go.Figure:
    """A line per setting with its 95 % band, and the value without retrieval as a level.

    Args:
        lines: The settings; their order is the order of drawing.
        measure: What is drawn.
        bounds: Range of the y axis.
        colours: Light or dark.
        height: Of the chart in px.
    """
    ks = sorted({float(k) for line in lines for k in line.k.tolist()}) or [0.0, 1.0]
    pad = max(0.04 * (ks[-1] - ks[0]), 0.3)
    ends = (ks[0] - pad, ks[-1] + pad)
    margin = {"l": 34, "r": RIGHT, "t": TOP, "b": BELOW}
    layout = base_layout(colours, height=height, margin=margin)
    layout["xaxis"] = axis(
        colours,
        title=TITLE,
        bounds=ends,
        showgrid=False,
        tickvals=ks,
        ticktext=[f"{k:g}" for k in ks],
    )
    layout["yaxis"] = axis(colours, bounds=bounds, showline=False, ticks="", nticks=6)
    if not measure.startswith("acc"):
        zero = {"color": colours.ink, "width": 1.2}
        layout["shapes"] = [
            {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0, "y1": 0, "layer": "below", "line": zero}
        ]
    layout["annotations"] = _labels(lines, bounds, height, colours)
    data = [trace for line in lines for trace in _traces(line, ends, colours)]
    return go.Figure({"data": data, "layout": layout})


def by_k_alt(lines: Sequence[KLine], label: str) -> str:
    """What the chart shows, in words."""
    parts: list[str] = []
    for line in lines:
        if line.flat:
            parts.append(f"{short_column(line.name)} {in_words(float(line.values[0]))}")
            continue
        points = (
            f"{in_words(value)} at k = {k:g}" for k, value in zip(line.k.tolist(), line.values.tolist(), strict=True)
        )
        parts.append(f"{short_column(line.name)} {', '.join(points)}")
    return f"{label} by number of retrieved documents, in percent. {'; '.join(parts)}."


def setting_style(name: str, colours: Palette) -> tuple[str, str, str]:
    """Line colour, text colour and dash of a setting: the sign of its documents; ink for all."""
    short = short_column(name).casefold()
    if short.startswith("stereo"):
        return (colours.optimal.line, colours.optimal.text, "solid")
    if short.startswith("anti"):
        return (colours.plackett_luce.line, colours.plackett_luce.text, "dot")
    if is_without_rag(name) or not short:
        return (colours.ink, colours.ink, "dash")
    return (
        (colours.ink, colours.ink, "8px,3px") if short == "full" else (colours.faint, colours.mute, "8px,3px,2px,3px")
    )


def _traces(line: KLine, ends: tuple[float, float], colours: Palette) -> list[Layout]:
    hue, _, dash = setting_style(line.name, colours)
    if line.flat:
        value = float(line.values[0])
        return [
            {
                "type": "scatter",
                "mode": "lines",
                "name": plain(line.name),
                "x": list(ends),
                "y": [value, value],
                "line": {"width": 1.4, "color": hue, "dash": dash},
                "hovertemplate": f"no RAG: {in_words(value)}<extra></extra>",
            }
        ]
    band: Layout = {
        "type": "scatter",
        "mode": "lines",
        "name": "interval",
        "x": np.concatenate([line.k, line.k[::-1]]),
        "y": np.concatenate([line.high, line.low[::-1]]),
        "fill": "toself",
        "fillcolor": rgba(hue, 0.12),
        "line": {"width": 0, "color": hue},
        "hoverinfo": "skip",
    }
    points: Layout = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": plain(line.name),
        "x": line.k,
        "y": line.values,
        "line": {"width": 2.2, "color": hue, "dash": dash},
        "marker": {"size": 8, "color": hue},
        "hovertemplate": f"{plain(line.name, longest=30)}<br>k = %{{x:g}}: %{{y:.1f}}<extra></extra>",
        "cliponaxis": False,
    }
    return [points] if np.isnan(line.low).all() else [band, points]


def _labels(lines: Sequence[KLine], bounds: tuple[float, float], height: int, colours: Palette) -> list[Layout]:
    """Names at the right end of the lines, pushed apart where they would touch."""
    named = [(float(line.values[-1]), line.name) for line in lines if line.values.size]
    named = sorted((pair for pair in named if not math.isnan(pair[0])), reverse=True)
    step = (LINE - 2) * (bounds[1] - bounds[0]) / (height - TOP - BELOW)
    places = apart([value for value, _ in named], step, bounds)
    return [
        note(
            colours,
            plain(short_column(name) or "no RAG", longest=LONGEST),
            xref="paper",
            x=1,
            xanchor="left",
            xshift=6,
            y=y,
            yanchor="middle",
            font={"size": SMALL_SIZE, "color": setting_style(name, colours)[1]},
        )
        for (_, name), y in zip(named, places, strict=True)
    ]


def apart(values: Sequence[float], step: float, bounds: tuple[float, float]) -> list[float]:
    """Falling places at least a step apart, near their values and inside the bounds.

    Examples:
        >>> apart([5.0, 4.9, 0.0], 1.0, (-10, 10))
        [5.0, 4.0, 0.0]
        >>> apart([-9.5, -9.8], 1.0, (-10.0, 10.0))
        [-9.0, -10.0]
    """
    places: list[float] = []
    for value in values:
        places.append(min(value, places[-1] - step) if places else min(value, bounds[1]))
    floor = bounds[0]
    for i in range(len(places) - 1, -1, -1):
        places[i] = max(places[i], floor)
        floor = places[i] + step
    return places
