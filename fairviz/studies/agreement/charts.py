"""Figures of agreement: the triangle of Kendall's τ, and every measure of every system in strips."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import plotly.graph_objects as go

from fairviz.display.labels import CHARACTER
from fairviz.display.theme import (
    SMALL_SIZE,
    Layout,
    Palette,
    axis,
    base_layout,
    cell_fill,
    ink_on,
    note,
    plain,
    scatter,
)
from fairviz.display.words import plural
from fairviz.evaluation.compare import MeasuredSystems, short_names
from fairviz.metrics.describe import Better
from fairviz.studies.agreement.pairs import Agreement, PairAgreement

CELL = 30
"""Height of a cell in px."""
LONGEST = 22
"""Characters of a measure string beside the triangle."""
TILT = -35


# Kendall's τ between measures: a triangle of cells (Raj et al. 2022, Figure 1).


def agreement_figure(agreement: Agreement, *, colours: Palette) -> go.Figure:
    """The lower triangle of τ: teal = same order of systems, amber = reversed, page = unrelated; of few queries grey.

    Args:
        agreement: τ of each pair; undefined cells are hatched.
        colours: Light or dark.
    """
    names = [plain(measure, longest=LONGEST) for measure in short_names(agreement.measures)]
    n = max(len(names) - 1, 0)  # the first measure has no row, the last no column
    longest = max(map(len, names), default=0) * CHARACTER
    below = round(0.6 * longest) + 24
    layout = base_layout(
        colours,
        height=max(n, 1) * CELL + below + 12,
        margin={"l": round(longest) + 14, "t": 8, "b": below, "r": 12},
    )
    bare: Layout = {"showgrid": False, "showline": False, "ticks": "", "tickvals": list(range(n))}
    layout["xaxis"] = axis(colours, bounds=(-0.5, n - 0.5), ticktext=names[:-1], tickangle=TILT, **bare)
    layout["yaxis"] = axis(colours, bounds=(n - 0.5, -0.5), ticktext=names[1:], **bare)
    if not agreement.pairs:
        return go.Figure({"data": [], "layout": layout})
    place = {measure: i for i, measure in enumerate(agreement.measures)}
    known = [pair for pair in agreement.pairs if not np.isnan(pair.tau)]
    unknown = [pair for pair in agreement.pairs if np.isnan(pair.tau)]
    data = [_cells(agreement, colours), _numbers(known, place, colours)]
    if unknown:
        data.append(_undefined(unknown, place, colours))
    return go.Figure({"data": data, "layout": layout})


def agreement_alt(agreement: Agreement) -> str:
    """What the chart shows, in words."""
    known = agreement.defined
    if not known:
        return "Kendall's τ between measures: no pair has a value."
    low, high = known[0], known[-1]
    return (
        f"Kendall's τ-{agreement.variant} of {plural(len(known), 'pair')} of measures, from {low.tau:.2f} "
        f"({low.measure_a} and {low.measure_b}) to {high.tau:.2f} ({high.measure_a} and "
        f"{high.measure_b}); {len(agreement.pairs) - len(known)} undefined."
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


def _cells(agreement: Agreement, colours: Palette) -> Layout:
    place = {measure: i for i, measure in enumerate(agreement.measures)}
    triangle = np.full((len(place), len(place)), np.nan)
    for pair in agreement.told:
        triangle[place[pair.measure_b], place[pair.measure_a]] = pair.tau
    return {
        "type": "heatmap",
        "name": "τ",
        "z": triangle[1:, :-1],
        "zmin": -1,
        "zmax": 1,
        "colorscale": [[0, colours.oppose], [0.5, colours.page], [1, colours.agree]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "hoverinfo": "skip",
    }


def _numbers(known: list[PairAgreement], place: dict[str, int], colours: Palette) -> Layout:
    inks = [colours.mute if pair.few else ink_on(cell_fill(pair.tau, colours)) for pair in known]
    return scatter(
        "numbers",
        "text",
        *_at(known, place),
        text=[tau_text(pair.tau) for pair in known],
        textfont={"size": SMALL_SIZE, "color": inks},
        customdata=[[plain(pair.measure_a), plain(pair.measure_b), pair.tau, pair.n_systems] for pair in known],
        hovertemplate="%{customdata[0]} and %{customdata[1]}<br>τ = %{customdata[2]:.3f}, %{customdata[3]} systems"
        "<extra></extra>",
    )


def _undefined(unknown: list[PairAgreement], place: dict[str, int], colours: Palette) -> Layout:
    x, y = _at(unknown, place)
    return {
        "type": "bar",
        "name": "undefined",
        "x": x,
        "base": [at - 0.46 for at in y],
        "y": [0.92] * len(y),
        "width": 0.92,
        "marker": {
            "color": colours.page,
            "line": {"width": 0},
            "pattern": {"shape": "/", "fgcolor": colours.unknown, "size": 6, "solidity": 0.3},
        },
        "customdata": [[plain(pair.measure_a), plain(pair.measure_b), pair.n_systems] for pair in unknown],
        "hovertemplate": (
            "%{customdata[0]} and %{customdata[1]}<br>undefined: %{customdata[2]} systems have "
            "both, or one is equal for all<extra></extra>"
        ),
    }


def _at(pairs: list[PairAgreement], place: dict[str, int]) -> tuple[list[int], list[int]]:
    """Columns and rows of the triangle."""
    return [place[pair.measure_a] for pair in pairs], [place[pair.measure_b] - 1 for pair in pairs]


# Every measure of every system, one strip per measure (Raj et al. 2022, Figure 1).


STRIP = 60
"""Height of a strip in px."""
LONGEST_HEAD = 30
DECIMALS = 3
WORDS: dict[Better, str] = {
    "higher": "higher is closer to its ideal →",
    "lower": "← lower is closer to its ideal",
    "closest to 0": "→ 0 ←",
}
"""The arrow of a strip: which way systems come closer to the measure's own ideal."""
AIR = 0.04
"""Share of a strip that stays empty at either end; infinite values stand there."""


