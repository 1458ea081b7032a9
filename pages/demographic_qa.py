"""Demographic QA: the same question asked about different people, and what moves with them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from fairviz.display.html import Figure, Section, section_of
from fairviz.display.markup import rendered
from fairviz.display.published import PublishedTable, read_published
from fairviz.display.table import Table
from fairviz.display.words import capital, count, percent
from fairviz.model import Dataset
from fairviz.studies.demographic_qa.across_findings import failing_title
from fairviz.studies.demographic_qa.answers import (
    By,
    Record,
    dependent_questions,
    options_taken,
    unread_words,
    worse_for,
)
from fairviz.studies.demographic_qa.brief import answers_brief
from fairviz.studies.demographic_qa.charts import shared_span
from fairviz.studies.demographic_qa.columns import (
    STRATEGIES,
    doses_table,
    failing_table,
    groups_table,
    published_table,
    rows_table,
    strategies_table,
)
from fairviz.studies.demographic_qa.combinations import Combination, measured_rows, measured_votes, vote_gains
from fairviz.studies.demographic_qa.findings import (
    CITED,
    PAPER,
    TABLES,
    agreement_words,
    change_finding,
    counts_words,
    doses_title,
    equal_opportunity_words,
    gap_words,
    levels_finding,
    next_step,
    overlap_title,
    panels_title,
    published_title,
    question_title,
    spoken_ends,
    table_notes,
    unread_of,
    vote_title,
    widest_first,
)
from fairviz.studies.demographic_qa.names import heading, shortened, spoken, unit_of, words_of
from fairviz.studies.demographic_qa.retrieval import loaded_variant_runs
from fairviz.studies.demographic_qa.settings import CUTOFFS, VariantsSettings
from fairviz.studies.study import Chart
from pages._demographic_qa import (
    Settings,
    across_of,
    cases_of,
    controls,
    doses_of,
    files,
    gaps_and_doses,
    groups_chart,
    overlap,
    overlaps_of_runs,
    remedies,
)
from pages._kit import callout, counts_line, empty_state, fold, in_rows, page_head, published_ground, section
from pages._kit.commands import report, study_files
from pages._kit.controls import choose_one, stepped
from pages._kit.downloads import download
from pages._kit.html import el, folded_list, page_table
from pages._kit.session import cached, dataset

PARAM = "question"
"""Carries the id of the question in the address."""
EVERY = "all that differ"
LISTED = 10
"""Questions that fail across models and are listed on the page; the file has all."""
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
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        attribute, spoken_of = attributes[0], spoken_ends(selected.rows)
        if len(attributes) > 1:
            usual = spoken_of.row["attribute"] if spoken_of else attribute
            look = {"width": 170, "format_func": shortened}
            attribute = choose_one("Differ by", attributes, "depends", usual=usual, **look)
        questions = dependent(loaded, selected.file, selected.by, attribute, settings.how)
        worse = worse_for(questions)
        kept = {EVERY: questions} | {f"worse about {shortened(value)} ({len(of)})": of for value, of in worse.items()}
        listed = questions
        if worse:
            of_title = spoken_of.worst["value"] if spoken_of and spoken_of.row["attribute"] == attribute else ""
            first = [*worse].index(of_title) + 1 if of_title in worse else 0
            listed = kept[st.selectbox("Answered", list(kept), first, key=f"answered-{attribute}", width=280)]
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


def failing(loaded: Dataset, settings: Settings) -> None:
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


def _card(loaded: Dataset, settings: Settings, question: Record) -> None:
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


def below_title(settings: Settings) -> None:
    """What to do next, how many answers were read, how far all this goes."""
    selected = settings.selected
    st.html(el("p", next_step(selected.rows), cls="fv-next"))
    if unread := unread_words(*unread_of(selected.rows), kind=selected.kind):
        callout(unread.title, unread.sentence)
    callout(*words_of("provoked" if settings.provoked else "caution").values())


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


# The report, its downloads, and the published tables.

SIDE_BY_SIDE = ((3, 4), (5, 6), (2,))
"""Gaps first, then what moves them, then the long table of scores."""


def published_tables() -> tuple[dict[int, PublishedTable], dict[str, Table]]:
    """The paper's tables by number as printed, and by stem as they are shown."""
    printed = {number: read_published(PAPER, number) for number in TABLES}
    return printed, {f"published_{number}": published_table(table) for number, table in printed.items()}


