"""The scaffold of every lesson: guess first, then see, then change something.

A lesson is data with a few functions of its own; how it goes is written here once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

import streamlit as st

from pages._kit import header, kicker, user_text

Setting = TypeVar("Setting")

Option = TypeVar("Option", bound=str)

Text: TypeAlias = str | Callable[[], str]
"""Words, or what writes them where they hold numbers."""


class Guess(NamedTuple):
    """What a reader said, on a scale of 0 to 100, and whether the answer may be seen."""

    value: int
    revealed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson(Generic[Setting]):
    """One idea on a few items: a question to guess, and something to change afterwards.

    Attributes:
        name: The chapter.
        slug: Names the guess in keys.
        title: What the lesson asks; its heading.
        text: The sentence below the heading.
        how: Formulas and sources for "How to read".
        ask: What is guessed, with its unit.
        answer: The true number on a scale of 0 to 100; computed when it is needed.
        start: Where the slider of the guess stands at first.
        why: How the answer comes about.
        first_guess: For teachers: what most people say first, and what to try then.
        change: Heading of the controls.
        controls: Draws them once the answer is seen; returns what they stand at.
        defaults: Keys of the controls with their defaults, for "Start over".
        hidden: The setting that is drawn before the answer is seen.
        chart: Draws a setting, before and after.
        verdict: What follows from a setting; drawn below the chart once the answer is seen.
        workings: The sum behind the chart, shut until the answer is seen.
        below: What goes on below both columns once the answer is seen.
        answer_below: Whether the teacher's answer stands below the chart or below the guess.
    """

    name: str
    slug: str
    title: str
    text: Text
    how: str
    ask: str
    answer: Callable[[], float]
    start: int
    why: Text
    first_guess: str
    change: str
    controls: Callable[[], Setting]
    defaults: Mapping[str, object]
    hidden: Setting
    chart: Callable[[Setting, Guess], None]
    verdict: Callable[[Setting], None] | None = None
    workings: Callable[[Setting], None] | None = None
    below: Callable[[Setting], None] | None = None
    answer_below: Literal["chart", "guess"] = "chart"


def show_lesson(lesson: Lesson[Any], *, number: int, n_lessons: int) -> None:
    """Run a lesson.

    Args:
        lesson: What it is about.
        number: Its place among the lessons, from 1.
        n_lessons: How many there are.
    """
    kick = f"Learn · {number} of {n_lessons} · {lesson.name}"
    header(kick, lesson.title, written(lesson.text), how=lesson.how)
    setting = lesson.hidden
    left, right = st.columns([4, 6], gap="large")
    with left:
        guess = _predict(lesson)
        if guess.revealed:
            user_text(written(lesson.why))
            kicker(f"3 · {lesson.change}")
            setting = lesson.controls()
        if lesson.answer_below == "guess":
            _teachers_answer(lesson)
    with right:
        lesson.chart(setting, guess)
        if guess.revealed and lesson.verdict:
            lesson.verdict(setting)
        if lesson.workings:
            with st.expander("The sum, item by item", expanded=guess.revealed):
                if guess.revealed:
                    lesson.workings(setting)
                else:
                    st.write("Reveal first: the table holds the answer.")
        if lesson.answer_below == "chart":
            _teachers_answer(lesson)
    if guess.revealed and lesson.below:
        lesson.below(setting)


def written(text: Text) -> str:
    """The words of a text."""
    return text if isinstance(text, str) else text()


def choose_one(label: str, options: Sequence[Option], *, default: Option, key: str) -> Option:
    """One of a few, side by side."""
    choice = st.segmented_control(label, options, default=default, key=key, required=True, bind="query-params")
    return choice or default


def alpha_slider(label: str = "α") -> float:
    """α of the lessons on exposure; they share one, so that it follows from lesson to lesson."""
    return st.slider(label, 0.0, 8.0, 2.0, 0.25, format="%g", key="lesson_alpha", bind="query-params")


def _predict(lesson: Lesson[Any]) -> Guess:
    """The guess and its button; then the verdict on it."""
    guess_key, revealed_key = f"guess_{lesson.slug}", f"revealed_{lesson.slug}"
    revealed = bool(st.session_state.get(revealed_key))
    kicker("1 · Predict")
    guess = st.slider(lesson.ask, 0, 100, lesson.start, key=guess_key, persist_state="session", disabled=revealed)
    if not revealed:
        st.button("Reveal", key=f"reveal_{lesson.slug}", type="primary", on_click=_set, args=({revealed_key: True},))
        return Guess(guess, revealed)
    with st.container(horizontal=True):
        st.button("Hide and try again", key=f"hide_{lesson.slug}", on_click=_set, args=({revealed_key: False},))
        beginning = {guess_key: lesson.start, revealed_key: False, **lesson.defaults}
        st.button(
            "Start over",
            key=f"reset_{lesson.slug}",
            type="tertiary",
            on_click=_set,
            args=(beginning,),
            icon=":material/restart_alt:",
        )
    kicker("2 · See")
    st.subheader(_distance(guess, lesson.answer()), anchor=False)
    return Guess(guess, revealed)


def _teachers_answer(lesson: Lesson[Any]) -> None:
    """The answer and why, shut until asked for."""
    with st.expander("Answer"):
        user_text(f"{lesson.answer():.0f} of 100. {written(lesson.why)}")


def _distance(guess: int, answer: float) -> str:
    gap = guess - round(answer)
    if gap == 0:
        return f"{answer:.0f} of 100. You were right."
    side = "too many" if gap > 0 else "too few"
    return f"{answer:.0f} of 100. You said {guess}: {abs(gap)} {side}."


def _set(values: Mapping[str, object]) -> None:
    for key, value in values.items():
        st.session_state[key] = value
