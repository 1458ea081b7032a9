"""The questions behind the rates: evidence and answers counted, answers that depend on a group."""

import math
from dataclasses import replace

import streamlit as st

from fairviz.model import Dataset
from fairviz.show.table import csv_text
from fairviz.show.words import count, percent, plural
from fairviz.studies.demographic_qa.findings import errors_counts, errors_title, question_title
from fairviz.studies.demographic_qa.names import heading, spoken
from fairviz.studies.demographic_qa.questions import (
    DependentQuestion,
    ErrorCase,
    GivenAnswer,
    dependent_questions,
    error_cases,
)
from fairviz.studies.demographic_qa.results import AnswerResults
from fairviz.studies.demographic_qa.tables import VariantResults, tables
from fairviz.studies.demographic_qa.tables_retrieval import REFERENCE
from pages._demographic_qa.results import Settings, columns_of
from pages._kit import (
    Bar,
    Column,
    Html,
    Row,
    Toned,
    Two,
    counts_line,
    download_row,
    el,
    html_table,
    join,
    page_table,
    rule,
    section,
    user_text,
)
from pages._kit.cache import cached
from pages._kit.table import Drawing

SHOWN = 200
"""Questions in the table of all; the CSV has the others, too."""
LONGEST = 220
"""Characters of an answer in the table."""

PARTS = (
    "evidence_right_answer_right",
    "evidence_right_answer_wrong",
    "evidence_wrong_answer_right",
    "evidence_wrong_answer_wrong",
)
"""Evidence × answer: the four counts of a group."""


@cached
def dependent(
    loaded: Dataset,
    file: int,
    by: tuple[tuple[str, str], ...],
    attribute: str,
    threshold: float | None,
) -> tuple[DependentQuestion, ...]:
    """Questions of one combination whose answer depends on the attribute."""
    return dependent_questions(loaded.variants[file], attribute, where=by, threshold=threshold)


@cached
def errors(
    loaded: Dataset, file: int, columns: tuple[str, ...], threshold: float | None, judged: bool
) -> tuple[ErrorCase, ...]:
    """Evidence × answer of one file, by combination and group."""
    answers = loaded.variants[file]
    if answers.kind == "open" and threshold is None:
        return ()
    qrels = loaded.qrels[0] if judged else None
    return error_cases(answers, by=columns, threshold=threshold, qrels=qrels)


def error_section(loaded: Dataset, settings: Settings) -> None:
    """Table 7 of the paper as counts."""
    selected = settings.selected
    columns = tuple(name for name, _ in selected.by)
    recorded = bool((loaded.variants[selected.file].evidence >= 0).any())
    judged = not recorded and bool(loaded.qrels)
    every_case = errors(loaded, selected.file, columns, settings.threshold, judged)
    cases = [case for case in every_case if case.by == selected.by and case.n]
    rule()
    if not cases:
        section("Where answers went wrong: the evidence is not known", _why(settings))
        return
    single = tuple(case for case in cases if "+" not in case.attribute)
    source = "by the loaded judgements" if judged else "as recorded"
    section(
        errors_title(single),
        f"Answers about each group, by whether the evidence given was right ({source}) and whether "
        "the answer was. The paper's Table 7 shows three such cases, without counts.",
    )
    page_table(
        tables(VariantResults(answers=[AnswerResults(rows=(), cases=single)]))["errors"],
        show=("value", "n", *PARTS, "bar"),
        drawn={"value": _group, "bar": _wrong_on_right_evidence, **{part: _part_of(part) for part in PARTS}},
        columns={
            "value": "Group",
            "n": "answers",
            "bar": Column(label="answer wrong on right evidence", wide=True),
        },
        caption="Evidence and answers by group",
        narrow="scroll",
    )
    counts_line(errors_counts(single))
    by = columns_of(loaded, selected)
    results = VariantResults(answers=[AnswerResults(rows=(), cases=tuple(replace(case, by=by) for case in cases))])
    download_row("fairviz-errors", frame_csv=lambda: csv_text(tables(results)["errors"]))


