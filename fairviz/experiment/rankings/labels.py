"""Usefulness of documents to a generator: what each adds to its answer when it is given alone (Kim & Diaz 2025)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fairviz.experiment.protocols import Document, Prompt
from fairviz.metrics.utility import rouge_l
from fairviz.model import BoolArray, FloatArray, IndexArray, IntArray, Qrels, Run


class UtilityGains(NamedTuple):
    """What each document of a corpus adds to the answer to one question (3.1).

    Attributes:
        baseline: Utility u_i of the answer without documents.
        gains: (D) utility gain δ_j = u_j − u_i of document j given alone.
    """

    baseline: float
    gains: FloatArray

    @property
    def useful(self) -> BoolArray:
        """(D) documents with a positive gain."""
        return self.gains > 0


def label_prompts(question: str, documents: Sequence[Document]) -> list[Prompt]:
    """What is asked to label documents: the question alone, then with each document alone."""
    return [Prompt(question, ()), *(Prompt(question, (document,)) for document in documents)]


def utility_gains(answers: Sequence[str], references: Sequence[str]) -> UtilityGains:
    """Compare the answer with each document alone with the answer without any.

    Utility is ROUGE-L F1 against the closest reference. A label depends on the generator: another
    one may make nothing of the same document.

    Args:
        answers: (1 + D) one generator's answers to :func:`label_prompts`.
        references: Right answers, at least one.

    Raises:
        ValueError: If there is no reference.
    """
    if not references:
        raise ValueError("utility gain needs at least one reference answer")
    utilities = np.array([rouge_l(answer, references) for answer in answers])
    return UtilityGains(float(utilities[0]), utilities[1:] - utilities[0])


def utility_qrels(run: Run, useful: Mapping[str, BoolArray], *, generator: str) -> Qrels:
    """Binary labels: 1 for the useful documents, 0 for the others that were retrieved.

    Args:
        run: What was retrieved; its queries are labelled.
        useful: For each query, (D) whether each document is useful.
        generator: Name of the generator whose labels these are.
    """
    docs: list[IndexArray] = []
    grades: list[IntArray] = []
    for row, query_id in enumerate(run.query_ids):
        retrieved = run.docs[run.offsets[row] : run.offsets[row + 1]]
        labelled = np.union1d(np.flatnonzero(useful[query_id]), retrieved)
        docs.append(labelled.astype(np.int32))
        grades.append(useful[query_id][labelled].astype(np.int64))
    return Qrels(
        name="utility",
        query_ids=run.query_ids,
        doc_ids=run.doc_ids,
        offsets=np.cumsum([0, *map(len, docs)]),
        docs=np.concatenate([*docs, np.empty(0, np.int32)]),
        grades=np.concatenate([*grades, np.empty(0, np.int64)]),
        generator=generator,
    )
