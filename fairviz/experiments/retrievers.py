"""Retrievers: BM25, the run of another system, the fusion of several; vectors are in :mod:`fairviz.experiments.dense`.

They give their documents in the order in which a run file with these scores is read. Words and sentences are cut the
same way by every lexical component.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeGuard, cast

import numpy as np
from pydantic import BeforeValidator, Field
from rank_bm25 import BM25Okapi
from scipy.sparse import csr_array

from fairviz.errors import InputError
from fairviz.evaluation.fuse import reciprocal_rank_scores
from fairviz.experiments.dense import Dense, Endpoint
from fairviz.experiments.description import Component, DistinctLabels, FileBeside, OneOrMore, Share, model_name
from fairviz.experiments.protocols import Document, Hits, Retriever, best_hits, tie_order, top_hits
from fairviz.experiments.store import Store
from fairviz.io.notes import shown
from fairviz.io.rankings import read_run
from fairviz.model import FloatArray, IndexArray, Note, Run
from fairviz.model.arrays import segment_ids, segment_rows
from fairviz.numerals import count
from fairviz.resources import content


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
        self, documents: Iterable[Sequence[str]], *, k1: float = 1.5, b: float = 0.75, epsilon: float = 0.25
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
        term_counts = Counter(self._term_of[word] for word in question if word in self._term_of)
        total = np.zeros(self._weights.shape[1])
        starts, docs, weights = self._weights.indptr, self._weights.indices, self._weights.data
        for term, times in term_counts.items():
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
        rows = {document.doc_id: row for row, document in enumerate(corpus)}
        missing = [doc_id for doc_id in self._run.doc_ids if doc_id not in rows]
        if len(missing) == len(self._run.doc_ids):
            reason = f"none of its {count(len(missing))} documents ({_named(missing)}) is in the corpus"
            raise InputError(reason, file=self._file, fix="Give the corpus that the run was made from.")
        self._places = np.array([rows.get(doc_id, -1) for doc_id in self._run.doc_ids], dtype=np.int32)
        self._rows = {query_id: row for row, query_id in enumerate(self._run.query_ids)}
        self.notes = self._lacks_documents = self._warnings(missing, "documents that the corpus lacks were left out")

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, its ``depth`` best documents of the run."""
        missing = [query_id for query_id in questions if query_id not in self._rows]
        lacking = self._warnings(missing, f"of {count(len(questions))} questions are not in the run")
        self.notes = (*self._lacks_documents, *lacking)
        return [self._hits(self._rows.get(query_id), depth) for query_id in questions]

    def _hits(self, row: int | None, depth: int) -> Hits:
        start, end = (0, 0) if row is None else self._run.offsets[row : row + 2].tolist()
        places, scores = self._places[self._run.docs[start:end]], self._run.scores[start:end]
        indices = np.flatnonzero(places >= 0)[:depth]
        return Hits(places[indices], scores[indices], decimals=None)

    def _warnings(self, missing: Sequence[str], what: str) -> tuple[Note, ...]:
        return (Note(self._file, None, f"{count(len(missing))} {what} ({_named(missing)})"),) if missing else ()


