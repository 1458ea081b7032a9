"""What a lesson is: a question that is guessed, its exact answer as bars, and what to try next.

Its words are a file of ``content/lessons``, its numbers a function of one setting. A lesson draws nothing and asks
nothing: the page Learn and what is printed do that. What is guessed is a number, two ends, one of a few, or an order. A
guess is a short text everywhere: in an address, in a pasted list, on its way from a phone. The kind of a question reads
it, says it in words, and sums up many of them.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, TypeAlias

import numpy as np

from fairviz.display.markup import written
from fairviz.display.words import Finding, number, plural
from fairviz.model import FloatArray

# Guesses.

ENOUGH = 5
"""Guesses from which on a class is summed up: fewer would show who said what."""
CLOSE = 5
"""How far a number may be off to count as close."""
TOP = 100
"""Numbers are guessed from 0 to this."""
LETTERS = "abcdefgh"
"""Options are named by letters: what a phone sends and what is pasted."""


class Number:
    """A whole number from 0 to 100."""

    name: ClassVar[str] = "number"
    expected: ClassVar[str] = f"a whole number from 0 to {TOP}"
    close: ClassVar[str] = f"came within {CLOSE}"

    def read(self, text: str) -> str | None:
        """Digits, with or without a per cent sign."""
        match = re.fullmatch(r"([0-9]{1,3})(?:[.,]0+)?\s*%?", text.strip())
        return str(int(match[1])) if match and int(match[1]) <= TOP else None

    def words(self, guess: str) -> str:
        """The number itself."""
        return guess

    def is_close(self, guess: str, exact: str) -> bool:
        """Whether it is at most 5 off."""
        return abs(int(guess) - int(exact)) <= CLOSE

    def distance(self, guess: str, exact: str) -> str:
        """By how much it is off.

        Examples:
            >>> Number().distance("70", "85")
            'You said 70: 15 too few.'
        """
        gap = int(guess) - int(exact)
        if gap == 0:
            return f"You said {guess}: exactly right."
        return f"You said {guess}: {abs(gap)} too {'many' if gap > 0 else 'few'}."

    def summary(self, guesses: Sequence[str]) -> str:
        """Median and middle half.

        Examples:
            >>> Number().summary(["10", "20", "30", "40", "50"])
            'The class said 30; half said 20 to 40'
        """
        low, median, high = quartiles([int(guess) for guess in guesses])
        return f"The class said {median:.0f}; half said {low:.0f} to {high:.0f}"


class PercentRange:
    """Two ends from 0 to 100, such as "30-50"."""

    name: ClassVar[str] = "range"
    expected: ClassVar[str] = f"two whole numbers from 0 to {TOP}, such as 20-80"
    close: ClassVar[str] = f"came within {CLOSE} at both ends"

    def read(self, text: str) -> str | None:
        """Two numbers with a hyphen, a dash, a colon or "to" between them."""
        match = re.fullmatch(r"([0-9]{1,3})\s*(?:-|–|:|to)\s*([0-9]{1,3})", text.strip())
        if match is None:
            return None
        low, high = sorted(int(end) for end in match.groups())
        return f"{low}-{high}" if high <= TOP else None

    def words(self, guess: str) -> str:
        """Its ends."""
        low, high = ends(guess)
        return f"{low} to {high}"

    def is_close(self, guess: str, exact: str) -> bool:
        """Whether both ends are at most 5 off."""
        return all(abs(end - true) <= CLOSE for end, true in zip(ends(guess), ends(exact), strict=True))

    def distance(self, guess: str, exact: str) -> str:
        """Whether it is too narrow, too wide, or elsewhere.

        Examples:
            >>> PercentRange().distance("35-45", "30-50"), PercentRange().distance("10-40", "30-50")
            ('You said 35 to 45: too narrow.', 'You said 10 to 40: the ends are 20 and 10 off.')
        """
        (low, high), (true_low, true_high) = ends(guess), ends(exact)
        if (low, high) == (true_low, true_high):
            return f"You said {self.words(guess)}: exactly right."
        if low >= true_low and high <= true_high:
            return f"You said {self.words(guess)}: too narrow."
        if low <= true_low and high >= true_high:
            return f"You said {self.words(guess)}: too wide."
        return f"You said {self.words(guess)}: the ends are {abs(low - true_low)} and {abs(high - true_high)} off."

    def summary(self, guesses: Sequence[str]) -> str:
        """Medians of both ends, and of the width."""
        pairs = np.array([ends(guess) for guess in guesses])
        low, high = np.median(pairs, axis=0)
        narrow, _, wide = quartiles((pairs[:, 1] - pairs[:, 0]).tolist())
        return f"The class said {low:.0f} to {high:.0f}; half of the ranges are {narrow:.0f} to {wide:.0f} wide"


@dataclass(frozen=True)
class Lettered:
    """A guess about a few options, which are named by letters."""

    options: tuple[str, ...]

    @property
    def letters(self) -> str:
        """Names of the options."""
        return LETTERS[: len(self.options)]

    def is_close(self, guess: str, exact: str) -> bool:
        """Whether it is right."""
        return guess == exact


class Choice(Lettered):
    """A guess that is one of a few options."""

    name: ClassVar[str] = "choice"
    close: ClassVar[str] = "are right"

    @property
    def expected(self) -> str:
        """Its letters."""
        return f"one letter from a to {self.letters[-1]}"

    def read(self, text: str) -> str | None:
        """Its letter, in either case."""
        letter = text.strip().lower()
        return letter if len(letter) == 1 and letter in self.letters else None

    def words(self, guess: str) -> str:
        """The option itself."""
        return f"“{self.options[LETTERS.index(guess)]}”"

    def distance(self, guess: str, exact: str) -> str:
        """Whether it is right."""
        return f"You said {self.words(guess)}: {'right.' if guess == exact else 'not so.'}"

    def summary(self, guesses: Sequence[str]) -> str:
        """The most common one.

        Examples:
            >>> Choice(("yes", "no")).summary(["a", "a", "b"])
            '2 of 3 said “yes”'
        """
        (most, n), *others = Counter(sorted(guesses)).most_common()
        level = [self.words(guess) for guess, count in others if count == n]
        if level:
            return f"No majority: {n} said {self.words(most)}, as many {' and '.join(level)}"
        return f"{n} of {len(guesses)} said {self.words(most)}"


class Order(Lettered):
    """All of a few items, put in order."""

    name: ClassVar[str] = "order"
    close: ClassVar[str] = "have all in order"

    @property
    def expected(self) -> str:
        """All letters."""
        return f"the letters {' '.join(self.letters)} in your order, such as {self.letters[::-1]}"

    def read(self, text: str) -> str | None:
        """Every letter once, with or without marks between them."""
        letters = re.sub(r"[\s,;<>-]+", "", text.lower())
        return letters if sorted(letters) == [*self.letters] else None

    def words(self, guess: str) -> str:
        """Letters with signs of order between them."""
        return " < ".join(guess)

    def distance(self, guess: str, exact: str) -> str:
        """How many pairs are in order.

        Examples:
            >>> Order(("w", "x", "y", "z")).distance("bcad", "bcda")
            'You said b < c < a < d: 5 of 6 pairs are in order.'
        """
        pairs = list(combinations(exact, 2))
        right = sum(guess.index(first) < guess.index(second) for first, second in pairs)
        return f"You said {self.words(guess)}: {right} of {plural(len(pairs), 'pair')} are in order."

    def summary(self, guesses: Sequence[str]) -> str:
        """The most common order, and how many there are."""
        counts = Counter(sorted(guesses))
        most, n = counts.most_common(1)[0]
        return f"{n} of {len(guesses)} said {self.words(most)}; {plural(len(counts), 'order')} in all"


Kind: TypeAlias = Number | PercentRange | Choice | Order
"""How a question is answered.

