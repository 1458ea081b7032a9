"""Items that two producers answered differently, to be read one by one."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.model import BiasAnswers, BiasItems, BoolArray, IntArray
from fairviz.studies.social_bias.measures import OUT, C, S, U
from fairviz.studies.social_bias.rows import NO_CONTEXT, answer_kinds, column_of, context_of_items

AnswerName: TypeAlias = Literal["stereotyped", "counter-stereotyped", "unknown", "out of choice", "no biased answer"]
_NAMES: Mapping[int, AnswerName] = {
    S: "stereotyped",
    C: "counter-stereotyped",
    U: "unknown",
    OUT: "out of choice",
}


class ChangedItem(NamedTuple):
    """An item that two producers answered differently.

    Attributes:
        item: Its index among the items.
        before, after: The options answered, −1 = out of choice.
        before_kind, after_kind: What these answers are in this item.
        before_words, after_words: The answers as recorded, "" where only options were.
    """

    item: int
    before: int
    after: int
    before_kind: AnswerName
    after_kind: AnswerName
    before_words: str
    after_words: str


def changed_items(
    items: BiasItems,
    answers: BiasAnswers,
    first: Mapping[str, str],
    second: Mapping[str, str],
    *,
    category: str | None = None,
    all_items: bool = False,
) -> tuple[ChangedItem, ...]:
    """Items that two producers answered differently, in the order of the items.

    Args:
        items: The questions.
        answers: Answers to them.
        first: Value of the columns that name the first producer, enough to give one answer an item.
        second: The same of the second.
        category: Only items of this bias type.
        all_items: Also those with the same answer.

    Raises:
        UsageError: A column that is not there, or a producer with two answers to one item.
    """
    befores, afters = (_by_item(items, answers, producer) for producer in (first, second))
    common = (befores >= 0) & (afters >= 0)
    if category is not None:
        common &= _is_category(items, category)
    answered = np.flatnonzero(common)
    if not all_items:
        answered = answered[answers.choices[befores[answered]] != answers.choices[afters[answered]]]
    kinds = answer_kinds(items, answers)
    kinds[context_of_items(items)[answers.items] == NO_CONTEXT] = NO_CONTEXT
    return tuple(
        ChangedItem(
            item=item,
            before=int(answers.choices[a]),
            after=int(answers.choices[b]),
            before_kind=_NAMES.get(int(kinds[a]), "no biased answer"),
            after_kind=_NAMES.get(int(kinds[b]), "no biased answer"),
            before_words=_words(answers, a),
            after_words=_words(answers, b),
        )
        for item, a, b in zip(answered.tolist(), befores[answered].tolist(), afters[answered].tolist(), strict=True)
    )


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


def _is_category(items: BiasItems, category: str) -> BoolArray:
    values = items.categories.values
    return items.categories.codes == (values.index(category) if category in values else -1)


def _words(answers: BiasAnswers, place: int) -> str:
    words = answers.words
    return "" if words is None else words.values[int(words.codes[place])]
