"""Small panels of a grid: what stands in which panel, and how it is drawn.

A task's conditions stand by two factors, or one after another where there is one: every system in its own panel, all
others grey behind it, the baseline dashed. All panels stand on one pair of axes, side by side and below each other, and
what is drawn alike in all of them is one trace, cut apart by gaps: 96 panels have as many traces as one. Values are
placed by :class:`_PanelScale`; what a person reads by hovering are the values themselves.
"""

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.display.marks import Band
from fairviz.display.theme import (
    SMALL_SIZE,
    Hue,
    Layout,
    Palette,
    axis,
    axis_name,
    axis_title,
    base_layout,
    group_hues,
    joined,
    look_colour,
    look_dash,
    note,
    plain,
    rgba,
    scatter,
)
from fairviz.model import Factors, FloatArray, Look
from fairviz.numerals import plural
from fairviz.points.conditions import is_limit
from fairviz.points.view import Line, distinguishing, system_name, value_name, values_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_PANELS = 96
IN_A_ROW = 4
"""Panels beside each other where no factor has columns."""
Order: TypeAlias = Literal["files", "name", "highest"]
"""In which order rows and columns stand: as the files give them, by name, or the highest value first."""
Tone: TypeAlias = Literal["gain", "loss", ""]


def toned(verdict: str, *, falls: bool = False) -> Tone:
    """Tone of a verdict on a difference; ``falls``: less is better.

    Examples:
        >>> toned("higher"), toned("higher", falls=True), toned("no significant difference")
        ('gain', 'loss', '')
    """
    if verdict not in ("higher", "lower"):
        return ""
    return "gain" if (verdict == "higher") is not falls else "loss"


class PanelLayout(NamedTuple):
    """How the conditions of a task stand in panels.

    Attributes:
        rows: Factor with a row per value.
        columns: Factor with a column per value; empty: panels one after another.
        colour: Factor with a colour per value; empty: all alike.
        order: Of rows and columns.
        baseline: What the others are compared with.
        pinned: Which panel is marked.
    """

    rows: str = ""
    columns: str = ""
    colour: str = ""
    order: Order = "files"
    baseline: Factors | None = None
    pinned: Factors | None = None


class Corner(NamedTuple):
    """What stands in the corner of a panel.

    Attributes:
        value: Its number; empty before it is known.
        change: Δ to the baseline; empty where there is none.
        tone: Which way Δ goes where Holm's correction allows to say so.
    """

    value: str = ""
    change: str = ""
    tone: Tone = ""


class Curves(NamedTuple):
    """A condition as drawn.

    Attributes:
        factors: What it is made of.
        line: Along α.
        deterministic, uniform: Its deterministic list and the uniform policy, where known: points that are not joined.
        band: 95 % band; None where it is not known yet, or of too few queries.
        corner: Its numbers, in its own panel.
        reference: Whether it is no system: a bound that is drawn, and counted nowhere.
        look: Colour and dash that the table of systems gives it.
    """

    factors: Factors
    line: Line
    deterministic: Line | None = None
    uniform: Line | None = None
    band: Band | None = None
    corner: Corner = Corner()
    reference: bool = False
    look: Look = Look()

    @property
    def lines(self) -> list[Line]:
        """Its line and points, as far as they are known."""
        return [line for line in (self.line, self.deterministic, self.uniform) if line is not None]

    @property
    def is_bound(self) -> bool:
        """Whether it is drawn for reference: as such, or since it knows the judgements."""
        return self.reference or is_limit(self.factors)


class Panel(NamedTuple):
    """One panel, by its place from the top left.

    Attributes:
        row, column: Its place.
        name: What stands above it, where rows and columns have no heads.
        own: Whose panel it is.
    """

    row: int
    column: int
    name: str
    own: tuple[Curves, ...]


