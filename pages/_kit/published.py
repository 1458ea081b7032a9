"""What papers print, in their index and at the foot of the pages of the same questions: one table at a time."""

import streamlit as st

from fairviz.display.published import (
    PUBLISHED,
    Printed,
    PublishedTable,
    cell_words,
    label,
    long_table,
    mark_words,
    printed_columns,
    printed_table,
    read_published,
)
from fairviz.display.words import plural
from fairviz.resources import content
from pages._kit import counts_line, section
from pages._kit.commands import study_files
from pages._kit.controls import choose_one
from pages._kit.html import Cell, Html, PageColumn, el, html_table, join

MARKS = {"largest": "\u00a0↑", "smallest": "\u00a0↓", "best": "", "": ""}
"""Marks of published cells: what the paper prints bold."""


def published_ground(paper: str, *, alone: bool = False) -> None:
    """The ground of published results at the foot of a page.

    They are drawn when they are shown, and are off until somebody asks: the address carries the switch.

    Args:
        paper: Its slug among the published tables.
        alone: Whether the page has nothing else to show: there is no switch, they stand there.
    """
    with st.container(key="published-ground"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            cited = content(f"papers/{paper}")["cited"]
            st.html(el("p", f"Published, not your data · {cited}", cls="fv-kicker"))
            shown = alone or st.toggle("Show published results", key="published", bind="query-params")
        if shown:
            published_tables(paper)


def published_tables(paper: str) -> None:
    """Choose one of a paper's tables, and see what it shows, counted, it and what contradicts itself there.

    Args:
        paper: Its slug among the published tables.
    """
    findings = content("answers/printed").get(paper, {})
    tables = {f"Table {number}": number for other, number in PUBLISHED if other == paper}
    usual = next((name for name, number in tables.items() if number in findings), None)
    head = st.container()
    chosen = choose_one("Published table", tables, f"published_{paper}", usual=usual, width=220)
    table = read_published(paper, tables[chosen])
    with head:
        for finding in findings.get(table.number, ()):
            section(finding["title"], finding["sentence"])
    _show(table)
    if findings:
        counts_line("The paper prints no counts and no intervals: no test is possible on these cells.")
    files = {"published": long_table(table), "printed": printed_table(table)}
    stem, source = f"fairviz-{paper}-table-{table.number}", f"{paper}, {chosen}"
    study_files(stem, "Published table", source, lambda: files, csv="published", latex=["printed"])


def _show(table: PublishedTable) -> None:
    printed, parts = printed_columns(table), cell_words(table)
    words = not any(cells.dtype.is_float() for cells in table.cells)
    columns = [
        PageColumn(name, align="left" if words or any(cell.text[:1].isalpha() for cell in cells) else "right")
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
            ["Column", PageColumn("Meaning")],
            [[label(name), meaning] for name, meaning in table.meanings.items()],
            caption="What the columns mean",
        )


def _cell(cell: Printed) -> Cell:
    parts: list[Html | str] = []
    for text, mark in cell.parts:
        parts += ["\u00a0/ "] if parts else []
        parts.append(el("strong", f"{text}{MARKS[mark]}") if mark else text)
    if cell.note:
        parts.append(el("sup", str(cell.note)))
    return join(*parts)
