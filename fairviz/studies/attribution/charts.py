"""Charts of recorded answers: sources given and used, consumption by query, citations by retrieval rank.

Consumption is what a generator was given against what it used. Each point is a query under one setting; those of the
chosen setting are coloured, the others grey, and the path of the means runs through them. Disparity of use needs
logarithmic axes: it is often a hundredth of that of exposure.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fairviz.display.marks import Frame, Label, around, place_labels, spots_beside, written
from fairviz.display.markup import Html, el
from fairviz.display.paper import CALL_OUT
from fairviz.display.theme import (
    SMALL_SIZE,
    Layout,
    Palette,
    axis,
    bars,
    base_layout,
    note,
    plain,
    rgba,
    scatter,
    y_title,
)
from fairviz.display.words import number
from fairviz.metrics.consumption import Scale
from fairviz.model import BoolArray, FloatArray
from fairviz.numerals import plural
from fairviz.points.charts import panels_alt as panels_alt
from fairviz.points.charts import panels_figure as panels_figure
from fairviz.points.outputs import Pair, axis_columns
from fairviz.stats.tests import SIGNIFICANCE
from fairviz.studies.attribution.settings import AttributionSettings

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 400
MARGIN = {"l": 46, "r": 10, "t": 34, "b": 46}
WIDTHS = (310.0, 1060.0)
"""Width of the plotting area on a phone and across a page, in px."""
MOST_DOTS, DOT_UNITS = 60, (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Dots of a row at most, and how many sources one of them may stand for."""
EDGE = 1.03
"""Where a point below a logarithmic scale is drawn: this factor inside its edge."""
MOST_GREY = 1500
"""Grey points drawn at most: they only give the shape of the cloud."""
SOURCES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Effective numbers of sources that a ``share`` axis names; a linear one the first of them."""
FAR = 5
"""How many that are: further ones lie too close to each other."""


def dot_unit(rows: pl.DataFrame) -> int:
    """How many effective sources a dot stands for, so that the row of most given has 60 dots at most."""
    most = float(rows["sources_given"].fill_null(0).to_numpy().max(initial=0))
    return next((unit for unit in DOT_UNITS if most / unit <= MOST_DOTS), DOT_UNITS[-1])


def sources_picture(rows: pl.DataFrame) -> Html:
    """Given → used as markup: a row of dots per setting, those used filled, from most to fewest given.

    Args:
        rows: A row per system and setting, see :func:`~fairviz.points.outputs.output_summaries`, with ``tested`` and
            ``p_holm``; the system is named where there are several.
    """
    several, unit = rows["name"].n_unique() > 1, dot_unit(rows)
    return el("ul", *(_dotted_row(row, several, unit) for row in _from_most(rows)), cls="fv-sources")


def most_given_picture(rows: pl.DataFrame) -> Html | None:
    """The dots of the setting with most sources given, without words; None where no setting has an effective number."""
    most = next(iter(_from_most(rows)), None)
    if most is None or most["sources_given"] is None or most["sources_used"] is None:
        return None
    return _source_dots(most, dot_unit(rows))


def _from_most(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Settings from most to fewest sources given, those without an effective number last."""
    return rows.sort("sources_given", descending=True, nulls_last=True, maintain_order=True).to_dicts()


def _source_dots(row: Mapping[str, Any], unit: int) -> Html:
    """A dot per ``unit`` effective sources given; those used are filled, in grey if they may be as many."""
    n_given = max(round(row["sources_given"] / unit), 1)
    n_used = min(max(round(row["sources_used"] / unit), 1), n_given)
    filled = "fv-alike" if _may_be_alike(row) else "fv-used"
    dots = [el("i", cls=filled if index < n_used else "") for index in range(n_given)]
    return el("span", *dots, cls="fv-dots", aria_hidden="true")


def _may_be_alike(row: Mapping[str, Any]) -> bool:
    """Whether a setting was tested and sources used do not differ significantly from those given."""
    return row["p_holm"] is not None and row["p_holm"] >= SIGNIFICANCE


