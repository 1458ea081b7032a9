"""Predict, then reveal: the way every lesson goes."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pages._kit import kicker, user_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One thing to guess before it is shown.

    Attributes:
        slug: Names the lesson in keys and addresses.
        ask: The question, with its unit.
        answer: The true number on a scale of 0 to 100.
        start: Where the slider stands at first.
        why: How the answer comes about, for the answer key.
    """

    slug: str
    ask: str
    answer: float
    start: int
    why: str


def predict(question: Question, controls: Mapping[str, object]) -> tuple[int, bool]:
    """Show the guess and the button; the guess, and whether the answer is revealed.

    Args:
        question: What is guessed.
        controls: Keys of the lesson's other controls with their defaults, for "Start over".
    """
    guess_key, shown_key = f"guess_{question.slug}", f"revealed_{question.slug}"
    kicker("1 · Predict")
    guess = st.slider(
        question.ask,
        0,
        100,
        question.start,
        key=guess_key,
        persist_state="session",
        disabled=bool(st.session_state.get(shown_key)),
    )
    revealed = bool(st.session_state.get(shown_key))
    if revealed:
        with st.container(horizontal=True):
            st.button("Hide and try again", key=f"hide_{question.slug}", on_click=_set, args=({shown_key: False},))
            everything = {guess_key: question.start, shown_key: False, **controls}
            st.button(
                "Start over",
                key=f"reset_{question.slug}",
                type="tertiary",
                on_click=_set,
                args=(everything,),
                icon=":material/restart_alt:",
            )
        kicker("2 · See")
        st.subheader(_verdict(guess, question.answer), anchor=False)
    else:
        st.button("Reveal", key=f"reveal_{question.slug}", type="primary", on_click=_set, args=({shown_key: True},))
    return guess, revealed


def answer_key(question: Question) -> None:
    """For teachers: the answer and why, shut until asked for."""
    with st.expander("Answer"):
        user_text(f"{question.answer:.0f} of 100. {question.why}")


def _verdict(guess: int, answer: float) -> str:
    gap = guess - round(answer)
    if gap == 0:
        return f"{answer:.0f} of 100. You were right."
    side = "too many" if gap > 0 else "too few"
    return f"{answer:.0f} of 100. You said {guess}: {abs(gap)} {side}."


def _set(values: Mapping[str, object]) -> None:
    for key, value in values.items():
        st.session_state[key] = value
