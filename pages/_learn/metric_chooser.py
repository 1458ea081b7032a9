"""The metric chooser: six questions in plain words, and the measure that answers them."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from fairviz.display.words import ARROWS, listing
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import parse_measure
from fairviz.studies.groups.measures import QUESTIONS, choose
from pages._kit import counts_line, header, section
from pages._kit.html import el


def show() -> None:
    """Questions to the left, the answer to the right."""
    top = st.container()
    left, right = st.columns([5, 6], gap="large")
    with left:
        answers: dict[str, Any] = {
            question["name"]: st.radio(
                question["text"],
                list(question["answers"]),
                format_func=question["answers"].get,
                key=f"choose_{question['name']}",
                persist_state="session",
            )
            for question in QUESTIONS
        }
    choice = choose(**answers | {"missing": answers["missing"] == "yes"})
    with top:
        first = choice.recommended[0]
        header(
            "Learn · Choose a metric",
            f"For this question: {listing([_named(text)[0] for text in first['measures']])}",
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
        measures = [m for recommendation in (*choice.recommended, *choice.also) for m in recommendation["measures"]]
        st.page_link(
            "pages/export.py",
            label="Compute these on your data",
            icon=":material/calculate:",
            query_params={"measures": measures},
        )
        counts_line("What should be aimed for is the first question, and no measure settles it.")


def _recommended(recommendations: Sequence[Mapping[str, Any]]) -> None:
    """Name, direction and string to type of each measure, with the reason for them."""
    for recommendation in recommendations:
        names = (
            el("p", el("strong", " ".join(_named(text))), " ", el("code", text), style="margin:0")
            for text in recommendation["measures"]
        )
        st.html(
            el(
                "div",
                *names,
                el("p", recommendation["reason"], style="margin:.2rem 0"),
                el("p", recommendation["source"], cls="fv-counts"),
                style="margin-bottom:.8rem",
            )
        )


def _named(text: str) -> tuple[str, str]:
    """The label of a measure, and the arrow of its direction."""
    spec = parse_measure(text)
    measure = CATALOGUE.get(spec.name)
    label = measure.label if measure else spec.name
    arrow = ARROWS[measure.direction(spec.params) if measure else "higher"]
    return f"{label} by group" if spec.params.get("by") == "group" else label, arrow