def published(*, alone: bool) -> None:
    """The tables where they are asked for.

    Args:
        alone: Whether the page has nothing else to show.
    """
    printed_in = f"{CITED}, Tables 2–6"
    with published_ground(printed_in, alone=alone) as shown:
        if not shown:
            return
        printed, tables = published_tables()
        for numbers in SIDE_BY_SIDE:
            for number in in_rows(numbers, len(numbers), gap="large"):
                section(published_title(number), f"Table {number}: {printed[number].title}. No test.")
                page_table(tables[f"published_{number}"], narrow="scroll", tall=True)
        remarks = table_notes(list(printed.values()))
        head = f"{len(remarks)} notes on these tables: contradictions and omissions in print"
        folded_list(head, (el("li", text) for text in remarks))
        files = "fairviz-demographic-qa-published", "Published tables", printed_in, lambda: tables
        study_files(*files, csv=f"published_{TABLES[0]}", latex=list(tables))


FIELDS = (
    ("decides", "Decides", "Who takes the decision"),
    ("decision", "Decision", "What is decided, and until when"),
    ("why", "Why", "Why this model, or why not"),
    ("again", "Look again", "When these questions are asked again"),
)
"""What people write into the brief: an empty field is a ruled line there."""


def one_page(loaded: Dataset, settings: Settings) -> None:
    """Who decides and why, then the brief; it is written when the button is pressed."""
    gaps = across_of(loaded, settings)
    if gaps is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        with st.popover("Who decides, and why", icon=":material/edit_note:"):
            decided = {
                name: st.text_input(label, key=f"answers_brief_{name}", placeholder=hint, max_chars=240)
                for name, label, hint in FIELDS
            }
        retrieval = settings.words("retrieval")
        download(
            "One-page brief",
            lambda: answers_brief(loaded, gaps, decided, retrieval=retrieval, provoked=settings.provoked),
            "fairviz-answers-brief.html",
            icon=":material/description:",
            kind="primary",
        )


def downloads(loaded: Dataset, settings: Settings) -> None:
    """The row of buttons; files are written when one is pressed."""
    one_page(loaded, settings)
    finding = settings.finding
    lead = f"{loaded.name}: {finding.sentence} {next_step(settings.selected.rows)}"
    files(
        loaded,
        settings.command_settings(),
        "fairviz-demographic-qa",
        "Answers by group, and this page",
        csv="groups",
        latex=["groups-printed"],
        html=partial(report, finding.title, lambda: report_sections(loaded, settings), lead),
    )


def report_sections(loaded: Dataset, settings: Settings) -> list[Section]:
    """What a report says: caution, rates, gaps under every condition, votes, retrieval, the published tables."""
    selected = settings.selected
    cells = measured_rows(loaded, settings.how, cells=True)
    votes = measured_votes(loaded, settings.votes)
    own = (*selected.rows, *cells.get(selected.key, ()))
    anywhere = ("model", "strategy", "retriever", "k")
    several = settings.siblings(*anywhere)
    at_this_depth = settings.siblings("model", "strategy")

    def known(answers: Sequence[Combination]) -> list[Record]:
        return [
            row for combination in answers for row in (*votes.get(combination.key, ()), *cells.get(combination.key, ()))
        ]

    sentences = [*(gap_words(row) for row in own), counts_words(own)]
    if selected.kind == "open":
        sentences.append(words_of("as_they_stand"))
    rows, rows_here = settings.rows(*anywhere), settings.rows("model", "strategy")
    finding = change_finding(settings.rows("strategy"), without="with the plain prompt") or levels_finding(
        rows, what="condition"
    )
    gains = vote_gains(loaded, settings.votes, tuple(other.key for other in at_this_depth))
    doses = doses_table(doses_of(loaded, settings))
    tables = {
        "groups": groups_table(known([selected]), captioned=True),
        "rows": rows_table(known(several)),
        "strategies": strategies_table(known(at_this_depth), caption=STRATEGIES),
        "doses": doses,
    }
    caution, tested = words_of("caution"), words_of("page")["tested"]
    sections = [
        Section(caution["title"], (caution["sentence"],)),
        section_of(tables, "By group", *sentences, blocks=[*_charts(own), "groups"]),
        section_of(tables, capital(finding), tested, equal_opportunity_words(rows), blocks=["rows"]),
        section_of(tables, capital(vote_title(gains, rows_here)), blocks=["strategies"]),
    ]
    if doses.rows:
        title = doses_title(cases_of(loaded, settings), selected.rows)
        sections.append(section_of(tables, title, blocks=["doses"]))
    return [*sections, published_section()]


def _charts(rows: Sequence[Record]) -> list[Figure]:
    options = {"span": shared_span(rows)}
    charts = (Chart("demographic_qa", "groups", (row,), options) for row in rows)
    return [
        chart.in_report("demographic-qa", shortened(row["attribute"])) for chart, row in zip(charts, rows, strict=True)
    ]


def published_section() -> Section:
    """The paper's tables with what contradicts itself in them."""
    printed, tables = published_tables()
    return section_of(tables, f"Published ({CITED})", *table_notes(list(printed.values())), blocks=list(tables))


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
published(alone=not loaded.variants and not loaded_variant_runs(loaded))
