"""The parts of the Social bias page from the level of every row to one item."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from fairviz.display.html import Figure, html_text, section_of
from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.theme import LIGHT, in_both_themes, plotly_script
from fairviz.display.words import Finding
from fairviz.errors import FairvizError
from fairviz.model import Dataset
from fairviz.report.answer_pages import SocialBiasSettings
from fairviz.studies.social_bias.figures_levels import levels_alt, levels_figure
from fairviz.studies.social_bias.findings import measured_words, rows_finding
from fairviz.studies.social_bias.labels import MEASURE_LABELS
from fairviz.studies.social_bias.levels import by_type
from fairviz.studies.social_bias.rows import BiasRow
from fairviz.studies.social_bias.tables import BiasResults, tables
from fairviz.studies.social_bias.unread import reading_words
from pages._kit import callout, counts_line, download_row, figure_drawer, section
from pages._kit.commands import page_commands
from pages._kit.html import notes_below
from pages._social_bias.change import change_files, change_section, shown_changes
from pages._social_bias.dose import dose_section
from pages._social_bias.item import item_section
from pages._social_bias.level import groups_section, level_table, right_section
from pages._social_bias.results import (
    MatchedAnswers,
    Settings,
    changes_against,
    choose_comparison,
    group_rows,
    sides_of,
)
from pages._social_bias.unread import chosen

NOT_LISTED = "If it is not in the list, load its answers, too."
RETRIEVAL = ("Choose a run without retrieval to see what retrieval changes", NOT_LISTED)
TO_COMPARE = {
    "language": ("Changes between languages are not shown", "They were asked different questions."),
    "model": ("Choose a model to compare with, to see what differs", NOT_LISTED),
    **dict.fromkeys(("shots", "size", "tuned"), ("Choose what to compare with, to see what changes", NOT_LISTED)),
}
"""What to do where nothing is compared, by what sets answers apart."""


def answers(
    loaded: Dataset,
    matched: MatchedAnswers,
    settings: Settings,
    finding: Finding,
    every: Sequence[BiasRow],
    rows: Sequence[BiasRow],
) -> None:
    """Level, about whom, change beside dose, one item.

    Args:
        loaded: Data with questions and answers.
        matched: The same, matched.
        settings: What is looked at.
        finding: The title of the page.
        every: All rows that p is corrected over.
        rows: Those that are looked at.
    """
    measure = settings.measure
    types = by_type(rows, measure, settings.sort)
    shown = [row for own in types.values() for row in own]
    sides = sides_of(loaded, settings.compared)
    levels = rows_finding(rows, measure, sides)
    left, right = st.columns([4, 3], vertical_alignment="bottom")
    with left:
        section(levels.title, levels.sentence)
    unknown = chosen(matched, settings.read)
    read = reading_words(unknown)
    results = BiasResults(every, levels=shown, measure=measure, sides=sides, names=settings.names, reading=read)
    with right:
        downloads(loaded.name, LevelsView(finding, shown, results, settings, settings.said(matched, unknown)))
    level_table(types, settings, sides)
    counts_line(measured_words(rows, n_items=len(matched.items), n_unmatched=matched.n_unmatched, ooc="drop"))
    notes_below(*matched.notes)
    groups_section(group_rows(loaded, settings.compared, settings.value, settings.read), list(types), settings)
    left, right = st.columns(2, gap="large")
    with left:
        reference, value = _changes(loaded, matched, settings, list(types))
    with right:
        dose_section(loaded, settings)
    if measure == "diffbias_a":
        with right if reference else left:
            right_section(types, settings)
    item_section(loaded, settings, reference, value)


def _changes(loaded: Dataset, matched: MatchedAnswers, settings: Settings, order: Sequence[str]) -> tuple[str, str]:
    """The table of changes, where there is anything to compare; returns what is compared, before and after."""
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        reference, value = choose_comparison(loaded, matched, settings)
        foot = st.container(horizontal=True, gap="small")
    with top:
        if not reference:
            section(*TO_COMPARE.get(settings.column, RETRIEVAL))
            return "", ""
        try:
            measured = changes_against(loaded, settings.compared, reference, settings.read)
        except FairvizError as error:
            callout("These answers cannot be compared", str(error))
            return "", ""
        shown = shown_changes(measured, order, settings, value)
        change_section(shown, settings, reference, value)
    with foot:
        change_files(shown, measured, settings, reference, value, reading_words(chosen(matched, settings.read)))
    return reference, value


STEM = "fairviz-social-bias"


class LevelsView(NamedTuple):
    """What the table of levels shows.

    Attributes:
        finding: The title of the page.
        shown: Those in the table, in its order.
        results: The same with what a table of them needs.
        settings: What is looked at.
        told: The same for a command.
    """

    finding: Finding
    shown: Sequence[BiasRow]
    results: BiasResults
    settings: Settings
    told: SocialBiasSettings


def downloads(name: str, view: LevelsView) -> None:
    """Buttons beside the title of the levels."""
    settings = view.settings
    draw = partial(levels_figure, view.shown, settings.measure, settings.names)
    alt = levels_alt(view.shown, settings.measure, settings.names)
    with st.container(horizontal=True, gap="small"):
        figure_drawer(lambda: draw(colours=LIGHT), f"{STEM}-levels", caption=alt)
        download_row(
            STEM,
            "This table",
            frame_csv=lambda: csv_text(tables(view.results)["rows"]),
            latex=lambda: latex_text(tables(view.results)["levels"], label="tab:levels"),
            html=lambda: _report(name, view),
            commands=lambda: page_commands("social_bias", view.told, csv="rows", latex=["levels"]),
        )


def _report(name: str, view: LevelsView) -> str:
    settings = view.settings
    light, dark = in_both_themes(
        lambda colours: levels_figure(view.shown, settings.measure, settings.names, colours=colours)
    )
    alt = levels_alt(view.shown, settings.measure, settings.names)
    figure = Figure(light, dark, alt, caption=MEASURE_LABELS[settings.measure], name=STEM)
    known = tables(view.results)
    sections = [
        section_of(known, view.finding.title, view.finding.sentence, view.results.reading, blocks=["levels", figure]),
        section_of(known, "Counts behind every number", blocks=["rows"]),
    ]
    return html_text("Social bias", sections, lead=f"{name}.", plotly_js=plotly_script())
