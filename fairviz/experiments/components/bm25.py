"""Retrievers without a network: BM25 and latent semantic analysis; and the run of what they retrieve."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingTypeStubs] -- it has none
from scipy.sparse import csr_array

from fairviz.experiments.components.hits import best_hits, tie_order
from fairviz.experiments.components.tokenization import words
from fairviz.experiments.protocols import Document, Hits
from fairviz.model import FloatArray


class Bm25Index:
    """Weights of terms × documents, for documents given as lists of words.

    Robertson & Zaragoza (2009), in the variant of ``rank_bm25.BM25Okapi``: for term t in document d

        weight = idf_t · tf (k1 + 1) / (tf + k1 (1 − b + b |d| / mean |d|))

    with its idf (a negative one becomes epsilon · mean idf), and the score of a question is the sum
    over its words, repeated words counted again. The library counts words and gives the statistics;
    every weight is then computed once, so that a question costs one pass over the postings of its
    words instead of one over all documents per word.

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
        texts = [list(document) for document in documents]
        if not any(texts):
            raise ValueError("BM25 needs at least one word in the corpus")
        okapi: Any = BM25Okapi(texts, k1=k1, b=b, epsilon=epsilon)  # the library has no types
        self._term_of: dict[str, int] = {term: i for i, term in enumerate(okapi.idf)}
        lengths = np.array(okapi.doc_len, dtype=np.float64)
        held_back = k1 * (1 - b + b * lengths / okapi.avgdl)
        idf = np.array(list(okapi.idf.values()))
        counts = [(self._term_of[t], d, tf) for d, terms in enumerate(okapi.doc_freqs) for t, tf in terms.items()]
        term, document, frequency = np.array(counts, dtype=np.int64).T
        weights = idf[term] * frequency * (k1 + 1) / (frequency + held_back[document])
        self._weights = csr_array((weights, (term, document)), shape=(idf.size, lengths.size))

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

    notes = ()

    def __init__(
        self,
        corpus: Sequence[Document],
        *,
        k1: float = 1.5,
        b: float = 0.75,
        epsilon: float = 0.25,
        name: str = "bm25",
    ) -> None:
        self.name = name
        self._index = Bm25Index(
            (words(f"{document.title} {document.text}") for document in corpus),
            k1=k1,
            b=b,
            epsilon=epsilon,
        )
        self.tie_order = tie_order(corpus)

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the ``depth`` best documents that share a word with it."""
        return [best_hits(self._index.scores(words(text)), self.tie_order, depth) for text in questions.values()]
