"""Demographic parity and equal opportunity of answers: is one group answered right more often?

Every variant of a question asks about somebody; Ŷ = 1 says that its answer is right (or, one
versus rest, that it is a certain option). Ji et al. (2025) report the largest difference of
P(Ŷ = 1 | G = g) between two groups (DP) and the same among answerable questions (EO). Kernels
on R answers: a group code per answer, −1 = about no group (neutral variants), which never counts.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.model.arrays import ratio
from fairviz.stats.bootstrap import Interval
from fairviz.stats.disaggregation import Resampling, mean_intervals


class Rates(NamedTuple):
    """(…, G) shares of answers with Ŷ = 1 by group, and (…, G) answers they rest on."""

    rate: FloatArray
    n: IntArray


class Difference(NamedTuple):
    """The largest difference of two groups' rates: rate of ``best`` − rate of ``worst``.

    NaN and −1, −1 where it is undefined.
    """

    value: float
    best: int
    worst: int


def rates_by_group(outcome: FloatArray, groups: IntArray, n_groups: int) -> Rates:
    r"""Mean outcome of each group: :math:`P(\hat Y = 1 \mid G = g)` for outcomes 0 and 1.

    Args:
        outcome: (R) Ŷ of each answer, or any value in [0, 1] such as ROUGE-L; NaN = not known,
            which leaves the answer out.
        groups: (R) group of each answer, −1 = none.
        n_groups: G.

    Returns:
        NaN where a group has no answer with a known outcome.

    Examples:
        >>> rates_by_group(np.array([1.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, -1]), 3)
        Rates(rate=array([0.5, 1. , nan]), n=array([2, 1, 0]))
    """
    counted = (groups >= 0) & ~np.isnan(outcome)
    n = np.bincount(groups[counted], minlength=n_groups).astype(np.int64)
    sums = np.bincount(groups[counted], outcome[counted], minlength=n_groups)
    return Rates(ratio(sums, n), n)


def largest_difference(rates: FloatArray) -> Difference:
    r"""Largest difference between two groups: :math:`\max_{g,g'} \text{rate}_g - \text{rate}_{g'}`.

    0 = all groups have one rate; 1 = one group is always right and another never. Equal rates:
    the first group of them is named.

    Args:
        rates: (G) rate of each group that is compared.

    Returns:
        Undefined with fewer than two groups, or where one of them has no rate: a largest
        difference over some of the groups is another quantity.

    Examples:
        >>> largest_difference(np.array([0.5, 0.75, 0.25]))
        Difference(value=0.5, best=1, worst=2)
    """
    if rates.size < 2 or np.isnan(rates).any():
        return Difference(float("nan"), -1, -1)
    best, worst = int(rates.argmax()), int(rates.argmin())
    return Difference(float(rates[best] - rates[worst]), best, worst)


def demographic_parity(outcome: FloatArray, groups: IntArray, n_groups: int) -> Difference:
    r"""DP: largest difference of :math:`P(\hat Y = 1 \mid G = g)` (Ji et al. 2025).

    0 = every group is answered right equally often; 1 = one always, another never.

    Examples:
        >>> right, groups = np.array([1.0, 1.0, 1.0, 0.0]), np.array([0, 0, 1, 1])
        >>> demographic_parity(right, groups, 2)
        Difference(value=0.5, best=0, worst=1)
    """
    return largest_difference(rates_by_group(outcome, groups, n_groups).rate)


def option_rates(
    choices: IntArray, groups: IntArray, n_groups: int, n_options: int, golds: IntArray | None = None
) -> FloatArray:
    r"""(L, G) one versus rest: how often each option is answered, by group; NaN where a group has nothing to count.

    :math:`P(\hat Y = L \mid G = g)` over all answers, an unreadable one being no option (DP); with
    ``golds`` :math:`P(\hat Y = L \mid Y = L, G = g)` over those whose right option is L (EO).

    Args:
        choices: (R) option answered, −1 = not readable as one.
        groups: (R) group of each answer, −1 = none.
        n_groups: G.
        n_options: L.
        golds: (R) right option, −1 = not recorded; None for the unconditional rates.

    Examples:
        >>> option_rates(np.array([0, 1, 1]), np.array([0, 0, 1]), 2, 2)
        array([[0.5, 0. ],
               [0.5, 1. ]])
    """

    def counts(options: IntArray, rows: BoolArray) -> IntArray:
        cells = options.astype(np.int64) * n_groups + groups
        counted = rows & (options >= 0) & (groups >= 0)
        return np.bincount(cells[counted], minlength=n_options * n_groups).reshape(n_options, n_groups)

    if golds is None:
        asked = np.bincount(groups[groups >= 0], minlength=n_groups)
        return ratio(counts(choices, choices >= 0), np.tile(asked, (n_options, 1)))
    return ratio(counts(golds, choices == golds), counts(golds, golds >= 0))


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
    def means(self) -> FloatArray:
        """(G, T) mean outcome; NaN where a group has no answer to a question."""
        return ratio(self.sums, self.n)

    @property
    def rates(self) -> FloatArray:
        """(G) mean outcome of each group."""
        return ratio(self.sums.sum(axis=1), self.n.sum(axis=1))

    @property
    def n_answers(self) -> IntArray:
        """(G) answers that a mean outcome is of."""
        return self.n.sum(axis=1).astype(np.int64)

    @property
    def of_all(self) -> "Counted":
        """The same with all groups as one."""
        return Counted(self.questions, self.sums.sum(axis=0, keepdims=True), self.n.sum(axis=0, keepdims=True))

    def groups(self, which: IntArray | Sequence[int]) -> "Counted":
        """Some groups, on the same questions."""
        chosen = np.asarray(which, dtype=np.int64)
        return Counted(self.questions, self.sums[chosen], self.n[chosen])

    def intervals(self, resampling: Resampling) -> list[Interval]:
        """Interval of each group's mean outcome: questions are resampled, with all their answers."""
        return mean_intervals(list(np.stack([self.sums, self.n], axis=1)), resampling)


def on_common(one: Counted, other: Counted) -> tuple[Counted, Counted]:
    """Both on the questions that both have."""
    _, mine, its = np.intersect1d(one.questions, other.questions, assume_unique=True, return_indices=True)
    return (
        Counted(one.questions[mine], one.sums[:, mine], one.n[:, mine]),
        Counted(other.questions[its], other.sums[:, its], other.n[:, its]),
    )
