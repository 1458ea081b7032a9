"""The kind of recorded answers to variants, their options, and which of them each answer is."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairviz.counts import count
from fairviz.errors import InputError
from fairviz.io.answer_text import boxed_in, loosely, unwrapped
from fairviz.io.answer_words import NOTHING, Asked, Reading, read_asked
from fairviz.io.closed_answers import (
    FAMILIES,
    LETTERS,
    WORDS,
    as_letter,
    as_word,
    is_letter,
    read_word,
)
from fairviz.io.json import as_place
from fairviz.io.limits import MAX_VALUES
from fairviz.io.variant_columns import Coded, VariantColumns, distinct, pairs
from fairviz.io.variant_rows import FACTORS
from fairviz.model.arrays import IntArray
from fairviz.model.variants import UNKNOWN, AnswerKind

MAX_OPTIONS = 10
"""Distinct right answers that a closed question may have."""

_DATASET = FACTORS.index("dataset")


class ReadAnswers(NamedTuple):
    """Answers as options; see :class:`~fairviz.model.variants.VariantAnswers`."""

    kind: AnswerKind
    options: tuple[str, ...]
    golds: NDArray[np.int16]
    choices: NDArray[np.int16]
    read_by: dict[str, int]


def named_options(candidates: tuple[str, ...], codes: NDArray[np.int16]) -> tuple[tuple[str, ...], NDArray[np.int16]]:
    """The options that are right or chosen, and the code of each candidate among them; the last is of none.

    Args:
        candidates: Options that answers may name.
        codes: Those that are named, :data:`~fairviz.model.variants.UNKNOWN` or not.
    """
    named: list[int] = np.unique(codes[codes != UNKNOWN]).tolist()
    places = np.full(len(candidates) + 1, UNKNOWN, dtype=np.int16)
    places[named] = np.arange(len(named))
    return tuple([candidates[code] for code in named]), places


# What decides how answers are read: added up over parts of a file, as it needs the rows of all.

_ENOUGH = 2 * MAX_OPTIONS
"""Questions with a right answer that are enough for any number of options."""


@dataclass(slots=True)
class _OfDataset:
    """What the rows of a dataset say together.

    Attributes:
        place: Of its first row.
        kinds: Place of the first row of each kind that is said.
        golds: Right answers.
        any_options: Whether rows say their options.
        questions: Some that have a right answer, as many as matter.
        n_filled: Answers that are not blank; ``n_known``, of these those that are an option.
        n_said: Answers of any characters; ``n_letters``, of these letters.
        words: Those that are known words.
    """

    place: int
    kinds: dict[str, int] = field(default_factory=dict[str, int])
    golds: dict[str, None] = field(default_factory=dict[str, None])
    any_options: bool = False
    questions: set[str] = field(default_factory=set[str])
    n_filled: int = 0
    n_known: int = 0
    n_said: int = 0
    n_letters: int = 0
    words: dict[str, None] = field(default_factory=dict[str, None])

    def add(self, rows: VariantColumns, places: IntArray) -> None:
        """Take rows in some places, which follow those before; right answers are letters where they are options."""
        for kind, first in zip(rows.kind.values, distinct(rows.kind.codes).first.tolist(), strict=True):
            if kind and kind not in self.kinds:
                self.kinds[kind] = int(places[first])
        self.golds.update(dict.fromkeys(filter(None, rows.gold.values)))
        self.any_options = self.any_options or any(rows.options.values)
        if self.golds:
            if len(self.questions) < _ENOUGH:
                with_gold = np.flatnonzero(rows.gold.told(bool))
                some = with_gold[distinct(rows.question.codes[with_gold]).first[:_ENOUGH]]
                self.questions.update(map(rows.question.at, some.tolist()))
            return
        for said, n in rows.prediction.counted():  # they count where no right answer is recorded
            if said:
                self.n_said += n
                self.n_letters += n * is_letter(said)
                self.n_filled += n * bool(said.strip())
                self.n_known += n * (bool(said.strip()) and _is_option(said))
                if as_word(said) in WORDS:
                    self.words[said] = None

    def kind(self, line: Callable[[int], int], file: str) -> AnswerKind:
        """Whether its answers are closed.

        Raises:
            InputError: Some rows say so, and others say that theirs are open.
        """
        if len(self.kinds) > 1:
            fix = "Put closed and open questions into files of their own."
            reason = "closed and open answers in one file"
            raise InputError(reason, file=file, line=line(max(self.kinds.values())), fix=fix)
        if self.kinds:
            return "open" if "open" in self.kinds else "closed"
        if self.any_options and all(map(is_letter, self.golds)):
            return "closed"
        if not self.golds:
            return "closed" if 2 * self.n_known >= self.n_filled else "open"
        if all(map(_is_option, self.golds)):
            return "closed"
        few = len(self.golds) <= MAX_OPTIONS and 2 * len(self.golds) <= len(self.questions)
        return "closed" if few and all(len(gold.split()) <= 3 for gold in self.golds) else "open"

    def way(self) -> "_Letters | _Words":
        """How closed answers are read."""
        n_letters = sum(map(is_letter, self.golds))
        if self.any_options and n_letters == len(self.golds):
            return _Letters.of(self.golds)
        if n_letters == len(self.golds) if self.golds else 2 * self.n_letters > self.n_said:
            return _Letters.of(self.golds)
        return _Words.of(self.golds or self.words)


@dataclass(slots=True)
class Recorded:
    """What the rows of each dataset say together, in the order of their first rows."""

    datasets: dict[str, _OfDataset] = field(default_factory=dict[str, _OfDataset])

    def add(self, rows: VariantColumns, first: int = 0) -> None:
        """Take rows, of which the first has that place in the file."""
        rows = rows._replace(gold=_golds_as_letters(rows))
        for dataset, places in _by_dataset(rows):
            own = rows.of_rows(places)
            if dataset not in self.datasets:
                self.datasets[dataset] = _OfDataset(first + int(places[0]))
            self.datasets[dataset].add(own, first + places)

    def decided(self, line: Callable[[int], int], file: str) -> "Decided":
        """The kind of the answers, and how closed ones are read as options.

        The column ``kind`` decides where there is one. Otherwise the right answers of each dataset do:
        answers are closed where all are letters A–J, or known words (yes, no, maybe, …), or where at
        most ten distinct answers of at most three words are each right for two questions on average.
        Without any right answer they are closed where most answers are letters or known words.

        Options are the right answers of the dataset. Where they are letters, or of yes, no, maybe, or
        of true, false, what answers plainly name of the same (letters up to E, or to the last right
        one) is an option, too: "C" is a wrong answer also where C is never right.

        Where rows say their options (column ``options``), answers in the words of one are its letter, and so are right
        answers in words.

        Args:
            line: Of the row in a place.
            file: Name of the file.

        Raises:
            InputError: Closed and open answers stand in one file, or closed ones have more options than an analysis.
        """
        kinds: list[AnswerKind] = []
        for dataset in self.datasets.values():
            kinds.append(dataset.kind(line, file))
            if kinds[-1] != kinds[0]:
                reason = f"answers are {kinds[-1]} here and {kinds[0]} before"
                fix = "Put closed and open questions into files of their own, or give a column kind."
                raise InputError(reason, file=file, line=line(dataset.place), fix=fix)
        closed = bool(kinds) and kinds[0] == "closed"
        ways = {name: dataset.way() for name, dataset in self.datasets.items()} if closed else {}
        golds = {ways[name].gold(gold) for name in ways for gold in self.datasets[name].golds}
        decided = Decided(kinds[0] if kinds else "closed", ways, frozenset(gold for gold in golds if gold is not None))
        if len(decided.options) > MAX_VALUES:
            reason = f"{count(len(decided.options))} different options of closed answers"
            raise InputError(reason, file=file, fix="Call answers in free words open in column kind.")
        return decided


class Decided(NamedTuple):
    """How the rows of a file are read.

    Attributes:
        kind: Whether answers are closed.
        ways: How closed ones are read, by dataset.
        right: Options that are ever right.
    """

    kind: AnswerKind
    ways: "dict[str, _Letters | _Words]"
    right: frozenset[str]

    @property
    def options(self) -> tuple[str, ...]:
        """What closed answers may name."""
        return tuple(sorted({option for way in self.ways.values() for option in way.options}))

    def read(self, rows: VariantColumns) -> ReadAnswers:
        """Read rows; their codes are of :attr:`options`, whether or not any answer names one."""
        options = self.options
        codes: Mapping[str | None, int] = {None: UNKNOWN} | {option: i for i, option in enumerate(options)}
        rules: Counter[str] = Counter()
        golds = np.full(rows.n_rows, UNKNOWN, dtype=np.int16)
        choices = golds.copy()
        if self.kind == "closed":
            rows = rows._replace(gold=_golds_as_letters(rows))
            for dataset, places in _by_dataset(rows):
                own, way = rows.of_rows(places), self.ways[dataset]
                chosen = way.choices(own, rules)
                right = np.array([codes[way.gold(gold)] for gold in own.gold.values], dtype=np.int16)
                golds[places] = right[own.gold.codes]
                choices[places] = np.array([codes[one] for one in chosen.values], dtype=np.int16)[chosen.codes]
        return ReadAnswers(self.kind, options, golds, choices, dict(sorted(rules.items())))


def _by_dataset(rows: VariantColumns) -> list[tuple[str, IntArray]]:
    """The rows of each dataset, in the order of its first row."""
    datasets = rows.of_producer(_DATASET)
    order = np.argsort(datasets.codes, kind="stable").astype(np.int64)
    return list(zip(datasets.values, np.split(order, np.cumsum(np.bincount(datasets.codes))[:-1]), strict=True))


def _golds_as_letters(rows: VariantColumns) -> Coded[str]:
    """The right answers, as letters where they are one of the row's options in words or by number."""
    if not any(rows.options.values):
        return rows.gold
    found = distinct(pairs(rows.gold.codes, rows.options.codes))
    cells = [(rows.gold.at(row), rows.options.at(row)) for row in found.first.tolist()]
    return Coded(tuple(cells), found.of).mapped(lambda cell: _as_letter_of(*cell))


