"""The kind of recorded answers to variants, their options, and which of them each answer is."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairviz.errors import InputError
from fairviz.io.answer_table import Coded, distinct, pairs
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
from fairviz.io.variant_rows import FACTORS, VariantColumns
from fairviz.model.arrays import IntArray
from fairviz.model.variants import UNKNOWN, AnswerKind
from fairviz.numerals import count

MAX_OPTIONS = 10
"""Distinct right answers that a closed question may have."""

_DATASET = FACTORS.index("dataset")


class ReadAnswers(NamedTuple):
    """Answers as options; see :class:`~fairviz.model.variants.VariantAnswers`.

    Attributes:
        kind: Whether answers are closed.
        options: Those that are right or chosen; golds, choices: (R) which is right and which is chosen.
        read_by: How many answers each rule read.
        right: Every option that is ever right.
    """

    kind: AnswerKind
    options: tuple[str, ...]
    golds: NDArray[np.int16]
    choices: NDArray[np.int16]
    read_by: dict[str, int]
    right: frozenset[str]


def read_answers(rows: VariantColumns, file: str) -> ReadAnswers:
    """Whether the answers are closed, and closed ones as options.

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
        rows: All rows of a file.
        file: Name of the file.

    Raises:
        InputError: Closed and open answers stand in one file, or closed ones have more options than an analysis.
    """
    rows = rows._replace(gold=_golds_as_letters(rows))
    datasets = [(places, rows.of_rows(places)) for places in _by_dataset(rows)]
    kinds = [_kind(own, file) for _, own in datasets]
    for kind, (_, own) in zip(kinds, datasets, strict=True):
        if kind != kinds[0]:
            reason = f"answers are {kind} here and {kinds[0]} before"
            fix = "Put closed and open questions into files of their own, or give a column kind."
            raise InputError(reason, file=file, line=own.line(0), fix=fix)
    golds = np.full(rows.n_rows, UNKNOWN, dtype=np.int16)
    choices = golds.copy()
    if kinds[0] == "open":
        return ReadAnswers("open", (), golds, choices, {}, frozenset())
    ways = [_way(own) for _, own in datasets]
    options = sorted({option for way in ways for option in way.options})
    if len(options) > MAX_VALUES:
        reason = f"{count(len(options))} different options of closed answers"
        raise InputError(reason, file=file, fix="Call answers in free words open in column kind.")
    codes: Mapping[str | None, int] = {None: UNKNOWN} | {option: i for i, option in enumerate(options)}
    rules: Counter[str] = Counter()
    for (places, own), way in zip(datasets, ways, strict=True):
        gold, chosen = own.gold.mapped(way.gold), way.choices(own, rules)
        golds[places] = np.array([codes[option] for option in gold.values], dtype=np.int16)[gold.codes]
        choices[places] = np.array([codes[option] for option in chosen.values], dtype=np.int16)[chosen.codes]
    right = [code for code in set(golds.tolist()) if code != UNKNOWN]
    named = sorted({*right, *choices.tolist()} - {UNKNOWN})
    renamed = np.full(len(options) + 1, UNKNOWN, dtype=np.int16)  # the last is of none
    renamed[named] = np.arange(len(named))
    return ReadAnswers(
        kind="closed",
        options=tuple(options[code] for code in named),
        golds=renamed[golds],
        choices=renamed[choices],
        read_by=dict(sorted(rules.items())),
        right=frozenset([options[code] for code in right]),
    )


def _kind(rows: VariantColumns, file: str) -> AnswerKind:
    """Whether the answers of a dataset are closed.

    Raises:
        InputError: Some rows say so, and others say that theirs are open.
    """
    firsts = distinct(rows.kind.codes).first.tolist()
    kinds = {kind: first for kind, first in zip(rows.kind.values, firsts, strict=True) if kind}
    if len(kinds) > 1:
        fix = "Put closed and open questions into files of their own."
        reason = "closed and open answers in one file"
        raise InputError(reason, file=file, line=rows.line(max(kinds.values())), fix=fix)
    if kinds:
        return "open" if "open" in kinds else "closed"
    golds = _golds(rows)
    if any(rows.options.values) and all(map(is_letter, golds)):
        return "closed"
    if not golds:
        filled = [(said, n) for said, n in rows.prediction.counted() if said and said.strip()]
        n_known = sum(n for said, n in filled if _is_option(said))
        return "closed" if 2 * n_known >= sum(n for _, n in filled) else "open"
    if all(map(_is_option, golds)):
        return "closed"
    n_questions = np.unique(rows.question.codes[rows.gold.told(bool)]).size
    few = len(golds) <= MAX_OPTIONS and 2 * len(golds) <= n_questions
    return "closed" if few and all(len(gold.split()) <= 3 for gold in golds) else "open"


def _way(rows: VariantColumns) -> "_Letters | _Words":
    """How the closed answers of a dataset are read."""
    golds = _golds(rows)
    if golds:
        return _Letters.of(golds) if all(map(is_letter, golds)) else _Words.of(golds)
    said = [(text, n) for text, n in rows.prediction.counted() if text]
    n_letters = sum(n for text, n in said if is_letter(text))
    if any(rows.options.values) or 2 * n_letters > sum(n for _, n in said):
        return _Letters.of(())
    return _Words.of(text for text, _ in said if as_word(text) in WORDS)


def _golds(rows: VariantColumns) -> list[str]:
    return [gold for gold in rows.gold.values if gold]


def _by_dataset(rows: VariantColumns) -> list[IntArray]:
    """The rows of each dataset, in the order of its first row."""
    datasets = rows.of_producer(_DATASET)
    order = np.argsort(datasets.codes, kind="stable").astype(np.int64)
    return np.split(order, np.cumsum(np.bincount(datasets.codes))[:-1])


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
