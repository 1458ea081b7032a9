"""Learn: each idea on a few items, guess first; then words, formulas, and the papers' index."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages._learn import glossary, metric_chooser, papers
from pages._learn.lesson import show_lesson
from pages._learn.lessons import LESSONS, show_answer_key

CHAPTERS: dict[str, Callable[[], None]] = {
    **{
        lesson.name: partial(show_lesson, lesson, number=number, n_lessons=len(LESSONS))
        for number, lesson in enumerate(LESSONS, start=1)
    },
    "Choose a metric": metric_chooser.show,
    "Answer key": show_answer_key,
    "Glossary": glossary.show,
    "Papers": papers.show,
}

chapter = st.pills(
    "Chapter",
    list(CHAPTERS),
    default="Attention",
    key="chapter",
    required=True,
    label_visibility="collapsed",
    bind="query-params",
)
CHAPTERS[chapter or "Attention"]()
