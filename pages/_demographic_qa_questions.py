"""Parts of the page Demographic QA: the questions, one by one, across models, since an earlier version; the brief."""

from dataclasses import replace

import streamlit as st

from fairviz.display.markup import rendered
from fairviz.display.words import count, plural
from fairviz.model import Dataset
from fairviz.studies.demographic_qa.across import failing_title
from fairviz.studies.demographic_qa.answers import By, Record, dependent_questions, options_taken, worse_for
from fairviz.studies.demographic_qa.brief import answers_brief
from fairviz.studies.demographic_qa.columns import failing_table, since_tables
from fairviz.studies.demographic_qa.findings import agreement_words, question_title, spoken_ends
from fairviz.studies.demographic_qa.names import shortened, spoken
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.demographic_qa.since import since, since_finding
from pages._demographic_qa import PageChoice, across_of, counting, files
from pages._kit import counts_line, fold, section
from pages._kit.controls import choose_one, stepped
from pages._kit.downloads import brief_part
from pages._kit.html import page_table
from pages._kit.link import name_mark
from pages._kit.session import cached

PARAM = "question"
"""Carries the id of the question in the address."""
EVERY = "all that differ"
LISTED = 10
"""Questions that fail across models and are listed on the page; the file has all."""


@cached
def dependent(loaded: Dataset, file: int, by: By, attribute: str, how: VariantsSettings) -> list[Record]:
    """Questions of one combination whose answer depends on the attribute."""
    return dependent_questions(loaded.variants[file], attribute, how, where=by)


@st.fragment
def reader(loaded: Dataset, settings: PageChoice) -> None:
    """The questions whose answer depends on an attribute, those that one group gets wrong first."""
    selected = settings.selected
    attributes: list[str] = [row["attribute"] for row in selected.rows]
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        spoken_of = spoken_ends(selected.rows)
        look = {"usual": spoken_of.row["attribute"] if spoken_of else None, "width": 170, "format_func": shortened}
        attribute = choose_one("Differ by", attributes, "depends", **look)
        questions = dependent(loaded, selected.file, selected.by, attribute, settings.how)
        worse = worse_for(questions)

        def words(value: str) -> str:
            return f"worse about {shortened(value)} ({len(worse[value])})" if value else EVERY

        listed = questions
        if worse:
            of_title = spoken_of.worst["value"] if spoken_of and spoken_of.row["attribute"] == attribute else ""
            look = {"usual": of_title if of_title in worse else "", "width": 280, "format_func": words}
            listed = worse.get(choose_one("Answered", ["", *worse], "answered", mark=name_mark, **look), questions)
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
    files(loaded, settings.command_settings(attribute), name, title, csv="dependent")


def failing(loaded: Dataset, settings: PageChoice) -> None:
    """Questions that most models get right about one group of the title and wrong about the other."""
    gaps = across_of(loaded, settings)
    if gaps is None or len(gaps.models) < 2:
        return
    with fold("Across models", failing_title(gaps), key="failing") as opened:
        if not opened or gaps.questions.is_empty():
            return
        table = failing_table(gaps)
        page_table(replace(table, rows=table.rows[:LISTED]), narrow="scroll")
        files(loaded, settings.command_settings(), "fairviz-failing-questions", "All of them", csv="failing")


def _card(loaded: Dataset, settings: PageChoice, question: Record) -> None:
    """The question, and its options with those about whom they were given: people in ink, nobody in outline."""
    answers = loaded.variants[settings.selected.file]
    is_open, name = answers.kind == "open", question["question_id"]
    values = {
        "words": (loaded.texts or {}).get(name),
        "options": options_taken(answers, question),
        "by_rouge": is_open and settings.how.threshold is None,
        "gold": question["gold"] if is_open else "",
    }
    st.html(rendered("variants_question.html", name=name, **values, shortened=shortened, spoken=spoken))
    if not is_open and not answers.frame["offered"].is_not_null().any():
        counts_line("The words of the options are not recorded: add a column options.")


def one_page(loaded: Dataset, settings: PageChoice) -> None:
    """Who decides and why, then the brief; it is written when the button is pressed."""
    gaps = across_of(loaded, settings)
    if gaps is None:
        return
    retrieval = settings.words("retrieval")
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        brief_part(
            "answers",
            lambda decided: answers_brief(loaded, gaps, decided, retrieval=retrieval, provoked=settings.provoked),
            "fairviz-answers-brief.html",
        )


# Since an earlier version.


def since_version(loaded: Dataset, settings: PageChoice) -> None:
    """Gaps, groups and questions beside those of the earlier version that was named."""
    if settings.earlier is None:
        return
    with counting(loaded):
        compared = since(loaded, settings.how, settings.selected.key, settings.earlier.key)
    tables = since_tables([compared])
    section(*since_finding(compared))
    page_table(tables["since-gaps"], narrow="scroll")
    worse = f"{plural(len(tables['since-questions'].rows), 'question')} got worse"
    with fold("Groups and questions", worse, key="since_questions") as opened:
        if opened:
            page_table(tables["since-groups"], narrow="scroll")
            page_table(tables["since-questions"], narrow="scroll", tall=True)
