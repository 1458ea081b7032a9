"""BM25 in the variants that the package bm25s has, with its own weights: Lucene's, Robertson's, ATIRE's, BM25L, BM25+.

Words are those of the other retrievers, so that a difference between runs is one of formulas (Kamphuis et al. 2020
compare them).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from fairviz.experiments.components.hits import tie_order, top_hits
from fairviz.experiments.components.tokenization import words
from fairviz.experiments.protocols import Document, Hits
from fairviz.extras import optional
from fairviz.model import IntArray

Method: TypeAlias = Literal["lucene", "robertson", "atire", "bm25l", "bm25+"]


class Bm25sRetriever:
    """Retrieves by a variant of BM25 over title and text, the documents that share a word with the question.

    BM25L and BM25+ give every document a positive score, also one without a word of the question; it is left out.

    Args:
        corpus: The documents; at least one has a word.
        name: Written into runs.
        method: The variant.
        k1: How slowly repeated words saturate.
        b: How strongly long documents are held back.

    Raises:
        UsageError: The package is missing.
        ValueError: If no document has a word.
    """

    notes = ()

    def __init__(
        self,
        corpus: Sequence[Document],
        *,
        name: str = "bm25s",
        method: Method = "lucene",
        k1: float = 1.5,
        b: float = 0.75,
    ) -> None:
        self.name = name
        texts = [words(f"{document.title} {document.text}") for document in corpus]
        if not any(texts):
            raise ValueError("BM25 needs at least one word in the corpus")
        package = optional("bm25s", extra="bm25s", component="bm25s")
        self._index: Any = package.BM25(method=method, k1=k1, b=b)
        self._index.index(texts, show_progress=False)
        self.tie_order = tie_order(corpus)

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the ``depth`` best documents that share a word with it."""
        return list(self._hits(questions, depth))

    def _hits(self, questions: Mapping[str, str], depth: int) -> Iterator[Hits]:
        for text in questions.values():
            terms: list[int] = self._index.get_tokens_ids(words(text))
            rows = self._holding(terms)
            scores = self._index.get_scores_from_ids(terms)[rows].astype(np.float64) if terms else np.empty(0)
            yield top_hits(rows, scores, self.tie_order, depth)

    def _holding(self, terms: Sequence[int]) -> IntArray:
        """Documents with one of some terms."""
        starts, documents = self._index.scores["indptr"], self._index.scores["indices"]
        postings = [documents[starts[term] : starts[term + 1]] for term in terms]
        return np.unique(np.concatenate([np.empty(0, np.int64), *postings])).astype(np.int64)
