"""Values of a table with their intervals, a dot and a line a row: the chart of results that have none of their own."""

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

import polars as pl

from fairviz.display.table import Table, polars_frame, shortened_apart
from fairviz.display.theme import Layout, Palette, axis, axis_title, base_layout, plain, scatter
from fairviz.display.words import interval, number
from fairviz.numerals import count
from fairviz.stats.tests import SIGNIFICANCE

if TYPE_CHECKING:
    import plotly.graph_objects as go

PANELS = ("measure", "limit", "attribute")
"""Columns whose values are on scales of their own: a panel each."""
CHANGES = ("difference", "change", "gap", "change_percent", "diffbias_a", "diffbias_d")
"""Columns of values that are compared with 0."""
CORRECTED = ("p_holm", "p_corrected")
"""Columns of p over all tests of a table: what may be said of a change rests on them."""
VALUES = (*CHANGES, "rate", "value")
"""Columns of values beside ``low`` and ``high``: of several the first is the one whose interval it is."""
MOST_ROWS = 200
"""Rows that anybody looks through."""
FEWER = f"of a table with intervals and at most {MOST_ROWS} rows there is one"
"""What is said where there is no chart."""
LINE, BELOW, LEFT, LETTER = 24, 58, 250, 7
"""Height of a row, that of a panel's axis, and room for names, px."""
LONGEST = 40
"""Characters of a name."""
AIR = 0.06


def value_of(table: Table) -> str:
    """The column whose intervals a table has; empty for none, where nothing differs from 0 and of too many rows.

    Examples:
        >>> from fairviz.display.table import keyed
        >>> value_of(Table(keyed("system", "value", "low", "high"), (("bm25", 0.5, 0.4, 0.6),)))
        'value'
        >>> value_of(Table(keyed("system", "value"), (("bm25", 0.5),)))
        ''
    """
    if not {"low", "high"} <= set(table.keys) or len(table.rows) > MOST_ROWS:
        return ""
    frame = polars_frame(table)
    numeric = (key for key in VALUES if key in table.keys and frame[key].dtype.is_numeric())
    return next(
        (key for key in numeric if (frame[key].is_finite() & (frame[key] != 0)).any() and frame["low"].count()), ""
    )


def tables_to_draw(tables: Mapping[str, Table]) -> dict[str, Table]:
    """The first table with intervals, by its stem; of one that has too many rows a part per measure, STEM-MEASURE."""
    for stem, table in tables.items():
        parts = {stem: table}
        if len(table.rows) > MOST_ROWS and "measure" in table.keys:
            at = table.keys.index("measure")
            names = dict.fromkeys(row[at] for row in table.rows)
            parts = {
                f"{stem}-{name}": replace(table, rows=tuple(row for row in table.rows if row[at] == name))
                for name in names
            }
        if drawn := {name: part for name, part in parts.items() if value_of(part)}:
            return drawn
    return {}


def heading_of(table: Table) -> str:
    """What the values are called."""
    return table.columns[table.keys.index(value_of(table))].heading


def rows_of(table: Table) -> pl.DataFrame:
    """Rows with a value: ``panel``, ``label`` (the words before the value that differ), numbers and the test."""
    value, frame = value_of(table), polars_frame(table)
    panel = next((key for key in PANELS if key in table.keys), None)
    before = [key for key in table.keys[: table.keys.index(value)] if key != panel]
    texts = [key for key in before if frame[key].dtype == pl.String or frame[key].dtype.is_integer()]
    p = [key for key in CORRECTED if key in table.keys and frame[key].dtype.is_numeric()]
    apart = [key for key in texts if frame[key].n_unique() > 1] or texts[:1]
    return frame.filter(pl.col(value).is_finite()).select(
        panel=pl.col(panel) if panel else pl.lit(heading_of(table)),
        label=pl.concat_str(apart, separator=" · ", ignore_nulls=True) if apart else pl.lit(""),
        value=pl.col(value).cast(pl.Float64),
        low=pl.col("low").cast(pl.Float64),
        high=pl.col("high").cast(pl.Float64),
        is_significant=pl.any_horizontal(pl.lit(False), pl.col(p) < SIGNIFICANCE).fill_null(value=False),
    )


