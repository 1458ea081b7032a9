"""Conditions of a task: all curves in one chart with names at their ends, or each in a small panel of its own."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairviz.display.table import shortened_apart
from fairviz.display.theme import (
    MOST_SYSTEMS,
    SMALL_SIZE,
    Hue,
    Layout,
    Palette,
    axis,
    axis_name,
    axis_title,
    base_layout,
    look_colour,
    look_dash,
    note,
    plain,
    rgba,
    scatter,
    x_title,
    y_title,
)
from fairviz.display.words import number, plural, signed
from fairviz.model import Factors, Look
from fairviz.points.charts import Corner, Curves, PanelLayout, PanelView, Tone, dodged, lay_out, toned
from fairviz.points.charts import panels_alt as panels_alt
from fairviz.points.charts import panels_figure as panels_figure
from fairviz.points.conditions import Condition, Quality, is_limit
from fairviz.points.summary import band
from fairviz.points.view import Line, system_name
from fairviz.studies.compare.grid import TaskComparison

if TYPE_CHECKING:
    import plotly.graph_objects as go


def drawn(condition: Condition, quality: Quality, *, look: Look | None = None, with_band: bool = True) -> Curves | None:
    """A condition as its panel draws it, in its look; None without a curve of the quality."""
    curve = condition.curve(quality)
    if curve is None:
        return None
    end = condition.ends.get(quality)
    uniform = condition.uniform if quality == "EER" else None
    with_band = with_band and curve.alphas.size > 1
    return Curves(
        condition.factors,
        Line.of(curve),
        None if end is None else Line.of(end),
        None if uniform is None else Line.of(uniform),
        band(curve, rng=np.random.default_rng(0), n_points=21) if with_band else None,
        look=look or Look(),
    )


def panel_view(
    curves: Sequence[Curves], layout: PanelLayout, *, quality: str, task: TaskComparison | None = None
) -> PanelView:
    """Lay out the conditions of a task, see :func:`~fairviz.points.charts.lay_out`.

    Args:
        curves: What is drawn.
        layout: What stands where.
        quality: Label of the y axis.
        task: Areas and differences, where they are known.
    """
    return lay_out(
        curves, layout, x="EED", y=quality, corners=_corners(task) if task else None, values=task.aucs if task else None
    )


def _corners(task: TaskComparison) -> dict[Factors, Corner]:
    """AUC and Δ of each system; why there are none of those that are left out."""
    left_out = {factors: Corner("not compared") for factors in task.left_out}
    areas = {factors: Corner(number(auc), "baseline") for factors, auc in task.aucs.items()}
    for factors, gap in task.gaps.items():
        areas[factors] = Corner(areas[factors].value, signed(gap.difference, 3), toned(gap.verdict))
    return left_out | areas


# All curves of a task in one chart.


EDGE = 1.06
"""Where the axis ends, as a multiple of the largest EE-D: from there leader lines run to the names."""
HEIGHT, MARGIN = 430, {"l": 46, "t": 34, "b": 46}
LABEL_GAP, CHARACTER = 17, 6.6
"""Between two names at the ends of curves, and the width of a character of them, in px."""
MARKS: dict[Tone, str] = {"gain": " ▲", "loss": " ▼", "": ""}
"""Behind the names of systems that differ significantly from the baseline."""
LONGEST, MOST_NAMES, HIGHEST = 22, 12, 5
"""Characters of a name; systems up to which all are named; and how many of the highest are where there are more."""


def lines_figure(view: PanelView, by: Sequence[str], *, colours: Palette) -> "go.Figure":
    """All systems of a task on one pair of axes, each named at the end of its curve.

    ▲ is significantly more than the baseline, ▼ less. A line has the look that the table of systems gives it; without
    one it is blue, orange or grey by that verdict, that of the baseline dashed. Bounds are grey: the oracle limit
    dotted, the best lists from the baseline's scores in long dashes. Up to eight systems have a grey and a dash each
    where colours are left out.

    Args:
        view: The systems, their numbers beside the baseline, see :func:`panel_view`.
        by: Factors that tell systems apart.
        colours: Light or dark.
    """
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    lines = [line for condition in view.curves for line in condition.lines]
    x, y = (np.concatenate([getattr(line, name) for line in lines]) if lines else np.zeros(1) for name in "xy")
    right, (low, high) = max(float(np.nanmax(x)), 0.01), (float(np.nanmin(y)), float(np.nanmax(y)))
    air = 0.05 * max(high - low, 0.02)
    named = [condition for condition in view.curves if condition.factors in _named(view)]
    short = shortened_apart([_called(condition, by) for condition in named], LONGEST)
    names = [plain(name) + MARKS[condition.corner.tone] for name, condition in zip(short, named, strict=True)]
    margin = MARGIN | {"r": round(CHARACTER * max(map(len, names), default=0)) + 34}
    layout = base_layout(colours, height=HEIGHT, margin=margin)
    layout["xaxis"] = axis(colours, bounds=(min(0.0, float(np.nanmin(x))), EDGE * right))
    layout["yaxis"] = axis(colours, bounds=(low - air, high + air), nticks=6)
    step = LABEL_GAP * (high - low + 2 * air) / (HEIGHT - MARGIN["t"] - MARGIN["b"])
    ends = [_end(condition) for condition in named]
    places = dodged([end[1] for end in ends], step, low - air)
    layout["annotations"] = [
        y_title(colours, f"{axis_name(view.y)} ↑"),
        x_title(colours, axis_title(view.x)),
        *(
            _name(condition, name, position, view, colours)
            for condition, name, position in zip(named, names, places, strict=True)
        ),
    ]
    leaders = [
        scatter("leader", "lines", [end[0], EDGE * right], [end[1], position])
        | {"line": {"width": 1, "dash": "dot", "color": _look(condition, view, colours)[0]}}  # no part of the curve
        | _system(condition, view, by)
        for condition, end, position in zip(named, ends, places, strict=True)
    ]
    drawn_last = sorted(
        view.curves, key=lambda condition: (condition.factors in _named(view), bool(condition.corner.tone))
    )
    traces = [trace for condition in drawn_last for trace in _traces(condition, view, by, colours)]
    return go.Figure({"data": [*leaders, *traces], "layout": layout})


def lines_alt(view: PanelView, by: Sequence[str]) -> str:
    """The curves in words: how many, and how large their areas are."""
    clauses = [
        f"{system_name(condition.factors, by)}: {view.counted} {' '.join(filter(None, condition.corner[:2]))}"
        for condition in view.curves
        if condition.corner.value
    ]
    many = plural(len([condition for condition in view.curves if not condition.is_bound]), "curve")
    return f"{many}, {axis_name(view.y)} against {axis_name(view.x)}. " + "; ".join(clauses) + ("." if clauses else "")


def _called(condition: Curves, by: Sequence[str]) -> str:
    """The name of a curve at its end; a reference is called after its policy."""
    return system_name(condition.factors, ("policy",) if condition.reference else by)


def _named(view: PanelView) -> set[Factors]:
    """Systems that are named: all of few, else the baseline, the highest, those that differ, and bounds."""
    systems = [condition for condition in view.curves if not condition.is_bound]
    bounds = {condition.factors for condition in view.curves} - {condition.factors for condition in systems}
    if len(systems) <= MOST_NAMES:
        return bounds | {condition.factors for condition in systems}
    highest = sorted(systems, key=lambda condition: -_end(condition)[1])[:HIGHEST]
    differing = [condition for condition in systems if condition.corner.tone][: MOST_NAMES - HIGHEST]
    return bounds | {condition.factors for condition in (*highest, *differing)} | {view.layout.baseline or Factors()}


def _end(condition: Curves) -> tuple[float, float]:
    """Where a curve ends: at its last point; a system without a curve at its deterministic list."""
    line = (
        condition.deterministic
        if condition.deterministic is not None and not condition.line.x.size
        else condition.line.by_x()
    )
    return float(line.x[-1]), float(line.y[-1])


def _look(condition: Curves, view: PanelView, colours: Palette) -> tuple[str, str, float, str]:
    """Line colour, text colour, width and dash."""
    if condition.is_bound:
        return colours.faint, colours.mute, 1.4, "dot" if is_limit(condition.factors) else "longdash"
    hues: dict[str, Hue] = {"gain": colours.plackett_luce, "loss": colours.optimal}
    line, text, width, dash = rgba(colours.faint, 0.8), colours.mute, 1.6, "solid"
    if view.layout.baseline is not None and condition.factors == view.layout.baseline:
        line, text, width, dash = colours.ink, colours.ink, 2.2, "6px,4px"
    elif condition.corner.tone:
        line, text, width = *hues[condition.corner.tone], 2.4
    if any(condition.look):
        text, width = colours.ink, max(width, 2.0)
        dash = "solid" if condition.look.colour else dash
    return look_colour(condition.look, colours, line), text, width, look_dash(condition.look, dash)


def _name(condition: Curves, name: str, y: float, view: PanelView, colours: Palette) -> Layout:
    text = f"<b>{name}</b>" if condition.corner.tone or condition.factors == view.layout.baseline else name
    font = {"size": SMALL_SIZE, "color": _look(condition, view, colours)[1]}
    return note(colours, text, x=1, xshift=4, y=y, xref="paper", yref="y", xanchor="left", yanchor="middle", font=font)


def _traces(condition: Curves, view: PanelView, by: Sequence[str], colours: Palette) -> list[Layout]:
    colour, _, width, dash = _look(condition, view, colours)
    line, name = condition.line.by_x(), plain(_called(condition, by))
    system = _system(condition, view, by)
    hover = f"{name}<br>{axis_name(view.x)} %{{x:.3f}}, {axis_name(view.y)} %{{y:.3f}}<extra></extra>"
    single = line.x.size == 1
    traces = [
        scatter(name, "markers" if single else "lines", line.x, line.y, hovertemplate=hover, cliponaxis=False)
        | {"line": {"width": width, "color": colour, "dash": dash}, "marker": {"size": 7, "color": colour}}
        | system
    ]
    for point, symbol in ((condition.deterministic, "square"), (condition.uniform, "square-open")):
        if point is not None:
            traces.append(
                scatter(f"{name}, {point.policy}", "markers", point.x, point.y, hovertemplate=hover, cliponaxis=False)
                | {"marker": {"symbol": symbol, "size": 8, "color": colour}}
                | system
            )
    return traces


def _system(condition: Curves, view: PanelView, by: Sequence[str]) -> Layout:
    """The system as the group of a trace where there are so few that each has a grey and a dash of its own in print."""
    few = sum(not curve.is_bound for curve in view.curves) <= MOST_SYSTEMS
    return {"legendgroup": system_name(condition.factors, by)} if few and not condition.is_bound else {}
