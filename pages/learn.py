"""Learn: each idea on a few items, guess first; then words, formulas, and the papers' index."""

import streamlit as st

from pages._learn import (
    answer_key,
    attention,
    chooser,
    exposure,
    glossary,
    letters,
    metrics,
    optimal,
    papers,
    parity,
    samples,
    swaps,
    target,
    unknown,
    use,
    vote,
)

CHAPTERS = {
    "Attention": attention.show,
    "Expected exposure": exposure.show,
    "Target": target.show,
    "Samples": samples.show,
    "Optimal": optimal.show,
    "Use": use.show,
    "Two metrics": metrics.show,
    "Parity or proportion": parity.show,
    "Always unknown": unknown.show,
    "Parity of letters": letters.show,
    "Pooled vote": vote.show,
    "Swapped words": swaps.show,
    "Choose a metric": chooser.show,
    "Answer key": answer_key.show,
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