def _as_letter_of(gold: str, options: tuple[str, ...]) -> str:
    if not options or not gold or is_letter(gold):
        return gold
    names = [loosely(option) for option in options]
    place = names.index(loosely(gold)) if loosely(gold) in names else as_place(gold)
    if place is None or place >= min(len(options), len(LETTERS)):
        return gold
    return LETTERS[place]


def _is_option(text: str) -> bool:
    return is_letter(text) or as_word(text) in WORDS


class _Words(NamedTuple):
    """Answers are words.

    Attributes:
        spelt: What each word is shown as.
    """

    spelt: dict[str, str]

    @classmethod
    def of(cls, known: Iterable[str]) -> "_Words":
        """Words that are right, or known."""
        spelt: dict[str, str] = {}
        for answer in filter(as_word, known):
            spelt.setdefault(as_word(answer), answer.strip().removesuffix("."))
        for family in FAMILIES:
            if spelt and spelt.keys() <= family:
                spelt.update((word, word) for word in sorted(family - spelt.keys()))
        return cls(spelt)

    @property
    def options(self) -> Iterable[str]:
        """What answers may name."""
        return self.spelt.values()

    def gold(self, gold: str) -> str | None:
        """A right answer as an option."""
        return self.spelt.get(as_word(gold))

    def choices(self, rows: VariantColumns, rules: Counter[str]) -> Coded[str | None]:
        """The option that each row chose; ``rules`` counts how they were read."""
        words = tuple(self.spelt)
        read: dict[str, str | None] = {}
        for said in rows.prediction.values:
            if said is not None:
                word = read_word(_inner(said), words)
                read[said] = None if word is None else self.spelt[word]
        n_read = sum(n for said, n in rows.prediction.counted() if read.get(said or "") is not None)
        if n_read:
            rules["option text"] += n_read
        return rows.prediction.mapped(lambda said: read.get(said or ""))


