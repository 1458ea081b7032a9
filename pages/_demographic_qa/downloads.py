"""Downloads of the Demographic QA page: rates as CSV, the selected answers as LaTeX, all as an HTML report."""

from collections.abc import Sequence

from fairviz.display.html import Figure, Section, html_text, section_of
from fairviz.display.latex import latex_text
from fairviz.display.table import Table, csv_text
from fairviz.display.theme import in_both_themes, plotly_script
from fairviz.display.words import capital
from fairviz.io.published import read_published
from fairviz.model import Dataset
from fairviz.studies.demographic_qa.combinations import Combination, as_results
from fairviz.studies.demographic_qa.figures_groups import groups_alt, groups_figure, shared_span
from fairviz.studies.demographic_qa.findings import (
    counts_words,
    doses_title,
    equal_opportunity_words,
    gap_words,
    headline,
    next_step,
)
from fairviz.studies.demographic_qa.joins import AS_THEY_STAND
from fairviz.studies.demographic_qa.names import CAUTION, CAUTION_TITLE, unit_of
from fairviz.studies.demographic_qa.published import CITED, PAPER, TABLES, table_notes
from fairviz.studies.demographic_qa.remedies import change_finding, levels_finding, vote_title
from fairviz.studies.demographic_qa.rows import VariantRow
from fairviz.studies.demographic_qa.tables import VariantResults, tables
from fairviz.studies.demographic_qa.views import group_panel
from pages._demographic_qa.results import Settings, all_votes, cases_of, cells_of, doses_of, gains_of, siblings, whose
from pages._kit import download_row
from pages._kit.commands import page_commands

STEM = "fairviz-demographic-qa"


def downloads(loaded: Dataset, settings: Settings) -> None:
    """The row of buttons; files are written when one is pressed."""
    download_row(
        STEM,
        "Answers by group, and this page",
        frame_csv=lambda: csv_text(_groups(loaded, settings, all_of_kind=True)),
        latex=lambda: latex_text(_groups(loaded, settings, all_of_kind=False), label="tab:groups-printed"),
        html=lambda: _report(loaded, settings),
        commands=lambda: page_commands("demographic_qa", settings.said(), csv="groups", latex=["groups-printed"]),
    )


def _groups(loaded: Dataset, settings: Settings, *, all_of_kind: bool) -> Table:
    """Rates of groups, combinations of attributes among them, of the chosen answers or of all of their kind."""
    selected, threshold = settings.selected, settings.threshold
    answers = [other for other in settings.answers if other.kind == selected.kind] if all_of_kind else [selected]
    cells = cells_of(loaded, threshold, settings.min_size, settings.answerable)
    results = as_results(loaded, answers, threshold=threshold, cells=cells)
    return tables(VariantResults(answers=results, unit=unit_of(selected.kind, threshold)))["groups"]


def _report(loaded: Dataset, settings: Settings) -> str:
    """The page as a file."""
    selected = settings.selected
    finding = headline(selected.rows, unit=unit_of(selected.kind, settings.threshold), who=whose(settings))
    return html_text(
        finding.title,
        report_sections(loaded, settings),
        lead=f"{loaded.name}: {finding.sentence} {next_step(selected.rows, kind=selected.kind)}",
        plotly_js=plotly_script(),
    )


def report_sections(loaded: Dataset, settings: Settings) -> list[Section]:
    """What a report says: caution, rates, gaps under every condition, votes, retrieval, the published tables."""
    selected, threshold = settings.selected, settings.threshold
    unit = unit_of(selected.kind, threshold)
    cells = cells_of(loaded, threshold, settings.min_size, settings.answerable)
    votes = all_votes(loaded, threshold, settings.min_size, settings.ties, settings.answerable)
    own = (*selected.rows, *cells.get(selected.key, ()))
    several = siblings(settings, "model", "strategy", "retriever", "depth")
    at_this_depth = siblings(settings, "model", "strategy")

    def known(answers: Sequence[Combination]) -> dict[str, Table]:
        results = as_results(loaded, answers, threshold=threshold, votes=votes, cells=cells)
        return tables(VariantResults(answers=results, unit=unit, doses=doses_of(loaded, settings)))

    sentences = [*(gap_words(row, unit=unit) for row in own), counts_words(own)]
    if selected.kind == "open":
        sentences.append(AS_THEY_STAND)
    rows = [row for combination in several for row in combination.rows]
    prompts = [row for combination in siblings(settings, "strategy") for row in combination.rows]
    found = change_finding(prompts, without="with the plain prompt") or levels_finding(rows, what="condition")
    gains = gains_of(loaded, threshold, settings.ties, tuple(other.key for other in at_this_depth))
    rows_here = [row for combination in at_this_depth for row in combination.rows]
    compared, voted, chosen = known(several), known(at_this_depth), known([selected])
    sections = [
        Section(CAUTION_TITLE, (CAUTION,)),
        section_of(chosen, "By group", *sentences, blocks=[*_charts(own, unit), "groups"]),
        section_of(compared, capital(found), TESTED, equal_opportunity_words(rows), blocks=["rows"]),
        section_of(
            voted,
            capital(vote_title(gains, rows_here)),
            blocks=["strategies"],
        ),
    ]
    if chosen["doses"].rows:
        title = doses_title(cases_of(loaded, settings), selected.rows)
        sections.append(section_of(chosen, title, blocks=["doses"]))
    return [*sections, published_section()]


TESTED = (
    "DP: largest gap in the rate between two groups; EO: the same among answerable questions. p: permutation within "
    "questions, changes by swapping whole questions; Holm over all levels and changes."
)


def published_section() -> Section:
    """The paper's tables with what contradicts itself in them."""
    printed = [read_published(PAPER, number) for number in TABLES]
    known = tables(VariantResults(published=printed))
    return section_of(known, f"Published ({CITED})", *table_notes(printed), blocks=list(known))


def _charts(rows: Sequence[VariantRow], unit: str) -> list[Figure]:
    panels = [group_panel(row, unit=unit) for row in rows]
    span = shared_span(panels)
    figures: list[Figure] = []
    for panel in panels:
        light, dark = in_both_themes(lambda colours, panel=panel: groups_figure(panel, span=span, colours=colours))
        figures.append(Figure(light, dark, groups_alt(panel), caption=panel.attribute, name=STEM))
    return figures
