"""Fifth lesson: the same spread of attention, better spent."""

import numpy as np
import streamlit as st

from fairviz.show.words import number, signed
from pages._kit import colours, header, kicker, readouts, show_figure, user_text
from pages._learn import five_items
from pages._learn.figures import Lesson, lesson_alt, lesson_figure
from pages._learn.predict import Question, answer_key, predict

QUESTION_ALPHA = 2.0


def question() -> Question:
    """What is guessed, and the answer."""
    best = five_items.optimal(five_items.values(five_items.exposure(QUESTION_ALPHA)).attainable_disparity)
    return Question(
        slug="optimal",
        ask="At the same EE-D as α = 2, out of 100 readers, how many does the optimum show A?",
        answer=float(100 * best[0]),
        start=85,
        why="The optimum clips a straight line: ε = s/λ − τ, cut to 0 … 1, where λ sets the "
        f"spread. Here A gets {best[0]:.2f} and E {best[4]:.2f}.",
    )


def show() -> None:
    """The lesson."""
    header(
        "Learn · 5 of 12 · Optimal",
        "Is drawing by chance the best way to share?",
        "Plackett–Luce at α = 2 spreads attention to some degree. Among all policies that spread "
        "it exactly as much, one shows the highest scores on average. Who gains by it?",
        how=_HOW,
    )
    asked = question()
    left, right = st.columns([4, 6], gap="large")
    with left:
        guess, revealed = predict(asked, {"lesson_alpha": 2.0})
        alpha = QUESTION_ALPHA
        if revealed:
            user_text(asked.why)
            kicker("3 · Move it")
            alpha = st.slider("α", 0.0, 8.0, 2.0, 0.25, format="%g", key="lesson_alpha", bind="query-params")
    with right:
        _chart(alpha, guess if alpha == QUESTION_ALPHA else None, revealed)
        answer_key(asked)


def _chart(alpha: float, guess: int | None, revealed: bool) -> None:
    drawn = five_items.exposure(alpha)
    best = five_items.optimal(five_items.values(drawn).attainable_disparity)
    lesson = Lesson(
        names=five_items.NAMES,
        notes=five_items.NOTES,
        useful=five_items.USEFUL,
        fixed=100 * drawn,
        seen=100 * best if revealed else None,
        guess=None if guess is None else (0, float(guess)),
    )
    figure = lesson_figure(lesson, colours=colours(), outline="outline: Plackett–Luce")
    show_figure(figure, "optimal", lesson_alt(lesson))
    if revealed:
        scores = np.array(five_items.SCORES)
        now, then = five_items.values(best), five_items.values(drawn)
        readouts(
            [
                (number(now.attainable_disparity, 2), "EE-D of both ↓", ""),
                (number(float(best @ scores), 2), "score shown, optimal ↑", "optimal"),
                (number(float(drawn @ scores), 2), "score shown, Plackett–Luce ↑", "plackett-luce"),
                (signed(now.attainable_relevance - then.attainable_relevance, 2), "EE-R, optimal − Plackett–Luce", ""),
            ]
        )


_HOW = r"""
**Bars**: the optimal policy; **outline**: Plackett–Luce with the same
$\lVert\varepsilon\rVert^2$. The optimum is the projection of $s/\lambda$ onto all exposures that
a policy can have; for a reader of the first $k$

$$\varepsilon_d=\min(1,\max(0,\;s_d/\lambda-\tau)),\qquad \sum_d\varepsilon_d=k.$$

It is optimal in **score**. Scores are not usefulness: here E is useful and has score 0, so EE-R
can be lower. Beyond the papers; see the README.
"""
