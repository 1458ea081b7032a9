"""The metric chooser: questions in plain words, measures with reason and source."""

from typing import cast

import streamlit as st

from fairviz.report.metric_advice import Recommendation
from fairviz.report.metric_chooser import (
    QUESTIONS,
    Aim,
    Goal,
    Groups,
    Judged,
    Lists,
    Question,
    choose,
)
from pages._shared import Column, Two, html_table, user_text


def chooser(key: str = "chooser") -> None:
    """Ask, then show which measures answer.

    Args:
        key: Prefix of the controls' keys: one per page that shows the chooser.
    """
    answers: dict[str, str] = {}
    columns = st.columns(2, gap="large")
    for at, question in enumerate(QUESTIONS):
        with columns[at % 2]:
            answers[question.name] = _ask(question, key)
    found = choose(
        lists=cast("Lists", answers["lists"]),
        goal=cast("Goal", answers["goal"]),
        aim=cast("Aim", answers["aim"]),
        groups=cast("Groups", answers["groups"]),
        judged=cast("Judged", answers["judged"]),
        missing=answers["missing"] == "yes",
    )
    html_table(
        ["Measure", Column(label="Why"), Column(label="Source")],
        [_row(one, "") for one in found.recommended]
        + [_row(one, "beside it") for one in found.also],
        caption="Measures that answer the question",
    )
    for caveat in found.caveats:
        user_text(caveat)


def _ask(question: Question, key: str) -> str:
    return st.selectbox(
        question.text,
        list(question.answers),
        format_func=lambda value: question.answers[value],
        key=f"{key}-{question.name}",
    )


def _row(one: Recommendation, role: str) -> list[str | Two]:
    typed = " and ".join(one.measures)
    return [Two(top=typed, below=role) if role else typed, one.reason, one.source]
