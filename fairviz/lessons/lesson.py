"""What a lesson is: a question that is guessed, its exact answer as bars, and what to try next.

Its words are a file of ``content/lessons``, its numbers a function of one setting. A lesson draws nothing and asks
nothing: the page Learn and what is printed do that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

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
        chart: Words of the chart: ``title``, what the heights count; what is outlined ``before``, what else is drawn
            ``after`` the answer is shown.
        control: What can be changed once the answer is shown, None for nothing: its ``label``, its ``key`` in the
            address, where it ``start``s; one of ``settings``, with ``notes`` on each, or ``low``, ``high``, ``step``.
        readouts: Measures of a setting: a ``value``, ``what`` it is, and the ``colour`` of its policy.
        sums: The numbers behind the bars: ``columns``, ``caption``, and names of ``rows`` where what is computed does
            not name them.
        how: Formulas and sources for "How to read".
        own: Where one's own data is asked the same: a ``page``, what the link says (``label``), and its ``settings``.
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
    chart: Mapping[str, str]
    control: Mapping[str, Any] | None = None
    readouts: Sequence[Mapping[str, str]]
    sums: Mapping[str, Any]
    how: str
    own: Mapping[str, Any]
    draw: str
    discuss: str
    first_guess: str
    source: str

    @property
    def start(self) -> Setting:
        """The setting that the question is about."""
        return self.control["start"] if self.control else None

    @property
    def answer(self) -> str:
        """The exact answer as a guess is written; computed when it is needed."""
        return self.shown(self.start).answer

    def filled(self, text: str) -> str:
        """A text with the numbers of the question."""
        return written(text, **self.shown(self.start).numbers)

    def bars(self, setting: Setting) -> Bars:
        """The chart of a setting."""
        return replace(self.shown(setting).bars, **self.chart)

    def measures(self, setting: Setting) -> list[tuple[str, str, Any]]:
        """The readouts of a setting: a number, what it is, whose colour it has."""
        numbers = self.shown(setting).numbers
        return [
            (written(readout["value"], **numbers), written(readout["what"], **numbers), readout.get("colour", ""))
            for readout in self.readouts
        ]

    def behind(self, setting: Setting) -> tuple[list[list[str]], str]:
        """Rows and caption of the table behind the bars."""
        shown = self.shown(setting)
        names = [[name] for name in self.sums.get("rows", ())] or [[] for _ in shown.rows]
        rows = [[*name, *row] for name, row in zip(names, shown.rows, strict=True)]
        return rows, written(self.sums["caption"], **shown.numbers)
