"""Downloads of the Attribution page: every point as CSV, the summary as LaTeX, all as HTML."""

from fairviz.analysis.output_points import points_frame
from fairviz.report.consumption_tables import summary_content
from fairviz.report.content import frame_table
from fairviz.report.csv import csv_text
from fairviz.report.latex import latex_text
from pages._attribution_results import Results
from pages._attribution_settings import Settings
from pages._shared import download_row


def downloads(chosen: Settings, found: Results) -> None:
    """The row of buttons; files are written when one is pressed."""

    def points() -> str:
        every = [each for group in found.groups for each in group.points]
        return csv_text(frame_table(points_frame(every)))

    def table() -> str:
        return latex_text(summary_content(found.rows, k=chosen.k), label="tab:attribution")

    download_row("fairviz-attribution", frame_csv=points, latex=table)
