"""Figures of Groups & targets: the share of one group at each rank, against its target."""

import math

import numpy as np
import plotly.graph_objects as go

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
    scatter,
)
from fairviz.studies.groups.system import RankBins

HEIGHT = 196


def highest_share(bins: RankBins) -> float:
    """Top of the y axis of all panels: the highest end of an interval, rounded up to tenths."""
    ends = bins.high[np.isfinite(bins.high)]
    return min(max(math.ceil(10 * float(ends.max()) + 0.01) / 10, 0.2), 1.0) if ends.size else 1.0


def by_rank_figure(
    bins: RankBins, groups: tuple[str, ...], group: int, target: float, *, few: bool = False, colours: Palette
) -> go.Figure:
    """Share of the labelled places in each bin with its interval; dashed: the target; grey over too few queries.

    Args:
        bins: Shares of all groups in pooled ranks.
        groups: Their names.
        group: The group of this panel.
        target: Its target share.
        few: Whether it rests on too few queries for anything to be said of it.
        colours: Light or dark.
    """
    hue, highest = group_hues(groups, colours)[group], highest_share(bins)
    if few:
        hue = hue._replace(line=colours.faint, text=colours.mute)
    x = np.arange(bins.n.size, dtype=np.float64)
    layout = base_layout(colours, height=HEIGHT, margin={"l": 38, "r": 8, "t": 10, "b": 42})
    ends = -0.45, max(x.size, 2) - 0.55
    layout["xaxis"] = axis(colours, title="rank", bounds=ends, showgrid=False, tickvals=x, ticktext=bin_names(bins))
    steps = [highest * part for part in (0, 0.5, 1)]
    names = [f"{100 * step:.0f}" + ("\u202f%" if step == highest else "") for step in steps]
    layout["yaxis"] = axis(colours, bounds=(0, 1.04 * highest), tickvals=steps, showline=False, ticktext=names)
    line, marker = {"width": 2.4, "color": hue.line}, {"size": 8, "color": hue.line, "symbol": hue.marker}
    ranks: Layout = {
        "customdata": np.column_stack([bins.first, bins.last, bins.n]),
        "hovertemplate": "ranks %{customdata[0]}–%{customdata[1]}: %{y:.1%}"
        "<br>%{customdata[2]:.0f} labelled places<extra></extra>",
    }
    data = [
        _band(Band(x, bins.low[:, group], bins.high[:, group]), hue),
        scatter("share", "lines+markers", x, bins.shares[:, group], line=line, marker=marker, **ranks),
    ]
    notes: list[Layout] = []
    if target <= highest:
        dashes = {"width": 1.8, "dash": "7px,5px", "color": colours.ink}
        data.append(scatter("target", "lines", list(ends), [target, target], line=dashes))
    else:
        at = {"x": 1, "xref": "paper", "xanchor": "right", "y": highest, "yanchor": "top"}
        font = {"size": SMALL_SIZE, "color": colours.ink}
        notes.append(note(colours, f"target {100 * target:.0f}\u202f% ↑", **at, font=font))
    layout["annotations"] = notes
    return go.Figure({"data": data, "layout": layout})


def bin_names(bins: RankBins) -> list[str]:
    """Ranks of each bin as text: "1–2", "3"."""
    return [
        f"{first}" if first == last else f"{first}–{last}"
        for first, last in zip(bins.first.tolist(), bins.last.tolist(), strict=True)
    ]


def by_rank_alt(bins: RankBins, groups: tuple[str, ...], group: int, target: float) -> str:
    """What the panel shows, in words."""
    points = (
        f"ranks {ranks}: {100 * share:.0f} % (of {n:.0f})"
        for ranks, share, n in zip(bin_names(bins), bins.shares[:, group].tolist(), bins.n.tolist(), strict=True)
        if n > 0
    )
    return f"Share of {groups[group]} by rank, target {100 * target:.0f} %. {'; '.join(points)}."


def _band(band: Band, hue: GroupHue) -> Layout:
    """The interval; a single bin has a bar as wide as a step."""
    if band.x.size == 1:
        band = Band(np.array([-0.25, 0.25]), np.repeat(band.low, 2), np.repeat(band.high, 2))
    return area("interval", band.outline(), hue.line, 0.16, line={"width": 0, "color": hue.line})
