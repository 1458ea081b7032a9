"""Figures of agreement: the triangle of Kendall's τ, and every measure of every system in strips."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import plotly.graph_objects as go
import polars as pl

from fairviz.display.marks import CHARACTER, TriangleCell, triangle_figure
from fairviz.display.theme import (
    SMALL_SIZE,
    Layout,
    Palette,
    axis,
    base_layout,
    cell_fill,
    ink_on,
    look_colour,
    note,
    plain,
    scatter,
)
from fairviz.display.words import number, plural
from fairviz.evaluation.compare import short_names
from fairviz.model import Look
from fairviz.studies.agreement.correlations import Agreement

# Kendall's τ between measures: a triangle of cells (Raj et al. 2022, Figure 1).


def agreement_figure(agreement: Agreement, *, colours: Palette) -> go.Figure:
    """The lower triangle of τ, like measures beside each other: teal = same order, amber = opposite, page = unrelated.

    Args:
        agreement: τ of each pair; undefined ones are dashes, numbers that are not beyond chance grey.
        colours: Light or dark.
    """
    measures = agreement.clustered
    index_of = {measure: at for at, measure in enumerate(measures)}
    cells: list[TriangleCell] = []
    for a, b, tau, n, says in agreement.classes.select("measure_a", "measure_b", "tau", "n_systems", "says").rows():
        first, second = sorted((index_of[a], index_of[b]))
        pair = f"{plain(a)} and {plain(b)}"
        if np.isnan(tau):
            undefined = f"{pair}<br>undefined: {n} systems have both, or one is equal for all"
            cells.append(TriangleCell(first, second, undefined))
            continue
        hover = f"{pair}: {says}<br>τ = {number(tau, 3)}, {n} systems"
        related = says != "unrelated"
        ink = ink_on(cell_fill(tau, colours)) if related else colours.mute
        cells.append(TriangleCell(first, second, hover, tau_text(tau), ink, tau if related else None))
    shades = {"zmin": -1, "zmax": 1, "colorscale": [[0, colours.oppose], [0.5, colours.page], [1, colours.agree]]}
    return triangle_figure(short_names(measures), cells, title="τ", shades=shades, colours=colours)


def agreement_alt(agreement: Agreement) -> str:
    """What the chart shows, in words."""
    defined = agreement.defined
    if defined.is_empty():
        return "Kendall's τ between measures: no pair has a value."
    low, high = ("{tau:.2f} ({measure_a} and {measure_b})".format_map(defined.row(at, named=True)) for at in (0, -1))
    return (
        f"Kendall's τ-{agreement.variant} of {plural(defined.height, 'pair')} of measures, from {low} to {high}; "
        f"{agreement.pairs.height - defined.height} undefined."
    )


def tau_text(tau: float) -> str:
    """Two decimals without the leading 0, as correlations are printed.

    Examples:
        >>> tau_text(0.753), tau_text(-0.5), tau_text(1.0), tau_text(0.001)
        ('.75', '−.50', '1.00', '.00')
    """
    text = f"{abs(tau):.2f}"
    minus = "\N{MINUS SIGN}" if tau < 0 and float(text) else ""
    return minus + (text[1:] if text.startswith("0") else text)


# Every measure of every system, one strip per measure (Raj et al. 2022, Figure 1).


STRIP = 60
"""Height of a strip in px."""
LONGEST_HEAD = 30
DECIMALS = 3
WORDS = {
    "higher": "higher is closer to its ideal →",
    "lower": "← lower is closer to its ideal",
    "closest to 0": "→ 0 ←",
}
"""The arrow of a strip: which way systems come closer to the measure's own ideal."""
AIR = 0.04
"""Share of a strip that stays empty at either end; infinite values stand there."""


Strip: TypeAlias = tuple[float, float]
"""The ends of a measure's scale."""


def strips(values: Sequence[pl.DataFrame]) -> dict[str, Strip]:
    """Ends of each measure's scale over all data sets, so that their strips can be compared.

    What is best at 0 holds 0.
    """
    every = pl.concat(values).select("measure", "better", "value")
    zeros = every.filter(pl.col("better") == "closest to 0").with_columns(value=0.0)
    finite = pl.concat([every, zeros]).filter(pl.col("value").is_finite())
    ends = finite.group_by("measure").agg(low=pl.col("value").min(), high=pl.col("value").max())
    return {measure: (low, high) for measure, low, high in ends.iter_rows()}


