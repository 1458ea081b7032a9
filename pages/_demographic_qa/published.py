"""The paper's tables where no answers are loaded, and what contradicts itself in them."""

import streamlit as st

from fairviz.io.published import read_published
from fairviz.show.words import Finding, plural
from fairviz.studies.demographic_qa.published import CITED, PAPER, published_rows, table_notes
from fairviz.studies.demographic_qa.remedies import disparities_title
from pages._demographic_qa import retrieval, strategies
from pages._demographic_qa.downloads import TABLES, published_downloads
from pages._kit import el, rule


def finding() -> Finding:
    """Title of the page without answers."""
    rows = published_rows(read_published(PAPER, 3))
    title = disparities_title(rows, published=True)
    return Finding(title, f"{CITED}, Table 3: DeepSeek-R1-8B on MedMCQA; no intervals are printed.")


def everything() -> None:
    """All tables."""
    rule()
    strategies.published_parity()
    rule()
    strategies.published_strategies()
    rule()
    strategies.published_vote()
    rule()
    retrieval.published_retrievers()
    rule()
    notes()
    published_downloads()


def notes() -> None:
    """What contradicts itself or is not said in the published tables; shown, not repaired."""
    remarks = table_notes([read_published(PAPER, number) for number in TABLES])
    head = el(
        "summary",
        f"{plural(len(remarks), 'note')} on the published tables: what contradicts "
        "itself or is not said; shown as printed",
    )
    entries = (el("li", text) for text in remarks)
    st.html(el("details", head, el("ul", *entries), cls="fv-notes"))
