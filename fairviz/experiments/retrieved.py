"""Runs of what retrievers find, as every reader of the written file will rank them."""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from fairviz.experiments.protocols import Document, Hits, Json, Retriever, identity_of
from fairviz.model import IndexArray, Note, Run


class ProfileRetriever:
    """Retrieves from the documents of each question alone: one retriever over each profile.

    Args:
        name: Written into runs.
        corpus: The documents of all profiles.
        profiles: Of each question, positions of its documents.
        over: Makes the retriever over some documents; there is at least one.
    """

    def __init__(
        self,
        name: str,
        corpus: Sequence[Document],
        profiles: Mapping[str, IndexArray],
        over: Callable[[Sequence[Document]], Retriever],
    ) -> None:
        self.name = name
        self._corpus = corpus
        self._profiles = profiles
        self._over = over
        self.notes: tuple[Note, ...] = ()
        self.identity: Mapping[str, Json] = {}

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
        self.identity = self.identity or identity_of(retriever)
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
