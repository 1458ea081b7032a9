"""Social bias: how far answers lean towards stereotypes, about whom, what changes it; published results on request."""

import streamlit as st

from fairviz.display.markup import style
from fairviz.display.words import plural
from fairviz.errors import InputError
from fairviz.studies.social_bias.analysis import headline, matched_answers, measured_rows, shown_levels
from fairviz.studies.social_bias.findings import unread_state
from pages._kit import counts_line, page_head, without_data
from pages._kit.downloads import error_box
from pages._kit.published import published_ground
from pages._kit.session import dataset, is_shipped
from pages._social_bias import choose_settings, read_unknown, reading, recorded_wordings, too_much
from pages._social_bias_sections import answers

PAPER = "rag-social-biases"
"""Whose published results stand at the foot of the page."""

loaded = dataset()


@st.fragment
def page() -> None:
    """All of it: title, tables and charts follow the controls."""
    whose = "example answers" if is_shipped(loaded) else "your answers"
    if not (loaded.bias_items and loaded.bias_predictions):
        missing = (
            "answers" if loaded.bias_items else "questions" if loaded.bias_predictions else "questions and answers"
        )
        without_data("social_bias", subject=whose, missing=missing)
        published_ground(PAPER)
        return
    head, top = page_head("social_bias", subject=whose), st.container()
    try:
        with st.spinner("Matching answers with their questions …"):
            unknown = read_unknown(recorded_wordings(loaded))
            matched = matched_answers(loaded, unknown)
    except InputError as error:
        head("These answers cannot be matched with their questions")
        error_box(error)
        return
    settings = choose_settings(loaded, matched, unknown)
    levels = shown_levels(measured_rows(loaded, settings.compared), settings)
    rows = levels.rows(named=True)
    state = unread_state(rows, settings.context)
    head(*headline(rows, settings, matched.names), plural(levels["model"].n_unique(), "model"))
    with top:
        reading(loaded, matched, rows, settings, calm=state is not None)
    if state:
        counted = shown_levels(measured_rows(loaded, settings.compared, ooc="count"), settings)
        too_much(levels, counted, recorded_wordings(loaded), matched, settings)
    else:
        answers(loaded, matched, settings, levels)
    published_ground(PAPER)
    counts_line("The address of this page holds its settings: copy it to share.")


st.html(style("social_bias"))
page()
