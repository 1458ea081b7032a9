"""Figures of Groups & targets: the share of one group at each rank, and shares of attention against the target."""

import math
import textwrap
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.model import FloatArray
from fairviz.show.theme import (
    SMALL_SIZE,
    GroupHue,
    Layout,
    Palette,
    axis,
    bare_axis,
    base_layout,
    group_hues,
    note,
    plain,
    rgba,
)
from fairviz.studies.groups.by_rank import RankBins

HEIGHT = 196

ROW = 66
"""Height of one group's row in px."""
LINE = 17
"""Height of one more line of a name in px."""
LONGEST = 40
"""Characters in a line: a phone has no room for more. A longer name goes on in the next line, it is never cut off."""

BESIDE = 62
"""Characters of a name's last line and what is said of it that stand beside each other on a phone."""

# The share of one group at each rank, against its target: one panel of a row of panels.


def highest_share(bins: RankBins) -> float:
    """Top of the y axis of all panels: the highest end of an interval, rounded up to tenths."""
    ends = bins.high[np.isfinite(bins.high)]
    return min(max(math.ceil(10 * float(ends.max()) + 0.01) / 10, 0.2), 1.0) if ends.size else 1.0


def by_rank_figure(
    bins: RankBins,
    group: int,
    *,
    target: float,
    highest: float,
    hue: GroupHue,
    colours: Palette,
    height: int = HEIGHT,
) -> go.Figure:
    """Share of the labelled places in each bin with its interval; dashed: the target.

    Args:
        bins: Shares of all groups in pooled ranks.
        group: The group of this panel.
        target: Its target share.
        highest: Top of the y axis, the same in every panel of a row.
        hue: The look of the group.
        colours: Light or dark.
        height: Of the chart in px.
    """
    x = np.arange(bins.n.size, dtype=np.float64)
    layout = base_layout(colours, height=height, margin={"l": 38, "r": 8, "t": 10, "b": 42})
    layout["xaxis"] = axis(
        colours,
        title="rank",
        bounds=(-0.45, max(x.size, 2) - 0.55),
        showgrid=False,
        tickvals=x,
        ticktext=bin_names(bins),
    )
    steps = [highest * part for part in (0, 0.5, 1)]
    layout["yaxis"] = axis(
        colours,
        bounds=(0, 1.04 * highest),
        tickvals=steps,
        showline=False,
        ticktext=[f"{100 * step:.0f}" + ("\u202f%" if step == highest else "") for step in steps],
    )
    inside = target <= highest
    layout["annotations"] = (
        []
        if inside
        else [
            note(
                colours,
                f"target {100 * target:.0f}\u202f% ↑",
                x=1,
                xref="paper",
                xanchor="right",
                y=highest,
                yanchor="top",
                font={"size": SMALL_SIZE, "color": colours.ink},
            )
        ]
    )
    data: list[Layout] = [
        _band(x, bins.low[:, group], bins.high[:, group], hue),
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": "share",
            "x": x,
            "y": bins.shares[:, group],
            "line": {"width": 2.4, "color": hue.line},
            "marker": {"size": 8, "color": hue.line, "symbol": hue.marker},
            "customdata": np.column_stack([bins.first, bins.last, bins.n]),
            "hovertemplate": "ranks %{customdata[0]}–%{customdata[1]}: %{y:.1%}"
            "<br>%{customdata[2]:.0f} labelled places<extra></extra>",
        },
    ]
    if inside:
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": "target",
                "x": [-0.45, max(x.size, 2) - 0.55],
                "y": [target, target],
                "line": {"width": 1.8, "dash": "7px,5px", "color": colours.ink},
                "hoverinfo": "skip",
            }
        )
    return go.Figure({"data": data, "layout": layout})


def bin_names(bins: RankBins) -> list[str]:
    """Ranks of each bin as text: "1–2", "3"."""
    return [
        f"{first}" if first == last else f"{first}–{last}"
        for first, last in zip(bins.first.tolist(), bins.last.tolist(), strict=True)
    ]


