"""The ground of a cell of the signed table: the page at 0, the colour of its sign further out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.model import FloatArray
from fairviz.show.fills import ink_on
from fairviz.show.labels import LINE
from fairviz.show.theme import DARK, LIGHT, SMALL_SIZE, Layout, Palette, axis, base_layout, note, plain, rgba
from fairviz.show.words import in_words
from fairviz.studies.social_bias.measures import BiasMeasure, bias_type
from fairviz.studies.social_bias.rows import is_without_rag
from fairviz.studies.social_bias.views import BiasGrid

# What a slope panel draws: grey lines of all rows, one line in ink, its values.


def thin_lines(lines: FloatArray, names: Sequence[str], colours: Palette, dash: str) -> Layout:
    """All grey lines as one trace, cut by gaps."""
    n, width = lines.shape
    x = np.tile(np.append(np.arange(width, dtype=np.float64), np.nan), n)
    y = np.concatenate([lines, np.full((n, 1), np.nan)], axis=1).ravel() if n else np.zeros(0)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "the paper's models" if dash else "other models",
        "x": x,
        "y": y,
        "line": {"width": 1, "color": colours.faint, "dash": dash or "solid"},
        "opacity": 0.8,
        "text": [plain(name, longest=40) for name in names for _ in range(width + 1)],
        "hovertemplate": "%{text}: %{y:+.1f}<extra></extra>",
        "connectgaps": False,
    }


def thick_line(grid: BiasGrid, block: int, highlighted: str, colours: Palette) -> list[Layout]:
    """The highlighted line with points in the colour of their sign; hollow where n is small."""
    y = grid.line(highlighted)[block]
    x = np.arange(len(grid.columns), dtype=np.float64)
    own = grid.rows.index(highlighted) if highlighted in grid.rows else None
    low, high, small = (
        (np.full(y.size, np.nan), np.full(y.size, np.nan), np.zeros(y.size, dtype=bool))
        if own is None
        else (grid.low[own, block], grid.high[own, block], grid.small[own, block])
    )
    bars: Layout = {
        "type": "scatter",
        "mode": "lines",
        "name": "interval",
        "x": np.repeat(x, 3),
        "y": np.column_stack([low, high, np.full(y.size, np.nan)]).ravel(),
        "line": {"width": 3, "color": rgba(colours.ink, 0.3)},
        "hoverinfo": "skip",
        "connectgaps": False,
    }
    fills = [_sign_colour(value, grid.signed, colours) for value in y.tolist()]
    points: Layout = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "highlighted",
        "x": x,
        "y": y,
        "line": {"width": 2.4, "color": colours.ink},
        "marker": {
            "size": 9,
            "color": [colours.page if few else fill for fill, few in zip(fills, small, strict=True)],
            "line": {"width": 1.5, "color": [colours.faint if few else colours.page for few in small]},
        },
        "text": [plain(name, longest=40) for name in grid.columns],
        "hovertemplate": f"{plain(highlighted, longest=40)}<br>%{{text}}: %{{y:+.1f}}<extra></extra>",
        "cliponaxis": False,
    }
    return [points] if np.isnan(low).all() else [bars, points]


def unjoined(trace: Layout) -> str:
    """Points stay points, bars stay bars."""
    return "markers" if "marker" in trace else "lines"


def value_labels(grid: BiasGrid, block: int, highlighted: str, colours: Palette) -> list[Layout]:
    """The number at each point of the highlighted line, on the side its line leaves free."""
    values = grid.line(highlighted)[block]
    found: list[Layout] = []
    for i, value in enumerate(values.tolist()):
        if math.isnan(value):
            continue
        near = [float(v) for v in values[max(i - 1, 0) : i + 2] if not math.isnan(float(v))]
        up = value >= sum(near) / len(near)
        text = point_text(value) if grid.signed else f"{value:.0f}"
        found.append(
            note(
                colours,
                text,
                x=i,
                y=value,
                xanchor="center",
                yanchor="bottom" if up else "top",
                yshift=6 if up else -6,
                bgcolor=rgba(colours.page, 0.72),
                borderpad=0,
                font={"size": SMALL_SIZE, "color": colours.ink},
            )
        )
    return found


def point_text(value: float) -> str:
    """A value beside its point: no decimals, one where it would read as zero.

    Examples:
        >>> point_text(31.92), point_text(-0.43), point_text(0.0)
        ('+32', '−0.4', '0')
    """
    if math.isnan(value):
        return ""
    if value == 0:
        return "0"
    return in_words(value, 0 if abs(value) >= 0.5 else 1, sign=True)


def _sign_colour(value: float, has_sign: bool, colours: Palette) -> str:
    if not has_sign or value == 0 or math.isnan(value):
        return colours.ink
    return colours.positive if value > 0 else colours.negative


# How bias moves from setting to setting: one panel per bias type, all on one range.


HEIGHT = 250

AIR = 0.16
"""Part of the range kept empty at either end, where the favoured groups are named."""

LONGEST = 12

SHORTEST_SPAN = 10.0


def slope_bounds(grids: Sequence[BiasGrid]) -> tuple[float, float]:
    """One range for all panels: every value and 0, with air for labels; accuracy has 0 to 100.

    Args:
        grids: All that is drawn side by side; all signed, or none.
    """
    if not all(grid.signed for grid in grids):
        return (-4.0, 108.0)
    every = [part for grid in grids for part in (grid.values, grid.low, grid.high)]
    known = np.concatenate([part[np.isfinite(part)] for part in every] or [np.zeros(0)])
    low, high = min(0.0, *known.tolist(), 0.0), max(0.0, *known.tolist(), 0.0)
    air = AIR * max(high - low, SHORTEST_SPAN)
    return (low - air, high + air)


def slopes_figure(
    grid: BiasGrid,
    block: int,
    *,
    highlighted: str,
    bounds: tuple[float, float],
    colours: Palette,
    beside: FloatArray | None = None,
    beside_names: Sequence[str] = (),
    height: int = HEIGHT,
    joined: bool = True,
) -> go.Figure:
    """One panel: every row a thin grey line, one in ink with its values.

    Args:
        grid: Values by model, bias type and setting.
        block: The bias type of this panel.
        highlighted: The row in ink; any other name for the mean of all.
        bounds: Range of the y axis, the same in every panel (see :func:`slope_bounds`).
        colours: Light or dark.
        beside: (N, C) further lines in the same columns, dotted, such as a paper's models.
        beside_names: Their names.
        height: Of the panel in px.
        joined: Whether lines join the columns; False where these have no order.
    """
    n = len(grid.columns)
    layout = base_layout(colours, height=height, margin={"l": 30, "r": 8, "t": 6, "b": 28})
    layout["xaxis"] = axis(
        colours,
        bounds=(-0.4, n - 0.6),
        showgrid=False,
        showline=False,
        ticks="",
        tickvals=list(range(n)),
        ticktext=[plain(short_column(c), longest=LONGEST) for c in grid.columns],
    )
    layout["yaxis"] = axis(colours, bounds=bounds, showline=False, ticks="", nticks=6)
    layout["shapes"] = _grounds(bounds, colours) if grid.signed else []
    layout["annotations"] = [
        *_edges(grid, block, bounds, colours),
        *value_labels(grid, block, highlighted, colours),
    ]
    others = [i for i, name in enumerate(grid.rows) if name != highlighted]
    data = [thin_lines(grid.values[others, block], [grid.rows[i] for i in others], colours, "")]
    if beside is not None:
        data.insert(0, thin_lines(beside, beside_names, colours, "dot"))
    thick = thick_line(grid, block, highlighted, colours)
    data = [*data, *thick] if joined else [one | {"mode": unjoined(one)} for one in thick]
    return go.Figure({"data": data, "layout": layout})


def slopes_alt(grid: BiasGrid, block: int, *, highlighted: str) -> str:
    """What the panel shows, in words."""
    values = ", ".join(
        f"{column} {in_words(value, sign=grid.signed)}"
        for column, value in zip(grid.columns, grid.line(highlighted)[block].tolist(), strict=True)
    )
    above, below = edge_names(grid, block)
    means = f" Above zero favours {above}, below {below}." if above else ""
    name = f"{grid.blocks[block]}: " if grid.blocks[block] else ""
    return f"{name}{highlighted}, in percent: {values}.{means}"


def edge_names(grid: BiasGrid, block: int) -> tuple[str, str]:
    """Whom values above and below 0 favour; empty where the measure has no sign.

    A block whose name is no bias type has words that hold for every type.
    """
    if not grid.signed:
        return ("", "")
    known = bias_type(grid.about or grid.blocks[block])
    if known is None:
        return ("the advantaged group", "the other group")
    return (known.advantaged, known.disadvantaged)


def short_column(name: str) -> str:
    """A setting in as few letters as a narrow panel has.

    Examples:
        >>> short_column("w/o RAG"), short_column("stereo-set"), short_column("BM25")
        ('no RAG', 'stereo', 'BM25')
    """
    return "no RAG" if is_without_rag(name) else name.removesuffix("-set")


def _grounds(bounds: tuple[float, float], colours: Palette) -> list[Layout]:
    """A breath of colour above and below zero, and the line of zero in ink."""
    low, high = bounds
    halves = ((0.0, high, colours.positive), (low, 0.0, colours.negative))
    found: list[Layout] = [
        {
            "type": "rect",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": y0,
            "y1": y1,
            "layer": "below",
            "line": {"width": 0},
            "fillcolor": rgba(colour, 0.06),
        }
        for y0, y1, colour in halves
    ]
    zero = {"color": colours.ink, "width": 1.2}
    line: Layout = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0, "y1": 0}
    return [*found, {**line, "layer": "below", "line": zero}]


def _edges(grid: BiasGrid, block: int, bounds: tuple[float, float], colours: Palette) -> list[Layout]:
    """Whom each half favours, in its colour, at the upper and the lower edge."""
    above, below = edge_names(grid, block)
    if not above:
        text = "↑ more right answers"
        font = {"size": SMALL_SIZE, "color": colours.mute}
        place: Layout = {"xref": "paper", "x": 0.02, "y": bounds[1], "yanchor": "top"}
        return [note(colours, text, xanchor="left", font=font, **place)]
    ends = (
        (f"▲ {above}", bounds[1], "top", colours.optimal.text),
        (f"▼ {below}", bounds[0], "bottom", colours.plackett_luce.text),
    )
    return [
        note(
            colours,
            text,
            xref="paper",
            x=0.02,
            xanchor="left",
            y=y,
            yanchor=anchor,
            font={"size": SMALL_SIZE, "color": colour},
        )
        for text, y, anchor, colour in ends
    ]


# A measure of answers by number of retrieved documents (Zhang et al. 2025, Figures 3–7).


K_HEIGHT = 240

TOP, BELOW, RIGHT = 10, 40, 66

LONGEST_MODEL = 10

TITLE = "k, documents retrieved"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KLine:
    """One setting.

    Attributes:
        name: The setting.
        k: (N) documents retrieved, rising; empty where nothing is retrieved.
        values: (N) the measure in percent; without retrieval (1).
        low, high: (N) ends of the interval.
    """

    name: str
    k: FloatArray
    values: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def flat(self) -> bool:
        """Whether the line has no k: no retrieval."""
        return self.k.size == 0


def k_bounds(lines: Sequence[KLine], measure: BiasMeasure) -> tuple[float, float]:
    """Range of the y axis: 0 and every interval; accuracy has 0 to 100."""
    if measure.startswith("acc"):
        return (0.0, 100.0)
    every = [part for line in lines for part in (line.values, line.low, line.high)]
    known = np.concatenate([part[np.isfinite(part)] for part in every] or [np.zeros(0)])
    low, high = min([0.0, *known.tolist()]), max([0.0, *known.tolist()])
    air = AIR / 2 * max(high - low, SHORTEST_SPAN)
    return (low - air, high + air)


def by_k_figure(
    lines: Sequence[KLine],
    measure: BiasMeasure,
    *,
    bounds: tuple[float, float],
    colours: Palette,
    height: int = K_HEIGHT,
) -> go.Figure:
    """A line per setting with its 95 % band, and the value without retrieval as a level.

    Args:
        lines: The settings; their order is the order of drawing.
        measure: What is drawn.
        bounds: Range of the y axis.
        colours: Light or dark.
        height: Of the chart in px.
    """
    ks = sorted({float(k) for line in lines for k in line.k.tolist()}) or [0.0, 1.0]
    pad = max(0.04 * (ks[-1] - ks[0]), 0.3)
    ends = (ks[0] - pad, ks[-1] + pad)
    margin = {"l": 34, "r": RIGHT, "t": TOP, "b": BELOW}
    layout = base_layout(colours, height=height, margin=margin)
    layout["xaxis"] = axis(
        colours,
        title=TITLE,
        bounds=ends,
        showgrid=False,
        tickvals=ks,
        ticktext=[f"{k:g}" for k in ks],
    )
    layout["yaxis"] = axis(colours, bounds=bounds, showline=False, ticks="", nticks=6)
    if not measure.startswith("acc"):
        zero = {"color": colours.ink, "width": 1.2}
        layout["shapes"] = [
            {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 0, "y1": 0, "layer": "below", "line": zero}
        ]
    layout["annotations"] = _labels(lines, bounds, height, colours)
    data = [trace for line in lines for trace in _drawn(line, ends, colours)]
    return go.Figure({"data": data, "layout": layout})


def by_k_alt(lines: Sequence[KLine], label: str) -> str:
    """What the chart shows, in words."""
    parts: list[str] = []
    for line in lines:
        if line.flat:
            parts.append(f"{short_column(line.name)} {in_words(float(line.values[0]))}")
            continue
        points = (
            f"{in_words(value)} at k = {k:g}" for k, value in zip(line.k.tolist(), line.values.tolist(), strict=True)
        )
        parts.append(f"{short_column(line.name)} {', '.join(points)}")
    return f"{label} by number of retrieved documents, in percent. {'; '.join(parts)}."


def setting_look(name: str, colours: Palette) -> tuple[str, str, str]:
    """Line colour, text colour and dash of a setting: the sign of its documents; ink for all."""
    short = short_column(name).casefold()
    if short.startswith("stereo"):
        return (colours.optimal.line, colours.optimal.text, "solid")
    if short.startswith("anti"):
        return (colours.plackett_luce.line, colours.plackett_luce.text, "dot")
    if is_without_rag(name) or not short:
        return (colours.ink, colours.ink, "dash")
    return (
        (colours.ink, colours.ink, "8px,3px") if short == "full" else (colours.faint, colours.mute, "8px,3px,2px,3px")
    )


def _drawn(line: KLine, ends: tuple[float, float], colours: Palette) -> list[Layout]:
    hue, _, dash = setting_look(line.name, colours)
    if line.flat:
        value = float(line.values[0])
        return [
            {
                "type": "scatter",
                "mode": "lines",
                "name": plain(line.name),
                "x": list(ends),
                "y": [value, value],
                "line": {"width": 1.4, "color": hue, "dash": dash},
                "hovertemplate": f"no RAG: {in_words(value)}<extra></extra>",
            }
        ]
    band: Layout = {
        "type": "scatter",
        "mode": "lines",
        "name": "interval",
        "x": np.concatenate([line.k, line.k[::-1]]),
        "y": np.concatenate([line.high, line.low[::-1]]),
        "fill": "toself",
        "fillcolor": rgba(hue, 0.12),
        "line": {"width": 0, "color": hue},
        "hoverinfo": "skip",
    }
    drawn: Layout = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": plain(line.name),
        "x": line.k,
        "y": line.values,
        "line": {"width": 2.2, "color": hue, "dash": dash},
        "marker": {"size": 8, "color": hue},
        "hovertemplate": f"{plain(line.name, longest=30)}<br>k = %{{x:g}}: %{{y:.1f}}<extra></extra>",
        "cliponaxis": False,
    }
    return [drawn] if np.isnan(line.low).all() else [band, drawn]


def _labels(lines: Sequence[KLine], bounds: tuple[float, float], height: int, colours: Palette) -> list[Layout]:
    """Names at the right end of the lines, pushed apart where they would touch."""
    named = [(float(line.values[-1]), line.name) for line in lines if line.values.size]
    named = sorted((one for one in named if not math.isnan(one[0])), reverse=True)
    step = (LINE - 2) * (bounds[1] - bounds[0]) / (height - TOP - BELOW)
    places = apart([value for value, _ in named], step, bounds)
    return [
        note(
            colours,
            plain(short_column(name) or "no RAG", longest=LONGEST_MODEL),
            xref="paper",
            x=1,
            xanchor="left",
            xshift=6,
            y=y,
            yanchor="middle",
            font={"size": SMALL_SIZE, "color": setting_look(name, colours)[1]},
        )
        for (_, name), y in zip(named, places, strict=True)
    ]


def apart(values: Sequence[float], step: float, bounds: tuple[float, float]) -> list[float]:
    """Falling places at least a step apart, near their values and inside the bounds.

    Examples:
        >>> apart([5.0, 4.9, 0.0], 1.0, (-10, 10))
        [5.0, 4.0, 0.0]
        >>> apart([-9.5, -9.8], 1.0, (-10.0, 10.0))
        [-9.0, -10.0]
    """
    places: list[float] = []
    for value in values:
        places.append(min(value, places[-1] - step) if places else min(value, bounds[1]))
    floor = bounds[0]
    for i in range(len(places) - 1, -1, -1):
        places[i] = max(places[i], floor)
        floor = places[i] + step
    return places


FULL: dict[bool, float] = {True: 50.0, False: 25.0}
"""Points at which a colour is full, in ambiguous contexts and in disambiguated ones.

