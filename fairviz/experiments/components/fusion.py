"""Reciprocal rank fusion of other retrievers."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

import numpy as np
from pydantic import Field

from fairviz.evaluation.fuse import reciprocal_rank_scores
from fairviz.experiments.components.dense import Dense, Endpoint
from fairviz.experiments.components.retrievers import Bm25, Runs, tie_order, top_hits
from fairviz.experiments.components.tables import Component
from fairviz.experiments.protocols import Document, Hits, Retriever
from fairviz.experiments.store import Store

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
        fused = reciprocal_rank_scores(
            np.concatenate([ranking.positions for ranking in rankings]).astype(np.int64),
            np.repeat(np.arange(len(rankings)), sizes),
            np.concatenate([np.arange(1, size + 1) for size in sizes]),
            k=self._k0,
        )
        return top_hits(fused.items, fused.scores, self.tie_order, depth)._replace(decimals=None)
