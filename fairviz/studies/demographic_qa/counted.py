"""Outcomes question by question: what the answers about groups add up to.

Every rate, interval and test of a study is a function of these sums, and the sums of ranges of questions, put side by
side, are those of all questions: so answers can be counted range by range, and nothing but sums is held of them.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from fairviz.model import FloatArray, IndexArray, IntArray
from fairviz.stats.disaggregation import ClusterMeans, distinct
from fairviz.studies.demographic_qa.measures import Rates

Numbers: TypeAlias = NDArray[np.number[Any]]

_WIDTHS = (np.uint8, np.uint16, np.uint32, np.int64)


class Counted(NamedTuple):
    """Answers with a known outcome, by group and question.

    Numbers are held as narrow as they are: there are as many as answers.

    Attributes:
        questions: (T) codes of the questions that have one, rising.
        sums: (G, T) sums of their outcomes.
        n: (G, T) how many they are.
    """

    questions: IndexArray
    sums: Numbers
    n: Numbers

    @property
    def table(self) -> ClusterMeans:
        """The sums and numbers."""
        return ClusterMeans(self.sums.astype(np.float64), self.n.astype(np.float64))

    @property
    def rates(self) -> Rates:
        """(G) mean outcome of each group, and the answers it is of."""
        n = self.n.sum(axis=1, dtype=np.float64)
        rates = np.full(n.shape, np.nan)
        np.divide(self.sums.sum(axis=1), n, out=rates, where=n > 0)
        return Rates(rates, n.astype(np.int64))

    @property
    def of_all(self) -> "Counted":
        """The same with all groups as one."""
        return Counted(
            self.questions,
            self.sums.sum(axis=0, keepdims=True, dtype=np.float64),
            self.n.sum(axis=0, keepdims=True, dtype=np.float64),
        )

    def groups(self, which: IntArray | Sequence[int]) -> "Counted":
        """Some groups, on the same questions."""
        chosen = np.asarray(which, dtype=np.int64)
        return Counted(self.questions, self.sums[chosen], self.n[chosen])


def counted(outcomes: FloatArray, questions: IntArray, groups: IntArray, n_groups: int) -> Counted:
    """Add up (A) outcomes by group and question; NaN ones are left out.

    Examples:
        >>> some = counted(np.array([1.0, np.nan, 0.0]), np.array([7, 7, 9]), np.array([0, 1, 1]), 2)
        >>> some.questions.tolist(), some.sums.tolist(), some.n.tolist()
        ([7, 9], [[1, 0], [0, 0]], [[1, 0], [0, 1]])
    """
    known = ~np.isnan(outcomes)
    asked, places = distinct(questions[known], int(questions.max(initial=0)) + 1)
    cells, shape = groups[known] * asked.size + places, (n_groups, asked.size)
    sums = np.bincount(cells, outcomes[known], minlength=n_groups * asked.size)
    n = np.bincount(cells, minlength=n_groups * asked.size)
    return Counted(_shared(asked.astype(np.int32)), narrow(sums).reshape(shape), narrow(n).reshape(shape))


_HELD: WeakValueDictionary[tuple[int, int], IndexArray] = WeakValueDictionary()


def _shared(questions: IndexArray) -> IndexArray:
    """Questions that are held already, where they are the same: mostly all groups were asked all of them."""
    held = _HELD.setdefault((questions.size, hash(questions.tobytes())), questions)
    return held if np.array_equal(held, questions) else questions


def narrow(values: Numbers) -> Numbers:
    """Whole numbers from 0 on in as few bytes as hold them; others as they are.

    Examples:
        >>> narrow(np.array([0.0, 255.0])).dtype, narrow(np.array([0.0, 256.0])).dtype, narrow(np.array([0.5])).dtype
        (dtype('uint8'), dtype('uint16'), dtype('float64'))
    """
    if values.dtype.kind == "f" and not (values == np.rint(values)).all():
        return values
    largest = values.max(initial=0)
    return values.astype(next(width for width in _WIDTHS if largest <= np.iinfo(width).max))


def side_by_side(parts: Sequence[Counted], starts: Sequence[int]) -> Counted:
    """Ranges of questions as one; the codes of each range begin at its start."""
    return Counted(
        _shared(np.concatenate([part.questions + np.int32(start) for part, start in zip(parts, starts, strict=True)])),
        np.concatenate([part.sums for part in parts], axis=1),
        np.concatenate([part.n for part in parts], axis=1),
    )


def on_common(one: Counted, other: Counted) -> tuple[Counted, Counted]:
    """Both on the questions that both have."""
    _, mine, its = np.intersect1d(one.questions, other.questions, assume_unique=True, return_indices=True)
    return (
        Counted(one.questions[mine], one.sums[:, mine], one.n[:, mine]),
        Counted(other.questions[its], other.sums[:, its], other.n[:, its]),
    )
