"""Sixth lesson: from what a generator is given to what it uses."""

import streamlit as st

from fairviz.metrics.exposure import ee_disparity
from fairviz.show.words import number, percent
from pages._kit import colours, header, kicker, readouts, show_figure, user_text
from pages._learn import five_items
from pages._learn.figures import Lesson, lesson_alt, lesson_figure
from pages._learn.predict import Question, answer_key, predict

RULES = ("every second one", "only useful ones", "only the first")


def question() -> Question:
    """What is guessed, and the answer."""
    return Question(
        slug="use",
        ask="It uses each given item with chance ½, whichever it is. EAE-D is how many % of EE-D?",
        answer=25.0,
        start=50,
        why="Every exposure is halved, so every square is a quarter: EAE-D = EAR² · EE-D. "
        "That is the line of equal chance on the Attribution page.",
    )


def show() -> None:
    """The lesson."""
    header(
        "Learn · 6 of 12 · Use",
        "Shown is not used: does the answer share as the list does?",
        "A generator is given two items and uses some of them in its answer. EAE-D asks of the "
        "items used what EE-D asks of the items shown.",
        how=_HOW,
    )
    asked = question()
    left, right = st.columns([4, 6], gap="large")
    with left:
        _, revealed = predict(asked, {"uses": RULES[0], "lesson_alpha": 2.0})
        rule, alpha = RULES[0], 2.0
        if revealed:
            user_text(asked.why)
            kicker("3 · Change the generator")
            rule = (
                st.segmented_control("It uses", RULES, default=RULES[0], key="uses", required=True, bind="query-params")
                or RULES[0]
            )
            alpha = st.slider("α", 0.0, 8.0, 2.0, 0.25, format="%g", key="lesson_alpha", bind="query-params")
    with right:
        _chart(alpha, rule, revealed)
        answer_key(asked)


def _chart(alpha: float, rule: str, revealed: bool) -> None:
    given, used = five_items.exposure(alpha), five_items.used(alpha, rule)
    lesson = Lesson(
        names=five_items.NAMES,
        notes=five_items.NOTES,
        useful=five_items.USEFUL,
        fixed=100 * given,
        seen=100 * used if revealed else None,
    )
    figure = lesson_figure(lesson, colours=colours(), title="of 100 answers, how many use it", outline="outline: given")
    show_figure(figure, "use", lesson_alt(lesson))
    if revealed:
        offsets = five_items.five().offsets
        shown, taken = ee_disparity(given, offsets)[0], ee_disparity(used, offsets)[0]
        rate = float(used.sum() / given.sum())
        readouts(
            [
                (number(float(shown), 2), "EE-D of the lists (raw)", ""),
                (number(float(taken), 2), "EAE-D of the answers (raw)", "optimal"),
                (percent(rate), "EAR: share of given items used", ""),
                (number(rate**2 * float(shown), 2), "EAR² · EE-D: equal chance", ""),
            ]
        )


_HOW = r"""
**Outline**: how often an item is given; **bars**: how often it is used.

$$\text{EAR}=\tfrac1k\sum_d\varepsilon_{a,d},\qquad
\text{EAE-D}=\lVert\varepsilon_a\rVert^2=\sum_d\varepsilon_{a,d}^2$$

EAE-D falls when less is used at all. Only against $\text{EAR}^2\cdot\text{EE-D}$, what equal
chance would give, does it say whether the generator concentrates. *Kim & Diaz 2025, 3.3.3–3.3.4.*
"""
