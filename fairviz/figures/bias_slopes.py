"""How bias moves from setting to setting: one panel per bias type, all on one range."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from fairviz.analysis.bias_grid import BiasGrid
from fairviz.analysis.bias_settings import is_without_rag
from fairviz.figures.bias_slope_traces import thick_line, thin_lines, unjoined, value_labels
from fairviz.figures.price_view import in_words
from fairviz.figures.theme import (
    SMALL_SIZE,
    Layout,
    Palette,
    axis,
    base_layout,
    note,
    plain,
    rgba,
)
from fairviz.metrics.bias_types import bias_type
from fairviz.model import FloatArray

HEIGHT = 250
AIR = 0.16
"""Part of the range kept empty at either end, where the favoured groups are named."""
LONGEST = 12
SHORTEST_SPAN = 10.0


def slope_bounds(grids: Sequence[BiasGrid]) -> tuple[float, float]:
    """One range for all panels: every value and 0, with air for labels; accuracy has 0 to 100.

    Args:
        grids: All that is drawn side by side; all signed, or none.
    """
    if not all(grid.signed for grid in grids):
        return (-4.0, 108.0)
    every = [part for grid in grids for part in (grid.values, grid.low, grid.high)]
    known = np.concatenate([part[np.isfinite(part)] for part in every] or [np.zeros(0)])
    low, high = min(0.0, *known.tolist(), 0.0), max(0.0, *known.tolist(), 0.0)
    air = AIR * max(high - low, SHORTEST_SPAN)
    return (low - air, high + air)


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
        ticktext=[plain(short_column(c), longest=LONGEST) for c in grid.columns],
    )
    layout["yaxis"] = axis(colours, bounds=bounds, showline=False, ticks="", nticks=6)
    layout["shapes"] = _grounds(bounds, colours) if grid.signed else []
    layout["annotations"] = [
        *_edges(grid, block, bounds, colours),
        *value_labels(grid, block, highlighted, colours),
    ]
    others = [i for i, name in enumerate(grid.rows) if name != highlighted]
    data = [thin_lines(grid.values[others, block], [grid.rows[i] for i in others], colours, "")]
    if beside is not None:
        data.insert(0, thin_lines(beside, beside_names, colours, "dot"))
    thick = thick_line(grid, block, highlighted, colours)
    data = [*data, *thick] if joined else [one | {"mode": unjoined(one)} for one in thick]
    return go.Figure({"data": data, "layout": layout})


def slopes_alt(grid: BiasGrid, block: int, *, highlighted: str) -> str:
    """What the panel shows, in words."""
    values = ", ".join(
        f"{column} {in_words(value, sign=grid.signed)}"
        for column, value in zip(grid.columns, grid.line(highlighted)[block].tolist(), strict=True)
    )
    above, below = edge_names(grid, block)
    means = f" Above zero favours {above}, below {below}." if above else ""
    name = f"{grid.blocks[block]}: " if grid.blocks[block] else ""
    return f"{name}{highlighted}, in percent: {values}.{means}"


def edge_names(grid: BiasGrid, block: int) -> tuple[str, str]:
    """Whom values above and below 0 favour; empty where the measure has no sign.

    A block whose name is no bias type has words that hold for every type.
    """
    if not grid.signed:
        return ("", "")
    known = bias_type(grid.about or grid.blocks[block])
    if known is None:
        return ("the advantaged group", "the other group")
    return (known.advantaged, known.disadvantaged)


def short_column(name: str) -> str:
    """A setting in as few letters as a narrow panel has.

    Examples:
        >>> short_column("w/o RAG"), short_column("stereo-set"), short_column("BM25")
        ('no RAG', 'stereo', 'BM25')
    """
    return "no RAG" if is_without_rag(name) else name.removesuffix("-set")


def _grounds(bounds: tuple[float, float], colours: Palette) -> list[Layout]:
    """A breath of colour above and below zero, and the line of zero in ink."""
    low, high = bounds
    halves = ((0.0, high, colours.positive), (low, 0.0, colours.negative))
    found: list[Layout] = [
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
    return [*found, {**line, "layer": "below", "line": zero}]


def _edges(grid: BiasGrid, block: int, bounds: tuple[float, float], colours: Palette) -> list[Layout]:
    """Whom each half favours, in its colour, at the upper and the lower edge."""
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
            text,
            xref="paper",
            x=0.02,
            xanchor="left",
            y=y,
            yanchor=anchor,
            font={"size": SMALL_SIZE, "color": colour},
        )
        for text, y, anchor, colour in ends
    ]
