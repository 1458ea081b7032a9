"""What is guessed: a number, two ends, one of a few, an order; as text, as words, and as a class.

A guess is a short text everywhere: in an address, in a pasted list, on its way from a phone. The kind of a question
reads it, says it in words, and sums up many of them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from fairviz.display.words import Finding, plural
from fairviz.model import FloatArray

ENOUGH = 5
"""Guesses from which on a class is summed up: fewer would show who said what."""
CLOSE = 5
"""How far a number may be off to count as close."""
TOP = 100
"""Numbers are guessed from 0 to this."""
LETTERS = "abcdefgh"
"""Options are named by letters: what a phone sends and what is pasted."""


@dataclass(frozen=True, slots=True)
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

    def apart(self, guess: str, exact: str) -> str:
        """By how much it is off.

        Examples:
            >>> Number().apart("70", "85")
            'You said 70: 15 too few.'
        """
        gap = int(guess) - int(exact)
        if gap == 0:
            return f"You said {guess}: exactly right."
        return f"You said {guess}: {abs(gap)} too {'many' if gap > 0 else 'few'}."

    def said(self, guesses: Sequence[str]) -> str:
        """Median and middle half.

        Examples:
            >>> Number().said(["10", "20", "30", "40", "50"])
            'The class said 30; half said 20 to 40'
        """
        low, median, high = quartiles([int(guess) for guess in guesses])
        return f"The class said {median:.0f}; half said {low:.0f} to {high:.0f}"


@dataclass(frozen=True, slots=True)
class Range:
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

    def apart(self, guess: str, exact: str) -> str:
        """Whether it is too narrow, too wide, or elsewhere.

        Examples:
            >>> Range().apart("35-45", "30-50"), Range().apart("10-40", "30-50")
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

    def said(self, guesses: Sequence[str]) -> str:
        """Medians of both ends, and of the width."""
        pairs = np.array([ends(guess) for guess in guesses])
        low, high = np.median(pairs, axis=0)
        narrow, _, wide = quartiles((pairs[:, 1] - pairs[:, 0]).tolist())
        return f"The class said {low:.0f} to {high:.0f}; half of the ranges are {narrow:.0f} to {wide:.0f} wide"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few options."""

    options: tuple[str, ...]
    name: ClassVar[str] = "choice"
    close: ClassVar[str] = "are right"

    @property
    def expected(self) -> str:
        """Its letters."""
        return f"one letter from a to {LETTERS[len(self.options) - 1]}"

    def read(self, text: str) -> str | None:
        """Its letter, in either case."""
        letter = text.strip().lower()
        return letter if len(letter) == 1 and letter in LETTERS[: len(self.options)] else None

    def words(self, guess: str) -> str:
        """The option itself."""
        return f"“{self.options[LETTERS.index(guess)]}”"

    def is_close(self, guess: str, exact: str) -> bool:
        """Whether it is the right one."""
        return guess == exact

    def apart(self, guess: str, exact: str) -> str:
        """Whether it is right."""
        return f"You said {self.words(guess)}: {'right.' if guess == exact else 'not so.'}"

    def said(self, guesses: Sequence[str]) -> str:
        """The most common one.

        Examples:
            >>> Choice(("yes", "no")).said(["a", "a", "b"])
            '2 of 3 said “yes”'
        """
        (most, n), *others = Counter(sorted(guesses)).most_common()
        level = [self.words(guess) for guess, count in others if count == n]
        if level:
            return f"No majority: {n} said {self.words(most)}, as many {' and '.join(level)}"
        return f"{n} of {len(guesses)} said {self.words(most)}"


@dataclass(frozen=True, slots=True)
class Order:
    """All of a few items, put in order."""

    options: tuple[str, ...]
    name: ClassVar[str] = "order"
    close: ClassVar[str] = "have all in order"

    @property
    def expected(self) -> str:
        """All letters."""
        return f"the letters {' '.join(LETTERS[: len(self.options)])} in your order, such as {self._example}"

    @property
    def _example(self) -> str:
        return LETTERS[: len(self.options)][::-1]

    def read(self, text: str) -> str | None:
        """Every letter once, with or without marks between them."""
        letters = re.sub(r"[\s,;<>-]+", "", text.lower())
        return letters if sorted(letters) == sorted(LETTERS[: len(self.options)]) else None

    def words(self, guess: str) -> str:
        """Letters with signs of order between them."""
        return " < ".join(guess)

    def is_close(self, guess: str, exact: str) -> bool:
        """Whether all are in order."""
        return guess == exact

    def apart(self, guess: str, exact: str) -> str:
        """How many pairs are in order.

        Examples:
            >>> Order(("w", "x", "y", "z")).apart("bcad", "bcda")
            'You said b < c < a < d: 5 of 6 pairs are in order.'
        """
        pairs = list(combinations(exact, 2))
        right = sum(guess.index(first) < guess.index(second) for first, second in pairs)
        return f"You said {self.words(guess)}: {right} of {plural(len(pairs), 'pair')} are in order."

    def said(self, guesses: Sequence[str]) -> str:
        """The most common order, and how many there are."""
        counts = Counter(sorted(guesses))
        most, n = counts.most_common(1)[0]
        return f"{n} of {len(guesses)} said {self.words(most)}; {plural(len(counts), 'order')} in all"


Kind: TypeAlias = Number | Range | Choice | Order
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
        return Finding(kind.said(guesses), "")
    n = sum(kind.is_close(guess, exact) for guess in guesses)
    return Finding(kind.said(guesses), f"{n} of {len(guesses)} {kind.close}.")


class Pasted(NamedTuple):
    """A pasted list: its guesses, and what was none."""

    guesses: tuple[str, ...]
    refused: tuple[str, ...]


def pasted(kind: Kind, text: str) -> Pasted:
    r"""Read a list with a guess a line, or with semicolons between them; numbers may stand side by side.

    Examples:
        >>> pasted(Number(), "70, 85 12%\n140; x")
        Pasted(guesses=('70', '85', '12'), refused=('140', 'x'))
    """
    marks = r"[\n;]" if isinstance(kind, Order | Range) else r"[\s;,]+"
    parts = [part.strip() for part in re.split(marks, text) if part.strip(" ,\t\r")]
    read = [(part, kind.read(part.strip(" ,"))) for part in parts]
    return Pasted(
        tuple(guess for _, guess in read if guess is not None), tuple(part for part, guess in read if guess is None)
    )


PILE = 4
"""Width of a pile of dots, on the scale of the guesses."""


def stacked(values: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Numbers as dots that stand on each other, one pile for every 4 numbers: places, and how high each stands.

    Examples:
        >>> stacked([70, 71, 20])
        (array([20., 72., 72.]), array([1., 1., 2.]))
    """
    x = np.sort(PILE * np.floor(np.asarray(values, np.float64) / PILE + 0.5))
    height = np.arange(len(x)) - np.searchsorted(x, x) + 1
    return x, height.astype(np.float64)
