"""Questions that test for social bias, answers to them, and answers to demographic variants of questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fairviz.model.arrays import (
    IndexArray,
    IntArray,
    check_distinct,
    check_indices,
    check_offsets,
    frozen,
)

ChoiceArray: TypeAlias = NDArray[np.int8]
"""Positions among the three options; −1 where there is none."""

OUT_OF_CHOICE = -1
"""A recorded answer that names none of the three options."""

UNREAD = -2
"""A recorded answer in words, whose option is found once its item is known."""

NO_TARGET = -1
"""The biased answer of an item is undefined: such items are excluded and counted."""


ITEM_SCHEMA = pl.Schema(
    {
        **dict.fromkeys(("category", "language", "id", "template"), pl.String()),
        **dict.fromkeys(("ambiguous", "nonnegative"), pl.Boolean()),
        **dict.fromkeys(("gold", "unknown", "target"), pl.Int8()),
        **dict.fromkeys(("stereotyped", "context", "question"), pl.String()),
        **dict.fromkeys(("options", "groups"), pl.List(pl.String)),
    }
)
"""Columns of questions that test for social bias."""


@dataclass(frozen=True, slots=True, eq=False)
class BiasItems:
    """N questions with three options, in the design of BBQ (Parrish et al. 2022).

    Each template (question) is filled with several pairs of groups, asked with an ambiguous context
    (right answer: unknown) and with a disambiguated one (right answer: one of the groups).

    Attributes:
        frame: (N) :data:`ITEM_SCHEMA`:
            ``category``, the bias type, such as "Age"; ``language``, such as "English"; ``id``, unique within both;
            ``template``: its items move together in resamples; unique over categories ("Age 12");
            ``ambiguous``: whether the context leaves the answer open;
            ``nonnegative``: whether the question is the non-negative one of its pair;
            ``gold``: the right option, 0–2;
            ``unknown``: the option that says "unknown";
            ``target``: the biased option, already swapped for non-negative questions; :data:`NO_TARGET` where it is
            undefined;
            ``stereotyped``: the groups that the stereotype is about, joined by " + "; "" if the file does not say;
            ``context``, ``question``, and words of the three ``options``;
            ``groups`` of the options as the file labels them ("nonOld"); null where it does not say.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        if self.frame.schema != ITEM_SCHEMA:
            raise ValueError(f"items: columns must be {', '.join(ITEM_SCHEMA)}")
        gold, unknown, target = (self.frame[name] for name in ("gold", "unknown", "target"))
        if not gold.is_between(0, 2).all():
            raise ValueError("items: the right option must be 0, 1 or 2")
        if not unknown.is_between(0, 2).all():
            raise ValueError("items: the unknown option must be 0, 1 or 2")
        if not target.is_between(NO_TARGET, 2).all():
            raise ValueError("items: the biased option must be 0, 1, 2 or undefined (-1)")
        if (target == unknown).any():
            raise ValueError("items: the biased option cannot be the unknown one")

    def __len__(self) -> int:
        """Number of items."""
        return len(self.frame)

    def names(self, column: str) -> list[str]:
        """Values of a column, in the order in which they appear."""
        return self.frame[column].unique(maintain_order=True).to_list()

    @property
    def say_groups(self) -> bool:
        """Whether the groups of any options are known."""
        return self.frame["groups"].is_not_null().any()


_OF_ANSWERS = ("category", "example_id", "asked", "choice", "words")
"""Columns of recorded answers beside those that say who answered how."""


