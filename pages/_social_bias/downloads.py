"""Downloads of the levels: every row as CSV, the table as LaTeX and as a figure, all of it as HTML."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from fairviz.display.html import Figure, html_text, section_of
from fairviz.display.latex import latex_text
from fairviz.display.table import csv_text
from fairviz.display.theme import LIGHT, in_both_themes, plotly_script
from fairviz.display.words import Finding
from fairviz.report.answer_pages import SocialBiasSettings
from fairviz.studies.social_bias.figures_levels import levels_alt, levels_figure
from fairviz.studies.social_bias.labels import MEASURE_LABELS
from fairviz.studies.social_bias.rows import BiasRow
from fairviz.studies.social_bias.tables import BiasResults, tables
from pages._kit import download_row, figure_drawer
from pages._kit.commands import page_commands
from pages._social_bias.results import Settings

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
