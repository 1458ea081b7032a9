"""The index of each paper: its figures, tables and equations, and the page that draws them for you.

What cannot be drawn says why. Numbers are those of the text in the design's ``papers`` folder.
"""

import streamlit as st

from fairviz.show.words import plural
from pages._kit import Cell, Column, counts_line, header, html_table, section
from pages._learn.paper import NAMES, Entry, published_tables
from pages._learn.papers_comparing import COMPARING
from pages._learn.papers_fair import FAIR_METRIC
from pages._learn.papers_medical import MEDICAL_BIAS
from pages._learn.papers_rag import TOWARDS_FAIR_RAG
from pages._learn.papers_social import SOCIAL_BIASES

PAPERS = {paper.slug: paper for paper in (TOWARDS_FAIR_RAG, COMPARING, FAIR_METRIC, SOCIAL_BIASES, MEDICAL_BIAS)}


def show() -> None:
    """Choose a paper, and see its index as a table."""
    top = st.container()
    slug = st.segmented_control(
        "Paper",
        list(PAPERS),
        default=TOWARDS_FAIR_RAG.slug,
        key="paper",
        required=True,
        bind="query-params",
        label_visibility="collapsed",
    )
    paper = PAPERS[slug or TOWARDS_FAIR_RAG.slug]
    with top:
        header(
            "Learn · Papers",
            paper.title,
            f"{paper.cited} Each figure, table, equation and result, with the page that shows it for what you loaded.",
        )
    with st.container(horizontal=True, gap="small"):  # links in a table would end the session
        for page in dict.fromkeys(entry.page for entry in paper.entries if entry.page):
            if page != "learn":
                st.page_link(f"pages/{page}.py", label=f"Open {NAMES[page]}")
    html_table(
        ["Where", *(Column(label=name) for name in ("What", "Page", "Look at"))],
        [_row(entry) for entry in paper.entries],
        caption=f"Figures, tables, equations and results of {paper.slug}",
    )
    n, drawn = len(paper.entries), sum(1 for entry in paper.entries if entry.page)
    counts_line(f"{plural(n, 'entry', 'entries')} · {drawn} drawn for your data · {n - drawn} not · {paper.missing}")
    if paper.published:
        published_tables(paper.published)
    section("What was settled", "Where the paper, its code or its own lines differ.")
    html_table(
        ["Where", Column(label="Decision")],
        [list(one) for one in paper.settled],
        caption=f"Readings of {paper.slug} that were settled",
    )


def _row(entry: Entry) -> list[Cell]:
    return [entry.where, entry.what, NAMES.get(entry.page, "none"), entry.how]
