"""The paper's tables on their own ground, and what contradicts itself in them."""

import streamlit as st

from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.io.published import read_published
from fairviz.studies.demographic_qa.published import CITED, PAPER, TABLES, published_title, table_notes
from fairviz.studies.demographic_qa.tables import VariantResults, tables
from pages._kit import download_row, el, page_table, published_ground, section

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
        known = tables(VariantResults(published=list(printed.values())))
        for numbers in SIDE_BY_SIDE:
            for column, number in zip(st.columns(len(numbers), gap="large"), numbers, strict=True):
                with column:
                    section(published_title(printed[number]), f"Table {number}: {printed[number].title}. No test.")
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
