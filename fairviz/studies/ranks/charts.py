"""A metric at every rank with a line per system."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import plotly.graph_objects as go

from fairviz.display.marks import Frame, Label, Spot, place_labels, written
from fairviz.display.theme import (
    Hue,
    Layout,
    Palette,
    axis,
    base_layout,
    look_colour,
    look_dash,
    plain,
    scatter,
    y_title,
)
from fairviz.metrics.fair import Irm
from fairviz.model import FloatArray, IntArray, Look
from fairviz.studies.ranks.analysis import RankSeries
from fairviz.studies.ranks.settings import SeriesMetric

SERIES_HEIGHT = 250


LONGEST_SERIES = 20


MARGIN = {"t": 38, "l": 46, "r": 14, "b": 44}


IRM_LABELS: dict[Irm, str] = {
    "alpha_nDCG": "α-nDCG",
    "nDCG": "nDCG",
    "RBP": "RBP",
    "ERR_IA": "ERR-IA",
    "AP": "AP",
    "ERR": "ERR",
    "NRBP": "NRBP",
}
"""Measures whose gains FAIR discounts, as printed."""


TITLES: dict[SeriesMetric, str] = {
    "FAIR": "FAIR ({irm} gains)  (↑ relevant and near the target)",
    "nDCG": "nDCG  (↑ more relevant)",
    "RBP": "RBP  (↑ more relevant)",
    "alpha_nDCG": "α-nDCG  (↑ relevant and varied)",
    "KL": "KL  (↓ nearer the target)",
    "nDRKL": "nDRKL  (↑ nearer the target)",
}


def rank_series_figure(
    series: Sequence[RankSeries],
    metric: SeriesMetric,
    *,
    colours: Palette,
    highlighted: Collection[str] = (),
    dashed: Collection[str] = (),
    looks: Mapping[str, Look] = MappingProxyType({}),
) -> go.Figure:
    """Mean over queries at each rank: systems in thin grey, the highlighted ones named.

    Args:
        series: One per system.
        metric: What is drawn.
        colours: Light or dark.
        highlighted: Systems in colour with a direct label: the first in ink, the next in blue,
            orange, green.
        dashed: Systems in dashes: lists that were re-ranked without judgements (NoRJ).
        looks: Colours and dashes of systems, as the table of systems says: these come first.
    """
    lines = {of_system.system: of_system.of(metric) for of_system in series}
    irm = IRM_LABELS[series[0].irm] if series else ""
    depth = max((of_system.depth for of_system in series), default=1)
    bounds = _bounds(list(lines.values()))
    layout = base_layout(colours, height=SERIES_HEIGHT, margin=MARGIN)
    layout["xaxis"] = axis(colours, title="rank", bounds=(0.5, depth + 0.5), nticks=8)
    layout["yaxis"] = axis(colours, bounds=bounds, nticks=5)
    named = [name for name in highlighted if name in lines and _defined(lines[name]).size]
    hues = dict(zip(named, _hues(colours), strict=False))
    hues |= {
        name: Hue(look_colour(look, colours, hues[name].line), colours.ink)
        for name, look in looks.items()
        if name in hues and any(look)
    }
    data: list[Layout] = []
    for name in sorted(lines, key=lambda system: system in hues):
        usual, width = (hues[name].line, 2.6) if name in hues else (colours.faint, 1.2)
        look = looks.get(name, Look())
        dash = look_dash(look, "5px,3px" if name in dashed else "solid")
        data.append(_line(name, lines[name], look_colour(look, colours, usual), width, dash))
    labels = [_label(name, lines[name], hues[name].text) for name in hues]
    frame = Frame((0.5, depth + 0.5), bounds, (380.0, 260.0), float(SERIES_HEIGHT - MARGIN["t"] - MARGIN["b"]))
    spots = place_labels(labels, _marks(list(lines.values())), frame)
    layout["annotations"] = [y_title(colours, TITLES[metric].format(irm=irm))]
    layout["annotations"] += [written(label, spot, colours) for label, spot in zip(labels, spots, strict=True)]
    return go.Figure({"data": data, "layout": layout})


def rank_series_alt(series: Sequence[RankSeries], metric: SeriesMetric) -> str:
    """What the chart shows, in words."""
    parts: list[str] = []
    for of_system in series:
        line, indices = of_system.of(metric), _defined(of_system.of(metric))
        if indices.size:
            first, last = int(indices[0]), int(indices[-1])
            parts.append(
                f"{of_system.system} from {line[first]:.2f} at rank {first + 1} to {line[last]:.2f} at rank {last + 1}"
            )
    return f"{metric} at each rank. {'; '.join(parts) or 'No rank has a value'}."


def _line(name: str, y: FloatArray, colour: str, width: float, dash: str) -> Layout:
    return scatter(
        name,
        "lines" if _defined(y).size > 1 else "markers",
        np.arange(1, y.size + 1),
        np.where(np.isinf(y), np.nan, y),
        line={"color": colour, "width": width, "dash": dash},
        marker={"color": colour, "size": 6},
        hovertemplate=f"{plain(name)}<br>rank %{{x}}: %{{y:.3f}}<extra></extra>",
    )


def _label(name: str, y: FloatArray, colour: str) -> Label:
    text = plain(name, longest=LONGEST_SERIES)
    width = min(len(name), LONGEST_SERIES)
    indices = _defined(y)
    steps = indices[np.unique(np.linspace(0, indices.size - 1, min(indices.size, 16)).astype(int))][::-1]
    spots = [Spot(float(i + 1), float(y[i]), 0.0, down) for down in (-14.0, 14.0, -28.0, 28.0) for i in steps]
    return Label(html=f"<b>{text}</b>", width=width, colour=colour, spots=spots)


def _hues(colours: Palette) -> list[Hue]:
    """(line, text) of the highlighted systems in turn."""
    ink = Hue(colours.ink, colours.ink)
    return [ink, colours.plackett_luce, colours.optimal, colours.oracle]


def _defined(y: FloatArray) -> IntArray:
    return np.flatnonzero(np.isfinite(y))


def _marks(lines: Sequence[FloatArray]) -> FloatArray:
    """(N, 2) points of all lines, which labels keep clear of."""
    points: list[FloatArray] = [np.empty((0, 2))]
    for y in lines:
        indices = _defined(y)
        points.append(np.stack([indices.astype(np.float64) + 1, y[indices]], axis=1))
    return np.concatenate(points)


def _bounds(lines: Sequence[FloatArray]) -> tuple[float, float]:
    """Ends of the y axis: all finite values, 0 included where they come near it."""
    finite = np.concatenate([np.empty(0), *(line[np.isfinite(line)] for line in lines)])
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    low = 0.0 if low < 0.35 * high else low
    air = 0.06 * max(high - low, 0.02)
    return low - air, high + air
