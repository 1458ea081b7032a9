"""Downloads of the Trade-off page: points as CSV, tables as LaTeX, all as one HTML file."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import Curve
from fairviz.show.html import Figure, Section, html_text
from fairviz.show.table import csv_text, latex_text
from fairviz.show.theme import axis_name, in_both_themes, plotly_script
from fairviz.show.words import Finding, count, interval, number, p_value, plural, signed
from fairviz.stats.bootstrap import PairedDifference
from fairviz.studies.tradeoff.figures import MARKED_ALPHAS, tradeoff_alt, tradeoff_figure
from fairviz.studies.tradeoff.figures_more import Here, TradeoffView
from fairviz.studies.tradeoff.findings import POLICY_NAMES, area_title, change_title
from fairviz.studies.tradeoff.intervals import IntervalRow, alpha_tests, disparity_by_alpha, only_alphas
from fairviz.studies.tradeoff.summary import CurveSummary
from fairviz.studies.tradeoff.tables import alpha_content, area_content, change_content, curve_content, spread_content
from pages._kit import Cell, Column, Glyph, Key, Tone, Toned, Two, download_row, html_table, section
from pages._tradeoff.results import Settings

# The tables of the Trade-off page: areas and slopes, and quality by interval of EE-D.


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


class Report(NamedTuple):
    """What the files hold.

    Attributes:
        finding: Title and sentence of the page.
        lead: Data, k and settings.
        view: The chart.
        here: The point it marks.
        curves: Every curve and point on it, the highlighted curve first.
        areas: AUC and slope.
        changes: The interval table.
    """

    finding: Finding
    lead: str
    view: TradeoffView
    here: Here | None
    curves: Sequence[Curve]
    areas: Sequence[CurveSummary]
    changes: Sequence[IntervalRow]


def downloads(report: Report, chosen: Settings, *, stem: str = "fairviz-tradeoff") -> None:
    """The row of buttons; files are written when one is pressed."""
    quality = axis_name(chosen.quality)
    areas = area_content(report.areas, quality=quality)
    changes = change_content(report.changes, quality=quality, test=TEST_NAMES[chosen.test])

    def latex() -> str:
        return "\n".join([latex_text(areas, label="tab:areas"), latex_text(changes, label="tab:intervals")])

    def page() -> str:
        sections = report_sections(report, chosen, stem=stem)
        title = "Disparity and quality"
        return html_text(title, sections, lead=report.lead, plotly_js=plotly_script())

    download_row(stem, frame_csv=lambda: csv_text(curve_content(report.curves)), latex=latex, html=page)


def report_sections(report: Report, chosen: Settings, *, stem: str) -> list[Section]:
    """What a report says of the curves: chart, areas, intervals, EE-D by α, points."""
    quality = axis_name(chosen.quality)
    light, dark = in_both_themes(lambda colours: tradeoff_figure(report.view, colours=colours, here=report.here))
    chart = Figure(light, dark, tradeoff_alt(report.view, report.here), name=stem)
    spread = only_alphas(report.curves[0], MARKED_ALPHAS)
    changes = change_content(report.changes, quality=quality, test=TEST_NAMES[chosen.test])
    by_alpha = (spread_content(disparity_by_alpha(spread)), alpha_content(alpha_tests(spread)))
    return [
        Section(report.finding.title, (report.finding.sentence,), (chart,)),
        Section("Areas and slopes", (), (area_content(report.areas, quality=quality),)),
        Section("Against the deterministic list", (), (changes,)),
        Section("EE-D by α", (), by_alpha),
        Section("Points", (), (curve_content(report.curves),)),
    ]


def settings_line(name: str, chosen: Settings) -> str:
    """Data and settings in one sentence."""
    gain = "grades counted in steps" if chosen.gain == "graded" else "useful = grade ≥ 1"
    who = f"{chosen.system}, " if chosen.system else ""
    return (
        f"{name}: {who}k = {chosen.k}, {gain}, offset {chosen.offset:g}; intervals: 95 % "
        "percentile bootstrap over queries, seed 0."
    )