def _dotted_row(row: Mapping[str, Any], several: bool, unit: int) -> Html:
    sources, used = row["sources_given"], row["sources_used"]
    label = el("span", f"{row['name']}, {row['lists']}" if several else row["lists"], cls="fv-of")
    if sources is None or used is None:
        why = "nothing is cited" if not row["EAR"] else "too few answers per query for an effective number"
        return el("li", label, el("span"), el("span", why, cls="fv-mute"))
    decimals = 0 if number(sources, 0) != number(used, 0) else 1
    words = [f"{number(sources, decimals)} given \N{RIGHTWARDS ARROW} ", el("strong", f"{number(used, decimals)} used")]
    note = el("span", " no significant difference", cls="fv-mute") if _may_be_alike(row) else None
    return el("li", label, _source_dots(row, unit), el("span", *words, note))


class Axis(NamedTuple):
    """An axis: its ends, and whether it is logarithmic."""

    low: float
    high: float
    log: bool

    @classmethod
    def of(cls, values: FloatArray, *, log: bool) -> "Axis":
        """The axis that holds some values; a logarithmic one holds the positive ones and ends at 1."""
        if log:
            positive = values[values > 0]
            low = float(np.quantile(positive, 0.005)) if positive.size else 0.01
            return cls(low / 1.3, max(float(positive.max(initial=0)), 1.0) * 1.25, log)
        low = min(float(values.min(initial=0.0)), 0.0)
        high = float(values.max(initial=low))
        span = max(high - low, 0.05)
        return cls(low - 0.04 * span, high + 0.06 * span, log)

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends as they are placed."""
        low, high = self.placed(np.array(self[:2])).tolist()
        return low, high

    def placed(self, values: FloatArray) -> FloatArray:
        """Values as labels are placed by: logarithms of a logarithmic axis, NaN for what it cannot hold."""
        return np.log10(np.where(values > 0, values, np.nan)) if self.log else values

    def clipped(self, values: FloatArray) -> FloatArray:
        """Values as drawn: those below a logarithmic axis on its edge."""
        return np.maximum(values, self.low * EDGE) if self.log else values

    def below(self, values: FloatArray) -> BoolArray:
        """Which lie below a logarithmic axis."""
        return values < (self.low if self.log else -np.inf)

    def layout(self, title: str, colours: Palette, *, sources: bool) -> Layout:
        """Title and ticks; where the axis is a share, these are 1 / an effective number of sources."""
        low, high = self.ends
        scale: Layout = {"type": "log"} if self.log else {"nticks": 5}
        drawn = axis(colours, title=title, bounds=(low, high), **scale)
        if sources:
            named = [n for n in SOURCES[: None if self.log else FAR] if self.low <= 1 / n <= self.high]
            names = [f"1/{n}" if n > 1 else "1" for n in named]
            return drawn | {"tickvals": [1 / n for n in named], "ticktext": names}
        if not self.log:
            return drawn
        steps = (1, 3) if high - low > 1.2 else (1, 2, 5)
        ticks = [m * 10.0**e for e in range(-8, 2) for m in steps if self.low <= m * 10.0**e <= self.high]
        return drawn | {"tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}


Axes: TypeAlias = tuple[Axis, Axis]
"""Across and up."""


def consumption_panel(points: pl.DataFrame, settings: AttributionSettings) -> pl.DataFrame:
    """The points of one system on two axes.

    Args:
        points: Of the system under every setting.
        settings: What stands on the axes.

    Returns:
        ``name``, ``lists``, ``query_id``, ``x``, ``y``, and ``chance``, the slope of the line of equal chance of the
        setting, mean EAR²; null = there is no such line.
    """
    across, up = axis_columns(settings.axes, settings.scale)
    has_chance = settings.axes == "EED-EAED" and settings.scale == "k"
    chance = pl.when(pl.lit(has_chance)).then(pl.mean("EAR").over("lists") ** 2)
    return points.select("name", "lists", "query_id", x=across, y=up, chance=chance)


def axes_of(points: pl.DataFrame, pair: Pair) -> Axes:
    """Axes that hold every point of a panel; logarithmic of two disparities."""
    across, up = (Axis.of(points[name].drop_nulls().to_numpy(), log=pair == "EED-EAED") for name in "xy")
    return across, up


def drawn_points(panel: pl.DataFrame, setting: str = "") -> pl.DataFrame:
    """The points with both values, under one setting where it is named."""
    return panel.drop_nulls(["x", "y"]).filter(pl.lit(not setting) | (pl.col("lists") == setting))


def n_off_scale(panel: pl.DataFrame, pair: Pair) -> int:
    """Points that a logarithmic chart cannot hold: drawn as marks on its edge, and counted."""
    axes, points = axes_of(panel, pair), drawn_points(panel)
    return int((axes[0].below(points["x"].to_numpy()) | axes[1].below(points["y"].to_numpy())).sum())


# Points, the path of means, straight lines.


class Straight(NamedTuple):
    """A line y = slope · x over the whole width, which is straight on both kinds of axes."""

    slope: float
    name: str
    line: str
    text: str
    dash: str

    def trace(self, axes: Axes) -> Layout:
        """The line."""
        ends = np.array(axes[0][:2])
        look = {"color": self.line, "width": 1.4, "dash": self.dash}
        return scatter(self.name, "lines", ends, self.slope * ends, line=look)

    def points(self, axes: Axes) -> FloatArray:
        """Points of it that lie inside the axes, as labels are placed by."""
        x = (np.geomspace if axes[0].log else np.linspace)(*axes[0][:2], 60)
        points = np.column_stack([axes[0].placed(x), axes[1].placed(self.slope * x)])
        low, high = axes[1].ends
        return points[(points[:, 1] > low) & (points[:, 1] < high)]


def _straight(panel: pl.DataFrame, setting: str, pair: Pair, colours: Palette) -> list[Straight]:
    """Y = x where both axes are disparities; the line of equal chance, y = EAR²·x, where the panel has one."""
    lines = [Straight(1.0, "y = x", colours.ink, colours.ink, "solid")] if pair == "EED-EAED" else []
    slopes = panel.filter((pl.col("lists") == setting) & (pl.col("chance") > 0))["chance"].unique()
    hue = colours.optimal
    return lines + [Straight(slope, "equal chance", hue.line, hue.text, "6px,3px") for slope in slopes]


def _dots(points: pl.DataFrame, axes: Axes, name: str, colour: str, size: int) -> Layout:
    if size < 6 and points.height > MOST_GREY:
        points = points.gather_every(-(-points.height // MOST_GREY))
    x, y = points["x"].to_numpy(), points["y"].to_numpy()
    symbols = np.full(x.size, "circle", dtype=object)  # what lies below the scale points there
    symbols[axes[1].below(y)] = "triangle-down"
    symbols[axes[0].below(x)] = "triangle-left"
    return scatter(
        name,
        "markers",
        axes[0].clipped(x),
        axes[1].clipped(y),
        customdata=[list(row) for row in points.select("query_id", "lists", "x", "y").rows()],
        text=[plain(query, longest=40) for query in points["query_id"]],
        marker={"color": colour, "size": size, "symbol": symbols.tolist(), "line": {"width": 0}},
        cliponaxis=False,
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate="query %{text}<br>%{customdata[1]}<br>x %{customdata[2]:.3g}, y %{customdata[3]:.3g}"
        "<extra></extra>",
    )


def _means(panel: pl.DataFrame, setting: str = "") -> pl.DataFrame:
    """Means of the points that have both values, setting by setting."""
    return drawn_points(panel, setting).group_by("lists", maintain_order=True).agg(pl.mean("x", "y"))


def _path(panel: pl.DataFrame, setting: str, colours: Palette) -> Layout:
    means = _means(panel)
    names = means["lists"].to_list()
    look = {
        "symbol": "diamond",
        "size": [11 if name == setting else 8 for name in names],
        "color": [colours.ink if name == setting else colours.page for name in names],
        "opacity": 1,
        "line": {"color": colours.ink, "width": 1.4},
    }
    return scatter(
        "mean over queries",
        "lines+markers",
        means["x"].to_numpy(),
        means["y"].to_numpy(),
        text=names,
        line={"color": colours.ink, "width": 1.5},
        marker=look,
        hovertemplate="mean, %{text}<br>%{x:.3f}, %{y:.3f}<extra></extra>",
        unselected={"marker": {"opacity": 1}},
    )


def _ring(points: pl.DataFrame, axes: Axes, colours: Palette) -> Layout:
    edge = {"color": colours.optimal.line, "width": 2.6}
    return scatter(
        "selected",
        "markers",
        axes[0].clipped(points["x"].to_numpy()),
        axes[1].clipped(points["y"].to_numpy()),
        marker={"symbol": "circle-open", "size": 15, "line": edge, "color": edge["color"]},
        cliponaxis=False,
        unselected={"marker": {"opacity": 1}},
        meta=CALL_OUT,
    )


def _labels(panel: pl.DataFrame, axes: Axes, setting: str, lines: Sequence[Straight], colours: Palette) -> list[Layout]:
    """Names of the mean under the setting, of y = x and of the line of equal chance, clear of path, points, lines."""
    points, path = _placed(axes, drawn_points(panel, setting)), _placed(axes, _means(panel))
    drawn, along = [line.points(axes) for line in lines], np.empty((0, 2))
    if len(path):
        places = np.arange(len(path), dtype=np.float64)
        way = np.linspace(0, len(path) - 1, 12 * len(path))
        along = np.column_stack([np.interp(way, places, path[:, 0]), np.interp(way, places, path[:, 1])])
    labels: list[Label] = []
    means = _means(panel, setting)
    for (x, y), mean in zip(_placed(axes, means).tolist(), means["y"], strict=False):
        text = f"{plain(setting, longest=16)}, mean {mean:.3f}"
        spots = around(x, y, len(text), gap=14)
        labels.append(Label(html=f"<b>{text}</b>", width=len(text), colour=colours.ink, spots=spots))
    for line, own in zip(lines, drawn, strict=True):
        if len(own) > 1:
            spots = spots_beside(own[:, 0], own[:, 1], width=len(line.name))
            labels.append(Label(html=line.name, width=len(line.name), colour=line.text, spots=spots))
    frame = Frame(axes[0].ends, axes[1].ends, WIDTHS, HEIGHT - MARGIN["t"] - MARGIN["b"])
    spots = place_labels(labels, np.vstack([along, points, *drawn]), frame)
    return [written(label, spot, colours) for label, spot in zip(labels, spots, strict=True)]


def _placed(axes: Axes, points: pl.DataFrame) -> FloatArray:
    """(P, 2) places of the points that the axes can hold."""
    places = np.column_stack([axis.placed(points[name].to_numpy()) for axis, name in zip(axes, "xy", strict=True)])
    return places[~np.isnan(places).any(axis=1)]


SCALE_NAMES: dict[Scale, tuple[str, str]] = {
    "minmax": ("EE-D, min–max", "EAE-D / k"),
    "share": ("EE-D share", "EAE-D share"),
    "k": ("EE-D / k", "EAE-D / k"),
}
"""What the two disparities are called on each scale."""


def axis_names(settings: AttributionSettings) -> tuple[str, str]:
    """Titles of both axes of a panel, with scale and direction.

    Examples:
        >>> axis_names(AttributionSettings(axes="EED-EAED", scale="k"))
        ('EE-D / k  (↓ more equal)', 'EAE-D / k  (↓ more equal)')
        >>> axis_names(AttributionSettings(axes="EER-EAR"))[0]
        'EER@5  (↑ more relevant)'
    """
    retrieval, used = (f"{name}  (↓ more equal)" for name in SCALE_NAMES[settings.scale])
    rate = "EAR  (↑ more of the list used)"
    across = f"{settings.relevance}  (↑ more relevant)" if settings.axes == "EER-EAR" else retrieval
    return across, used if settings.axes == "EED-EAED" else rate


def panel_axes(settings: AttributionSettings) -> tuple[str, str]:
    """What the same axes are called in small panels of many systems.

    Examples:
        >>> panel_axes(AttributionSettings(axes="EED-EAR"))
        ('EE-D share', 'EAR')
    """
    across, up = (name.partition("  ")[0] for name in axis_names(settings))
    return across, up


def attribution_figure(
    panel: pl.DataFrame,
    settings: AttributionSettings,
    *,
    colours: Palette,
    setting: str = "",
    selected: str | None = None,
) -> "go.Figure":
    """One panel: points, path of means, and the straight lines, the most important last, on top.

    Args:
        panel: The points of a system, see :func:`consumption_panel`.
        settings: What stands on the axes.
        colours: Light or dark.
        setting: Whose points are coloured; empty: the first one's.
        selected: Query to ring.
    """
    import plotly.graph_objects as go  # for a figure only: tables and findings do without

    pair, sources, setting = settings.axes, settings.scale == "share", setting or panel["lists"][0]
    axes, (across, up) = axes_of(panel, pair), axis_names(settings)
    lines, chosen = _straight(panel, setting, pair, colours), drawn_points(panel, setting)
    others = drawn_points(panel).filter(pl.col("lists") != setting)
    layout = base_layout(colours, height=HEIGHT, margin=MARGIN)
    layout["xaxis"] = axes[0].layout(across, colours, sources=sources and pair != "EER-EAR")
    layout["yaxis"] = axes[1].layout("", colours, sources=sources and pair == "EED-EAED")
    layout["annotations"] = [y_title(colours, up), *_labels(panel, axes, setting, lines, colours)]
    traces = [
        _dots(others, axes, "other settings", rgba(colours.faint, 0.30), 4),
        _dots(chosen, axes, setting, rgba(colours.plackett_luce.line, 0.55), 7),
        *(line.trace(axes) for line in lines),
        _path(panel, setting, colours),
        *([] if selected is None else [_ring(chosen.filter(pl.col("query_id") == selected), axes, colours)]),
    ]
    return go.Figure({"data": traces, "layout": layout})


def attribution_alt(panel: pl.DataFrame, settings: AttributionSettings, *, setting: str = "") -> str:
    """What one panel shows, in words; of the first setting where none is named."""
    setting = setting or panel["lists"][0]
    across, up = panel_axes(settings)
    mean = "".join(f"; mean {x:.3f}, {y:.3f}" for x, y in _means(panel, setting).select("x", "y").rows())
    queries = plural(drawn_points(panel, setting).height, "query", "queries")
    return f"{panel['name'][0]}: {up} against {across} for {queries}, {setting}{mean}."


RANK_HEIGHT = 215


def cited_by_rank_figure(shares: FloatArray, *, colours: Palette) -> "go.Figure":
    """Bars of the share of answers that cite rank r; the first and the last are named.

    Args:
        shares: (k) share of answers that cite the item at rank 1 … k, NaN = nobody was given one.
        colours: Light or dark.
    """
    ranks = np.arange(1, shares.size + 1)
    indices = np.flatnonzero(np.isfinite(shares))
    ends = {int(indices[0]), int(indices[-1])} if indices.size else set[int]()
    own = colours.plackett_luce
    # The first and the last carry their number; the pale bars between them give the shape.
    fills = [own.line if i in ends else colours.grades[1] for i in range(shares.size)]
    layout = base_layout(colours, height=RANK_HEIGHT, margin={"t": 42, "r": 8, "l": 46})
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
        bounds=(0.0, min(1.16 * max(float(np.nanmax(shares, initial=0)), 0.05), 1.16)),
        nticks=4,
        tickformat=".0%",
        showline=False,
    )
    layout["annotations"] = [y_title(colours, "share of answers that cite it")]
    layout["annotations"] += [_percent(i, float(shares[i]), colours) for i in sorted(ends)]
    hover = "rank %{x}: cited in %{y:.1%} of answers<extra></extra>"
    import plotly.graph_objects as go  # only where a chart is drawn: tables and reports of the core have none

    return go.Figure({"data": [bars("cited", ranks, shares, fills, own.line, hovertemplate=hover)], "layout": layout})


def cited_by_rank_alt(name: str, shares: FloatArray) -> str:
    """What the chart shows, in words."""
    indices = np.flatnonzero(np.isfinite(shares))
    if not indices.size:
        return f"{name}: no answer was given a list."
    first, last = int(indices[0]), int(indices[-1])
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
