"""Paired gaps between two groups in every condition: who asked whom, with or without a remedy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.labels import CHARACTER
from fairviz.figures.theme import Layout, Palette, axis, base_layout, plain
from fairviz.figures.variant_pairs import two_lines

GAP_ROW = 40
"""Height of a row with one mark in px."""
STEP = 0.24
"""Distance of two marks of one row, as a share of the row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GapMark:
    """One paired gap.

    Attributes:
        row: Name of the row, such as the model.
        condition: What tells the marks of a row apart, such as the strategy; "" for none.
        gap: First minus second, in points.
        low: Lower end of its interval, NaN = none.
        high: Upper end.
        remedy: Whether the condition is a remedy (filled) and not the plain one (hollow).
        pair: Which groups, for the pointer ("White − Black").
        small: Whether a group is too small to be relied on.
    """

    row: str
    condition: str
    gap: float
    low: float
    high: float
    remedy: bool = False
    pair: str = ""
    small: bool = False


def gaps_span(panels: Sequence[Sequence[GapMark]]) -> tuple[float, float]:
    """One range of points for all panels that holds every interval and 0."""
    held = [x for marks in panels for mark in marks for x in (mark.gap, mark.low, mark.high)]
    known = [x for x in held if not np.isnan(x)]
    low, high = min([0.0, *known]), max([0.0, *known])
    room = 0.06 * max(high - low, 1.0)
    return low - room, high + room


def gaps_figure(marks: Sequence[GapMark], *, span: tuple[float, float], colours: Palette) -> go.Figure:
    """A row per model: hollow the plain condition, filled the remedies, zero an ink line.

    Args:
        marks: In the order of their rows, and within a row of their conditions.
        span: Range of points, the same for every panel.
        colours: Light or dark.
    """
    rows = list(dict.fromkeys(mark.row for mark in marks))
    places = _places(marks, rows)
    names = ["<br>".join(two_lines(name)) for name in rows]
    left = max((len(part) for name in rows for part in two_lines(name)), default=0) * CHARACTER
    most = max((sum(mark.row == row for mark in marks) for row in rows), default=1)
    layout = base_layout(
        colours,
        height=round(max(len(rows), 1) * (GAP_ROW + 12 * (most - 1))) + 56,
        margin={"l": round(left) + 14, "r": 14, "t": 8, "b": 46},
    )
    layout["xaxis"] = axis(colours, title="gap in points", bounds=span, nticks=6)
    layout["yaxis"] = axis(
        colours,
        bounds=(len(rows) - 0.4, -0.6),
        tickvals=list(range(len(rows))),
        ticktext=names,
        showgrid=False,
        showline=False,
        ticks="",
        tickfont={"size": 13, "color": colours.ink},
    )
    layout["shapes"] = [
        {
            "type": "line",
            "x0": 0,
            "x1": 0,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "layer": "below",
            "line": {"color": colours.ink, "width": 1.4},
        }
    ]
    return go.Figure(
        {"data": [*_gap_intervals(marks, places, colours), _gap_marks(marks, places, colours)], "layout": layout}
    )


def gaps_alt(marks: Sequence[GapMark], title: str) -> str:
    """What the chart shows, in words."""
    rows = "; ".join(
        f"{mark.row}{f' {mark.condition}' if mark.condition else ''} {_points(mark.gap)}"
        + (f" ({_points(mark.low)} to {_points(mark.high)})" if not np.isnan(mark.low) else "")
        for mark in marks
    )
    return f"{title}, points: {rows or 'no condition'}."


def _places(marks: Sequence[GapMark], rows: list[str]) -> list[float]:
    """Height of each mark: its row's, spread over the conditions of the row."""
    found: list[float] = []
    for mark in marks:
        same = [other for other in marks if other.row == mark.row]
        at = next(i for i, other in enumerate(same) if other is mark)
        found.append(rows.index(mark.row) + STEP * (at - (len(same) - 1) / 2))
    return found


def _gap_intervals(marks: Sequence[GapMark], places: list[float], colours: Palette) -> list[Layout]:
    """One trace for plain conditions, one for remedies, cut by None."""
    found: list[Layout] = []
    for remedy, name in ((False, "intervals"), (True, "intervals of remedies")):
        x: list[float | None] = []
        y: list[float | None] = []
        for mark, at in zip(marks, places, strict=True):
            if mark.remedy == remedy and not np.isnan(mark.low):
                x += [mark.low, mark.high, None]
                y += [at, at, None]
        if x:
            colour = colours.agree if remedy else colours.faint
            found.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": name,
                    "x": x,
                    "y": y,
                    "line": {"width": 3, "color": colour},
                    "hoverinfo": "skip",
                }
            )
    return found


def _gap_marks(marks: Sequence[GapMark], places: list[float], colours: Palette) -> Layout:
    lines = [colours.agree if mark.remedy else (colours.faint if mark.small else colours.ink) for mark in marks]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "gaps",
        "x": [mark.gap for mark in marks],
        "y": places,
        "marker": {
            "size": 11,
            "color": [colours.agree if mark.remedy else colours.page for mark in marks],
            "line": {"width": 2, "color": lines},
        },
        "customdata": [[plain(mark.row), plain(mark.condition), plain(mark.pair), _points(mark.gap)] for mark in marks],
        "hovertemplate": "%{customdata[0]} %{customdata[1]}<br>%{customdata[2]}: %{customdata[3]} "
        "points<extra></extra>",
        "cliponaxis": False,
    }


def _points(value: float) -> str:
    if np.isnan(value):
        return "undefined"
    text = f"{abs(value):.1f}"
    return f"\N{MINUS SIGN}{text}" if value < 0 and float(text) else text
