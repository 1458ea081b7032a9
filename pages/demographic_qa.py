"""Demographic QA: the same question asked about different people, and what moves with them."""

import math
from functools import partial

import streamlit as st

from fairviz.display.words import capital, percent
from fairviz.model import Dataset
from fairviz.resources import is_example_shipped
from fairviz.studies.demographic_qa.analysis import analyse
from fairviz.studies.demographic_qa.answers import unread_words
from fairviz.studies.demographic_qa.charts import shared_span
from fairviz.studies.demographic_qa.findings import next_step, overlap_title, panels_title, unread_of, widest_first
from fairviz.studies.demographic_qa.names import heading, unit_of, words_of
from fairviz.studies.demographic_qa.retrieval import variant_families
from fairviz.studies.demographic_qa.settings import CUTOFFS
from pages._demographic_qa import (
    PageChoice,
    controls,
    files,
    gaps_and_doses,
    groups_chart,
    overlap,
    overlaps_of_retriever,
    remedies,
)
from pages._demographic_qa_questions import failing, one_page, reader, since_version
from pages._kit import callout, counts_line, empty_state, in_rows, page_head, section
from pages._kit.commands import report
from pages._kit.html import el
from pages._kit.published import published_ground
from pages._kit.session import dataset, is_example

IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""


def below_title(settings: PageChoice) -> None:
    """What to do next, how many answers were read, how far all this goes."""
    selected = settings.selected
    st.html(el("p", next_step(selected.rows), cls="fv-next"))
    if unread := unread_words(*unread_of(selected.rows), kind=selected.kind):
        callout(unread.title, unread.sentence)
    if is_example() and is_example_shipped():
        callout(*words_of("built_in").values())
    callout(*words_of("provoked" if settings.provoked else "caution").values())


def accuracy(loaded: Dataset, settings: PageChoice) -> None:
    """A panel per attribute, on one scale that no control but the outcome moves; significant gaps first."""
    selected = settings.selected
    rows = widest_first(selected.rows)
    guess: float = rows[0]["guess"] if rows else math.nan
    guessing = f" Guessing would be right in {percent(guess)} (dotted)." if guess == guess else ""
    section(
        panels_title(rows),
        f"{capital(unit_of(selected.kind, settings.how.threshold))}, %, with 95 % intervals (bootstrap over "
        f"questions). Dashed: the same questions with nobody mentioned.{guessing}",
    )
    alike = [combination for combination in settings.answers if combination.kind == selected.kind]
    span = shared_span([row for combination in alike for row in combination.rows])
    for row in in_rows(rows, min(IN_A_ROW, max(len(rows), 2))):
        st.html(el("h3", heading(row["attribute"]), cls="fv-part"))
        groups_chart(row, span)


def headline_of_runs(loaded: Dataset) -> str:
    """What the runs of variants say of retrieval, where no answers are loaded; "" without such runs."""
    retriever = next(iter(variant_families(loaded)), "")
    return overlap_title(overlaps_of_retriever(loaded, retriever, CUTOFFS[0]), retriever=retriever) if retriever else ""


def downloads(loaded: Dataset, settings: PageChoice) -> None:
    """The row of buttons; files are written when one is pressed."""
    one_page(loaded, settings)
    finding, of = settings.finding, settings.command_settings()
    lead = f"{loaded.name}: {finding.sentence} {next_step(settings.selected.rows)}"
    html = partial(report, finding.title, lambda: analyse(loaded, of).in_report(), lead)
    title, tables = "Answers by group, and this page", {"csv": "groups", "latex": ["groups-printed"]}
    files(loaded, of, "fairviz-demographic-qa", title, html=html, **tables)


loaded = dataset()


@st.fragment
def answers() -> None:
    """One's own answers: who gets fewer right ones, what changes it, the questions themselves."""
    head, top = page_head("demographic_qa"), st.container()
    settings = controls(loaded)
    head(*settings.finding)
    with top:
        below_title(settings)
    since_version(loaded, settings)
    accuracy(loaded, settings)
    gaps_and_doses(loaded, settings)
    remedies(loaded, settings)
    reader(loaded, settings)
    failing(loaded, settings)
    downloads(loaded, settings)
    counts_line("The address of this page holds its settings: copy it to share.")


@st.fragment
def runs() -> None:
    """Runs of variants without answers, or what the page needs."""
    headline = headline_of_runs(loaded)
    title = headline or "No answers to variants of questions are loaded"
    page_head("demographic_qa")(title, f"{'No answers are loaded. ' if headline else ''}{words_of('page')['needed']}")
    callout(*words_of("caution").values())
    if headline:
        overlap(loaded, None)
    else:
        empty_state("Load answers to see who gets fewer right ones", "The Data page says what was found in a file.")


if loaded.variants:
    answers()
else:
    runs()
published_ground("rag-medical-bias", alone=not loaded.variants and not variant_families(loaded))
