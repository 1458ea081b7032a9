"""Groups and variants as figures: rates of right answers by group, and how much two variants retrieve in common.

Groups of one attribute stand beside the rate with nobody mentioned and that of guessing; the documents that two
variants of a question share are a triangle of coloured cells.
"""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from fairviz.display.marks import TriangleCell, triangle_figure
from fairviz.display.theme import (
    MARKERS,
    GroupHue,
    Layout,
    Palette,
    axis,
    bare_axis,
    base_layout,
    cell_fill,
    group_hues,
    ink_on,
    note,
    plain,
    scatter,
)
from fairviz.display.words import capital, percent, plural
from fairviz.studies.demographic_qa.answers import NEUTRAL, Record
from fairviz.studies.demographic_qa.names import shortened

ROW = 50
"""Height of one group's row in px."""
LONGEST = 30
"""Characters of a group's name: a phone has no room for more beside the rate."""
COLOURED = len(MARKERS)
"""Groups that a colour tells apart; more of them are all in ink, told apart by their names."""
NAMES = 0.5
"""Share of the width that names and rates take at the left."""
TICKS = 6
"""Of the axis of rates, at most."""
AIR = 0.02
"""Room beyond the outermost interval, as a share of 1."""


# The rate of each group: dot, interval, dashed reference.


NOBODY = "nobody mentioned"
"""What the condition of reference is called."""


def shared_span(rows: Sequence[Record]) -> tuple[float, float]:
    """One range of rates for the panels of some attributes, from tens to tens of percent, within 0 … 1.

    Examples:
        >>> group = {"value": "a", "rate": 0.84, "low": 0.815, "high": 0.866, "n": 801, "small": False}
        >>> shared_span([{"groups": [group], "conditions": [{"value": "neutral", "rate": 0.9}]}])
        (0.7, 1.0)
    """
    ends = (group[key] for row in rows for group in row["groups"] for key in ("rate", "low", "high"))
    defined = [x for x in (*map(_reference, rows), *ends) if not np.isnan(x)]
    if not defined:
        return 0.0, 1.0
    low = np.floor(10 * (min(defined) - AIR)) / 10
    high = np.ceil(10 * (max(defined) + AIR) - 1e-9) / 10
    return max(round(float(low), 1), 0.0), min(round(float(high), 1), 1.0)


def _reference(row: Record) -> float:
    """The rate with nobody mentioned, NaN where that was not asked."""
    return next((each["rate"] for each in row["conditions"] if each["value"] == NEUTRAL), np.nan)


def _unit(row: Record) -> str:
    return "mean ROUGE-L" if row["unit"] == "ROUGE-L" else row["unit"]


def groups_figure(row: Record, *, span: tuple[float, float] | None = None, colours: Palette) -> go.Figure:
    """One row per group: name and rate above, dot with its interval below.

    Args:
        row: One attribute: its groups, the conditions of reference, the rate of guessing, what a rate counts.
        span: Range of rates, the same for every panel of the page; None: that of these groups.
        colours: Light or dark.
    """
    span = span or shared_span([row])
    n = len(row["groups"])
    hues = _hues(row, colours)
    layout = base_layout(colours, height=max(n, 1) * ROW + 62, margin={"l": 10, "r": 16, "t": 10, "b": 50})
    ticks: Layout = {"tickformat": ".0%", "nticks": TICKS}
    layout["xaxis"] = axis(colours, title=f"{_unit(row)}  (→ higher is better)", bounds=span, **ticks)
    layout["yaxis"] = bare_axis(colours, bounds=(-n + 0.6, 0.75))
    anchor = {"x": 0, "xref": "paper", "xanchor": "left", "yanchor": "bottom"}
    layout["annotations"] = [
        note(colours, _label(group), **anchor, y=-i + 0.18, font={"size": 13, "color": hue.text})
        for i, (group, hue) in enumerate(zip(row["groups"], hues, strict=True))
    ]
    data = [*_references(row, span, colours), *_intervals(row, hues), _dots(row, hues, colours)]
    return go.Figure({"data": data, "layout": layout})


def groups_alt(row: Record) -> str:
    """What the chart shows, in words."""
    rates = ("undefined" if np.isnan(group["rate"]) else percent(group["rate"], 1) for group in row["groups"])
    groups = "; ".join(
        f"{_name(group)} {rate}{_between(group)} of {group['n']}"
        for group, rate in zip(row["groups"], rates, strict=True)
    )
    lines = ((NOBODY, _reference(row)), ("guessing", row["guess"]))
    beside = "".join(f" {name}: {percent(rate, 1)}." for name, rate in lines if not np.isnan(rate))
    return f"{capital(_unit(row))} by {shortened(row['attribute'])}: {groups or 'no group'}.{beside}"


def _name(group: Record) -> str:
    return shortened(group["value"], LONGEST)


def _hues(row: Record, colours: Palette) -> list[GroupHue]:
    """Colour by place; small groups and many groups without one."""
    names = [_name(group) for group in row["groups"]]
    many = len(names) > COLOURED
    ink = GroupHue(colours.ink, colours.ink, "circle")
    small = GroupHue(colours.faint, colours.mute, "circle-open")
    hues = [ink] * len(names) if many else group_hues(names, colours)
    return [small if group["small"] else hue for group, hue in zip(row["groups"], hues, strict=True)]


def _label(group: Record) -> str:
    rate = "undefined: no answers" if np.isnan(group["rate"]) else percent(group["rate"], 1)
    few = f" · few: n = {group['n']}" if group["small"] else ""
    return f"<b>{plain(_name(group), longest=LONGEST)}</b>  {rate}{few}"


