"""Learn: each idea on a few items, guess first; then words, formulas, and the papers' index."""

import streamlit as st

from pages import (
    _answer_key,
    _glossary,
    _lesson_attention,
    _lesson_chooser,
    _lesson_exposure,
    _lesson_letters,
    _lesson_metrics,
    _lesson_optimal,
    _lesson_parity,
    _lesson_samples,
    _lesson_swaps,
    _lesson_target,
    _lesson_unknown,
    _lesson_use,
    _lesson_vote,
    _papers,
)

CHAPTERS = {
    "Attention": _lesson_attention.show,
    "Expected exposure": _lesson_exposure.show,
    "Target": _lesson_target.show,
    "Samples": _lesson_samples.show,
    "Optimal": _lesson_optimal.show,
    "Use": _lesson_use.show,
    "Two metrics": _lesson_metrics.show,
    "Parity or proportion": _lesson_parity.show,
    "Always unknown": _lesson_unknown.show,
    "Parity of letters": _lesson_letters.show,
    "Pooled vote": _lesson_vote.show,
    "Swapped words": _lesson_swaps.show,
    "Choose a metric": _lesson_chooser.show,
    "Answer key": _answer_key.show,
    "Glossary": _glossary.show,
    "Papers": _papers.show,
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
