"""The report of Demographic QA, its downloads, and the published tables as the page shows them."""

from collections.abc import Sequence
from functools import partial

from fairviz.display.html import Figure, Section, section_of
from fairviz.display.published import PublishedTable, read_published
from fairviz.display.table import Table
from fairviz.display.words import (
    capital,
)
from fairviz.model import Dataset
from fairviz.studies.demographic_qa.analysis import (
    Combination,
    measured_rows,
    measured_votes,
    vote_gains,
)
from fairviz.studies.demographic_qa.answers import (
    Record,
)
from fairviz.studies.demographic_qa.charts import (
    shared_span,
)
from fairviz.studies.demographic_qa.columns import (
    STRATEGIES,
    doses_table,
    groups_table,
    published_table,
    rows_table,
    strategies_table,
)
from fairviz.studies.demographic_qa.findings import (
    CITED,
    PAPER,
    TABLES,
    change_finding,
    counts_words,
    doses_title,
    equal_opportunity_words,
    gap_words,
    levels_finding,
    next_step,
    published_title,
    table_notes,
    vote_title,
)
from fairviz.studies.demographic_qa.names import shortened, words_of
from fairviz.studies.study import Chart
from pages._demographic_qa import (
    Settings,
    cases_of,
    doses_of,
    files,
)
from pages._kit import (
    in_rows,
    published_ground,
    section,
)
from pages._kit.commands import report, study_files
from pages._kit.html import (
    el,
    folded_list,
    page_table,
)

SIDE_BY_SIDE = ((3, 4), (5, 6), (2,))
"""Gaps first, then what moves them, then the long table of scores."""


def published_tables() -> tuple[dict[int, PublishedTable], dict[str, Table]]:
    """The paper's tables by number as printed, and by stem as they are shown."""
    printed = {number: read_published(PAPER, number) for number in TABLES}
    return printed, {f"published_{number}": published_table(table) for number, table in printed.items()}


def published(*, alone: bool) -> None:
    """The tables where they are asked for.

    Args:
        alone: Whether the page has nothing else to show.
    """
    printed_in = f"{CITED}, Tables 2–6"
    with published_ground(printed_in, alone=alone) as shown:
        if not shown:
            return
        printed, known = published_tables()
        for numbers in SIDE_BY_SIDE:
            for number in in_rows(numbers, len(numbers), gap="large"):
                section(published_title(number), f"Table {number}: {printed[number].title}. No test.")
                page_table(known[f"published_{number}"], narrow="scroll", tall=True)
        remarks = table_notes(list(printed.values()))
        head = f"{len(remarks)} notes on these tables: contradictions and omissions in print"
        folded_list(head, (el("li", text) for text in remarks))
        files = "fairviz-demographic-qa-published", "Published tables", printed_in, lambda: known
        study_files(*files, csv=f"published_{TABLES[0]}", latex=list(known))


def downloads(loaded: Dataset, settings: Settings) -> None:
    """The row of buttons; files are written when one is pressed."""
    finding = settings.finding
    lead = f"{loaded.name}: {finding.sentence} {next_step(settings.selected.rows)}"
    files(
        loaded,
        settings.said(),
        "fairviz-demographic-qa",
        "Answers by group, and this page",
        csv="groups",
        latex=["groups-printed"],
        html=partial(report, finding.title, lambda: report_sections(loaded, settings), lead),
    )


def report_sections(loaded: Dataset, settings: Settings) -> list[Section]:
    """What a report says: caution, rates, gaps under every condition, votes, retrieval, the published tables."""
    selected = settings.selected
    cells = measured_rows(loaded, settings.how, cells=True)
    votes = measured_votes(loaded, settings.votes)
    own = (*selected.rows, *cells.get(selected.key, ()))
    several = settings.siblings("model", "strategy", "retriever", "depth")
    at_this_depth = settings.siblings("model", "strategy")

    def known(answers: Sequence[Combination]) -> list[Record]:
        return [row for one in answers for row in (*votes.get(one.key, ()), *cells.get(one.key, ()))]

    sentences = [*(gap_words(row) for row in own), counts_words(own)]
    if selected.kind == "open":
        sentences.append(words_of("as_they_stand"))
    rows, rows_here = settings.rows("model", "strategy", "retriever", "depth"), settings.rows("model", "strategy")
    found = change_finding(settings.rows("strategy"), without="with the plain prompt") or levels_finding(
        rows, what="condition"
    )
    gains = vote_gains(loaded, settings.votes, tuple(other.key for other in at_this_depth))
    doses = doses_table(doses_of(loaded, settings))
    tables = {
        "groups": groups_table(known([selected]), captioned=True),
        "rows": rows_table(known(several)),
        "strategies": strategies_table(known(at_this_depth), caption=STRATEGIES),
        "doses": doses,
    }
    caution, tested = words_of("caution"), words_of("page")["tested"]
    sections = [
        Section(caution["title"], (caution["sentence"],)),
        section_of(tables, "By group", *sentences, blocks=[*_charts(own), "groups"]),
        section_of(tables, capital(found), tested, equal_opportunity_words(rows), blocks=["rows"]),
        section_of(tables, capital(vote_title(gains, rows_here)), blocks=["strategies"]),
    ]
    if doses.rows:
        title = doses_title(cases_of(loaded, settings), selected.rows)
        sections.append(section_of(tables, title, blocks=["doses"]))
    return [*sections, published_section()]


def _charts(rows: Sequence[Record]) -> list[Figure]:
    options = {"span": shared_span(rows)}
    charts = (Chart("demographic_qa", "groups", (row,), options) for row in rows)
    return [
        chart.in_report("demographic-qa", shortened(row["attribute"])) for chart, row in zip(charts, rows, strict=True)
    ]


def published_section() -> Section:
    """The paper's tables with what contradicts itself in them."""
    printed, known = published_tables()
    return section_of(known, f"Published ({CITED})", *table_notes(list(printed.values())), blocks=list(known))
