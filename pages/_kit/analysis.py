"""What a study found, as any page shows it: findings, charts and tables with their downloads, notes, the command."""

import streamlit as st

from fairviz.display.table import Table, folded
from fairviz.model import Dataset
from fairviz.studies.study import Analysis, Settings
from pages._kit import counts_line, in_rows, section, show_chart
from pages._kit.commands import study_command, study_files
from pages._kit.html import page_table

LONGEST, ENDS = 60, 20
"""Rows of a table that are shown whole, and at either end of a longer one."""


def show(command: str, settings: Settings, analysis: Analysis, loaded: Dataset, *, in_a_row: int = 1) -> None:
    """All that a study found but its headline, and the command that prints it.

    Args:
        command: Of the study.
        settings: What it is set to.
        analysis: What it found.
        loaded: The data.
        in_a_row: Charts beside each other.
    """
    for finding in analysis.findings[1:]:
        section(finding.title, finding.sentence)
    for stem in in_rows([*analysis.charts], in_a_row, gap="small"):
        chart = analysis.charts[stem]
        show_chart(lambda colours, chart=chart: chart.draw(colours=colours), f"{command}-{stem}", chart.alt)
    for stem, table in analysis.read.items():
        if table.rows:
            _table(command, settings, stem, table)
    others = [stem for stem in analysis.tables if stem not in analysis.read]
    if others:
        stem = st.selectbox("Another table", others, None, key=f"{command}-table", bind="query-params")
        if stem:
            _table(command, settings, stem, analysis.tables[stem])
    for note in analysis.notes:
        counts_line(str(note))
    st.code(study_command(loaded, command, settings, ()), language="bash", wrap_lines=True)


def _table(command: str, settings: Settings, stem: str, table: Table) -> None:
    short, left_out = folded(table, most=LONGEST, ends=ENDS)
    between = {index: f"{n} rows more in the downloads" for index, n in left_out.items()}
    page_table(short, between=between, show_caption=True, narrow="scroll")
    study_files(
        f"fairviz-{command}-{stem}", f"Table {stem}", (command, settings), lambda: {stem: table}, csv=stem, latex=[stem]
    )
