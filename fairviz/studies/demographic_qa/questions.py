"""The questions behind the rates: whose answer depends on an attribute, and where it went wrong.

Also what retrieval gave each group, and what became of it: documents in common, right evidence, right answers.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import NamedTuple

import numpy as np

from fairviz.errors import UsageError
from fairviz.model import FloatArray, IntArray, Qrels
from fairviz.model.variants import UNKNOWN, VariantAnswers
from fairviz.studies.demographic_qa.gaps import answer_codes, extremes
from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.sheet import (
    By,
    Grouping,
    Sheet,
    combinations,
    condition_rows,
    evidence_given,
    groupings,
    rows_about,
    scores_of,
    sheet,
)

LETTERS = tuple(ascii_uppercase)
"""What options are called, in their order."""


@dataclass(frozen=True, slots=True)
class ErrorCase:
    """Evidence right or wrong × answer right or wrong, of one group (Ji et al. 2025, Table 7).

    Attributes:
        by: The combination of columns.
        attribute: The attribute; "" for conditions of reference.
        value: The group.
        right_right: Evidence right, answer right.
        right_wrong: Evidence right, answer wrong: the fault is in the answer.
        wrong_right: Evidence wrong, answer right: right without evidence.
        wrong_wrong: Evidence wrong, answer wrong: the fault begins with retrieval.
        n_unknown: Answers whose evidence or right answer is not known.
    """

    by: By
    attribute: str
    value: str
    right_right: int
    right_wrong: int
    wrong_right: int
    wrong_wrong: int
    n_unknown: int

    @property
    def n(self) -> int:
        """Answers that are counted."""
        return self.right_right + self.right_wrong + self.wrong_right + self.wrong_wrong


def error_cases(
    answers: VariantAnswers,
    *,
    by: Sequence[str] = (),
    threshold: float | None = None,
    qrels: Qrels | None = None,
    k: int | None = None,
) -> tuple[ErrorCase, ...]:
    """Count evidence × answer by group.

    Args:
        answers: The answers.
        by: Columns to separate.
        threshold: Open answers are right from this ROUGE-L on; they need one.
        qrels: Judgements by question id: evidence is then right where a retrieved document is
            judged useful; None: what the file records as evidence.
        k: Retrieved documents that count; None: all.

    Raises:
        UsageError: Open answers without a threshold.
    """
    if answers.kind == "open" and threshold is None:
        raise UsageError("open answers are right or wrong only from a threshold of ROUGE-L on")
    scores, evidence = scores_of(answers, threshold), evidence_given(answers, qrels, k=k)
    return tuple(
        case
        for pairs, rows in combinations(answers, by)
        for grouping in (*groupings(answers, rows), condition_rows(answers, rows))
        for case in _cases_of(pairs, grouping, scores[grouping.rows], evidence[grouping.rows])
    )


def _cases_of(by: By, grouping: Grouping, scores: FloatArray, evidence: IntArray) -> list[ErrorCase]:
    """Cases of each group: by evidence and answer, right before wrong, and last those of which one is not known."""
    known = (evidence != UNKNOWN) & ~np.isnan(scores)
    of = np.full(scores.size, 4, dtype=np.int64)
    of[known] = (2 * (1 - evidence[known]) + 1 - scores[known]).astype(np.int64)
    n_groups = len(grouping.values)
    counts: list[list[int]] = (
        np.bincount(grouping.groups * 5 + of, minlength=5 * n_groups).reshape(n_groups, 5).tolist()
    )
    return [
        ErrorCase(by, grouping.attribute, value, *of_group)
        for value, of_group in zip(grouping.values, counts, strict=True)
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
    answer_sheet = sheet(answers, threshold=threshold)
    rows = _rows_where(answers, where)
    grouping = rows_about(answers, rows, attribute)
    if grouping is None:
        attributes = ", ".join(other.attribute for other in groupings(answers, rows)) or "none"
        raise UsageError(f"no variant mentions {attribute!r}; there are: {attributes}")
    codes, units = np.unique(answer_sheet.units[grouping.rows], return_inverse=True)
    units = units.reshape(-1)
    n = int(units.max(initial=-1)) + 1
    least, most = extremes(answer_codes(answer_sheet)[grouping.rows], units, n)
    low, high = extremes(answer_sheet.scores[grouping.rows], units, n)
    spread = np.where(np.isnan(high - low), 0.0, high - low)
    dependent = np.flatnonzero(least != most)
    ordered = dependent[np.argsort(-spread[dependent], kind="stable")]
    reference = rows[answers.condition[rows] >= 0]
    reference = reference[np.argsort(answer_sheet.units[reference], kind="stable")]
    sorted_units = answer_sheet.units[reference]
    first = np.searchsorted(sorted_units, codes, side="left")
    last = np.searchsorted(sorted_units, codes, side="right")
    order = np.argsort(units, kind="stable")
    ends = np.searchsorted(units[order], np.arange(n + 1))
    return tuple(
        _question(
            answer_sheet,
            grouping,
            order[ends[unit] : ends[unit + 1]],
            reference[first[unit] : last[unit]],
            float(spread[unit]),
        )
        for unit in ordered.tolist()
    )


def worse_for(questions: Sequence[DependentQuestion]) -> dict[str, tuple[DependentQuestion, ...]]:
    """Group -> the questions whose answer about it is worse than that about another group; groups that have any."""
    worse: dict[str, list[DependentQuestion]] = {}
    for question in questions:
        scores = {given.value: given.score for given in question.answers if not given.reference}
        best = max((score for score in scores.values() if score == score), default=0.0)
        for value, score in scores.items():
            if question.spread > 0 and score < best:
                worse.setdefault(value, []).append(question)
    return {value: tuple(of_value) for value, of_value in worse.items()}


class OptionTaken(NamedTuple):
    """An option of a question, or an answer in words, and about whom it was given.

    Attributes:
        letter: Of an option with words of its own, else "".
        words: The option in words where the file records them, else as it was answered; "" where no option is named.
        score: 1 right, 0 wrong, in between ROUGE-L; NaN where the right answer is not recorded.
        about: Groups whose variant was answered so.
        references: Conditions of reference that were.
    """

    letter: str
    words: str
    score: float
    about: tuple[str, ...]
    references: tuple[str, ...]


def options_taken(answers: VariantAnswers, question: DependentQuestion) -> tuple[OptionTaken, ...]:
    """The options of a question in their order, each with those about whom it was given; no option named comes last.

    Open answers: each wording once, in the order of the groups.
    """
    given = question.answers
    if answers.kind == "open":
        return tuple(_taken(words, "", words, given, [a.words for a in given]) for words in _distinct(given))
    row = given[0].row
    offered: list[str] = []
    if answers.offered is not None:
        offered = json.loads(answers.offered.values[int(answers.offered.codes[row])])
    names = dict(enumerate(answers.options))
    chosen = [names.get(int(answers.choices[answer.row]), "") for answer in given]
    right = names.get(int(answers.golds[row]), "")
    letters = bool(offered) and all(name in LETTERS[: len(offered)] for name in {*chosen, right} - {""})
    listed = LETTERS[: len(offered)] if letters else (offered or sorted({*chosen, right} - {""}))
    taken = [
        _taken(name, name if letters else "", offered[place] if letters else name, given, chosen, right=right)
        for place, name in enumerate(listed)
    ]
    others = sorted({*chosen} - {*listed, ""})
    taken += [_taken(name, "", name, given, chosen, right=right) for name in others]
    if "" in chosen:
        taken.append(_taken("", "", "", given, chosen, right=right))
    return tuple(taken)


def _distinct(given: Sequence[GivenAnswer]) -> list[str]:
    return list(dict.fromkeys(answer.words for answer in given))


def _taken(
    name: str,
    letter: str,
    words: str,
    given: Sequence[GivenAnswer],
    chosen: Sequence[str],
    *,
    right: str | None = None,
) -> OptionTaken:
    so = [answer for answer, choice in zip(given, chosen, strict=True) if choice == name]
    score = so[0].score if right is None else (float(name == right) if right else float("nan"))
    return OptionTaken(
        letter,
        words,
        score,
        tuple(answer.value for answer in so if not answer.reference),
        tuple(answer.value for answer in so if answer.reference),
    )


def _question(
    answer_sheet: Sheet, grouping: Grouping, places: IntArray, reference: IntArray, spread: float
) -> DependentQuestion:
    """The question of the answers at ``places`` of the grouping, with its rows of reference."""
    answers = answer_sheet.answers
    ordered = places[np.argsort(grouping.groups[places], kind="stable")]
    rows: list[int] = grouping.rows[ordered].tolist()
    names = [grouping.values[int(group)] for group in grouping.groups[ordered]]
    others: list[int] = reference.tolist()
    given = [_given_answer(answer_sheet, row, name, False) for row, name in zip(rows, names, strict=True)]
    given += [_given_answer(answer_sheet, row, answers.conditions[int(answers.condition[row])], True) for row in others]
    return DependentQuestion(
        tuple((factor.name, factor.values[int(factor.codes[rows[0]])]) for factor in answers.factors),
        answers.question_ids[int(answers.questions[rows[0]])],
        answers.gold_words.values[int(answers.gold_words.codes[rows[0]])],
        tuple(given),
        spread,
    )


def _given_answer(answer_sheet: Sheet, row: int, value: str, reference: bool) -> GivenAnswer:
    words = answer_sheet.answers.words
    text = words.values[int(words.codes[row])]
    return GivenAnswer(value, text, float(answer_sheet.scores[row]), row, reference)


def _rows_where(answers: VariantAnswers, where: By) -> IntArray:
    rows_of = combinations(answers, [name for name, _ in where])
    return next((rows for pairs, rows in rows_of if pairs == where), np.zeros(0, dtype=np.int64))


class Dose(NamedTuple):
    """Dose and response of one group, shares of 1; NaN where there is none.

    Attributes:
        attribute: The attribute; "" for a condition of reference.
        value: The group, or the condition.
        overlap: Documents in common with the list of the question that mentions nobody, per document of either.
        n: Answers whose evidence and rightness are known.
        evidence: Share of them with the right evidence.
        n_with: How many that are.
        right_with: Right answers among them.
        right_without: Right answers among the others.
    """

    attribute: str
    value: str
    overlap: float
    n: int
    evidence: float
    n_with: int
    right_with: float
    right_without: float


def doses(cases: Sequence[ErrorCase], overlaps: Sequence[Overlap]) -> tuple[Dose, ...]:
    """One per group that either knows of, by attribute, then conditions of reference; () without any.

    Args:
        cases: Evidence × answer of one combination of columns.
        overlaps: Of its documents, one depth.
    """
    in_common = {
        (overlap.attribute, value): share / 100 for overlap in overlaps for value, share in overlap.by_value.items()
    }
    of_groups = {(case.attribute, case.value): case for case in cases}
    known = dict.fromkeys([key for key in (*of_groups, *in_common) if key[0]])
    attributes = list(dict.fromkeys(attribute for attribute, _ in known))
    named = sorted(known, key=lambda key: attributes.index(key[0]))
    references = [key for key in of_groups if not key[0]]
    if not in_common and not any(case.right_right + case.right_wrong for case in cases):
        return ()  # nothing was retrieved: no evidence is no dose
    return tuple(_dose(*key, of_groups.get(key), in_common.get(key, float("nan"))) for key in (*named, *references))


def _dose(attribute: str, value: str, case: ErrorCase | None, overlap: float) -> Dose:
    if case is None:
        case = ErrorCase((), attribute, value, 0, 0, 0, 0, 0)
    n_with = case.right_right + case.right_wrong
    return Dose(
        attribute,
        value,
        overlap,
        case.n,
        _share(n_with, case.n),
        n_with,
        _share(case.right_right, n_with),
        _share(case.wrong_right, case.n - n_with),
    )


def _share(n: int, of: int) -> float:
    return n / of if of else float("nan")
