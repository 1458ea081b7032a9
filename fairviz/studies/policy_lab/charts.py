"""The least loss of quality at each distance from the statements, and one query's list before and after."""

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
from fairviz.reranking.catalogue import find_reranker
from fairviz.studies.policy_lab.examples import BeforeAfter
from fairviz.studies.policy_lab.findings import budget_words
from fairviz.studies.policy_lab.stated import StatedOutcome
from fairviz.studies.policy_lab.strengths import in_sight, sight

HEIGHT = 286
MARGIN = {"l": 44, "r": 16, "t": 40, "b": 46}
ROOM = 0.09
"""Part of a phone's plot that the words on the budget take upwards."""


# The least loss at each distance, exact by scores, beside the same lists by judgements.


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
    layout, level = base_layout(colours, height=HEIGHT, margin=MARGIN), max(-100 * outcome.budget, y[0])
    missing = "points still missing → none"
    layout["xaxis"] = axis(colours, title=missing, bounds=ends, nticks=6, zeroline=False)
    layout["yaxis"] = axis(colours, bounds=y, nticks=7, tickformat="~g")
    whole: Layout = {"xref": "paper", "x0": 0, "x1": 1, "layer": "below"}
    tint, edge = rgba(colours.optimal.line, 0.1), {"color": colours.optimal.line, "width": 1.8, "dash": "5px,3px"}
    layout["shapes"] = [
        whole | {"type": "rect", "y0": y[0], "y1": level, "line": {"width": 0}, "fillcolor": tint},
        whole | {"type": "line", "name": "budget", "y0": level, "y1": level, "line": edge},
    ]
    last = {"x": float(x[-1]), "xshift": -6}
    middle, has_room = len(x) // 2, level - y[0] > ROOM * (y[1] - y[0])
    over = f"over your budget of {budget_words(outcome.budget)}"
    small = {"yanchor": "top" if has_room else "bottom", "font": {"size": SMALL_SIZE, "color": colours.optimal.text}}
    ratings = {"font": {"size": SMALL_SIZE, "color": colours.plackett_luce.text}}
    drawn, hue = outcome.is_judged, colours.plackett_luce.line
    layout["annotations"] = [
        y_title(colours, f"change of quality ({outcome.stated.settings.quality_label}), %"),
        note(colours, over, xref="paper", x=0, y=level, xanchor="left", **small),
        note(colours, "by the system’s scores", y=float(scores[-1]), xanchor="right", yanchor="top", **last),
    ]
    if drawn:
        above = {"x": float(x[middle]), "y": float(high[middle]), "yanchor": "bottom"}
        layout["annotations"].append(note(colours, "by judgements", **above, **ratings))
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
        names = [plain(find_reranker(name).label) for name in inside["method"]]
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
    rows = () if crosses is None else crosses.select("method", "distance", "by_scores").rows()
    methods = "; ".join(
        f"{find_reranker(method).label} {distance:.1f} points missing, {in_words(100 * by_scores, sign=True)} %"
        for method, distance, by_scores in rows
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
