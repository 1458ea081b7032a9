"""Grids of coloured cells: what two variants retrieve in common, and what a strategy adds to the score."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.model import FloatArray
from fairviz.show.fills import cell_fill, ink_on
from fairviz.show.labels import CHARACTER
from fairviz.show.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, note, plain

OVERLAP_CELL = 34
"""Height of a cell in px."""
LONGEST_VALUE = 20
"""Characters of a value's name."""
TILT = -35
"""Degrees that names below a triangle are turned by."""
CELL = 30
"""Height of a cell in px."""
LONGEST = 26
"""Characters of a row's name."""
WORD = 10
"""Characters of a line in a column's heading."""
STRONGEST = 0.85
"""Share of the end colour that the largest difference gets: numbers stay readable on it."""


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
        f"Overlap of the first {view.k} documents of {len(pairs)} pairs of variants, from "
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


# Scores by strategy: a row per model and dataset, coloured by what a strategy adds to the first.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreGrid:
    """A table of scores to be read as a picture.

    Attributes:
        rows: R names.
        heads: A heading above some of the rows ("DeepSeek-R1-8B"), by the row's position.
        columns: C strategies, the one that others are compared with first.
        values: (R, C) scores, NaN = not measured.
        scale: The difference from the first column, in points, that gets the strongest colour.
        flags: (row, column) of cells that the text contradicts, marked with an asterisk.
        decimals: Digits of a score.
    """

    rows: tuple[str, ...]
    heads: dict[int, str]
    columns: tuple[str, ...]
    values: FloatArray
    scale: float
    flags: frozenset[tuple[int, int]] = frozenset()
    decimals: int = 1


def grid_scale(values: FloatArray) -> float:
    """The largest difference from the first column, in whole points; 1 at least.

    Examples:
        >>> grid_scale(np.array([[21.5, 23.2, 26.6]]))
        6.0
    """
    gaps = np.abs(values - values[:, :1]) if values.size else np.zeros((0, 1))
    defined = gaps[~np.isnan(gaps)]
    return max(float(np.ceil(defined.max(initial=0.0) - 1e-9)), 1.0)


def scores_figure(grid: ScoreGrid, *, colours: Palette) -> go.Figure:
    """Cells with their scores; teal above the first column, amber below, row's best in bold.

    Args:
        grid: Names and scores.
        colours: Light or dark.
    """
    n, width = len(grid.rows), len(grid.columns)
    places = _places(grid)
    names = [plain(name, longest=LONGEST) for name in grid.rows]
    left = max((min(len(name), LONGEST) for name in grid.rows), default=0) * CHARACTER
    tall = places[-1] + 1 if places else 1
    layout = base_layout(
        colours,
        height=round(tall * CELL) + 74,
        margin={"l": round(left) + 14, "r": 10, "t": 58, "b": 8},
    )
    layout["xaxis"] = axis(
        colours,
        bounds=(-0.5, width - 0.5),
        tickvals=list(range(width)),
        ticktext=[_broken(name) for name in grid.columns],
        side="top",
        showgrid=False,
        showline=False,
        ticks="",
        tickfont={"size": SMALL_SIZE, "color": colours.mute},
        tickangle=0,
    )
    layout["yaxis"] = axis(
        colours,
        bounds=(tall - 0.5, -0.5),
        tickvals=places,
        ticktext=names,
        showgrid=False,
        showline=False,
        ticks="",
        tickfont={"size": SMALL_SIZE, "color": colours.ink},
    )
    layout["annotations"] = [
        note(
            colours,
            f"<b>{plain(head, longest=40)}</b>",
            x=0,
            xref="paper",
            xanchor="left",
            xshift=-round(left) - 8,
            y=places[row] - 0.95,
            yanchor="middle",
        )
        for row, head in grid.heads.items()
    ]
    if not n or not width:
        return go.Figure({"data": [], "layout": layout})
    return go.Figure({"data": [_cells(grid, places, colours), _numbers(grid, places, colours)], "layout": layout})


