"""Marks that charts of several studies share: direct labels, bands of intervals along lines, triangles of cells.

A direct label stands beside what it names and never over a line or another label. The place is found by rule, not by
hand, so that it holds for every data set and every α. Each label offers places in order of preference; the one that
covers least is taken, judged on a wide and a narrow chart at once, because the browser changes the width without asking
again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fairviz.display.theme import SMALL_SIZE, TEXT_SIZE, Layout, Palette, axis, base_layout, note, plain, scatter
from fairviz.display.words import UNDEFINED
from fairviz.model import BoolArray, FloatArray

if TYPE_CHECKING:
    import plotly.graph_objects as go

CHARACTER = 6.7
"""Mean width of a character of the chart font at 13 px, in px."""
LINE = 17.0
"""Height of a line of text, in px."""
CLEARANCE = 3.0
"""Empty px kept around a label."""
SPILL = 14.0
"""A label may leave the plotting area by this many px above and to the right: nothing is there."""
LEADER_FROM = 18.0
"""From this gap on between a label and its point, in px, a hairline ties them."""


class Frame(NamedTuple):
    """The plotting area: data ranges, its size on a wide and on a narrow screen, and the empty px right of it.

    ``weights`` say how much it counts that a label covers a line on either: where all is small, something is covered.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    widths: tuple[float, ...] = (520.0, 300.0)
    height: float = 320.0
    right: float = SPILL
    weights: tuple[float, ...] = (1.0, 1.0)

    def pixels(self, x: FloatArray, y: FloatArray, width: float) -> FloatArray:
        """(N, 2) places in px from the top left corner."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0]) * width
        down = (self.y[1] - y) / (self.y[1] - self.y[0]) * self.height
        return np.column_stack([across, down])


class Spot(NamedTuple):
    """One possible place: a data point, and the label's centre from there in px (right, down)."""

    x: float
    y: float
    right: float
    down: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A text with the places it could take, best first.

    ``html`` is what plotly shows; ``width`` counts the characters of its longest line.
    """

    html: str
    width: int
    colour: str
    spots: Sequence[Spot]
    n_lines: int = 1

    @property
    def half(self) -> FloatArray:
        """Half the size of the box in px."""
        return np.array([self.width * CHARACTER / 2, self.n_lines * LINE / 2]) + CLEARANCE


def around(x: float, y: float, width: int, *, gap: float = 10.0) -> list[Spot]:
    """Places around a point: right, left, above, below, the corners; then further out."""
    side = width * CHARACTER / 2 + gap
    over = LINE / 2 + gap
    near = [(side, 0.0), (-side, 0.0), (0.0, -over), (0.0, over)]
    near += [(right, down) for down in (-0.6 * over, 0.6 * over) for right in (side, -side)]
    near += [(side, -over), (-side, -over), (side, over), (-side, over)]
    near += [(0.5 * side, -1.6 * over), (-0.5 * side, -1.6 * over), (0.5 * side, 1.6 * over)]
    far = [(side, 2.6 * over), (-side, -2.6 * over), (-side, 2.6 * over), (side, -2.6 * over)]
    far += [(side, 4.4 * over), (-side, -4.4 * over), (-side, 4.4 * over), (side, -4.4 * over)]
    return [Spot(x, y, right, down) for right, down in near + far]


def along(x: FloatArray, y: FloatArray, *, width: int, above: bool, n_lines: int = 1) -> list[Spot]:
    """Places along a line, on one side of it first, then on the other."""
    steps = np.unique(np.linspace(0, x.size - 1, min(x.size, 24)).astype(int))
    near = n_lines * LINE / 2 + 6
    spots: list[Spot] = []
    for direction in (-1.0, 1.0) if above else (1.0, -1.0):
        for distance in (near, near + 12, near + 28, near + 54):
            spots += [Spot(float(x[i]), float(y[i]), 0.0, direction * distance) for i in steps]
    return spots


def spots_beside(x: FloatArray, y: FloatArray, *, width: int) -> list[Spot]:
    """Places left of and above a line that rises to the right, then right of and below it.

    The upper end of the line comes first.
    """
    side, near = width * CHARACTER / 2 + 18, LINE / 2
    inner = slice(int(0.92 * x.size), None, -1)
    ends = list(zip(x[inner].tolist(), y[inner].tolist(), strict=True))
    spots = [Spot(a, b, -side, -near * up) for up in (0.0, 1.2) for a, b in ends]
    return spots + [Spot(a, b, side, near * down) for down in (0.0, 1.2) for a, b in ends]


def place_labels(labels: Sequence[Label], obstacles: FloatArray, frame: Frame, *, crossing: float = 20.0) -> list[Spot]:
    """The spot of each label, taken in order: earlier labels are kept clear by later ones.

    Args:
        labels: What to place, the most important first.
        obstacles: (N, 2) points in data coordinates that text should not cover.
        frame: The plotting area.
        crossing: What a hairline through an earlier label costs; a point of a line in a label costs 3.
    """
    taken: list[tuple[FloatArray, FloatArray]] = []
    places: list[Spot] = []
    marks = [frame.pixels(obstacles[:, 0], obstacles[:, 1], width) for width in frame.widths]
    for label in labels:
        spots = np.array(label.spots)
        centres = [frame.pixels(spots[:, 0], spots[:, 1], width) + spots[:, 2:] for width in frame.widths]
        cost = np.linspace(0, 1, len(spots)) + np.hypot(spots[:, 2], spots[:, 3]) / 60
        for w, centre in enumerate(centres):
            cost += frame.weights[w] * _covered(centre, label.half, marks[w])
            cost += frame.weights[w] * _crossed(centre, spots[:, 2:], label.half, marks[w])
            cost += _outside(centre, label.half, frame.widths[w], frame)
            for placed, half in taken:
                cost += 300.0 * _within(centre - placed[w], label.half + half)
                cost += crossing * _crosses(centre, spots[:, 2:], placed[w], half)
        best = int(np.argmin(cost))
        places.append(label.spots[best])
        taken.append((np.array([centre[best] for centre in centres]), label.half))
    return places


def _covered(centre: FloatArray, half: FloatArray, marks: FloatArray) -> FloatArray:
    """How many marks lie in the box around each centre."""
    return 3.0 * _within(centre[:, None] - marks, half).sum(axis=1)


def _crossed(centre: FloatArray, offset: FloatArray, half: FloatArray, marks: FloatArray) -> FloatArray:
    """Penalty for a hairline, and for each line of the chart that it runs across."""
    cost = np.zeros(len(centre))
    far = np.flatnonzero(((np.abs(offset) - half) > LEADER_FROM).any(axis=1))
    if far.size:
        way = centre[far][None] - offset[far][None] * np.linspace(0.0, 0.8, 6)[:, None, None]
        near = _within(way[:, :, None] - marks, np.array([5.0, 5.0]))
        cost[far] = 1.0 + 3.0 * near.any(axis=(0, 2))
    return cost


def _crosses(centre: FloatArray, offset: FloatArray, placed: FloatArray, half: FloatArray) -> BoolArray:
    """Whether the hairline from each label to its point runs through a label already placed."""
    way = centre[None] - offset[None] * np.linspace(0.0, 0.9, 7)[:, None, None]
    return np.logical_or.reduce(_within(way - placed, half), axis=0)


def _within(apart: FloatArray, half: FloatArray) -> BoolArray:
    """Which distances, right and down in the last axis, are inside a box of this half size around 0."""
    # Axis by axis: a reduction over an axis of length 2 costs several times as much.
    return (np.abs(apart[..., 0]) < half[0]) & (np.abs(apart[..., 1]) < half[1])


def _outside(centre: FloatArray, half: FloatArray, width: float, frame: Frame) -> FloatArray:
    """Penalty for text that crosses an axis, or leaves the area elsewhere by more than a few px."""
    low, high = centre - half, centre + half
    over = np.maximum(-low[:, 0], 0) + np.maximum(high[:, 1] - frame.height, 0)
    over += np.maximum(-low[:, 1] - SPILL, 0) + np.maximum(high[:, 0] - width - frame.right, 0)
    return over * np.array(5.0)


def written(label: Label, spot: Spot, colours: Palette) -> Layout:
    """The label as a plotly annotation, tied to its point by a hairline where it stands far off."""
    font = {"size": TEXT_SIZE, "color": label.colour}
    middle = {"xanchor": "center", "yanchor": "middle", "align": "center"}
    attributes: Layout = {"x": spot.x, "y": spot.y, **middle, "font": font}
    clear = abs(spot.right) - label.half[0], abs(spot.down) - label.half[1]
    if max(clear) < LEADER_FROM:
        return note(colours, label.html, **attributes, xshift=spot.right, yshift=-spot.down)
    leader = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": label.colour}
    return note(colours, label.html, **attributes) | leader | {"ax": spot.right, "ay": spot.down}


# Intervals along a line, and the closed shapes that are filled for them.


Outline = tuple[FloatArray, FloatArray]
"""x and y of a closed shape's corners: forward along the lower ends, back along the upper ones."""


