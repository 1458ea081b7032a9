"""Conditions side by side: two values of each on one line, and one value of each retriever against k."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.show.labels import CHARACTER
from fairviz.show.theme import MARKERS, SMALL_SIZE, Layout, Palette, axis, bare_axis, base_layout, note, plain
from fairviz.show.words import number

ROW = 34
"""Height of a row in px."""
LONGEST_PAIR = 24
"""Characters of a row's name."""
APART = 0.055
"""Share of the axis below which two values stand on the same side of their marks."""

HEIGHT = 210
"""Height of a panel of lines in px."""
LONGEST_LINE = 22
"""Characters of a line's name."""

DASHES = ("solid", "7px,4px", "2px,4px")
"""Lines are told apart by dash and by the name at their end."""


# Two values of one thing on one line, row by row: DP and EO of a strategy, mean and vote.


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """One row: two values on one scale, and words at the right edge.

    Attributes:
        name: What the values belong to.
        first: Value of the first mark, NaN = undefined.
        second: Value of the second mark, NaN = undefined.
        words: At the right edge ("22.9 %"), "" for none.
        bold: Whether these words are the best of their column.
        hover: A line more for the pointer.
    """

    name: str
    first: float
    second: float
    words: str = ""
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
    values = [value for view in views for row in view.rows for value in (row.first, row.second)]
    defined = [value for value in values if not np.isnan(value)]
    if not defined:
        return 0.0, 1.0
    low, high = (0.0 if zero else min(defined)), max(defined)
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
    names = ["<br>".join(two_lines(pair.name)) for pair in view.rows]
    left = max((len(line) for pair in view.rows for line in two_lines(pair.name)), default=0) * CHARACTER
    right = max((len(text) for text in (view.head, *(pair.words for pair in view.rows))), default=0)
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
    layout["annotations"] = [*_numbers(view, span, colours), *_words_at_the_edge(view, colours)]
    data = [_bars(view, colours), _marks(view, colours, 0), _marks(view, colours, 1)]
    return go.Figure({"data": data, "layout": layout})


