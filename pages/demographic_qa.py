"""Demographic QA: the same question asked about different people, and what moves with them."""

import streamlit as st

from fairviz.display.latex import latex_text
from fairviz.display.published import read_published
from fairviz.display.table import csv_text
from fairviz.studies.demographic_qa.columns import published_table
from fairviz.studies.demographic_qa.findings import CITED, PAPER, TABLES, published_title, table_notes
from fairviz.studies.demographic_qa.names import words_of
from fairviz.studies.demographic_qa.retrieval import loaded_variant_runs
from pages._demographic_qa import remedies as questions
from pages._demographic_qa import sections
from pages._demographic_qa import sections as retrieval
from pages._demographic_qa.remedies import remedies
from pages._demographic_qa.results import controls
from pages._demographic_qa.sections import downloads
from pages._kit import callout, counts_line, empty_state, header, published_ground, section
from pages._kit.downloads import download_row
from pages._kit.html import el, page_table
from pages._kit.session import dataset

SIDE_BY_SIDE = ((3, 4), (5, 6), (2,))
"""Gaps first, then what moves them, then the long table of scores."""


def published(*, alone: bool) -> None:
    """The tables where they are asked for.

    Args:
        alone: Whether the page has nothing else to show.
    """
    printed_in = f"{CITED}, Tables 2–6"
    with published_ground(printed_in, alone=alone) as shown:
        if not shown:
            return
        printed = {number: read_published(PAPER, number) for number in TABLES}
        known = {f"published_{number}": published_table(table) for number, table in printed.items()}
        for numbers in SIDE_BY_SIDE:
            for column, number in zip(st.columns(len(numbers), gap="large"), numbers, strict=True):
                with column:
                    section(published_title(number), f"Table {number}: {printed[number].title}. No test.")
                    page_table(known[f"published_{number}"], narrow="scroll", tall=True)
        remarks = table_notes(list(printed.values()))
        head = el("summary", f"{len(remarks)} notes on these tables: contradictions and omissions in print")
        st.html(el("details", head, el("ul", *(el("li", text) for text in remarks)), cls="fv-notes"))
        download_row(
            "fairviz-demographic-qa-published",
            "Published tables",
            frame_csv=lambda: csv_text(known[f"published_{TABLES[0]}"]),
            latex=lambda: "\n".join(map(latex_text, known.values())),
            source=printed_in,
        )


loaded = dataset()


@st.fragment
def answers() -> None:
    """One's own answers: who gets fewer right ones, what changes it, the questions themselves."""
    top = st.container()
    settings = controls(loaded)
    with top:
        sections.head(loaded, settings)
    sections.accuracy(loaded, settings)
    sections.gaps_and_doses(loaded, settings)
    remedies(loaded, settings)
    questions.reader(loaded, settings)
    downloads(loaded, settings)
    counts_line("The address of this page holds its settings: copy it to share.")


@st.fragment
def runs() -> None:
    """Runs of variants without answers, or what the page needs."""
    found = retrieval.headline_of_runs(loaded)
    title = found or "No answers to variants of questions are loaded"
    header(
        f"Demographic QA · {loaded.name}",
        title,
        f"{'No answers are loaded. ' if found else ''}{words_of('page')['needed']}",
        how="demographic_qa",
    )
    callout(*words_of("caution").values())
    if found:
        retrieval.overlap(loaded, None)
    else:
        empty_state("Load answers to see who gets fewer right ones", "The Data page says what was found in a file.")


if loaded.variants:
    answers()
else:
    runs()
published(alone=not loaded.variants and not loaded_variant_runs(loaded))
