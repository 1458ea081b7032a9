"""The charts of a class: bars with outlines and the guess as a line; the guesses of all as dots or as ranges."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from fairviz.display.theme import SMALL_SIZE, TEXT_SIZE, Layout, Palette, axis, base_layout, note, scatter, y_title
from fairviz.display.theme import bars as drawn_bars
from fairviz.display.words import number
from fairviz.lessons.lesson import Bars, piled, quartiles
from fairviz.model import FloatArray, IntArray

HEIGHT = 280
LABELLED = 12
"""Bars up to which each has its number on it."""


def bars_figure(bars: Bars, *, colours: Palette) -> go.Figure:
    """Exact bars over the outline of what is known before, with the guess as a thick line."""
    n = len(bars.names)
    every = 1 if n <= LABELLED else 5
    layout = base_layout(colours, height=HEIGHT, margin={"t": 40, "b": 62, "r": 8})
    layout["bargap"] = 0.34 if n <= LABELLED else 0.1
    layout["barmode"] = "overlay"
    layout["xaxis"] = axis(
        colours,
        bounds=(-1.2 if bars.guess is not None and bars.marked == 0 else -0.7, n - 0.3),
        showgrid=False,
        tickvals=list(range(0, n, every)),
        ticktext=[f"<b>{a}</b><br>{b}" for a, b in zip(bars.names, bars.notes or ("",) * n, strict=True)][::every],
        ticks="",
        tickangle=0,
    )
    layout["yaxis"] = axis(
        colours, bounds=(1.12 * bars.bottom, 1.12 * bars.top), tickvals=np.linspace(bars.bottom, bars.top, 5).tolist()
    )
    layout["annotations"] = [y_title(colours, bars.title), *_labels(bars, colours)]
    return go.Figure({"data": _traces(bars, np.arange(n), colours), "layout": layout})


def _traces(bars: Bars, x: IntArray, colours: Palette) -> list[Layout]:
    traces: list[Layout] = []
    if bars.seen is not None:
        strong = bars.strong or (True,) * len(bars.names)
        fills = [colours.plackett_luce.line if is_strong else colours.grades[0] for is_strong in strong]
        edges = [fill if is_strong else colours.faint for fill, is_strong in zip(fills, strong, strict=True)]
        hover = {"customdata": list(bars.names), "hovertemplate": "%{customdata}: %{y:.1f}<extra></extra>"}
        traces.append(drawn_bars("exact", x, bars.seen, fills, edges, **hover))
        if bars.band is not None:
            traces[0]["error_y"] = {
                "type": "data",
                "symmetric": False,
                "array": bars.band[:, 1] - bars.seen,
                "arrayminus": bars.seen - bars.band[:, 0],
                "color": colours.ink,
                "thickness": 2,
                "width": 7,
            }
    if bars.outline is not None:
        outline = drawn_bars("outline", x, bars.outline, "rgba(0,0,0,0)", colours.faint, hoverinfo="skip")
        outline["marker"]["line"]["width"] = 1.6
        traces.append(outline)
    if bars.target is not None:
        traces.append(_ticks("tick", x, bars.target, colours.ink, 2.4, 0.33))
    if bars.guess is not None:
        at, level = np.array([bars.marked]), np.array([bars.guess])
        traces.append(_ticks("guess", at, level, colours.optimal.line, 3.5, 0.41))
    return traces


def _ticks(name: str, x: np.ndarray, y: FloatArray, colour: str, width: float, reach: float) -> Layout:
    """Short level lines, one per item, as one trace cut apart by gaps."""
    ends = zip((x - reach).tolist(), (x + reach).tolist(), strict=True)
    return _line(name, _apart(ends), _apart((level, level) for level in y.tolist()), colour, width)


def _apart(ends: Iterable[tuple[float, float]]) -> list[float | None]:
    """Both ends of each line, with a gap before the next one."""
    return [end for low, high in ends for end in (low, high, None)]


def _labels(bars: Bars, colours: Palette) -> list[Layout]:
    labels: list[Layout] = []
    small = {"size": SMALL_SIZE, "color": colours.mute}
    corner = {"x": 1, "xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "top"}
    if marks := "; ".join(filter(None, (bars.before, bars.after))):
        height = {"y": 0, "yanchor": "bottom"} if bars.bottom else {"y": 1}  # above 0 the corner is not free
        labels.append(note(colours, marks, font=small, **corner | height))
    if bars.seen is None:
        middle = {"x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper"}
        labels.append(note(colours, "<b>?</b>", font={"size": 44, "color": colours.faint}, **middle))
    elif len(bars.names) <= LABELLED:
        at = bars.seen
        if bars.band is not None:  # at the end of the interval, where there is one
            at = np.where(bars.seen < 0, np.fmin(bars.seen, bars.band[:, 0]), np.fmax(bars.seen, bars.band[:, 1]))
        labels += [
            note(
                colours,
                f"<b>{number(value, bars.decimals)}</b>",
                x=index,
                y=float(height),
                yanchor="top" if value < 0 else "bottom",
            )
            for index, (value, height) in enumerate(zip(bars.seen.tolist(), at, strict=True))
        ]
    if bars.guess is not None:
        text = {"size": TEXT_SIZE, "color": colours.optimal.text}
        if bars.marked == 0:
            beside = {"x": -0.44, "y": bars.guess, "xanchor": "right"}
            labels.append(note(colours, f"<b>guess<br>{bars.guess:.0f}</b>", font=text, **beside))
        else:  # between bars there is no room
            labels.append(note(colours, f"<b>line: guess {bars.guess:.0f}</b>", y=0.88, font=text, **corner))
    return labels


class WallSize(NamedTuple):
    """How large the wall of a class is.

    Attributes:
        width: In px, about; dots keep their place on every width.
        height: In px.
        dot: Diameter of a dot, in px, where there is room for the highest pile.
        text: Size of letters, in px.
    """

    width: int
    height: int
    dot: int
    text: int

    @property
    def room(self) -> float:
        """Height for piles, in px: what the margins, and the ground with the answer's label, leave."""
        return (self.height - self.top - self.bottom) / (ABOVE - BELOW)

    @property
    def top(self) -> int:
        """Margin in px, with room for a label."""
        return 2 * self.text - 4

    @property
    def bottom(self) -> int:
        """Margin in px, with room for the scale."""
        return 2 * self.text + 6


