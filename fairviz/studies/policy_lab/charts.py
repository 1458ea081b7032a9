"""The best that any method achieves: change of quality against distance from the target, one line with its band.

The line joins the settings that no other beats; each is numbered, and the numbers are told in the table beside the
chart: no names in the plot. Solid, struck and hollow marks say what ``verdict`` says: moves and stays in
budget, cannot tell, over budget. Beaten settings are faint.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
import polars as pl

from fairviz.display.marks import Band
from fairviz.display.theme import (
    SMALL_SIZE,
    GroupHue,
    Layout,
    Palette,
    area,
    axis,
    base_layout,
    group_hues,
    note,
    plain,
    rgba,
    scatter,
    y_title,
)
from fairviz.display.words import THIN, in_words
from fairviz.model import FloatArray
from fairviz.studies.policy_lab.bench import Distance
from fairviz.studies.policy_lab.budget import Outcome, floor_of, left_out
from fairviz.studies.policy_lab.examples import BeforeAfter
from fairviz.studies.policy_lab.findings import budget_words
from fairviz.studies.policy_lab.stated import StatedOutcome
from fairviz.studies.policy_lab.strengths import LABELS, in_sight, sight

HEIGHT = 286
MARGIN = {"l": 44, "r": 16, "t": 40, "b": 46}
NARROWEST = 1.0, 0.01
"""Least width of the distance axis, in points and in values of another measure: no axis in millionths of a point."""


def frontier_figure(outcome: Outcome, *, colours: Palette) -> go.Figure:
    """Draw the frontier, today, the target and the budget.

    Args:
        outcome: What to draw; the scale ends at three budgets.
        colours: Light or dark.
    """
    gone, on_line = left_out(outcome)["at"].implode(), outcome.frontier["at"].implode()
    line = outcome.frontier.filter(~pl.col("at").is_in(gone))
    faint = outcome.settings.filter(~pl.col("at").is_in(gone), ~pl.col("at").is_in(on_line))
    x, y = _ranges(outcome, line)
    layout, level = _over_distance(outcome.budget, outcome.distance.title, x, y, colours)
    layout["shapes"] += _shapes(outcome.distance, y, colours)
    layout["annotations"] = _notes(outcome, line, x, y, level, colours)
    low, high = (100 * line[end].to_numpy() for end in ("change_low", "change_high"))
    band = Band(line["off"].to_numpy(), np.maximum(low, y[0]), high).outline()
    traces = [
        area("95 % interval", band, colours.faint, 0.24),
        _points("beaten", faint, marker={"size": 6, "color": rgba(colours.faint, 0.5)}),
        _points("best", line, mode="lines", line={"color": colours.ink, "width": 2.2}),
    ]
    by_state = {state: line.filter(state=state) for state in ("certain", "estimate", "over")}
    for state, settings in by_state.items():
        over = state == "over"
        hue = (colours.optimal if over else colours.plackett_luce).line
        look = {"size": 13, "color": colours.page if over else hue, "line": {"color": hue, "width": 2.2}}
        traces.append(_points(state, settings, marker=look))
    # A stroke goes through marks of which something cannot be told.
    stroke = {"size": 9, "symbol": "line-ne-open", "line": {"color": colours.page, "width": 3}}
    traces.append(_points("cannot tell", by_state["estimate"], marker=stroke))
    traces.append(_numbers(outcome, line, x, y, level, colours))
    mark = {"size": 11, "color": colours.ink}
    traces.append(scatter("today", "markers", [outcome.now["off"]], [0.0], marker=mark, cliponaxis=False))
    return go.Figure({"data": traces, "layout": layout})


def frontier_alt(outcome: Outcome) -> str:
    """What the chart shows, in words."""
    distance = outcome.distance
    lines = [
        f"{each['number']}: {distance.words(each['off'], unit=True)}, {in_words(100 * each['change'], sign=True)} %, "
        f"{each['verdict']}"
        for each in outcome.frontier.rows(named=True)
    ]
    settings = "; ".join(lines) or "none"
    today = distance.words(outcome.now["off"], unit=True)
    return (
        f"Change of quality ({outcome.quality}) by distance from {distance.aim}, {today} today. "
        f"Settings that no other beats: {settings}. Budget {budget_words(outcome.budget)}."
    )


def _ranges(outcome: Outcome, line: pl.DataFrame) -> tuple[tuple[float, float], ...]:
    """Distance from beyond today's to the target, cost from three budgets up to the band's highest end."""
    distance = outcome.distance
    best = distance.ideal if not math.isnan(distance.ideal) else min(line["off"], default=0.0)
    width = max(outcome.now["off"] - best, NARROWEST[0 if distance.in_points else 1])
    lows, highs = (100 * line[end].drop_nans() for end in ("change_low", "change_high"))
    floor = max(100 * floor_of(outcome.budget), min([*lows, -100 * outcome.budget, -1.0]) * 1.15)
    top = max([*highs, 1.0])
    air = 0.08 * (top - floor)
    return (best + 1.03 * width, best - 0.02 * width), (floor, top + air)


def _over_distance(
    budget: float, title: str, x: tuple[float, float], y: tuple[float, float], colours: Palette
) -> tuple[Layout, float]:
    """Axes of change of quality over distance with what is over the budget, and the height at which that begins."""
    layout, level = base_layout(colours, height=HEIGHT, margin=MARGIN), max(-100 * budget, y[0])
    layout["xaxis"] = axis(colours, title=title, bounds=x, nticks=6, zeroline=False)
    layout["yaxis"] = axis(colours, bounds=y, nticks=7, tickformat="+~g")
    area, edge = rgba(colours.optimal.line, 0.1), {"color": colours.optimal.line, "width": 1.8, "dash": "5px,3px"}
    layout["shapes"] = [
        WHOLE | {"type": "rect", "y0": y[0], "y1": level, "line": {"width": 0}, "fillcolor": area},
        WHOLE | {"type": "line", "name": "budget", "y0": level, "y1": level, "line": edge},
    ]
    return layout, level


WHOLE: Layout = {"xref": "paper", "x0": 0, "x1": 1, "layer": "below"}
"""From the left end of the plot to the right one."""


def _over(budget: float, colours: Palette, **anchor: Any) -> Layout:
    """Words on the area over the budget."""
    small = {"size": SMALL_SIZE, "color": colours.optimal.text}
    return note(colours, f"over your budget of {budget_words(budget)}", xref="paper", font=small, **anchor)


def _shapes(distance: Distance, y: tuple[float, ...], colours: Palette) -> list[Layout]:
    """A line where nothing is lost, and one at the target."""
    shapes: list[Layout] = [
        WHOLE | {"type": "line", "y0": 0, "y1": 0, "line": {"color": colours.axis, "width": 1}},
    ]
    if not math.isnan(distance.ideal):
        upright = {"type": "line", "name": "target", "x0": distance.ideal, "x1": distance.ideal, "y0": y[0], "y1": y[1]}
        shapes.append(upright | {"line": {"color": colours.ink, "width": 2.2}})
    return shapes


def _notes(
    outcome: Outcome, line: pl.DataFrame, x: tuple[float, float], y: tuple[float, float], level: float, colours: Palette
) -> list[Layout]:
    distance = outcome.distance
    notes = [
        y_title(colours, f"change of quality ({outcome.quality}), %"),
        _over(outcome.budget, colours, **_emptiest(line, outcome.settings, x, y, level)),
        note(colours, "<b>today</b>", x=outcome.now["off"], y=0, xanchor="left", xshift=6)
        | {"yanchor": "bottom" if _falls(outcome) else "top"},
    ]
    if not math.isnan(distance.ideal):
        at = {"x": distance.ideal, "y": 1, "yref": "paper", "xanchor": "right", "yanchor": "bottom", "xshift": 8}
        notes.append(note(colours, f"<b>{'on target' if distance.is_set else 'equal shares'}</b>", **at))
    return notes


WORDS = 0.62, 0.09
"""Parts of a phone's plot that the words on the budget take, across and up."""
NEAR = 0.04, 0.08
"""Parts of it within which the middles of two numbers would lie on one another."""
SIDES = {"top center": (0, 1), "bottom center": (0, -1), "middle right": (1, 0), "middle left": (-1, 0)}
"""Where a number may stand beside its mark, as steps across and up, the usual one first."""
TODAY = 0.17
"""Part of it that "today" takes beside its mark."""


