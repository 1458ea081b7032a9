"""Which questions count as answerable, Y = 1 of equal opportunity: what the file says, else a named definition.

The paper asks for "questions that can be answered correctly" and does not say how it knows. What the file records wins.
Else: *evidence* (default), a document judged useful was given with this answer, or the file says that its evidence was
right; *neutral*, the same question without a person was answered right; *any*, at least one variant of it was. The last
two look at answers to say which answers count, so they are for those who ask for them.
"""

from typing import Literal, TypeAlias, get_args

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray, Qrels
from fairviz.model.variants import NOT_MENTIONED, UNKNOWN, VariantAnswers, neutral_code

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


def definition_of(
    answers: VariantAnswers, wanted: Answerable = "evidence", *, judged: bool = False, threshold: float | None = None
) -> Definition:
    """By what questions of a file are answerable.

    Args:
        answers: The answers.
        wanted: The definition, where the file has no column.
        judged: Whether documents that were given were judged (:func:`any_judged`).
        threshold: Open answers are right from this ROUGE-L on; without one none is right, and none wrong.
    """
    if (answers.answerable != UNKNOWN).any():
        return "column"
    if wanted == "evidence":
        return "evidence" if judged or (answers.evidence != UNKNOWN).any() else ""
    if not anything_answered(answers) or (answers.kind == "open" and threshold is None):
        return ""
    if answers.kind == "closed":
        with_gold = answers.golds != UNKNOWN
    else:
        with_gold = np.array([*map(bool, answers.gold_words.values)], dtype=np.bool_)[answers.gold_words.codes]
    return wanted if (with_gold & _looked_at(answers, wanted)).any() else ""


def anything_answered(answers: VariantAnswers) -> bool:
    """Whether a file holds any answer; else (documents only) nothing is right or wrong."""
    return any(answers.words.values) or bool((answers.choices != UNKNOWN).any())


def _looked_at(answers: VariantAnswers, wanted: Answerable) -> BoolArray:
    """(R) whether an answer, if right, makes its question answerable."""
    looked_at = answers.condition == neutral_code(answers.conditions)
    if wanted == "any":
        looked_at = looked_at | (answers.given != NOT_MENTIONED).any(axis=1)
    return looked_at


def answerable_rows(
    answers: VariantAnswers, scores: FloatArray, units: IntArray, definition: Definition, qrels: Qrels | None = None
) -> BoolArray:
    """(R) whether each answer is to an answerable question.

    Args:
        answers: The answers.
        scores: (R) 1 right, 0 wrong; NaN = not known.
        units: (R) code of (everything recorded, question).
        definition: By what questions are answerable.
        qrels: Judgements by question id, for the evidence; None: as recorded.
    """
    if definition == "":
        return np.zeros(len(answers), dtype=np.bool_)
    if definition == "column":
        return answers.answerable == 1
    if definition == "evidence":
        return evidence_given(answers, qrels) == 1
    right = np.zeros(int(units.max(initial=-1)) + 1, dtype=np.bool_)
    right[units[_looked_at(answers, definition) & (scores == 1)]] = True
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