def by_rank_alt(bins: RankBins, group: int, *, name: str, target: float) -> str:
    """What the panel shows, in words."""
    points = (
        f"ranks {ranks}: {100 * share:.0f} % (of {n:.0f})"
        for ranks, share, n in zip(bin_names(bins), bins.shares[:, group].tolist(), bins.n.tolist(), strict=True)
        if n > 0
    )
    return f"Share of {name} by rank, target {100 * target:.0f} %. {'; '.join(points)}."


def _band(x: FloatArray, low: FloatArray, high: FloatArray, hue: GroupHue) -> Layout:
    """The interval; a single bin has a bar as wide as a step."""
    if x.size == 1:
        x = np.array([-0.25, 0.25])
        low, high = np.repeat(low, 2), np.repeat(high, 2)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "interval",
        "x": np.concatenate([x, x[::-1]]),
        "y": np.concatenate([high, low[::-1]]),
        "fill": "toself",
        "fillcolor": rgba(hue.line, 0.16),
        "line": {"width": 0, "color": hue.line},
        "hoverinfo": "skip",
    }


# Where labelled attention goes, against the target: one row per group, one scale for all.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharesView:
    """Shares of attention of one system, its rivals, and the target.

    Attributes:
        groups: G names.
        shares: (G) share of this system, NaN = undefined.
        low, high: (G) 95 % interval of it, NaN = none.
        target: (G) target shares.
        reach_low, reach_high: (G) what re-ranking the candidates could reach.
        others: (S, G) shares of the other systems.
        other_names: S names.
        words: (G) what is said of each group beside its name ("11 points under").
        unit: What the shares are shares of ("labelled attention").
        few: Whether too few queries say something: all marks are grey.
    """

    groups: tuple[str, ...]
    shares: FloatArray
    low: FloatArray
    high: FloatArray
    target: FloatArray
    reach_low: FloatArray
    reach_high: FloatArray
    others: FloatArray
    other_names: tuple[str, ...]
    words: tuple[str, ...]
    unit: str = "labelled attention"
    few: bool = False


def in_lines(name: str, *, longest: int = LONGEST) -> list[str]:
    """A name in lines, broken between words, and within a word that is longer than a line.

    Examples:
        >>> in_lines("large publishers in Canada", longest=18)
        ['large publishers', 'in Canada']
        >>> in_lines("without_any_space", longest=8)
        ['without_', 'any_spac', 'e']
    """
    return textwrap.wrap(name, longest, break_on_hyphens=False) or [name]


def shares_figure(view: SharesView, *, colours: Palette, row: int = ROW) -> go.Figure:
    """Large mark and bar: this system with its interval; small marks: the others; tick: target.

    The pale band behind them is what any re-ranking of the same candidates could reach. The scale
    is 0 to 100 % whatever the target, so that only the tick moves with it.
    """
    n = len(view.groups)
    hues = group_hues(view.groups, colours)
    if view.few:
        hues = [GroupHue(colours.faint, colours.mute, hue.marker) for hue in hues]
    names = [in_lines(group) for group in view.groups]
    # words stand behind a name that leaves room for them, else below it
    heads = [
        [*lines[:-1], f"{lines[-1]}  {words}"] if len(lines[-1]) + len(words) <= BESIDE else [*lines, words]
        for lines, words in zip(names, view.words, strict=True)
    ]
    row += LINE * (max(map(len, heads), default=1) - 1)
    height = n * row + 62
    layout = base_layout(colours, height=height, margin={"l": 10, "r": 14, "t": 12, "b": 50})
    layout["xaxis"] = axis(
        colours,
        title=f"share of {view.unit}",
        bounds=(-0.015, 1.015),
        tickvals=[0, 0.2, 0.4, 0.6, 0.8, 1],
        ticktext=[f"{100 * share:.0f}\u202f%" for share in (0, 0.2, 0.4, 0.6, 0.8, 1)],
    )
    layout["yaxis"] = bare_axis(colours, bounds=(1 - n - 0.45 * ROW / row, 1 - 0.38 * ROW / row))
    layout["annotations"] = [
        note(
            colours,
            _head(lines, words, beside=len(head) == len(lines)),
            x=0,
            xref="paper",
            xanchor="left",
            align="left",
            y=-i,
            yshift=0.24 * ROW,
            yanchor="bottom",
            font={"size": 13, "color": hue.text},
        )
        for i, (lines, words, head, hue) in enumerate(zip(names, view.words, heads, hues, strict=True))
    ]
    layout["shapes"] = [
        {
            "type": "rect",
            "layer": "below",
            "x0": low,
            "x1": high,
            "y0": -i - 0.2 * ROW / row,
            "y1": -i + 0.2 * ROW / row,
            "fillcolor": rgba(hue.line, 0.12),
            "line": {"width": 0},
        }
        for i, (low, high, hue) in enumerate(zip(view.reach_low.tolist(), view.reach_high.tolist(), hues, strict=True))
        if np.isfinite(low)
    ]
    traces = [_others(view, hues), *_intervals(view, hues), _target(view, colours)]
    return go.Figure({"data": [*traces, _own(view, hues, colours)], "layout": layout})