def _references(row: Record, span: tuple[float, float], colours: Palette) -> list[Layout]:
    """Lines through all rows, nobody mentioned (dashed) and guessing (dotted), where they lie in the range.

    A line is cut where it would run through the names at the left.
    """
    lines = ((_reference(row), NOBODY, "5px,3px", colours.ink), (row["guess"], "guessing", "dot", colours.mute))
    n, traces = len(row["groups"]), list[Layout]()
    for rate, name, dash, colour in lines:
        if span[0] <= rate <= span[1]:
            x, y = [rate, rate], [0.45, -n + 0.62]
            if rate < span[0] + NAMES * (span[1] - span[0]):
                x, y = [rate, rate, None] * n, [end for i in range(n) for end in (0.12 - i, -0.4 - i, None)]
            look = {"line": {"color": colour, "width": 1.4, "dash": dash}}
            traces.append(
                scatter(name, "lines", x, y, **look, hovertemplate=f"{plain(name)}: %{{x:.1%}}<extra></extra>")
            )
    return traces


def _intervals(row: Record, hues: list[GroupHue]) -> list[Layout]:
    return [
        scatter(f"interval {i}", "lines", [group["low"], group["high"]], [-i, -i], line={"width": 4, "color": hue.line})
        for i, (group, hue) in enumerate(zip(row["groups"], hues, strict=True))
        if not np.isnan(group["low"])
    ]


def _dots(row: Record, hues: list[GroupHue], colours: Palette) -> Layout:
    edges = [hue.line if hue.marker.endswith("open") else colours.page for hue in hues]
    marker: Layout = {"size": 14, "color": [hue.line for hue in hues], "symbol": [hue.marker for hue in hues]}
    return scatter(
        "groups",
        "markers",
        [group["rate"] for group in row["groups"]],
        [-i for i in range(len(row["groups"]))],
        marker=marker | {"line": {"width": 1.5, "color": edges}},
        customdata=[[plain(_name(group)), _between(group), group["n"]] for group in row["groups"]],
        hovertemplate="%{customdata[0]}: %{x:.1%}%{customdata[1]}<br>%{customdata[2]} answers<extra></extra>",
        cliponaxis=False,
    )


def _between(group: Record) -> str:
    if np.isnan(group["low"]):
        return ""
    return f" ({100 * group['low']:.1f} to {100 * group['high']:.1f})"


# How much two variants of a question retrieve in common: a triangle of cells.


def overlap_floor(overlaps: Sequence[Record]) -> float:
    """The end of the colour scale that all triangles share: tens of percent below their least overlap.

    Examples:
        >>> overlap_floor([{"pairs": [{"first": None, "second": "a", "overlap": 66.1}]}])
        60.0
    """
    shares = [pair["overlap"] for overlap in overlaps for pair in overlap["pairs"]]
    least = min((share for share in shares if not np.isnan(share)), default=100.0 if overlaps else 0.0)
    return max(float(10 * np.floor(least / 10)), 0.0) if least < 100 else 90.0


NO_ATTRIBUTE = "no attribute"


def _overlaps(overlap: Record) -> tuple[list[str], dict[tuple[int, int], float]]:
    """Names, that of the list without attribute first where there is one, and percent of every two, by their places.

    NaN where two were never compared.
    """
    to_nobody = [pair for pair in overlap["pairs"] if pair["first"] is None]
    nobody = [None] if any(not np.isnan(pair["overlap"]) for pair in to_nobody) else []
    values = [*nobody, *(pair["second"] for pair in to_nobody)]
    shares = {
        (values.index(pair["first"]), values.index(pair["second"])): pair["overlap"]
        for pair in overlap["pairs"]
        if pair["first"] in values
    }
    in_rows = dict(sorted(shares.items(), key=lambda share: share[0][::-1]))
    return [NO_ATTRIBUTE if value is None else shortened(value) for value in values], in_rows


def overlap_figure(overlap: Record, *, floor: float, colours: Palette) -> go.Figure:
    """The lower triangle: the stronger the colour, the less two variants have in common.

    Args:
        overlap: Of one attribute: every two of its values, and each with the list without attribute.
        floor: The overlap that gets the strongest colour; 100 gets none.
        colours: Light or dark.
    """
    names, shares = _overlaps(overlap)
    cells: list[TriangleCell] = []
    for (first, second), share in shares.items():
        if np.isnan(share):
            cells.append(TriangleCell(first, second, "never compared"))
            continue
        fill = cell_fill(float(np.clip((100 - share) / (100 - floor), 0.06, 1.0)), colours)
        hover = f"{plain(names[first])} and {plain(names[second])}<br>{share:.1f} % in common"
        cells.append(TriangleCell(first, second, hover, f"{share:.0f}", ink_on(fill), share))
    shades = {"zmin": floor, "zmax": 100, "colorscale": [[0, colours.agree], [1, cell_fill(0.06, colours)]]}
    return triangle_figure(names, cells, title="overlap", shades=shades, colours=colours)


def overlap_alt(overlap: Record) -> str:
    """What the chart shows, in words."""
    names, shares = _overlaps(overlap)
    pairs = [(share, names[a], names[b]) for (a, b), share in shares.items() if not np.isnan(share)]
    if not pairs:
        return "Overlap of retrieved documents: no two variants were compared."
    low, high = min(pairs), max(pairs)
    return (
        f"Overlap of the first {overlap['k'] or 0} documents of {plural(len(pairs), 'pair')} of variants, from "
        f"{low[0]:.0f} % ({low[1]} and {low[2]}) to {high[0]:.0f} % ({high[1]} and {high[2]})."
    )
