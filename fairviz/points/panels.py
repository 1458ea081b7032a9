"""What stands in which panel: a task's conditions by two factors, or one after another where there is one."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from fairviz.display.labels import Band
from fairviz.model import Factors
from fairviz.points.view import Line, apart, system_name, value_name, values_of

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


class Layout(NamedTuple):
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
    """

    factors: Factors
    line: Line
    deterministic: Line | None = None
    uniform: Line | None = None
    band: Band | None = None
    corner: Corner = Corner()


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
    layout: Layout
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
        return sorted(of, key=lambda one: system_name(one, by).casefold())
    return sorted(of, key=lambda one: -_worth(one, values)) if order == "highest" else list(of)


def heads(factor: str, of: Sequence[Factors], order: Order, values: Mapping[Factors, float]) -> tuple[str | None, ...]:
    """Distinct values of a factor in an order; one stands by its highest system."""
    known = values_of(factor, of)
    if order == "name":
        return tuple(sorted(known, key=lambda value: value_name(factor, value).casefold()))
    if order == "highest":
        best = {value: max(_worth(one, values) for one in of if getattr(one, factor) == value) for value in known}
        return tuple(sorted(known, key=lambda value: -best[value]))
    return known


def _worth(one: Factors, values: Mapping[Factors, float]) -> float:
    value = values.get(one, math.nan)
    return -math.inf if math.isnan(value) else value


def usual_layout(of: Sequence[Factors]) -> Layout:
    """Factors for rows, columns and colour before anything is chosen.

    Generators below each other, retrievers beside each other, policies in colours; where one factor is all there is,
    its panels stand one after another.

    Examples:
        >>> usual_layout([Factors(None, "a", "x"), Factors(None, "b", "y")])[:3]
        ('generator', 'retriever', '')
        >>> usual_layout([Factors(None, "a", None, "optimal"), Factors(None, "a", None, "oracle")])[:3]
        ('policy', '', '')
    """
    names = [name for name in ("generator", "retriever", "policy") if name in apart(of)]
    rows, columns, colour = (*names, "", "", "")[:3]
    return Layout(rows, columns, colour)


def lay_out(
    curves: Sequence[Curves],
    layout: Layout,
    *,
    x: str,
    y: str,
    planned: Sequence[Factors] = (),
    corners: Mapping[Factors, Corner] | None = None,
    values: Mapping[Factors, float] | None = None,
) -> PanelView:
    """Lay out the conditions of a task.

    Args:
        curves: What is known.
        layout: What stands where.
        x: What is drawn across.
        y: What is drawn up.
        planned: Factors of all conditions that there will be; else those of the curves.
        corners: Numbers of the conditions, where they are known.
        values: Of the conditions, by which they are ordered where the highest comes first.
    """
    rows, columns, colour, order = layout[:4]
    every = {one.factors: one._replace(corner=(corners or {}).get(one.factors, Corner())) for one in curves}
    of = list(planned) or list(every)
    lines = heads(rows, of, order, values or {})
    sides = heads(columns, of, order, values or {}) if columns else ("",) * min(IN_A_ROW, len(lines))
    panels: dict[tuple[int, int], list[Curves]] = {}
    for factors in of:
        if factors in every:
            place = lines.index(getattr(factors, rows))
            at = (place, sides.index(getattr(factors, columns))) if columns else divmod(place, IN_A_ROW)
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
