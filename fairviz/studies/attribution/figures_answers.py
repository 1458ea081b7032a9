"""Charts of recorded answers: citations by retrieval rank, and EE-R of rankings with EU of their answers."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from fairviz.display.theme import (
    SMALL_SIZE,
    Layout,
    Palette,
    axis,
    axis_name,
    axis_title,
    base_layout,
    note,
    plain,
    rgba,
    y_title,
)
from fairviz.display.words import plural
from fairviz.model import FloatArray

RANK_HEIGHT = 215


def cited_by_rank_figure(
    shares: FloatArray, *, highest: float, colours: Palette, height: int = RANK_HEIGHT
) -> go.Figure:
    """Bars of the share of answers that cite rank r; the first and the last are named.

    Args:
        shares: (k) share of answers that cite the item at rank 1 … k, NaN = nobody was given one.
        highest: Largest share over all panels of the row, so that they have one y-range.
        colours: Light or dark.
        height: Of the chart in px.
    """
    ranks = np.arange(1, shares.size + 1)
    known = np.flatnonzero(np.isfinite(shares))
    ends = {int(known[0]), int(known[-1])} if known.size else set[int]()
    own = colours.plackett_luce
    # The first and the last carry their number; the pale bars between them give the shape.
    fills = [own.line if i in ends else colours.grades[1] for i in range(shares.size)]
    layout = base_layout(colours, height=height, margin={"t": 42, "r": 8, "l": 46})
    layout["bargap"] = 0.2
    layout["xaxis"] = axis(
        colours,
        title="retrieval rank",
        bounds=(0.3, shares.size + 0.7),
        showgrid=False,
        tickvals=[1, *range(5, shares.size + 1, 5)] if shares.size > 6 else ranks.tolist(),
    )
    layout["yaxis"] = axis(
        colours,
        bounds=(0.0, min(1.16 * max(highest, 0.05), 1.16)),
        nticks=4,
        tickformat=".0%",
        showline=False,
    )
    layout["annotations"] = [y_title(colours, "share of answers that cite it")]
    layout["annotations"] += [_percent(i, float(shares[i]), colours) for i in sorted(ends)]
    bars: Layout = {
        "type": "bar",
        "name": "cited",
        "x": ranks,
        "y": shares,
        "marker": {"color": fills, "line": {"width": 1, "color": own.line}},
        "hovertemplate": "rank %{x}: cited in %{y:.1%} of answers<extra></extra>",
    }
    return go.Figure({"data": [bars], "layout": layout})


def cited_by_rank_alt(name: str, shares: FloatArray) -> str:
    """What the chart shows, in words."""
    known = np.flatnonzero(np.isfinite(shares))
    if not known.size:
        return f"{name}: no answer was given a list."
    first, last = int(known[0]), int(known[-1])
    return (
        f"{name}: the item at rank {first + 1} is cited in {shares[first]:.0%} of answers, "
        f"the item at rank {last + 1} in {shares[last]:.0%}."
    )


def _percent(position: int, share: float, colours: Palette) -> Layout:
    return note(
        colours,
        f"<b>{100 * share:.0f} %</b>",
        x=position + 1,
        y=share,
        yanchor="bottom",
        yshift=1,
        font={"size": SMALL_SIZE, "color": colours.plackett_luce.text},
    )


CORRELATION_HEIGHT = 290


def correlation_figure(
    x: FloatArray,
    y: FloatArray,
    alphas: FloatArray,
    *,
    query_ids: Sequence[str],
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
        query_ids: (Q) the query of each column: what a selected point stands for.
        colours: Light or dark.
        x_measure: Catalogue name of x.
        y_measure: Catalogue name of y.
        height: Of the chart in px.
    """
    known = ~(np.isnan(x) | np.isnan(y))
    a, b = x[known], y[known]
    rows, columns = (places.tolist() for places in np.nonzero(known))
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
        "customdata": [[query_ids[q], float(alphas[i])] for i, q in zip(rows, columns, strict=True)],
        "text": [plain(query_ids[q], longest=40) for q in columns],
        "marker": {
            "color": rgba(colours.plackett_luce.line, 0.5),
            "size": 7,
            "line": {"width": 0},
        },
        "hovertemplate": f"query %{{text}}, α = %{{customdata[1]:g}}<br>{names}<extra></extra>",
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 0.35}},
        "cliponaxis": False,
    }
    measured = np.flatnonzero(known.any(axis=1))
    path: Layout = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "mean per α",
        "x": [float(x[row][known[row]].mean()) for row in measured],
        "y": [float(y[row][known[row]].mean()) for row in measured],
        "customdata": alphas[measured],
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
    pairs = f"{plural(n_points, 'pair')} of query and α"
    return f"EE-R against EU for {pairs}: Pearson {pearson:.2f}, Spearman {spearman:.2f}."


def _range(values: FloatArray) -> tuple[float, float]:
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    span = max(high - low, 0.05)
    return low - 0.06 * span, high + 0.06 * span
