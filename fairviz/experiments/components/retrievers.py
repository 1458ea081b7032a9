"""Retrievers without a network: BM25, and the run of another system.

Both give their documents in the order in which a run file with these scores is read. Words and sentences are cut the
same way by every lexical component.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field
from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingTypeStubs] -- it has none
from scipy.sparse import csr_array

from fairviz.errors import InputError
from fairviz.experiments.components.tables import Component, Share
from fairviz.experiments.description import FileBeside
from fairviz.experiments.protocols import Document, Hits, Retriever
from fairviz.experiments.store import Store
from fairviz.io.notes import shown
from fairviz.io.rankings import read_run
from fairviz.model import FloatArray, IntArray, Note
from fairviz.numerals import count


def tie_order(corpus: Sequence[Document]) -> IntArray:
    """(D) place of each document in a tie: by id descending, the order in which trec_eval and fairviz read a run."""
    by_id = sorted(range(len(corpus)), key=lambda row: corpus[row].doc_id, reverse=True)
    order = np.empty(len(corpus), dtype=np.int64)
    order[by_id] = np.arange(len(corpus))
    return order


def best_hits(scores: FloatArray, tie_order: IntArray, depth: int) -> Hits:
    """The ``depth`` documents with the best positive scores."""
    positive = np.flatnonzero(scores > 0)
    return top_hits(positive, scores[positive], tie_order, depth)


def top_hits(rows: IntArray, scores: FloatArray, tie_order: IntArray, depth: int) -> Hits:
    """The ``depth`` best of some documents, whatever the sign of their scores.

    Args:
        rows: (N) which documents.
        scores: (N) theirs.
        tie_order: (D) place of every document in a tie.
        depth: How many, at most.
    """
    best = np.lexsort((tie_order[rows], -scores))[:depth]
    return Hits(rows[best].astype(np.int32), scores[best])


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

    def scores(self, question: Sequence[str]) -> FloatArray:
        """(D) score of every document; words that no document holds count for nothing."""
        known = Counter(self._term_of[word] for word in question if word in self._term_of)
        total = np.zeros(self._weights.shape[1])
        starts, docs, weights = self._weights.indptr, self._weights.indices, self._weights.data
        for term, times in known.items():
            postings = slice(starts[term], starts[term + 1])
            # A document stands once in the postings of a term, so that += reaches each.
            total[docs[postings]] += times * weights[postings]
        return total


class Bm25(Component):
    """BM25 over title and text (Robertson & Zaragoza 2009)."""

    name: Literal["bm25"] = "bm25"
    k1: Annotated[float, Field(ge=0, le=10)] = 1.5
    """How slowly repeated words saturate."""
    b: Share = 0.75
    """How strongly long documents are held back."""
    epsilon: Share = 0.25
    """Part of the mean idf that terms of more than half of the documents get."""

    def build(self, corpus: Sequence[Document], *, numbers: Store | None = None) -> Retriever:
        """The retriever over a corpus."""
        return Bm25Retriever(corpus, name=self.label, **self.parameters)


class Bm25Retriever(Retriever):
    """Retrieves by BM25 over title and text, the documents with a positive score only.

    Args:
        corpus: The documents.
        name: Written into runs.
        **parameters: Of :class:`Bm25Index`.
    """

    def __init__(self, corpus: Sequence[Document], *, name: str = "bm25", **parameters: float) -> None:
        self.name = name
        self._index = Bm25Index((words(f"{document.title} {document.text}") for document in corpus), **parameters)
        self.tie_order = tie_order(corpus)

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the ``depth`` best documents that share a word with it."""
        return [best_hits(self._index.scores(words(text)), self.tie_order, depth) for text in questions.values()]


NAMED = 3
"""Of what is missing, so many are named and all are counted."""


class Runs(Component):
    """What another system retrieved."""

    name: Literal["runs"] = "runs"
    file: FileBeside
    """A TREC run; all documents that it ranks are in the corpus."""

    def build(self, corpus: Sequence[Document], *, numbers: Store | None = None) -> Retriever:
        """The retriever over a corpus."""
        return RunFile(corpus, name=self.label, file=self.file)


