"""Downloads of the Demographic QA page: rates as CSV, the selected answers as LaTeX, all as an HTML report."""

from dataclasses import replace

from fairviz.io.published import read_published
from fairviz.model import Dataset
from fairviz.show.html import Figure, Section, html_text
from fairviz.show.table import csv_text, latex_text
from fairviz.show.theme import in_both_themes, plotly_script
from fairviz.show.words import Finding
from fairviz.studies.demographic_qa.conditions import condition_gaps
from fairviz.studies.demographic_qa.figures_groups import groups_alt, groups_figure, shared_span
from fairviz.studies.demographic_qa.findings import counts_words, gap_words
from fairviz.studies.demographic_qa.names import CAUTION, CAUTION_TITLE, unit_of
from fairviz.studies.demographic_qa.published import CITED, PAPER, table_notes
from fairviz.studies.demographic_qa.remedies import gaps_title, vote_title
from fairviz.studies.demographic_qa.tables import (
    STRATEGIES,
    groups_table,
    published_table,
    strategies_table,
    widest_gaps_table,
)
from fairviz.studies.demographic_qa.views import group_panel
from pages._demographic_qa.results import Settings, Votes, as_results, comparable, conditions
from pages._kit import download_row

STEM = "fairviz-demographic-qa"
TABLES = (2, 3, 4, 5, 6)
"""Published tables with numbers."""


def downloads(loaded: Dataset, settings: Settings, votes: Votes, finding: Finding) -> None:
    """The row of buttons; files are written when one is pressed."""
    selected, threshold = settings.selected, settings.threshold
    unit = unit_of(selected.kind, threshold)
    of_kind = [combination for combination in settings.answers if combination.kind == selected.kind]
    download_row(
        STEM,
        frame_csv=lambda: csv_text(groups_table(as_results(loaded, of_kind, threshold=threshold), unit=unit)),
        latex=lambda: latex_text(
            groups_table(as_results(loaded, [selected], threshold=threshold), unit=unit), label="tab:groups"
        ),
        html=lambda: html_text(
            finding.title,
            report_sections(loaded, settings, votes),
            lead=f"{loaded.name}: {finding.sentence}",
            plotly_js=plotly_script(),
        ),
    )


def report_sections(loaded: Dataset, settings: Settings, votes: Votes) -> list[Section]:
    """What a report says: caution, rates, gaps, disparities, the published tables."""
    selected, threshold = settings.selected, settings.threshold
    unit = unit_of(selected.kind, threshold)
    combinations = comparable(settings.answers, selected)
    gaps = [gap for of_attribute in condition_gaps(conditions(combinations)).values() for gap in of_attribute]
    whole = [voted.whole for combination in combinations if (voted := votes[combination.file, combination.by]).whole]
    return [
        Section(CAUTION_TITLE, (CAUTION,)),
        Section(
            "By group",
            (*(gap_words(row, unit=unit) for row in selected.rows), counts_words(selected.rows)),
            (
                *_charts(settings, unit),
                groups_table(as_results(loaded, [selected], threshold=threshold), unit=unit),
            ),
        ),
        Section(gaps_title(gaps), (), (widest_gaps_table(gaps),)),
        Section(
            vote_title(whole),
            (),
            (
                replace(
                    strategies_table(as_results(loaded, combinations, threshold=threshold, votes=votes)),
                    caption=STRATEGIES,
                ),
            ),
        ),
        published_section(),
    ]


def published_section() -> Section:
    """The paper's tables with what contradicts itself in them."""
    tables = [read_published(PAPER, number) for number in TABLES]
    notes = tuple(table_notes(tables))
    return Section(f"Published ({CITED})", notes, tuple(map(published_table, tables)))


def published_downloads() -> None:
    """The paper's tables alone, where no answers are loaded."""
    tables = [read_published(PAPER, number) for number in TABLES]
    download_row(
        f"{STEM}-published",
        frame_csv=lambda: csv_text(published_table(tables[0])),
        latex=lambda: "\n".join(latex_text(published_table(table)) for table in tables),
        html=lambda: html_text("Demographic QA, published", [published_section()]),
    )


def _charts(settings: Settings, unit: str) -> list[Figure]:
    panels = [group_panel(row, unit=unit) for row in settings.selected.rows]
    span = shared_span(panels)
    figures: list[Figure] = []
    for panel in panels:
        light, dark = in_both_themes(lambda colours, panel=panel: groups_figure(panel, span=span, colours=colours))
        figures.append(Figure(light, dark, groups_alt(panel), caption=panel.attribute, name=STEM))
    return figures
