"""Which components a description can choose, by kind; fusion of retrievers, and runs of what they find."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias, TypeGuard, cast

import numpy as np
from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from fairviz.errors import InputError, UsageError
from fairviz.evaluation.fuse import reciprocal_rank_scores
from fairviz.experiments.components.attributors import Citations, Lexical, Nli, Scores
from fairviz.experiments.components.dense import Dense, Endpoint
from fairviz.experiments.components.openai_server import OpenAI
from fairviz.experiments.components.retrievers import Bm25, Runs, tie_order, top_hits
from fairviz.experiments.components.tables import Component, model_name
from fairviz.experiments.description import DistinctLabels, OneOrMore, mistakes_of
from fairviz.experiments.protocols import Document, Hits, Retriever
from fairviz.experiments.store import Store
from fairviz.model import IndexArray, Run

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
        others = [table.build(corpus, numbers=numbers) for table in self.of]
        return FusedRetriever(corpus, others, name=self.label, k0=self.k0, depth=self.depth)


class FusedRetriever(Retriever):
    """Retrieves what others do, by the sum of 1 / (k0 + rank) over their rankings (Cormack et al. 2009).

    Args:
        corpus: The documents of all of them.
        retrievers: The others.
        name: Written into runs.
        k0: How little the first ranks stand out.
        depth: The last rank of each that counts.
    """

    def __init__(
        self,
        corpus: Sequence[Document],
        retrievers: Sequence[Retriever],
        *,
        name: str = "rrf",
        k0: float = 60,
        depth: int = 100,
    ) -> None:
        self.name = name
        self._retrievers = tuple(retrievers)
        self._k0 = k0
        self._depth = depth
        self.tie_order = tie_order(corpus)
        known = [retriever.identity for retriever in self._retrievers if retriever.identity]
        self.identity = {"component": "rrf", "of": known} if known else {}

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the ``depth`` documents with the most credit."""
        rankings = [retriever.retrieve(questions, depth=self._depth) for retriever in self._retrievers]
        self.notes = tuple(note for retriever in self._retrievers for note in retriever.notes)
        return [self._fused(of_question, depth) for of_question in zip(*rankings, strict=True)]

    def _fused(self, rankings: Sequence[Hits], depth: int) -> Hits:
        sizes = [ranking.positions.size for ranking in rankings]
        distinct, scores = reciprocal_rank_scores(
            np.concatenate([ranking.positions for ranking in rankings]).astype(np.int64),
            np.repeat(np.arange(len(rankings)), sizes),
            np.concatenate([np.arange(1, size + 1) for size in sizes]),
            k=self._k0,
        )
        return top_hits(distinct, scores, self.tie_order, depth)._replace(decimals=None)


RetrieverTable: TypeAlias = Annotated[Bm25 | Dense | Endpoint | Fusion | Runs, Field(discriminator="name")]
GeneratorTable: TypeAlias = OpenAI
AttributorTable: TypeAlias = Annotated[Citations | Lexical | Nli | Scores, Field(discriminator="name")]


def with_named_retrievers(tables: Any) -> Any:
    """Tables of retrievers, with the table in the place of each label that a fusion is ``of``.

    Raises:
        ValueError: A label is that of no retriever that stands alone.
    """
    if not isinstance(tables, tuple):
        return tables
    listed = cast("tuple[Any, ...]", tables)
    alone = {_label(table): table for table in listed if _is_table(table) and "of" not in table}

    def named(one: object) -> object:
        if isinstance(one, str) and one not in alone:
            raise ValueError(f"of names {one!r}, which is no other retriever; there are: {', '.join(alone) or 'none'}")
        return alone[one] if isinstance(one, str) else one

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


def chosen(name: str, **parameters: Any) -> RetrieverTable:
    """A retriever by its name and parameters, checked as in a description.

    Args:
        name: Its name.
        **parameters: What is not at its default, "label" among it.

    Raises:
        UsageError: With every parameter that is not accepted, and what it may be.
    """
    if isinstance(of := parameters.get("of"), list):
        parameters["of"] = tuple(cast("list[Any]", of))
    given = {"name": name, **parameters}
    try:
        (table,) = with_named_retrievers((given,))
        return TypeAdapter[RetrieverTable](RetrieverTable).validate_python(table)
    except ValidationError as error:
        reasons = "; ".join(mistakes_of(error, given))
        raise UsageError(f"retriever {name}: {reasons}") from None
    except ValueError as error:
        raise UsageError(f"retriever {name}: {error}") from None


def packages_of(table: Component) -> set[str]:
    """Packages beside fairviz's own that compute for a component, and for those that it is made of."""
    return {*table.packages, *(name for one in getattr(table, "of", ()) for name in packages_of(one))}


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
        table: The retriever.
        corpus: The documents of all profiles.
        profiles: Of each question, positions of its documents.
        file: Where they are from, for messages.
        numbers: Where arrays that are dear to compute are kept.
    """

    def __init__(
        self,
        table: RetrieverTable,
        corpus: Sequence[Document],
        profiles: Mapping[str, IndexArray],
        file: str,
        numbers: Store,
    ) -> None:
        self.name = table.label
        self._corpus = corpus
        self._profiles = profiles
        self._over = partial(retriever_of, table, file=file, numbers=numbers)

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the best of its own documents."""
        return [self._found(query_id, text, depth) for query_id, text in questions.items()]

    def _found(self, query_id: str, text: str, depth: int) -> Hits:
        own = self._profiles[query_id]
        if not own.size:
            return Hits(own, np.empty(0))
        places: list[int] = own.tolist()
        retriever = self._over([self._corpus[place] for place in places])
        (hits,) = retriever.retrieve({query_id: text}, depth=depth)
        self.notes = tuple(dict.fromkeys((*self.notes, *retriever.notes)))
        self.identity = self.identity or retriever.identity
        return hits._replace(positions=own[hits.positions])


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
    for hits in retriever.retrieve(questions, depth=depth):
        kept = hits.scores if hits.decimals is None else np.round(hits.scores, hits.decimals)
        scored = zip(kept.tolist(), (int(position) for position in hits.positions), strict=True)
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


def part_of_run(run: Run, rows: Sequence[int]) -> Run:
    """The queries that stand at some places of a run, ascending."""
    bounds = [(int(run.offsets[row]), int(run.offsets[row + 1])) for row in rows]
    own = np.concatenate([np.empty(0, np.int64), *(np.arange(start, end) for start, end in bounds)])
    return Run(
        system=run.system,
        query_ids=tuple(run.query_ids[row] for row in rows),
        doc_ids=run.doc_ids,
        offsets=np.cumsum([0, *(end - start for start, end in bounds)]),
        docs=run.docs[own],
        scores=run.scores[own],
    )
