"""Learn: each idea on five items, guess first; then words, formulas, and the paper's index."""

import streamlit as st

from pages import (
    _answer_key,
    _glossary,
    _lesson_attention,
    _lesson_exposure,
    _lesson_optimal,
    _lesson_samples,
    _lesson_target,
    _lesson_use,
    _papers,
)

CHAPTERS = {
    "Attention": _lesson_attention.show,
    "Expected exposure": _lesson_exposure.show,
    "Target": _lesson_target.show,
    "Samples": _lesson_samples.show,
    "Optimal": _lesson_optimal.show,
    "Use": _lesson_use.show,
    "Answer key": _answer_key.show,
    "Glossary": _glossary.show,
    "Papers": _papers.show,
}

chapter = st.pills(
    "Chapter", list(CHAPTERS), default="Attention", key="chapter", required=True,
    label_visibility="collapsed", bind="query-params",
)  # fmt: skip
CHAPTERS[chapter or "Attention"]()
