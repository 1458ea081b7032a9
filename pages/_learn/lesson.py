"""What a lesson is: a question that is guessed, its exact answer as bars, and what to try next."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import streamlit as st

from pages._kit import Cell, Tone
from pages._learn.figures import Bars
from pages._learn.guesses import Kind

Setting = TypeVar("Setting")

Option = TypeVar("Option", bound=str)

Text: TypeAlias = str | Callable[[], str]
"""Words, or what writes them where they hold numbers."""

Readout: TypeAlias = tuple[str, str, Tone]


class Own(NamedTuple):
    """Where the same question is asked of one's own data: a page, what the link says, and its settings."""

    page: str
    label: str
    settings: Mapping[str, str] = {}


class Sum(NamedTuple):
    """The numbers behind the bars."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson(Generic[Setting]):
    """One idea on a few documents: a question to guess, and something to change afterwards.

    Attributes:
        slug: Its name in the address.
        name: What it is about, in a word or two.
        minutes: How long it takes in a class of 50.
        title: What it asks; the heading.
        text: What one has to know to guess; nothing of the answer.
        ask: What is guessed, with its unit.
        kind: How it is guessed.
        answer: The exact answer as a guess is written; computed when it is needed.
        finding: The answer as a sentence, once it is shown.
        why: How it comes about.
        start: The setting that the question is about.
        picture: Bars of a setting; before the answer is shown, their outlines alone.
        marked: The bar that is guessed, if one is.
        controls: Draws them once the answer is shown; returns what they stand at.
        readouts: Measures of a setting.
        sums: The numbers behind the bars.
        how: Formulas and sources for "How to read".
        own: The page that answers it for one's own data.
        draw: On the handout: what to draw into the empty bars.
        discuss: On the handout: what to talk about.
        first_guess: For teachers: what most people say first, and what to try then.
        source: Whose idea it is.
    """

    slug: str
    name: str
    minutes: int
    title: str
    text: Text
    ask: str
    kind: Kind
    answer: Callable[[], str]
    finding: Callable[[], str]
    why: Text
    start: Setting
    picture: Callable[[Setting], Bars]
    marked: int | None = None
    controls: Callable[[], Setting]
    readouts: Callable[[Setting], Sequence[Readout]]
    sums: Callable[[Setting], Sum]
    how: str
    own: Own
    draw: str
    discuss: str
    first_guess: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """Lessons that belong together."""

    name: str
    lessons: tuple[Lesson[Any], ...] = field(default=())


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