def drill(loaded: Dataset, settings: Settings) -> None:
    """Questions whose answer depends on an attribute, then one of them in full."""
    selected = settings.selected
    attributes = [row.attribute for row in selected.rows]
    if not attributes:
        return
    rule()
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        attribute = st.selectbox("Depends on", attributes, key="depends", bind="query-params", width=190)
        questions = dependent(loaded, selected.file, selected.by, attribute, settings.threshold)
        ids = [question.question_id for question in questions]
        question_id = (
            st.selectbox(
                "One question",
                ids,
                key="question",
                bind="query-params",
                width=300,
                help="Those that are right for one group and wrong for another come first.",
            )
            if ids
            else None
        )
    row = next(row for row in selected.rows if row.attribute == attribute)
    n_unequal = sum(question.spread > 0 for question in questions)
    with top:
        section(
            question_title(len(questions), row.n_questions, attribute),
            f"{count(n_unequal)} of them are right for one group and not for another; the others get "
            "different answers that are equally right or wrong.",
        )
    if not questions:
        return
    selected_question = next((question for question in questions if question.question_id == question_id), questions[0])
    _question(loaded, selected_question)
    with st.expander(f"All {plural(len(questions), 'question')}"):
        _all_questions(questions)
    results = VariantResults(dependent=questions)
    download_row("fairviz-dependent-questions", frame_csv=lambda: csv_text(tables(results)["dependent"]))


def _question(loaded: Dataset, question: DependentQuestion) -> None:
    words = (loaded.texts or {}).get(question.question_id)
    if words:
        user_text(words)
    counts_line(f"Right answer: {question.gold or 'not recorded'}")
    page_table(
        tables(VariantResults(dependent=[question]))["dependent"],
        show=("value", "prediction", "score"),
        drawn={
            "value": lambda row: _name(row.text("value"), reference=bool(row["reference"])),
            "prediction": lambda row: _cut(row.text("prediction")) or "no answer",
            "score": lambda row: _badge(row.number("score")),
        },
        columns={
            "value": "Group",
            "prediction": Column(label="Answer"),
            "score": Column(label="", align="right", short=True),
        },
        caption=f"Answers to question {question.question_id} by group",
    )


def _all_questions(questions: tuple[DependentQuestion, ...]) -> None:
    values = list(dict.fromkeys(_name_of(answers) for question in questions for answers in question.answers))
    columns = [Column(label="Question"), Column(label="right")] + [Column(label=value) for value in values]
    rows: list[list[str | Html]] = []
    for question in questions[:SHOWN]:
        answers = {_name_of(answer): answer for answer in question.answers}
        line: list[str | Html] = [question.question_id, _cut(question.gold, 24)]
        line += [
            join(_cut(answers[value].words, 24) or "–", " ", _mark(answers[value])) if value in answers else ""
            for value in values
        ]
        rows.append(line)
    html_table(columns, rows, caption="Answers by group", narrow="scroll", tall=True)
    if len(questions) > len(rows):
        counts_line(f"The first {len(rows)} of {len(questions)}; the CSV below has all.")


def _group(row: Row) -> Two:
    attribute = row.text("attribute")
    return Two(top=spoken(row.text("value")), below="no group" if attribute == REFERENCE else heading(attribute))


def _part_of(part: str) -> Drawing:
    return lambda row: Two(top=count(int(row.number(part))), below=percent(row.number(part) / row.number("n")))


def _wrong_on_right_evidence(row: Row) -> Bar:
    right, wrong = row.number(PARTS[0]), row.number(PARTS[1])
    return Bar(length=wrong / max(right + wrong, 1), tone="loss")


def _name_of(answer: GivenAnswer) -> str:
    return _name(answer.value, reference=answer.reference)


def _name(value: str, *, reference: bool) -> str:
    return f"{spoken(value)} (no attribute)" if reference else spoken(value)


def _badge(score: float) -> Toned | str:
    if math.isnan(score):
        return "not known"
    if score in (0.0, 1.0):
        right = score == 1.0
        return Toned(text="✓ right" if right else "✗ wrong", tone="gain" if right else "loss")
    return f"ROUGE-L {percent(score)}"


def _mark(answer: GivenAnswer) -> Html | str:
    if math.isnan(answer.score):
        return ""
    if answer.score in (0.0, 1.0):
        right = answer.score == 1.0
        return el(
            "strong",
            "✓" if right else "✗",
            cls=f"fv-tone-{'gain' if right else 'loss'}",
            aria_label="right" if right else "wrong",
        )
    return percent(answer.score)


def _cut(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _why(settings: Settings) -> str:
    if settings.selected.kind == "open" and settings.threshold is None:
        return "Open answers are right or wrong only from a threshold of ROUGE-L on: choose one."
    return "A column evidence (true or false) says whether what was given to the model was right."
