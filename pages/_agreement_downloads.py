"""Downloads of the agreement section: all pairs as CSV, the first data set as LaTeX, HTML."""

from fairviz.figures.agreement import agreement_alt, agreement_figure
from fairviz.figures.embed import in_both_themes, plotly_script
from fairviz.report.agreement_findings import (
    agreement_sentence,
    agreement_title,
    choice_sentences,
    consistent_sentence,
)
from fairviz.report.agreement_tables import (
    agreement_content,
    consistent_content,
    refused_content,
    results_content,
)
from fairviz.report.content import Figure, Section
from fairviz.report.csv import csv_text
from fairviz.report.html import html_text
from fairviz.report.latex import latex_text
from pages._agreement_results import Compared
from pages._shared import download_row

STEM = "fairviz-agreement"


def downloads(found: Compared) -> None:
    """The row of buttons; files are written when one is pressed."""
    download_row(
        STEM,
        frame_csv=lambda: csv_text(agreement_content(found.agreements)),
        latex=lambda: latex_text(agreement_content(found.agreements[:1]), label="tab:agreement"),
        html=lambda: html_text("Agreement of measures", report_sections(found), plotly_js=plotly_script()),
    )


def report_sections(found: Compared) -> list[Section]:
    """What a report says: a triangle and the values of each data set, then all together."""
    sections: list[Section] = []
    for each, agreement in zip(found.measured, found.agreements, strict=True):
        light, dark = in_both_themes(lambda colours, agreement=agreement: agreement_figure(agreement, colours=colours))
        alt = agreement_alt(agreement)
        refused = refused_content(each.refused)
        blocks = (
            Figure(light, dark, alt, caption=agreement.name, name=STEM),
            results_content(each.table),
            *((refused,) if refused.rows else ()),
        )
        said = (agreement_sentence(agreement), *choice_sentences(agreement))
        sections.append(Section(agreement_title(agreement), said, blocks))
    if len(found.agreements) > 1:
        names = [one.name for one in found.agreements]
        sections.append(
            Section(
                "In all data sets",
                (consistent_sentence(found.consistent, names),),
                (consistent_content(found.consistent, names),),
            )
        )
    return sections
