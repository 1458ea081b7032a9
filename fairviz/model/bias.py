"""Questions that test for social bias, and the answers of models to them."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairviz.model.arrays import (
    BoolArray,
    check_distinct,
    frozen,
)
from fairviz.model.factors import Factor

ChoiceArray: TypeAlias = NDArray[np.int8]
"""Positions among the three options; −1 where there is none."""

OUT_OF_CHOICE = -1
"""A recorded answer that names none of the three options."""

UNREAD = -2
"""A recorded answer in words, whose option is found once its item is known."""

NO_TARGET = -1
"""The biased answer of an item is undefined: such items are excluded and counted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BiasItems:
    """N questions with three options, in the design of BBQ (Parrish et al. 2022).

    Each template (question) is filled with several pairs of groups, asked with an ambiguous context
    (right answer: unknown) and with a disambiguated one (right answer: one of the groups).

    Attributes:
        categories: (N) bias type of each item, such as "Age".
        languages: (N) language of each item, such as "English".
        ids: (N) example id, unique within language and category.
        templates: (N) the template; items of one template move together in resamples. Its values
            are unique over categories ("Age 12").
        ambiguous: (N) whether the context leaves the answer open.
        nonnegative: (N) whether the question is the non-negative one of its pair.
        gold: (N) right option, 0–2.
        unknown: (N) the option that says "unknown".
        target: (N) the biased option of this item, already swapped for non-negative questions;
            :data:`NO_TARGET` where it is undefined.
        stereotyped: (N) the groups that the item's stereotype is about, joined by " + "; "" if the
            file does not say.
        contexts, questions: (N) words of the item.
        options: (N) words of its three options.
        groups: (N) groups of its three options as the file labels them ("nonOld"); "" where the file does not say,
            () where it says of none.
    """

    categories: Factor
    languages: Factor
    ids: tuple[str, ...]
    templates: Factor
    ambiguous: BoolArray
    nonnegative: BoolArray
    gold: ChoiceArray
    unknown: ChoiceArray
    target: ChoiceArray
    stereotyped: Factor
    contexts: tuple[str, ...]
    questions: tuple[str, ...]
    options: tuple[tuple[str, str, str], ...]
    groups: tuple[tuple[str, str, str], ...] = ()

    def __post_init__(self) -> None:
        n = len(self.ids)
        columns = (self.ambiguous, self.nonnegative, self.gold, self.unknown, self.target)
        factors = (self.categories, self.languages, self.templates, self.stereotyped)
        words = (self.contexts, self.questions, self.options, *([self.groups] if self.groups else []))
        if {n} != {len(c) for c in (*columns, *factors, *words)}:
            raise ValueError(f"items: every column needs {n} rows")
        if not ((self.gold >= 0) & (self.gold <= 2)).all():
            raise ValueError("items: the right option must be 0, 1 or 2")
        if not ((self.unknown >= 0) & (self.unknown <= 2)).all():
            raise ValueError("items: the unknown option must be 0, 1 or 2")
        if not ((self.target >= NO_TARGET) & (self.target <= 2)).all():
            raise ValueError("items: the biased option must be 0, 1, 2 or undefined (-1)")
        if (self.target == self.unknown).any():
            raise ValueError("items: the biased option cannot be the unknown one")
        for column in columns:
            frozen(column)

    def __len__(self) -> int:
        """Number of items."""
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BiasPredictions:
    """R recorded answers as a file has them, before they are matched with items.

    Attributes:
        name: What to call the file.
        factors: Who answered how: any of model, setting, retriever, k, language, instruction,
            shots, size, tuned; every answer has exactly one value of each.
        categories: (R) bias type, or None where the file has no such column.
        example_ids: (R) example id.
        choices: (R) option 0–2, :data:`OUT_OF_CHOICE`, or :data:`UNREAD`: words only.
        words: (R) the answer as recorded; None where the file has options only.
        asked: (R) what was asked, as letters and digits of context, question and options, where ids do not say it.
    """

    name: str
    factors: tuple[Factor, ...]
    categories: Factor | None
    example_ids: Factor
    choices: ChoiceArray
    words: Factor | None
    asked: Factor | None = None

    def __post_init__(self) -> None:
        n = len(self.example_ids)
        check_distinct([factor.name for factor in self.factors], "columns of answers")
        others = [column for column in (self.categories, self.words, self.asked) if column is not None]
        if {n} != {len(c) for c in (*self.factors, *others, self.choices)}:
            raise ValueError(f"answers: every column needs {n} rows")
        if self.words is None and (self.choices == UNREAD).any():
            raise ValueError("answers: an unread answer needs its words")
        frozen(self.choices)
