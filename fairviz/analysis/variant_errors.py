"""Where it went wrong: evidence right or wrong × answer right or wrong, by group."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.analysis.variant_groups import condition_rows
from fairviz.analysis.variant_sheet import By, Grouping, Sheet, combinations, groupings, sheet
from fairviz.errors import UsageError
from fairviz.model import IntArray, Qrels
from fairviz.model.variants import UNKNOWN, VariantAnswers


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
    attribute: str | None = None,
    *,
    by: Sequence[str] = (),
    threshold: float | None = None,
    qrels: Qrels | None = None,
    rel: int = 1,
    k: int | None = None,
) -> tuple[ErrorCase, ...]:
    """Count evidence × answer by group.

    Args:
        answers: The answers.
        attribute: Only this one; None: all.
        by: Columns to separate.
        threshold: Open answers are right from this ROUGE-L on; they need one.
        qrels: Judgements by question id: evidence is then right where a retrieved document is
            judged useful; None: what the file records as evidence.
        rel: Smallest grade of a useful document.
        k: Retrieved documents that count; None: all.

    Raises:
        UsageError: Open answers without a threshold.
    """
    if answers.kind == "open" and threshold is None:
        raise UsageError("open answers are right or wrong only from a threshold of ROUGE-L on")
    laid = sheet(answers, threshold=threshold)
    evidence = answers.evidence if qrels is None else retrieved_evidence(answers, qrels, rel, k)
    return tuple(
        case
        for pairs, rows in combinations(answers, by)
        for grouping in (*groupings(answers, rows), condition_rows(answers, rows))
        if attribute in (None, grouping.attribute)
        for case in _cases(laid, grouping, evidence.astype(np.int64), pairs)
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
    found = np.full(len(answers), UNKNOWN, dtype=np.int64)
    offsets = answers.retrieved_offsets.tolist()
    questions: list[int] = answers.questions.tolist()
    for row, question in enumerate(questions):
        wanted = useful.get(answers.question_ids[question])
        start, end = offsets[row], offsets[row + 1]
        if wanted is not None and end > start:
            last = end if k is None else min(end, start + k)
            given: list[int] = answers.retrieved[start:last].tolist()
            found[row] = not wanted.isdisjoint(given)
    return found


def _cases(laid: Sheet, grouping: Grouping, evidence: IntArray, by: By) -> list[ErrorCase]:
    score, seen = laid.scores[grouping.rows], evidence[grouping.rows]
    known = (seen != UNKNOWN) & ~np.isnan(score)
    cases: list[ErrorCase] = []
    for group, value in enumerate(grouping.values):
        mine = grouping.groups == group
        counted = mine & known
        n = np.bincount((2 * (1 - seen) + 1 - score)[counted].astype(np.int64), minlength=4)
        unknown = int((mine & ~known).sum())
        cases.append(ErrorCase(by, grouping.attribute, value, int(n[0]), int(n[1]), int(n[2]), int(n[3]), unknown))
    return cases
