"""The best documents by score, in the order in which a run file with these scores is read."""

from collections.abc import Sequence

import numpy as np

from fairviz.experiments.protocols import Document, Hits
from fairviz.model import FloatArray, IntArray


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
