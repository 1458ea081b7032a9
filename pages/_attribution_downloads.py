"""Downloads of the Attribution page: every point as CSV, the summary as LaTeX, all as HTML."""

from fairviz.analysis.output_panels import consumption_panel
from fairviz.analysis.output_points import points_frame
from fairviz.figures.attribution import attribution_alt, attribution_figure, shared_ranges
from fairviz.figures.embed import in_both_themes, plotly_script
from fairviz.report.consumption_tables import summary_content
from fairviz.report.content import Figure, Section, frame_table
from fairviz.report.csv import csv_text
from fairviz.report.html import html_text
from fairviz.report.latex import latex_text
from pages._attribution_results import Results
from pages._attribution_settings import Settings
from pages._shared import download_row

STEM = "fairviz-attribution"


def downloads(name: str, chosen: Settings, found: Results) -> None:
    """The row of buttons; files are written when one is pressed."""

    def points() -> str:
        every = [each for group in found.groups for each in group.points]
        return csv_text(frame_table(points_frame(every)))

    def table() -> str:
        return latex_text(summary_content(found.rows, k=chosen.k), label="tab:attribution")

    def page() -> str:
        sections = report_sections(chosen, found)
        lead = f"{name}: k = {chosen.k}, items given: {chosen.given_from}."
        return html_text("Attribution", sections, lead=lead, plotly_js=plotly_script())

    download_row(STEM, frame_csv=points, latex=table, html=page)


def report_sections(chosen: Settings, found: Results) -> list[Section]:
    """What a report says of recorded outputs: a chart per generator, and the summary."""
    charts = tuple(_charts(chosen, found))
    return [
        Section(found.finding.title, (found.finding.sentence,), charts),
        Section("Use of the lists given", (), (summary_content(found.rows, k=chosen.k),)),
    ]


def _charts(chosen: Settings, found: Results) -> list[Figure]:
    """EE-D against EAE-D of each generator, its first setting coloured."""
    panels = [consumption_panel(group, "EED-EAED", chosen.scale) for group in found.groups]
    ranges = shared_ranges(panels, "EED-EAED")
    figures: list[Figure] = []
    for panel in panels:
        setting = panel.settings[0]
        light, dark = in_both_themes(
            lambda colours, panel=panel, setting=setting: attribution_figure(
                panel,
                ranges=ranges,
                pair="EED-EAED",
                scale=chosen.scale,
                setting=setting,
                colours=colours,
            )
        )
        alt = attribution_alt(panel, pair="EED-EAED", scale=chosen.scale, setting=setting)
        figures.append(Figure(light, dark, alt, caption=panel.name, name=STEM))
    return figures