class RunFile(Retriever):
    """Retrieves what a run says; scores decide, as everywhere.

    Documents that the corpus lacks are left out, and questions that the run lacks find nothing; notes tell of both, of
    the questions that were asked last.

    Args:
        corpus: The documents; some of them are in the run.
        name: Written into what is made of it, in the place of the run's tag.
        file: The run.

    Raises:
        InputError: The run cannot be read, or has no document of the corpus.
    """

    def __init__(self, corpus: Sequence[Document], *, name: str = "runs", file: Path) -> None:
        self.name = name
        self._file = str(file)
        self._run = read_run(self._file).value
        place = {document.doc_id: row for row, document in enumerate(corpus)}
        missing = [doc_id for doc_id in self._run.doc_ids if doc_id not in place]
        if len(missing) == len(self._run.doc_ids):
            reason = f"none of its {count(len(missing))} documents ({_named(missing)}) is in the corpus"
            raise InputError(reason, file=self._file, fix="Give the corpus that the run was made from.")
        self._places = np.array([place.get(doc_id, -1) for doc_id in self._run.doc_ids], dtype=np.int32)
        self._rows = {query_id: row for row, query_id in enumerate(self._run.query_ids)}
        self.notes = self._lacks_documents = self._told(missing, "documents that the corpus lacks were left out")

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, its ``depth`` best documents of the run."""
        missing = [query_id for query_id in questions if query_id not in self._rows]
        lacking = self._told(missing, f"of {count(len(questions))} questions are not in the run")
        self.notes = (*self._lacks_documents, *lacking)
        return [self._hits(self._rows.get(query_id), depth) for query_id in questions]

    def _hits(self, row: int | None, depth: int) -> Hits:
        start, end = (0, 0) if row is None else self._run.offsets[row : row + 2].tolist()
        places, scores = self._places[self._run.docs[start:end]], self._run.scores[start:end]
        there = np.flatnonzero(places >= 0)[:depth]
        return Hits(places[there], scores[there], decimals=None)

    def _told(self, missing: Sequence[str], what: str) -> tuple[Note, ...]:
        return (Note(self._file, None, f"{count(len(missing))} {what} ({_named(missing)})"),) if missing else ()


def _named(missing: Sequence[str]) -> str:
    return ", ".join(map(shown, missing[:NAMED])) + (", …" if len(missing) > NAMED else "")


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_WORD = re.compile(rf"(?P<cjk>[{_CJK}]+)|[^\W_{_CJK}]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
_FUNCTION_WORDS = """
a about after all an and any are as at be been before but by can could did do does for from had has
have he her him his how i if in into is it its me more my no not of on one or our out over s she
should so some than that the their them then there these they this to too two up us was we were
what when where which who why will with would you your
"""

STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English function words: they say how a question is put, not what it is about."""


def words(text: str) -> list[str]:
    """Runs of letters and digits in lower case, without the function words; no stemming.

    Chinese, Japanese and Korean are cut into overlapping pairs of characters, as Lucene's CJKAnalyzer does: they are
    written without blanks, or with endings that blanks do not part.

    Examples:
        >>> words("How does a heat pump work in the cold?")
        ['heat', 'pump', 'work', 'cold']
        >>> words("谁迟到了？ BBQの質問"), words("我")
        (['谁迟', '迟到', '到了', 'bbq', 'の質', '質問'], ['我'])
    """
    found: list[str] = []
    for match in _WORD.finditer(text.lower()):
        run = match[0]
        if match["cjk"] and len(run) > 1:
            found += [run[i : i + 2] for i in range(len(run) - 1)]
        elif run not in STOP_WORDS:
            found.append(run)
    return found


def sentences(text: str) -> list[str]:
    """Sentences, cut after a full stop, question or exclamation mark that white space follows; 。！？ need none.

    Examples:
        >>> sentences("Sit down. Lean forward!  Why?"), sentences("坐下。为什么？")
        (['Sit down.', 'Lean forward!', 'Why?'], ['坐下。', '为什么？'])
    """
    return [sentence for sentence in _SENTENCE_END.split(text.strip()) if sentence]
