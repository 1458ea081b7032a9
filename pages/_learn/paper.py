"""The published tables of a paper, as printed, with its marking and what contradicts itself."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import streamlit as st

from fairviz.io.published import PUBLISHED, read_published
from fairviz.model import PublishedTable
from fairviz.show.published import Printed, PrintedPart, label, printed_table
from fairviz.show.words import plural
from pages._kit import Cell, Column, Html, counts_line, el, html_table, join, section

# What an index of a paper is made of.


Place: TypeAlias = Literal[
    "tradeoff",
    "attribution",
    "groups",
    "policy_lab",
    "inspect",
    "social_bias",
    "demographic_qa",
    "learn",
    "data",
    "export",
    "",
]

NAMES = {
    "tradeoff": "Trade-off",
    "attribution": "Attribution",
    "groups": "Groups & targets",
    "policy_lab": "Policy lab",
    "inspect": "Inspect",
    "social_bias": "Social bias",
    "demographic_qa": "Demographic QA",
    "learn": "Learn",
    "data": "Data",
    "export": "Export",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One figure, table, equation or result of a paper.

    Attributes:
        where: Its number or section.
        what: What it shows.
        page: The page that draws it, "" for none.
        how: What to look at there, or why it cannot be reproduced from the text.
    """

    where: str
    what: str
    page: Place
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """The index of one paper.

    Attributes:
        slug: Its name in the control and in the address.
        title: Heading of the index.
        cited: Authors, year, title.
        entries: In the order of the paper.
        settled: (where, what was decided) where the paper leaves two readings.
        missing: What the text at hand lacks, for the line below the table.
        published: Its slug among the published tables, "" for none.
    """

    slug: str
    title: str
    cited: str
    entries: tuple[Entry, ...]
    settled: tuple[tuple[str, str], ...]
    missing: str
    published: str = ""


ARROWS = {"largest": "\u00a0↑", "smallest": "\u00a0↓", "best": "", "": ""}


def published_tables(paper: str) -> None:
    """Choose one of the paper's tables, and see it.

    Args:
        paper: Its slug among the published tables.
    """
    numbers = [number for other, number in PUBLISHED if other == paper]
    section("The tables as published", "Numbers as the paper prints them; nothing is repaired.")
    chosen = st.selectbox(
        "Published table",
        numbers,
        key=f"published_{paper}",
        bind="query-params",
        format_func=lambda number: f"Table {number}",
        width=220,
    )
    _table(read_published(paper, chosen))


def _table(table: PublishedTable) -> None:
    shown = printed_table(table)
    words = not any(isinstance(cell, float) for row in table.rows for cell in row)
    columns = [
        Column(label=name, align="left" if words or _words(shown.rows, place) else "right")
        for place, name in enumerate(shown.head)
    ]
    html_table(
        columns,
        [[_cell(cell) for cell in row] for row in shown.rows],
        caption=f"Table {table.number}: {table.title}" + (f". Cells: {shown.cells}" if shown.cells else ""),
        show_caption=True,
        narrow="cards" if words else "scroll",
    )
    flagged = sum(1 for flag in table.flags if flag)
    counts_line(f"{plural(len(table.rows), 'row')} in data/published, {flagged} flagged. {shown.bold}")
    if shown.notes:
        st.html(el("ol", *(el("li", note) for note in shown.notes), cls="fv-counts"))
    if table.remarks:
        st.html(el("ul", *(el("li", remark) for remark in table.remarks), cls="fv-counts"))
    with st.expander("What the columns mean"):
        pairs = zip(table.columns, table.meanings, strict=True)
        html_table(
            ["Column", Column(label="Meaning")],
            [[label(name), meaning] for name, meaning in pairs],
            caption="What the columns mean",
        )


def _words(rows: tuple[tuple[Printed, ...], ...], place: int) -> bool:
    """Whether a column holds names."""
    return any(row[place].text[:1].isalpha() for row in rows)


def _cell(cell: Printed) -> Cell:
    parts: list[Html | str] = []
    for part in cell.parts:
        parts += ["\u00a0/ "] if parts else []
        parts.append(_part(part))
    if cell.notes:
        parts.append(el("sup", " ".join(map(str, cell.notes))))
    return join(*parts)


def _part(part: PrintedPart) -> Html | str:
    return el("strong", f"{part.text}{ARROWS[part.mark]}") if part.mark else part.text
