"""Demographic QA: the same question asked about different people, and what moves with them."""

import streamlit as st

from fairviz.studies.demographic_qa.names import CAUTION, CAUTION_TITLE
from fairviz.studies.demographic_qa.runs import loaded_variant_runs
from pages._demographic_qa import questions, retrieval, sections
from pages._demographic_qa.downloads import downloads
from pages._demographic_qa.published import published
from pages._demographic_qa.remedies import remedies
from pages._demographic_qa.results import controls
from pages._kit import callout, counts_line, dataset, empty_state, header

loaded = dataset()
NEEDED = (
    "A table or JSON Lines with qid, attribute, value, gold and prediction: one row per answer to each variant. model, "
    "dataset, strategy, retriever, k, retrieved, options, answerable and evidence may stand beside them."
)


@st.fragment
def answers() -> None:
    """One's own answers: who gets fewer right ones, what changes it, the questions themselves."""
    top = st.container()
    settings = controls(loaded)
    with top:
        sections.head(loaded, settings, "demographic_qa")
    sections.accuracy(loaded, settings)
    sections.gaps_and_doses(loaded, settings)
    remedies(loaded, settings)
    questions.reader(loaded, settings)
    downloads(loaded, settings)
    counts_line("The address of this page holds its settings: copy it to share.")


@st.fragment
def runs() -> None:
    """Runs of variants without answers, or what the page needs."""
    found = retrieval.headline_of_runs(loaded)
    title = found or "No answers to variants of questions are loaded"
    header(
        f"Demographic QA · {loaded.name}",
        title,
        f"{'No answers are loaded. ' if found else ''}{NEEDED}",
        how="demographic_qa",
    )
    callout(CAUTION_TITLE, CAUTION)
    if found:
        retrieval.overlap(loaded, None)
    else:
        empty_state("Load answers to see who gets fewer right ones", "The Data page says what was found in a file.")


if loaded.variants:
    answers()
else:
    runs()
published(alone=not loaded.variants and not loaded_variant_runs(loaded))
