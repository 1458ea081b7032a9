"""What a lesson is: a question that is guessed, its exact answer as bars, and what to try next.

Its words are a file of ``content/lessons``, its numbers a function of one setting. A lesson draws nothing and asks
nothing: the page Learn and what is printed do that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from fairviz.display.markup import written
from fairviz.lessons.guesses import Kind
from fairviz.model import FloatArray

Setting: TypeAlias = str | float | None
"""What is changed once the answer is shown: an option's name, a number, None for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bars:
    """What the chart shows: bars of a few documents, what is known before, what is guessed.

    Attributes:
        names: (n) names of the bars.
        notes: (n) what stands below each name ("score 1", "relevant").
        strong: (n) which bars have the strong colour, such as those of relevant documents.
        seen: (n) the exact heights; None before they are shown.
        outline: (n) what is known before; None for nothing.
        band: (n, 2) what is left open at each bar, None for nothing.
        target: (n) ticks across the bars, None for none.
        marked: The bar that is guessed, if one is.
        guess: Its guessed height, None for none.
        top: Height of the scale.
        decimals: Of the numbers on the bars.
        title: What the heights count.
        before: What the outline is, in words.
        after: What ticks, band and colours are, in words; nothing of it before they are shown.
    """

    names: tuple[str, ...]
    notes: tuple[str, ...]
    strong: tuple[bool, ...]
    seen: FloatArray | None
    outline: FloatArray | None = None
    band: FloatArray | None = None
    target: FloatArray | None = None
    marked: int | None = None
    guess: float | None = None
    top: float = 100
    decimals: int = 0
    title: str = ""
    before: str = ""
    after: str = ""

    @property
    def closed(self) -> "Bars":
        """The same without anything of the answer."""
        return replace(self, seen=None, band=None, target=None, after="")

    @property
    def alt(self) -> str:
        """What the chart shows, in words."""
        heights = self.outline if self.seen is None else self.seen
        if heights is None:
            return f"{self.title}: empty until the answer is shown."
        kind = f", {self.before}" if self.seen is None and self.before else ""
        named = ", ".join(f"{name} {height:.0f}" for name, height in zip(self.names, heights.tolist(), strict=True))
        return f"{self.title}{kind}: {named}."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shown:
    """What a lesson computes for one setting.

    Attributes:
        bars: Of the chart, without words.
        numbers: What its texts may name.
        rows: The numbers behind the bars.
        answer: The exact answer, as a guess is written.
    """

    bars: Bars
    numbers: Mapping[str, object]
    rows: Sequence[Sequence[str]]
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Words of the chart: what the heights count, what is outlined, what else is drawn once the answer is shown."""

    title: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readout:
    """A number, what it is, and the policy whose colour it has."""

    value: str
    what: str
    colour: Literal["", "plackett-luce", "optimal"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Words of the table behind the bars; ``rows`` names them where what is computed does not."""

    columns: Sequence[str]
    caption: str
    rows: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """Where the same question is asked of one's own data: a page, what the link says, and its settings."""

    page: str
    label: str
    settings: Mapping[str, str] = field(default_factory=dict[str, str])


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
    def settings(self) -> list[float]:
        """Every number."""
        return [self.low + i * self.step for i in range(round((self.high - self.low) / self.step) + 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """One of a few, to change once the answer is shown.

    Attributes:
        label: What is chosen.
        key: Its name in the address.
        settings: What there is.
        start: Which is first.
        notes: Words about each.
    """

    label: str
    key: str
    settings: Sequence[str]
    start: str
    notes: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lesson:
    """One idea on a few documents: a question to guess, and something to change afterwards.

    Numbers may stand in ``text``, ``finding``, ``why``, ``readouts`` and the caption of ``sums``: :meth:`filled`.

    Attributes:
        slug: Its name in the address.
        shown: Computes what it shows of a setting.
        name: What it is about, in a word or two.
        minutes: How long it takes in a class of 50.
        title: What it asks; the heading.
        text: What one has to know to guess; nothing of the answer.
        ask: What is guessed, with its unit.
        kind: How it is guessed.
        finding: The answer as a sentence, once it is shown.
        why: How it comes about.
        chart: Words of the chart.
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
    shown: Callable[[Setting], Shown]
    name: str
    minutes: int
    title: str
    text: str
    ask: str
    kind: Kind
    finding: str
    why: str
    chart: Chart
    control: Scale | OneOf | None = None
    readouts: tuple[Readout, ...]
    sums: Sums
    how: str
    own: Own
    draw: str
    discuss: str
    first_guess: str
    source: str

    @property
    def start(self) -> Setting:
        """The setting that the question is about."""
        return self.control.start if self.control else None

    @property
    def answer(self) -> str:
        """The exact answer as a guess is written; computed when it is needed."""
        return self.shown(self.start).answer

    def filled(self, text: str) -> str:
        """A text with the numbers of the question."""
        return written(text, **self.shown(self.start).numbers)

    def bars(self, setting: Setting) -> Bars:
        """The chart of a setting."""
        chart = self.chart
        return replace(self.shown(setting).bars, title=chart.title, before=chart.before, after=chart.after)

    def measures(self, setting: Setting) -> list[tuple[str, str, Literal["", "plackett-luce", "optimal"]]]:
        """The readouts of a setting: a number, what it is, whose colour it has."""
        numbers = self.shown(setting).numbers
        return [(written(one.value, **numbers), written(one.what, **numbers), one.colour) for one in self.readouts]

    def behind(self, setting: Setting) -> tuple[list[list[str]], str]:
        """Rows and caption of the table behind the bars."""
        shown = self.shown(setting)
        names = [[name] for name in self.sums.rows] or [[] for _ in shown.rows]
        rows = [[*name, *row] for name, row in zip(names, shown.rows, strict=True)]
        return rows, written(self.sums.caption, **shown.numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """Lessons that belong together."""

    name: str
    lessons: tuple[Lesson, ...]