def _named(missing: Sequence[str]) -> str:
    return ", ".join(map(shown, missing[:NAMED])) + (", …" if len(missing) > NAMED else "")


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_WORD = re.compile(rf"(?P<cjk>[{_CJK}]+)|[^\W_{_CJK}]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
STOP_WORDS = frozenset(content("experiments")["function_words"].split())
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
    tokens: list[str] = []
    for match in _WORD.finditer(text.lower()):
        run = match[0]
        if match["cjk"] and len(run) > 1:
            tokens += [run[i : i + 2] for i in range(len(run) - 1)]
        elif run not in STOP_WORDS:
            tokens.append(run)
    return tokens


def sentences(text: str) -> list[str]:
    """Sentences, cut after a full stop, question or exclamation mark that white space follows; 。！？ need none.

    Examples:
        >>> sentences("Sit down. Lean forward!  Why?"), sentences("坐下。为什么？")
        (['Sit down.', 'Lean forward!', 'Why?'], ['坐下。', '为什么？'])
    """
    return [sentence for sentence in _SENTENCE_END.split(text.strip()) if sentence]


# Which retrievers a description can choose; fusion of them, and runs of what they find.


RankerTable: TypeAlias = Annotated[Bm25 | Dense | Endpoint | Runs, Field(discriminator="name")]
"""Retrievers that stand alone."""


class Fusion(Component):
    """Reciprocal rank fusion of other retrievers (Cormack et al. 2009)."""

    name: Literal["rrf"] = "rrf"
    of: Annotated[tuple[RankerTable, ...], Field(min_length=1)]
    """The others: tables of their own, or labels of retrievers of the description."""
    k0: Annotated[float, Field(ge=0, le=10_000)] = 60
    """How little the first ranks stand out."""
    depth: Annotated[int, Field(ge=1, le=10_000)] = 100
    """The last rank of each that counts."""

    def build(self, corpus: Sequence[Document], *, numbers: Store | None = None) -> Retriever:
        """The retriever over a corpus."""
        return FusedRetriever(corpus, [table.build(corpus, numbers=numbers) for table in self.of], self)


class FusedRetriever(Retriever):
    """Retrieves what others do, by the sum of 1 / (k0 + rank) over their rankings (Cormack et al. 2009).

    Args:
        corpus: The documents of all of them.
        retrievers: The others.
        table: How they are fused.
    """

    def __init__(self, corpus: Sequence[Document], retrievers: Sequence[Retriever], table: Fusion) -> None:
        self.name = table.label
        self._retrievers = tuple(retrievers)
        self._table = table
        self.tie_order = tie_order(corpus)
        identities = [retriever.identity for retriever in self._retrievers if retriever.identity]
        self.identity = {"component": "rrf", "of": identities} if identities else {}

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the ``depth`` documents with the most credit."""
        rankings = [retriever.retrieve(questions, depth=self._table.depth) for retriever in self._retrievers]
        self.notes = tuple(note for retriever in self._retrievers for note in retriever.notes)
        return [self._fused(of_question, depth) for of_question in zip(*rankings, strict=True)]

    def _fused(self, rankings: Sequence[Hits], depth: int) -> Hits:
        sizes = [ranking.positions.size for ranking in rankings]
        distinct, scores = reciprocal_rank_scores(
            np.concatenate([ranking.positions for ranking in rankings]).astype(np.int64),
            np.repeat(np.arange(len(rankings)), sizes),
            np.concatenate([np.arange(1, size + 1) for size in sizes]),
            k=self._table.k0,
        )
        return top_hits(distinct, scores, self.tie_order, depth)._replace(decimals=None)


RetrieverTable: TypeAlias = Annotated[Bm25 | Dense | Endpoint | Fusion | Runs, Field(discriminator="name")]


def with_named_retrievers(tables: Any) -> Any:
    """Tables of retrievers, with the table in the place of each label that a fusion is ``of``.

    Raises:
        ValueError: A label is that of no retriever that stands alone.
    """
    if not isinstance(tables, tuple):
        return tables
    listed = cast("tuple[Any, ...]", tables)
    alone = {_label(table): table for table in listed if _is_table(table) and "of" not in table}

    def named(retriever: object) -> object:
        if isinstance(retriever, str) and retriever not in alone:
            raise ValueError(
                f"of names {retriever!r}, which is no other retriever; there are: {', '.join(alone) or 'none'}"
            )
        return alone[retriever] if isinstance(retriever, str) else retriever

    def resolved(table: Any) -> Any:
        fuses = _is_table(table) and isinstance(table.get("of"), tuple)
        return {**table, "of": tuple(map(named, table["of"]))} if fuses else table

    return tuple(map(resolved, listed))


def _is_table(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _label(table: Mapping[str, Any]) -> str:
    return str(table.get("label") or model_name(str(table.get("model", ""))) or table.get("name"))


RetrieverTables: TypeAlias = Annotated[
    tuple[RetrieverTable, ...], BeforeValidator(with_named_retrievers), DistinctLabels, OneOrMore
]
"""Tables [[retriever]], or a single one."""


def packages_of(table: Component) -> set[str]:
    """Packages beside fairviz's own that compute for a component, and for those that it is made of."""
    return {*table.packages, *(name for component in getattr(table, "of", ()) for name in packages_of(component))}


def retriever_of(
    table: RetrieverTable, corpus: Sequence[Document], file: str, *, numbers: Store | None = None
) -> Retriever:
    """The chosen retriever over the documents of a file.

    Args:
        table: Which one.
        corpus: The documents.
        file: Where they are from, for messages.
        numbers: Where arrays that are dear to compute are kept.

    Raises:
        InputError: If there is nothing to retrieve.
    """
    try:
        return table.build(corpus, numbers=numbers)
    except ValueError as error:
        raise InputError(str(error), file=file, fix="Give the documents texts.") from error


class ProfileRetriever(Retriever):
    """Retrieves from the documents of each question alone: one retriever over each profile.

    Args:
        name: Written into runs.
        over: Makes the retriever over some documents.
        corpus: The documents of all profiles.
        profiles: Of each question, positions of its documents.
    """

    def __init__(
        self,
        name: str,
        over: Callable[[Sequence[Document]], Retriever],
        corpus: Sequence[Document],
        profiles: Mapping[str, IndexArray],
    ) -> None:
        self.name = name
        self._over = over
        self._corpus = corpus
        self._profiles = profiles

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the best of its own documents."""
        return [self._hits(query_id, text, depth) for query_id, text in questions.items()]

    def _hits(self, query_id: str, text: str, depth: int) -> Hits:
        own = self._profiles[query_id]
        if not own.size:
            return Hits(own, np.empty(0))
        places: list[int] = own.tolist()
        retriever = self._over([self._corpus[position] for position in places])
        (hits,) = retriever.retrieve({query_id: text}, depth=depth)
        self.notes = tuple(dict.fromkeys((*self.notes, *retriever.notes)))
        self.identity = self.identity or retriever.identity
        return hits._replace(positions=own[hits.positions])


def retrieved_run(retriever: Retriever, corpus: Sequence[Document], questions: Mapping[str, str], *, depth: int) -> Run:
    """The documents retrieved for every question; positions in the corpus are document indices.

    Ranked as every reader of the written file will rank them: by score, ties by id descending.
    """
    hits = retriever.retrieve(questions, depth=depth)
    kept = (of.scores if of.decimals is None else np.round(of.scores, of.decimals) for of in hits)
    scores = np.concatenate([np.empty(0), *kept])
    docs = np.concatenate([np.empty(0, np.int32), *(of.positions for of in hits)])
    offsets = np.cumsum([0, *(of.positions.size for of in hits)])
    order = np.lexsort((tie_order(corpus)[docs], -scores, segment_ids(offsets)))
    return Run(
        system=retriever.name,
        query_ids=tuple(questions),
        doc_ids=tuple(document.doc_id for document in corpus),
        offsets=offsets,
        docs=docs[order].astype(np.int32),
        scores=scores[order],
    )


def part_of_run(run: Run, rows: Sequence[int]) -> Run:
    """The queries that stand at some places of a run, ascending."""
    own, offsets = segment_rows(run.offsets, np.array(rows, dtype=np.int64))
    query_ids = tuple(run.query_ids[row] for row in rows)
    return replace(run, query_ids=query_ids, offsets=offsets, docs=run.docs[own], scores=run.scores[own])
