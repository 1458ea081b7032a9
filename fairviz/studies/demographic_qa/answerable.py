"""Which questions count as answerable, Y = 1 of equal opportunity: what the file says, else a named definition.

The paper asks for "questions that can be answered correctly" and does not say how it knows. What the file records wins.
Else: *evidence* (default), a document judged useful was given with this answer, or the file says that its evidence was
right; *neutral*, the same question without a person was answered right; *any*, at least one variant of it was. The last
two look at answers to say which answers count, so they are for those who ask for them.
"""

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray, Qrels
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN, AnswerKind, AnyRecorded, VariantAnswers, neutral_code

Answerable: TypeAlias = Literal["evidence", "neutral", "any"]
"""A definition that can be asked for."""

ANSWERABLE: tuple[Answerable, ...] = get_args(Answerable)

Definition: TypeAlias = Literal["column", "evidence", "neutral", "any", ""]
"""What was applied: the file's column, one of the definitions, or nothing, for want of what it looks at."""

ANSWERABLE_WORDS: dict[str, str] = {
    "column": "marked answerable in the file",
    "evidence": "right evidence given",
    "neutral": "neutral question answered right",
    "any": "any variant answered right",
    "": "not known",
}
"""What makes a question answerable, for axes and columns."""


class Known(NamedTuple):
    """What the whole file says of how its answers are to be counted, before one of them is looked at.

    Attributes:
        answered: Whether anything was answered; else (documents only) nothing is right or wrong.
        definition: By what questions are answerable.
        judged: Whether evidence is right by judgements of documents, not as recorded.
        documents: Whether documents were recorded with any answer.
    """

    answered: bool
    definition: Definition
    judged: bool
    documents: bool


def known_of(
    answers: VariantAnswers,
    wanted: Answerable = "evidence",
    qrels: Qrels | None = None,
    *,
    threshold: float | None = None,
) -> Known:
    """What the whole file says.

    Args:
        answers: The answers.
        wanted: The definition of answerable, where the file has no column.
        qrels: Judgements by question id, for the evidence.
        threshold: Open answers are right from this ROUGE-L on; without one none is right, and none wrong.
    """
    judged = qrels is not None and any_judged(answers, qrels)
    return known_from(AnyRecorded.of(answers), answers.kind, wanted, judged=judged, threshold=threshold)


def known_from(
    recorded: AnyRecorded, kind: AnswerKind, wanted: Answerable, *, judged: bool, threshold: float | None
) -> Known:
    """What a file says of which it is known what any of its answers records.

    Args:
        recorded: What any answer records.
        kind: Whether answers are closed.
        wanted: The definition of answerable, where the file has no column.
        judged: Whether documents were judged (:func:`any_judged`).
        threshold: Open answers are right from this ROUGE-L on; without one none is right, and none wrong.
    """
    definition: Definition = ""
    if recorded.answerable:
        definition = "column"
    elif wanted == "evidence":
        definition = "evidence" if judged or recorded.evidence else ""
    elif recorded.answered and (kind == "closed" or threshold is not None):
        definition = wanted if (recorded.gold_of_any if wanted == "any" else recorded.gold_of_neutral) else ""
    return Known(answered=recorded.answered, definition=definition, judged=judged, documents=recorded.documents)


def _looked_at(answers: VariantAnswers, wanted: Answerable) -> BoolArray:
    """(R) whether an answer, if right, makes its question answerable."""
    looked_at = answers.condition == neutral_code(answers.conditions)
    if wanted == "any":
        looked_at = looked_at | (answers.given != NOT_MENTIONED).any(axis=1)
    return looked_at


def answerable_rows(
    answers: VariantAnswers, scores: FloatArray, units: IntArray, known: Known, qrels: Qrels | None = None
) -> BoolArray:
    """(R) whether each answer is to an answerable question.

    Args:
        answers: The answers; of a range of questions all.
        scores: (R) 1 right, 0 wrong; NaN = not known.
        units: (R) code of (everything recorded, question).
        known: What the whole file says.
        qrels: Judgements by question id, for the evidence.
    """
    if known.definition == "":
        return np.zeros(len(answers), dtype=np.bool_)
    if known.definition == "column":
        return answers.answerable == 1
    if known.definition == "evidence":
        return evidence_given(answers, qrels if known.judged else None) == 1
    right = np.zeros(int(units.max(initial=-1)) + 1, dtype=np.bool_)
    right[units[_looked_at(answers, known.definition) & (scores == 1)]] = True
    return right[units]


def evidence_given(answers: VariantAnswers, qrels: Qrels | None, *, k: int | None = None) -> IntArray:
    """(R) whether the evidence given was right: by the judgements, of the first k documents; None: as recorded."""
    return retrieved_evidence(answers, qrels, k=k) if qrels is not None else answers.evidence.astype(np.int64)


def any_judged(answers: VariantAnswers, qrels: Qrels) -> bool:
    """Whether documents were retrieved for a question of which a useful one is known."""
    with_documents: list[int] = np.unique(answers.questions[np.diff(answers.retrieved_offsets) > 0]).tolist()
    asked = {answers.question_ids[q] for q in with_documents}
    return any(
        query in asked and bool((qrels.grades[start:end] >= 1).any())
        for query, start, end in zip(
            qrels.query_ids, qrels.offsets[:-1].tolist(), qrels.offsets[1:].tolist(), strict=True
        )
    )


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
