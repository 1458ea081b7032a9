"""How complete recorded answers to variants are: questions answered in every variant, answers read, by group."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairviz.display.words import Finding, count, number, percent, plural
from fairviz.model import BoolArray, IntArray, VariantAnswers
from fairviz.model.variants import UNKNOWN, AnswerKind
from fairviz.numerals import part_of
from fairviz.studies.demographic_qa.frames import combinations_of


class GroupAnswers(NamedTuple):
    """The answers about one value of an attribute, or to a condition of reference ("").

    Attributes:
        attribute: The attribute, "" for a condition of reference.
        value: The value, or the condition.
        n_questions: Distinct questions asked about it, alone or with other attributes.
        n_answers: Rows.
        n_unread: Closed answers that name no option.
    """

    attribute: str
    value: str
    n_questions: int
    n_answers: int
    n_unread: int


class VariantCounts(NamedTuple):
    """How complete the answers to variants are.

    Attributes:
        name: The file's name.
        n_blocks: Pairs of a question and who answered how (model, strategy, …).
        n_complete: Those with every variant that the same producer answered anywhere.
        lacking: Questions that lack a variant from some producer.
        questions: All questions.
        n_producers: Who answered (model, strategy, …): the runs.
        n_unread: Closed answers that name no option.
        groups: Counts by condition of reference, then by attribute and value.
        n_answers: All answers.
    """

    name: str
    n_blocks: int
    n_complete: int
    lacking: frozenset[str]
    questions: frozenset[str]
    n_producers: int
    n_unread: int
    groups: tuple[GroupAnswers, ...]
    n_answers: int


SAID_UNREAD = 2.0
"""Percent of unread answers above which it is said at the top."""

MOST_UNREAD = 20.0
"""Percent of unread answers above which there is no verdict."""


def unread_words(n_unread: int, n_answers: int, *, kind: AnswerKind = "closed") -> Finding | None:
    """The warning where more than 2 % of answers were not read, with the worst case; None below.

    Args:
        n_unread: Closed answers that name no option; open answers that are empty.
        n_answers: All answers.
        kind: Which they are.
    """
    share = 100 * n_unread / n_answers if n_answers else 0.0
    if share <= SAID_UNREAD:
        return None
    what, measure = ("name no option", "accuracy") if kind == "closed" else ("are empty", "the mean score")
    title = f"{percent(share / 100, 1)} of the answers {what} ({count(n_unread)} of "
    sentence = f"They count as wrong; if all were right, {measure} would be {number(share, 1)} points higher."
    if share > MOST_UNREAD:
        sentence += f" Above {number(MOST_UNREAD, 0)} %, no verdict should be drawn."
    return Finding(f"{title}{count(n_answers)})", sentence)


def complete_title(counts: Sequence[VariantCounts]) -> str:
    """How many questions have every variant, in as many runs.

    A question is complete where each run that asked it has all the variants that this run asked anywhere.

    Args:
        counts: One per file.
    """
    questions = frozenset[str]().union(*(file.questions for file in counts))
    n, n_runs = len(questions), sum(file.n_producers for file in counts)
    complete = n - len(frozenset[str]().union(*(file.lacking for file in counts)))
    if complete == n:
        runs = f", in {count(n_runs)} runs" if n_runs > 1 else ""
        return f"{f'All {count(n)} questions are' if n > 1 else 'The one question is'} complete{runs}"
    runs = "" if n_runs == 1 else " in both runs" if n_runs == 2 else f" in all {count(n_runs)} runs"
    return f"{part_of(complete, plural(n, 'question'), 'is', 'are')} complete{runs}"


def variant_counts(answers: VariantAnswers) -> VariantCounts:
    """Count complete questions, and answers by group.

    Args:
        answers: Answers to demographic variants.
    """
    n_rows = len(answers)

    def places(*columns: NDArray[np.integer[Any]]) -> IntArray:
        return combinations_of(columns, n_rows)[1]

    producers = places(*(factor.codes for factor in answers.factors))
    variants = places(*answers.given.T, answers.condition)
    blocks = places(producers, answers.questions)
    asked, answered = (combinations_of([of, variants], n_rows)[0][:, 0] for of in (producers, blocks))
    n_asked, n_answered = np.bincount(asked), np.bincount(answered)
    _, first = np.unique(blocks, return_index=True)
    lacking = first[n_answered < n_asked[producers[first]]]
    unread = (answers.choices == UNKNOWN) & (answers.kind == "closed")
    if not any(answers.words.values):
        unread[:] = False
    groups = [
        _group(answers, "", name, answers.condition == code, unread) for code, name in enumerate(answers.conditions)
    ]
    for a, (attribute, values) in enumerate(zip(answers.attributes, answers.values, strict=True)):
        groups += [
            _group(answers, attribute, value, answers.given[:, a] == code, unread) for code, value in enumerate(values)
        ]
    return VariantCounts(
        name=answers.name,
        n_blocks=first.size,
        n_complete=first.size - lacking.size,
        lacking=frozenset(answers.question_ids[int(question)] for question in answers.questions[lacking]),
        questions=frozenset(answers.question_ids),
        n_producers=n_asked.size,
        n_unread=int(unread.sum()),
        groups=tuple(groups),
        n_answers=n_rows,
    )


def _group(answers: VariantAnswers, attribute: str, value: str, rows: BoolArray, unread: BoolArray) -> GroupAnswers:
    n_questions = int(np.unique(answers.questions[rows]).size)
    return GroupAnswers(attribute, value, n_questions, int(rows.sum()), int((rows & unread).sum()))
