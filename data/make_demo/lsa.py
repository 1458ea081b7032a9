"""Latent semantic analysis: retrieval without a network in a space of few dimensions."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from fairviz.experiments.protocols import Document, Hits, Retriever, best_hits, tie_order
from fairviz.experiments.retrievers import words
from fairviz.model import FloatArray

SMALLEST = 1e-9
"""Directions with a smaller eigenvalue are left out: they are rounding."""


class LsaRetriever(Retriever):
    """Retrieves by cosine in a space of few dimensions, the documents with a positive one only.

    Latent semantic analysis (Deerwester et al. 1990). Documents are rows of a matrix X of weights
    tf · idf with length 1; its best approximation of a given rank, X ≈ U S Vᵀ, gives every document
    the coordinates U S and a question q the coordinates q V. The score is their cosine. U and S come
    from the eigenvectors of X Xᵀ, and q V = q Xᵀ U S⁻¹, so that V is never built.

    Args:
        corpus: The documents; at least one has a word.
        rank: Dimensions, at most.
        name: What to call it.

    Raises:
        ValueError: If no document has a word.
    """

    def __init__(self, corpus: Sequence[Document], *, rank: int = 64, name: str = "lsa") -> None:
        self.name = name
        texts = [Counter(words(f"{document.title} {document.text}")) for document in corpus]
        terms = dict.fromkeys(term for counts in texts for term in counts)
        self._term_of = {term: place for place, term in enumerate(terms)}
        if not self._term_of:
            raise ValueError("a corpus needs at least one word")
        found_in = Counter(term for counts in texts for term in counts)
        self._idf = np.array([1 + np.log(len(corpus) / found_in[t]) for t in self._term_of])
        self._weights = np.array([self._direction(counts) for counts in texts])
        values, vectors = np.linalg.eigh(self._weights @ self._weights.T)
        largest = np.flatnonzero(values > SMALLEST)[::-1][:rank]
        strengths = np.sqrt(values[largest])
        self._fold = vectors[:, largest] / strengths
        self._places = _unit(vectors[:, largest] * strengths)
        self.tie_order = tie_order(corpus)

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the ``depth`` documents whose direction is nearest to its own."""
        return [best_hits(self._scores(text), self.tie_order, depth) for text in questions.values()]

    def _scores(self, question: str) -> FloatArray:
        place = (self._direction(Counter(words(question))) @ self._weights.T) @ self._fold
        return np.round(self._places @ _unit(place), 9)

    def _direction(self, counts: Counter[str]) -> FloatArray:
        """(T) weights tf · idf with length 1; words of no document count for nothing."""
        weights = np.zeros(len(self._term_of))
        for term, times in counts.items():
            if term in self._term_of:
                weights[self._term_of[term]] = times * self._idf[self._term_of[term]]
        return _unit(weights)


def _unit(rows: FloatArray) -> FloatArray:
    """Rows with length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)