Fixed, so that the same shade means the same on every table of the page.
"""

ROOT = 0.85
"""Small values are lifted a little, so that ±5 can be told from the page."""

GREYEST = 0.42
"""Part of ink at an accuracy of 100, which has no sign and takes no hue."""


def bias_fill(value: float, measure: BiasMeasure, colours: Palette) -> str:
    """The ground of a value: orange towards the stereotype, blue away from it, grey for accuracy.

    Examples:
        >>> bias_fill(0.0, "diffbias_a", LIGHT) == LIGHT.page.lower()
        True
        >>> bias_fill(80.0, "diffbias_a", LIGHT) == LIGHT.positive.lower()
        True
    """
    if math.isnan(value):
        return colours.page.lower()
    if measure.startswith("acc"):
        return _mixed(colours.page, colours.ink, GREYEST * min(max(value, 0.0), 100.0) / 100)
    end = colours.positive if value > 0 else colours.negative
    full = FULL[measure in ("diffbias_a", "s_amb")]
    return _mixed(colours.page, end, min(abs(value) / full, 1.0) ** ROOT)


def bias_style(value: float, measure: BiasMeasure) -> str:
    """CSS of a cell in both themes: its ground, and black or white, whichever is read better."""
    light, dark = (bias_fill(value, measure, colours) for colours in (LIGHT, DARK))
    text = f"color:light-dark({ink_on(light)},{ink_on(dark)})"
    return f"background-color:light-dark({light},{dark});{text}"


def _mixed(start: str, end: str, part: float) -> str:
    pairs = zip(_parts(start), _parts(end), strict=True)
    return "#" + "".join(f"{round(a + part * (b - a)):02x}" for a, b in pairs)


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
