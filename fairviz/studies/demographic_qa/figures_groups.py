"""Groups of one attribute: the rate of right answers of each, and the paired gap of every condition."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.show.labels import CHARACTER
from fairviz.show.theme import MARKERS, GroupHue, Layout, Palette, axis, bare_axis, base_layout, group_hues, note, plain
from fairviz.show.words import THIN, percent
from fairviz.studies.demographic_qa.figures_conditions import two_lines, value_text

ROW = 58
"""Height of one group's row in px."""
LONGEST = 30
"""Characters of a group's name: a phone has no room for more beside the rate."""
COLOURED = len(MARKERS)
"""Groups that a colour tells apart; more of them are all in ink, told apart by their names."""
NAMES = 0.5
"""Share of the width that names and rates take at the left."""
AIR = 0.02
"""Room beyond the outermost interval, as a share of 1."""

GAP_ROW = 40
"""Height of a row with one mark in px."""
STEP = 0.24
"""Distance of two marks of one row, as a share of the row."""


# The rate of each group: dot, interval, dashed reference.


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDot:
    """One group: its rate with interval, on how many answers it rests."""

    name: str
    rate: float
    low: float
    high: float
    n: int
    small: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPanel:
    """The groups of one attribute, and the same questions without it.

    Attributes:
        attribute: What the groups are groups of ("race").
        groups: One dot each, in the order of the file.
        reference: Rate where no attribute is given, NaN = not asked.
        reference_name: What that condition is called ("neutral").
        unit: What a rate counts ("right answers", "mean ROUGE-L").
    """

    attribute: str
    groups: tuple[GroupDot, ...]
    reference: float = np.nan
    reference_name: str = "neutral"
    unit: str = "right answers"


def shared_span(panels: Sequence[GroupPanel]) -> tuple[float, float]:
    """One range of rates for all panels, from tens to tens of percent, within 0 … 1.

    Examples:
        >>> dot = GroupDot(name="a", rate=0.84, low=0.815, high=0.866, n=801)
        >>> shared_span([GroupPanel(attribute="race", groups=(dot,), reference=0.9)])
        (0.7, 1.0)
    """
    rates = [
        x
        for panel in panels
        for x in (panel.reference, *(rate for group in panel.groups for rate in _rate_and_ends(group)))
    ]
    defined = [x for x in rates if not np.isnan(x)]
    if not defined:
        return 0.0, 1.0
    low = np.floor(10 * (min(defined) - AIR)) / 10
    high = np.ceil(10 * (max(defined) + AIR) - 1e-9) / 10
    return max(round(float(low), 1), 0.0), min(round(float(high), 1), 1.0)


def groups_figure(panel: GroupPanel, *, span: tuple[float, float], colours: Palette, row: int = ROW) -> go.Figure:
    """One row per group: name and rate above, dot with its interval below.

    Args:
        panel: The groups of one attribute.
        span: Range of rates, the same for every panel of the page.
        colours: Light or dark.
        row: Height of a row in px.
    """
    n = len(panel.groups)
    hues = _hues(panel, colours)
    layout = base_layout(colours, height=max(n, 1) * row + 62, margin={"l": 10, "r": 16, "t": 10, "b": 50})
    layout["xaxis"] = axis(colours, title=f"{panel.unit}  (→ more is better)", bounds=span, **percent_ticks(*span))
    layout["yaxis"] = bare_axis(colours, bounds=(-n + 0.6, 0.75))
    layout["annotations"] = [
        note(
            colours,
            _label(group),
            x=0,
            xref="paper",
            xanchor="left",
            y=-i + 0.18,
            yanchor="bottom",
            font={"size": 13, "color": hue.text},
        )
        for i, (group, hue) in enumerate(zip(panel.groups, hues, strict=True))
    ]
    traces = [
        *_reference(panel, span, colours),
        *_intervals(panel, hues),
        _dots(panel, hues, colours),
    ]
    return go.Figure({"data": traces, "layout": layout})


def groups_alt(panel: GroupPanel) -> str:
    """What the chart shows, in words."""
    rows = "; ".join(f"{group.name} {_rate_text(group.rate)}{_between(group)} of {group.n}" for group in panel.groups)
    beside = f" {panel.reference_name}: {percent(panel.reference, 1)}." if not np.isnan(panel.reference) else ""
    return f"{panel.unit.capitalize()} by {panel.attribute}: {rows or 'no group'}.{beside}"


