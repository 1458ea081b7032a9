"""What mitigates the differences, and single questions."""

import math
from collections.abc import Sequence

import streamlit as st

from fairviz.display.words import considered, count, interval, number, p_value, percent, plural, signed
from fairviz.model import Dataset
from fairviz.model.answers import NOT_MENTIONED
from fairviz.studies.demographic_qa.analysis import CONDITIONS
from fairviz.studies.demographic_qa.charts import shared_span
from fairviz.studies.demographic_qa.columns import errors_table, rows_table, strategies_table
from fairviz.studies.demographic_qa.findings import (
    agreement_words,
    cells_finding,
    change_finding,
    equal_opportunity_words,
    errors_title,
    gap_words,
    levels_finding,
    question_title,
    vote_title,
)
from fairviz.studies.demographic_qa.frames import By, Record
from fairviz.studies.demographic_qa.loaded import measured_rows, measured_votes, vote_gains
from fairviz.studies.demographic_qa.names import shortened, spoken, words_of
from fairviz.studies.demographic_qa.questions import (
    OptionTaken,
    dependent_questions,
    options_taken,
    worse_for,
)
from fairviz.studies.demographic_qa.settings import VariantsSettings
from pages._demographic_qa import sections as retrieval
from pages._demographic_qa.results import (
    Settings,
    cases_of,
    counting,
    guess_of,
)
from pages._demographic_qa.sections import files, groups_chart
from pages._kit import counts_line, fold, section
from pages._kit.controls import stepped
from pages._kit.html import Column, Html, Row, Two, el, join, page_table
from pages._kit.session import cached

PARAM = "question"
"""Carries the id of the question in the address."""
EVERY = "all that differ"


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
            attribute = st.selectbox(
                "Differ by", attributes, key="depends", bind="query-params", width=170, format_func=shortened
            )
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


def remedies(loaded: Dataset, settings: Settings) -> None:
    """A row per question that a reader has next; each is computed when it is opened."""
    section("What models, prompts, retrieval and a vote change")
    for stem in words_of("folds"):
        _alike(loaded, settings, stem)
    _vote(loaded, settings)
    _cells(loaded, settings)


@st.fragment
def _alike(loaded: Dataset, settings: Settings, stem: str) -> None:
    """Models, prompts or retrieval side by side; with retrieval what was retrieved, and the errors behind it."""
    about, parts = words_of("folds")[stem], CONDITIONS[stem]
    several, rows = len(settings.siblings(*parts)) > 1, settings.rows(*parts)
    if not (several or about["missing"]):
        return
    finding = change_finding(rows, without=about["without"]) if about["without"] else ""
    finding = (finding or levels_finding(rows, what=about["what"])) if several else about["missing"]
    with fold(stem.capitalize(), finding, key=about["key"]) as opened:
        if opened and (several or stem != "retrieval"):
            _conditions(loaded, settings, rows, ["k" if part == "depth" else part for part in parts], stem)
        if opened and stem == "retrieval":
            retrieval.overlap(loaded, settings)
            _errors(loaded, settings)


def _errors(loaded: Dataset, settings: Settings) -> None:
    """Evidence × answer by group, as counts: the paper's Table 7 shows three such cases, without counts."""
    cases = cases_of(loaded, settings)
    table = errors_table(cases)
    if not table.rows:
        return
    section(errors_title(cases), "Answers about each group, by whether the evidence was right and whether they were.")
    shown = [key for key in table.keys if key not in {name for name, _ in settings.selected.shown} | {"attribute"}]
    page_table(
        table,
        show=shown,
        drawn={"value": lambda row: shortened(row.text("value"))},
        caption="Evidence and answers by group",
        narrow="scroll",
    )
    files(loaded, settings.said(), "fairviz-errors", "Evidence and answers", csv="errors")


@st.fragment
def _vote(loaded: Dataset, settings: Settings) -> None:
    wanted = tuple(combination.key for combination in settings.siblings("model", "strategy"))
    gains = vote_gains(loaded, settings.votes, wanted)
    with fold("Majority vote", vote_title(gains, settings.rows("model", "strategy")), key="vote") as opened:
        if not opened:
            return
        with counting(loaded):
            votes = measured_votes(loaded, settings.votes)
        table = strategies_table([row for key in wanted for row in votes[key]])
        numbers = ("score", "vote_score", "change", "p_holm", "dp", "vote_within_dp", "n_ties")
        wanted_columns = ("model", "strategy", "attribute", *numbers)
        page_table(
            table,
            show=[key for key in wanted_columns if key in table.keys],
            drawn={
                "attribute": lambda row: shortened(row.text("attribute")),
                "score": lambda row: percent(row.number("score"), 1),
                "vote_score": lambda row: percent(row.number("vote_score"), 1),
                "change": lambda row: Two(top=signed(100 * row.number("change"), 1), below=_between(row)),
                "dp": lambda row: _points(row.number("dp")),
                "vote_within_dp": lambda row: _points(row.number("vote_within_dp")),
            },
            columns={"change": Column(label="change, points", align="right")},
            caption="Score and gap without and with a vote",
            narrow="scroll",
        )
        counts_line(f"Ties: {words_of('ties')[settings.ties]}. {words_of('page')['vote']}")


