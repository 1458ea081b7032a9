"""What a slope panel draws: grey lines of all rows, one line in ink, its values."""

import math
from collections.abc import Sequence

import numpy as np

from fairviz.analysis.bias_grid import BiasGrid
from fairviz.figures.price_view import in_words
from fairviz.figures.theme import SMALL_SIZE, Layout, Palette, note, plain, rgba
from fairviz.model import FloatArray


def thin_lines(lines: FloatArray, names: Sequence[str], colours: Palette, dash: str) -> Layout:
    """All grey lines as one trace, cut by gaps."""
    n, width = lines.shape
    x = np.tile(np.append(np.arange(width, dtype=np.float64), np.nan), n)
    y = np.concatenate([lines, np.full((n, 1), np.nan)], axis=1).ravel() if n else np.zeros(0)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "the paper's models" if dash else "other models",
        "x": x,
        "y": y,
        "line": {"width": 1, "color": colours.faint, "dash": dash or "solid"},
        "opacity": 0.8,
        "text": [plain(name, longest=40) for name in names for _ in range(width + 1)],
        "hovertemplate": "%{text}: %{y:+.1f}<extra></extra>",
        "connectgaps": False,
    }


def thick_line(grid: BiasGrid, block: int, highlighted: str, colours: Palette) -> list[Layout]:
    """The highlighted line with points in the colour of their sign; hollow where n is small."""
    y = grid.line(highlighted)[block]
    x = np.arange(len(grid.columns), dtype=np.float64)
    own = grid.rows.index(highlighted) if highlighted in grid.rows else None
    low, high, small = (
        (np.full(y.size, np.nan), np.full(y.size, np.nan), np.zeros(y.size, dtype=bool))
        if own is None
        else (grid.low[own, block], grid.high[own, block], grid.small[own, block])
    )
    bars: Layout = {
        "type": "scatter",
        "mode": "lines",
        "name": "interval",
        "x": np.repeat(x, 3),
        "y": np.column_stack([low, high, np.full(y.size, np.nan)]).ravel(),
        "line": {"width": 3, "color": rgba(colours.ink, 0.3)},
        "hoverinfo": "skip",
        "connectgaps": False,
    }
    fills = [_sign_colour(value, grid.signed, colours) for value in y.tolist()]
    points: Layout = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "highlighted",
        "x": x,
        "y": y,
        "line": {"width": 2.4, "color": colours.ink},
        "marker": {
            "size": 9,
            "color": [colours.page if few else fill for fill, few in zip(fills, small, strict=True)],
            "line": {"width": 1.5, "color": [colours.faint if few else colours.page for few in small]},
        },
        "text": [plain(name, longest=40) for name in grid.columns],
        "hovertemplate": f"{plain(highlighted, longest=40)}<br>%{{text}}: %{{y:+.1f}}<extra></extra>",
        "cliponaxis": False,
    }
    return [points] if np.isnan(low).all() else [bars, points]


def unjoined(trace: Layout) -> str:
    """Points stay points, bars stay bars."""
    return "markers" if "marker" in trace else "lines"


def value_labels(grid: BiasGrid, block: int, highlighted: str, colours: Palette) -> list[Layout]:
    """The number at each point of the highlighted line, on the side its line leaves free."""
    values = grid.line(highlighted)[block]
    found: list[Layout] = []
    for i, value in enumerate(values.tolist()):
        if math.isnan(value):
            continue
        near = [float(v) for v in values[max(i - 1, 0) : i + 2] if not math.isnan(float(v))]
        up = value >= sum(near) / len(near)
        text = point_text(value) if grid.signed else f"{value:.0f}"
        found.append(
            note(
                colours,
                text,
                x=i,
                y=value,
                xanchor="center",
                yanchor="bottom" if up else "top",
                yshift=6 if up else -6,
                bgcolor=rgba(colours.page, 0.72),
                borderpad=0,
                font={"size": SMALL_SIZE, "color": colours.ink},
            )
        )
    return found


def point_text(value: float) -> str:
    """A value beside its point: no decimals, one where it would read as zero.

    Examples:
        >>> point_text(31.92), point_text(-0.43), point_text(0.0)
        ('+32', '−0.4', '0')
    """
    if math.isnan(value):
        return ""
    if value == 0:
        return "0"
    return in_words(value, 0 if abs(value) >= 0.5 else 1, sign=True)


def _sign_colour(value: float, has_sign: bool, colours: Palette) -> str:
    if not has_sign or value == 0 or math.isnan(value):
        return colours.ink
    return colours.positive if value > 0 else colours.negative