class Band(NamedTuple):
    """(P) an interval at each place of a line; NaN where it is undefined."""

    x: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def where_defined(cls, x: FloatArray, low: FloatArray, high: FloatArray) -> "Band | None":
        """The band, or None where no place has an interval."""
        return cls(x, low, high) if (np.isfinite(low) & np.isfinite(high)).any() else None

    def outlines(self) -> list[Outline]:
        """One shape for each stretch of places that have an interval; a place alone is a line of two corners.

        A single shape around all would be cut apart at each undefined place, and its parts closed across the band.

        Examples:
            >>> band = Band(np.arange(4.0), np.array([0, 0, np.nan, 1]), np.array([2, 2, np.nan, 3]))
            >>> [(x.tolist(), y.tolist()) for x, y in band.outlines()]
            [([0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 2.0, 2.0]), ([3.0, 3.0], [1.0, 3.0])]
        """
        defined = np.isfinite(self.x) & np.isfinite(self.low) & np.isfinite(self.high)
        ends = np.flatnonzero(np.diff(defined, prepend=False, append=False)).reshape(-1, 2)
        stretches = [Band(*(each[start:stop] for each in self)) for start, stop in ends]
        return [(np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]])) for x, low, high in stretches]

    def outline(self) -> Outline:
        """All shapes as one line, NaN between two of them."""
        gap = np.array([np.nan])
        corners = [each for outline in self.outlines() for each in (outline, (gap, gap))][:-1]
        if not corners:
            return np.empty(0), np.empty(0)
        return np.concatenate([x for x, _ in corners]), np.concatenate([y for _, y in corners])


