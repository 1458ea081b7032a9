"""The rate of right answers of each group of one attribute: dot, interval, dashed reference."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.group_hues import MARKERS, GroupHue, group_hues
from fairviz.figures.theme import Layout, Palette, axis, base_layout, note, plain

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
THIN = "\N{NARROW NO-BREAK SPACE}"


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
    held = [x for p in panels for x in (p.reference, *(v for g in p.groups for v in _held(g)))]
    known = [x for x in held if not np.isnan(x)]
    if not known:
        return 0.0, 1.0
    low = np.floor(10 * (min(known) - AIR)) / 10
    high = np.ceil(10 * (max(known) + AIR) - 1e-9) / 10
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
    layout["yaxis"] = axis(
        colours,
        bounds=(-n + 0.6, 0.75),
        showgrid=False,
        showticklabels=False,
        showline=False,
        ticks="",
    )
    layout["annotations"] = [
        note(
            colours,
            _said(group),
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


def groups_alt(panel: GroupPanel) -> str:
    """What the chart shows, in words."""
    rows = "; ".join(f"{group.name} {_percent(group.rate)}{_between(group)} of {group.n}" for group in panel.groups)
    beside = f" {panel.reference_name}: {_percent(panel.reference)}." if not np.isnan(panel.reference) else ""
    return f"{panel.unit.capitalize()} by {panel.attribute}: {rows or 'no group'}.{beside}"


def _held(group: GroupDot) -> tuple[float, float, float]:
    return group.rate, group.low, group.high


def _hues(panel: GroupPanel, colours: Palette) -> list[GroupHue]:
    """Colour by place; small groups and many groups without one."""
    names = [group.name for group in panel.groups]
    many = len(names) > COLOURED
    ink = GroupHue(colours.ink, colours.ink, "circle")
    small = GroupHue(colours.faint, colours.mute, "circle-open")
    hues = [ink] * len(names) if many else group_hues(names, colours)
    return [small if group.small else hue for group, hue in zip(panel.groups, hues, strict=True)]


def _said(group: GroupDot) -> str:
    said = "undefined: no answers" if np.isnan(group.rate) else _percent(group.rate)
    few = f" · few: n = {group.n}" if group.small else ""
    return f"<b>{plain(group.name, longest=LONGEST)}</b>  {said}{few}"


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


def _between(group: GroupDot) -> str:
    if np.isnan(group.low):
        return ""
    return f" ({100 * group.low:.1f} to {100 * group.high:.1f})"


def _percent(rate: float, decimals: int = 1) -> str:
    return "undefined" if np.isnan(rate) else f"{100 * rate:.{decimals}f}{THIN}%"
