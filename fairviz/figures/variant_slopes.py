"""One number against k, a line per retriever: overlap, disparity or score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.group_hues import MARKERS
from fairviz.figures.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, note, plain

HEIGHT = 210
LONGEST_LINE = 22
DASHES = ("solid", "7px,4px", "2px,4px")
"""Lines are told apart by dash and by the name at their end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopeLine:
    """Values of one retriever by k.

    Attributes:
        name: The retriever.
        k: Documents given, rising.
        values: The number at each k, NaN = not measured.
    """

    name: str
    k: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopePanel:
    """One number of every retriever.

    Attributes:
        title: What it is, with its direction ("DP, points ↓").
        lines: One per retriever.
        decimals: Digits of the numbers at the ends.
    """

    title: str
    lines: tuple[SlopeLine, ...]
    decimals: int = 1


def slopes_figure(panel: SlopePanel, *, colours: Palette, height: int = HEIGHT) -> go.Figure:
    """Lines over k with the numbers at both ends and the names above the last point.

    Args:
        panel: The lines.
        colours: Light or dark.
        height: Of the chart in px.
    """
    every = sorted({k for line in panel.lines for k in line.k})
    known = [v for line in panel.lines for v in line.values if not np.isnan(v)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = max(high - low, 0.02 * max(abs(high), 1e-9))
    first, last = (every[0], every[-1]) if every else (0, 1)
    wide = max(last - first, 1)
    layout = base_layout(colours, height=height, margin={"l": 10, "r": 10, "t": 26, "b": 44})
    layout["xaxis"] = axis(
        colours,
        title="k, documents given",
        bounds=(first - 0.24 * wide, last + 0.24 * wide),
        tickvals=every,
        showgrid=False,
    )
    layout["yaxis"] = axis(
        colours,
        bounds=(low - 0.5 * room, high + 0.32 * room),
        showticklabels=False,
        ticks="",
        showline=False,
        showgrid=False,
    )
    layout["annotations"] = [
        note(
            colours,
            f"<b>{plain(panel.title)}</b>",
            x=0,
            xref="paper",
            xanchor="left",
            y=1,
            yref="paper",
            yanchor="bottom",
            yshift=6,
        ),
        *(text for lines in _alike(panel.lines) for text in _texts(lines, panel, colours)),
    ]
    data = [_line(line, i, panel, colours) for i, line in enumerate(panel.lines)]
    return go.Figure({"data": data, "layout": layout})


def slopes_alt(panel: SlopePanel) -> str:
    """What the chart shows, in words."""
    lines = "; ".join(
        f"{line.name}: "
        + ", ".join(
            f"{_slope_text(value, panel.decimals)} at k = {k}" for k, value in zip(line.k, line.values, strict=True)
        )
        for line in panel.lines
    )
    return f"{panel.title} by k. {lines or 'No retriever'}."


def _line(line: SlopeLine, place: int, panel: SlopePanel, colours: Palette) -> Layout:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": line.name,
        "x": list(line.k),
        "y": list(line.values),
        "line": {"width": 2.2, "color": colours.agree, "dash": DASHES[place % len(DASHES)]},
        "marker": {"size": 9, "symbol": MARKERS[place % len(MARKERS)], "color": colours.agree},
        "hovertemplate": f"{plain(line.name)}, k = %{{x}}<br>%{{y:.{panel.decimals}f}}<extra></extra>",
    }


def _alike(lines: Sequence[SlopeLine]) -> list[list[SlopeLine]]:
    """Lines that lie upon each other share their numbers and their label."""
    found: dict[tuple[tuple[int, ...], tuple[str, ...]], list[SlopeLine]] = {}
    for line in lines:
        key = line.k, tuple(f"{value:.6f}" for value in line.values)
        found.setdefault(key, []).append(line)
    return list(found.values())


def _texts(lines: list[SlopeLine], panel: SlopePanel, colours: Palette) -> list[Layout]:
    """The numbers beside the first and last point, the names above the middle one."""
    line, name = lines[0], ", ".join(each.name for each in lines)
    known = [(k, v) for k, v in zip(line.k, line.values, strict=True) if not np.isnan(v)]
    if not known:
        return []
    font = {"size": SMALL_SIZE, "color": colours.ink}
    ends = [(known[0], "right", -9), (known[-1], "left", 9)][2 - min(len(known), 2) :]
    found = [
        note(
            colours,
            _slope_text(value, panel.decimals),
            x=k,
            y=value,
            xanchor=anchor,
            yanchor="middle",
            xshift=shift,
            font=font,
        )
        for (k, value), anchor, shift in ends
    ]
    k, value, above = _clear(known, [each for each in panel.lines if each not in lines])
    found.append(
        note(
            colours,
            plain(name, longest=LONGEST_LINE),
            x=k,
            y=value,
            xanchor="center",
            yanchor="bottom" if above else "top",
            yshift=9 if above else -9,
            font={"size": SMALL_SIZE, "color": colours.mute},
        )
    )
    return found


def _clear(known: list[tuple[int, float]], others: list[SlopeLine]) -> tuple[int, float, bool]:
    """Where a line is farthest from all others, and whether its name goes above it there."""

    def gaps(place: tuple[int, float]) -> list[float]:
        k, value = place
        return [v - value for o in others for x, v in zip(o.k, o.values, strict=True) if x == k]

    def room(place: tuple[int, float]) -> float:
        return min((abs(gap) for gap in gaps(place) if not np.isnan(gap)), default=np.inf)

    middle = known[len(known) // 2] if len(known) > 2 else known[0]
    best = max([middle, *known], key=room)
    if room(middle) > 0.6 * room(best):
        best = middle
    nearest = min((gap for gap in gaps(best) if not np.isnan(gap)), key=abs, default=-1.0)
    return best[0], best[1], nearest <= 0 or room(best) == np.inf


def _slope_text(value: float, decimals: int) -> str:
    return "undefined" if np.isnan(value) else f"{value:.{decimals}f}"