# A triangle of cells, one for every two of some names: a number on a shade.


CELL_HEIGHT = 30
"""Of a cell in px."""
CELL_NARROWEST = 28
"""Pixels across that a cell needs for its number."""
LONGEST_NAME = 22
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

    labels = [plain(name, longest=LONGEST_NAME) for name in names]
    n = max(len(labels) - 1, 0)  # the first name has no row, the last no column
    longest = round(max(map(len, labels), default=0) * CHARACTER) + 14
    layout = base_layout(
        colours, height=(n + 1) * CELL_HEIGHT + 20, margin={"l": longest, "t": 8, "b": 12, "r": longest}
    )
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
    numbers = scatter(
        "numbers",
        "text",
        [cell.first for cell in cells],
        [cell.second - 1 for cell in cells],
        text=[cell.number or UNDEFINED for cell in cells],
        textfont={"size": SMALL_SIZE, "color": [cell.ink or colours.mute for cell in cells]},
        hovertext=[cell.hover for cell in cells],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    return go.Figure({"data": [ground | {"xgap": 2, "ygap": 2} | shades, numbers], "layout": layout})


def narrowest(figure: "go.Figure") -> int:
    """Width in px under which the numbers of a triangle would touch: below it, the chart scrolls."""
    layout: Any = figure.to_dict()["layout"]
    margin = layout["margin"]
    return int(margin["l"] + margin["r"] + CELL_NARROWEST * len(layout["yaxis"]["tickvals"]))
