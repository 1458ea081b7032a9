"""The lessons in their order, and the answer key for teachers."""

from typing import Any

from pages._kit import Cell, Column, counts_line, header, html_table, section
from pages._learn.lesson import Lesson, written
from pages._learn.lessons_answers import ALWAYS_UNKNOWN, PARITY_OF_LETTERS, POOLED_VOTE, SWAPPED_WORDS
from pages._learn.lessons_exposure import ATTENTION, EXPECTED_EXPOSURE, OPTIMAL, SAMPLES, TARGET, USE
from pages._learn.lessons_groups import PARITY, TWO_METRICS

LESSONS: tuple[Lesson[Any], ...] = (
    ATTENTION,
    EXPECTED_EXPOSURE,
    TARGET,
    SAMPLES,
    OPTIMAL,
    USE,
    TWO_METRICS,
    PARITY,
    ALWAYS_UNKNOWN,
    PARITY_OF_LETTERS,
    POOLED_VOTE,
    SWAPPED_WORDS,
)


def show_answer_key() -> None:
    """Every question with its answer, why it is so, and how long to take."""
    header(
        "Learn · Answer key",
        f"{len(LESSONS)} questions, half an hour",
        "For teachers: the answers, why, and the guess that most people make first. Everything is "
        "computed from the same five items, six in the lessons on groups and four to ten questions "
        "in those on answers; nothing is drawn by chance but in lesson 4, whose seed is on the "
        "page.",
    )
    rows: list[list[Cell]] = [
        [f"{i}. {lesson.name}", lesson.ask, f"{lesson.answer():.0f}", written(lesson.why), lesson.first_guess]
        for i, lesson in enumerate(LESSONS, start=1)
    ]
    columns = [
        Column(label="Lesson"),
        Column(label="Question"),
        Column(label="Of 100", align="right"),
        Column(label="Why"),
        Column(label="First guess, and what to try"),
    ]
    html_table(columns, rows, caption="Answers")
    section("To go on with a class")
    counts_line(
        "Open Trade-off on the example and ask which α the class would choose, before showing EE-R "
        "in numbers. Each view has its own address: set it, copy it, hand it out. “Start over” in "
        "a lesson puts everything back; answers are rounded."
    )
