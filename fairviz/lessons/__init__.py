"""A class of fifty minutes: thirteen questions that are guessed first, on examples small enough to count by hand.

Here they are in their order; their words are those of ``content/lessons``, their numbers those of this room's modules.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

from fairviz.lessons import answers, exposure, groups
from fairviz.lessons.lesson import Choice, Kind, Lesson, Number, Order, Range, Shown
from fairviz.resources import content

SHOWN: Mapping[str, Callable[[Any], Shown]] = {
    "attention": exposure.attention,
    "exposure": exposure.expected_exposure,
    "disparity": exposure.disparity,
    "optimal": exposure.optimal,
    "sure": exposure.sure,
    "metrics": groups.two_measures,
    "parity": groups.parity,
    "missing": groups.missing_labels,
    "price": groups.price,
    "crossing": groups.two_margins,
    "use": answers.use,
    "unknown": answers.always_unknown,
    "vote": answers.pooled_vote,
}
"""What computes each lesson, by the name of its file."""
KINDS: Mapping[str, Callable[..., Kind]] = {kind.name: kind for kind in (Number, Range, Choice, Order)}
"""How a question is guessed, by the word that a file has for it."""
MOST_SETTINGS = 100
"""Of a lesson, kept computed: a slider has fewer, an address could name any number."""
CLASS_MINUTES = 50


def lesson_of(slug: str, record: Mapping[str, Any]) -> Lesson:
    """A lesson from the words of its file.

    Args:
        slug: The file's name.
        record: What it holds.

    Raises:
        KeyError: Nothing computes a lesson of this name, there is no such kind of guess, or a part is missing.
        TypeError: A part is missing or unknown; the message names it.
    """
    words = {name: value for name, value in record.items() if name != "data"}  # which its function reads
    kind, options = KINDS[words.pop("guess")], words.pop("options", None)
    shown = lru_cache(maxsize=MOST_SETTINGS)(SHOWN[slug])
    return Lesson(slug=slug, shown=shown, kind=kind(tuple(options)) if options else kind(), **words)


CHAPTERS: Mapping[str, tuple[Lesson, ...]] = {
    chapter["name"]: tuple(lesson_of(slug, content(f"lessons/{slug}")) for slug in chapter["lessons"])
    for chapter in content("lessons/plan")
}
"""Lessons that belong together, by name."""
LESSONS = tuple(chain.from_iterable(CHAPTERS.values()))


def lesson_called(slug: str) -> Lesson | None:
    """The lesson of a slug, or of its number as printed; None for none."""
    numbered = {str(number): lesson for number, lesson in enumerate(LESSONS, start=1)}
    return numbered.get(slug) or next((lesson for lesson in LESSONS if lesson.slug == slug), None)


def minutes_before(lesson: Lesson) -> int:
    """When a lesson begins, by the plan."""
    return sum(earlier.minutes for earlier in LESSONS[: LESSONS.index(lesson)])