class PanelView(NamedTuple):
    """All panels of a task.

    Attributes:
        panels: Those that have a condition.
        layout: What stands where, is pinned, is the baseline.
        rows, columns: Heads; empty where each panel has a name of its own.
        n_rows, n_columns: How many.
        curves: Everything that is drawn, once: what is grey in a panel is all of it but its own.
        colours: Values of the colour factor.
        x, y: What is drawn against what: measures, or names of what no measure is.
        titles: Of both axes, empty where those of the measures serve.
        counted: What the numbers in the corners are.
        diagonal: Whether y = x is drawn: where both axes are the same quantity of two things.
    """

    panels: tuple[Panel, ...]
    layout: PanelLayout
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    n_rows: int
    n_columns: int
    curves: tuple[Curves, ...]
    colours: tuple[str, ...]
    x: str
    y: str
    titles: tuple[str, str] = ("", "")
    counted: str = "AUC"
    diagonal: bool = False

    def colour(self, factors: Factors) -> str:
        """Value of the colour factor; empty where all systems are coloured alike, each in its own panel."""
        return value_name(self.layout.colour, getattr(factors, self.layout.colour)) if self.layout.colour else ""


def ordered(of: Sequence[Factors], order: Order, values: Mapping[Factors, float], by: Sequence[str]) -> list[Factors]:
    """Systems in an order; ``values`` are theirs for "highest", undefined ones last; ``by`` makes their names."""
    if order == "name":
        return sorted(of, key=lambda system: system_name(system, by).casefold())
    return sorted(of, key=lambda system: -_worth(system, values)) if order == "highest" else list(of)


def heads(factor: str, of: Sequence[Factors], order: Order, values: Mapping[Factors, float]) -> tuple[str | None, ...]:
    """Distinct values of a factor in an order; one stands by its highest system."""
    levels = values_of(factor, of)
    if order == "name":
        return tuple(sorted(levels, key=lambda value: value_name(factor, value).casefold()))
    if order == "highest":
        best = {
            value: max(_worth(system, values) for system in of if getattr(system, factor) == value) for value in levels
        }
        return tuple(sorted(levels, key=lambda value: -best[value]))
    return levels


def _worth(system: Factors, values: Mapping[Factors, float]) -> float:
    value = values.get(system, math.nan)
    return -math.inf if math.isnan(value) else value


def usual_layout(of: Sequence[Factors]) -> PanelLayout:
    """Factors for rows, columns and colour before anything is chosen.

    Generators below each other, retrievers beside each other, policies in colours; where one factor is all there is,
    its panels stand one after another.

    Examples:
        >>> usual_layout([Factors(None, "a", "x"), Factors(None, "b", "y")])[:3]
        ('generator', 'retriever', '')
        >>> usual_layout([Factors(None, "a", None, "optimal"), Factors(None, "a", None, "oracle")])[:3]
        ('policy', '', '')
    """
    names = [name for name in ("generator", "retriever", "policy") if name in distinguishing(of)]
    rows, columns, colour = (*names, "", "", "")[:3]
    return PanelLayout(rows, columns, colour)


