"""Demographic QA: the same question asked about different people, and what moves with them."""

import streamlit as st

from fairviz.studies.demographic_qa.findings import headline, unread_of
from fairviz.studies.demographic_qa.joins import unread_words
from fairviz.studies.demographic_qa.names import ADVERSARIAL, CAUTION, CAUTION_TITLE, unit_of
from pages._demographic_qa import published, questions, retrieval, sections, strategies
from pages._demographic_qa.downloads import downloads
from pages._demographic_qa.results import all_votes, controls, counting, whose
from pages._kit import callout, counts_line, dataset, empty_state, header, paint_first, rule

HOW = r"""
Each **dot** is the share of answers about a group that are right, the **bar** a 95 % bootstrap over
questions, the **dashed line** the same questions with nobody mentioned. Questions are the same for
every group, so gaps are paired.

$$\mathrm{DP}=\max_{g,g'}P(\hat Y{=}1\mid g)-P(\hat Y{=}1\mid g')$$

$$\mathrm{EO}:\ \text{the same among answerable questions } (Y{=}1)$$

$\hat Y=1$: the answer is right (or ROUGE-L reaches the threshold). 0 = groups alike, but a largest gap
is above 0 by chance alone: permuting the answers of each question among the groups gives the gap
**expected by chance** and *p*; swapping whole questions between two conditions tests a **change**.
*Ji, Zhang & Wang 2025.*
"""

loaded = dataset()
if not loaded.variants:
    header("Demographic QA · published", *published.finding(), how=HOW)
    callout(CAUTION_TITLE, CAUTION)
    empty_state(
        "No answers to variants of questions are loaded",
        "A table or JSON Lines with qid, attribute, value, gold and prediction: one row per answer "
        "to each variant. model, dataset, strategy, retriever, k, retrieved, answerable and "
        "evidence may stand beside them.",
    )
    retrieval.overlap(loaded, None)
    published.everything()
    st.stop()


@st.fragment
def answers() -> None:
    """All of it: title, controls and charts follow the chosen answers."""
    top = st.container()
    callout(CAUTION_TITLE, f"{CAUTION} {ADVERSARIAL}")
    settings = controls(loaded)
    with top:
        unit = unit_of(settings.selected.kind, settings.threshold)
        finding = headline(settings.selected.single, unit=unit, who=whose(settings))
        header(f"Demographic QA · {loaded.name}", *finding, how=HOW)
        if unread := unread_words(*unread_of(settings.selected.single), kind=settings.selected.kind):
            callout(unread.title, unread.sentence)
    sections.accuracy(settings)
    paint_first()
    sections.cells(settings)
    sections.gaps(settings)
    rule()
    with counting(loaded):
        votes = all_votes(loaded, settings.threshold, settings.min_size, settings.ties, settings.answerable)
    strategies.disparities(settings, votes)
    strategies.published_parity()
    rule()
    strategies.scores(settings, votes)
    strategies.published_strategies()
    rule()
    strategies.votes(settings, votes)
    retrieval.overlap(loaded, settings)
    retrieval.by_retriever(settings)
    rule()
    retrieval.published_retrievers()
    questions.error_section(loaded, settings)
    questions.drill(loaded, settings)
    rule()
    published.notes()
    downloads(loaded, settings, votes, finding)
    counts_line("The address of this page holds its settings: copy it to share.")


answers()