@st.fragment
def _cells(loaded: Dataset, settings: Settings) -> None:
    answers = loaded.variants[settings.selected.file]
    if not ((answers.given != NOT_MENTIONED).sum(axis=1) > 1).any():
        return
    with fold("Combinations of groups", "both attributes at once, compared when opened", key="cells") as opened:
        if not opened:
            return
        with counting(loaded):
            cells = measured_rows(loaded, settings.how, cells=True)
        selected = settings.selected
        guess = guess_of(loaded, selected.file, selected.by)
        for row in cells.get(selected.key, ()):
            finding = cells_finding(row)
            section(finding.title, finding.sentence)
            groups_chart(row, shared_span([row]), guess)
            counts_line(gap_words(row))


def _conditions(loaded: Dataset, settings: Settings, rows: Sequence[Record], columns: Sequence[str], stem: str) -> None:
    """Score, DP and EO of every attribute under some conditions, with what chance gives and the change."""
    table = rows_table(rows)
    definition = next((row["answerable"] for row in rows if row["answerable"]), "")
    eo = f"EO ({words_of('answerable')[definition]})" if definition else "EO"
    wanted = (*columns, "attribute", "score", "dp", "dp_chance", "ddp", "eo", "dp_macro", "overlap_all")
    page_table(
        table,
        show=[key for key in wanted if key in table.keys],
        drawn={
            "attribute": lambda row: shortened(row.text("attribute")),
            "score": lambda row: Two(
                top=percent(row.number("score"), 1), below=plural(int(row.number("n_questions")), "question")
            ),
            "dp": _dp,
            "dp_chance": lambda row: _defined(
                row, "dp_chance", _points(row.number("dp_chance")), f"p {_p(row.number('dp_p_holm'))}"
            ),
            "ddp": lambda row: _defined(row, "ddp", signed(100 * row.number("ddp"), 1), _p_of_change(row)),
            "eo": _eo,
            "dp_macro": lambda row: f"{_points(row.number('dp_macro'))} · {_points(row.number('dp_max'))}",
            "overlap_all": lambda row: f"{number(row.number('overlap_all'), 1)}\u202f%",
        },
        columns={
            "score": Column(label="score", align="right"),
            "dp": Column(label="gap (DP), points", align="right"),
            "dp_chance": Column(label="by chance", align="right"),
            "ddp": Column(label="change of the gap", align="right"),
            "eo": Column(label=eo, align="right"),
            "dp_macro": Column(label="DP by options, mean · max", align="right"),
            "overlap_all": Column(label="documents in common", align="right"),
        },
        caption="Score, DP and EO of each condition",
        narrow="scroll",
    )
    files(loaded, settings.said(), f"fairviz-{stem}", "Scores and gaps", csv=stem, latex=[stem])
    n_tests = max((row["dp_n_tests"] for row in rows), default=0)
    tests = f"p: permutation within questions, changes by swapping questions ({considered(n_tests)})."
    notes = [
        tests if n_tests else "",
        equal_opportunity_words(rows),
        words_of("page")["options"] if "dp_macro" in table.keys else "",
    ]
    for note in filter(None, notes):
        counts_line(note)


def _dp(row: Row) -> Two | str:
    best, worst = row["best"], row["worst"]
    pair = f"{shortened(str(best))} − {shortened(str(worst))}" if best and worst else "all equal"
    between = _between(row, "dp_")
    top = f"{_points(row.number('dp'))}{between and f' ({between})'}"
    return _defined(row, "dp", top, "0 by construction" if row.get("by_construction") else pair, missing="undefined")


def _defined(row: Row, key: str, top: str, below: str, *, missing: str = "") -> Two | str:
    """A value with a line below it, where it is defined."""
    return missing if math.isnan(row.number(key)) else Two(top=top, below=below)


def _eo(row: Row) -> Two | str:
    chance = row.number("eo_chance")
    below = "" if math.isnan(chance) else f"by chance {_points(chance)}, p {_p(row.number('eo_p_holm'))}"
    return _defined(row, "eo", _points(row.number("eo")), below, missing="undefined")


def _between(row: Row, of: str = "") -> str:
    """An interval in points; "" where there is none."""
    low, high = row.number(f"{of}low"), row.number(f"{of}high")
    return "" if low != low else interval(100 * low, 100 * high, 1)


def _p_of_change(row: Row) -> str:
    p = row.number("ddp_p_holm")
    return "not tested" if math.isnan(p) else f"p {_p(p)}"


def _p(value: float) -> str:
    text = p_value(value)
    return text if text.startswith("<") else f"= {text}"


def _points(value: float) -> str:
    return number(100 * value, 1)
