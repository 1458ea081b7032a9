"""One question at a time: its options in words, and about whom each was answered."""

from collections.abc import Sequence

import streamlit as st

from fairviz.display.table import csv_text
from fairviz.display.words import count, percent
from fairviz.model import Dataset
from fairviz.studies.demographic_qa.findings import agreement_words, question_title
from fairviz.studies.demographic_qa.names import shortened, spoken
from fairviz.studies.demographic_qa.questions import (
    DependentQuestion,
    OptionTaken,
    dependent_questions,
    options_taken,
    worse_for,
)
from fairviz.studies.demographic_qa.sheet import By
from fairviz.studies.demographic_qa.tables import VariantResults, tables
from pages._demographic_qa.results import Settings
from pages._kit import Html, counts_line, download_row, el, join, section
from pages._kit.cache import cached
from pages._kit.commands import page_commands

PARAM = "question"
"""Carries the id of the question in the address."""
EVERY = "all that differ"


@cached
def dependent(
    loaded: Dataset, file: int, by: By, attribute: str, threshold: float | None
) -> tuple[DependentQuestion, ...]:
    """Questions of one combination whose answer depends on the attribute."""
    return dependent_questions(loaded.variants[file], attribute, where=by, threshold=threshold)


@st.fragment
def reader(loaded: Dataset, settings: Settings) -> None:
    """The questions whose answer depends on an attribute, those that one group gets wrong first."""
    selected = settings.selected
    attributes = [row.attribute for row in selected.rows]
    if not attributes:
        return
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        attribute = attributes[0]
        if len(attributes) > 1:
            attribute = st.selectbox(
                "Differ by", attributes, key="depends", bind="query-params", width=170, format_func=shortened
            )
        questions = dependent(loaded, selected.file, selected.by, attribute, settings.threshold)
        worse = worse_for(questions)
        kept = {EVERY: questions} | {f"worse about {shortened(value)} ({len(of)})": of for value, of in worse.items()}
        listed = questions
        if worse:
            listed = kept[st.selectbox("Answered", list(kept), key="answered", width=280)]
        question = _stepped(listed) if listed else None
    row = next(row for row in selected.rows if row.attribute == attribute)
    n_unequal = sum(question.spread > 0 for question in questions)
    unequal = f"{count(n_unequal)} of them worse about one group than about another. " if questions else ""
    with top:
        section(question_title(len(questions), row.n_questions, attribute), f"{unequal}{agreement_words([row])}.")
    if question is None:
        return
    _card(loaded, settings, question)
    download_row(
        "fairviz-dependent-questions",
        "Questions answered differently",
        frame_csv=lambda: csv_text(tables(VariantResults(dependent=questions))["dependent"]),
        commands=lambda: page_commands("demographic_qa", settings.said(attribute), csv="dependent"),
    )


def _stepped(listed: Sequence[DependentQuestion]) -> DependentQuestion:
    """The question that stands open, with the buttons to the one before and after it."""
    ids = [question.question_id for question in listed]
    asked = st.query_params.get(PARAM, "")
    at = ids.index(asked) if asked in ids else 0

    def go(step: int) -> None:
        st.query_params[PARAM] = ids[(at + step) % len(ids)]

    st.button("Previous question", icon=":material/arrow_back:", on_click=go, args=(-1,), disabled=len(ids) < 2)
    st.button("Next question", icon=":material/arrow_forward:", on_click=go, args=(1,), disabled=len(ids) < 2)
    st.html(el("span", f"{count(at + 1)} of {count(len(ids))}", cls="fv-mute"))
    return listed[at]


def _card(loaded: Dataset, settings: Settings, question: DependentQuestion) -> None:
    """The question, and its options with those about whom they were given."""
    answers = loaded.variants[settings.selected.file]
    words = (loaded.texts or {}).get(question.question_id)
    missing = "Question text not loaded. Add a table query_id,text."
    by_rouge = answers.kind == "open" and settings.threshold is None
    st.html(
        el(
            "div",
            el("p", f"Question {question.question_id}", cls="fv-counts"),
            el("p", words, cls="fv-question-text") if words else el("p", missing, cls="fv-counts"),
            el("ul", *(_option(option, by_rouge=by_rouge) for option in options_taken(answers, question))),
            el("p", f"Right answer: {question.gold}", cls="fv-counts") if answers.kind == "open" else None,
            cls="fv-question",
        )
    )
    if answers.kind == "closed" and answers.offered is None:
        counts_line("The words of the options are not recorded: add a column options.")


def _option(option: OptionTaken, *, by_rouge: bool) -> Html:
    """An option in words, then who was answered so: people in ink, nobody in outline."""
    words = option.words or "no option named"
    letter = el("strong", f"{option.letter} ") if option.letter else None
    badges: list[Html] = []
    if by_rouge:
        badges.append(el("span", f"ROUGE-L {percent(option.score)}", cls="fv-chip"))
    elif option.score == 1:
        badges.append(el("span", "✓ right", cls="fv-chip fv-tone-gain"))
    badges += [el("span", shortened(value), cls="fv-chip fv-about", title=spoken(value)) for value in option.about]
    badges += [el("span", f"{shortened(value)} (nobody)", cls="fv-chip") for value in option.references]
    return el("li", el("span", join(letter, words), cls="fv-words"), el("span", *badges, cls="fv-chips-row"))