def _emptiest(
    numbered: pl.DataFrame, settings: pl.DataFrame, x: tuple[float, float], y: tuple[float, float], level: float
) -> Layout:
    """Where words on settings over the budget cover fewest of them: below its line or at the foot, left or right."""
    width, height = WORDS

    def n_covered(some: pl.DataFrame, left: float, top: float) -> int:
        marks = [(_part(off, x), _part(100 * change, y)) for off, change in some.select("off", "change").iter_rows()]
        reach = 2 * NEAR[1]  # a number and its mark stand below or above
        return sum(left <= u <= left + width and top - height - reach <= v <= top + reach / 2 for u, v in marks)

    def covers(side: Layout, top: float) -> tuple[int, int]:
        left = side["x"] * (1 - width)
        return n_covered(numbered, left, top), n_covered(settings, left, top)

    budget = _part(level, y)
    sides = ({"x": 0, "xanchor": "left", "xshift": 4}, {"x": 1, "xanchor": "right", "xshift": -18})
    places = [(side, {"y": level, "yanchor": "top"}, budget) for side in sides]
    places += [(side, {"y": y[0], "yanchor": "bottom"}, height) for side in sides]
    side, at, _ = min(places, key=lambda candidate: covers(candidate[0], candidate[2]))
    return side | at


