"""Recorded outputs of retrieval-augmented generation."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fairviz.model.arrays import (
    DocIds,
    FloatArray,
    IndexArray,
    IntArray,
    check_distinct,
    check_indices,
    check_offsets,
    frozen,
)

GivenFrom: TypeAlias = Literal["ranking", "references", "nowhere"]
"""Where the items given to the generator were recorded."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sentences:
    """T sentences of O answers and what each of them cites, as TREC RAG records it.

    An answer's text is its sentences with one space between them.

    Attributes:
        offsets: (O+1) sentences of answer o are ``offsets[o]:offsets[o+1]``; none where an answer records none.
        ends: (T) where each sentence ends in the text of its answer, in characters.
        citation_offsets: (T+1) rows of ``citations`` of each sentence.
        citations: Documents that a sentence cites, distinct within it; they point into the outputs' ``doc_ids``.
    """

    offsets: IntArray
    ends: IntArray
    citation_offsets: IntArray
    citations: IndexArray

    def __post_init__(self) -> None:
        check_offsets(self.offsets, self.offsets.size - 1, self.ends.size, "sentences of answers")
        check_offsets(self.citation_offsets, self.ends.size, self.citations.size, "citations of sentences")
        for array in (self.offsets, self.ends, self.citation_offsets, self.citations):
            frozen(array)

    def of(self, o: int, text: str) -> list[tuple[str, IndexArray]]:
        """The sentences of answer ``o``, whose text is given, each with the documents that it cites."""
        first, last = (int(end) for end in self.offsets[o : o + 2])
        starts = [0, *(end + 1 for end in self.ends[first:last].tolist())]
        cut = self.citation_offsets
        return [
            (text[starts[row - first] : self.ends[row]], self.citations[cut[row] : cut[row + 1]])
            for row in range(first, last)
        ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RagOutputs:
    """O answers to Q queries by one system (retriever, policy, α, generator).

    Attributes:
        system: Name of the system (the file's run id).
        query_ids: Q distinct query ids.
        doc_ids: D distinct document ids; ``given`` and ``attributed`` point into them.
        offsets: (Q+1) outputs of query q are ``offsets[q]:offsets[q+1]``.
        samples: (O) sample id of each output, unique within a query.
        given_from: "ranking" if the list given to the generator was recorded, "references" if
            only a reference list is known, "nowhere" if neither.
        given_offsets: (O+1) rows of ``given`` of each output.
        given: Documents given to the generator, best first.
        attributed_offsets: (O+1) rows of ``attributed`` of each output.
        attributed: Distinct documents that the output cites.
        texts: (O) answers.
        utilities: (O) recorded utility, NaN where none was recorded.
        sentences: Which sentence of an answer cites what; None where no answer records it.
        retriever, generator, policy, alpha, task, k, dataset: What produced the outputs, where recorded;
            ``policy`` "deterministic" is the baseline, "oracle" counts for ``norm='best'``.
        tag: Name in the file, which stays when the system is renamed; the system's name unless given.
        file: That they were read from; empty where they were not read.
    """

    system: str
    query_ids: tuple[str, ...]
    doc_ids: DocIds
    offsets: IntArray
    samples: tuple[str, ...]
    given_from: GivenFrom
    given_offsets: IntArray
    given: IndexArray
    attributed_offsets: IntArray
    attributed: IndexArray
    texts: tuple[str, ...]
    utilities: FloatArray
    sentences: Sentences | None = None
    task: str | None = None
    retriever: str | None = None
    generator: str | None = None
    policy: str | None = None
    alpha: float | None = None
    k: int | None = None
    dataset: str | None = None
    tag: str = ""
    file: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tag", self.tag or self.system)
        n_outputs = len(self.samples)
        check_distinct(self.query_ids, "query ids")
        check_offsets(self.offsets, len(self.query_ids), n_outputs, "outputs of queries")
        check_offsets(self.given_offsets, n_outputs, self.given.size, "given items")
        check_offsets(self.attributed_offsets, n_outputs, self.attributed.size, "attributed items")
        check_indices(self.given, len(self.doc_ids), "given items")
        check_indices(self.attributed, len(self.doc_ids), "attributed items")
        if len(self.texts) != n_outputs or self.utilities.shape != (n_outputs,):
            raise ValueError("outputs: one text and one utility per output are needed")
        if self.sentences is not None:
            check_offsets(self.sentences.offsets, n_outputs, self.sentences.ends.size, "sentences of answers")
            check_indices(self.sentences.citations, len(self.doc_ids), "citations of sentences")
        for array in (self.offsets, self.given, self.attributed, self.utilities):
            frozen(array)

    @property
    def n_samples(self) -> IntArray:
        """(Q) outputs recorded for each query."""
        return np.diff(self.offsets)
