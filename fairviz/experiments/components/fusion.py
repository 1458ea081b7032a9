"""Several retrievers merged into one by reciprocal rank fusion, as ``fairviz fuse`` merges runs."""

from collections.abc import Mapping, Sequence

import numpy as np

from fairviz.evaluation.fuse import reciprocal_rank_scores
from fairviz.experiments.components.hits import tie_order, top_hits
from fairviz.experiments.protocols import Document, Hits, Json, Retriever, identity_of
from fairviz.model import Note


class FusedRetriever:
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

    @property
    def identity(self) -> Mapping[str, Json]:
        """Of those of the others that have one."""
        of = [identity for retriever in self._retrievers if (identity := identity_of(retriever))]
        return {"component": "rrf", "of": of} if of else {}

    @property
    def notes(self) -> tuple[Note, ...]:
        """Those of the others."""
        return tuple(note for retriever in self._retrievers for note in retriever.notes)

    def retrieve(self, questions: Mapping[str, str], *, depth: int) -> list[Hits]:
        """For each question, the ``depth`` documents with the most credit."""
        rankings = [retriever.retrieve(questions, depth=self._depth) for retriever in self._retrievers]
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
