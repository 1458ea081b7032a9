"""What a lesson is: a question that is guessed, its exact answer as bars, and what to try next.

A lesson draws nothing and asks nothing: the page Learn and the single files do that, each in its own way.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from fairviz.lessons.bars import Bars
from fairviz.lessons.guesses import Kind

Setting = TypeVar("Setting")

Text: TypeAlias = str | Callable[[], str]
"""Words, or what writes them where they hold numbers."""

Readout: TypeAlias = tuple[str, str, Literal["", "plackett-luce", "optimal"]]
"""A number, what it is, and the policy whose colour it has."""


class Own(NamedTuple):
    """Where the same question is asked of one's own data: a page, what the link says, and its settings."""

    page: str
    label: str
    settings: Mapping[str, str] = {}


class Sum(NamedTuple):
    """The numbers behind the bars."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A number to change once the answer is shown.

    Attributes:
        label: What it is called.
        key: Its name in the address.
        low, high, step: What it can be.
        start: Where it stands first.
    """

    label: str
    key: str
    low: float
    high: float
    step: float
    start: float

    @property
    def settings(self) -> dict[str, float]:
        """Every number, by how it is written."""
        n = round((self.high - self.low) / self.step)
        return {f"{at:g}": at for at in (self.low + i * self.step for i in range(n + 1))}


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """One of a few, to change once the answer is shown.

    Attributes:
        label: What is chosen.
        key: Its name in the address.
        settings: Each one's setting, by its name.
        start: The name of the first.
        notes: Words about each.
    """

    label: str
    key: str
    settings: Mapping[str, Any]
    start: str
    notes: Mapping[str, str] = field(default_factory=dict[str, str])


Control: TypeAlias = Scale | OneOf


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
        control: What can be changed once the answer is shown; None for nothing.
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
    control: Control | None = None
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