Strip: TypeAlias = tuple[float, float]
"""The ends of a measure's scale."""


def strips(tables: Sequence[MeasuredSystems]) -> dict[str, Strip]:
    """Ends of each measure's scale over all data sets, so that their strips can be compared.

    What is best at 0 holds 0.
    """
    ends: dict[str, Strip] = {}
    for table in tables:
        for measure, better, column in zip(table.measures, table.better, table.values.T, strict=True):
            finite = column[np.isfinite(column)].tolist()
            held = [*finite, *(ends.get(measure) or ())]
            held += [0.0] if better == "closest to 0" else []
            if held:
                ends[measure] = min(held), max(held)
    return ends


def metric_results_figure(
    measured: MeasuredSystems,
    *,
    colours: Palette,
    highlighted: str | None = None,
    scales: dict[str, Strip] | None = None,
) -> go.Figure:
    """A dot per system on each measure's own scale, and the arrow of its direction.

    Args:
        measured: Values of systems; infinite ones stand at the end of their strip, undefined ones
            are counted in it.
        colours: Light or dark.
        highlighted: A system in ink; the others are grey.
        scales: Ends of each strip where several data sets stand side by side; None: this one's.
    """
    ends = scales or strips([measured])
    n = len(measured.measures)
    layout = base_layout(colours, height=n * STRIP + 20, margin={"l": 10, "r": 10, "t": 8, "b": 8})
    layout["xaxis"] = axis(colours, bounds=(0.0, 1.0), visible=False)
    layout["yaxis"] = axis(colours, bounds=(n - 0.45, -0.75), visible=False)
    layout["shapes"] = [_rail(row, colours) for row in range(n)]
    layout["annotations"] = [text for row in range(n) for text in _texts(measured, row, ends, colours)]
    others = [i for i, name in enumerate(measured.systems) if name != highlighted]
    marked = [i for i, name in enumerate(measured.systems) if name == highlighted]
    data = [
        _dots(measured, rows, name, ends, colours, dark=dark)
        for rows, name, dark in ((others, "systems", False), (marked, "highlighted", True))
        if rows and n
    ]
    return go.Figure({"data": data, "layout": layout})


def metric_results_alt(measured: MeasuredSystems) -> str:
    """What the chart shows, in words: the system closest to each measure's ideal."""
    parts: list[str] = []
    for measure, column, values in zip(measured.measures, measured.turned.T, measured.values.T, strict=True):
        if not np.isnan(column).all():
            best = int(np.nanargmax(column))
            parts.append(f"{measure}: {measured.systems[best]} ({values[best]:.{DECIMALS}f})")
    listed = "; ".join(parts) or "no measure has a value"
    return f"{plural(len(measured.systems), 'system')}. Closest to its ideal by {listed}."


def _dots(
    measured: MeasuredSystems,
    rows: list[int],
    name: str,
    ends: dict[str, Strip],
    colours: Palette,
    *,
    dark: bool,
) -> Layout:
    places = [
        (_across(value, ends[measure]), at, measured.systems[row], measure, value)
        for at, measure in enumerate(measured.measures)
        for row in rows
        if not np.isnan(value := float(measured.values[row, at])) and measure in ends
    ]
    infinite = ["diamond-open" if np.isinf(place[4]) else "circle" for place in places]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [place[0] for place in places],
        "y": [place[1] for place in places],
        "customdata": [[plain(p[2]), plain(p[3]), f"{p[4]:.{DECIMALS}f}"] for p in places],
        "marker": {
            "size": 11 if dark else 8,
            "symbol": infinite,
            "opacity": 1 if dark else 0.75,
            "color": colours.ink if dark else colours.faint,
            "line": {"width": 1, "color": colours.ink if dark else colours.faint},
        },
        "hovertemplate": ("%{customdata[0]}<br>%{customdata[1]} = %{customdata[2]}<extra></extra>"),
        "cliponaxis": False,
    }


def _across(value: float, strip: Strip) -> float:
    """Place of a value on its strip, 0 … 1."""
    if np.isinf(value):
        return 0.0 if value < 0 else 1.0
    low, high = strip
    return 0.5 if high == low else AIR + (1 - 2 * AIR) * (value - low) / (high - low)


def _rail(row: int, colours: Palette) -> Layout:
    return {
        "type": "line",
        "x0": 0,
        "x1": 1,
        "y0": row,
        "y1": row,
        "layer": "below",
        "line": {"color": colours.rule, "width": 5},
    }


def _texts(measured: MeasuredSystems, row: int, ends: dict[str, Strip], colours: Palette) -> list[Layout]:
    """Above a strip its measure and arrow; below it the ends of the scale and 0."""
    measure, better = measured.measures[row], measured.better[row]
    column = measured.values[:, row]
    missing = int(np.isnan(column).sum())
    small = {"size": SMALL_SIZE, "color": colours.mute}
    lost = f" · undefined for {missing}" if missing else ""
    name = short_names(measured.measures)[row]
    head = f"<b>{plain(name, longest=LONGEST_HEAD)}</b>"
    above: Layout = {"y": row, "yanchor": "bottom", "yshift": 6}
    below: Layout = {"y": row, "yanchor": "top", "yshift": -5, "font": small}
    notes = [
        note(colours, head, x=0, xanchor="left", **above),
        note(colours, WORDS[better] + lost, x=1, xanchor="right", font=small, **above),
    ]
    strip = ends.get(measure)
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