def intervals_figure(table: Table, *, colours: Palette) -> "go.Figure":
    """A dot with its interval per row, a panel per measure; full, of differences, where the corrected test says so.

    Args:
        table: One that :func:`value_of` knows.
        colours: Light or dark.
    """
    import plotly.graph_objects as go  # only where something is drawn

    heading = heading_of(table)
    rows = rows_of(table)
    longest = max(map(len, shortened_apart(rows["label"].to_list(), LONGEST)))
    panels, is_change = rows.partition_by("panel", maintain_order=True), value_of(table) in CHANGES
    height = sum(LINE * panel.height + BELOW for panel in panels)
    layout = base_layout(
        colours, height=height, margin={"l": min(LEFT, LETTER * longest + 14), "r": 12, "t": 0, "b": 0}
    )
    layout["shapes"], data, top = list[Layout](), list[Layout](), 1.0
    for index, panel in enumerate(panels):
        suffix, bottom, name = str(index + 1) if index else "", top - LINE * panel.height / height, panel["panel"][0]
        title = name if name == heading or "limit" in table.keys else f"{name}: {heading}"
        title = axis_title(name) if "measure" in table.keys and not is_change else title
        layout[f"xaxis{suffix}"] = axis(colours, title=title, bounds=_span(panel, is_change), anchor=f"y{suffix}")
        layout[f"yaxis{suffix}"] = _names(panel, colours) | {"anchor": f"x{suffix}", "domain": [bottom, top]}
        axes: Layout = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
        data += [trace | axes for trace in _traces(panel, is_change, colours)]
        if is_change:
            across: Layout = {"x0": 0, "x1": 0, "y0": 0.4, "y1": panel.height + 0.6, "layer": "below"}
            line: Layout = {"type": "line", "line": {"color": colours.ink, "width": 1.2}}
            layout["shapes"].append(across | line | {"xref": f"x{suffix}", "yref": f"y{suffix}"})
        top = max(bottom - BELOW / height, 0.0)
    return go.Figure({"data": data, "layout": layout})


def _span(rows: pl.DataFrame, is_change: bool) -> tuple[float, float]:
    """All values and ends, and 0 of changes, with some air."""
    ends = [*rows.select("value", "low", "high").to_numpy().ravel().tolist(), *([0.0] if is_change else [])]
    finite = [end for end in ends if isfinite(end)]
    air = AIR * (max(finite) - min(finite)) or 1.0
    return min(finite) - air, max(finite) + air


def _names(rows: pl.DataFrame, colours: Palette) -> Layout:
    """The axis of the rows, from above."""
    names = [plain(label) for label in shortened_apart(rows["label"].to_list(), LONGEST)]
    ticks: Layout = {"tickvals": list(range(rows.height, 0, -1)), "ticktext": names}
    return axis(colours, bounds=(0.4, rows.height + 0.6), showgrid=False, showline=False, ticks="", **ticks)


def _traces(rows: pl.DataFrame, is_change: bool, colours: Palette) -> list[Layout]:
    """A line from end to end per row, and the dots."""
    places, line = range(rows.height, 0, -1), {"width": 3, "color": colours.faint}
    lines = [
        scatter("interval", "lines", list(ends), [at, at], line=line)
        for ends, at in zip(rows.select("low", "high").iter_rows(), places, strict=True)
    ]
    fills = [colours.page if is_change and not each else colours.ink for each in rows["is_significant"]]
    dots: Layout = {
        "marker": {"size": 9, "color": fills, "line": {"width": 2, "color": colours.ink}},
        "text": [plain(label) for label in rows["label"]],
        "hovertemplate": "%{text}: %{x:.4g}<extra></extra>",
    }
    return [*lines, scatter("value", "markers", rows["value"].to_list(), list(places), **dots)]


def intervals_alt(table: Table) -> str:
    """What the chart shows, in words."""
    rows = rows_of(table)
    parts = [
        f"{row['panel']}, {row['label']}: {number(row['value'])} ({interval(row['low'], row['high'])})"
        for row in rows.iter_rows(named=True)
    ]
    return f"{count(rows.height)} values with their intervals. {'; '.join(parts)}."
