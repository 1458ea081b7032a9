"""From a number to a question: what several producers answered to each item, and whose answer moved which way."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.model import BiasAnswers, BiasItems, BoolArray, IntArray
from fairviz.studies.social_bias.measures import OUT, C, S, U
from fairviz.studies.social_bias.tallies import NO_CONTEXT, answer_kinds, column_of, context_of_items

AnswerName: TypeAlias = Literal["stereotyped", "counter-stereotyped", "unknown", "out of choice", "no biased answer"]
NAMES: Mapping[int, AnswerName] = {
    S: "stereotyped",
    C: "counter-stereotyped",
    U: "unknown",
    OUT: "out of choice",
    NO_CONTEXT: "no biased answer",
}
NO_ANSWER = -2
"""Kind of an answer that is not there."""

Move: TypeAlias = tuple[AnswerName, AnswerName]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnswerSheet:
    """Answers of P producers to N items.

    Attributes:
        choices: (P, N) the options answered, −1 = none of them.
        kinds: (P, N) what these answers are, by place among the kinds of answers; :data:`NO_ANSWER` without one.
        words: (P, N) the answers as recorded, by place among ``texts``; −1 where only options were.
        texts: Recorded answers, each once.
    """

    choices: IntArray
    kinds: IntArray
    words: IntArray
    texts: tuple[str, ...]

    def name(self, producer: int, item: int) -> AnswerName | None:
        """What an answer is, None where there is none."""
        return NAMES.get(int(self.kinds[producer, item]))

    def said(self, producer: int, item: int) -> str:
        """An answer in its own words, "" where only options were recorded."""
        place = int(self.words[producer, item])
        return self.texts[place] if place >= 0 else ""


def answer_sheet(items: BiasItems, answers: BiasAnswers, producers: Sequence[Mapping[str, str]]) -> AnswerSheet:
    """What each producer answers to each item.

    Args:
        items: The questions.
        answers: Answers to them.
        producers: Values of the columns that name each, enough to give one answer an item.

    Raises:
        UsageError: A column that is not there, or a producer with two answers to one item.
    """
    places = np.stack([_by_item(items, answers, producer) for producer in producers])
    kinds = answer_kinds(items, answers)
    kinds[context_of_items(items)[answers.items] == NO_CONTEXT] = NO_CONTEXT
    there, texts = places >= 0, () if answers.words is None else answers.words.values
    words = np.full(answers.items.size, -1) if answers.words is None else answers.words.codes
    return AnswerSheet(
        choices=np.where(there, answers.choices[places], -1),
        kinds=np.where(there, kinds[places], NO_ANSWER),
        words=np.where(there, words[places], -1),
        texts=texts,
    )


def moves(sheet: AnswerSheet, pairs: Sequence[tuple[int, int]], where: BoolArray) -> Counter[Move]:
    """Answers that moved from one kind to another, over pairs of producers (before, after) and some of the items."""
    counted: Counter[Move] = Counter()
    for before, after in pairs:
        both = np.stack([sheet.kinds[before], sheet.kinds[after]])[:, where]
        both = both[:, (both != NO_ANSWER).all(axis=0) & (both[0] != both[1])]
        kinds, n = np.unique(both, axis=1, return_counts=True)
        for (first, second), times in zip(kinds.T.tolist(), n.tolist(), strict=True):
            counted[NAMES[first], NAMES[second]] += times
    return counted


def moved(sheet: AnswerSheet, pairs: Sequence[tuple[int, int]], move: Move) -> BoolArray:
    """(N) whether any pair of producers has this move."""
    codes = {name: kind for kind, name in NAMES.items()}
    hits = [(sheet.kinds[before] == codes[move[0]]) & (sheet.kinds[after] == codes[move[1]]) for before, after in pairs]
    return np.logical_or.reduce(hits)


def n_along(sheet: AnswerSheet) -> IntArray:
    """(N) producers whose answer follows the stereotype; −1 where none answers."""
    return np.where((sheet.kinds == NO_ANSWER).all(axis=0), -1, (sheet.kinds == S).sum(axis=0))


def _by_item(items: BiasItems, answers: BiasAnswers, producer: Mapping[str, str]) -> IntArray:
    """(N) the producer's answer to each item, −1 where it has none."""
    by_producer = np.ones(answers.items.size, dtype=np.bool_)
    for column, value in producer.items():
        factor = column_of(items, answers, column)
        place = factor.values.index(value) if value in factor.values else -1
        by_producer &= factor.codes == place
    places = np.flatnonzero(by_producer)
    answered = answers.items[places]
    if np.unique(answered).size < answered.size:
        named = ", ".join(f"{column} = {value}" for column, value in producer.items())
        raise UsageError(f"{named or 'everybody'} answers an item more than once: name more columns")
    by_item = np.full(len(items), -1, dtype=np.int64)
    by_item[answered] = places
    return by_item
