"""The worked example: five items, a reader of two, and a list that is drawn by chance."""

import numpy as np
import streamlit as st

from fairviz.attention import TopK
from fairviz.policies import PlackettLuce
from fairviz.show.words import number, percent
from pages._kit import colours, header, html_table, kicker, readouts, show_figure, user_text
from pages._learn import five_items
from pages._learn.figures import Lesson, lesson_alt, lesson_figure
from pages._learn.predict import Question, answer_key, predict

QUESTION_ALPHA = 2.0


def question() -> Question:
    """What is guessed, and the answer."""
    seen = 100 * five_items.exposure(QUESTION_ALPHA)
    return Question(
        slug="exposure",
        ask="With α = 2, out of 100 readers, how many see item A?",
        answer=float(seen[0]),
        start=100,
        why=_why(QUESTION_ALPHA),
    )


def show() -> None:
    """The lesson."""
    header(
        "Learn · 2 of 12 · Expected exposure",
        "Who gets seen when the list is drawn, not fixed?",
        "Five items, and a reader who looks at two. Fixed by score, A and B get all of it, though "
        "C and E are just as useful as A. Drawing the list by chance shares attention out. "
        "How much?",
        how=_HOW,
    )
    asked = question()
    left, right = st.columns([4, 6], gap="large")
    with left:
        guess, revealed = predict(asked, {"lesson_alpha": 2.0})
        alpha = QUESTION_ALPHA
        if revealed:
            user_text(_why(QUESTION_ALPHA))
            kicker("3 · Move it")
            alpha = st.slider(
                "α: how strongly the list follows the scores",
                0.0,
                8.0,
                2.0,
                0.25,
                format="%g",
                key="lesson_alpha",
                bind="query-params",
            )
    with right:
        _chart(alpha, guess if alpha == QUESTION_ALPHA else None, revealed)
        with st.expander("The sum, item by item", expanded=revealed):
            if revealed:
                _sum(alpha)
            else:
                st.write("Reveal first: the table holds the answer.")
        answer_key(asked)


def _chart(alpha: float, guess: int | None, revealed: bool) -> None:
    shown = five_items.exposure(alpha)
    lesson = Lesson(
        names=five_items.NAMES,
        notes=five_items.NOTES,
        useful=five_items.USEFUL,
        fixed=100 * five_items.READER.weights(5),
        seen=100 * shown if revealed else None,
        guess=None if guess is None else (0, float(guess)),
    )
    show_figure(lesson_figure(lesson, colours=colours()), "five-items", lesson_alt(lesson))
    if revealed:
        now, fixed = five_items.values(shown), five_items.values(five_items.READER.weights(5))
        readouts(
            [
                (
                    number(now.attainable_disparity, 2),
                    f"EE-D, disparity ↓ (fixed: {number(fixed.attainable_disparity, 2)})",
                    "",
                ),
                (
                    number(now.attainable_relevance, 2),
                    f"EE-R, quality ↑ (fixed: {number(fixed.attainable_relevance, 2)})",
                    "",
                ),
                (percent(now.useful_share), "of attention on useful items", "plackett-luce"),
            ]
        )


def _sum(alpha: float) -> None:
    logits = PlackettLuce(alpha).logits(np.array(five_items.SCORES))
    first, both = five_items.exposure(alpha, TopK(1)), five_items.exposure(alpha)
    weights = np.exp(logits)
    rows = [
        [
            name,
            f"{score:g}",
            number(float(logits[i]), 2),
            _weight(float(weights[i])),
            number(float(first[i]), 2),
            number(float(both[i] - first[i]), 2),
            number(float(both[i]), 2),
        ]
        for i, (name, score) in enumerate(zip(five_items.NAMES, five_items.SCORES, strict=True))
    ]
    html_table(
        ["Item", "score s", "(s + 1)^α", "weight e^…", "first", "second", "seen in first two"],
        rows,
        caption=f"Chances at α = {alpha:g}: weight over the sum of weights, then again without the item drawn first.",
        show_caption=True,
    )


SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _weight(value: float) -> str:
    if value < 1e5:
        return f"{value:.1f}"
    digits, _, power = f"{value:.1e}".partition("e+")
    return f"{digits} · 10{power.lstrip('0').translate(SUPERSCRIPTS)}"


def _why(alpha: float) -> str:
    weights = np.exp(PlackettLuce(alpha).logits(np.array(five_items.SCORES)))
    first, both = five_items.exposure(alpha, TopK(1)), five_items.exposure(alpha)
    return (
        f"A has weight e^((1+1)²) = {weights[0]:.1f}; all five sum to {weights.sum():.1f}. "
        f"A is first with chance {first[0]:.2f}, second with chance {both[0] - first[0]:.2f}: "
        f"together {both[0]:.2f}."
    )


_HOW = r"""
**Bars** say how many of 100 readers see an item when the list is drawn anew for each; the
**outline** is the fixed list. Blue items are useful, grey ones are not.

$$P(\text{first}=d)=\frac{e^{(s_d+1)^{\alpha}}}{\sum_j e^{(s_j+1)^{\alpha}}}$$

α = 0 draws by pure chance, a large α follows the scores. Without chance, small differences in
score become all or nothing. *Kim & Diaz 2025, section 3.2; computed exactly, not sampled.*
"""