def _falls(outcome: Outcome) -> bool:
    """Whether the line begins below today."""
    return bool((outcome.frontier["change"].head(1) < 0).any())


def _part(value: float, ends: tuple[float, ...]) -> float:
    """How far along an axis, from 0 to 1."""
    return (value - ends[0]) / (ends[1] - ends[0])


def _points(name: str, settings: pl.DataFrame, *, mode: str = "markers", **look: Any) -> Layout:
    """Settings where they stand: distance across, change of quality up."""
    return scatter(name, mode, settings["off"].to_list(), (100 * settings["change"]).to_list(), **look)


def _numbers(
    outcome: Outcome, line: pl.DataFrame, x: tuple[float, float], y: tuple[float, float], level: float, colours: Palette
) -> Layout:
    """The number of each setting above its mark, else where no label stands; words when pointed at."""
    below = NEAR[1] / 2 if _falls(outcome) else -NEAR[1] / 2
    taken = [(_part(outcome.now["off"], x) + TODAY / 2, _part(0, y) + below, TODAY / 2)]
    words = _emptiest(line, outcome.settings, x, y, level)
    width, height = WORDS
    middle = _part(words["y"], y) + (height / 2 if words["yanchor"] == "bottom" else -height / 2)
    taken.append((words["x"] + (0.5 - words["x"]) * width, middle, width / 2))
    sides: list[str] = []
    for off, change in line.select("off", "change").iter_rows():
        u, v = _part(off, x), _part(100 * change, y)
        at = {side: (u + right * NEAR[0], v + up * NEAR[1]) for side, (right, up) in SIDES.items()}
        free = (
            side
            for side, (across, high) in at.items()
            if not any(abs(across - a) < NEAR[0] + half and abs(high - h) < NEAR[1] for a, h, half in taken)
        )
        sides.append(next(free, "top center"))
        taken.append((*at[sides[-1]], 0.0))
    return _points(
        "numbers",
        line,
        mode="markers+text",
        marker={"size": 17, "color": "rgba(0,0,0,0)"},
        text=[f"<b>{number}</b>" for number in line["number"]],
        textposition=sides,
        textfont={"size": SMALL_SIZE, "color": colours.ink},
        customdata=[
            (in_words(100 * change, sign=True), verdict)
            for change, verdict in line.select("change", "verdict").iter_rows()
        ],
        hoverinfo="all",
        hovertemplate=f"%{{x:.1f}} off, %{{customdata[0]}}{THIN}%: %{{customdata[1]}}<extra></extra>",
        cliponaxis=False,
    )


