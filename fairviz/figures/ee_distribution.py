"""Distribution of EE-D over queries at each α (Kim & Diaz, Figure 3)."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from fairviz.analysis.by_alpha import Spread
from fairviz.figures.axes import axis_title
from fairviz.figures.theme import Layout, Palette, axis, base_layout, rgba, y_title

DISTRIBUTION_HEIGHT = 290
SMALL = 0.4
"""Where every EE-D is below this, the axis ends at the largest instead of 1."""


def ee_distribution_figure(
    spreads: Sequence[Spread], *, colours: Palette, height: int = DISTRIBUTION_HEIGHT
) -> go.Figure:
    """One box per α: quartiles, extremes, and a diamond at the mean.

    Args:
        spreads: Distribution of EE-D at each α, as ``disparity_by_alpha`` gives it.
        colours: Light or dark.
        height: Of the chart in px.
    """
    shown = [spread for spread in spreads if spread.n_queries]
    names = [f"{spread.alpha:g}" for spread in shown]
    layout = base_layout(colours, height=height, margin={"t": 38})
    layout["xaxis"] = axis(colours, title="α", type="category", showgrid=False)
    ends = [0.0, *(s.minimum for s in shown), *(s.maximum for s in shown)]
    if max(ends) >= SMALL:
        ends.append(1.0)
    air = 0.05 * max(max(ends) - min(ends), 1e-3)
    layout["yaxis"] = axis(colours, bounds=(min(ends) - air, max(ends) + air), nticks=6)
    layout["annotations"] = [y_title(colours, axis_title("EED"))]
    own = colours.plackett_luce
    boxes: Layout = {
        "type": "box",
        "name": "EE-D",
        "x": names,
        "lowerfence": [spread.minimum for spread in shown],
        "q1": [spread.quarter for spread in shown],
        "median": [spread.median for spread in shown],
        "q3": [spread.three_quarters for spread in shown],
        "upperfence": [spread.maximum for spread in shown],
        "line": {"color": own.line, "width": 1.8},
        "fillcolor": rgba(own.line, 0.18),
        "width": 0.42,
        "hoverinfo": "y",
        "hoverlabel": {"namelength": 0},
    }
    means: Layout = {
        "type": "scatter",
        "mode": "markers",
        "name": "mean",
        "x": names,
        "y": [spread.mean for spread in shown],
        "marker": {
            "symbol": "diamond",
            "size": 9,
            "color": colours.ink,
            "line": {"color": colours.page, "width": 1},
        },
        "customdata": [spread.n_queries for spread in shown],
        "hovertemplate": "α = %{x}: mean %{y:.3f}, %{customdata} queries<extra></extra>",
    }
    return go.Figure({"data": [boxes, means] if shown else [], "layout": layout})


def ee_distribution_alt(spreads: Sequence[Spread]) -> str:
    """What the chart shows, in words."""
    parts = [
        f"α = {spread.alpha:g}: median {spread.median:.2f}, from {spread.minimum:.2f} to {spread.maximum:.2f}"
        for spread in spreads
        if not np.isnan(spread.median)
    ]
    return f"EE-D over queries. {'; '.join(parts)}."