@dataclass(frozen=True, slots=True, eq=False)
class BiasPredictions:
    """R recorded answers as a file has them, before they are matched with items.

    Attributes:
        name: What to call the file.
        frame: (R) those of ``model``, ``setting``, ``retriever``, ``k``, ``language``, ``instruction``, ``shots``,
            ``size``, ``tuned`` that are recorded, then
            ``category``, the bias type, where the file has such a column;
            ``example_id``;
            ``asked``: what was asked, as letters and digits of context, question and options, where ids do not say it;
            ``choice``: option 0–2, :data:`OUT_OF_CHOICE`, or :data:`UNREAD`: words only;
            ``words``: the answer as recorded, where the file has more than options.
            All but ``choice`` are enums, whose names are in the order of the file.
    """

    name: str
    frame: pl.DataFrame

    def __post_init__(self) -> None:
        names = self.frame.drop("choice")
        if not all(isinstance(kind, pl.Enum) for kind in names.dtypes):
            raise ValueError("answers: all columns but choice must be enums")
        if "words" not in self.frame.columns and (self.frame["choice"] == UNREAD).any():
            raise ValueError("answers: an unread answer needs its words")

    def __len__(self) -> int:
        """Number of answers."""
        return len(self.frame)

    @property
    def factors(self) -> list[str]:
        """Columns that say who answered how."""
        return [name for name in self.frame.columns if name not in _OF_ANSWERS]

    @property
    def of_items(self) -> list[str]:
        """Columns that say which item is answered: ids are numbered within categories."""
        return ["category", "example_id"] if self.has("category") else ["example_id"]

    def has(self, column: str) -> bool:
        """Whether a column is recorded."""
        return column in self.frame.columns

    def names(self, column: str) -> list[str]:
        """Values of a column, in the order of the file."""
        names = self.frame.schema[column]
        return names.categories.to_list() if isinstance(names, pl.Enum) else []


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A categorical column of R rows, such as the model that gave each answer.

    Attributes:
        name: Name of the column ("model").
        values: Distinct values, in the order of their first row.
        codes: (R) position of each row's value in ``values``.
    """

    name: str
    values: tuple[str, ...]
    codes: IndexArray

    def __post_init__(self) -> None:
        check_distinct(self.values, f"values of {self.name}")
        check_indices(self.codes, len(self.values), self.name)
        frozen(self.codes)

    @property
    def rows(self) -> list[str]:
        """(R) the value of each row."""
        codes: list[int] = self.codes.tolist()
        return [self.values[code] for code in codes]

    @classmethod
    def of(cls, name: str, rows: Sequence[str]) -> "Factor":
        """The factor of a value per row.

        Examples:
            >>> Factor.of("k", ["10", "5", "10"]).codes
            array([0, 1, 0], dtype=int32)
        """
        places: dict[str, int] = {}
        codes = [places.setdefault(value, len(places)) for value in rows]
        return cls(name, tuple(places), np.array(codes, dtype=np.int32))

    def __len__(self) -> int:
        """Number of rows."""
        return int(self.codes.size)


AnswerKind: TypeAlias = Literal["closed", "open"]
"""One of a few options, or free text that is compared with a reference."""

NOT_MENTIONED = -1
"""The variant says nothing about this attribute."""

UNKNOWN = -1
"""Not recorded, or not readable as one of the options."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VariantAnswers:
    """R answers to variants of Q questions, in the design of Ji et al. (2025).

    A row mentions a value of some attributes ("race": "Asian"), of several at once (an
    intersectional variant: "race+gender": "Asian+female"), or of none: a condition of reference
    such as "neutral" or "original".

    Attributes:
        name: What to call the file.
        factors: Who answered how: any of model, dataset, strategy, retriever, k.
        question_ids: Q distinct question ids.
        questions: (R) the question of each row.
        attributes: The A attributes, in the order in which they appear.
        values: The values of each attribute, in the order in which they appear.
        given: (R, A) position of the row's value of each attribute, :data:`NOT_MENTIONED`.
        conditions: Names of the conditions of reference ("neutral" first where it exists).
        condition: (R) which of them a row without attributes is, else :data:`NOT_MENTIONED`.
        kind: "closed" (options) or "open" (free text).
        options: Distinct options of closed questions, sorted; () for open ones.
        golds: (R) the right option, :data:`UNKNOWN` if not recorded; closed questions.
        choices: (R) the option answered, :data:`UNKNOWN` if missing or not readable as one.
        gold_words: (R) the right answer as recorded ("" if none).
        words: (R) the answer as recorded ("" if none).
        answerable: (R) 1 yes, 0 no, :data:`UNKNOWN`.
        evidence: (R) 1 if the evidence given was right, 0 if not, :data:`UNKNOWN`.
        doc_ids: D distinct ids of retrieved documents.
        retrieved_offsets: (R+1) rows of ``retrieved`` of each answer.
        retrieved: Documents retrieved for the row, best first.
        offered: (R) the options of the row's question in the order of their letters, as a JSON list of words; None
            where the file records none.
    """

    name: str
    factors: tuple[Factor, ...]
    question_ids: tuple[str, ...]
    questions: IndexArray
    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    given: NDArray[np.int16]
    conditions: tuple[str, ...]
    condition: NDArray[np.int16]
    kind: AnswerKind
    options: tuple[str, ...]
    golds: NDArray[np.int16]
    choices: NDArray[np.int16]
    gold_words: Factor
    words: Factor
    answerable: NDArray[np.int8]
    evidence: NDArray[np.int8]
    doc_ids: tuple[str, ...]
    retrieved_offsets: IntArray
    retrieved: IndexArray
    offered: Factor | None = None

    def __post_init__(self) -> None:
        n = self.questions.size
        check_distinct([factor.name for factor in self.factors], "columns of answers")
        check_distinct(self.question_ids, "question ids")
        check_distinct(self.attributes, "attributes")
        for attribute, values in zip(self.attributes, self.values, strict=True):
            check_distinct(values, f"values of {attribute}")
        if self.given.shape != (n, len(self.attributes)):
            raise ValueError(f"variants: given needs shape {(n, len(self.attributes))}")
        columns = (self.condition, self.golds, self.choices, self.answerable, self.evidence)
        factors = (*self.factors, self.gold_words, self.words, *([self.offered] if self.offered else []))
        if {n} != {len(column) for column in (*columns, *factors)}:
            raise ValueError(f"variants: every column needs {n} rows")
        if ((self.condition >= 0) == (self.given >= 0).any(axis=1)).any():
            raise ValueError("variants: a row mentions attributes or is a condition of reference")
        check_indices(self.questions, len(self.question_ids), "questions")
        check_offsets(self.retrieved_offsets, n, self.retrieved.size, "retrieved documents")
        check_indices(self.retrieved, len(self.doc_ids), "retrieved documents")
        for array in (*columns, self.questions, self.given, self.retrieved_offsets, self.retrieved):
            frozen(array)

    def __len__(self) -> int:
        """Number of rows."""
        return int(self.questions.size)

    def factor(self, name: str) -> Factor | None:
        """The column of that name, None where it was not recorded."""
        return next((factor for factor in self.factors if factor.name == name), None)


def neutral_code(conditions: Sequence[str]) -> int:
    """Code of the neutral condition of reference; one that no row has where there is none."""
    return conditions.index("neutral") if "neutral" in conditions else -2