# Statements: the least loss at each distance, exact by scores, beside the same lists by judgements.


def least_loss_figure(outcome: StatedOutcome, crosses: pl.DataFrame | None = None, *, colours: Palette) -> go.Figure:
    """Draw the least loss at each distance from the statements: by scores the black line, by judgements dashed.

    Args:
        outcome: What holding the statements does.
        crosses: Other methods by scores, as of :meth:`~fairviz.studies.policy_lab.strengths.Prices.crosses`.
        colours: Light or dark.
    """
    line, (furthest, lowest, highest) = outcome.frontier, sight(outcome)
    x = line["distance"].to_numpy()
    scores, change, low, high = (100 * line[key].to_numpy() for key in LINES)
    ends, y = (furthest, -0.02 * furthest), (lowest, highest)
    layout, level = _over_distance(
        outcome.budget, "points of attention still missing → none", ends, (y[0], y[1]), colours
    )
    last = {"x": float(x[-1]), "xshift": -6}
    middle, has_room = len(x) // 2, _part(level, y) > WORDS[1]
    ratings = {"font": {"size": SMALL_SIZE, "color": colours.plackett_luce.text}}
    drawn, hue = outcome.is_judged, colours.plackett_luce.line
    layout["annotations"] = [
        y_title(colours, f"change of quality ({outcome.stated.settings.quality_label}), %"),
        _over(outcome.budget, colours, x=0, y=level, xanchor="left", yanchor="top" if has_room else "bottom"),
        note(colours, "by the system’s scores", y=float(scores[-1]), xanchor="right", yanchor="top", **last),
    ]
    if drawn:
        over = {"x": float(x[middle]), "y": float(high[middle]), "yanchor": "bottom"}
        layout["annotations"].append(note(colours, "by judgements", **over, **ratings))
    band = Band(x, np.maximum(low, y[0]), high).outline()
    template = f"%{{x:.1f}} points missing, %{{y:+.2f}}{THIN}%<extra></extra>"
    hover: dict[str, Any] = {"hoverinfo": "all", "hovertemplate": template}
    judged = [
        area("95 % interval", band, hue, 0.16),
        scatter("judgements", "lines", x, change, line={"color": hue, "width": 2, "dash": "5px,3px"}, **hover),
    ]
    traces = judged if drawn else []
    traces.append(scatter("scores", "lines", x, scores, line={"color": colours.ink, "width": 2.4}, **hover))
    if crosses is not None:
        inside = in_sight(outcome, crosses)
        mark = {"size": 9, "symbol": "x", "color": colours.mute}
        names = [plain(LABELS[name]) for name in inside["method"]]
        hover |= {"customdata": names, "hovertemplate": f"%{{customdata}}: {template}"}
        places = inside["distance"].to_numpy(), 100 * inside["by_scores"].to_numpy()
        traces.append(scatter("methods", "markers", *places, marker=mark, **hover))
    ends_of = [("today", 0, scores, colours.ink), ("after", -1, scores, colours.ink), ("judged", -1, change, hue)]
    for name, at, values, colour in ends_of[: 2 + drawn]:
        marker = {"size": 10, "color": colour}
        traces.append(scatter(name, "markers", [x[at]], [values[at]], marker=marker, cliponaxis=False))
    return go.Figure({"data": traces, "layout": layout})


