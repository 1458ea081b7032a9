"""Demographic QA: the same question asked about different people, and what moves with them."""

import math

import streamlit as st

from fairviz.display.words import (
    capital,
    count,
    percent,
)
from fairviz.model import Dataset
from fairviz.studies.demographic_qa.answers import (
    By,
    OptionTaken,
    Record,
    dependent_questions,
    options_taken,
    unread_words,
    worse_for,
)
from fairviz.studies.demographic_qa.charts import (
    shared_span,
)
from fairviz.studies.demographic_qa.findings import (
    agreement_words,
    next_step,
    overlap_title,
    panels_title,
    question_title,
    unread_of,
    widest_first,
)
from fairviz.studies.demographic_qa.names import heading, shortened, spoken, unit_of, words_of
from fairviz.studies.demographic_qa.retrieval import (
    loaded_variant_runs,
)
from fairviz.studies.demographic_qa.settings import CUTOFFS, VariantsSettings
from pages._demographic_qa import (
    Settings,
    controls,
    files,
    gaps_and_doses,
    groups_chart,
    overlap,
    overlaps_of_runs,
    remedies,
)
from pages._demographic_qa_report import downloads, published
from pages._kit import (
    callout,
    counts_line,
    empty_state,
    in_rows,
    page_head,
    section,
)
from pages._kit.controls import choose_one, stepped
from pages._kit.html import (
    Html,
    el,
    join,
)
from pages._kit.session import cached, dataset

PARAM = "question"
"""Carries the id of the question in the address."""
EVERY = "all that differ"
IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""


@cached
def dependent(loaded: Dataset, file: int, by: By, attribute: str, how: VariantsSettings) -> list[Record]:
    """Questions of one combination whose answer depends on the attribute."""
    return dependent_questions(loaded.variants[file], attribute, how, where=by)


@st.fragment
def reader(loaded: Dataset, settings: Settings) -> None:
    """The questions whose answer depends on an attribute, those that one group gets wrong first."""
    selected = settings.selected
    attributes: list[str] = [row["attribute"] for row in selected.rows]
    if not attributes:
        return
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        attribute = attributes[0]
        if len(attributes) > 1:
            attribute = choose_one("Differ by", attributes, "depends", width=170, format_func=shortened)
        questions = dependent(loaded, selected.file, selected.by, attribute, settings.how)
        worse = worse_for(questions)
        kept = {EVERY: questions} | {f"worse about {shortened(value)} ({len(of)})": of for value, of in worse.items()}
        listed = questions
        if worse:
            listed = kept[st.selectbox("Answered", list(kept), key="answered", width=280)]
        ids = [question["question_id"] for question in listed]
        question = listed[stepped(ids, PARAM)] if listed else None
    row = next(row for row in selected.rows if row["attribute"] == attribute)
    n_unequal = sum(question["spread"] > 0 for question in questions)
    unequal = f"{count(n_unequal)} of them worse about one group than about another. " if questions else ""
    with top:
        section(question_title(len(questions), row["n_questions"], attribute), f"{unequal}{agreement_words([row])}.")
    if question is None:
        return
    _card(loaded, settings, question)
    name, title = "fairviz-dependent-questions", "Questions answered differently"
    files(loaded, settings.said(attribute), name, title, csv="dependent")


def _card(loaded: Dataset, settings: Settings, question: Record) -> None:
    """The question, and its options with those about whom they were given."""
    answers = loaded.variants[settings.selected.file]
    words = (loaded.texts or {}).get(question["question_id"])
    missing = "Question text not loaded. Add a table query_id,text."
    by_rouge = answers.kind == "open" and settings.how.threshold is None
    st.html(
        el(
            "div",
            el("p", f"Question {question['question_id']}", cls="fv-counts"),
            el("p", words, cls="fv-question-text") if words else el("p", missing, cls="fv-counts"),
            el("ul", *(_option(option, by_rouge=by_rouge) for option in options_taken(answers, question))),
            el("p", f"Right answer: {question['gold']}", cls="fv-counts") if answers.kind == "open" else None,
            cls="fv-question",
        )
    )
    if answers.kind == "closed" and not answers.frame["offered"].is_not_null().any():
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


def below_title(settings: Settings) -> None:
    """What to do next, how many answers were read, how far all this goes."""
    selected = settings.selected
    st.html(el("p", next_step(selected.rows), cls="fv-next"))
    if unread := unread_words(*unread_of(selected.rows), kind=selected.kind):
        callout(unread.title, unread.sentence)
    callout(*words_of("caution").values())


def accuracy(loaded: Dataset, settings: Settings) -> None:
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
    retrieved = loaded_variant_runs(loaded)
    return overlap_title(overlaps_of_runs(loaded, 0, CUTOFFS[0]), retriever=retrieved[0].retriever) if retrieved else ""


loaded = dataset()


@st.fragment
def answers() -> None:
    """One's own answers: who gets fewer right ones, what changes it, the questions themselves."""
    head, top = page_head("demographic_qa"), st.container()
    settings = controls(loaded)
    head(*settings.finding)
    with top:
        below_title(settings)
    accuracy(loaded, settings)
    gaps_and_doses(loaded, settings)
    remedies(loaded, settings)
    reader(loaded, settings)
    downloads(loaded, settings)
    counts_line("The address of this page holds its settings: copy it to share.")


@st.fragment
def runs() -> None:
    """Runs of variants without answers, or what the page needs."""
    found = headline_of_runs(loaded)
    title = found or "No answers to variants of questions are loaded"
    page_head("demographic_qa")(title, f"{'No answers are loaded. ' if found else ''}{words_of('page')['needed']}")
    callout(*words_of("caution").values())
    if found:
        overlap(loaded, None)
    else:
        empty_state("Load answers to see who gets fewer right ones", "The Data page says what was found in a file.")


if loaded.variants:
    answers()
else:
    runs()
published(alone=not loaded.variants and not loaded_variant_runs(loaded))
