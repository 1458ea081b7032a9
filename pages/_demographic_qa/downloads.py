"""Downloads of the Demographic QA page: rates as CSV, the selected answers as LaTeX, all as an HTML report."""

from collections.abc import Sequence
from functools import partial

from fairviz.io.published import read_published
from fairviz.model import Dataset
from fairviz.show.html import Figure, Section, html_text, section_of
from fairviz.show.latex import latex_text
from fairviz.show.table import Table, csv_text
from fairviz.show.theme import in_both_themes, plotly_script
from fairviz.show.words import Finding
from fairviz.studies.demographic_qa.conditions import condition_gaps
from fairviz.studies.demographic_qa.figures_groups import groups_alt, groups_figure, shared_span
from fairviz.studies.demographic_qa.findings import counts_words, gap_words
from fairviz.studies.demographic_qa.joins import AS_THEY_STAND
from fairviz.studies.demographic_qa.names import CAUTION, CAUTION_TITLE, unit_of
from fairviz.studies.demographic_qa.published import CITED, PAPER, table_notes
from fairviz.studies.demographic_qa.remedies import gaps_title, vote_title
from fairviz.studies.demographic_qa.tables import VariantResults, tables
from fairviz.studies.demographic_qa.views import group_panel
from pages._demographic_qa.results import Combination, Settings, Votes, as_results, comparable, conditions
from pages._demographic_qa.strategies import disparity_sections
from pages._kit import download_row

STEM = "fairviz-demographic-qa"
TABLES = (2, 3, 4, 5, 6)
"""Published tables with numbers."""


def downloads(loaded: Dataset, settings: Settings, votes: Votes, finding: Finding) -> None:
    """The row of buttons; files are written when one is pressed."""
    selected = settings.selected
    of_kind = [combination for combination in settings.answers if combination.kind == selected.kind]
    known = partial(_tables, loaded, settings)
    download_row(
        STEM,
        frame_csv=lambda: csv_text(known(of_kind)["groups"]),
        latex=lambda: latex_text(known([selected])["groups"], label="tab:groups"),
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
    sentences = (*(gap_words(row, unit=unit) for row in selected.rows), counts_words(selected.rows))
    if selected.kind == "open":
        sentences += (AS_THEY_STAND,)
    known = _tables(loaded, settings, [selected])
    compared = _tables(loaded, settings, combinations, votes)
    widest = tables(VariantResults(widest=gaps))
    return [
        Section(CAUTION_TITLE, (CAUTION,)),
        section_of(known, "By group", *sentences, blocks=[*_charts(settings, unit), "groups"]),
        section_of(widest, gaps_title(gaps), blocks=["widest_gaps"]),
        *disparity_sections(settings, votes, name=STEM),
        section_of(compared, vote_title(whole), blocks=["strategies"]),
        published_section(),
    ]


def published_section() -> Section:
    """The paper's tables with what contradicts itself in them."""
    published = [read_published(PAPER, number) for number in TABLES]
    known = tables(VariantResults(published=published))
    return section_of(known, f"Published ({CITED})", *table_notes(published), blocks=list(known))


def published_downloads() -> None:
    """The paper's tables alone, where no answers are loaded."""
    known = tables(VariantResults(published=[read_published(PAPER, number) for number in TABLES]))
    download_row(
        f"{STEM}-published",
        frame_csv=lambda: csv_text(known[f"published_{TABLES[0]}"]),
        latex=lambda: "\n".join(map(latex_text, known.values())),
        html=lambda: html_text("Demographic QA, published", [published_section()]),
    )


def _tables(
    loaded: Dataset, settings: Settings, answers: Sequence[Combination], votes: Votes | None = None
) -> dict[str, Table]:
    """Every table of some of the loaded answers by name."""
    results = as_results(loaded, answers, threshold=settings.threshold, votes=votes)
    return tables(VariantResults(answers=results, unit=unit_of(settings.selected.kind, settings.threshold)))


def _charts(settings: Settings, unit: str) -> list[Figure]:
    panels = [group_panel(row, unit=unit) for row in settings.selected.rows]
    span = shared_span(panels)
    figures: list[Figure] = []
    for panel in panels:
        light, dark = in_both_themes(lambda colours, panel=panel: groups_figure(panel, span=span, colours=colours))
        figures.append(Figure(light, dark, groups_alt(panel), caption=panel.attribute, name=STEM))
    return figures
