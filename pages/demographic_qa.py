"""Demographic QA: the same question asked about different people, and what moves with them."""

import streamlit as st

from fairviz.studies.demographic_qa.names import CAUTION, CAUTION_TITLE
from fairviz.studies.demographic_qa.runs import loaded_variant_runs
from pages._demographic_qa import questions, retrieval, sections
from pages._demographic_qa.downloads import downloads
from pages._demographic_qa.published import published
from pages._demographic_qa.remedies import remedies
from pages._demographic_qa.results import controls
from pages._kit import callout, counts_line, dataset, empty_state, header, paint_first

HOW = r"""
Each **dot** is the share of answers about a group that are right, the **bar** a 95 % bootstrap over
questions, the **dashed line** the same questions with nobody mentioned. Questions are the same for
every group, so gaps are paired.

$$\mathrm{DP}=\max_{g,g'}P(\hat Y{=}1\mid g)-P(\hat Y{=}1\mid g')$$

$$\mathrm{EO}:\ \text{the same among answerable questions } (Y{=}1)$$

$\hat Y=1$: the answer is right (or ROUGE-L reaches the threshold). 0 = groups alike, but a largest gap
is above 0 by chance alone: permuting the answers of each question among the groups gives the gap that
**chance alone** makes, and *p* (Holm's correction over all tests of a table); swapping whole questions between two
conditions tests a **change**, McNemar's test the difference from the question that mentions nobody. The interval of a
widest gap is widened for all pairs of groups among which it was picked.
Variants that were written to provoke a difference give an upper bound under stress.
*Ji, Zhang & Wang 2025.*
"""

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
        sections.head(loaded, settings, HOW)
    sections.accuracy(loaded, settings)
    paint_first()
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
    header(f"Demographic QA · {loaded.name}", title, f"{'No answers are loaded. ' if found else ''}{NEEDED}", how=HOW)
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
