"""The kind of recorded answers to variants, their options, and which of them each answer is."""

from collections import Counter
from collections.abc import Mapping, Sequence
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
from fairviz.io.variant_rows import FACTORS, VariantRow
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


def read_answers(rows: Sequence[VariantRow], file: str) -> ReadAnswers:
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
    rows = [_with_letter(row) for row in rows]
    by_dataset: dict[str, list[int]] = {}
    for r, row in enumerate(rows):
        by_dataset.setdefault(row.producer[_DATASET], []).append(r)
    golds: list[str | None] = [None] * len(rows)
    choices: list[str | None] = [None] * len(rows)
    kind: AnswerKind | None = None
    rules: Counter[str] = Counter()
    for places in by_dataset.values():
        own_rows = [rows[r] for r in places]
        own_kind = _kind(own_rows, file)
        if kind not in (None, own_kind):
            reason = f"answers are {own_kind} here and {kind} before"
            fix = "Put closed and open questions into files of their own, or give a column kind."
            raise InputError(reason, file=file, line=own_rows[0].line, fix=fix)
        kind = own_kind
        if own_kind == "closed":
            for r, (gold, choice) in zip(places, _read(own_rows, rules), strict=True):
                golds[r], choices[r] = gold, choice
    options = tuple(sorted({*golds, *choices} - {None}, key=str))
    if len(options) > MAX_VALUES:
        reason = f"{count(len(options))} different options of closed answers"
        raise InputError(reason, file=file, fix="Call answers in free words open in column kind.")
    codes: Mapping[str | None, int] = {None: UNKNOWN} | {o: i for i, o in enumerate(options)}
    return ReadAnswers(
        kind=kind or "closed",
        options=tuple(str(option) for option in options),
        golds=np.array([codes[gold] for gold in golds], dtype=np.int16),
        choices=np.array([codes[choice] for choice in choices], dtype=np.int16),
        read_by=dict(sorted(rules.items())),
    )


def _with_letter(row: VariantRow) -> VariantRow:
    """A row whose right answer is a letter, where it is one of its options in words or by number."""
    if not row.options or not row.gold or is_letter(row.gold):
        return row
    names = [loosely(option) for option in row.options]
    place = names.index(loosely(row.gold)) if loosely(row.gold) in names else as_place(row.gold)
    if place is None or place >= min(len(row.options), len(LETTERS)):
        return row
    return row._replace(gold=LETTERS[place])


def _kind(rows: Sequence[VariantRow], file: str) -> AnswerKind:
    kinds = {row.kind: row.line for row in reversed(rows) if row.kind}
    if len(kinds) > 1:
        fix = "Put closed and open questions into files of their own."
        reason = "closed and open answers in one file"
        raise InputError(reason, file=file, line=max(kinds.values()), fix=fix)
    if kinds:
        return "open" if "open" in kinds else "closed"
    golds = {row.gold for row in rows if row.gold}
    if any(row.options for row in rows) and all(map(is_letter, golds)):
        return "closed"
    if not golds:
        answers = [row.prediction for row in rows if row.prediction and row.prediction.strip()]
        known = sum(_is_option(answer) for answer in answers)
        return "closed" if 2 * known >= len(answers) else "open"
    if all(_is_option(gold) for gold in golds):
        return "closed"
    n_questions = len({row.question for row in rows if row.gold})
    few = len(golds) <= MAX_OPTIONS and 2 * len(golds) <= n_questions
    return "closed" if few and all(len(gold.split()) <= 3 for gold in golds) else "open"


def _is_option(text: str) -> bool:
    return is_letter(text) or as_word(text) in WORDS


def _read(rows: Sequence[VariantRow], rules: Counter[str]) -> list[tuple[str | None, str | None]]:
    """The right option and the chosen one of each row of a dataset, None where there is none."""
    golds = list(dict.fromkeys(row.gold for row in rows if row.gold))
    answers = golds or [row.prediction for row in rows if row.prediction]
    n_letters = sum(map(is_letter, answers))
    if any(row.options for row in rows) and all(map(is_letter, golds)):
        return _read_letters(rows, rules)
    if n_letters == len(answers) if golds else 2 * n_letters > len(answers):
        return _read_letters(rows, rules)
    known = golds or [answer for answer in answers if as_word(answer) in WORDS]
    spelt: dict[str, str] = {}
    for answer in filter(as_word, known):
        spelt.setdefault(as_word(answer), answer.strip().removesuffix("."))
    for family in FAMILIES:
        if spelt and spelt.keys() <= family:
            spelt.update((word, word) for word in sorted(family - spelt.keys()))
    words = tuple(spelt)
    read: dict[str, str | None] = {}
    for row in rows:
        if row.prediction is not None and row.prediction not in read:
            word = read_word(_inner(row.prediction), words)
            read[row.prediction] = None if word is None else spelt[word]
    rules.update("option text" for row in rows if read.get(row.prediction or "") is not None)
    return [(spelt.get(as_word(row.gold)), read.get(row.prediction or "")) for row in rows]


def _inner(prediction: str) -> str:
    """An answer without thinking, and out of its box."""
    answer = unwrapped(prediction)
    boxes = set(boxed_in(answer))
    return boxes.pop() if len(boxes) == 1 else answer


def _read_letters(rows: Sequence[VariantRow], rules: Counter[str]) -> list[tuple[str | None, str | None]]:
    golds = {row.gold: as_letter(row.gold) for row in rows if row.gold}
    last = max(("E", *golds.values()))
    letters = LETTERS[: LETTERS.index(last) + 1]
    read: dict[tuple[str, tuple[str, ...]], Reading] = {}
    for row in rows:
        key = (row.prediction or "", row.options)
        if row.prediction is not None and key not in read:
            read[key] = read_asked(row.prediction, Asked(row.options, None, "", tuple(letters)))
    readings = [read.get((row.prediction or "", row.options), NOTHING) for row in rows]
    rules.update(reading.rule for reading in readings if reading.rule)
    places = [reading.option for reading in readings]
    return [
        (golds.get(row.gold), letters[place] if 0 <= place < len(letters) else None)
        for row, place in zip(rows, places, strict=True)
    ]
