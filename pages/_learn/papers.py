"""The index of each paper: its figures, tables and equations, and the page that draws them for you.

What cannot be drawn says why. A paper is a file of ``content/papers``; one layout shows all of them, with
the published tables as printed: with their marking, and with what contradicts itself.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from fairviz.display.published import (
    PUBLISHED,
    Printed,
    PublishedTable,
    cell_words,
    label,
    mark_words,
    printed_columns,
    read_published,
)
from fairviz.display.words import plural
from fairviz.resources import content
from pages import TITLES
from pages._kit import counts_line, header, section
from pages._kit.html import Cell, Column, Html, el, html_table, join

PAPERS = ("towards-fair-rag", "comparing", "fair-metric", "rag-social-biases", "rag-medical-bias")
"""Files of ``content/papers``, in the order of the control."""
ARROWS = {"largest": "\u00a0↑", "smallest": "\u00a0↓", "best": "", "": ""}
"""Marks of published cells: what the paper prints bold."""


def papers() -> dict[str, Mapping[str, Any]]:
    """The papers by slug, as their files describe them.

    A paper has a ``title``, how it is ``cited``, what the text at hand is ``missing``; its slug among the ``published``
    tables, where it has some; readings that were ``settled``; and ``entries`` in its order: ``where`` in the paper,
    ``what`` is there, the ``page`` that draws it and ``how``, or why nothing can.
    """
    return {paper["slug"]: paper for paper in (content(f"papers/{file}") for file in PAPERS)}


def show() -> None:
    """Choose a paper, and see its index as a table."""
    top = st.container()
    first, *_ = papers()
    slug = st.segmented_control(
        "Paper",
        list(papers()),
        default=first,
        key="paper",
        required=True,
        bind="query-params",
        label_visibility="collapsed",
    )
    paper = papers()[slug or first]
    with top:
        header(
            "Learn · Papers",
            paper["title"],
            f"{paper['cited']} Each figure, table, equation and result, with the page that shows it for what you "
            "loaded.",
        )
    with st.container(horizontal=True, gap="small"):  # links in a table would end the session
        for page in dict.fromkeys(entry.get("page") for entry in paper["entries"]):
            if page and page != "learn":
                st.page_link(f"pages/{page}.py", label=f"Open {TITLES[page]}")
    html_table(
        ["Where", *(Column(label=name) for name in ("What", "Page", "Look at"))],
        [
            [entry["where"], entry["what"], TITLES.get(entry.get("page"), "none"), entry["how"]]
            for entry in paper["entries"]
        ],
        caption=f"Figures, tables, equations and results of {paper['slug']}",
    )
    n, drawn = len(paper["entries"]), sum("page" in entry for entry in paper["entries"])
    counts_line(f"{plural(n, 'entry', 'entries')} · {drawn} drawn for your data · {n - drawn} not · {paper['missing']}")
    if "published" in paper:
        _published_tables(paper["published"])
    section("What was settled", "Where the paper, its code or its own lines differ.")
    html_table(
        ["Where", Column(label="Decision")],
        [[settled["where"], settled["decision"]] for settled in paper["settled"]],
        caption=f"Readings of {paper['slug']} that were settled",
    )


def _published_tables(paper: str) -> None:
    """Choose one of the paper's tables, and see it.

    Args:
        paper: Its slug among the published tables.
    """
    numbers = [number for other, number in PUBLISHED if other == paper]
    section("The tables as published", "Numbers as the paper prints them; nothing is repaired.")
    table = st.selectbox(
        "Published table",
        numbers,
        key=f"published_{paper}",
        bind="query-params",
        format_func=lambda number: f"Table {number}",
        width=220,
    )
    _show_table(read_published(paper, table))


def _show_table(table: PublishedTable) -> None:
    printed, parts = printed_columns(table), cell_words(table)
    words = not any(cells.dtype.is_float() for cells in table.cells)
    columns = [
        Column(label=name, align="left" if words or any(cell.text[:1].isalpha() for cell in cells) else "right")
        for name, cells in printed.items()
    ]
    html_table(
        columns,
        [[_cell(cell) for cell in row] for row in zip(*printed.values(), strict=True)],
        caption=f"Table {table.number}: {table.title}" + (f". Cells: {parts}" if parts else ""),
        show_caption=True,
        narrow="cards" if words else "scroll",
    )
    flagged = sum(1 for flag in table.flags if flag)
    counts_line(f"{plural(len(table.flags), 'row')} in data/published, {flagged} flagged. {mark_words(table)}")
    if table.notes:
        st.html(el("ol", *(el("li", note) for note in table.notes), cls="fv-counts"))
    if table.remarks:
        st.html(el("ul", *(el("li", remark) for remark in table.remarks), cls="fv-counts"))
    with st.expander("What the columns mean"):
        html_table(
            ["Column", Column(label="Meaning")],
            [[label(name), meaning] for name, meaning in table.meanings.items()],
            caption="What the columns mean",
        )


def _cell(cell: Printed) -> Cell:
    parts: list[Html | str] = []
    for text, mark in cell.parts:
        parts += ["\u00a0/ "] if parts else []
        parts.append(el("strong", f"{text}{ARROWS[mark]}") if mark else text)
    if cell.note:
        parts.append(el("sup", str(cell.note)))
    return join(*parts)
