"""Small panels of a grid: every system in its own, all others grey behind it, the baseline dashed.

All panels stand on one pair of axes, side by side and below each other, and what is drawn alike in all of them is one
trace, cut apart by gaps: 96 panels have as many traces as one. Values are placed by :class:`_Place`; what a person
reads by hovering are the values themselves.
"""

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairviz.display.theme import (
    SMALL_SIZE,
    Layout,
    Palette,
    axis,
    axis_name,
    axis_title,
    base_layout,
    group_hues,
    note,
    plain,
    rgba,
)
from fairviz.model import Factors, FloatArray
from fairviz.numerals import plural
from fairviz.points.view import Axes, Line, Own, Panel, PanelView, system_name

if TYPE_CHECKING:
    import plotly.graph_objects as go

PANEL, SMALL_PANEL, MANY = 107, 72, 24
"""Heights of a panel in px, and the number of panels from which the smaller one is taken."""
HEAD_LINE = 15
"""Height of a line of a head, in px."""
HEADS, NAMES = 14, 22
"""Characters of a head, and of the name of a panel, before it goes on in the next line."""
GAP = 0.06
"""Between panels beside each other, as a share of a panel's width."""
CORNER = 0.24
"""Share of a panel that is kept free above the curves, for the numbers in its corner."""
CHARACTER = 7
"""Width of a character of small text in px, about."""
LIGHTER = 16
"""Curves from which the grey ones fade, so that many of them are no wall."""
MARKED = 8
"""Recorded α at most that get a circle each; exact curves have none."""
THIN = "\N{THIN SPACE}"
"""Between a panel's axis and the numbers in its corner."""
MARGIN = {"l": 44, "r": 12, "b": 50}
REACH = 8
"""Pixels from which a point of the own line is hovered over: the lines of others are near."""
LETTER = 6.5
"""Width of a letter of small type, in px."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value of a panel stands on the common axes: panel (row, column) is [0, 1] × [0, 1], moved.

    Attributes:
        x: Range of what is across.
        y: Range of what is up.
        head: Height of what stands above each row, as a share of a panel.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    head: float

    def across(self, column: int, values: FloatArray) -> FloatArray:
        low, high = self.x
        return column * (1 + GAP) + (values - low) / (high - low)

    def up(self, row: int, values: FloatArray) -> FloatArray:
        low, high = self.y
        return -(row + 1) * (1 + self.head) + (values - low) / (high - low)


def panels_figure(view: PanelView, by: Sequence[str], *, colours: Palette) -> "go.Figure":
    """Draw the panels of a task.

    Args:
        view: The panels.
        by: Factors that tell systems apart, for what hovering says.
        colours: Light or dark.
    """
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    panel = PANEL if view.n_rows * view.n_columns <= MANY else SMALL_PANEL
    panel *= 1.4 if max((len(one.own) for one in view.panels), default=1) > 1 else 1  # a line of numbers for each
    heads = max((len(_lines(name, width)) for name, width in _above(view)), default=0)
    place = _place(view, head=(10 + HEAD_LINE * heads) / panel)
    top = 26 + HEAD_LINE * max((len(_lines(name, HEADS)) for name in view.columns), default=0)
    key = _colour_key(view, colours, above=top)
    top += HEAD_LINE * (key["text"].count("<br>") + 1) if key else 0
    step = 1 + place.head
    height = round(top + panel * step * view.n_rows) + MARGIN["b"]
    layout = base_layout(colours, height=height, margin=MARGIN | {"t": top})
    layout["hoverdistance"] = REACH
    layout["xaxis"] = _x_axis(view, place, colours)
    layout["yaxis"] = _y_axis(view, place, colours)
    layout["annotations"] = [
        *([key] if key else []),
        *_heads(view, place, colours),
        *_alpha_names(view, place, colours),
    ]
    traces = [*_ground(view, place, colours), *_others(view, place, colours), *_owners(view, place, by, colours)]
    return go.Figure({"data": [trace for trace in traces if trace["x"]], "layout": layout})


def panels_alt(view: PanelView, by: Sequence[str]) -> str:
    """The panels in words: how many, and what their corners say."""
    said = [
        f"{system_name(own.curves.factors, by)}: {view.counted} {' '.join(filter(None, own.corner[:2]))}"
        for panel in view.panels
        for own in panel.own
        if own.corner.value
    ]
    where = f"{plural(len(view.panels), 'panel')}, {axis_name(view.axes.y)} against {axis_name(view.axes.x)} in each. "
    return where + "; ".join(said[:96]) + ("." if said else "")


def narrowest(view: PanelView) -> int:
    """Width in px under which numbers in the corners of panels would touch: below it, the chart scrolls."""
    return MARGIN["l"] + MARGIN["r"] + _panel_width(view) * view.n_columns


def _panel_width(view: PanelView) -> int:
    """Of the narrowest panel, in px."""
    return 100 if view.columns else 160


def _above(view: PanelView) -> list[tuple[str, int]]:
    """What stands above the panels of a row, and how many characters a line of it may have."""
    return [(name, 3 * HEADS) for name in view.rows] or [(panel.name, NAMES) for panel in view.panels]


def _place(view: PanelView, *, head: float) -> _Place:
    lines = [line for one in view.curves for line in (one.line, one.deterministic, one.uniform) if line is not None]
    x = np.concatenate([line.x for line in lines]) if lines else np.empty(0)
    y = [line.y for line in lines]
    y += [end for one in view.curves if one.band is not None for end in (one.band.low, one.band.high)]
    heights = np.concatenate(y) if y else np.empty(0)
    return _Place(_ends(x, 0.03, 0.05), _ends(heights, 0.08, CORNER / (1 - CORNER)), head)


def _ends(values: FloatArray, below: float, above: float) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    span = max(high - low, 0.02)
    return low - below * span, high + above * span


def _ticks(low: float, high: float, most: int) -> FloatArray:
    """Round values inside a range, at most so many."""
    for power in range(-4, 2):
        for step in (10.0**power, 2 * 10.0**power, 5 * 10.0**power):
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            if last - first < most:
                return np.array([round(i * step, 9) for i in range(first, last + 1)], dtype=np.float64)
    return np.array([low, high])


def _x_axis(view: PanelView, place: _Place, colours: Palette) -> Layout:
    ticks = _ticks(*place.x, 4 if view.n_columns > 2 else 6)
    if view.n_columns > 1 and any(len(f"{value:g}") > 3 for value in ticks.round(6)):  # they would touch on paper
        ticks = _ticks(*place.x, 4)
    at = [float(value) for column in range(view.n_columns) for value in place.across(column, ticks)]
    names = [f"{value:g}" for value in ticks.round(6).tolist()] * view.n_columns
    bounds = (0.0, view.n_columns * (1 + GAP) - GAP)
    return axis(
        colours,
        title=view.axes.x_title or axis_title(view.axes.x),
        bounds=bounds,
        tickvals=at,
        ticktext=names,
        tickangle=0,
        showgrid=False,
        showline=False,
    )


def _y_axis(view: PanelView, place: _Place, colours: Palette) -> Layout:
    low, high = place.y
    ticks = _ticks(low, high - CORNER * (high - low), 3)
    at = [float(value) for row in range(view.n_rows) for value in place.up(row, ticks)]
    names = [f"{value:g}" for value in ticks.round(6).tolist()] * view.n_rows
    bounds = (-view.n_rows * (1 + place.head), 0.0)
    return axis(colours, bounds=bounds, tickvals=at, ticktext=names, showgrid=False, showline=False)


def _lines(name: str, width: int) -> list[str]:
    """A head in lines, broken where its parts end; a part that is too long for a line is broken inside, never cut.

    Examples:
        >>> _lines("baseline_rag24.test_command-r-plus_top20", 22)
        ['baseline_rag24.test_', 'command-r-plus_top20']
    """
    lines = [""]
    for part in re.findall(r"[^\s_./\-]*[\s_./\-]*", name):
        for piece in textwrap.wrap(part, width, drop_whitespace=False):
            if len((lines[-1] + piece).rstrip()) > width:
                lines.append("")
            lines[-1] += piece
    return [line.strip() for line in lines]


def _broken(name: str, width: int) -> str:
    return "<br>".join(plain(line) for line in _lines(name, width))


def _heads(view: PanelView, place: _Place, colours: Palette) -> list[Layout]:
    bold = {"font": {"size": SMALL_SIZE + 1, "color": colours.ink, "weight": 600}}
    step = 1 + place.head
    notes = [
        note(
            colours,
            view.axes.y_title or f"{axis_name(view.axes.y)} ↑",
            x=0,
            y=1,
            xref="paper",
            yref="paper",
            xanchor="left",
            xshift=-36,
        )
        | {"yanchor": "bottom", "yshift": 8, "font": {"size": SMALL_SIZE, "color": colours.mute}}
    ]
    middles = place.across(0, np.array([sum(place.x) / 2])) + np.arange(view.n_columns) * (1 + GAP)
    columns = [(name, HEADS, float(x), 0.0, "center") for name, x in zip(view.columns, middles, strict=False)]
    rows = [(name, 3 * HEADS, 0, -i * step - place.head, "left") for i, name in enumerate(view.rows)]
    panels = [
        (panel.name, NAMES, panel.column * (1 + GAP), -panel.row * step - place.head, "left")
        for panel in view.panels
        if panel.name
    ]
    return notes + [
        note(colours, _broken(name, width), x=x, y=y, xanchor=anchor, yanchor="bottom", **bold)
        for name, width, x, y, anchor in (*columns, *rows, *panels)
    ]


def _colour_key(view: PanelView, colours: Palette, *, above: float) -> Layout | None:
    """Name of each colour in a line of its own kind above everything; as many lines as a narrow chart needs."""
    room, lines, used = narrowest(view) / CHARACTER, [""], 0
    for value, look in _looks(view, colours).items() if view.colours else ():
        if used and used + len(value) + 3 > room:
            lines, used = [*lines, ""], 0
        lines[-1] += f"<span style='color:{look.line}'>●</span> {plain(value)}   "
        used += len(value) + 3
    if not used:
        return None
    ink = {"font": {"size": SMALL_SIZE, "color": colours.ink}, "align": "left"}
    text = "<br>".join(lines)
    return note(
        colours, text, x=0, y=1, xref="paper", yref="paper", xanchor="left", yanchor="bottom", yshift=above - 4, **ink
    )


def _alpha_names(view: PanelView, place: _Place, colours: Palette) -> list[Layout]:
    """α of the circles, written in one panel only: the pinned one, else the last of the first row."""
    with_circles = [
        (panel, own)
        for panel in view.panels
        for own in panel.own
        if _is_marked(own) and own.curves.line.alphas.size > 1
    ]
    if not with_circles:
        return []
    pinned = [(panel, own) for panel, own in with_circles if own.curves.factors == view.pinned]
    first_row = [(panel, own) for panel, own in with_circles if panel.row == with_circles[0][0].row]
    panel, own = (pinned or first_row)[-1]
    line = own.curves.line
    x, y = place.across(panel.column, line.x), place.up(panel.row, line.y)
    names = [f"{'α = ' if i == 0 else ''}{alpha:g}" for i, alpha in enumerate(line.alphas)]
    kept, end = [0], float(x[0]) + _across(names[0], view)
    for i in range(1, x.size):  # in the narrowest panel, too, no name touches the one before
        if x[i] - _across(names[i], view) / 2 > end + _across(" ", view):
            kept.append(i)
            end = float(x[i]) + _across(names[i], view) / 2
    blue = {"font": {"size": SMALL_SIZE, "color": colours.plackett_luce.text}}
    low, high = place.y
    above = float(line.y.min()) < low + 0.2 * (high - low)  # else they would stand on the axis
    return [
        note(
            colours,
            names[i],
            x=float(x[i]),
            y=float(y[i]),
            xanchor="center" if i else "left",
            yanchor="bottom" if above else "top",
            yshift=5 if above else -5,
            **blue,
        )
        for i in kept
    ]


def _across(text: str, view: PanelView) -> float:
    """Width of a small text as a share of the narrowest panel."""
    return LETTER * len(text) / _panel_width(view)


# Traces: one per role, cut apart by gaps.


def _merged(parts: Sequence[tuple[FloatArray, FloatArray]], data: Sequence[Sequence[Any]] = ()) -> Layout:
    """Several lines as one, with None between them; ``data`` is what hovering says of each point."""
    x: list[float | None] = []
    y: list[float | None] = []
    custom: list[Any] = []
    for i, (across, up) in enumerate(parts):
        x += [*across.tolist(), None]
        y += [*up.tolist(), None]
        if data:
            custom += [*data[i], None]
    return {"x": x, "y": y} | ({"customdata": custom} if data else {})


def _trace(name: str, colour: str, width: float, dash: str = "solid", **more: Any) -> Layout:
    style = {"color": colour, "width": width, "dash": dash}
    return {"type": "scatter", "mode": "lines", "name": name, "line": style, "hoverinfo": "skip"} | more


def _ground(view: PanelView, place: _Place, colours: Palette) -> list[Layout]:
    """Hairlines and frames of the panels."""
    low, high = place.y
    rules: list[tuple[FloatArray, FloatArray]] = []
    frames: list[tuple[FloatArray, FloatArray]] = []
    pinned: list[tuple[FloatArray, FloatArray]] = []
    ends = np.array(place.x)
    for panel in view.panels:
        ticks = _ticks(low, high - CORNER * (high - low), 3)
        rules += [(place.across(panel.column, ends), place.up(panel.row, np.full(2, value))) for value in ticks]
        left, right = place.across(panel.column, ends).tolist()
        bottom, top = place.up(panel.row, np.array(place.y)).tolist()
        frames.append((np.array([left, left, right]), np.array([top, bottom, bottom])))
        if view.pinned is not None and any(own.curves.factors == view.pinned for own in panel.own):
            pinned.append((np.array([left, right, right, left, left]), np.array([bottom, bottom, top, top, bottom])))
    equal = _diagonal(place) if view.diagonal else None
    straight = [] if equal is None else [_placed_at(equal, panel, place) for panel in view.panels]
    return [
        _merged(rules) | _trace("rules", colours.rule, 1),
        _merged(straight) | _trace("y = x", colours.axis, 1, "2px,3px"),
        _merged(frames) | _trace("frames", colours.axis, 1),
        _merged(pinned) | _trace("pinned", colours.plackett_luce.line, 2, cliponaxis=False),
    ]


def _diagonal(place: _Place) -> FloatArray | None:
    """Ends of y = x inside the ranges of both axes; None where it passes them by."""
    low, high = max(place.x[0], place.y[0]), min(place.x[1], place.y[1])
    return np.array([low, high]) if low < high else None


def _placed_at(both: FloatArray, panel: Panel, place: _Place) -> tuple[FloatArray, FloatArray]:
    """Points with the same value on both axes."""
    return place.across(panel.column, both), place.up(panel.row, both)


def _placed(line: Line, panel: Panel, place: _Place) -> tuple[FloatArray, FloatArray]:
    return place.across(panel.column, line.x), place.up(panel.row, line.y)


def _others(view: PanelView, place: _Place, colours: Palette) -> list[Layout]:
    """In each panel everything that is not its own: thin and grey, limits dotted; baseline dashed, pinned in ink."""
    grey: list[tuple[FloatArray, FloatArray]] = []
    base: list[tuple[FloatArray, FloatArray]] = []
    pinned: list[tuple[FloatArray, FloatArray]] = []
    limits: list[tuple[FloatArray, FloatArray]] = []
    for panel in view.panels:
        own = {one.curves.factors for one in panel.own}
        for curves in view.curves:
            if curves.factors not in own:
                kind = base if curves.factors == view.baseline else pinned if curves.factors == view.pinned else grey
                kind = limits if curves.factors.policy == "oracle" else kind
                kind.append(_placed(curves.line, panel, place))
    faint = rgba(colours.faint, 0.45 * min(1.0, max(0.25, LIGHTER / max(1, len(view.curves)))))
    return [
        _merged(grey) | _trace("others", faint, 1),
        *([_merged(limits) | _trace("limit", colours.faint, 1.4, "dot")] if limits else []),
        _merged(base) | _trace("baseline", colours.ink, 1.4, "4px,3px"),
        _merged(pinned) | _trace("pinned everywhere", colours.ink, 1.8),
    ]


@dataclass(frozen=True, slots=True)
class _Look:
    """How some systems look in their own panels."""

    name: str
    line: str
    text: str


def _looks(view: PanelView, colours: Palette) -> dict[str, _Look]:
    if not view.colours:
        return {"": _Look("own", colours.plackett_luce.line, colours.plackett_luce.text)}
    hues = group_hues(view.colours, colours)
    return {value: _Look(value, hue.line, hue.text) for value, hue in zip(view.colours, hues, strict=True)}


def _owners(view: PanelView, place: _Place, by: Sequence[str], colours: Palette) -> Iterator[Layout]:
    """Systems in their own panels, a set of traces per colour: bands, lines, circles, squares, corners."""
    members = [(panel, own, i) for panel in view.panels for i, own in enumerate(panel.own)]
    baseline = _Look("own baseline", colours.ink, colours.ink)
    looks = _looks(view, colours)
    groups = [(look, [m for m in members if _look(m[1], view, looks, baseline) is look]) for look in looks.values()]
    groups.append((baseline, [m for m in members if _look(m[1], view, looks, baseline) is baseline]))
    for look, some in groups:
        bands = [
            (place.across(panel.column, x), place.up(panel.row, y))
            for panel, own, _ in some
            if own.curves.band is not None
            for x, y in own.curves.band.outlines()
        ]
        shade = rgba(look.line, 0.15 if colours.name == "light" else 0.22)
        yield _merged(bands) | _trace(f"band {look.name}", look.line, 0, fill="toself", fillcolor=shade)
        points = [(x, y) for x, y in bands if x.size == 2]  # a place alone is a line
        yield _merged(points) | _trace(f"interval {look.name}", look.line, 2)
    for look, some in groups:
        lines = [_placed(own.curves.line, panel, place) for panel, own, _ in some]
        data = [_hover(own.curves.line, own.curves.factors, by, view.axes) for _, own, _ in some]
        yield _merged(lines, data) | _trace(look.name, look.line, 2.4) | _UNSEEN
        yield _circles(some, place, by, view.axes, look, colours)
    yield from _ends_of(members, place, by, view.axes, colours)
    yield from _corners(members, place, looks, colours)


def _look(own: Own, view: PanelView, looks: dict[str, _Look], baseline: _Look) -> _Look:
    if own.curves.factors == view.baseline and not view.colours:
        return baseline
    return looks[own.colour]


_HOVER = (
    "<b>%{customdata[0]}</b><br>%{customdata[1]}<br>%{customdata[6]} %{customdata[2]:.3f}<br>%{customdata[4]} "
    "%{customdata[3]:.3f}<extra></extra>"
)
_UNSEEN: Layout = {
    "mode": "lines+markers",  # a line without markers cannot be chosen by a click
    "marker": {"size": 9, "opacity": 0},
    "selected": {"marker": {"opacity": 0}},
    "unselected": {"marker": {"opacity": 0}},
    "hoverinfo": "text",
    "hovertemplate": _HOVER,
}


def _hover(line: Line, factors: Factors, by: Sequence[str], axes: Axes) -> list[list[Any]]:
    """What hovering says of each point; the cell in place 5 is the system, for a click on it."""
    name = plain(system_name(factors, by))
    return [
        [
            name,
            "–" if np.isnan(alpha) else f"α = {alpha:g}",
            x,
            y,
            axis_name(axes.y),
            system_name(factors, by),
            axis_name(axes.x),
        ]
        for alpha, x, y in zip(line.alphas.tolist(), line.x.tolist(), line.y.tolist(), strict=True)
    ]


def _is_marked(own: Own) -> bool:
    """Whether its α are those that were recorded."""
    return own.curves.line.alphas.size <= MARKED


def _circles(
    members: Sequence[tuple[Panel, Own, int]],
    place: _Place,
    by: Sequence[str],
    axes: Axes,
    look: _Look,
    colours: Palette,
) -> Layout:
    recorded = [(panel, own) for panel, own, _ in members if _is_marked(own)]
    points = [_placed(own.curves.line, panel, place) for panel, own in recorded]
    data = [_hover(own.curves.line, own.curves.factors, by, axes) for _, own in recorded]
    return _merged(points, data) | _points(f"α {look.name}", "circle", 6, colours.page, look.line)


def _ends_of(
    members: Sequence[tuple[Panel, Own, int]], place: _Place, by: Sequence[str], axes: Axes, colours: Palette
) -> Iterator[Layout]:
    """Deterministic lists (full squares) and uniform policies (open ones): points, not joined."""
    for name, symbol, fill in (("deterministic", "square", colours.ink), ("uniform", "square-open", colours.ink)):
        some = [
            (panel, line, own.curves.factors)
            for panel, own, _ in members
            if (line := own.curves.deterministic if name == "deterministic" else own.curves.uniform) is not None
        ]
        points = [_placed(line, panel, place) for panel, line, _ in some]
        data = [
            [[*cells[:1], name, *cells[2:]] for cells in _hover(line, factors, by, axes)] for _, line, factors in some
        ]
        yield _merged(points, data) | _points(name, symbol, 7, fill, colours.page if symbol == "square" else fill)


def _points(name: str, symbol: str, size: float, fill: str, edge: str) -> Layout:
    marker = {"symbol": symbol, "size": size, "color": fill, "opacity": 1, "line": {"color": edge, "width": 1.4}}
    return {"type": "scatter", "mode": "markers", "name": name, "marker": marker, "hovertemplate": _HOVER} | {
        "cliponaxis": False,
        "unselected": {"marker": {"opacity": 1}},
    }


def _corners(
    members: Sequence[tuple[Panel, Own, int]], place: _Place, looks: dict[str, _Look], colours: Palette
) -> Iterator[Layout]:
    """AUC and Δ at the top left of each panel: green or orange and bold where significant."""
    tones = {"gain": colours.oracle.text, "loss": colours.optimal.text}
    texts: dict[str, list[tuple[float, float, str]]] = {}
    for panel, own, i in members:
        if not own.corner.value:
            continue
        n = len(panel.own)
        if n > 3:  # too many lines for a corner: the table has them
            continue
        value, change, way = own.corner
        apart = way in tones
        mark = "" if n == 1 else f"<span style='color:{looks[own.colour].text}'>●</span> "
        text = f"{THIN}{mark}{value} <b>{change}</b>" if apart else f"{THIN}{mark}{value} {change}"
        tone = tones.get(way, colours.mute)
        low, high = place.y
        top = high - 0.14 * i * (high - low)
        at = (
            float(place.across(panel.column, np.array([place.x[0]]))[0]),
            float(place.up(panel.row, np.array([top]))[0]),
        )
        texts.setdefault(tone, []).append((*at, text))
    for tone, some in texts.items():
        yield {
            "type": "scatter",
            "mode": "text",
            "name": "corner",
            "x": [x for x, _, _ in some],
            "y": [y for _, y, _ in some],
            "text": [text for _, _, text in some],
            "textposition": "bottom right",
            "textfont": {"size": SMALL_SIZE, "color": tone},
            "hoverinfo": "skip",
            "cliponaxis": False,
        }
