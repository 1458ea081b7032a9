"""EE-D over queries at each α (Kim & Diaz, Figure 3), and one query: exposure of each item, in the order of scores."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairviz.display.theme import GRADE_NAMES, Layout, Palette, axis, axis_title, base_layout, note, rgba, y_title
from fairviz.points.intervals import Spread
from fairviz.studies.queries.measures import QueryExposure

if TYPE_CHECKING:
    import plotly.graph_objects as go

DISTRIBUTION_HEIGHT = 290
SMALL = 0.4
"""Where every EE-D is below this, the axis ends at the largest instead of 1."""


def ee_distribution_figure(
    spreads: Sequence[Spread], *, colours: Palette, height: int = DISTRIBUTION_HEIGHT
) -> "go.Figure":
    """One box per α: quartiles, extremes, and a diamond at the mean.

    Args:
        spreads: Distribution of EE-D at each α, as ``disparity_by_alpha`` gives it.
        colours: Light or dark.
        height: Of the chart in px.
    """
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    defined = [spread for spread in spreads if spread.n_queries]
    names = [f"{spread.alpha:g}" for spread in defined]
    layout = base_layout(colours, height=height, margin={"t": 38})
    layout["xaxis"] = axis(colours, title="α", type="category", showgrid=False)
    ends = [0.0, *(s.minimum for s in defined), *(s.maximum for s in defined)]
    if max(ends) >= SMALL:
        ends.append(1.0)
    air = 0.05 * max(max(ends) - min(ends), 1e-3)
    layout["yaxis"] = axis(colours, bounds=(min(ends) - air, max(ends) + air), nticks=6)
    layout["annotations"] = [y_title(colours, axis_title("EED"))]
    hue = colours.plackett_luce
    boxes: Layout = {
        "type": "box",
        "name": "EE-D",
        "x": names,
        "lowerfence": [spread.minimum for spread in defined],
        "q1": [spread.quarter for spread in defined],
        "median": [spread.median for spread in defined],
        "q3": [spread.three_quarters for spread in defined],
        "upperfence": [spread.maximum for spread in defined],
        "line": {"color": hue.line, "width": 1.8},
        "fillcolor": rgba(hue.line, 0.18),
        "width": 0.42,
        "hoverinfo": "y",
        "hoverlabel": {"namelength": 0},
    }
    means: Layout = {
        "type": "scatter",
        "mode": "markers",
        "name": "mean",
        "x": names,
        "y": [spread.mean for spread in defined],
        "marker": {
            "symbol": "diamond",
            "size": 9,
            "color": colours.ink,
            "line": {"color": colours.page, "width": 1},
        },
        "customdata": [spread.n_queries for spread in defined],
        "hovertemplate": "α = %{x}: mean %{y:.3f}, %{customdata} queries<extra></extra>",
    }
    return go.Figure({"data": [boxes, means] if defined else [], "layout": layout})


def ee_distribution_alt(spreads: Sequence[Spread]) -> str:
    """What the chart shows, in words."""
    parts = [
        f"α = {spread.alpha:g}: median {spread.median:.2f}, from {spread.minimum:.2f} to {spread.maximum:.2f}"
        for spread in spreads
        if not np.isnan(spread.median)
    ]
    return f"EE-D over queries. {'; '.join(parts)}."


QUERY_HEIGHT = 290
ITEMS_DRAWN = 40
"""Items drawn; the rest is in the sentence above the chart."""


def query_figure(
    query: QueryExposure, *, colours: Palette, shown: int = ITEMS_DRAWN, height: int = QUERY_HEIGHT
) -> "go.Figure":
    """Bars of exposure, coloured by grade, over the outline of the deterministic list."""
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    n = min(shown, query.exposure.size)
    ranks = np.arange(1, n + 1)
    top = max(float(query.exposure.max(initial=0)), float(query.fixed.max(initial=0)), 1e-9)
    layout = base_layout(colours, height=height, margin={"t": 40, "r": 8, "l": 40})
    layout["bargap"] = 0.18
    layout["xaxis"] = axis(
        colours,
        title="item, in score order",
        bounds=(0.0, max(n, 5) + 1.0),
        showgrid=False,
        tickvals=_ticks(n, int((query.fixed > 0).sum())),
    )
    layout["yaxis"] = axis(colours, bounds=(0.0, 1.12 * top), nticks=4, showline=False)
    layout["annotations"] = [
        y_title(colours, "expected exposure ε"),
        note(
            colours,
            "dashed: deterministic list",
            x=1,
            y=1,
            xref="paper",
            yref="paper",
            xanchor="right",
            yanchor="top",
            font={"size": 12, "color": colours.mute},
        ),
    ]
    fills = np.array(colours.grades)[np.clip(query.gains[:n], 0, 3).astype(int)]
    bars: Layout = {
        "type": "bar",
        "name": "exposure",
        "x": ranks,
        "y": query.exposure[:n],
        "marker": {"color": fills.tolist(), "line": {"width": 1, "color": colours.faint}},
        "customdata": query.gains[:n],
        "hovertemplate": "item %{x} · grade %{customdata:g}<br>ε %{y:.3f}<extra></extra>",
    }
    outline: Layout = {
        "type": "scatter",
        "mode": "lines",
        "name": "deterministic",
        "x": np.concatenate([[0.5], np.repeat(ranks[:-1] + 0.5, 2), [n + 0.5]]),
        "y": np.repeat(query.fixed[:n], 2),
        "line": {"color": colours.mute, "width": 1.4, "dash": "3px,3px"},
        "hoverinfo": "skip",
    }
    return go.Figure({"data": [bars, outline] if n else [], "layout": layout})


def grade_legend(query: QueryExposure, *, colours: Palette) -> list[tuple[str, str]]:
    """(colour, name) of each grade on the chart, for the key below it."""
    largest = int(query.gains.max(initial=0))
    names = [*GRADE_NAMES[:3], GRADE_NAMES[3] if largest > 3 else "3"]
    return list(zip(colours.grades, names, strict=True))[: max(1, min(largest, 3)) + 1]


def query_alt(query: QueryExposure) -> str:
    """What the chart shows, in words."""
    total = float(query.exposure.sum())
    if total <= 0:
        return "No document of this query gets attention."
    useful = float(query.exposure[query.gains > 0].sum()) / total
    first = float(query.exposure[query.fixed > 0].sum()) / total
    return (
        f"Expected exposure of {query.exposure.size} items: {first:.0%} of attention stays on the "
        f"items of the deterministic list, {useful:.0%} goes to relevant documents."
    )


def _ticks(n: int, depth: int) -> list[int]:
    """1, the last exposed rank of the deterministic list, and the tens."""
    tens = [ten for ten in range(10, n + 1, 10) if ten - depth > 3]
    return sorted({1, *([depth] if 1 < depth <= n else []), *tens})
