"""How much of what was retrieved is the same in several lists: intersection over union.

The kernels know which of V lists holds which document, as rows of booleans: a row per question and
distinct document, a column per list. Ratios are between 0 (nothing in common) and 1 (the same
documents, in whatever order); a ratio of empty lists is undefined (NaN).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairviz.model import BoolArray, FloatArray, IndexArray, IntArray
from fairviz.model.arrays import segment_ids


class Held(NamedTuple):
    """Which lists of a question hold which document.

    Attributes:
        rows: (N, V) whether list v of the row's question holds the row's document.
        offsets: (Q+1) rows of each question.
    """

    rows: BoolArray
    offsets: IntArray


def held(docs: IndexArray, list_offsets: IntArray, *, n_lists: int, n_docs: int, k: int | None = None) -> Held:
    """The documents among the first k of each list.

    Args:
        docs: (M) documents of all lists, best first; lists of one question stand side by side.
        list_offsets: (Q·V+1) rows of list v of question q at q·V + v.
        n_lists: V lists per question.
        n_docs: Number of document ids.
        k: Ranks that count; None: all. A document that stands twice among them counts once.

    Examples:
        >>> both = held(
        ...     np.array([0, 1, 1, 2], dtype=np.int32), np.array([0, 2, 4]), n_lists=2, n_docs=3
        ... )
        >>> both.rows.tolist()
        [[True, False], [True, True], [False, True]]
    """
    lists = segment_ids(list_offsets)
    if k is not None:
        seen = np.arange(docs.size) - list_offsets[lists] < k
        lists, docs = lists[seen], docs[seen]
    questions, columns = np.divmod(lists, n_lists)
    keys, place = np.unique(questions * n_docs + docs, return_inverse=True)
    rows = np.zeros((keys.size, n_lists), dtype=np.bool_)
    rows[place, columns] = True
    n_questions = (list_offsets.size - 1) // n_lists
    starts = np.arange(n_questions + 1, dtype=np.int64) * n_docs
    return Held(rows, np.searchsorted(keys, starts).astype(np.int64))


def intersection_over_union(lists: Held) -> FloatArray:
    r"""(Q) documents that every list holds, per document that any list holds.

    :math:`|\bigcap_v D_v| / |\bigcup_v D_v|`; with two lists this is their Jaccard similarity.
    """
    union = _sums(lists.rows.any(axis=1), lists.offsets)
    return _ratio(_sums(lists.rows.all(axis=1), lists.offsets), union)


def pairwise_jaccard(lists: Held) -> FloatArray:
    r"""(Q, V, V) :math:`|D_v \cap D_w| / |D_v \cup D_w|` of each pair of lists.

    Examples:
        >>> pairwise_jaccard(Held(np.array([[True, False], [True, True]]), np.array([0, 2])))
        array([[[1. , 0.5],
                [0.5, 1. ]]])
    """
    n_questions, n_lists = lists.offsets.size - 1, lists.rows.shape[1]
    common = np.empty((n_questions, n_lists, n_lists))
    for v in range(n_lists):
        for w in range(v, n_lists):
            both = _sums(lists.rows[:, v] & lists.rows[:, w], lists.offsets)
            common[:, v, w] = common[:, w, v] = both
    sizes = np.diagonal(common, axis1=1, axis2=2)
    return _ratio(common, sizes[:, :, None] + sizes[:, None, :] - common)


def _sums(rows: NDArray[np.bool_] | np.bool_, offsets: IntArray) -> FloatArray:
    counts = np.concatenate([[0], np.cumsum(rows)])
    return (counts[offsets[1:]] - counts[offsets[:-1]]).astype(np.float64)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
