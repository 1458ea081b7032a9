"""What a document did for an answer: whether the answer rests on it, and whether it helped (Kim & Diaz 2025)."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fairviz.experiment.protocols import Document, Generator, Prompt
from fairviz.experiment.tokenization import sentences, words
from fairviz.metrics.utility import rouge_l
from fairviz.model import BoolArray, FloatArray, IndexArray, IntArray, Qrels, Run


class LexicalAttributor:
    """A document supports an answer if it holds enough words of one of its sentences.

    Shared words stand in the place of textual entailment: the paper (3.3.3) asks an inference model
    whether a document entails the output. This one sees no paraphrase and no negation, and is named
    as what it is.

    Args:
        threshold: Share of a sentence's distinct words, in (0, 1], that a document must hold.
    """

    name = "lexical"

    def __init__(self, *, threshold: float = 0.6) -> None:
        self._threshold = threshold

    def attribute(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[list[bool]]:
        """For each prompt and answer, which of the given documents support it."""
        return [
            [self.supports(document.text, answer) for document in prompt.documents]
            for prompt, answer in zip(prompts, answers, strict=True)
        ]

    def supports(self, text: str, answer: str) -> bool:
        """Whether a text holds enough of one sentence of the answer; empty sentences never."""
        held = _distinct_words(text)
        return any(
            claimed and len(claimed & held) >= self._threshold * len(claimed)
            for claimed in map(_distinct_words, sentences(answer))
        )


@lru_cache(maxsize=16_384)
def _distinct_words(text: str) -> frozenset[str]:
    return frozenset(words(text))


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


def utility_gains(
    question: str,
    references: Sequence[str],
    corpus: Sequence[Document],
    generator: Generator,
) -> UtilityGains:
    """Give each document alone to the generator and compare with its answer without any.

    Utility is ROUGE-L F1 against the closest reference. A label depends on the generator: another
    one may make nothing of the same document.

    Args:
        question: The question.
        references: Right answers, at least one.
        corpus: D documents.
        generator: The generator whose labels these are.

    Raises:
        ValueError: If there is no reference.
    """
    if not references:
        raise ValueError("utility gain needs at least one reference answer")
    prompts = [Prompt(question, ()), *(Prompt(question, (document,)) for document in corpus)]
    utilities = np.array([rouge_l(answer, references) for answer in generator.generate(prompts)])
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