Each has a name and says what it accepts (``expected``), reads it, says it in words, tells a guess from the answer, sums
up a class, and what counts as right (``close``, in words that follow "9 of 38").
"""


def ends(guess: str) -> tuple[int, int]:
    """Both ends of a range.

    Examples:
        >>> ends("30-50")
        (30, 50)
    """
    low, _, high = guess.partition("-")
    return int(low), int(high)


def quartiles(values: Sequence[int]) -> tuple[float, float, float]:
    """First quarter, median and third quarter, between neighbours where there is no middle one."""
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75))
    return float(low), float(median), float(high)


def wall(kind: Kind, guesses: Sequence[str], exact: str = "") -> Finding:
    """What a class said, and how many came close once the answer is shown; it waits until there are five.

    Args:
        kind: How the question is answered.
        guesses: One text per person.
        exact: The answer, once it is shown.
    """
    if len(guesses) < ENOUGH:
        return Finding("Waiting for guesses", f"{len(guesses)} so far; the wall opens at {ENOUGH}.")
    if not exact:
        return Finding(kind.summary(guesses), "")
    n = sum(kind.is_close(guess, exact) for guess in guesses)
    return Finding(kind.summary(guesses), f"{n} of {len(guesses)} {kind.close}.")


def pasted(kind: Kind, text: str) -> tuple[list[str], list[str]]:
    r"""Guesses of a list, and what was none: a guess a line, or semicolons between; numbers may stand side by side.

    Examples:
        >>> pasted(Number(), "70, 85 12%\n140; x")
        (['70', '85', '12'], ['140', 'x'])
    """
    marks = r"[\n;]" if isinstance(kind, Order | PercentRange) else r"[\s;,]+"
    parts = [part.strip() for part in re.split(marks, text) if part.strip(" ,\t\r")]
    read = [(part, kind.read(part.strip(" ,"))) for part in parts]
    return [guess for _, guess in read if guess is not None], [part for part, guess in read if guess is None]


SHRINKS = 0.9
"""What a dot that finds no room becomes of itself."""


def stacked(values: Sequence[int], diameter: float) -> tuple[FloatArray, FloatArray]:
    """Numbers as dots that stand exactly at their places and move up, never sideways, until they touch no other.

    Args:
        values: The numbers.
        diameter: Of a dot, on the scale of the numbers.

    Returns:
        places, rising; heights of the dots' centres above the ground, on the same scale.

    Examples:
        >>> stacked([70, 73, 20], 5.0)  # 3 beside and 4 above: 5 apart
        (array([20., 70., 73.]), array([2.5, 2.5, 6.5]))
    """
    x = np.sort(np.asarray(values, np.float64))
    y = np.full(len(x), diameter / 2)
    for at in range(1, len(x)):
        near = np.flatnonzero(x[:at] > x[at] - diameter)
        apart, heights = x[at] - x[near], y[near]
        resting = np.append(heights + np.sqrt(diameter**2 - apart**2), diameter / 2)
        free = (np.hypot(apart, resting[:, None] - heights) >= diameter * (1 - 1e-9)).all(axis=1)
        y[at] = resting[free].min()
    return x, y


def piled(values: Sequence[int], largest: float, room: float) -> tuple[FloatArray, FloatArray, float]:
    """Places, heights and the diameter of dots, the largest at which the highest pile fits into its room.

    Args:
        values: The numbers.
        largest: Diameter where there is room, on the scale of the numbers.
        room: Height for piles, on the same scale.
    """
    most = max(np.unique(values, return_counts=True)[1])
    diameter = min(largest, room / float(most))
    while True:
        x, y = stacked(values, diameter)
        if y.max() + diameter / 2 <= room * (1 + 1e-9):
            return x, y, diameter
        diameter *= SHRINKS


# The lesson itself.

Setting: TypeAlias = str | float | None
"""What is changed once the answer is shown: an option's name, a number, None for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bars:
    """What the chart shows: bars of a few documents, what is known before, what is guessed.

    Attributes:
        names: (n) names of the bars.
        notes: (n) what stands below each name ("score 1", "relevant"); none: nothing.
        strong: (n) which bars have the strong colour, such as those of relevant documents; none: all.
        seen: (n) the exact heights; None before they are shown.
        outline: (n) what is known before; None for nothing.
        band: (n, 2) what is left open at each bar, None for nothing.
        target: (n) ticks across the bars, None for none.
        marked: The bar that is guessed, if one is.
        guess: Its guessed height, None for none.
        bottom: Where the scale begins, 0 but for heights with a sign.
        top: Where it ends.
        decimals: Of the numbers on the bars.
        title: What the heights count.
        before: What the outline is, in words.
        after: What ticks, band and colours are, in words; nothing of it before they are shown.
    """

    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    strong: tuple[bool, ...] = ()
    seen: FloatArray | None
    outline: FloatArray | None = None
    band: FloatArray | None = None
    target: FloatArray | None = None
    marked: int | None = None
    guess: float | None = None
    bottom: float = 0
    top: float = 100
    decimals: int = 0
    title: str = ""
    before: str = ""
    after: str = ""

    @property
    def closed(self) -> "Bars":
        """The bars before the answer is revealed."""
        return replace(self, seen=None, band=None, target=None, after="")

    @property
    def alt(self) -> str:
        """What the chart shows, in words."""
        heights = self.outline if self.seen is None else self.seen
        if heights is None:
            return f"{self.title}: empty until the answer is shown."
        kind = f", {self.before}" if self.seen is None and self.before else ""
        named = ", ".join(
            f"{name} {number(height, 0)}" for name, height in zip(self.names, heights.tolist(), strict=True)
        )
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
    chart: Mapping[str, Any]
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
