"""Runs of what retrievers find, as every reader of the written file will rank them."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from fairviz.experiments.components.registry import RetrieverTable, retriever_of
from fairviz.experiments.protocols import Document, Hits, Retriever
from fairviz.experiments.store import Store
from fairviz.model import IndexArray, Run


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
