"""Answers paired with the reference's answer to the same item by the same producer."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.analysis.bias_cells import column_of
from fairviz.errors import UndefinedError, UsageError
from fairviz.model import BiasAnswers, BiasItems, IntArray

FOLLOWS = {
    "setting": ("retriever", "k"),
    "retriever": ("setting", "k"),
    "k": ("setting", "retriever"),
    "size": ("model",),
    "tuned": ("model",),
    "model": ("size", "tuned"),
}
"""Columns that change along with another: without retrieval there is no retriever and no k."""


class Pairs(NamedTuple):
    """(P) positions of an answer and of the reference's answer to the same item."""

    answers: IntArray
    references: IntArray
    n_unpaired: int


def pairs_of(items: BiasItems, answers: BiasAnswers, against: tuple[str, str]) -> Pairs:
    """Pair every answer that is not the reference's with the reference's.

    Two answers belong together if they answer the same item and agree in every recorded column but
    the one compared, and those that change along with it (:data:`FOLLOWS`).

    Args:
        items: The questions.
        answers: Answers to them.
        against: Column and value of the reference, such as ("setting", "w/o RAG").

    Raises:
        UsageError: The reference is no value of the column, or has several answers to one item.
        UndefinedError: No answer has a partner.
    """
    column, value = against
    compared = column_of(items, answers, column)
    if value not in compared.values:
        known = ", ".join(compared.values)
        raise UsageError(f"{column} has no value {value!r} to compare with; there are: {known}")
    is_reference = compared.codes == compared.values.index(value)
    kept = [
        factor for factor in answers.factors if factor.name != column and factor.name not in FOLLOWS.get(column, ())
    ]
    keys = answers.items.astype(np.int64)
    for factor in kept:
        keys = keys * max(len(factor.values), 1) + factor.codes
    references, others = np.flatnonzero(is_reference), np.flatnonzero(~is_reference)
    order = references[np.argsort(keys[references], kind="stable")]
    known_keys = keys[order]
    if (known_keys[1:] == known_keys[:-1]).any():
        raise UsageError(
            f"{column} = {value} answers an item more than once: keep answers apart by "
            f"{_varying(answers, references, column) or 'another column'}"
        )
    place = np.searchsorted(known_keys, keys[others])
    found = place < order.size
    found[found] = known_keys[place[found]] == keys[others][found]
    if not found.any():
        raise UndefinedError(f"no answer has a partner with {column} = {value}")
    return Pairs(others[found], order[place[found]], int((~found).sum()))


def _varying(answers: BiasAnswers, at: IntArray, column: str) -> str:
    """Columns that change along and differ within the reference."""
    names: Sequence[str] = FOLLOWS.get(column, ())
    varying = [
        factor.name for factor in answers.factors if factor.name in names and np.unique(factor.codes[at]).size > 1
    ]
    return ", ".join(varying)
