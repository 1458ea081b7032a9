"""The questions behind the rates: evidence and answers counted, answers that depend on a group."""

import math

import streamlit as st

from fairviz.analysis.variant_drill import DependentQuestion, GivenAnswer, dependent_questions
from fairviz.analysis.variant_errors import ErrorCase, error_cases
from fairviz.model import Dataset
from fairviz.report.csv import csv_text
from fairviz.report.variant_errors import errors_counts, errors_title, question_title
from fairviz.report.variant_tables import dependent_content, errors_content
from fairviz.report.variant_words import heading, spoken
from fairviz.report.words import percent, plural
from pages._demographic_settings import Settings
from pages._kept import kept
from pages._shared import (
    Bar,
    Column,
    Html,
    Toned,
    Two,
    count,
    counts_line,
    download_row,
    el,
    html_table,
    join,
    rule,
    section,
    user_text,
)

SHOWN = 200
"""Questions in the table of all; the CSV has the others, too."""
LONGEST = 220
"""Characters of an answer in the table."""


@kept
def dependent(
    loaded: Dataset,
    file: int,
    by: tuple[tuple[str, str], ...],
    attribute: str,
    threshold: float | None,
) -> tuple[DependentQuestion, ...]:
    """Questions of one combination whose answer depends on the attribute."""
    return dependent_questions(loaded.variants[file], attribute, where=by, threshold=threshold)


@kept
def errors(
    loaded: Dataset, file: int, columns: tuple[str, ...], threshold: float | None, judged: bool
) -> tuple[ErrorCase, ...]:
    """Evidence × answer of one file, by combination and group."""
    answers = loaded.variants[file]
    if answers.kind == "open" and threshold is None:
        return ()
    qrels = loaded.qrels[0] if judged else None
    return error_cases(answers, by=columns, threshold=threshold, qrels=qrels)


def error_section(loaded: Dataset, chosen: Settings) -> None:
    """Table 7 of the paper as counts."""
    one = chosen.chosen
    columns = tuple(name for name, _ in one.by)
    known = bool((loaded.variants[one.file].evidence >= 0).any())
    judged = not known and bool(loaded.qrels)
    every = errors(loaded, one.file, columns, chosen.threshold, judged)
    found = [each for each in every if each.by == one.by and each.n]
    rule()
    if not found:
        section("Where answers went wrong: the evidence is not known", _why(chosen))
        return
    single = [each for each in found if "+" not in each.attribute]
    source = "by the loaded judgements" if judged else "as recorded"
    section(
        errors_title(single),
        f"Answers about each group, by whether the evidence given was right ({source}) and whether "
        "the answer was. The paper's Table 7 shows three such cases, without counts.",
    )
    heads = [
        Column(label="Group"),
        Column(label="answers", align="right"),
        Column(label="evidence right, answer right", align="right"),
        Column(label="evidence right, answer wrong", align="right"),
        Column(label="evidence wrong, answer right", align="right"),
        Column(label="both wrong", align="right"),
        Column(label="answer wrong on right evidence", wide=True),
    ]
    rows = [
        [
            Two(top=spoken(each.value), below=heading(each.attribute) or "no group"),
            count(each.n),
            *(_part(n, each.n) for n in (each.right_right, each.right_wrong, each.wrong_right, each.wrong_wrong)),
            Bar(length=each.right_wrong / max(each.right_right + each.right_wrong, 1), tone="loss"),
        ]
        for each in single
    ]
    html_table(heads, rows, caption="Evidence and answers by group", narrow="scroll")
    counts_line(errors_counts(single))
    download_row("fairviz-errors", frame_csv=lambda: csv_text(errors_content(found)))


def drill(loaded: Dataset, chosen: Settings) -> None:
    """Questions whose answer depends on an attribute, then one of them in full."""
    one = chosen.chosen
    attributes = [row.attribute for row in one.rows]
    if not attributes:
        return
    rule()
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        attribute = st.selectbox("Depends on", attributes, key="depends", bind="query-params", width=190)
        found = dependent(loaded, one.file, one.by, attribute, chosen.threshold)
        ids = [each.question_id for each in found]
        picked = (
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
    row = next(row for row in one.rows if row.attribute == attribute)
    moved = sum(each.spread > 0 for each in found)
    with top:
        section(
            question_title(len(found), row.n_questions, attribute),
            f"{count(moved)} of them are right for one group and not for another; the others get "
            "different answers that are equally right or wrong.",
        )
    if not found:
        return
    known = next((each for each in found if each.question_id == picked), found[0])
    _one(loaded, known)
    with st.expander(f"All {plural(len(found), 'question')}"):
        _every(found)
    download_row("fairviz-dependent-questions", frame_csv=lambda: csv_text(dependent_content(found)))


def _one(loaded: Dataset, question: DependentQuestion) -> None:
    words = (loaded.texts or {}).get(question.question_id)
    if words:
        user_text(words)
    counts_line(f"Right answer: {question.gold or 'not recorded'}")
    columns = [
        Column(label="Group"),
        Column(label="Answer"),
        Column(label="", align="right", short=True),
    ]
    rows = [[_name(given), _cut(given.words) or "no answer", _badge(given)] for given in question.answers]
    html_table(columns, rows, caption=f"Answers to question {question.question_id} by group")


def _every(found: tuple[DependentQuestion, ...]) -> None:
    values = list(dict.fromkeys(_name(given) for each in found for given in each.answers))
    columns = [Column(label="Question"), Column(label="right")] + [Column(label=value) for value in values]
    rows: list[list[str | Html]] = []
    for each in found[:SHOWN]:
        given = {_name(one): one for one in each.answers}
        line: list[str | Html] = [each.question_id, _cut(each.gold, 24)]
        line += [join(_cut(given[v].words, 24) or "–", " ", _mark(given[v])) if v in given else "" for v in values]
        rows.append(line)
    html_table(columns, rows, caption="Answers by group", narrow="scroll", tall=True)
    if len(found) > len(rows):
        counts_line(f"The first {len(rows)} of {len(found)}; the CSV below has all.")


def _name(given: GivenAnswer) -> str:
    return f"{spoken(given.value)} (no attribute)" if given.reference else spoken(given.value)


def _badge(given: GivenAnswer) -> Toned | str:
    if math.isnan(given.score):
        return "not known"
    if given.score in (0.0, 1.0):
        right = given.score == 1.0
        return Toned(text="✓ right" if right else "✗ wrong", tone="gain" if right else "loss")
    return f"ROUGE-L {percent(given.score)}"


def _mark(given: GivenAnswer) -> Html | str:
    if math.isnan(given.score):
        return ""
    if given.score in (0.0, 1.0):
        right = given.score == 1.0
        return el(
            "strong",
            "✓" if right else "✗",
            cls=f"fv-tone-{'gain' if right else 'loss'}",
            aria_label="right" if right else "wrong",
        )
    return percent(given.score)


def _cut(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _part(n: int, of: int) -> Two:
    return Two(top=count(n), below=percent(n / of))


def _why(chosen: Settings) -> str:
    if chosen.chosen.kind == "open" and chosen.threshold is None:
        return "Open answers are right or wrong only from a threshold of ROUGE-L on: choose one."
    return "A column evidence (true or false) says whether what was given to the model was right."
