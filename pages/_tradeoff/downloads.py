"""The tables of the Trade-off page, and its downloads: points as CSV, tables as LaTeX, all as one HTML file."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from fairviz.model import Curve
from fairviz.show.html import Figure, Section, html_text, section_of
from fairviz.show.table import Table, csv_text, latex_text
from fairviz.show.theme import axis_name, in_both_themes, plotly_script
from fairviz.show.words import Finding, count, number, plural, signed
from fairviz.stats.bootstrap import PairedDifference
from fairviz.studies.tradeoff.figures import MARKED_ALPHAS, tradeoff_alt, tradeoff_figure
from fairviz.studies.tradeoff.findings import POLICY_NAMES, area_title, change_title
from fairviz.studies.tradeoff.intervals import IntervalRow, alpha_tests, disparity_by_alpha, only_alphas
from fairviz.studies.tradeoff.summary import CurveSummary
from fairviz.studies.tradeoff.tables import TradeoffResults, tables
from fairviz.studies.tradeoff.view import AlphaPoint, TradeoffView
from pages._kit import (
    Cell,
    Column,
    Glyph,
    Key,
    Row,
    Tone,
    Toned,
    Two,
    around_zero,
    download_row,
    muted,
    page_table,
    section,
    with_interval,
)
from pages._tradeoff.results import Settings

JOINER, NO_BREAK = "\N{WORD JOINER}", "\N{NO-BREAK SPACE}"
TEST_NAMES = {
    "paired": "paired t",
    "student": "unpaired t (Student)",
    "welch": "unpaired t (Welch)",
}


def area_table(
    areas: Sequence[CurveSummary],
    gaps: Sequence[PairedDifference],
    selection: Settings,
    *,
    several: bool,
) -> None:
    """AUC and slope of each curve over the range all cover, and paired differences.

    Args:
        areas: The highlighted curve first.
        gaps: Areas of the other curves minus that of the first.
        selection: The page's settings.
        several: Whether curves are of several systems, which are named then.
    """
    quality = axis_name(selection.quality)
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
    beside = len(areas) > 2  # else the only difference stands below the two curves
    differences = iter(["", *map(_difference, gaps)])
    other = _name(areas[-1], several=several) if several else ""
    page_table(
        tables(TradeoffResults(summaries=areas, quality=quality))["areas"],
        show=("curve", "auc", "slope", *(["difference"] if beside else [])),
        drawn={
            "curve": lambda row: _curve_key(row, several=several, highlighted=areas[0].system),
            "auc": with_interval("auc", "auc_low", "auc_high"),
            "slope": with_interval("slope", "slope_low", "slope_high"),
            "difference": lambda _: next(differences),
        },
        columns={"curve": "Curve", "auc": "AUC ↑", "difference": Column(label="Δ AUC", align="right")},
        below=() if beside else [_difference_row(gap, other) for gap in gaps],
        caption="Area under each curve and its slope",
        narrow="scroll",
    )


def change_table(rows: Sequence[IntervalRow], selection: Settings, *, title: str = "") -> None:
    """Quality in each interval of EE-D minus that of the deterministic list.

    Args:
        rows: The interval table.
        selection: The page's settings.
        title: Instead of the finding, where that stands at the head of the page.
    """
    quality = axis_name(selection.quality)
    n_tested = sum(not np.isnan(row.p_holm) for row in rows)
    section(
        title or change_title(rows, quality),
        f"{quality} minus the deterministic list of the same queries; "
        f"{TEST_NAMES[selection.test]}, Holm over {plural(n_tested, 'interval')} of EE-D",
    )
    page_table(
        tables(TradeoffResults(intervals=rows, quality=quality, test=TEST_NAMES[selection.test]))["intervals"],
        show=("range", "quality", "difference", "interval", "p_holm", "verdict", "counts"),
        drawn={
            "range": _interval_name,
            "difference": _interval_difference,
            "interval": _interval_glyph,
            "verdict": _interval_verdict,
            "counts": lambda row: f"{count(int(row.number('n_queries')))} · {count(int(row.number('n_points')))}",
        },
        columns={
            "range": Column(label="EE-D"),
            "quality": Column(label=quality, align="right", wide=True),
            "difference": Column(label="Δ", align="right"),
            "interval": Column(
                label="Δ, 95 % interval",
                span=around_zero(end for row in rows for end in row.interval),
                zero=0.0,
            ),
            "p_holm": f"p{NO_BREAK}(Holm)",
            "verdict": Column(label=""),
            "counts": Column(label="queries · points", align="right", wide=True),
        },
        caption=f"{quality} by interval of EE-D against the deterministic list",
        narrow="scroll",
    )


def _name(area: CurveSummary, *, several: bool) -> str:
    return _curve_name(area.system, area.policy, POLICY_NAMES.get(area.policy, area.policy), several=several)


def _curve_name(system: str, policy: str, words: str, *, several: bool) -> str:
    named = system if policy == "plackett-luce" else f"{system}, {words}"
    return named if several else words


def _curve_key(row: Row, *, several: bool, highlighted: str) -> Key:
    """A curve of another system than the highlighted one is grey, as in the chart."""
    policy, words = str(row["policy"]), row.text("policy")
    tone: Tone = "optimal" if policy == "optimal" else "plackett-luce"
    system = row.text("system")
    return Key(text=_curve_name(system, policy, words, several=several), tone=tone if system == highlighted else "mute")


def _difference(gap: PairedDifference) -> Two:
    """A paired difference; muted where its interval holds 0 or there is none."""
    low, high = gap.interval
    between = "–" if np.isnan(low) else f"{signed(low)} to {signed(high)}"
    unsure = bool(np.isnan(low)) or 0 in gap.interval
    return Two(top=signed(gap.difference), below=between, tone="mute" if unsure else "")


def _difference_row(gap: PairedDifference, name: str) -> list[Cell]:
    if np.isnan(gap.interval.low):
        verdict = "too few queries"
    else:
        verdict = "not distinguishable" if 0 in gap.interval else "interval excludes 0"
    title = f"Difference, {name}" if name else "Difference, paired"
    return [title, _difference(gap), muted(verdict)]


def _interval_name(row: Row) -> str:
    return f"{row.number('disparity_low'):.1f}{JOINER}–{JOINER}{row.number('disparity_high'):.1f}"


def _interval_tone(row: Row) -> Tone:
    tones: dict[str, Tone] = {"lower": "loss", "higher": "gain"}
    return tones.get(row.text("verdict"), "")


def _interval_difference(row: Row) -> Cell:
    if not row["n_queries"]:
        return "–"
    difference, tone = signed(row.number("difference")), _interval_tone(row)
    return Toned(text=difference, tone=tone) if tone else difference


def _interval_glyph(row: Row) -> Cell:
    low, tone = row.number("low"), _interval_tone(row)
    if not row["n_queries"] or np.isnan(low):
        return ""
    return Glyph(
        value=row.number("difference"), low=low, high=row.number("high"), filled=bool(tone), tone=tone or "mute"
    )


def _interval_verdict(row: Row) -> Toned:
    verdict = row.text("verdict") if row["n_queries"] else "no points here"
    return muted(verdict.replace(" ", NO_BREAK))


IN_LATEX = ("areas", "intervals")
"""Tables of the LaTeX download."""

SECTIONS = {
    "Areas and slopes": ("areas",),
    "Against the deterministic list": ("intervals",),
    "EE-D by α": ("spreads", "alpha-tests"),
    "Points": ("curves",),
}
"""Sections of the HTML download with their tables."""


class Report(NamedTuple):
    """What the files hold.

    Attributes:
        finding: Title and sentence of the page.
        lead: Data, k and settings.
        view: The chart.
        point: The point it marks.
        curves: Every curve and point on it, the highlighted curve first.
        areas: AUC and slope.
        changes: The interval table.
    """

    finding: Finding
    lead: str
    view: TradeoffView
    point: AlphaPoint | None
    curves: Sequence[Curve]
    areas: Sequence[CurveSummary]
    changes: Sequence[IntervalRow]


def downloads(report: Report, selection: Settings, *, stem: str = "fairviz-tradeoff") -> None:
    """The row of buttons; files are written when one is pressed."""
    known = partial(report_tables, report, selection)

    def latex() -> str:
        made = known()
        return "\n".join(latex_text(made[name], label=f"tab:{name}") for name in IN_LATEX)

    def page() -> str:
        sections = report_sections(report, known(), stem=stem)
        title = "Disparity and quality"
        return html_text(title, sections, lead=report.lead, plotly_js=plotly_script())

    download_row(stem, frame_csv=lambda: csv_text(known()["curves"]), latex=latex, html=page)


def report_tables(report: Report, selection: Settings) -> dict[str, Table]:
    """Every table of the page by the stem of its file."""
    by_alpha = only_alphas(report.curves[0], MARKED_ALPHAS)
    return tables(
        TradeoffResults(
            curves=report.curves,
            summaries=report.areas,
            intervals=report.changes,
            spreads=disparity_by_alpha(by_alpha),
            alpha_tests=alpha_tests(by_alpha),
            quality=axis_name(selection.quality),
            test=TEST_NAMES[selection.test],
        )
    )


def report_sections(report: Report, known: Mapping[str, Table], *, stem: str) -> list[Section]:
    """What a report says of the curves: chart, then every table."""
    light, dark = in_both_themes(lambda colours: tradeoff_figure(report.view, colours=colours, point=report.point))
    chart = Figure(light, dark, tradeoff_alt(report.view, report.point), name=stem)
    return [
        section_of(known, report.finding.title, report.finding.sentence, blocks=[chart]),
        *(section_of(known, title, blocks=names) for title, names in SECTIONS.items()),
    ]


def settings_line(name: str, selection: Settings) -> str:
    """Data and settings in one sentence."""
    gain = "grades counted in steps" if selection.gain == "graded" else "useful = grade ≥ 1"
    who = f"{selection.system}, " if selection.system else ""
    return (
        f"{name}: {who}k = {selection.k}, {gain}, offset {selection.offset:g}; intervals: 95 % "
        "percentile bootstrap over queries, seed 0."
    )
