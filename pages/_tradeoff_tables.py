"""The tables of the Trade-off page: areas and slopes, and quality by interval of EE-D."""

from collections.abc import Sequence

import numpy as np

from fairviz.analysis.intervals import IntervalRow
from fairviz.analysis.summary import CurveSummary
from fairviz.analysis.uncertainty import PairedDifference
from fairviz.figures.axes import axis_name
from fairviz.report.findings import POLICY_NAMES, area_title, change_title
from pages._shared import (
    Cell,
    Column,
    Glyph,
    Key,
    Tone,
    Toned,
    Two,
    count,
    html_table,
    interval,
    number,
    p_value,
    plural,
    section,
    signed,
)
from pages._tradeoff_settings import Settings

JOINER, NO_BREAK = "\N{WORD JOINER}", "\N{NO-BREAK SPACE}"
TEST_NAMES = {
    "paired": "paired t",
    "student": "unpaired t (Student)",
    "welch": "unpaired t (Welch)",
}


def area_table(
    areas: Sequence[CurveSummary],
    gaps: Sequence[PairedDifference],
    chosen: Settings,
    *,
    several: bool,
) -> None:
    """AUC and slope of each curve over the range all cover, and paired differences.

    Args:
        areas: The highlighted curve first.
        gaps: Areas of the other curves minus that of the first.
        chosen: The page's settings.
        several: Whether curves are of several systems, which are named then.
    """
    quality = axis_name(chosen.quality)
    two = len(areas) == 2
    if len(areas) == 1:
        title = "Area and slope"
    elif two and not several:
        title = area_title(gaps[0], better="optimal", other="Plackett–Luce", quality=quality)
    else:
        ahead = sum(gap.interval.low > 0 for gap in gaps)
        behind = sum(gap.interval.high < 0 for gap in gaps)
        title = f"{plural(len(gaps), 'curve')} against {areas[0].system}: {ahead} above, {behind} below"
    first = areas[0]
    n_queries = plural(first.n_queries - first.n_undefined, "query", "queries")
    section(
        title,
        f"Mean {quality} under the curve; 95 % bootstrap over {n_queries}; EE-D "
        f"{number(first.low, 2)} to {number(first.high, 2)}, which all curves cover",
    )
    columns: list[Column | str] = ["Curve", "AUC ↑", "slope"]
    rows = [_area_row(area, several=several, own=areas[0].system) for area in areas]
    if len(areas) > 2:
        columns.append("Δ AUC")
        rows = [[*row, gap] for row, gap in zip(rows, ["", *map(_gap, gaps)], strict=True)]
    else:
        name = "" if not several else _name(areas[-1], several=several)
        rows += [_gap_row(gap, name) for gap in gaps]
    html_table(columns, rows, caption="Area under each curve and its slope", narrow="scroll")


def change_table(rows: Sequence[IntervalRow], chosen: Settings, *, title: str = "") -> None:
    """Quality in each interval of EE-D minus that of the deterministic list.

    Args:
        rows: The interval table.
        chosen: The page's settings.
        title: Instead of the finding, where that stands at the head of the page.
    """
    quality = axis_name(chosen.quality)
    n_tested = sum(not np.isnan(row.p_holm) for row in rows)
    section(
        title or change_title(rows, quality),
        f"{quality} minus the deterministic list of the same queries; "
        f"{TEST_NAMES[chosen.test]}, Holm over {plural(n_tested, 'interval')} of EE-D",
    )
    columns = [
        Column(label="EE-D"),
        Column(label=quality, align="right", wide=True),
        Column(label="Δ", align="right"),
        Column(label="Δ, 95 % interval", span=_span(rows), zero=0.0),
        Column(label=f"p{NO_BREAK}(Holm)", align="right"),
        Column(label=""),
        Column(label="queries · points", align="right", wide=True),
    ]
    html_table(
        columns,
        [_change_row(row) for row in rows],
        caption=f"{quality} by interval of EE-D against the deterministic list",
        narrow="scroll",
    )


def _name(area: CurveSummary, *, several: bool) -> str:
    policy = POLICY_NAMES.get(area.policy, area.policy)
    named = area.system if area.policy == "plackett-luce" else f"{area.system}, {policy}"
    return named if several else policy


def _area_row(area: CurveSummary, *, several: bool, own: str) -> list[Cell]:
    """A curve of another system than the highlighted one is grey, as in the chart."""
    tone: Tone = "optimal" if area.policy == "optimal" else "plackett-luce"
    return [
        Key(text=_name(area, several=several), tone=tone if area.system == own else "mute"),
        Two(top=number(area.auc), below=interval(*area.auc_interval)),
        Two(top=number(area.slope), below=interval(*area.slope_interval)),
    ]


def _gap(gap: PairedDifference) -> Two:
    """A paired difference; muted where its interval holds 0 or there is none."""
    low, high = gap.interval
    between = "–" if np.isnan(low) else f"{signed(low)} to {signed(high)}"
    unsure = bool(np.isnan(low)) or 0 in gap.interval
    return Two(top=signed(gap.difference), below=between, tone="mute" if unsure else "")


def _gap_row(gap: PairedDifference, name: str) -> list[Cell]:
    if np.isnan(gap.interval.low):
        verdict = "too few queries"
    else:
        verdict = "not distinguishable" if 0 in gap.interval else "interval excludes 0"
    title = f"Difference, {name}" if name else "Difference, paired"
    return [title, _gap(gap), Toned(text=verdict, tone="mute", bold=False)]


def _change_row(row: IntervalRow) -> list[Cell]:
    tone: Tone = {"lower": "loss", "higher": "gain"}.get(row.verdict, "")  # type: ignore[assignment]
    name = f"{row.low:.1f}{JOINER}–{JOINER}{row.high:.1f}"
    counted = f"{count(row.n_queries)} · {count(row.n_points)}"
    verdict = Toned(text=row.verdict.replace(" ", NO_BREAK), tone="mute", bold=False)
    if not row.n_queries:
        empty = Toned(text=f"no{NO_BREAK}points{NO_BREAK}here", tone="mute", bold=False)
        return [name, "–", "–", "", "–", empty, counted]
    difference = signed(row.difference)
    drawn: Cell = ""
    if not np.isnan(row.interval.low):
        drawn = Glyph(
            value=row.difference,
            low=row.interval.low,
            high=row.interval.high,
            filled=bool(tone),
            tone=tone or "mute",
        )
    shown: Cell = Toned(text=difference, tone=tone) if tone else difference
    return [name, number(row.quality), shown, drawn, p_value(row.p_holm), verdict, counted]


def _span(rows: Sequence[IntervalRow]) -> tuple[float, float]:
    """One range for all intervals, with 0 inside."""
    ends = [0.0, *(end for row in rows for end in row.interval if not np.isnan(end))]
    low, high = min(ends), max(ends)
    air = 0.06 * max(high - low, 1e-6)
    return low - air, high + air
