"""Downloads of the Trade-off page: points as CSV, tables as LaTeX, all as one HTML file."""

from collections.abc import Sequence
from typing import NamedTuple

from fairviz.analysis.by_alpha import alpha_tests, disparity_by_alpha, only_alphas
from fairviz.analysis.intervals import IntervalRow
from fairviz.analysis.summary import CurveSummary
from fairviz.figures.axes import axis_name
from fairviz.figures.curves import Here, TradeoffView
from fairviz.figures.embed import in_both_themes, plotly_script
from fairviz.figures.tradeoff import MARKED_ALPHAS, tradeoff_alt, tradeoff_figure
from fairviz.model import Curve
from fairviz.report.content import Figure, Section
from fairviz.report.csv import csv_text
from fairviz.report.findings import Finding
from fairviz.report.html import html_text
from fairviz.report.latex import latex_text
from fairviz.report.tradeoff_tables import (
    alpha_content,
    area_content,
    change_content,
    curve_content,
    spread_content,
)
from pages._shared import download_row
from pages._tradeoff_settings import Settings
from pages._tradeoff_tables import TEST_NAMES


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
