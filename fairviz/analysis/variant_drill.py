"""The questions behind the rates: whose answer depends on an attribute, and where it went wrong."""

from dataclasses import dataclass

import numpy as np

from fairviz.analysis.variant_agreement import answer_codes, extremes
from fairviz.analysis.variant_errors import ErrorCase, error_cases, retrieved_evidence
from fairviz.analysis.variant_sheet import (
    By,
    Grouping,
    Sheet,
    combinations,
    groupings,
    rows_about,
    sheet,
)
from fairviz.errors import UsageError
from fairviz.model import IntArray
from fairviz.model.variants import VariantAnswers

__all__ = [
    "DependentQuestion",
    "ErrorCase",
    "GivenAnswer",
    "dependent_questions",
    "error_cases",
    "retrieved_evidence",
]


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer to one variant.

    Attributes:
        value: The group it is about, or the condition of reference.
        words: The answer as recorded; "" if there is none.
        score: 1 right, 0 wrong, in between ROUGE-L; NaN if the right answer is not recorded.
        row: Its row in the answers.
        reference: Whether the variant is a condition of reference (neutral, original).
    """

    value: str
    words: str
    score: float
    row: int
    reference: bool


@dataclass(frozen=True, slots=True)
class DependentQuestion:
    """A question that is answered differently for different groups.

    Attributes:
        by: Who answered it: every column that was recorded.
        question_id: The question.
        gold: Its right answer as recorded.
        answers: The answers about groups in the order of the groups, then those of reference.
        spread: Largest difference of their scores: 1 = right for one group and wrong for another,
            0 = different answers that are equally right.
    """

    by: By
    question_id: str
    gold: str
    answers: tuple[GivenAnswer, ...]
    spread: float


def dependent_questions(
    answers: VariantAnswers,
    attribute: str,
    *,
    where: By = (),
    threshold: float | None = None,
) -> tuple[DependentQuestion, ...]:
    """Questions with more than one answer about the groups of an attribute, largest spread first.

    Args:
        answers: The answers.
        attribute: "race", or "race+gender" for intersectional cells.
        where: Only answers with these values of columns: (("model", "m1"), …).
        threshold: Open answers are right from this ROUGE-L on.

    Raises:
        UsageError: No variant mentions the attribute.
    """
    laid = sheet(answers, threshold=threshold)
    rows = _chosen(answers, where)
    grouping = rows_about(answers, rows, attribute)
    if grouping is None:
        known = ", ".join(one.attribute for one in groupings(answers, rows)) or "none"
        raise UsageError(f"no variant mentions {attribute!r}; there are: {known}")
    codes, units = np.unique(laid.units[grouping.rows], return_inverse=True)
    units = units.reshape(-1)
    n = int(units.max(initial=-1)) + 1
    least, most = extremes(answer_codes(laid)[grouping.rows], units, n)
    low, high = extremes(laid.scores[grouping.rows], units, n)
    spread = np.where(np.isnan(high - low), 0.0, high - low)
    dependent = np.flatnonzero(least != most)
    ordered = dependent[np.argsort(-spread[dependent], kind="stable")]
    reference = rows[answers.condition[rows] >= 0]
    reference = reference[np.argsort(laid.units[reference], kind="stable")]
    sorted_units = laid.units[reference]
    first = np.searchsorted(sorted_units, codes, side="left")
    last = np.searchsorted(sorted_units, codes, side="right")
    order = np.argsort(units, kind="stable")
    ends = np.searchsorted(units[order], np.arange(n + 1))
    return tuple(
        _question(
            laid,
            grouping,
            order[ends[unit] : ends[unit + 1]],
            reference[first[unit] : last[unit]],
            float(spread[unit]),
        )
        for unit in ordered.tolist()
    )


def _question(
    laid: Sheet, grouping: Grouping, places: IntArray, reference: IntArray, spread: float
) -> DependentQuestion:
    """The question of the answers at ``places`` of the grouping, with its rows of reference."""
    answers = laid.answers
    ordered = places[np.argsort(grouping.groups[places], kind="stable")]
    rows: list[int] = grouping.rows[ordered].tolist()
    names = [grouping.values[int(group)] for group in grouping.groups[ordered]]
    others: list[int] = reference.tolist()
    given = [_given(laid, row, name, False) for row, name in zip(rows, names, strict=True)]
    given += [_given(laid, row, answers.conditions[int(answers.condition[row])], True) for row in others]
    return DependentQuestion(
        tuple((f.name, f.values[int(f.codes[rows[0]])]) for f in answers.factors),
        answers.question_ids[int(answers.questions[rows[0]])],
        answers.gold_words.values[int(answers.gold_words.codes[rows[0]])],
        tuple(given),
        spread,
    )


def _given(laid: Sheet, row: int, value: str, reference: bool) -> GivenAnswer:
    words = laid.answers.words
    said = words.values[int(words.codes[row])]
    return GivenAnswer(value, said, float(laid.scores[row]), row, reference)


def _chosen(answers: VariantAnswers, where: By) -> IntArray:
    found = combinations(answers, [name for name, _ in where])
    return next((rows for pairs, rows in found if pairs == where), np.zeros(0, dtype=np.int64))