def lay_out(
    curves: Sequence[Curves],
    layout: PanelLayout,
    *,
    x: str,
    y: str,
    corners: Mapping[Factors, Corner] | None = None,
    values: Mapping[Factors, float] | None = None,
) -> PanelView:
    """Lay out the conditions of a task.

    Args:
        curves: What is drawn; limits have no panel, and stand behind those of the systems.
        layout: What stands where.
        x: What is drawn across.
        y: What is drawn up.
        corners: Numbers of the conditions, where they are known.
        values: Of the conditions, by which they are ordered where the highest comes first.
    """
    rows, columns, colour, order = layout[:4]
    every = {
        condition.factors: condition._replace(corner=(corners or {}).get(condition.factors, Corner()))
        for condition in curves
    }
    of = [factors for factors in every if not is_limit(factors)]
    lines = heads(rows, of, order, values or {})
    sides = heads(columns, of, order, values or {}) if columns else ("",) * min(IN_A_ROW, len(lines))
    panels: dict[tuple[int, int], list[Curves]] = {}
    for factors in of:
        index = lines.index(getattr(factors, rows))
        at = (index, sides.index(getattr(factors, columns))) if columns else divmod(index, IN_A_ROW)
        panels.setdefault(at, []).append(every[factors])
    return PanelView(
        panels=tuple(
            Panel(row, column, "" if columns else value_name(rows, lines[row * IN_A_ROW + column]), tuple(own))
            for (row, column), own in sorted(panels.items())
        ),
        layout=layout,
        rows=tuple(value_name(rows, value) for value in lines) if columns else (),
        columns=tuple(value_name(columns, value) for value in sides) if columns else (),
        n_rows=len(lines) if columns else -(-len(lines) // IN_A_ROW),
        n_columns=len(sides),
        curves=tuple(every.values()),
        colours=tuple(value_name(colour, value) for value in values_of(colour, of)) if colour else (),
        x=x,
        y=y,
    )


def dodged(places: Sequence[float], gap: float, least: float = -np.inf) -> list[float]:
    """Places of labels in one column: in the order of what they name, a gap apart, else as near to it as can be.

    None is below ``least``, where a chart ends and would leave it out.

    Examples:
        >>> dodged([0.0, 5.0, 5.0], 2.0), dodged([0.0, 0.0], 2.0, least=0.0)
        ([0.0, 4.0, 6.0], [0.0, 2.0])
    """
    order = sorted(range(len(places)), key=lambda at: places[at])
    blocks: list[tuple[float, int]] = []  # mean of the places that touch, each moved down by those below it
    for rank, at in enumerate(order):
        blocks.append((places[at] - rank * gap, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean, n), (other, m) = blocks.pop(), blocks.pop()
            blocks.append(((mean * n + other * m) / (n + m), n + m))
    moved = [mean for mean, n in blocks for _ in range(n)]
    positions = dict(zip(order, (mean + rank * gap for rank, mean in enumerate(moved)), strict=True))
    lift = max(0.0, least - min(positions.values(), default=least))
    return [positions[at] + lift for at in range(len(places))]


# How panels are drawn.

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


Shape: TypeAlias = tuple[FloatArray, FloatArray]
"""x and y of some points."""


@dataclass(frozen=True, slots=True)
class _PanelScale:
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

    def at(self, panel: Panel, x: FloatArray, y: FloatArray) -> Shape:
        """Points of a panel."""
        return self.across(panel.column, x), self.up(panel.row, y)

    @property
    def levels(self) -> FloatArray:
        """Round values of what is up, below the numbers in the corner."""
        low, high = self.y
        return _ticks(low, high - CORNER * (high - low), 3)


def panels_figure(view: PanelView, by: Sequence[str], *, colours: Palette) -> "go.Figure":
    """Draw the panels of a task.

    Args:
        view: The panels.
        by: Factors that tell systems apart, for what hovering says.
        colours: Light or dark.
    """
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    panel = PANEL if view.n_rows * view.n_columns <= MANY else SMALL_PANEL
    panel *= 1.4 if max((len(cell.own) for cell in view.panels), default=1) > 1 else 1  # a line of numbers for each
    heads = max((len(_lines(name, width)) for name, width in _above(view)), default=0)
    geometry = _geometry(view, head=(10 + HEAD_LINE * heads) / panel)
    top = 26 + HEAD_LINE * max((len(_lines(name, HEADS)) for name in view.columns), default=0)
    key = _colour_key(view, colours, above=top)
    top += HEAD_LINE * (key["text"].count("<br>") + 1) if key else 0
    height = round(top + panel * (1 + geometry.head) * view.n_rows) + MARGIN["b"]
    layout = base_layout(colours, height=height, margin=MARGIN | {"t": top})
    layout["hoverdistance"] = REACH
    layout["xaxis"] = _x_axis(view, geometry, colours)
    layout["yaxis"] = _y_axis(view, geometry, colours)
    notes = [*_heads(view, geometry, colours), *_alpha_names(view, geometry, colours)]
    layout["annotations"] = [key, *notes] if key else notes
    traces = [
        *_ground(view, geometry, colours),
        *_others(view, geometry, colours),
        *_owners(view, geometry, by, colours),
    ]
    return go.Figure({"data": [trace for trace in traces if trace["x"]], "layout": layout})


def panels_alt(view: PanelView, by: Sequence[str]) -> str:
    """The panels in words: how many, and what their corners say."""
    clauses = [
        f"{system_name(own.factors, by)}: {view.counted} {' '.join(filter(None, own.corner[:2]))}"
        for panel in view.panels
        for own in panel.own
        if own.corner.value
    ]
    where = f"{plural(len(view.panels), 'panel')}, {axis_name(view.y)} against {axis_name(view.x)} in each. "
    return where + "; ".join(clauses[:96]) + ("." if clauses else "")


def narrowest(view: PanelView) -> int:
    """Width in px under which numbers in the corners of panels would touch: below it, the chart scrolls."""
    return MARGIN["l"] + MARGIN["r"] + _panel_width(view) * view.n_columns


def _panel_width(view: PanelView) -> int:
    """Width of the narrowest panel, in px."""
    return 100 if view.columns else 160


def _above(view: PanelView) -> list[tuple[str, int]]:
    """What stands above the panels of a row, and how many characters a line of it may have."""
    return [(name, 3 * HEADS) for name in view.rows] or [(panel.name, NAMES) for panel in view.panels]


def _geometry(view: PanelView, *, head: float) -> _PanelScale:
    lines = [line for condition in view.curves for line in condition.lines]
    x = np.concatenate([line.x for line in lines]) if lines else np.empty(0)
    y = [line.y for line in lines]
    y += [end for each in view.curves if each.band is not None for end in (each.band.low, each.band.high)]
    heights = np.concatenate(y) if y else np.empty(0)
    return _PanelScale(_ends(x, 0.03, 0.05), _ends(heights, 0.08, CORNER / (1 - CORNER)), head)


def _ends(values: FloatArray, below: float, above: float) -> tuple[float, float]:
    finite_values = values[np.isfinite(values)]
    if not finite_values.size:
        return 0.0, 1.0
    low, high = float(finite_values.min()), float(finite_values.max())
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


def _x_axis(view: PanelView, geometry: _PanelScale, colours: Palette) -> Layout:
    ticks = _ticks(*geometry.x, 4 if view.n_columns > 2 else 6)
    if view.n_columns > 1 and any(len(f"{value:g}") > 3 for value in ticks.round(6)):  # they would touch on paper
        ticks = _ticks(*geometry.x, 4)
    at = [float(value) for column in range(view.n_columns) for value in geometry.across(column, ticks)]
    names = [f"{value:g}" for value in ticks.round(6).tolist()] * view.n_columns
    bounds = (0.0, view.n_columns * (1 + GAP) - GAP)
    return axis(
        colours,
        title=view.titles[0] or axis_title(view.x),
        bounds=bounds,
        tickvals=at,
        ticktext=names,
        tickangle=0,
        showgrid=False,
        showline=False,
    )


def _y_axis(view: PanelView, geometry: _PanelScale, colours: Palette) -> Layout:
    ticks = geometry.levels
    at = [float(value) for row in range(view.n_rows) for value in geometry.up(row, ticks)]
    names = [f"{value:g}" for value in ticks.round(6).tolist()] * view.n_rows
    bounds = (-view.n_rows * (1 + geometry.head), 0.0)
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


def _heads(view: PanelView, geometry: _PanelScale, colours: Palette) -> list[Layout]:
    bold = {"font": {"size": SMALL_SIZE + 1, "color": colours.ink, "weight": 600}}
    step = 1 + geometry.head
    notes = [
        note(
            colours,
            view.titles[1] or f"{axis_name(view.y)} ↑",
            x=0,
            y=1,
            xref="paper",
            yref="paper",
            xanchor="left",
            xshift=-36,
        )
        | {"yanchor": "bottom", "yshift": 8, "font": {"size": SMALL_SIZE, "color": colours.mute}}
    ]
    middles = geometry.across(0, np.array([sum(geometry.x) / 2])) + np.arange(view.n_columns) * (1 + GAP)
    columns = [(name, HEADS, float(x), 0.0, "center") for name, x in zip(view.columns, middles, strict=False)]
    rows = [(name, 3 * HEADS, 0, -i * step - geometry.head, "left") for i, name in enumerate(view.rows)]
    panels = [
        (panel.name, NAMES, panel.column * (1 + GAP), -panel.row * step - geometry.head, "left")
        for panel in view.panels
        if panel.name
    ]
    return notes + [
        note(colours, "<br>".join(map(plain, _lines(name, width))), x=x, y=y, xanchor=anchor, yanchor="bottom", **bold)
        for name, width, x, y, anchor in (*columns, *rows, *panels)
    ]


def _colour_key(view: PanelView, colours: Palette, *, above: float) -> Layout | None:
    """Name of each colour in a line of its own kind above everything; as many lines as a narrow chart needs."""
    room, lines, used = narrowest(view) / CHARACTER, [""], 0
    for value in view.colours:
        if used and used + len(value) + 3 > room:
            lines, used = [*lines, ""], 0
        lines[-1] += f"<span style='color:{_hues(view, colours)[value].line}'>●</span> {plain(value)}   "
        used += len(value) + 3
    if not used:
        return None
    ink = {"font": {"size": SMALL_SIZE, "color": colours.ink}, "align": "left"}
    text = "<br>".join(lines)
    return note(
        colours, text, x=0, y=1, xref="paper", yref="paper", xanchor="left", yanchor="bottom", yshift=above - 4, **ink
    )


def _alpha_names(view: PanelView, geometry: _PanelScale, colours: Palette) -> list[Layout]:
    """α of the circles, written in one panel only: the pinned one, else the last of the first row."""
    circled = [(panel, own) for panel in view.panels for own in panel.own if 1 < own.line.alphas.size <= MARKED]
    if not circled:
        return []
    pinned = [(panel, own) for panel, own in circled if own.factors == view.layout.pinned]
    panel, own = (pinned or [(panel, own) for panel, own in circled if panel.row == circled[0][0].row])[-1]
    x, y = geometry.at(panel, own.line.x, own.line.y)
    names = [f"{'α = ' if i == 0 else ''}{alpha:g}" for i, alpha in enumerate(own.line.alphas)]
    kept, end = [0], float(x[0]) + _across(names[0], view)
    for i in range(1, x.size):  # in the narrowest panel, too, no name touches the one before
        if x[i] - _across(names[i], view) / 2 > end + _across(" ", view):
            kept.append(i)
            end = float(x[i]) + _across(names[i], view) / 2
    blue = {"font": {"size": SMALL_SIZE, "color": colours.plackett_luce.text}}
    low, high = geometry.y
    above = float(own.line.y.min()) < low + 0.2 * (high - low)  # else they would stand on the axis
    side = {"yanchor": "bottom" if above else "top", "yshift": 5 if above else -5}
    return [
        note(colours, names[i], x=float(x[i]), y=float(y[i]), xanchor="center" if i else "left", **side, **blue)
        for i in kept
    ]


def _across(text: str, view: PanelView) -> float:
    """Width of a small text as a share of the narrowest panel."""
    return LETTER * len(text) / _panel_width(view)


# Traces: one per role, cut apart by gaps.


def _merged(parts: Iterable[Shape], data: Sequence[Sequence[Any]] = ()) -> Layout:
    """Several lines as one, with None between them; ``data`` is what hovering says of each point."""
    custom = [cell for some in data for cell in (*some, None)]
    return joined(parts) | ({"customdata": custom} if data else {})


def _trace(name: str, parts: Iterable[Shape], colour: str, width: float, dash: str = "solid", **more: Any) -> Layout:
    style = {"color": colour, "width": width, "dash": dash}
    return scatter(name, "lines", **_merged(parts), line=style, **more)


def _ground(view: PanelView, geometry: _PanelScale, colours: Palette) -> Iterator[Layout]:
    """Hairlines and frames of the panels, y = x inside the ranges of both axes, and a box around the pinned one."""
    ends, (left, right), (bottom, top) = np.array(geometry.x), geometry.x, geometry.y
    rules = (geometry.at(panel, ends, np.full(2, level)) for panel in view.panels for level in geometry.levels)
    yield _trace("rules", rules, colours.rule, 1)
    equal = np.array([max(left, bottom), min(right, top)])
    if view.diagonal and equal[0] < equal[1]:
        yield _trace("y = x", (geometry.at(cell, equal, equal) for cell in view.panels), colours.axis, 1, "2px,3px")
    frame = np.array([left, left, right]), np.array([top, bottom, bottom])
    yield _trace("frames", (geometry.at(panel, *frame) for panel in view.panels), colours.axis, 1)
    box = np.array([left, right, right, left, left]), np.array([bottom, bottom, top, top, bottom])
    pinned = [cell for cell in view.panels if any(own.factors == view.layout.pinned for own in cell.own)]
    yield _trace(
        "pinned", (geometry.at(cell, *box) for cell in pinned), colours.plackett_luce.line, 2, cliponaxis=False
    )


def _others(view: PanelView, geometry: _PanelScale, colours: Palette) -> list[Layout]:
    """In each panel everything that is not its own: thin and grey, limits dotted; baseline dashed, pinned in ink."""
    faint = rgba(colours.faint, 0.45 * min(1.0, max(0.25, LIGHTER / max(1, len(view.curves)))))
    looks: dict[str, tuple[str, float, str]] = {
        "others": (faint, 1, "solid"),
        "limit": (colours.faint, 1.4, "dot"),
        "baseline": (colours.ink, 1.4, "4px,3px"),
        "pinned everywhere": (colours.ink, 1.8, "solid"),
    }
    named = {view.layout.pinned: "pinned everywhere", view.layout.baseline: "baseline"}
    parts: dict[str, list[Shape]] = {name: [] for name in looks}
    for panel in view.panels:
        own = {condition.factors for condition in panel.own}
        for condition in view.curves:
            if condition.factors not in own:
                kind = "limit" if is_limit(condition.factors) else named.get(condition.factors, "others")
                parts[kind].append(geometry.at(panel, condition.line.x, condition.line.y))
    return [_trace(name, parts[name], *look) for name, look in looks.items()]


OWN, BASELINE = "own", "own baseline"
"""How systems look in their own panels where no factor has colours, and the table of systems gives them no look."""


def _hues(view: PanelView, colours: Palette) -> dict[str, Hue]:
    if view.colours:
        return {
            value: Hue(hue.line, hue.text)
            for value, hue in zip(view.colours, group_hues(view.colours, colours), strict=True)
        }
    hues = {OWN: colours.plackett_luce, BASELINE: Hue(colours.ink, colours.ink)}
    for own in (own for panel in view.panels for own in panel.own if any(own.look)):
        usual = hues[BASELINE if own.factors == view.layout.baseline else OWN]
        hues[_look(own, view)] = Hue(look_colour(own.look, colours, usual.line), colours.ink)
    return hues


def _look(own: Curves, view: PanelView) -> str:
    """The value of the factor that has colours; else what the table of systems gives the system, or its role."""
    role = BASELINE if own.factors == view.layout.baseline else OWN
    return view.colour(own.factors) or (f"{role} {own.look.colour} {own.look.dash}" if any(own.look) else role)


def _owners(view: PanelView, geometry: _PanelScale, by: Sequence[str], colours: Palette) -> Iterator[Layout]:
    """Systems in their own panels, a set of traces per colour: bands, lines, circles, squares, corners."""
    hues, members = _hues(view, colours), [(panel, own) for panel in view.panels for own in panel.own]
    groups = {name: [(panel, own) for panel, own in members if _look(own, view) == name] for name in hues}
    shade = 0.15 if colours.name == "light" else 0.22
    for name, some in groups.items():
        bands = [geometry.at(panel, *shape) for panel, own in some if own.band for shape in own.band.outlines()]
        hue = hues[name].line
        yield _trace(f"band {name}", bands, hue, 0, fill="toself", fillcolor=rgba(hue, shade))
        yield _trace(
            f"interval {name}", (mark for mark in bands if mark[0].size == 2), hue, 2
        )  # a place alone is a line

    def hovered(
        name: str, some: Iterable[tuple[Panel, Line | None, Factors]], look: Layout, called: str = ""
    ) -> Layout:
        drawn_lines = [(panel, line, factors) for panel, line, factors in some if line is not None]
        data = [_hover(line, factors, by, view, called) for _, line, factors in drawn_lines]
        merged = _merged((geometry.at(panel, line.x, line.y) for panel, line, _ in drawn_lines), data)
        return scatter(name, "markers", **merged, hovertemplate=_HOVER) | look

    for name, some in groups.items():
        lines, hue = [(panel, own.line, own.factors) for panel, own in some], hues[name].line
        dash = "solid" if view.colours or not some else look_dash(some[0][1].look)
        yield hovered(name, lines, {"line": {"color": hue, "width": 2.4, "dash": dash}} | _UNSEEN)
        recorded = [mark for mark in lines if mark[1].alphas.size <= MARKED]
        yield hovered(f"α {name}", recorded, _points("circle", 6, colours.page, hue))
    square, ink = _points("square", 7, colours.ink, colours.page), _points("square-open", 7, colours.ink, colours.ink)
    listed = ((panel, own.deterministic, own.factors) for panel, own in members)
    yield hovered("deterministic", listed, square, "deterministic")
    yield hovered("uniform", ((panel, own.uniform, own.factors) for panel, own in members), ink, "uniform")
    yield from _corners(view, geometry, hues, colours)


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
}


def _hover(line: Line, factors: Factors, by: Sequence[str], view: PanelView, called: str) -> list[list[Any]]:
    """What hovering says of each point; the cell in place 5 is the system, for a click on it."""
    name, (x, y) = system_name(factors, by), (axis_name(view.x), axis_name(view.y))
    points = zip(line.alphas.tolist(), line.x.tolist(), line.y.tolist(), strict=True)
    return [
        [plain(name), called or ("–" if np.isnan(alpha) else f"α = {alpha:g}"), across, up, y, name, x]
        for alpha, across, up in points
    ]


def _points(symbol: str, size: float, fill: str, edge: str) -> Layout:
    marker = {"symbol": symbol, "size": size, "color": fill, "opacity": 1, "line": {"color": edge, "width": 1.4}}
    return {"marker": marker, "cliponaxis": False, "unselected": {"marker": {"opacity": 1}}}


def _corners(view: PanelView, geometry: _PanelScale, hues: dict[str, Hue], colours: Palette) -> Iterator[Layout]:
    """AUC and Δ at the top left of each panel: green or orange and bold where significant."""
    tones = {"gain": colours.oracle.text, "loss": colours.optimal.text}
    texts: dict[str, list[tuple[float, float, str]]] = {}
    low, high = geometry.y
    for panel in view.panels:
        if len(panel.own) > 3:  # too many lines for a corner: the table has them
            continue
        for i, own in enumerate(panel.own):
            value, change, way = own.corner
            if value:
                ink = hues[_look(own, view)].line
                mark = f"<span style='color:{ink}'>●</span> " if len(panel.own) > 1 else ""
                text = f"{THIN}{mark}{value} {f'<b>{change}</b>' if way in tones else change}"
                x, y = geometry.at(panel, np.array([geometry.x[0]]), np.array([high - 0.14 * i * (high - low)]))
                texts.setdefault(tones.get(way, colours.mute), []).append((float(x[0]), float(y[0]), text))
    for tone, some in texts.items():
        x, y, words = (list(each) for each in zip(*some, strict=True))
        font = {"size": SMALL_SIZE, "color": tone}
        yield scatter("corner", "text", x, y, text=words, textposition="bottom right", textfont=font, cliponaxis=False)
