"""The metric chooser: six questions in plain words, and the measure that answers them."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from fairviz.display.words import ARROWS, listing
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import parse_measure
from fairviz.studies.groups.chooser import QUESTIONS, Question, Recommendation, choose
from pages._kit import counts_line, header, section
from pages._kit.html import Html, el, join


def show() -> None:
    """Questions to the left, the answer to the right."""
    top = st.container()
    left, right = st.columns([5, 6], gap="large")
    with left:
        answers = {question.name: _answer(question) for question in QUESTIONS}
    arguments: dict[str, Any] = {**answers, "missing": answers["missing"] == "yes"}
    choice = choose(**arguments)
    with top:
        first = choice.recommended[0]
        header(
            "Learn · Choose a metric",
            f"For this question: {listing([_label(text) for text in first.measures])}",
            "Which group measure answers which question, after the recommendations of Raj et al.; "
            "what follows from the formulas alone is marked as ours.",
        )
    with right:
        section("Use")
        _recommended(choice.recommended)
        if choice.also:
            section("Beside it")
            _recommended(choice.also)
        if choice.caveats:
            section("Keep in mind")
            st.html(el("ul", *(el("li", text) for text in choice.caveats)))
        measures = [m for recommendation in (*choice.recommended, *choice.also) for m in recommendation.measures]
        st.page_link(
            "pages/export.py",
            label="Compute these on your data",
            icon=":material/calculate:",
            query_params={"measures": measures},
        )
        counts_line("What should be aimed for is the first question, and no measure settles it.")


def _answer(question: Question) -> str:
    words = question.answers
    return st.radio(
        question.text,
        list(words),
        format_func=lambda answer: words[answer],
        key=f"choose_{question.name}",
        persist_state="session",
    )


def _recommended(recommendations: Sequence[Recommendation]) -> None:
    for recommendation in recommendations:
        names = join(*(_measure(text) for text in recommendation.measures))
        st.html(
            el(
                "div",
                names,
                el("p", recommendation.reason, style="margin:.2rem 0"),
                el("p", recommendation.source, cls="fv-counts"),
                style="margin-bottom:.8rem",
            )
        )


def _measure(text: str) -> Html:
    """Name, direction and the string to type."""
    return el("p", el("strong", f"{_label(text)} {_arrow(text)}"), " ", el("code", text), style="margin:0")


def _label(text: str) -> str:
    spec = parse_measure(text)
    measure = CATALOGUE.get(spec.name)
    label = measure.label if measure else spec.name
    return f"{label} by group" if spec.params.get("by") == "group" else label


def _arrow(text: str) -> str:
    spec = parse_measure(text)
    measure = CATALOGUE.get(spec.name)
    return ARROWS[measure.direction(spec.params) if measure else "higher"]
