"""The chart of the lessons on exposure: one bar per item, the fixed list as an outline, the guess as a line."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.model import FloatArray
from fairviz.show.theme import Layout, Palette, axis, base_layout, note, y_title

HEIGHT = 320


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bars:
    """What the chart shows.

    Attributes:
        names: (n) names of the items, best score first.
        notes: (n) what stands below each name ("score 1", "useful").
        useful: (n) whether the item is useful; decides the colour of its bar.
        fixed: (n) of 100 readers, how many see it in the fixed list: the outline.
        seen: (n) of 100 readers, how many see it on average; None before the reveal.
        guess: (position, value) of the guess, None for none.
        band: (n, 2) interval of each bar, where it is estimated from samples.
        target: (n) the target as a tick, None for none.
    """

    names: tuple[str, ...]
    notes: tuple[str, ...]
    useful: tuple[bool, ...]
    fixed: FloatArray
    seen: FloatArray | None = None
    guess: tuple[int, float] | None = None
    band: FloatArray | None = None
    target: FloatArray | None = None


def bars_figure(
    bars: Bars,
    *,
    colours: Palette,
    height: int = HEIGHT,
    title: str = "of 100 readers, how many see it",
    outline: str = "outline: the fixed list",
) -> go.Figure:
    """Bars of 0 to 100 over the outline of the fixed list, with the guess as a thick line."""
    n = len(bars.names)
    x = np.arange(n)
    layout = base_layout(colours, height=height, margin={"t": 40, "b": 62, "r": 8})
    layout["bargap"] = 0.34
    layout["barmode"] = "overlay"
    layout["xaxis"] = axis(
        colours,
        bounds=(-1.2 if bars.guess else -0.7, n - 0.5),
        showgrid=False,
        tickvals=x.tolist(),
        ticktext=[f"<b>{a}</b><br>{b}" for a, b in zip(bars.names, bars.notes, strict=True)],
        ticks="",
    )
    layout["yaxis"] = axis(colours, bounds=(0, 112), tickvals=[0, 25, 50, 75, 100])
    layout["annotations"] = [y_title(colours, title), *_labels(bars, colours, outline)]
    return go.Figure({"data": _traces(bars, x, colours), "layout": layout})


def _traces(bars: Bars, x: np.ndarray, colours: Palette) -> list[Layout]:
    fills = [colours.plackett_luce.line if u else colours.grades[0] for u in bars.useful]
    traces: list[Layout] = []
    if bars.seen is not None:
        traces.append(
            {
                "type": "bar",
                "name": "seen",
                "x": x,
                "y": bars.seen,
                "marker": {"color": fills, "line": {"width": 0}},
                "customdata": list(bars.names),
                "hovertemplate": "%{customdata}: %{y:.0f} of 100<extra></extra>",
            }
        )
        if bars.band is not None:
            traces[0]["error_y"] = {
                "type": "data",
                "symmetric": False,
                "array": bars.band[:, 1] - bars.seen,
                "arrayminus": bars.seen - bars.band[:, 0],
                "color": colours.ink,
                "thickness": 1.5,
                "width": 5,
            }
    traces.append(
        {
            "type": "bar",
            "name": "fixed list",
            "x": x,
            "y": bars.fixed,
            "hoverinfo": "skip",
            "marker": {"color": "rgba(0,0,0,0)", "line": {"color": colours.faint, "width": 1.4}},
        }
    )
    if bars.target is not None:
        traces.append(_ticks("target", x, bars.target, colours.ink, 2.4, 0.33))
    if bars.guess is not None:
        place, value = bars.guess
        at, level = np.array([place]), np.array([value])
        traces.append(_ticks("your guess", at, level, colours.optimal.line, 3.5, 0.41))
    return traces


def _ticks(name: str, x: np.ndarray, y: FloatArray, colour: str, width: float, reach: float) -> Layout:
    """Short level lines, one per item, as one trace cut apart by gaps."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for place, level in zip(x.tolist(), y.tolist(), strict=True):
        xs += [place - reach, place + reach, None]
        ys += [level, level, None]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": xs,
        "y": ys,
        "line": {"color": colour, "width": width},
        "hoverinfo": "skip",
    }


def _labels(bars: Bars, colours: Palette, outline: str) -> list[Layout]:
    labels: list[Layout] = []
    places = np.flatnonzero(bars.fixed == bars.fixed.max())
    if outline and places[-1] < len(bars.names) - 1:
        labels.append(
            note(
                colours,
                outline,
                x=float(places[-1]) + 0.42,
                y=float(bars.fixed.max()),
                xanchor="left",
                yanchor="middle",
                font={"size": 12, "color": colours.mute},
            )
        )
    elif outline:  # no room beside the last item
        labels.append(
            note(
                colours,
                outline,
                x=1,
                y=1,
                xref="paper",
                yref="paper",
                xanchor="right",
                yanchor="top",
                font={"size": 12, "color": colours.mute},
            )
        )
    if bars.seen is None:
        labels.append(note(colours, "<b>?</b>", x=len(bars.names) - 2, y=50, font={"size": 44, "color": colours.faint}))
    else:
        tops = bars.seen if bars.band is None else bars.band[:, 1]
        labels += [
            note(colours, f"<b>{value:.0f}</b>", x=place, y=float(top), yanchor="bottom")
            for place, (value, top) in enumerate(zip(bars.seen.tolist(), tops, strict=True))
        ]
    if bars.guess is not None:
        place, value = bars.guess
        side = ("right", place - 0.44) if place == 0 else ("left", place + 0.44)  # later: lower
        labels.append(
            note(
                colours,
                f"<b>guess<br>{value:.0f}</b>",
                x=side[1],
                y=value,
                xanchor=side[0],
                font={"size": 13, "color": colours.optimal.text},
            )
        )
    return labels


def bars_alt(bars: Bars) -> str:
    """What the chart shows, in words."""
    shown = bars.fixed if bars.seen is None else bars.seen
    kind = "in the fixed list" if bars.seen is None else "on average"
    items = ", ".join(f"{a} {v:.0f}" for a, v in zip(bars.names, shown.tolist(), strict=True))
    return f"Of 100 readers, how many see each item {kind}: {items}."
