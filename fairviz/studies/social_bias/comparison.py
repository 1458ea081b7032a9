"""What a person compares in recorded answers: one column, its values, the rest held fixed."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import BiasAnswers, BiasItems, BoolArray, Factor
from fairviz.studies.social_bias.items import factor_at
from fairviz.studies.social_bias.rows import is_without_rag, ordered_settings
from fairviz.studies.social_bias.tallies import FOLLOWS, column_of

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
