"""A triangle of cells, one for every two of some names: a number on a shade, hatched where it is undefined."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fairviz.display.labels import CHARACTER
from fairviz.display.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, note, plain, scatter

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 30
"""Of a cell in px."""
NARROWEST = 28
"""Pixels across that a cell needs for its number."""
LONGEST = 22
"""Characters of a name beside the triangle."""


class TriangleCell(NamedTuple):
    """What two names have in common.

    Attributes:
        first, second: Places of the two among the names, the smaller one first.
        hover: What pointing at the cell says, as markup.
        number: Its number as text; empty: undefined.
        ink: Colour of the number.
        shade: Where the cell stands on the colour scale; None: it has the colour of the page.
    """

    first: int
    second: int
    hover: str
    number: str = ""
    ink: str = ""
    shade: float | None = None


def triangle_figure(
    names: Sequence[str], cells: Sequence[TriangleCell], *, title: str, shades: Layout, colours: Palette
) -> "go.Figure":
    """The lower triangle; a name stands before its row and above its column, where the triangle leaves room.

    Args:
        names: What is compared, in the order of rows and columns.
        cells: One per two of them; none: nothing is drawn.
        title: What the shades are.
        shades: ``zmin``, ``zmax`` and ``colorscale`` of them.
        colours: Light or dark.
    """
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    labels = [plain(name, longest=LONGEST) for name in names]
    n = max(len(labels) - 1, 0)  # the first name has no row, the last no column
    longest = round(max(map(len, labels), default=0) * CHARACTER) + 14
    layout = base_layout(colours, height=(n + 1) * HEIGHT + 20, margin={"l": longest, "t": 8, "b": 12, "r": longest})
    bare: Layout = {"showgrid": False, "showline": False, "ticks": "", "tickvals": list(range(n))}
    layout["xaxis"] = axis(colours, bounds=(-0.5, n - 0.5), showticklabels=False, **bare)
    layout["yaxis"] = axis(colours, bounds=(n - 0.5, -1.5), ticktext=labels[1:], **bare)
    if not cells:
        return go.Figure({"data": [], "layout": layout})
    small = {"size": SMALL_SIZE, "color": colours.mute}
    layout["annotations"] = [
        note(colours, label, x=at - 0.45, y=at - 1, xref="x", yref="y", xanchor="left", yanchor="middle", font=small)
        for at, label in enumerate(labels[:-1])
    ]
    shaded = np.full((n, n), np.nan)
    for cell in cells:
        shaded[cell.second - 1, cell.first] = np.nan if cell.shade is None else cell.shade
    ground: Layout = {"type": "heatmap", "name": title, "z": shaded, "showscale": False, "hoverinfo": "skip"}
    defined, undefined = ([pair for pair in cells if bool(pair.number) is has] for has in (True, False))
    numbers = scatter(
        "numbers",
        "text",
        [pair.first for pair in defined],
        [pair.second - 1 for pair in defined],
        text=[pair.number for pair in defined],
        textfont={"size": SMALL_SIZE, "color": [pair.ink for pair in defined]},
        **_hover(defined),
    )
    data = [ground | {"xgap": 2, "ygap": 2} | shades, numbers]
    return go.Figure({"data": [*data, _hatched(undefined, colours)] if undefined else data, "layout": layout})


def narrowest(figure: "go.Figure") -> int:
    """Width in px under which the numbers of a triangle would touch: below it, the chart scrolls."""
    layout: Any = figure.to_dict()["layout"]
    margin = layout["margin"]
    return int(margin["l"] + margin["r"] + NARROWEST * len(layout["yaxis"]["tickvals"]))


def _hover(cells: Sequence[TriangleCell]) -> Layout:
    return {"hovertext": [cell.hover for cell in cells], "hovertemplate": "%{hovertext}<extra></extra>"}


def _hatched(cells: Sequence[TriangleCell], colours: Palette) -> Layout:
    return {
        "type": "bar",
        "name": "undefined",
        "x": [cell.first for cell in cells],
        "base": [cell.second - 1 - 0.46 for cell in cells],
        "y": [0.92] * len(cells),
        "width": 0.92,
        "marker": {
            "color": colours.page,
            "line": {"width": 0},
            "pattern": {"shape": "/", "fgcolor": colours.unknown, "size": 6, "solidity": 0.3},
        },
        **_hover(cells),
    }
