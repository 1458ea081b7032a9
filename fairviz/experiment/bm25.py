"""BM25 with the statistics and scores of ``rank_bm25.BM25Okapi``, as one sparse matrix.

Robertson & Zaragoza (2009); the variant is the library's: for term t in document d

    idf_t = ln(N − df_t + 0.5) − ln(df_t + 0.5),   a negative idf becomes epsilon · mean idf
    weight = idf_t · tf (k1 + 1) / (tf + k1 (1 − b + b |d| / mean |d|))

and the score of a question is the sum over its words, repeated words counted again. Every weight
is computed once, so that a question costs one sparse product over the postings of its words.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.sparse import csr_array

from fairviz.experiment.protocols import Document, Hits
from fairviz.experiment.words import words
from fairviz.model import FloatArray


class Bm25Index:
    """Weights of terms × documents, for documents given as lists of words.

    Args:
        documents: Words of each document; at least one document has a word.
        k1: How slowly repeated words saturate.
        b: How strongly long documents are held back.
        epsilon: Part of the mean idf that terms of more than half of the documents get.

    Raises:
        ValueError: If no document has a word.
    """

    def __init__(
        self,
        documents: Iterable[Sequence[str]],
        *,
        k1: float = 1.5,
        b: float = 0.75,
        epsilon: float = 0.25,
    ) -> None:
        self._term_of: dict[str, int] = {}
        counts = _term_counts(documents, self._term_of)
        if not self._term_of:
            raise ValueError("BM25 needs at least one word in the corpus")
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64)
        n_documents = lengths.size
        n_holding = np.bincount(counts.indices, minlength=len(self._term_of))
        idf = np.log(n_documents - n_holding + 0.5) - np.log(n_holding + 0.5)
        idf[idf < 0] = epsilon * idf.mean()
        held_back = k1 * (1 - b + b * lengths / lengths.mean())
        document = np.repeat(np.arange(n_documents), np.diff(counts.indptr))
        frequency = counts.data
        counts.data = idf[counts.indices] * frequency * (k1 + 1) / (frequency + held_back[document])
        self._weights: csr_array = counts.T.tocsr()

    @property
    def n_documents(self) -> int:
        """Documents in the index."""
        return self._weights.shape[1]

    def scores(self, question: Sequence[str]) -> FloatArray:
        """(D) score of every document; words that no document holds count for nothing."""
        known = Counter(self._term_of[word] for word in question if word in self._term_of)
        total = np.zeros(self.n_documents)
        starts, docs, weights = self._weights.indptr, self._weights.indices, self._weights.data
        for term, times in known.items():
            postings = slice(starts[term], starts[term + 1])
            # A document stands once in the postings of a term, so that += reaches each.
            total[docs[postings]] += times * weights[postings]
        return total


class Bm25Retriever:
    """Retrieves by BM25 over title and text, the documents with a positive score only."""

    name = "bm25"

    def __init__(
        self,
        corpus: Sequence[Document],
        *,
        k1: float = 1.5,
        b: float = 0.75,
        epsilon: float = 0.25,
    ) -> None:
        self._index = Bm25Index(
            (words(f"{document.title} {document.text}") for document in corpus),
            k1=k1,
            b=b,
            epsilon=epsilon,
        )
        # Ties go by id descending, the order in which trec_eval and fairviz read a run.
        by_id = sorted(range(len(corpus)), key=lambda row: corpus[row].doc_id, reverse=True)
        self._tie_order = np.empty(len(corpus), dtype=np.int64)
        self._tie_order[by_id] = np.arange(len(corpus))

    def retrieve(self, question: str, *, depth: int) -> Hits:
        """The ``depth`` best documents that share a word with the question."""
        scores = self._index.scores(words(question))
        found = np.flatnonzero(scores > 0)
        best = found[np.lexsort((self._tie_order[found], -scores[found]))[:depth]]
        return Hits(best.astype(np.int32), scores[best])


def _term_counts(documents: Iterable[Sequence[str]], term_of: dict[str, int]) -> csr_array:
    """(D, T) occurrences; fills ``term_of`` with the column of each word."""
    columns: list[int] = []
    ends = [0]
    for document in documents:
        columns.extend(term_of.setdefault(word, len(term_of)) for word in document)
        ends.append(len(columns))
    counts = csr_array(
        (np.ones(len(columns)), np.array(columns, dtype=np.int64), np.array(ends)),
        shape=(len(ends) - 1, len(term_of)),
    )
    counts.sum_duplicates()
    return counts
