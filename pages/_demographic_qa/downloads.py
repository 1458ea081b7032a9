"""Downloads of the Demographic QA page: rates as CSV, the chosen answers as LaTeX, all as HTML."""

from fairviz.io.published import read_published
from fairviz.show.html import Figure, Section, html_text
from fairviz.show.table import csv_text, latex_text
from fairviz.show.theme import in_both_themes, plotly_script
from fairviz.show.words import Finding
from fairviz.studies.demographic_qa.conditions import condition_gaps
from fairviz.studies.demographic_qa.figures_groups import groups_alt, groups_figure, shared_span
from fairviz.studies.demographic_qa.findings import CAUTION, CAUTION_TITLE, counts_words, gap_words, unit_of
from fairviz.studies.demographic_qa.remedies import CITED, PAPER, gaps_title, table_notes, vote_title
from fairviz.studies.demographic_qa.tables import disparities_content, gaps_content, published_content, rates_content
from fairviz.studies.demographic_qa.views import group_panel
from pages._demographic_qa.results import Settings, comparable, conditions, short_names
from pages._demographic_qa.strategies import Votes
from pages._kit import download_row

STEM = "fairviz-demographic-qa"

TABLES = (2, 3, 4, 5, 6)
"""Published tables with numbers."""


def downloads(name: str, chosen: Settings, votes: Votes, said: Finding) -> None:
    """The row of buttons; files are written when one is pressed."""
    unit = unit_of(chosen.chosen.kind, chosen.threshold)
    alike = tuple(one for one in chosen.answers if one.kind == chosen.chosen.kind)
    download_row(
        STEM,
        frame_csv=lambda: csv_text(rates_content(conditions(alike, all_rows=True), unit=unit)),
        latex=lambda: latex_text(
            rates_content(conditions((chosen.chosen,), all_rows=True), unit=unit),
            label="tab:groups",
        ),
        html=lambda: html_text(
            said.title,
            report_sections(chosen, votes),
            lead=f"{name}: {said.sentence}",
            plotly_js=plotly_script(),
        ),
    )


def report_sections(chosen: Settings, votes: Votes) -> list[Section]:
    """What a report says: caution, rates, gaps, disparities, the published tables."""
    one, unit = chosen.chosen, unit_of(chosen.chosen.kind, chosen.threshold)
    every = comparable(chosen.answers, one)
    gaps = [gap for some in condition_gaps(conditions(every)).values() for gap in some]
    names = short_names(every)
    voted = [votes[each.file, each.by] for each in every]
    rows = [(n, row) for n, each in zip(names, voted, strict=True) for row in each.rows]
    whole = [each.whole for each in voted if each.whole]
    return [
        Section(CAUTION_TITLE, (CAUTION,)),
        Section(
            "By group",
            (*(gap_words(row, unit=unit) for row in one.rows), counts_words(one.rows)),
            (*_charts(chosen, unit), rates_content(conditions((one,), all_rows=True), unit=unit)),
        ),
        Section(gaps_title(gaps), (), (gaps_content(gaps),)),
        Section(vote_title(whole), (), (disparities_content(rows),)),
        published_section(),
    ]


def published_section() -> Section:
    """The paper's tables with what contradicts itself in them."""
    tables = [read_published(PAPER, number) for number in TABLES]
    notes = tuple(table_notes(tables))
    return Section(f"Published ({CITED})", notes, tuple(map(published_content, tables)))


def published_downloads() -> None:
    """The paper's tables alone, where no answers are loaded."""
    tables = [read_published(PAPER, number) for number in TABLES]
    download_row(
        f"{STEM}-published",
        frame_csv=lambda: csv_text(published_content(tables[0])),
        latex=lambda: "\n".join(latex_text(published_content(table)) for table in tables),
        html=lambda: html_text("Demographic QA, published", [published_section()]),
    )


def _charts(chosen: Settings, unit: str) -> list[Figure]:
    panels = [group_panel(row, unit=unit) for row in chosen.chosen.rows]
    span = shared_span(panels)
    found: list[Figure] = []
    for panel in panels:
        light, dark = in_both_themes(lambda colours, panel=panel: groups_figure(panel, span=span, colours=colours))
        found.append(Figure(light, dark, groups_alt(panel), caption=panel.attribute, name=STEM))
    return found
