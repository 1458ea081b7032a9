"""The kind of recorded answers to variants, their options, and which of them each answer is."""

from collections import Counter
from collections.abc import Mapping
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


def read_answers(rows: VariantColumns, file: str) -> ReadAnswers:
    """Decide the kind, and read closed answers as options.

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
        rows: The rows.
        file: Name of the file.

    Raises:
        InputError: Closed and open answers stand in one file.
    """
    rows = rows._replace(gold=_golds_as_letters(rows))
    read: list[tuple[IntArray, _Read]] = []
    kind: AnswerKind | None = None
    rules: Counter[str] = Counter()
    for places in _by_dataset(rows):
        own_rows = rows.of_rows(places)
        own_kind = _kind(own_rows, file)
        if kind not in (None, own_kind):
            reason = f"answers are {own_kind} here and {kind} before"
            fix = "Put closed and open questions into files of their own, or give a column kind."
            raise InputError(reason, file=file, line=own_rows.line(0), fix=fix)
        kind = own_kind
        if own_kind == "closed":
            read.append((places, _read(own_rows, rules)))
    options = tuple(sorted({option for _, own in read for option in own.named}))
    if len(options) > MAX_VALUES:
        reason = f"{count(len(options))} different options of closed answers"
        raise InputError(reason, file=file, fix="Call answers in free words open in column kind.")
    codes: Mapping[str | None, int] = {None: UNKNOWN} | {o: i for i, o in enumerate(options)}
    golds = np.full(rows.n_rows, UNKNOWN, dtype=np.int16)
    choices = golds.copy()
    for places, own in read:
        golds[places] = np.array([codes[gold] for gold in own.golds.values], dtype=np.int16)[own.golds.codes]
        choices[places] = np.array([codes[choice] for choice in own.choices.values], dtype=np.int16)[own.choices.codes]
    return ReadAnswers(
        kind=kind or "closed",
        options=options,
        golds=golds,
        choices=choices,
        read_by=dict(sorted(rules.items())),
    )


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


def _kind(rows: VariantColumns, file: str) -> AnswerKind:
    firsts: list[int] = distinct(rows.kind.codes).first.tolist()
    kinds = {kind: rows.line(first) for kind, first in zip(rows.kind.values, firsts, strict=True) if kind}
    if len(kinds) > 1:
        fix = "Put closed and open questions into files of their own."
        reason = "closed and open answers in one file"
        raise InputError(reason, file=file, line=max(kinds.values()), fix=fix)
    if kinds:
        return "open" if "open" in kinds else "closed"
    golds = [gold for gold in rows.gold.values if gold]
    if any(rows.options.values) and all(map(is_letter, golds)):
        return "closed"
    if not golds:
        answers = [(answer, n) for answer, n in rows.prediction.counted() if answer and answer.strip()]
        known = sum(n for answer, n in answers if _is_option(answer))
        return "closed" if 2 * known >= sum(n for _, n in answers) else "open"
    if all(_is_option(gold) for gold in golds):
        return "closed"
    n_questions = np.unique(rows.question.codes[rows.gold.told(bool)]).size
    few = len(golds) <= MAX_OPTIONS and 2 * len(golds) <= n_questions
    return "closed" if few and all(len(gold.split()) <= 3 for gold in golds) else "open"


def _is_option(text: str) -> bool:
    return is_letter(text) or as_word(text) in WORDS


class _Read(NamedTuple):
    """The right option and the chosen one of each row of a dataset, None where there is none."""

    golds: Coded[str | None]
    choices: Coded[str | None]

    @property
    def named(self) -> set[str]:
        """The options that are right or chosen."""
        return {option for option in (*self.golds.values, *self.choices.values) if option is not None}


def _read(rows: VariantColumns, rules: Counter[str]) -> _Read:
    golds = [gold for gold in rows.gold.values if gold]
    answers = [(gold, 1) for gold in golds] or [(said, n) for said, n in rows.prediction.counted() if said]
    n_letters = sum(n for answer, n in answers if is_letter(answer))
    n_answers = sum(n for _, n in answers)
    if any(rows.options.values) and all(map(is_letter, golds)):
        return _read_letters(rows, rules)
    if n_letters == n_answers if golds else 2 * n_letters > n_answers:
        return _read_letters(rows, rules)
    known = golds or [answer for answer, _ in answers if as_word(answer) in WORDS]
    spelt: dict[str, str] = {}
    for answer in filter(as_word, known):
        spelt.setdefault(as_word(answer), answer.strip().removesuffix("."))
    for family in FAMILIES:
        if spelt and spelt.keys() <= family:
            spelt.update((word, word) for word in sorted(family - spelt.keys()))
    words = tuple(spelt)
    read: dict[str, str | None] = {}
    for said in rows.prediction.values:
        if said is not None:
            word = read_word(_inner(said), words)
            read[said] = None if word is None else spelt[word]
    n_read = sum(n for said, n in rows.prediction.counted() if read.get(said or "") is not None)
    if n_read:
        rules["option text"] += n_read
    return _Read(
        rows.gold.mapped(lambda gold: spelt.get(as_word(gold))),
        rows.prediction.mapped(lambda said: read.get(said or "")),
    )


def _inner(prediction: str) -> str:
    """An answer without thinking, and out of its box."""
    answer = unwrapped(prediction)
    boxes = set(boxed_in(answer))
    return boxes.pop() if len(boxes) == 1 else answer


def _read_letters(rows: VariantColumns, rules: Counter[str]) -> _Read:
    golds = {gold: as_letter(gold) for gold in rows.gold.values if gold}
    last = max(("E", *golds.values()))
    letters = LETTERS[: LETTERS.index(last) + 1]
    found = distinct(pairs(rows.prediction.codes, rows.options.codes))
    cells = [(rows.prediction.at(row), rows.options.at(row)) for row in found.first.tolist()]
    read: dict[tuple[str, tuple[str, ...]], Reading] = {}
    for said, options in cells:
        if said is not None:
            read[said, options] = read_asked(said, Asked(options, None, "", tuple(letters)))
    readings = Coded(tuple([read.get((said or "", options), NOTHING) for said, options in cells]), found.of)
    for reading, n in readings.counted():
        if reading.rule:
            rules[reading.rule] += n
    return _Read(
        rows.gold.mapped(golds.get),
        readings.mapped(lambda reading: letters[reading.option] if 0 <= reading.option < len(letters) else None),
    )
