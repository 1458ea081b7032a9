"""Which questions count as answerable, Y = 1 of equal opportunity: what the file says, else a named definition.

The paper asks for "questions that can be answered correctly" and does not say how it knows. What the file records wins.
Else: *evidence* (default), a document judged useful was given with this answer, or the file says that its evidence was
right; *neutral*, the same question without a person was answered right; *any*, at least one variant of it was. The last
two look at answers to say which answers count, so they are for those who ask for them.
"""

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray, Qrels
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN, VariantAnswers

Answerable: TypeAlias = Literal["evidence", "neutral", "any"]
"""A definition that can be asked for."""

ANSWERABLE: tuple[Answerable, ...] = get_args(Answerable)

Definition: TypeAlias = Literal["column", "evidence", "neutral", "any", ""]
"""What was applied: the file's column, one of the definitions, or nothing, for want of what it looks at."""

ANSWERABLE_WORDS: dict[Definition, str] = {
    "column": "marked answerable in the file",
    "evidence": "right evidence given",
    "neutral": "neutral question answered right",
    "any": "any variant answered right",
    "": "not known",
}
"""What makes a question answerable, for axes and columns."""


class Answerability(NamedTuple):
    """(R) whether the question of an answer is answerable, and by which definition."""

    definition: Definition
    of: BoolArray


def answerability(
    answers: VariantAnswers,
    scores: FloatArray,
    units: IntArray,
    wanted: Answerable = "evidence",
    qrels: Qrels | None = None,
) -> Answerability:
    """Whether each answer is to an answerable question.

    Args:
        answers: The answers.
        scores: (R) 1 right, 0 wrong, in between ROUGE-L, by which no answer is right; NaN = not known.
        units: (R) code of (everything recorded, question).
        wanted: The definition, where the file has no column.
        qrels: Judgements by question id, for the evidence.
    """
    nobody = np.zeros(len(answers), dtype=np.bool_)
    if (answers.answerable != UNKNOWN).any():
        return Answerability("column", answers.answerable == 1)
    if wanted == "evidence":
        evidence = evidence_given(answers, qrels)
        return Answerability("evidence", evidence == 1) if (evidence != UNKNOWN).any() else Answerability("", nobody)
    known = ~np.isnan(scores)
    looked_at = known & (answers.condition == _neutral(answers))
    if wanted == "any":
        looked_at |= known & (answers.given != NOT_MENTIONED).any(axis=1)
    if not looked_at.any() or not np.isin(scores[known], (0.0, 1.0)).all():
        return Answerability("", nobody)
    right = np.zeros(int(units.max(initial=-1)) + 1, dtype=np.bool_)
    right[units[looked_at & (scores == 1)]] = True
    return Answerability(wanted, right[units])


def _neutral(answers: VariantAnswers) -> int:
    """Code of the neutral condition; one that no row has where there is none."""
    return answers.conditions.index("neutral") if "neutral" in answers.conditions else -2


def evidence_given(answers: VariantAnswers, qrels: Qrels | None) -> IntArray:
    """(R) whether the evidence given was right: by the judgements where they know the questions, else as recorded."""
    if qrels is not None and answers.retrieved.size:
        judged = retrieved_evidence(answers, qrels)
        if (judged != UNKNOWN).any():
            return judged
    return answers.evidence.astype(np.int64)


def retrieved_evidence(answers: VariantAnswers, qrels: Qrels, rel: int = 1, k: int | None = None) -> IntArray:
    """(R) whether a useful document was retrieved: 1 yes, 0 no, −1 not judged or no documents.

    Args:
        answers: The answers, with the documents retrieved for them.
        qrels: Judgements by question id; a question without useful documents is not judged.
        rel: Smallest grade of a useful document.
        k: Retrieved documents that count; None: all.
    """
    place = {doc: d for d, doc in enumerate(answers.doc_ids)}
    useful: dict[str, set[int]] = {}
    for q, query in enumerate(qrels.query_ids):
        rows = slice(int(qrels.offsets[q]), int(qrels.offsets[q + 1]))
        docs = qrels.docs[rows][qrels.grades[rows] >= rel]
        if docs.size:
            names = [qrels.doc_ids[int(d)] for d in docs]
            useful[query] = {place[name] for name in names if name in place}
    evidence = np.full(len(answers), UNKNOWN, dtype=np.int64)
    offsets = answers.retrieved_offsets.tolist()
    questions: list[int] = answers.questions.tolist()
    for row, question in enumerate(questions):
        useful_docs = useful.get(answers.question_ids[question])
        start, end = offsets[row], offsets[row + 1]
        if useful_docs is not None and end > start:
            last = end if k is None else min(end, start + k)
            docs_given: list[int] = answers.retrieved[start:last].tolist()
            evidence[row] = not useful_docs.isdisjoint(docs_given)
    return evidence
