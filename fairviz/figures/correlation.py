"""EE-R of the rankings against EU of the answers made from them, query by query."""

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.axes import axis_name, axis_title
from fairviz.figures.theme import Layout, Palette, axis, base_layout, rgba, y_title
from fairviz.model import FloatArray

CORRELATION_HEIGHT = 290


def correlation_figure(
    x: FloatArray,
    y: FloatArray,
    alphas: FloatArray,
    *,
    colours: Palette,
    x_measure: str = "EER",
    y_measure: str = "EU",
    height: int = CORRELATION_HEIGHT,
) -> go.Figure:
    """Points of (query, α), and the mean of each α joined in the order of α.

    Args:
        x: (A, Q) one quality per α and query, NaN = undefined.
        y: (A, Q) the other.
        alphas: (A) the α of each row.
        colours: Light or dark.
        x_measure: Catalogue name of x.
        y_measure: Catalogue name of y.
        height: Of the chart in px.
    """
    known = ~(np.isnan(x) | np.isnan(y))
    a, b = x[known], y[known]
    at = np.broadcast_to(alphas[:, None], x.shape)[known]
    layout = base_layout(colours, height=height, margin={"t": 38})
    layout["xaxis"] = axis(colours, title=axis_title(x_measure), bounds=_range(a), nticks=6)
    layout["yaxis"] = axis(colours, bounds=_range(b), nticks=6)
    layout["annotations"] = [y_title(colours, axis_title(y_measure))]
    names = f"{axis_name(x_measure)} %{{x:.3f}}<br>{axis_name(y_measure)} %{{y:.3f}}"
    dots: Layout = {
        "type": "scatter",
        "mode": "markers",
        "name": "queries",
        "x": a,
        "y": b,
        "customdata": at,
        "marker": {
            "color": rgba(colours.plackett_luce.line, 0.5),
            "size": 7,
            "line": {"width": 0},
        },
        "hovertemplate": f"α = %{{customdata:g}}<br>{names}<extra></extra>",
        "cliponaxis": False,
    }
    rows = np.flatnonzero(known.any(axis=1))
    path: Layout = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "mean per α",
        "x": [float(x[row][known[row]].mean()) for row in rows],
        "y": [float(y[row][known[row]].mean()) for row in rows],
        "customdata": alphas[rows],
        "line": {"color": colours.ink, "width": 1.5},
        "marker": {
            "symbol": "diamond",
            "size": 8,
            "color": colours.page,
            "opacity": 1,
            "line": {"color": colours.ink, "width": 1.4},
        },
        "hovertemplate": f"mean, α = %{{customdata:g}}<br>{names}<extra></extra>",
    }
    return go.Figure({"data": [dots, path], "layout": layout})


def correlation_alt(pearson: float, spearman: float, n_points: int) -> str:
    """What the chart shows, in words."""
    return f"EE-R against EU for {n_points} pairs of query and α: Pearson {pearson:.2f}, Spearman {spearman:.2f}."


def _range(values: FloatArray) -> tuple[float, float]:
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    span = max(high - low, 0.05)
    return low - 0.06 * span, high + 0.06 * span
