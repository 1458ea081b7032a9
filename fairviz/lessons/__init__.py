"""A class of fifty minutes: questions that are guessed first, on examples small enough to count by hand.

Here they are in their order; their words are those of ``content/lessons``, their numbers those of this room's modules.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

from fairviz.lessons import answers, exposure, groups
from fairviz.lessons.lesson import Choice, Lesson, Number, Order, PercentRange, Shown
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
    "fair": groups.one_number,
    "retrieval": answers.retrieval,
}
"""What computes each lesson, by the name of its file."""
KINDS: Mapping[str, Callable[..., Any]] = {kind.name: kind for kind in (Number, PercentRange, Choice, Order)}
"""How a question is guessed, by the word that a file has for it."""
MOST_SETTINGS = 100
"""Of a lesson, kept computed: a slider has fewer, an address could name any number."""


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


@dataclass(frozen=True, eq=False)
class Plan:
    """The lessons of a class, in their order.

    Attributes:
        minutes: How long a class is.
        chapters: Lessons that belong together, by name.
        extra: Names of the chapters that come once the others are done, or on another day.
        short_of_time: Slugs of the lessons that can be left out first.
    """

    minutes: int
    chapters: Mapping[str, tuple[Lesson, ...]]
    extra: frozenset[str]
    short_of_time: tuple[str, ...]

    @cached_property
    def lessons(self) -> tuple[Lesson, ...]:
        """All of them."""
        return tuple(chain.from_iterable(self.chapters.values()))

    @cached_property
    def planned(self) -> tuple[Lesson, ...]:
        """Those that are not extra."""
        return tuple(chain.from_iterable(own for name, own in self.chapters.items() if name not in self.extra))

    def number_of(self, lesson: Lesson) -> int:
        """Its place, from 1."""
        return self.lessons.index(lesson) + 1

    def lesson_called(self, text: str) -> Lesson | None:
        """The lesson of a slug, or of its number as printed; None for none."""
        numbered = {str(number): lesson for number, lesson in enumerate(self.lessons, start=1)}
        return numbered.get(text) or next((lesson for lesson in self.lessons if lesson.slug == text), None)

    def begins(self, lesson: Lesson) -> int:
        """The minute at which a lesson begins, if all before it were held."""
        return sum(earlier.minutes for earlier in self.lessons[: self.lessons.index(lesson)])

    def without(self, slugs: Collection[str]) -> "Plan":
        """The same without some lessons."""
        chapters = {name: tuple(each for each in own if each.slug not in slugs) for name, own in self.chapters.items()}
        return replace(self, chapters={name: own for name, own in chapters.items() if own})


def _read() -> tuple[Plan, Plan]:
    """The plan, and the plan without lessons whose answers are formulas."""
    record = content("lessons/plan")
    chapters = {
        chapter["name"]: tuple(lesson_of(slug, content(f"lessons/{slug}")) for slug in chapter["lessons"])
        for chapter in record["chapters"]
    }
    extra = frozenset(chapter["name"] for chapter in record["chapters"] if chapter.get("extra"))
    whole = Plan(record["minutes"], chapters, extra, tuple(record["short_of_time"]))
    return whole, whole.without(record["formulas"])


PLAN, WITHOUT_FORMULAS = _read()
"""The class, and the class for people without technique."""
LESSONS = PLAN.lessons
"""Every lesson that there is."""