def percent_ticks(low: float, high: float) -> Layout:
    """Ticks of an axis of shares: four to six whole percents, written with a thin space.

    Examples:
        >>> percent_ticks(0.7, 1.0)["tickvals"]
        [0.7, 0.8, 0.9, 1.0]
    """
    step = next(s for s in (0.05, 0.1, 0.2, 1.0) if (high - low) / s < 5.5)
    first = int(np.ceil(low / step - 1e-9))
    places = [round(step * i, 2) for i in range(first, int(np.floor(high / step + 1e-9)) + 1)]
    return {"tickvals": places, "ticktext": [f"{100 * x:.0f}{THIN}%" for x in places]}


def _rate_and_ends(group: GroupDot) -> tuple[float, float, float]:
    return group.rate, group.low, group.high


def _hues(panel: GroupPanel, colours: Palette) -> list[GroupHue]:
    """Colour by place; small groups and many groups without one."""
    names = [group.name for group in panel.groups]
    many = len(names) > COLOURED
    ink = GroupHue(colours.ink, colours.ink, "circle")
    small = GroupHue(colours.faint, colours.mute, "circle-open")
    hues = [ink] * len(names) if many else group_hues(names, colours)
    return [small if group.small else hue for group, hue in zip(panel.groups, hues, strict=True)]


def _label(group: GroupDot) -> str:
    rate = "undefined: no answers" if np.isnan(group.rate) else percent(group.rate, 1)
    few = f" · few: n = {group.n}" if group.small else ""
    return f"<b>{plain(group.name, longest=LONGEST)}</b>  {rate}{few}"


def _reference(panel: GroupPanel, span: tuple[float, float], colours: Palette) -> list[Layout]:
    """A dashed line, cut where it would run through the names at the left."""
    if np.isnan(panel.reference):
        return []
    n = len(panel.groups)
    x: list[float | None] = [panel.reference, panel.reference]
    y: list[float | None] = [0.45, -n + 0.62]
    if panel.reference < span[0] + NAMES * (span[1] - span[0]):
        x = [panel.reference, panel.reference, None] * n
        y = [end for i in range(n) for end in (0.12 - i, -0.4 - i, None)]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "reference",
            "x": x,
            "y": y,
            "line": {"color": colours.ink, "width": 1.4, "dash": "5px,3px"},
            "hovertemplate": f"{plain(panel.reference_name)}: %{{x:.1%}}<extra></extra>",
        }
    ]


def _intervals(panel: GroupPanel, hues: list[GroupHue]) -> list[Layout]:
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": f"interval {i}",
            "x": [group.low, group.high],
            "y": [-i, -i],
            "line": {"width": 4, "color": hue.line},
            "hoverinfo": "skip",
        }
        for i, (group, hue) in enumerate(zip(panel.groups, hues, strict=True))
        if not np.isnan(group.low)
    ]


def _dots(panel: GroupPanel, hues: list[GroupHue], colours: Palette) -> Layout:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "groups",
        "x": [group.rate for group in panel.groups],
        "y": [-i for i in range(len(panel.groups))],
        "marker": {
            "size": 14,
            "color": [hue.line for hue in hues],
            "symbol": [hue.marker for hue in hues],
            "line": {
                "width": 1.5,
                "color": [hue.line if hue.marker.endswith("open") else colours.page for hue in hues],
            },
        },
        "customdata": [[plain(group.name), _between(group), group.n] for group in panel.groups],
        "hovertemplate": "%{customdata[0]}: %{x:.1%}%{customdata[1]}<br>%{customdata[2]} answers<extra></extra>",
        "cliponaxis": False,
    }


def _rate_text(rate: float) -> str:
    return "undefined" if np.isnan(rate) else percent(rate, 1)


def _between(group: GroupDot) -> str:
    if np.isnan(group.low):
        return ""
    return f" ({100 * group.low:.1f} to {100 * group.high:.1f})"


# Paired gaps between two groups in every condition: a row per model, hollow without a remedy and filled with one.


@dataclass(frozen=True, slots=True, kw_only=True)
class GapMark:
    """One paired gap.

    Attributes:
        row: Name of the row, such as the model.
        condition: What tells the marks of a row apart, such as the strategy; "" for none.
        gap: First minus second, in points.
        low: Lower end of its interval, NaN = none.
        high: Upper end.
        remedy: Whether the condition is a remedy (filled) and not the plain one (hollow).
        pair: Which groups, for the pointer ("White − Black").
        small: Whether a group is too small to be relied on.
    """

    row: str
    condition: str
    gap: float
    low: float
    high: float
    remedy: bool = False
    pair: str = ""
    small: bool = False


