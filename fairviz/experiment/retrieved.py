"""Runs of what retrievers find, as every reader of the written file will rank them."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from fairviz.experiment.protocols import Document, Retriever
from fairviz.model import Run


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
