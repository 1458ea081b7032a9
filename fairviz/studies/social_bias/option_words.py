"""Answers in words, read as one of the three options of a bias question: all rows at once.

BBQ's own rule comes first (lower case, blanks around and one final period dropped, "pantsu" at the end completed to
"pantsuit" and "o'brien" written "obrien", since its models and items spell them so; then equality with an option), then
the rules of :mod:`fairviz.io.answer_words`. Anything else is out of choice. Source of the first: the analysis published
with BBQ (Parrish et al. 2022).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairviz.io.answer_words import RULES, TEXT, Asked, Reading, letter_alone, read_asked
from fairviz.model import IndexArray
from fairviz.model.bias import OUT_OF_CHOICE, ChoiceArray

_CODES = {rule: code for code, rule in enumerate(RULES)}
_UNREAD = -1


class WordsRead(NamedTuple):
    """Options (R), and the rule that found each as its place among :data:`~fairviz.io.answer_words.RULES` (R)."""

    choices: ChoiceArray
    rules: ChoiceArray


def read_words(words: Sequence[str], asked: Sequence[Asked], word_of: IndexArray, asked_of: IndexArray) -> WordsRead:
    """Read R rows whose answers and questions are kept once each.

    Args:
        words: W distinct answers.
        asked: Q distinct questions.
        word_of: (R) the answer of each row.
        asked_of: (R) the question of each row.
    """
    codes: dict[str, int] = {}
    plain = _codes((_bbq(word) for word in words), codes)
    names = _codes((_bbq(option) for each in asked for option in each.options), codes).reshape(-1, 3)
    choices = _equal(plain[word_of], names[asked_of])
    rules = np.where(choices == OUT_OF_CHOICE, np.int8(_UNREAD), np.int8(_CODES[TEXT]))
    rest = np.flatnonzero(choices == OUT_OF_CHOICE)
    used, place = np.unique(word_of[rest], return_inverse=True)
    used_words: list[int] = used.tolist()
    alone = [letter_alone(words[word], "ABC") for word in used_words]
    _fill(choices, rules, rest, alone, place)
    rest = np.flatnonzero(choices == OUT_OF_CHOICE)
    pairs, inverse = np.unique(word_of[rest].astype(np.int64) * len(asked) + asked_of[rest], return_inverse=True)
    pair_codes: list[int] = pairs.tolist()
    readings = [read_asked(words[pair // len(asked)], asked[pair % len(asked)]) for pair in pair_codes]
    _fill(choices, rules, rest, readings, inverse)
    return WordsRead(choices, rules)


def _fill(
    choices: ChoiceArray,
    rules: ChoiceArray,
    rows: NDArray[np.intp],
    readings: Sequence[Reading],
    places: NDArray[np.intp],
) -> None:
    """Write readings into the rows that have them."""
    if readings:
        choices[rows] = np.array([reading.option for reading in readings], dtype=np.int8)[places]
        rules[rows] = np.array([_CODES.get(reading.rule, _UNREAD) for reading in readings], dtype=np.int8)[places]


def _equal(answers: IndexArray, names: IndexArray) -> ChoiceArray:
    """The first of three names that equals an answer, by code; −1 means no name."""
    choices = np.full(answers.size, OUT_OF_CHOICE, dtype=np.int8)
    for option in (2, 1, 0):
        choices[(answers == names[:, option]) & (answers >= 0)] = option
    return choices


def _codes(texts: Iterable[str], codes: dict[str, int]) -> IndexArray:
    return np.array([codes.setdefault(text, len(codes)) for text in texts], dtype=np.int32)


def _bbq(text: str) -> str:
    plain = text.lower().strip().removesuffix(".")
    plain = plain.replace("o'brien", "obrien")
    return plain + "it" if plain.endswith("pantsu") else plain
