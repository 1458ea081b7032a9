"""Two values of one thing on one line, row by row: DP and EO of a strategy, mean and vote."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.labels import CHARACTER
from fairviz.figures.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, note, plain

ROW = 34
"""Height of a row in px."""
LONGEST_PAIR = 24
"""Characters of a row's name."""
APART = 0.055
"""Share of the axis below which two values stand on the same side of their marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """One row: two values on one scale, and words at the right edge.

    Attributes:
        name: What the values belong to.
        first: Value of the first mark, NaN = undefined.
        second: Value of the second mark, NaN = undefined.
        said: Words at the right edge ("22.9 %"), "" for none.
        bold: Whether these words are the best of their column.
        hover: A line more for the pointer.
    """

    name: str
    first: float
    second: float
    said: str = ""
    bold: bool = False
    hover: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsView:
    """Rows of two values.

    Attributes:
        rows: From top to bottom.
        first: What the first mark is ("DP").
        second: What the second mark is ("EO").
        axis: Title of the axis, with its direction.
        head: Heading of the words at the right edge.
        decimals: Digits of the numbers beside the marks.
        squares: The first mark is a full square and the second an open circle (two measures);
            else the first is an open circle and the second a full one (before and after).
    """

    rows: tuple[PairRow, ...]
    first: str
    second: str
    axis: str
    head: str = ""
    decimals: int = 0
    squares: bool = False


def pairs_span(views: Sequence[PairsView], *, zero: bool) -> tuple[float, float]:
    """A range that holds every value of all views, with room for numbers; from 0 if asked."""
    held = [v for view in views for row in view.rows for v in (row.first, row.second)]
    known = [v for v in held if not np.isnan(v)]
    if not known:
        return 0.0, 1.0
    low, high = (0.0 if zero else min(known)), max(known)
    room = max(high - low, 1e-9 if high > low else 1.0)
    return (-0.04 * room if zero else low - 0.45 * room), high + 0.25 * room


def pairs_figure(view: PairsView, *, span: tuple[float, float], colours: Palette, row: int = ROW) -> go.Figure:
    """Two marks a row with a pale bar between them, numbers beside, words at the right edge.

    Args:
        view: The rows.
        span: Range of the axis, the same for panels that stand side by side.
        colours: Light or dark.
        row: Height of a row in px.
    """
    n = len(view.rows)
    names = ["<br>".join(two_lines(each.name)) for each in view.rows]
    left = max((len(x) for r in view.rows for x in two_lines(r.name)), default=0) * CHARACTER
    right = max((len(text) for text in (view.head, *(r.said for r in view.rows))), default=0)
    layout = base_layout(
        colours,
        height=max(n, 1) * row + (84 if view.head else 62),
        margin={
            "l": round(left) + 14,
            "r": round(right * CHARACTER) + 18,
            "b": 48,
            "t": 34 if view.head else 12,
        },
    )
    layout["xaxis"] = axis(colours, title=view.axis, bounds=span, nticks=6)
    layout["yaxis"] = axis(
        colours,
        bounds=(n - 0.4, -0.6),
        tickvals=list(range(n)),
        ticktext=names,
        ticks="",
        showgrid=False,
        tickfont={"size": 13, "color": colours.ink},
    )
    layout["annotations"] = [*_numbers(view, span, colours), *_said(view, colours)]
    data = [_bars(view, colours), _marks(view, colours, 0), _marks(view, colours, 1)]
    return go.Figure({"data": data, "layout": layout})


def pairs_alt(view: PairsView) -> str:
    """What the chart shows, in words."""
    rows = "; ".join(
        f"{row.name}: {view.first} {_pair_text(row.first, view.decimals)}, "
        f"{view.second} {_pair_text(row.second, view.decimals)}"
        + (f", {view.head} {row.said}".replace("  ", " ") if row.said else "")
        for row in view.rows
    )
    return f"{view.axis}. {rows or 'No row'}."


def two_lines(name: str) -> list[str]:
    """A name safe for plotly; one that is too long is broken at its last middle dot.

    Examples:
        >>> two_lines("chooser-thorough · Counterfactual")
        ['chooser-thorough', 'Counterfactual']
    """
    first, dot, second = name.rpartition(" · ")
    parts = [first, second] if len(name) > LONGEST_PAIR and dot else [name]
    return [plain(part, longest=LONGEST_PAIR) for part in parts]


def _bars(view: PairsView, colours: Palette) -> Layout:
    """Pale bars between the two marks, one trace cut by None."""
    x: list[float | None] = []
    y: list[float | None] = []
    for i, row in enumerate(view.rows):
        if not np.isnan(row.first + row.second):
            x += [row.first, row.second, None]
            y += [i, i, None]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "between",
        "x": x,
        "y": y,
        "line": {"width": 5, "color": colours.rule},
        "hoverinfo": "skip",
    }


def _marks(view: PairsView, colours: Palette, which: int) -> Layout:
    name = (view.first, view.second)[which]
    full = (which == 0) == view.squares
    values = [row.second if which else row.first for row in view.rows]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": values,
        "y": list(range(len(values))),
        "marker": {
            "size": 12,
            "symbol": "square" if view.squares and full else "circle",
            "color": colours.agree if full else colours.page,
            "line": {"width": 2, "color": colours.agree},
        },
        "customdata": [[plain(row.name), plain(row.hover)] for row in view.rows],
        "hovertemplate": f"%{{customdata[0]}}<br>{plain(name)}: %{{x:.{view.decimals + 1}f}}"
        "<br>%{customdata[1]}<extra></extra>",
        "cliponaxis": False,
    }


def _numbers(view: PairsView, span: tuple[float, float], colours: Palette) -> list[Layout]:
    """The smaller value left of its mark, the larger right of it; one number where both agree."""
    found: list[Layout] = []
    font = {"size": SMALL_SIZE, "color": colours.ink}
    for i, row in enumerate(view.rows):
        pair = sorted(v for v in (row.first, row.second) if not np.isnan(v))
        sides = (("right", -9), ("left", 9))[2 - len(pair) :]
        texts = [_pair_text(value, view.decimals) for value in pair]
        if len(set(texts)) == 1 and len(texts) == 2 and pair[1] - pair[0] < APART * (span[1] - span[0]):
            pair, texts, sides = pair[1:], texts[1:], sides[1:]
        for value, text, (anchor, shift) in zip(pair, texts, sides, strict=True):
            found.append(note(colours, text, x=value, y=i, xanchor=anchor, yanchor="middle", xshift=shift, font=font))
        if not pair:
            found.append(
                note(
                    colours,
                    "undefined",
                    x=0.02,
                    xref="paper",
                    y=i,
                    xanchor="left",
                    yanchor="middle",
                    font={"size": SMALL_SIZE, "color": colours.mute},
                )
            )
    return found


def _said(view: PairsView, colours: Palette) -> list[Layout]:
    """The column of words right of the axis, under its heading."""
    place: Layout = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": 12}
    found = [
        note(colours, f"<b>{plain(row.said)}</b>" if row.bold else plain(row.said), y=i, yanchor="middle", **place)
        for i, row in enumerate(view.rows)
        if row.said
    ]
    if view.head:
        found.append(
            note(
                colours,
                plain(view.head),
                y=1,
                yref="paper",
                yanchor="bottom",
                yshift=6,
                font={"size": SMALL_SIZE, "color": colours.mute},
                **place,
            )
        )
    return found


def _pair_text(value: float, decimals: int) -> str:
    if np.isnan(value):
        return "undefined"
    text = f"{abs(value):.{decimals}f}"
    return f"\N{MINUS SIGN}{text}" if value < 0 and float(text) else text
