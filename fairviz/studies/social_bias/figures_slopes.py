"""How bias moves from setting to setting: one panel per bias type, all on one range."""

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from fairviz.model import FloatArray
from fairviz.show.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, note, plain, rgba
from fairviz.show.words import in_words
from fairviz.studies.social_bias.favoured import Sides
from fairviz.studies.social_bias.grids import BiasGrid
from fairviz.studies.social_bias.labels import short_column

HEIGHT = 250
AIR = 0.16
"""Part of the range kept empty at either end, where it stands what the sign means."""
LONGEST = 12
LONGEST_SIDE = 30
"""Letters of a group's name at the edge; the words for who cannot see have all of it."""
SHORTEST_SPAN = 10.0


def slope_bounds(grids: Sequence[BiasGrid]) -> tuple[float, float]:
    """One range for all panels: every value and 0, with air for labels; accuracy has 0 to 100.

    Args:
        grids: All that is drawn side by side; all signed, or none.
    """
    if not all(grid.signed for grid in grids):
        return (-4.0, 108.0)
    return range_with_zero([values for grid in grids for values in (grid.values, grid.low, grid.high)], air=AIR)


def range_with_zero(drawn: Sequence[FloatArray], *, air: float) -> tuple[float, float]:
    """A range that holds 0 and every finite value, with air at either end.

    Args:
        drawn: Values and ends of intervals.
        air: Part of the range kept empty at either end.
    """
    known = [0.0, *(value for values in drawn for value in values[np.isfinite(values)].tolist())]
    low, high = min(known), max(known)
    room = air * max(high - low, SHORTEST_SPAN)
    return (low - room, high + room)


def slopes_figure(
    grid: BiasGrid,
    block: int,
    *,
    highlighted: str,
    bounds: tuple[float, float],
    colours: Palette,
    beside: FloatArray | None = None,
    beside_names: Sequence[str] = (),
    height: int = HEIGHT,
    joined: bool = True,
) -> go.Figure:
    """One panel: every row a thin grey line, one in ink with its values.

    Args:
        grid: Values by model, bias type and setting.
        block: The bias type of this panel.
        highlighted: The row in ink; any other name for the mean of all.
        bounds: Range of the y axis, the same in every panel (see :func:`slope_bounds`).
        colours: Light or dark.
        beside: (N, C) further lines in the same columns, dotted, such as a paper's models.
        beside_names: Their names.
        height: Of the panel in px.
        joined: Whether lines join the columns; False where these have no order.
    """
    n = len(grid.columns)
    layout = base_layout(colours, height=height, margin={"l": 30, "r": 8, "t": 6, "b": 28})
    layout["xaxis"] = axis(
        colours,
        bounds=(-0.4, n - 0.6),
        showgrid=False,
        showline=False,
        ticks="",
        tickvals=list(range(n)),
        ticktext=[plain(short_column(name), longest=LONGEST) for name in grid.columns],
    )
    layout["yaxis"] = axis(colours, bounds=bounds, showline=False, ticks="", nticks=6)
    layout["shapes"] = _grounds(bounds, colours) if grid.signed else []
    layout["annotations"] = [
        *_edges(grid, block, bounds, colours),
        *_value_labels(grid, block, highlighted, colours),
    ]
    others = [i for i, name in enumerate(grid.rows) if name != highlighted]
    data = [_thin_lines(grid.values[others, block], [grid.rows[i] for i in others], colours, "")]
    if beside is not None:
        data.insert(0, _thin_lines(beside, beside_names, colours, "dot"))
    thick = _thick_line(grid, block, highlighted, colours)
    data = [*data, *thick] if joined else [trace | {"mode": _unjoined(trace)} for trace in thick]
    return go.Figure({"data": data, "layout": layout})


def slopes_alt(grid: BiasGrid, block: int, *, highlighted: str) -> str:
    """What the panel shows, in words."""
    values = ", ".join(
        f"{column} {in_words(value, sign=grid.signed)}"
        for column, value in zip(grid.columns, grid.line(highlighted)[block].tolist(), strict=True)
    )
    above, below = edge_names(grid, block)
    means = f" Above zero: {above}; below: {below}." if above else ""
    name = f"{grid.blocks[block]}: " if grid.blocks[block] else ""
    return f"{name}{highlighted}, in percent: {values}.{means}"


def edge_names(grid: BiasGrid, block: int) -> tuple[str, str]:
    """What values above and below 0 mean; empty where the measure has no sign."""
    return grid.sides.get(grid.blocks[block], Sides()) if grid.signed else ("", "")


def _thin_lines(lines: FloatArray, names: Sequence[str], colours: Palette, dash: str) -> Layout:
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


def _thick_line(grid: BiasGrid, block: int, highlighted: str, colours: Palette) -> list[Layout]:
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


def _unjoined(trace: Layout) -> str:
    """Points stay points, bars stay bars."""
    return "markers" if "marker" in trace else "lines"


def _value_labels(grid: BiasGrid, block: int, highlighted: str, colours: Palette) -> list[Layout]:
    """The number at each point of the highlighted line, on the side its line leaves free."""
    values = grid.line(highlighted)[block]
    labels: list[Layout] = []
    for i, value in enumerate(values.tolist()):
        if math.isnan(value):
            continue
        near = [y for y in values[max(i - 1, 0) : i + 2].tolist() if not math.isnan(y)]
        up = value >= sum(near) / len(near)
        text = point_text(value) if grid.signed else f"{value:.0f}"
        labels.append(
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
    return labels


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


def _grounds(bounds: tuple[float, float], colours: Palette) -> list[Layout]:
    """A breath of colour above and below zero, and the line of zero in ink."""
    low, high = bounds
    halves = ((0.0, high, colours.positive), (low, 0.0, colours.negative))
    grounds: list[Layout] = [
        {
            "type": "rect",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": y0,
            "y1": y1,
            "layer": "below",
            "line": {"width": 0},
            "fillcolor": rgba(colour, 0.06),
        }
        for y0, y1, colour in halves
    ]
    zero = {"color": colours.ink, "width": 1.2}
    line: Layout = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0, "y1": 0}
    return [*grounds, {**line, "layer": "below", "line": zero}]


def _edges(grid: BiasGrid, block: int, bounds: tuple[float, float], colours: Palette) -> list[Layout]:
    """What each half means, in its colour, at the upper and the lower edge."""
    above, below = edge_names(grid, block)
    if not above:
        text = "↑ more right answers"
        font = {"size": SMALL_SIZE, "color": colours.mute}
        place: Layout = {"xref": "paper", "x": 0.02, "y": bounds[1], "yanchor": "top"}
        return [note(colours, text, xanchor="left", font=font, **place)]
    ends = (
        (f"▲ {above}", bounds[1], "top", colours.optimal.text),
        (f"▼ {below}", bounds[0], "bottom", colours.plackett_luce.text),
    )
    return [
        note(
            colours,
            plain(text, longest=LONGEST_SIDE),
            xref="paper",
            x=0.02,
            xanchor="left",
            y=y,
            yanchor=anchor,
            font={"size": SMALL_SIZE, "color": colour},
        )
        for text, y, anchor, colour in ends
    ]
