"""Demographic parity and equal opportunity of answers: is one group answered right more often?

Every variant of a question asks about somebody; Ŷ = 1 says that its answer is right (or, one
versus rest, that it is a certain option). Ji et al. (2025) report the largest difference of
P(Ŷ = 1 | G = g) between two groups (DP) and the same among answerable questions (EO). Kernels
on R answers: a group code per answer, −1 = about no group (neutral variants), which never counts.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.stats.disaggregation import ClusterMeans


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
    n = np.bincount(groups[counted], minlength=n_groups)
    sums = np.bincount(groups[counted], outcome[counted], minlength=n_groups)
    return Rates(_shares(sums, n), n)


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


class Counts(NamedTuple):
    """(L, G) answers with Ŷ = 1 by option and group, and (L, G) answers that they are among."""

    hits: IntArray
    n: IntArray

    @property
    def rate(self) -> FloatArray:
        """(L, G) shares; NaN where a group has no answer that counts."""
        return _shares(self.hits, self.n)


def option_counts(choices: IntArray, groups: IntArray, n_groups: int, n_options: int, golds: IntArray | None) -> Counts:
    r"""(L, G) one versus rest: how often each option is answered, by group.

    :math:`P(\hat Y = L \mid G = g)` over all answers, an unreadable one being no option (DP); with
    ``golds`` :math:`P(\hat Y = L \mid Y = L, G = g)` over those whose right option is L (EO).

    Args:
        choices: (R) option answered, −1 = not readable as one.
        groups: (R) group of each answer, −1 = none.
        n_groups: G.
        n_options: L.
        golds: (R) right option, −1 = not recorded; None for the unconditional rates.

    Examples:
        >>> option_counts(np.array([0, 1, 1]), np.array([0, 0, 1]), 2, 2, None).rate
        array([[0.5, 0. ],
               [0.5, 1. ]])
    """
    member = groups >= 0
    if golds is None:
        n = np.tile(np.bincount(groups[member], minlength=n_groups), (n_options, 1))
        hit = member & (choices >= 0)
        option = choices
    else:
        known = member & (golds >= 0)
        n = _table(golds[known], groups[known], n_options, n_groups)
        hit, option = known & (choices == golds), golds
    return Counts(_table(option[hit], groups[hit], n_options, n_groups), n)


def option_differences(rates: FloatArray) -> FloatArray:
    """(L) :func:`largest_difference` of each option's rates (L, G), NaN where undefined."""
    return np.array([largest_difference(row).value for row in rates], dtype=np.float64)


def macro(differences: FloatArray) -> float:
    """Mean over the options that have a difference; NaN if none has.

    A macro average over options says little about correctness: a group may be answered wrongly far
    more often while each option is answered as often as for the others.
    """
    defined = differences[~np.isnan(differences)]
    return float(defined.mean()) if defined.size else float("nan")


def largest(differences: FloatArray) -> float:
    """Largest over the options that have a difference; NaN if none has."""
    defined = differences[~np.isnan(differences)]
    return float(defined.max()) if defined.size else float("nan")


def _table(rows: IntArray, columns: IntArray, n_rows: int, n_columns: int) -> IntArray:
    """(rows, columns) how many answers fall into each cell."""
    cells = rows.astype(np.int64) * n_columns + columns
    return np.bincount(cells, minlength=n_rows * n_columns).reshape(n_rows, n_columns)


def _shares(sums: FloatArray | IntArray, n: IntArray) -> FloatArray:
    shares = np.full(n.shape, np.nan)
    np.divide(sums, n, out=shares, where=n > 0)
    return shares


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


def on_common(one: Counted, other: Counted) -> tuple[Counted, Counted]:
    """Both on the questions that both have."""
    _, mine, its = np.intersect1d(one.questions, other.questions, assume_unique=True, return_indices=True)
    return (
        Counted(one.questions[mine], one.sums[:, mine], one.n[:, mine]),
        Counted(other.questions[its], other.sums[:, its], other.n[:, its]),
    )
