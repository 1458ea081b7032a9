"""Answers to demographic variants of questions: the same question about different people."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairviz.model.arrays import (
    IndexArray,
    IntArray,
    check_distinct,
    check_indices,
    check_offsets,
    frozen,
)
from fairviz.model.factors import Factor

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


def of_rows(answers: VariantAnswers, rows: IntArray) -> VariantAnswers:
    """Some answers, by the names that the whole file has: codes stay as they are.

    Args:
        answers: The answers.
        rows: (N) which of them.
    """

    def some(factor: Factor) -> Factor:
        return Factor(factor.name, factor.values, factor.codes[rows])

    sizes = np.diff(answers.retrieved_offsets)[rows]
    ends: IntArray = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    places: IntArray = np.arange(int(ends[-1])) + np.repeat(answers.retrieved_offsets[:-1][rows] - ends[:-1], sizes)
    return replace(
        answers,
        factors=tuple(map(some, answers.factors)),
        questions=answers.questions[rows],
        given=answers.given[rows],
        condition=answers.condition[rows],
        golds=answers.golds[rows],
        choices=answers.choices[rows],
        gold_words=some(answers.gold_words),
        words=some(answers.words),
        answerable=answers.answerable[rows],
        evidence=answers.evidence[rows],
        retrieved_offsets=ends,
        retrieved=answers.retrieved[places],
        offered=some(answers.offered) if answers.offered is not None else None,
    )


def of_own_names(answers: VariantAnswers) -> VariantAnswers:
    """The same answers with the questions, words and documents of their own only, as these are sent to a worker.

    What tells groups and options apart keeps its codes.
    """

    def own(factor: Factor) -> Factor:
        values, codes = _own(factor.values, factor.codes)
        return Factor(factor.name, values, codes)

    question_ids, questions = _own(answers.question_ids, answers.questions)
    doc_ids, retrieved = _own(answers.doc_ids, answers.retrieved)
    return replace(
        answers,
        question_ids=question_ids,
        questions=questions,
        gold_words=own(answers.gold_words),
        words=own(answers.words),
        doc_ids=doc_ids,
        retrieved=retrieved,
        offered=own(answers.offered) if answers.offered is not None else None,
    )


def _own(names: tuple[str, ...], codes: IndexArray) -> tuple[tuple[str, ...], IndexArray]:
    """The names that codes stand for, in their order, and the codes by these."""
    used, places = np.unique(codes, return_inverse=True)
    standing: list[int] = used.tolist()
    return tuple(names[code] for code in standing), places.astype(np.int32)


class AnyRecorded(NamedTuple):
    """Whether any answer of a file records a thing, which decides how all of them are counted.

    Attributes:
        answered: An answer; else (documents only) nothing is right or wrong.
        answerable: Whether its question is answerable.
        evidence: Whether the evidence given was right.
        documents: What was retrieved.
        gold_of_neutral: The right answer to a neutral question.
        gold_of_any: The right answer to a neutral question or one about somebody.
    """

    answered: bool = False
    answerable: bool = False
    evidence: bool = False
    documents: bool = False
    gold_of_neutral: bool = False
    gold_of_any: bool = False

    @classmethod
    def of(cls, answers: VariantAnswers) -> "AnyRecorded":
        """What answers record."""
        neutral = answers.condition == neutral_code(answers.conditions)
        about_somebody = (answers.given != NOT_MENTIONED).any(axis=1)
        if answers.kind == "closed":
            with_gold = answers.golds != UNKNOWN
        else:
            with_gold = np.array([*map(bool, answers.gold_words.values)], dtype=np.bool_)[answers.gold_words.codes]
        return cls(
            answered=any(answers.words.values) or bool((answers.choices != UNKNOWN).any()),
            answerable=bool((answers.answerable != UNKNOWN).any()),
            evidence=bool((answers.evidence != UNKNOWN).any()),
            documents=answers.retrieved.size > 0,
            gold_of_neutral=bool((with_gold & neutral).any()),
            gold_of_any=bool((with_gold & (neutral | about_somebody)).any()),
        )


def neutral_code(conditions: Sequence[str]) -> int:
    """Code of the neutral condition of reference; one that no row has where there is none."""
    return conditions.index("neutral") if "neutral" in conditions else -2
