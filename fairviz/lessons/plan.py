"""The twelve lessons of a class of 50 minutes, in their order."""

from typing import Any

from fairviz.lessons.lesson import Lesson
from fairviz.lessons.of_answers import ANSWER_LESSONS
from fairviz.lessons.of_exposure import EXPOSURE_LESSONS
from fairviz.lessons.of_groups import GROUP_LESSONS

CHAPTERS = (EXPOSURE_LESSONS, GROUP_LESSONS, ANSWER_LESSONS)
LESSONS: tuple[Lesson[Any], ...] = tuple(lesson for chapter in CHAPTERS for lesson in chapter.lessons)
CLASS_MINUTES = 50


def lesson_called(slug: str) -> Lesson[Any] | None:
    """The lesson of a slug, or of its number as printed; None for none."""
    numbered = {str(number): lesson for number, lesson in enumerate(LESSONS, start=1)}
    return numbered.get(slug) or next((lesson for lesson in LESSONS if lesson.slug == slug), None)


def neighbours(lesson: Lesson[Any]) -> tuple[Lesson[Any] | None, Lesson[Any] | None]:
    """The lessons before and after."""
    at = LESSONS.index(lesson)
    return (LESSONS[at - 1] if at else None), (LESSONS[at + 1] if at + 1 < len(LESSONS) else None)


def minutes_before(lesson: Lesson[Any]) -> int:
    """When a lesson begins, by the plan."""
    return sum(one.minutes for one in LESSONS[: LESSONS.index(lesson)])