LINES = ("by_scores", "change", "change_low", "change_high")
"""Columns of the least loss."""


def least_loss_alt(outcome: StatedOutcome, crosses: pl.DataFrame | None = None) -> str:
    """What the chart shows, in words."""
    line = outcome.frontier
    first, last = line.row(0, named=True), line.row(-1, named=True)
    scores, change = (in_words(100 * last[key], sign=True) for key in LINES[:2])
    judged = f", {change} % by the judgements" if outcome.is_judged else ""
    return (
        f"Least loss of quality from {first['distance']:.1f} points of attention missing today to "
        f"{last['distance']:.1f}: {scores} % by the system's scores{judged}. "
        f"Budget {budget_words(outcome.budget)}.{_crosses_words(crosses)}"
    )


def _crosses_words(crosses: pl.DataFrame | None) -> str:
    """Other methods by scores, as a sentence; empty where none is drawn."""
    rows = () if crosses is None else crosses.rows(named=True)
    methods = "; ".join(
        f"{LABELS[row['method']]} {row['distance']:.1f} points missing, {in_words(100 * row['by_scores'], sign=True)} %"
        for row in rows
    )
    return f" Other methods by scores: {methods}." if methods else ""


# One query before and after: two columns of documents, joined by S-curves.
#
# Grey did not change its place or has no group; a colour is the group of a document that moved.
# Filled = judged useful, hollow = not. Curves that come from or go below rank k are dashed.


ROW = 21
"""Height of a rank in px."""
LEFT, RIGHT = 0.0, 1.0
STEPS = np.linspace(0.0, 1.0, 21)
LONGEST = 40
"""Characters of a name; longer ids lose their middle."""
MOST = 20
"""Ranks that are drawn; a longer list has its other ranks in the table below."""


def before_after_figure(lists: BeforeAfter, *, colours: Palette, groups: tuple[str, ...], after: str) -> go.Figure:
    """Draw the first k before and after.

    Args:
        lists: The two lists.
        colours: Light or dark.
        groups: All groups in the order of the labels, which decides their colours.
        after: Name of the re-ranker, above the right column.
    """
    k = min(lists.k, MOST)
    hues = dict(zip(groups, group_hues(groups, colours), strict=True))
    layout = base_layout(colours, height=ROW * (k + 2) + 40, margin={"l": 8, "r": 8, "t": 30, "b": 8})
    hidden: Layout = {"visible": False, "fixedrange": True}
    layout["xaxis"] = hidden | {"range": [-1.15, 2.4]}
    layout["yaxis"] = hidden | {"range": [k + 1.9, 0.4]}
    edge = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": k + 0.6, "y1": k + 0.6}
    layout["shapes"] = [edge | {"line": {"color": colours.rule, "width": 1}}]
    head = {"y": 0.45, "yanchor": "bottom", "align": "center"}
    layout["annotations"] = [
        note(colours, "<b>today</b>", x=LEFT, **head),
        note(colours, f"<b>{plain(after, longest=LONGEST)}</b>", x=RIGHT, **head),
        note(colours, f"below rank {k}", x=0.5, y=k + 1.7, font={"size": SMALL_SIZE, "color": colours.mute}),
    ]
    curves: list[Layout] = []
    for move in lists.moves.rows(named=True):
        # Everything below rank k meets under the line.
        left, right = (float(rank) if rank <= k else k + 1.3 for rank in (move["before"], move["after"]))
        if min(left, right) > k:
            continue
        curves.append(_curve(left, right, _look(move, hues, colours), move))
        layout["annotations"] += _names(move, k, colours)
    return go.Figure({"data": [*curves, *_list_marks(lists, k, hues, colours)], "layout": layout})


