"""What a person compares in recorded answers: one column, its values, the rest held fixed; then question by question.

From a number to a question: what several producers answered to each item, and whose answer moved which way.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.model import BiasAnswers, BiasItems, BoolArray, Factor, IntArray
from fairviz.studies.social_bias.items import factor_at
from fairviz.studies.social_bias.measures import OUT, C, S, U
from fairviz.studies.social_bias.rows import is_without_rag, ordered_settings
from fairviz.studies.social_bias.tallies import FOLLOWS, NO_CONTEXT, answer_kinds, column_of, context_of_items

COLUMNS = (
    "setting",
    "retriever",
    "k",
    "shots",
    "model",
    "size",
    "tuned",
    "instruction",
    "language",
)
"""What can be compared, the first that has two values at first."""


class Compared(NamedTuple):
    """What is compared with what; a key for remembered results.

    Attributes:
        column: The column compared.
        reference: Its value that the others are held against.
        fixed: Other columns and the one value of each that is looked at.
    """

    column: str
    reference: str
    fixed: tuple[tuple[str, str], ...] = ()


def values_of(items: BiasItems, answers: BiasAnswers) -> dict[str, tuple[str, ...]]:
    """Values of every column that answers have, or that their items bring with two values.

    Settings are in the order of the paper, numbers rise, all else is in the order of the file.
    """
    values: dict[str, tuple[str, ...]] = {}
    for name in COLUMNS:
        if answers.factor(name) is None and name != "language":
            continue
        factor = column_of(items, answers, name)
        values[name] = _ordered(name, _present(factor))
    return values


def comparable(values: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Columns with two values or more, in the order of :data:`COLUMNS`."""
    return tuple(name for name, of_column in values.items() if len(of_column) > 1)


def usual_reference(column: str, values: Sequence[str]) -> str:
    """What values are held against at first: no retrieval, no documents, else the first."""
    return next((value for value in values if is_nothing(value)), values[0])


def is_nothing(value: str) -> bool:
    """Whether a value says that there was no retrieval: no name, zero, or a name for it.

    Examples:
        >>> is_nothing("0"), is_nothing("w/o RAG"), is_nothing("BM25")
        (True, True, False)
    """
    return value.strip() in ("", "0", "-") or is_without_rag(value)


def part_of(items: BiasItems, answers: BiasAnswers, compared: Compared) -> BiasAnswers:
    """Answers with the fixed values, and the reference's whatever follows along with it.

    Without retrieval there is no retriever and no k: fixing one of them keeps these answers.
    """
    keep: BoolArray = np.ones(answers.items.size, dtype=np.bool_)
    column = column_of(items, answers, compared.column)
    reference = column.codes == _code(column, compared.reference)
    for name, value in compared.fixed:
        factor = column_of(items, answers, name)
        fixed = factor.codes == _code(factor, value)
        if name in FOLLOWS.get(compared.column, ()) and not (fixed & reference).any():
            fixed = fixed | reference
        keep &= fixed
    return answers_at(answers, keep)


def answers_at(answers: BiasAnswers, keep: BoolArray) -> BiasAnswers:
    """Some of the answers; columns keep the values that are left."""
    return BiasAnswers(
        factors=tuple(factor_at(factor, keep) for factor in answers.factors),
        items=answers.items[keep],
        choices=answers.choices[keep],
        words=None if answers.words is None else factor_at(answers.words, keep),
    )


def _ordered(name: str, values: Sequence[str]) -> tuple[str, ...]:
    if name == "setting":
        return ordered_settings(values)
    if name in ("k", "shots"):
        return tuple(sorted(values, key=_as_number))
    return tuple(sorted(values, key=lambda value: not is_nothing(value)))


def _as_number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return -1.0 if is_nothing(value) else float("inf")


def _code(factor: Factor, value: str) -> int:
    return factor.values.index(value) if value in factor.values else -1


def _present(factor: Factor) -> tuple[str, ...]:
    """Values that some row has."""
    present: list[int] = np.unique(factor.codes).tolist()
    return tuple(factor.values[i] for i in present)


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
