"""The paper's tables where no answers are loaded, and what contradicts itself in them."""

import streamlit as st

from fairviz.formats.published import read_published
from fairviz.report.findings import Finding
from fairviz.report.variant_published import CITED, PAPER, published_rows, table_notes
from fairviz.report.variant_remedies import disparities_title
from pages import _demographic_retrieval as retrieval
from pages import _demographic_strategies as strategies
from pages._demographic_downloads import TABLES, published_downloads
from pages._demographic_votes import published_vote
from pages._shared import el, plural, rule


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
    published_vote()
    rule()
    retrieval.published_retrievers()
    rule()
    notes()
    published_downloads()


def notes() -> None:
    """What contradicts itself or is not said in the published tables; shown, not repaired."""
    said = table_notes([read_published(PAPER, number) for number in TABLES])
    head = el(
        "summary",
        f"{plural(len(said), 'note')} on the published tables: what contradicts "
        "itself or is not said; shown as printed",
    )
    entries = (el("li", text) for text in said)
    st.html(el("details", head, el("ul", *entries), cls="fv-notes"))
