"""A triangle of coloured cells: how much two variants of a question retrieve in common."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.display.labels import CHARACTER
from fairviz.display.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, cell_fill, ink_on, plain
from fairviz.display.words import plural
from fairviz.model import FloatArray

OVERLAP_CELL = 34
"""Height of a cell in px."""
LONGEST_VALUE = 20
"""Characters of a value's name."""
TILT = -35
"""Degrees that names below a triangle are turned by."""


# How much two variants of a question retrieve in common: a triangle of cells.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OverlapView:
    """Overlap of every two variants.

    Attributes:
        names: N values, the condition without attribute first.
        percent: (N, N) symmetric, percent; NaN where two were never compared.
        floor: The overlap that gets the strongest colour; 100 gets none.
        k: Documents compared.
    """

    names: tuple[str, ...]
    percent: FloatArray
    floor: float
    k: int


def overlap_floor(matrices: list[FloatArray]) -> float:
    """The end of the colour scale that all matrices share: tens of percent below their least.

    Examples:
        >>> overlap_floor([np.array([[100.0, 66.1], [66.1, 100.0]])])
        60.0
    """
    defined = [matrix[~np.isnan(matrix)] for matrix in matrices]
    least = min((float(values.min()) for values in defined if values.size), default=0.0)
    return max(float(10 * np.floor(least / 10)), 0.0) if least < 100 else 90.0


def overlap_figure(view: OverlapView, *, colours: Palette, height: int | None = None) -> go.Figure:
    """The lower triangle: the stronger the colour, the less two variants have in common.

    Args:
        view: Names and overlaps.
        colours: Light or dark.
        height: Of the chart in px; None = 34 px a value.
    """
    names = [plain(name, longest=LONGEST_VALUE) for name in view.names]
    n = max(len(names) - 1, 0)  # the first value has no row, the last no column
    longest = max((min(len(name), LONGEST_VALUE) for name in view.names), default=0) * CHARACTER
    below = round(0.6 * longest) + 26
    layout = base_layout(
        colours,
        height=height or max(n, 1) * OVERLAP_CELL + below + 12,
        margin={"l": round(longest) + 14, "t": 8, "b": below, "r": 12},
    )
    bare: Layout = {
        "showgrid": False,
        "showline": False,
        "ticks": "",
        "tickvals": list(range(n)),
    }
    layout["xaxis"] = axis(colours, bounds=(-0.5, n - 0.5), ticktext=names[:-1], tickangle=TILT, **bare)
    layout["yaxis"] = axis(colours, bounds=(n - 0.5, -0.5), ticktext=names[1:], **bare)
    pairs = [(i, j) for i in range(1, n + 1) for j in range(i)]
    if not pairs:
        return go.Figure({"data": [], "layout": layout})
    defined = [(i, j) for i, j in pairs if not np.isnan(view.percent[i, j])]
    data = [_overlap_cells(view, colours), _overlap_numbers(view, defined, colours)]
    undefined = [pair for pair in pairs if pair not in defined]
    if undefined:
        data.append(_undefined(undefined, colours))
    return go.Figure({"data": data, "layout": layout})


def overlap_alt(view: OverlapView) -> str:
    """What the chart shows, in words."""
    pairs = [
        (float(view.percent[i, j]), view.names[j], view.names[i])
        for i in range(len(view.names))
        for j in range(i)
        if not np.isnan(view.percent[i, j])
    ]
    if not pairs:
        return "Overlap of retrieved documents: no two variants were compared."
    low, high = min(pairs), max(pairs)
    return (
        f"Overlap of the first {view.k} documents of {plural(len(pairs), 'pair')} of variants, from "
        f"{low[0]:.0f} % ({low[1]} and {low[2]}) to {high[0]:.0f} % ({high[1]} and {high[2]})."
    )


def _strength(percent: float, floor: float) -> float:
    """0 at full overlap, 1 at the floor."""
    return float(np.clip((100 - percent) / (100 - floor), 0.0, 1.0))


def _overlap_cells(view: OverlapView, colours: Palette) -> Layout:
    lower = np.tril(np.ones_like(view.percent), -1) > 0
    triangle = np.where(lower, view.percent, np.nan)[1:, :-1]
    return {
        "type": "heatmap",
        "name": "overlap",
        "z": triangle,
        "zmin": view.floor,
        "zmax": 100,
        "colorscale": [[0, colours.agree], [1, cell_fill(0.06, colours)]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hoverinfo": "skip",
    }


def _overlap_numbers(view: OverlapView, pairs: list[tuple[int, int]], colours: Palette) -> Layout:
    values = [float(view.percent[pair]) for pair in pairs]
    fills = [cell_fill(max(_strength(value, view.floor), 0.06), colours) for value in values]
    return {
        "type": "scatter",
        "mode": "text",
        "name": "numbers",
        "x": [j for _, j in pairs],
        "y": [i - 1 for i, _ in pairs],
        "text": [f"{value:.0f}" for value in values],
        "textfont": {"size": SMALL_SIZE, "color": [ink_on(fill) for fill in fills]},
        "customdata": [
            [plain(view.names[j]), plain(view.names[i]), value] for (i, j), value in zip(pairs, values, strict=True)
        ],
        "hovertemplate": "%{customdata[0]} and %{customdata[1]}<br>%{customdata[2]:.1f} % in common<extra></extra>",
    }


def _undefined(pairs: list[tuple[int, int]], colours: Palette) -> Layout:
    return {
        "type": "bar",
        "name": "undefined",
        "x": [j for _, j in pairs],
        "base": [i - 1.46 for i, _ in pairs],
        "y": [0.92] * len(pairs),
        "width": 0.92,
        "marker": {
            "color": colours.page,
            "line": {"width": 0},
            "pattern": {"shape": "/", "fgcolor": colours.unknown, "size": 6, "solidity": 0.3},
        },
        "hovertemplate": "never compared<extra></extra>",
    }
