"""EE-D over queries at each α (Kim & Diaz, Figure 3), and one query: exposure of each item, in the order of scores."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairviz.display.theme import Palette, axis, bars, base_layout, note, plain, scatter, y_title
from fairviz.display.words import number, plural
from fairviz.model import FloatArray

if TYPE_CHECKING:
    import plotly.graph_objects as go

QUERY_HEIGHT = 290
ITEMS_DRAWN = 40
"""Items drawn; the rest is in the sentence above the chart."""
DRAWN_APART = 150
"""Bars that have room between them."""


def query_figure(exposure: FloatArray, fixed: FloatArray, gains: FloatArray, *, colours: Palette) -> "go.Figure":
    """Bars of exposure, coloured by grade, over the outline of the deterministic list.

    Args:
        exposure: (n) expected exposure of each item, best score first.
        fixed: (n) the same in the deterministic list.
        gains: (n) graded usefulness; 0 = not useful or unjudged.
        colours: Light or dark.
    """
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    n = min(ITEMS_DRAWN, exposure.size)
    ranks = np.arange(1, n + 1)
    top = max(float(exposure.max(initial=0)), float(fixed.max(initial=0)), 1e-9)
    layout = base_layout(colours, height=QUERY_HEIGHT, margin={"t": 40, "r": 8, "l": 40})
    layout["bargap"] = 0.18
    layout["xaxis"] = axis(
        colours,
        title="item, in score order",
        bounds=(0.0, max(n, 5) + 1.0),
        showgrid=False,
        tickvals=_ticks(n, int((fixed > 0).sum())),
    )
    layout["yaxis"] = axis(colours, bounds=(0.0, 1.12 * top), nticks=4, showline=False)
    corner = {"x": 1, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "top"}
    layout["annotations"] = [
        y_title(colours, "expected exposure ε"),
        note(colours, "dashed: deterministic list", **corner, font={"size": 12, "color": colours.mute}),
    ]
    fills = np.array(colours.grades)[np.clip(gains[:n], 0, 3).astype(int)]
    says = {"customdata": gains[:n], "hovertemplate": "item %{x} · grade %{customdata:g}<br>ε %{y:.3f}<extra></extra>"}
    drawn = bars("exposure", ranks, exposure[:n], fills.tolist(), colours.faint, **says)
    edges = np.concatenate([[0.5], np.repeat(ranks[:-1] + 0.5, 2), [n + 0.5]])
    style = {"color": colours.mute, "width": 1.4, "dash": "3px,3px"}
    outline = scatter("deterministic", "lines", edges, np.repeat(fixed[:n], 2), line=style)
    return go.Figure({"data": [drawn, outline] if n else [], "layout": layout})


def values_figure(query_ids: Sequence[str], values: FloatArray, label: str, *, colours: Palette) -> "go.Figure":
    """A bar per query, the largest value first; undefined ones are left out.

    Args:
        query_ids: Q queries.
        values: (Q) of a measure, or differences in it; NaN = undefined.
        label: What they are called.
        colours: Light or dark.
    """
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    order = np.argsort(-values, kind="stable")[: int((~np.isnan(values)).sum())]
    heights = values[order]
    layout = base_layout(colours, height=QUERY_HEIGHT, margin={"t": 40, "r": 8, "l": 40})
    layout["bargap"] = 0.18 if order.size <= DRAWN_APART else 0
    layout["xaxis"] = axis(colours, title=f"{order.size} queries, the largest value first", showgrid=False, nticks=8)
    layout["yaxis"] = axis(colours, nticks=5, showline=False, zeroline=True, zerolinecolor=colours.axis)
    layout["annotations"] = [y_title(colours, plain(label))]
    fills = np.where(heights < 0, colours.faint, colours.plackett_luce.line).tolist()
    says = {
        "customdata": [plain(query_ids[query]) for query in order.tolist()],
        "hovertemplate": "<b>%{customdata}</b><br>%{y:.3f}<extra></extra>",
    }
    drawn = bars(
        "queries", np.arange(1, order.size + 1), heights, fills, colours.page if layout["bargap"] else fills, **says
    )
    return go.Figure({"data": [drawn], "layout": layout})


def values_alt(query_ids: Sequence[str], values: FloatArray, label: str) -> str:
    """What the chart shows, in words."""
    defined = values[~np.isnan(values)]
    ends = f"from {number(float(defined.max()), 3)} down to {number(float(defined.min()), 3)}"
    n, undefined = plural(defined.size, "query", "queries"), len(query_ids) - defined.size
    return f"{label} of {n}, {ends}{f'; {undefined} undefined' if undefined else ''}."


def query_alt(exposure: FloatArray, fixed: FloatArray, gains: FloatArray) -> str:
    """What the chart shows, in words."""
    total = float(exposure.sum())
    if total <= 0:
        return "No document of this query gets attention."
    useful, first = (float(exposure[part > 0].sum()) / total for part in (gains, fixed))
    return (
        f"Expected exposure of {exposure.size} items: {first:.0%} of attention stays on the "
        f"items of the deterministic list, {useful:.0%} goes to relevant documents."
    )


def _ticks(n: int, depth: int) -> list[int]:
    """1, the last exposed rank of the deterministic list, and the tens."""
    tens = [ten for ten in range(10, n + 1, 10) if ten - depth > 3]
    return sorted({1, *([depth] if 1 < depth <= n else []), *tens})
