"""One query before and after: two columns of documents, joined by S-curves.

Grey did not change its place or has no group; a colour is the group of a document that moved.
Filled = judged useful, hollow = not. Curves that come from or go below rank k are dashed.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import plotly.graph_objects as go

from fairviz.display.theme import SMALL_SIZE, GroupHue, Layout, Palette, base_layout, group_hues, note, plain
from fairviz.model import FloatArray
from fairviz.studies.policy_lab.lists import BeforeAfter, Move, title_of

ROW = 21
"""Height of a rank in px."""
LEFT, RIGHT = 0.0, 1.0
NO_TITLES: Mapping[str, str] = MappingProxyType({})
STEPS = np.linspace(0.0, 1.0, 21)
LONGEST = 40
"""Characters of a name; longer ids lose their middle."""
MOST = 20
"""Ranks that are drawn; a longer list has its other ranks in the table below."""


def before_after_figure(
    lists: BeforeAfter, *, colours: Palette, groups: tuple[str, ...], after: str, titles: Mapping[str, str] = NO_TITLES
) -> go.Figure:
    """Draw the first k before and after.

    Args:
        lists: The two lists.
        colours: Light or dark.
        groups: All groups in the order of the labels, which decides their colours.
        after: Name of the re-ranker, above the right column.
        titles: Passages by document id, which begin with a title.
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
        note(
            colours,
            f"below rank {k}",
            x=0.5,
            y=k + 1.7,
            font={"size": SMALL_SIZE, "color": colours.mute},
        ),
    ]
    curves: list[Layout] = []
    for move in lists.moves:
        left, right = _row(move.before, k), _row(move.after, k)
        if min(left, right) > k:
            continue
        hue = _look(move, hues, colours)
        curves.append(_curve(left, right, k, hue, move, lists))
        layout["annotations"] += _names(move, k, colours, lists, shortened(title_of(move.doc_id, titles)))
    return go.Figure({"data": [*curves, *_marks(lists, k, hues, colours, titles)], "layout": layout})


def before_after_alt(lists: BeforeAfter, after: str, titles: Mapping[str, str] = NO_TITLES) -> str:
    """What the chart shows, in words."""
    listed = ", ".join(_told(move, titles) for move in lists.after if lists.entered(move))
    gone = ", ".join(_told(move, titles) for move in lists.before if lists.left(move))
    return (
        f"The first {lists.k} of query {lists.query_id} today and with {after}. "
        f"New: {listed or 'none'}. Out: {gone or 'none'}."
    )


def shortened(name: str) -> str:
    """A name without its middle where it is long: ids differ at their ends.

    Examples:
        >>> shortened("clueweb22-en0000-msmarco_v2.1_doc_21_142931#4")
        'clueweb22-en0000-msmarco_…_21_142931#4'
    """
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST - 15]}…{name[-12:]}"


def _told(move: Move, titles: Mapping[str, str]) -> str:
    group = f", labelled {move.group}" if move.group else ""
    return f"{title_of(move.doc_id, titles)}{group}{', judged useful' if move.useful else ''}"


def _row(rank: int | None, k: int) -> float:
    """Where a rank stands; everything below k meets under the line."""
    return float(rank) if rank is not None and rank <= k else k + 1.3


def _moved(move: Move) -> bool:
    return move.before != move.after


def _look(move: Move, hues: dict[str, GroupHue], colours: Palette) -> GroupHue:
    if move.group in hues and _moved(move):
        return hues[move.group]
    marker = hues[move.group].marker if move.group in hues else "circle"
    return GroupHue(colours.faint, colours.mute, marker)


def _curve(left: float, right: float, k: int, hue: GroupHue, move: Move, lists: BeforeAfter) -> Layout:
    """An S: level at both ends, steepest in the middle."""
    ease: FloatArray = STEPS**2 * (3 - 2 * STEPS)
    crosses = lists.entered(move) or lists.left(move)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": move.doc_id,
        "x": 0.06 + 0.88 * STEPS,
        "y": left + (right - left) * ease,
        "line": {
            "color": hue.line,
            "width": 2.6 if lists.entered(move) and move.group else 1.4,
            "dash": "2px,3px" if crosses else "solid",
        },
        "hoverinfo": "skip",
    }


def _marks(
    lists: BeforeAfter, k: int, by_group: dict[str, GroupHue], colours: Palette, titles: Mapping[str, str]
) -> list[Layout]:
    """Both columns: filled where judged useful."""
    marks: list[Layout] = []
    for name, x, side in (("today", LEFT, lists.before), ("after", RIGHT, lists.after)):
        moves = side[:k]
        hues = [_look(move, by_group, colours) for move in moves]
        marks.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [x] * len(moves),
                "y": [float((m.before if name == "today" else m.after) or 0) for m in moves],
                "marker": {
                    "size": 13,
                    "symbol": [hue.marker.removesuffix("-open") for hue in hues],
                    "color": [hue.line if move.useful else colours.page for hue, move in zip(hues, moves, strict=True)],
                    "line": {"width": 2.2, "color": [hue.line for hue in hues]},
                },
                "text": [plain(_told(move, titles)) for move in moves],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    return marks


def _names(move: Move, k: int, colours: Palette, lists: BeforeAfter, title: str) -> list[Layout]:
    """Rank and title beside each mark; what leaves and what enters is said, and how far the others moved."""
    name, notes = plain(title), list[Layout]()
    ink, mute = ({"size": SMALL_SIZE, "color": colour} for colour in (colours.ink, colours.mute))
    if move.before is not None and move.before <= k:
        leaves = lists.left(move)
        place = {"x": LEFT, "y": move.before, "xanchor": "right", "xshift": -14, "font": mute if leaves else ink}
        notes.append(note(colours, f"{name}{' — leaves' if leaves else ''}  <b>{move.before}</b>", **place))
    if move.after is not None and move.after <= k:
        place = {"x": RIGHT, "y": move.after, "xanchor": "left", "xshift": 14, "font": ink}
        whole = f"<b>{name}</b>" if lists.entered(move) else name
        notes.append(note(colours, f"<b>{move.after}</b>  {whole}{_step(move, lists)}", **place))
    return notes


def _step(move: Move, lists: BeforeAfter) -> str:
    """How far it moved, or from where it comes."""
    if lists.entered(move):
        return "  <b>new</b>" + (f", from rank {move.before}" if move.before else "")
    return "" if not move.climbed else f"  ▲{move.climbed}" if move.climbed > 0 else f"  ▼{-move.climbed}"
