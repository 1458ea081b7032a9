"""Outcomes question by question: what the answers about groups add up to.

Every rate, interval and test of a study is a function of these sums.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.stats.disaggregation import ClusterMeans, distinct
from fairviz.studies.demographic_qa.measures import Rates


class Counted(NamedTuple):
    """Answers with a known outcome, by group and question.

    Attributes:
        questions: (T) codes of the questions that have one, rising.
        sums: (G, T) sums of their outcomes.
        n: (G, T) how many they are.
    """

    questions: IntArray
    sums: FloatArray
    n: FloatArray

    @property
    def table(self) -> ClusterMeans:
        """The sums and numbers."""
        return ClusterMeans(self.sums, self.n)

    @property
    def rates(self) -> Rates:
        """(G) mean outcome of each group, and the answers it is of."""
        n = self.n.sum(axis=1)
        rates = np.full(n.shape, np.nan)
        np.divide(self.sums.sum(axis=1), n, out=rates, where=n > 0)
        return Rates(rates, n.astype(np.int64))

    @property
    def of_all(self) -> "Counted":
        """The same with all groups as one."""
        return Counted(
            self.questions,
            self.sums.sum(axis=0, keepdims=True),
            self.n.sum(axis=0, keepdims=True),
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
        ([7, 9], [[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    """
    known = ~np.isnan(outcomes)
    asked, places = distinct(questions[known], int(questions.max(initial=0)) + 1)
    cells, shape = groups[known] * asked.size + places, (n_groups, asked.size)
    sums = np.bincount(cells, outcomes[known], minlength=n_groups * asked.size).astype(np.float64)
    n = np.bincount(cells, minlength=n_groups * asked.size).astype(np.float64)
    return Counted(asked, sums.reshape(shape), n.reshape(shape))


def on_common(one: Counted, other: Counted) -> tuple[Counted, Counted]:
    """Both on the questions that both have."""
    _, mine, its = np.intersect1d(one.questions, other.questions, assume_unique=True, return_indices=True)
    return (
        Counted(one.questions[mine], one.sums[:, mine], one.n[:, mine]),
        Counted(other.questions[its], other.sums[:, its], other.n[:, its]),
    )
