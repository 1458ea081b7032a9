"""Scores by strategy: one row per model and dataset, coloured by what a strategy adds."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.agreement import cell_fill, ink_on
from fairviz.figures.labels import CHARACTER
from fairviz.figures.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, note, plain
from fairviz.model import FloatArray

CELL = 30
"""Height of a cell in px."""
LONGEST = 26
"""Characters of a row's name."""
WORD = 10
"""Characters of a line in a column's heading."""
STRONGEST = 0.85
"""Share of the end colour that the largest difference gets: numbers stay readable on it."""


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
    known = gaps[~np.isnan(gaps)]
    return max(float(np.ceil(known.max(initial=0.0) - 1e-9)), 1.0)


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
        known = "not measured" if np.isnan(row[0]) else f"{row[0]:.{grid.decimals}f}"
        parts.append(
            f"{head} {name}: {grid.columns[0]} {known}, best {grid.columns[best]} {row[best]:.{grid.decimals}f}".strip()
        )
    return f"Scores by strategy. {'; '.join(parts) or 'No score'}."


def _places(grid: ScoreGrid) -> list[float]:
    """Where each row stands: a heading takes nearly a row above it."""
    at, found = 0.0, list[float]()
    for i in range(len(grid.rows)):
        at += 1.0 if i in grid.heads else 0.0
        found.append(at)
        at += 1.0
    return found


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
