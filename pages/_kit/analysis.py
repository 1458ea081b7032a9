"""What a study found, as any page shows it: findings, charts and tables with their downloads, notes, the command."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from fairviz.display.table import Table, folded
from fairviz.display.words import count, plural
from fairviz.model import Dataset, Note
from fairviz.studies.study import Analysis, Settings
from pages._kit import in_rows, section, show_chart
from pages._kit.commands import report, study_command, study_files
from pages._kit.downloads import download_row
from pages._kit.html import Html, el, folded_list, page_table

LONGEST, ENDS = 60, 20
"""Rows of a table that are shown whole, and at either end of a longer one."""
NOTES_SHOWN = 12
"""Notes on a file or a system; the rest is counted."""


def show(
    command: str,
    settings: Settings,
    analysis: Analysis,
    loaded: Dataset,
    *,
    tables: Mapping[str, Table] | None = None,
    in_a_row: int = 1,
) -> None:
    """All that a study found but its headline, and the command that prints it.

    Args:
        command: Of the study.
        settings: What it is set to.
        analysis: What it found.
        loaded: The data.
        tables: Those that are read at once, by stem; those of a terminal unless given.
        in_a_row: Charts beside each other.
    """
    for finding in analysis.findings[1:]:
        section(finding.title, finding.sentence)
    for stem in in_rows([*analysis.charts], in_a_row, gap="small"):
        chart = analysis.charts[stem]
        show_chart(chart.draw, f"{command}-chart-{stem}", chart.alt)  # a setting may be called like it
    read = analysis.read if tables is None else tables
    for stem, table in read.items():
        if table.rows:
            study_table(command, settings, stem, table)
    others = [stem for stem in analysis.tables if stem not in read]
    if others:
        stem = st.selectbox("Another table", others, None, key=f"{command}-table", bind="query-params")
        if stem:
            study_table(command, settings, stem, analysis.tables[stem])
    show_notes(analysis.notes, "on these numbers")
    title = analysis.findings[0].title if analysis.findings else command
    download_row(f"fairviz-{command}", "All of it", {"html": partial(report, title, analysis.in_report)})
    st.code(study_command(loaded, command, settings, ()), language="bash", wrap_lines=True)


def study_table(command: str, settings: Settings, stem: str, table: Table) -> None:
    """A table with its caption and downloads; of a long one both ends."""
    short, left_out = folded(table, most=LONGEST, ends=ENDS)
    between = {index: f"{n} rows more in the downloads" for index, n in left_out.items()}
    caption = f"{table.caption} ({stem})".lstrip()  # two tables of a study may have one caption
    page_table(short, between=between, caption=caption, show_caption=True, narrow="scroll")
    study_files(
        f"fairviz-{command}-{stem}", f"Table {stem}", (command, settings), lambda: {stem: table}, csv=stem, latex=[stem]
    )


def show_notes(notes: Sequence[Note], about: str) -> None:
    """Notes, shut until somebody opens them; so many of each file or system, the rest counted."""
    lines: list[Html] = []
    for name in dict.fromkeys(note.file for note in notes):
        own = [note for note in notes if note.file == name]
        lines += [
            el("li", el("code", name), f", line {note.line}: " if note.line else ": ", note.message)
            for note in own[:NOTES_SHOWN]
        ]
        if len(own) > NOTES_SHOWN:
            lines.append(el("li", el("code", name), f": and {count(len(own) - NOTES_SHOWN)} more"))
    if lines:
        folded_list(f"{plural(len(notes), 'note')} {about}", lines)