def scores_alt(grid: ScoreGrid) -> str:
    """What the chart shows, in words: each row's first and best score."""
    parts: list[str] = []
    head = ""
    for i, name in enumerate(grid.rows):
        head = grid.heads.get(i, head)
        row = grid.values[i]
        if np.isnan(row).all():
            continue
        best = int(np.nanargmax(row))
        first = "not measured" if np.isnan(row[0]) else f"{row[0]:.{grid.decimals}f}"
        parts.append(
            f"{head} {name}: {grid.columns[0]} {first}, best {grid.columns[best]} {row[best]:.{grid.decimals}f}".strip()
        )
    return f"Scores by strategy. {'; '.join(parts) or 'No score'}."


def _places(grid: ScoreGrid) -> list[float]:
    """Where each row stands: a heading takes nearly a row above it."""
    place, places = 0.0, list[float]()
    for i in range(len(grid.rows)):
        place += 1.0 if i in grid.heads else 0.0
        places.append(place)
        place += 1.0
    return places


def _gap(grid: ScoreGrid, row: int, column: int) -> float:
    """Difference from the first column on the colour scale, −1 … 1."""
    gap = float(grid.values[row, column] - grid.values[row, 0])
    return 0.0 if np.isnan(gap) else STRONGEST * float(np.clip(gap / grid.scale, -1.0, 1.0))


def _defined(grid: ScoreGrid) -> list[tuple[int, int]]:
    return [(i, j) for i, j in np.ndindex(*grid.values.shape) if not np.isnan(grid.values[i, j])]


def _cells(grid: ScoreGrid, places: list[float], colours: Palette) -> Layout:
    """Bars as cells: rows need not be equally far apart."""
    cells = _defined(grid)
    return {
        "type": "bar",
        "name": "cells",
        "x": [j for _, j in cells],
        "base": [places[i] - 0.46 for i, _ in cells],
        "y": [0.92] * len(cells),
        "width": 0.97,
        "marker": {
            "color": [cell_fill(_gap(grid, i, j), colours) for i, j in cells],
            "line": {"width": 1, "color": colours.rule},
        },
        "hoverinfo": "skip",
    }


def _numbers(grid: ScoreGrid, places: list[float], colours: Palette) -> Layout:
    cells = _defined(grid)
    best = {i: float(np.nanmax(grid.values[i])) for i, _ in cells}
    return {
        "type": "scatter",
        "mode": "text",
        "name": "numbers",
        "x": [j for _, j in cells],
        "y": [places[i] for i, _ in cells],
        "text": [_number(grid, i, j, best[i]) for i, j in cells],
        "textfont": {
            "size": SMALL_SIZE,
            "color": [ink_on(cell_fill(_gap(grid, i, j), colours)) for i, j in cells],
        },
        "customdata": [
            [plain(grid.rows[i]), plain(grid.columns[j]), float(grid.values[i, j] - grid.values[i, 0])]
            for i, j in cells
        ],
        "hovertemplate": f"%{{customdata[0]}}, %{{customdata[1]}}<br>%{{customdata[2]:+.1f}} from "
        f"{plain(grid.columns[0])}<extra></extra>",
    }


def _number(grid: ScoreGrid, row: int, column: int, best: float) -> str:
    value = float(grid.values[row, column])
    text = f"{value:.{grid.decimals}f}" + ("*" if (row, column) in grid.flags else "")
    return f"<b>{text}</b>" if value == best else text


def _broken(name: str) -> str:
    """A heading in short lines, so that five stand side by side on a phone."""
    parts: list[str] = []
    for word in name[:24].replace("-", " ").split():
        half = len(word) // 2
        parts += [f"{word[:half]}-", word[half:]] if len(word) > WORD else [word]
    return "<br>".join(plain(part) for part in parts)