BELOW, ABOVE = -0.16, 1.08
"""Ends of the upward scale, as parts of the room for piles."""
BESIDE, SLIDE = WallSize(430, 210, 13, TEXT_SIZE), WallSize(1240, 470, 46, 20)
"""The wall beside a lesson, and on a slide."""
FIRST, LAST = -4, 104
"""Ends of the scale of guesses: half a dot beyond 0 and 100."""


def dots_figure(
    guesses: Sequence[int], own: int | None, exact: int | None, *, colours: Palette, size: WallSize = BESIDE
) -> go.Figure:
    """A dot per guess, exactly where it is, the middle half as a bar with the median as its tick; the answer as a line.

    Args:
        guesses: Of the class.
        own: That of this screen, drawn beside them.
        exact: The answer; None until it is shown.
        colours: Of the theme.
        size: Of the wall.
    """
    unit = size.width / (LAST - FIRST)
    x, y, diameter = piled([*guesses, *([] if own is None else [own])], size.dot / unit, size.room / unit)
    at = None if own is None else int(np.flatnonzero(x == own)[-1])
    of_class = np.arange(len(x)) != at
    low, median, high = quartiles(guesses)
    top = size.room / unit
    layout = _wall_layout(colours, (BELOW * top, ABOVE * top), size)
    marks: list[Layout] = [
        _line("middle half", [low, high], [-0.05 * top] * 2, colours.ink, 6),
        _line("median", [median] * 2, [-0.13 * top, 0.02 * top], colours.ink, 3),
        _dots("guesses", x[of_class], y[of_class], size=diameter * unit, color=colours.faint),
    ]
    if at is not None:
        look = {"color": colours.optimal.line, "symbol": "diamond"}
        marks.append(_dots("this screen", x[[at]], y[[at]], size=diameter * unit, **look))
    if exact is not None:
        marks.append(_line("exact", [exact] * 2, [0, top], colours.plackett_luce.line, 2.4))
        side = "right" if exact > 80 else "left" if exact < 20 else "center"
        layout["annotations"] = [_exact_label(colours, str(exact), exact, top, size, side)]
    return go.Figure({"data": marks, "layout": layout})


def ranges_figure(
    guesses: Sequence[tuple[int, int]],
    own: tuple[int, int] | None,
    exact: tuple[int, int] | None,
    *,
    colours: Palette,
    size: WallSize = BESIDE,
) -> go.Figure:
    """A line per guessed range, the lowest first; that of this screen thick, the answer as two lines once shown."""
    rows = sorted(guesses)
    layout = _wall_layout(colours, (-1.6, len(rows)), size)
    y = _apart((level, level) for level in range(len(rows)))
    width = max(1.5, min(5.0, size.room / (2 * len(rows))))
    marks: list[Layout] = [_line("guesses", _apart(rows), y, colours.faint, width)]
    if own is not None:
        marks.append(_line("this screen", list(own), [-1, -1], colours.optimal.line, 5))
    if exact is not None:
        upright = _apart([(-1.5, len(rows))] * 2)
        marks.append(_line("exact", _apart((end, end) for end in exact), upright, colours.plackett_luce.line, 2.4))
        label = _exact_label(colours, f"{exact[0]} to {exact[1]}", sum(exact) / 2, len(rows), size)
        layout["annotations"] = [label]
    return go.Figure({"data": marks, "layout": layout})


def _wall_layout(colours: Palette, heights: tuple[float, float], size: WallSize) -> Layout:
    """The scale of guesses from left to right, and no scale upwards."""
    margin = {"t": size.top, "b": size.bottom, "l": 12, "r": 12}
    layout = base_layout(colours, height=size.height, margin=margin)
    look = {"showgrid": False, "tickfont": {"size": size.text, "color": colours.mute}}
    layout["xaxis"] = axis(colours, bounds=(FIRST, LAST), tickvals=[0, 25, 50, 75, 100], **look)
    layout["yaxis"] = axis(colours, bounds=heights, showgrid=False, showline=False, tickvals=[])
    layout["annotations"] = list[Layout]()
    return layout


def _exact_label(colours: Palette, words: str, x: float, y: float, size: WallSize, side: str = "center") -> Layout:
    text = {"size": size.text, "color": colours.plackett_luce.text}
    return note(colours, f"<b>exact {words}</b>", x=x, y=y, yanchor="bottom", xanchor=side, font=text)


def _dots(name: str, x: FloatArray, y: FloatArray, **marker: object) -> Layout:
    return scatter(name, "markers", x, y, marker={"line": {"width": 0}} | marker)


def _line(name: str, x: Sequence[float | None], y: Sequence[float | None], colour: str, width: float) -> Layout:
    return scatter(name, "lines", x, y, line={"color": colour, "width": width})
