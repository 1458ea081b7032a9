"""Every measure of every system, one strip per measure (Raj et al. 2022, Figure 1)."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import plotly.graph_objects as go

from fairviz.display.labels import CHARACTER
from fairviz.display.theme import SMALL_SIZE, Layout, Palette, axis, base_layout, note, plain
from fairviz.evaluation.compare import MeasuredSystems, short_names
from fairviz.metrics.describe import Better
from fairviz.numerals import plural

STRIP = 60
"""Height of a strip in px."""
LONGEST = 30
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
    head = f"<b>{plain(name, longest=LONGEST)}</b>"
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
