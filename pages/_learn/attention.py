"""First lesson: how attention falls with rank, and that a model of it is a choice."""

import numpy as np
import streamlit as st

from fairviz.attention import Attention, Discounted, Geometric, Logarithmic, RankBiased, TopK
from fairviz.show.words import number, percent
from pages._kit import colours, header, kicker, readouts, show_figure, user_text
from pages._learn.figures import Lesson, lesson_alt, lesson_figure
from pages._learn.predict import Question, answer_key, predict

RANKS = 8

MODELS: dict[str, tuple[Attention, str]] = {
    "patient": (RankBiased(0.8), "Goes on to the next rank with chance 0.8: 0.8^(r−1) (rbp)."),
    "hasty": (Geometric(0.5), "Stops at every rank with chance 0.5: 0.5 · 0.5^(r−1) (geometric)."),
    "discount": (Discounted(), "1/log2(r+1), the discount of nDCG (dcg)."),
    "logarithm": (Logarithmic(), "1/log2(max(r, 2)): ranks 1 and 2 are alike (log)."),
    "machine": (TopK(5), "All of the first five, none below: a language model's context (topk)."),
}


def question() -> Question:
    """What is guessed, and the answer."""
    patient = 100 * MODELS["patient"][0].weights(RANKS)
    return Question(
        slug="attention",
        ask="A reader goes on to the next rank with chance 0.8. Of 100, how many see rank 5?",
        answer=float(patient[4]),
        start=80,
        why="To see rank 5 a reader goes on four times: 0.8 · 0.8 · 0.8 · 0.8 = 0.41.",
    )


def show() -> None:
    """The lesson."""
    header(
        "Learn · 1 of 12 · Attention",
        "How far down does anybody look?",
        "Exposure is attention, and attention falls with rank. How fast is a choice of the person "
        "who measures: a patient reader, a hasty one, and a language model differ.",
        how=_HOW,
    )
    asked = question()
    left, right = st.columns([4, 6], gap="large")
    with left:
        guess, revealed = predict(asked, {"reader": "patient"})
        model = "patient"
        if revealed:
            user_text(asked.why)
            kicker("3 · Change the reader")
            model = (
                st.segmented_control(
                    "Reader",
                    list(MODELS),
                    default="patient",
                    key="reader",
                    required=True,
                    bind="query-params",
                )
                or "patient"
            )
            user_text(MODELS[model][1])
    with right:
        weights = MODELS[model][0].weights(RANKS)
        _chart(weights, guess if model == "patient" else None, revealed)
        answer_key(asked)


def _chart(weights: np.ndarray, guess: int | None, revealed: bool) -> None:
    lesson = Lesson(
        names=tuple(str(rank) for rank in range(1, RANKS + 1)),
        notes=("",) * RANKS,
        useful=(True,) * RANKS,
        fixed=100 * TopK(5 if revealed else 1).weights(RANKS),
        seen=100 * weights if revealed else None,
        guess=None if guess is None else (4, float(guess)),
    )
    outline = "outline: the machine reader" if revealed else "rank 1: everybody"
    figure = lesson_figure(lesson, colours=colours(), title="of 100 readers, how many see the rank", outline=outline)
    show_figure(figure, "attention", lesson_alt(lesson))
    if revealed:
        total = float(weights.sum())
        readouts(
            [
                (number(total, 2), f"attention of {RANKS} ranks together", ""),
                (percent(float(weights[0]) / total), "of it on rank 1", "plackett-luce"),
                (percent(float(weights[4:].sum()) / total), "of it below rank 4", ""),
            ]
        )


_HOW = r"""
Each bar is $v_r$, the attention at rank $r$. **rbp**: $p^{\,r-1}$. **geometric**:
$\gamma(1-\gamma)^{r-1}$. **dcg**: $1/\log_2(r+1)$. **topk**: 1 up to rank $k$, else 0.

fairviz uses `topk` unless told otherwise, as *Kim & Diaz 2025, 3.3.1* do for machine users;
*Moffat & Zobel 2008* for rbp.
"""