def _inner(prediction: str) -> str:
    """An answer without thinking, and out of its box."""
    answer = unwrapped(prediction)
    boxes = set(boxed_in(answer))
    return boxes.pop() if len(boxes) == 1 else answer


class _Letters(NamedTuple):
    """Answers are letters.

    Attributes:
        letters: From A to the last one.
    """

    letters: str

    @classmethod
    def of(cls, golds: Iterable[str]) -> "_Letters":
        """Up to E, or to the last right one."""
        return cls(LETTERS[: LETTERS.index(max(("E", *map(as_letter, golds)))) + 1])

    @property
    def options(self) -> Iterable[str]:
        """What answers may name."""
        return self.letters

    def gold(self, gold: str) -> str | None:
        """A right answer as an option."""
        return as_letter(gold) if gold else None

    def choices(self, rows: VariantColumns, rules: Counter[str]) -> Coded[str | None]:
        """The option that each row chose; ``rules`` counts how they were read."""
        found = distinct(pairs(rows.prediction.codes, rows.options.codes))
        cells = [(rows.prediction.at(row), rows.options.at(row)) for row in found.first.tolist()]
        letters = self.letters
        read: dict[tuple[str, tuple[str, ...]], Reading] = {}
        for said, options in cells:
            if said is not None:
                read[said, options] = read_asked(said, Asked(options, None, "", tuple(letters)))
        readings = Coded(tuple([read.get((said or "", options), NOTHING) for said, options in cells]), found.of)
        for reading, n in readings.counted():
            if reading.rule:
                rules[reading.rule] += n
        return readings.mapped(lambda reading: letters[reading.option] if 0 <= reading.option < len(letters) else None)