def pairs_alt(view: PairsView) -> str:
    """What the chart shows, in words."""
    rows = "; ".join(
        f"{row.name}: {view.first} {value_text(row.first, view.decimals)}, "
        f"{view.second} {value_text(row.second, view.decimals)}"
        + (f", {view.head} {row.words}".replace("  ", " ") if row.words else "")
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


def value_text(value: float, decimals: int = 1) -> str:
    """A value as charts write it, "undefined" where there is none."""
    return "undefined" if np.isnan(value) else number(value, decimals)


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
    notes: list[Layout] = []
    font = {"size": SMALL_SIZE, "color": colours.ink}
    for i, row in enumerate(view.rows):
        pair = sorted(value for value in (row.first, row.second) if not np.isnan(value))
        sides = (("right", -9), ("left", 9))[2 - len(pair) :]
        texts = [value_text(value, view.decimals) for value in pair]
        if len(set(texts)) == 1 and len(texts) == 2 and pair[1] - pair[0] < APART * (span[1] - span[0]):
            pair, texts, sides = pair[1:], texts[1:], sides[1:]
        for value, text, (anchor, shift) in zip(pair, texts, sides, strict=True):
            notes.append(note(colours, text, x=value, y=i, xanchor=anchor, yanchor="middle", xshift=shift, font=font))
        if not pair:
            notes.append(
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
    return notes


def _words_at_the_edge(view: PairsView, colours: Palette) -> list[Layout]:
    """The column of words right of the axis, under its heading."""
    position: Layout = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": 12}
    notes = [
        note(colours, f"<b>{plain(row.words)}</b>" if row.bold else plain(row.words), y=i, yanchor="middle", **position)
        for i, row in enumerate(view.rows)
        if row.words
    ]
    if view.head:
        notes.append(
            note(
                colours,
                plain(view.head),
                y=1,
                yref="paper",
                yanchor="bottom",
                yshift=6,
                font={"size": SMALL_SIZE, "color": colours.mute},
                **position,
            )
        )
    return notes


# One number against k, a line per retriever: overlap, disparity or score.


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
    depths = sorted({k for line in panel.lines for k in line.k})
    defined = [value for line in panel.lines for value in line.values if not np.isnan(value)]
    low, high = (min(defined), max(defined)) if defined else (0.0, 1.0)
    room = max(high - low, 0.02 * max(abs(high), 1e-9))
    first, last = (depths[0], depths[-1]) if depths else (0, 1)
    wide = max(last - first, 1)
    layout = base_layout(colours, height=height, margin={"l": 10, "r": 10, "t": 26, "b": 44})
    layout["xaxis"] = axis(
        colours,
        title="k, documents given",
        bounds=(first - 0.24 * wide, last + 0.24 * wide),
        tickvals=depths,
        showgrid=False,
    )
    layout["yaxis"] = bare_axis(colours, bounds=(low - 0.5 * room, high + 0.32 * room))
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
        *(text for lines in _same_lines(panel.lines) for text in _texts(lines, panel, colours)),
    ]
    data = [_line(line, i, panel, colours) for i, line in enumerate(panel.lines)]
    return go.Figure({"data": data, "layout": layout})


def slopes_alt(panel: SlopePanel) -> str:
    """What the chart shows, in words."""
    lines = "; ".join(
        f"{line.name}: "
        + ", ".join(
            f"{value_text(value, panel.decimals)} at k = {k}" for k, value in zip(line.k, line.values, strict=True)
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


def _same_lines(lines: Sequence[SlopeLine]) -> list[list[SlopeLine]]:
    """Lines that lie upon each other share their numbers and their label."""
    lines_by_values: dict[tuple[tuple[int, ...], tuple[str, ...]], list[SlopeLine]] = {}
    for line in lines:
        key = line.k, tuple(f"{value:.6f}" for value in line.values)
        lines_by_values.setdefault(key, []).append(line)
    return list(lines_by_values.values())


def _texts(lines: list[SlopeLine], panel: SlopePanel, colours: Palette) -> list[Layout]:
    """The numbers beside the first and last point, the names above the middle one."""
    line, name = lines[0], ", ".join(other.name for other in lines)
    defined = [(k, value) for k, value in zip(line.k, line.values, strict=True) if not np.isnan(value)]
    if not defined:
        return []
    font = {"size": SMALL_SIZE, "color": colours.ink}
    ends = [(defined[0], "right", -9), (defined[-1], "left", 9)][2 - min(len(defined), 2) :]
    notes = [
        note(
            colours,
            value_text(value, panel.decimals),
            x=k,
            y=value,
            xanchor=anchor,
            yanchor="middle",
            xshift=shift,
            font=font,
        )
        for (k, value), anchor, shift in ends
    ]
    k, value, above = _clearest_place(defined, [other for other in panel.lines if other not in lines])
    notes.append(
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
    return notes


def _clearest_place(points: list[tuple[int, float]], others: list[SlopeLine]) -> tuple[int, float, bool]:
    """Where a line is farthest from all others, and whether its name goes above it there."""

    def gaps(place: tuple[int, float]) -> list[float]:
        k, value = place
        return [
            other_value - value
            for other in others
            for depth, other_value in zip(other.k, other.values, strict=True)
            if depth == k
        ]

    def room(place: tuple[int, float]) -> float:
        return min((abs(gap) for gap in gaps(place) if not np.isnan(gap)), default=np.inf)

    middle = points[len(points) // 2] if len(points) > 2 else points[0]
    best = max([middle, *points], key=room)
    if room(middle) > 0.6 * room(best):
        best = middle
    nearest = min((gap for gap in gaps(best) if not np.isnan(gap)), key=abs, default=-1.0)
    return best[0], best[1], nearest <= 0 or room(best) == np.inf