def metric_results_figure(
    values: pl.DataFrame,
    *,
    colours: Palette,
    highlighted: str = "",
    ends: dict[str, Strip],
    looks: Mapping[str, Look] = MappingProxyType({}),
) -> go.Figure:
    """A dot per system on each measure's own scale, and the arrow of its direction.

    Args:
        values: See :func:`~fairviz.studies.agreement.analysis.values_of`; infinite ones stand at the end of their
            strip, undefined ones are counted in it.
        colours: Light or dark.
        highlighted: A system in ink; the others are grey.
        ends: Of each strip over all data sets that stand side by side, see :func:`strips`.
        looks: Colours of systems, in place of ink and grey.
    """
    measures = values.select("measure", "better").unique().sort("measure").rows()
    names = short_names([measure for measure, _ in measures])
    n, n_systems = len(measures), values["system"].n_unique()
    layout = base_layout(colours, height=n * STRIP + 20, margin={"l": 10, "r": 10, "t": 8, "b": 8})
    layout["xaxis"] = axis(colours, bounds=(0.0, 1.0), visible=False)
    layout["yaxis"] = axis(colours, bounds=(n - 0.45, -0.75), visible=False)
    rail: Layout = {"type": "line", "x0": 0, "x1": 1, "layer": "below", "line": {"color": colours.rule, "width": 5}}
    layout["shapes"] = [rail | {"y0": row, "y1": row} for row in range(n)]
    defined = values.filter(pl.col("value").is_not_nan()).sort("measure", maintain_order=True)
    layout["annotations"] = [
        text
        for row, ((measure, better), name) in enumerate(zip(measures, names, strict=True))
        for text in _texts(
            row, name, better, n_systems - defined.filter(measure=measure).height, ends.get(measure), colours
        )
    ]
    rows = {measure: row for row, (measure, _) in enumerate(measures)}
    shown = defined.filter(pl.col("measure").cast(pl.String).is_in(list(ends)))
    is_marked = pl.col("system") == highlighted
    dots = {"systems": shown.filter(~is_marked), "highlighted": shown.filter(is_marked)}
    data = [_dots(some, rows, name, ends, looks, colours) for name, some in dots.items() if some.height]
    return go.Figure({"data": data, "layout": layout})


def metric_results_alt(values: pl.DataFrame) -> str:
    """What the chart shows, in words: the system closest to each measure's ideal."""
    best = (
        values.filter(pl.col("turned").is_not_nan())
        .sort("turned", descending=True, maintain_order=True)
        .unique("measure", keep="first", maintain_order=True)
        .sort("measure")
        .select("measure", "system", "value")
    )
    parts = [f"{measure}: {system} ({value:.{DECIMALS}f})" for measure, system, value in best.iter_rows()]
    listed = "; ".join(parts) or "no measure has a value"
    return f"{plural(values['system'].n_unique(), 'system')}. Closest to its ideal by {listed}."


def _dots(
    defined: pl.DataFrame,
    rows: dict[str, int],
    name: str,
    ends: dict[str, Strip],
    looks: Mapping[str, Look],
    colours: Palette,
) -> Layout:
    places, dark = defined.select("measure", "system", "value").rows(), name == "highlighted"
    usual = colours.ink if dark else colours.faint
    colour = [look_colour(looks.get(system, Look()), colours, usual) for _, system, _ in places]
    symbols = ["diamond-open" if np.isinf(value) else "circle" for _, _, value in places]
    size, opacity = (11, 1) if dark else (8, 0.75)
    return scatter(
        name,
        "markers",
        [_across(value, ends[measure]) for measure, _, value in places],
        [rows[measure] for measure, _, _ in places],
        customdata=[[plain(system), plain(measure), f"{value:.{DECIMALS}f}"] for measure, system, value in places],
        marker={"size": size, "symbol": symbols, "opacity": opacity, "color": colour}
        | {"line": {"width": 1, "color": colour}},
        hovertemplate="%{customdata[0]}<br>%{customdata[1]} = %{customdata[2]}<extra></extra>",
        cliponaxis=False,
    )


def _across(value: float, strip: Strip) -> float:
    """Place of a value on its strip, 0 … 1."""
    if np.isinf(value):
        return 0.0 if value < 0 else 1.0
    low, high = strip
    return 0.5 if high == low else AIR + (1 - 2 * AIR) * (value - low) / (high - low)


def _texts(row: int, name: str, better: str, n_undefined: int, strip: Strip | None, colours: Palette) -> list[Layout]:
    """Above a strip its measure and arrow; below it the ends of the scale and 0."""
    small = {"size": SMALL_SIZE, "color": colours.mute}
    undefined = f" · undefined for {n_undefined}" if n_undefined else ""
    head = f"<b>{plain(name, longest=LONGEST_HEAD)}</b>"
    above: Layout = {"y": row, "yanchor": "bottom", "yshift": 6}
    below: Layout = {"y": row, "yanchor": "top", "yshift": -5, "font": small}
    notes = [
        note(colours, head, x=0, xanchor="left", **above),
        note(colours, WORDS[better] + undefined, x=1, xanchor="right", font=small, **above),
    ]
    if strip is None:
        return notes
    low, high = strip
    if low == high:
        return [*notes, note(colours, _number(low), x=0.5, xanchor="center", **below)]
    notes.append(note(colours, _number(low), x=AIR, xanchor="left", **below))
    notes.append(note(colours, _number(high), x=1 - AIR, xanchor="right", **below))
    zero = _across(0.0, strip)
    room = (len(_number(low)) + 2) * CHARACTER / 300  # of a narrow chart
    if low < 0 < high and AIR + room < zero < 1 - AIR - room:
        notes.append(note(colours, "0", x=zero, xanchor="center", **below))
    return notes


def _number(value: float) -> str:
    text = f"{abs(value):.{DECIMALS}f}"
    return f"\N{MINUS SIGN}{text}" if value < 0 and float(text) else text