def _head(lines: list[str], words: str, *, beside: bool) -> str:
    """A name in bold with what is said of it, behind or below."""
    name = "<br>".join(f"<b>{plain(line)}</b>" for line in lines)
    return f"{name}{'  ' if beside else '<br>'}{plain(words)}"


def shares_alt(view: SharesView) -> str:
    """What the chart shows, in words."""
    rows = (
        f"{group}: {_percent(share)}, target {_percent(target)}, {words}"
        for group, share, target, words in zip(view.groups, view.shares, view.target, view.words, strict=True)
    )
    return f"Share of {view.unit} by group. {'; '.join(rows)}."


def _own(view: SharesView, hues: list[GroupHue], colours: Palette) -> Layout:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "this system",
        "x": view.shares,
        "y": -np.arange(len(hues)),
        "marker": {
            "size": 14,
            "color": [hue.line for hue in hues],
            "symbol": [hue.marker for hue in hues],
            "line": {"width": 1.5, "color": colours.page},
        },
        "customdata": [plain(group) for group in view.groups],
        "hovertemplate": "%{customdata}: %{x:.1%}<extra></extra>",
    }


def _others(view: SharesView, hues: list[GroupHue]) -> Layout:
    n_systems = len(view.other_names)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "other systems",
        "x": view.others.ravel(),
        "y": np.tile(-np.arange(len(hues)), n_systems),
        "marker": {
            "size": 7,
            "opacity": 0.45,
            "color": [hue.line for hue in hues] * n_systems,
            "symbol": [hue.marker for hue in hues] * n_systems,
        },
        "customdata": np.repeat([plain(name) for name in view.other_names], len(hues)),
        "hovertemplate": "%{customdata}: %{x:.1%}<extra></extra>",
    }


def _intervals(view: SharesView, hues: list[GroupHue]) -> list[Layout]:
    """One bar per group that has an interval."""
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": f"interval {i}",
            "x": [float(view.low[i]), float(view.high[i])],
            "y": [-i, -i],
            "line": {"width": 4, "color": hue.line},
            "hoverinfo": "skip",
        }
        for i, hue in enumerate(hues)
        if np.isfinite(view.low[i])
    ]


def _target(view: SharesView, colours: Palette) -> Layout:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "target",
        "x": view.target,
        "y": -np.arange(len(view.groups)),
        "marker": {
            "symbol": "line-ns",
            "size": 24,
            "line": {"width": 3, "color": colours.ink},
            "color": colours.ink,
        },
        "hovertemplate": "target: %{x:.1%}<extra></extra>",
    }


def _percent(share: float) -> str:
    return "undefined" if np.isnan(share) else f"{100 * share:.0f} %"