def gaps_span(panels: Sequence[Sequence[GapMark]]) -> tuple[float, float]:
    """One range of points for all panels that holds every interval and 0."""
    ends = [end for marks in panels for mark in marks for end in (mark.gap, mark.low, mark.high)]
    defined = [end for end in ends if not np.isnan(end)]
    low, high = min([0.0, *defined]), max([0.0, *defined])
    room = 0.06 * max(high - low, 1.0)
    return low - room, high + room


def gaps_figure(marks: Sequence[GapMark], *, span: tuple[float, float], colours: Palette) -> go.Figure:
    """A row per model: hollow the plain condition, filled the remedies, zero an ink line.

    Args:
        marks: In the order of their rows, and within a row of their conditions.
        span: Range of points, the same for every panel.
        colours: Light or dark.
    """
    rows = list(dict.fromkeys(mark.row for mark in marks))
    places = _places(marks, rows)
    names = ["<br>".join(two_lines(name)) for name in rows]
    left = max((len(part) for name in rows for part in two_lines(name)), default=0) * CHARACTER
    most = max((sum(mark.row == row for mark in marks) for row in rows), default=1)
    layout = base_layout(
        colours,
        height=round(max(len(rows), 1) * (GAP_ROW + 12 * (most - 1))) + 56,
        margin={"l": round(left) + 14, "r": 14, "t": 8, "b": 46},
    )
    layout["xaxis"] = axis(colours, title="gap in points", bounds=span, nticks=6)
    layout["yaxis"] = axis(
        colours,
        bounds=(len(rows) - 0.4, -0.6),
        tickvals=list(range(len(rows))),
        ticktext=names,
        showgrid=False,
        showline=False,
        ticks="",
        tickfont={"size": 13, "color": colours.ink},
    )
    layout["shapes"] = [
        {
            "type": "line",
            "x0": 0,
            "x1": 0,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "layer": "below",
            "line": {"color": colours.ink, "width": 1.4},
        }
    ]
    return go.Figure(
        {"data": [*_gap_intervals(marks, places, colours), _gap_marks(marks, places, colours)], "layout": layout}
    )


def gaps_alt(marks: Sequence[GapMark], title: str) -> str:
    """What the chart shows, in words."""
    rows = "; ".join(
        f"{mark.row}{f' {mark.condition}' if mark.condition else ''} {value_text(mark.gap)}"
        + (f" ({value_text(mark.low)} to {value_text(mark.high)})" if not np.isnan(mark.low) else "")
        for mark in marks
    )
    return f"{title}, points: {rows or 'no condition'}."


def _places(marks: Sequence[GapMark], rows: list[str]) -> list[float]:
    """Height of each mark: its row's, spread over the conditions of the row."""
    places: list[float] = []
    for mark in marks:
        of_row = [other for other in marks if other.row == mark.row]
        place = next(i for i, other in enumerate(of_row) if other is mark)
        places.append(rows.index(mark.row) + STEP * (place - (len(of_row) - 1) / 2))
    return places


def _gap_intervals(marks: Sequence[GapMark], places: list[float], colours: Palette) -> list[Layout]:
    """One trace for plain conditions, one for remedies, cut by None."""
    traces: list[Layout] = []
    for remedy, name in ((False, "intervals"), (True, "intervals of remedies")):
        x: list[float | None] = []
        y: list[float | None] = []
        for mark, place in zip(marks, places, strict=True):
            if mark.remedy == remedy and not np.isnan(mark.low):
                x += [mark.low, mark.high, None]
                y += [place, place, None]
        if x:
            colour = colours.agree if remedy else colours.faint
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": name,
                    "x": x,
                    "y": y,
                    "line": {"width": 3, "color": colour},
                    "hoverinfo": "skip",
                }
            )
    return traces


def _gap_marks(marks: Sequence[GapMark], places: list[float], colours: Palette) -> Layout:
    lines = [colours.agree if mark.remedy else (colours.faint if mark.small else colours.ink) for mark in marks]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "gaps",
        "x": [mark.gap for mark in marks],
        "y": places,
        "marker": {
            "size": 11,
            "color": [colours.agree if mark.remedy else colours.page for mark in marks],
            "line": {"width": 2, "color": lines},
        },
        "customdata": [
            [plain(mark.row), plain(mark.condition), plain(mark.pair), value_text(mark.gap)] for mark in marks
        ],
        "hovertemplate": "%{customdata[0]} %{customdata[1]}<br>%{customdata[2]}: %{customdata[3]} "
        "points<extra></extra>",
        "cliponaxis": False,
    }