def before_after_alt(lists: BeforeAfter, after: str) -> str:
    """What the chart shows, in words."""
    listed, gone = (", ".join(map(document_words, moves)) for moves in (lists.entered, lists.left))
    return (
        f"The first {lists.k} of query {lists.query_id} today and with {after}. "
        f"New: {listed or 'none'}. Out: {gone or 'none'}."
    )


def document_words(move: Mapping[str, Any]) -> str:
    """A document with its group and whether it is useful, in words."""
    group = f", labelled {move['group']}" if move["group"] else ""
    return f"{move['title']}{group}{', judged useful' if move['useful'] else ''}"


def shortened(name: str) -> str:
    """A name without its middle where it is long: ids differ at their ends.

    Examples:
        >>> shortened("clueweb22-en0000-msmarco_v2.1_doc_21_142931#4")
        'clueweb22-en0000-msmarco_…_21_142931#4'
    """
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST - 15]}…{name[-12:]}"


def _look(move: Mapping[str, Any], hues: dict[str, GroupHue], colours: Palette) -> GroupHue:
    hue = hues.get(move["group"])
    if hue is not None and move["before"] != move["after"]:
        return hue
    return GroupHue(colours.faint, colours.mute, "circle" if hue is None else hue.marker)


def _curve(left: float, right: float, hue: GroupHue, move: Mapping[str, Any]) -> Layout:
    """An S: level at both ends, steepest in the middle."""
    ease: FloatArray = STEPS**2 * (3 - 2 * STEPS)
    crosses = move["entered"] or move["left"]
    width = 2.6 if move["entered"] and move["group"] else 1.4
    line = {"color": hue.line, "width": width, "dash": "2px,3px" if crosses else "solid"}
    return scatter(move["doc_id"], "lines", 0.06 + 0.88 * STEPS, left + (right - left) * ease, line=line)


def _list_marks(lists: BeforeAfter, k: int, by_group: dict[str, GroupHue], colours: Palette) -> list[Layout]:
    """Both columns: filled where judged useful."""
    marks: list[Layout] = []
    for name, x, moves in (("today", LEFT, lists.side("before")[:k]), ("after", RIGHT, lists.side("after")[:k])):
        hues = [_look(move, by_group, colours) for move in moves]
        marker: Layout = {
            "size": 13,
            "symbol": [hue.marker.removesuffix("-open") for hue in hues],
            "color": [hue.line if move["useful"] else colours.page for hue, move in zip(hues, moves, strict=True)],
            "line": {"width": 2.2, "color": [hue.line for hue in hues]},
        }
        hover = {"text": [plain(document_words(move)) for move in moves], "hovertemplate": "%{text}<extra></extra>"}
        ranks = np.arange(1.0, len(moves) + 1)
        marks.append(scatter(name, "markers", [x] * len(moves), ranks, marker=marker, **hover))
    return marks


def _names(move: Mapping[str, Any], k: int, colours: Palette) -> list[Layout]:
    """Rank and title beside each mark; what leaves and what enters is said, and how far the others moved."""
    name, notes = plain(shortened(move["title"])), list[Layout]()
    ink, mute = ({"size": SMALL_SIZE, "color": colour} for colour in (colours.ink, colours.mute))
    before, after = move["before"], move["after"]
    if before <= k:
        anchor = {"x": LEFT, "y": before, "xanchor": "right", "xshift": -14, "font": mute if move["left"] else ink}
        notes.append(note(colours, f"{name}{' — leaves' if move['left'] else ''}  <b>{before}</b>", **anchor))
    if after <= k:
        anchor = {"x": RIGHT, "y": after, "xanchor": "left", "xshift": 14, "font": ink}
        whole, step = name, f"  {move['step']}" if move["step"] else ""
        if move["entered"]:
            whole, step = f"<b>{name}</b>", f"  <b>new</b>, from rank {before}"
        notes.append(note(colours, f"<b>{after}</b>  {whole}{step}", **anchor))
    return notes
