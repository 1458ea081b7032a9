"""Retrievers without a network: BM25 and latent semantic analysis; and the run of what they retrieve."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingTypeStubs] -- it has none
from scipy.sparse import csr_array

from fairviz.experiment.protocols import Document, Hits, Retriever
from fairviz.experiment.tokenization import words
from fairviz.model import FloatArray, IntArray, Run


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
        self._tie_order = _tie_order(corpus)

    def retrieve(self, question: str, *, depth: int) -> Hits:
        """The ``depth`` best documents that share a word with the question."""
        scores = self._index.scores(words(question))
        return _best_hits(scores, self._tie_order, depth)


SMALLEST = 1e-9
"""Directions with a smaller eigenvalue are left out: they are rounding."""


class LsaRetriever:
    """Retrieves by cosine in a space of few dimensions, the documents with a positive one only.

    Latent semantic analysis (Deerwester et al. 1990). Documents are rows of a matrix X of weights
    tf · idf with length 1; its best approximation of a given rank, X ≈ U S Vᵀ, gives every document
    the coordinates U S and a question q the coordinates q V. The score is their cosine. U and S come
    from the eigenvectors of X Xᵀ, and q V = q Xᵀ U S⁻¹, so that V is never built.

    Args:
        corpus: The documents; at least one has a word.
        rank: Dimensions, at most.

    Raises:
        ValueError: If no document has a word.
    """

    name = "lsa"

    def __init__(self, corpus: Sequence[Document], *, rank: int = 64) -> None:
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
        self._tie_order = _tie_order(corpus)

    def retrieve(self, question: str, *, depth: int) -> Hits:
        """The ``depth`` documents whose direction is nearest to the question's."""
        place = (self._direction(Counter(words(question))) @ self._weights.T) @ self._fold
        scores = np.round(self._places @ _unit(place), 9)
        return _best_hits(scores, self._tie_order, depth)

    def _direction(self, counts: Counter[str]) -> FloatArray:
        """(T) weights tf · idf with length 1; words of no document count for nothing."""
        weights = np.zeros(len(self._term_of))
        for term, times in counts.items():
            if term in self._term_of:
                weights[self._term_of[term]] = times * self._idf[self._term_of[term]]
        return _unit(weights)


def _tie_order(corpus: Sequence[Document]) -> IntArray:
    """(D) place of each document in a tie: by id descending, the order in which trec_eval and fairviz read a run."""
    by_id = sorted(range(len(corpus)), key=lambda row: corpus[row].doc_id, reverse=True)
    order = np.empty(len(corpus), dtype=np.int64)
    order[by_id] = np.arange(len(corpus))
    return order


def _best_hits(scores: FloatArray, tie_order: IntArray, depth: int) -> Hits:
    """The ``depth`` documents with the best positive scores."""
    positive = np.flatnonzero(scores > 0)
    best = positive[np.lexsort((tie_order[positive], -scores[positive]))[:depth]]
    return Hits(best.astype(np.int32), scores[best])


def _unit(rows: FloatArray) -> FloatArray:
    """Rows with length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


SCORE_DIGITS = 6
"""Digits kept of a score. They are cut before sampling: what is written is what is sampled."""


def retrieved_run(
    retriever: Retriever,
    corpus: Sequence[Document],
    questions: Mapping[str, str],
    *,
    depth: int,
) -> Run:
    """The documents retrieved for every question; positions in the corpus are document indices.

    Ranked as every reader of the written file will rank them: by score, ties by id descending.
    """
    doc_ids = tuple(document.doc_id for document in corpus)
    docs: list[int] = []
    scores: list[float] = []
    ends = [0]
    for question in questions.values():
        hits = retriever.retrieve(question, depth=depth)
        rounded: list[float] = np.round(hits.scores, SCORE_DIGITS).tolist()
        scored = zip(rounded, (int(position) for position in hits.positions), strict=True)
        for score, _, position in sorted(((s, doc_ids[p], p) for s, p in scored), reverse=True):
            scores.append(score)
            docs.append(position)
        ends.append(len(docs))
    return Run(
        system=retriever.name,
        query_ids=tuple(questions),
        doc_ids=doc_ids,
        offsets=np.array(ends, dtype=np.int64),
        docs=np.array(docs, dtype=np.int32),
        scores=np.array(scores, dtype=np.float64),
    )


def part_of_run(run: Run, query_ids: Collection[str]) -> Run:
    """The rows of some queries, in the run's order."""
    selected = [row for row, query_id in enumerate(run.query_ids) if query_id in query_ids]
    lengths = np.diff(run.offsets)
    rows = np.repeat(np.isin(np.arange(lengths.size), selected), lengths)
    return Run(
        system=run.system,
        query_ids=tuple(run.query_ids[row] for row in selected),
        doc_ids=run.doc_ids,
        offsets=np.concatenate([[0], np.cumsum(lengths[selected])]).astype(np.int64),
        docs=run.docs[rows],
        scores=run.scores[rows],
    )
