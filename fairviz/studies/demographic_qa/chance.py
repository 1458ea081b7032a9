r"""How large a largest difference between groups is by chance, and whether one condition changes it.

A largest difference is never below 0: groups that are answered alike have one, too, the larger the fewer the questions.
*Level*: were the groups alike, the answers to a question could stand under any of them. Permuting them within questions
gives the value expected by chance and the p of the observed one; all pairs of groups were searched in every draw, so
that p needs no correction for the pairs. *Change*: were two conditions alike, their answers could be swapped, question
by question, all groups at once. Intervals resample questions; one of a largest difference never reaches below 0, so
that p says whether there is a difference, and the interval how large.

Answers are held as sums and numbers by group and question (``ClusterMeans`` of :mod:`fairviz.stats.disaggregation`):
several answers to a question about a group stay together. Only questions whose groups differ are drawn for.
"""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr

from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.stats.disaggregation import ClusterMeans, Resampling, cluster_means, intervals_of
from fairviz.stats.tests import ROUNDING, mcnemar_exact

N_PERMUTATIONS = 9_999
"""Permutations that are drawn; with the data itself 10,000, so that no p is below 0.0001."""

AT_ONCE = 2**21
"""Random numbers that are drawn at once."""


class Level(NamedTuple):
    """What stands beside a largest difference.

    Attributes:
        chance: Its expected value where groups are alike; NaN where there is nothing to permute.
        interval: 95 %, bootstrap over questions.
        p: How often chance gives as large a one.
        n: Questions about at least two of the groups.
    """

    chance: float = float("nan")
    interval: Interval = UNDEFINED
    p: float = float("nan")
    n: int = 0


class Change(NamedTuple):
    """A largest difference minus that of another condition, on the questions that both answered.

    Attributes:
        value: The change; NaN where one of them is undefined.
        interval: 95 %, paired bootstrap over questions.
        p: How often swapping the conditions, question by question, gives as large a change.
        n: Common questions.
    """

    value: float = float("nan")
    interval: Interval = UNDEFINED
    p: float = float("nan")
    n: int = 0


UNTESTED = Level()
"""Of a difference that is undefined, or 0 by construction."""

UNCHANGED = Change()
"""Where there is nothing to compare with."""


def by_question(scores: FloatArray, questions: IntArray, groups: IntArray, n_groups: int) -> ClusterMeans:
    """(G, T) sums and numbers of the answers with a known outcome."""
    return cluster_means(scores, questions, groups, n_groups)


def chosen(table: ClusterMeans, groups: IntArray) -> ClusterMeans:
    """Some groups of the table."""
    return ClusterMeans(table.sums[groups], table.n[groups])


def range_of_rates(sums: FloatArray, n: FloatArray) -> FloatArray:
    """(…) largest − smallest rate of (…, G) totals; NaN where a group has no answer.

    Examples:
        >>> range_of_rates(np.array([[1.0, 2.0], [1.0, 0.0]]), np.array([[2.0, 2.0], [2.0, 0.0]]))
        array([0.5, nan])
    """
    rates = np.full(sums.shape, np.nan)
    np.divide(sums, n, out=rates, where=n > 0)
    return rates.max(axis=-1) - rates.min(axis=-1)


def level(
    table: ClusterMeans, resampling: Resampling, *, tested: bool = True, n_permutations: int = N_PERMUTATIONS
) -> Level:
    """Chance level, interval and p of the largest difference of a table's groups.

    Two groups with an answer each to every question are counted out, else permutations are drawn.

    Args:
        table: The groups that are compared.
        resampling: Of the questions; its seed is that of the permutations.
        tested: Whether to ask for chance at all: not of a difference that is 0 by construction.
        n_permutations: Permutations.

    Returns:
        Undefined below two groups, or where one of them has no answer.
    """
    n_groups, n_questions = table.sums.shape
    observed = float(range_of_rates(table.sums.sum(axis=1), table.n.sum(axis=1))) if n_groups > 1 else float("nan")
    shared = (table.n > 0).sum(axis=0) > 1
    if np.isnan(observed) or not shared.any() or not tested:
        return Level(n=int(shared.sum()))
    drawn = range_of_rates(resampling.sums(table.sums).T, resampling.sums(table.n).T)
    interval = intervals_of(drawn[None, :], np.array([n_questions]))[0]
    exact = _of_two(table)
    if exact is not None:
        return Level(exact[0], interval, exact[1], int(shared.sum()))
    ranges = permuted_ranges(table, np.random.default_rng(resampling.seed), n_permutations)
    as_large = int((ranges >= observed - ROUNDING).sum())
    return Level(float(ranges.mean()), interval, (1 + as_large) / (1 + ranges.size), int(shared.sum()))


def _of_two(table: ClusterMeans) -> tuple[float, float] | None:
    """Chance level and p of two groups, one answer each per question, right or wrong; None for others.

    The questions right for one group alone are coins: p is McNemar's.
    """
    if len(table.sums) != 2 or not (table.n == 1).all() or not np.isin(table.sums, (0.0, 1.0)).all():
        return None
    differences = table.sums[0] - table.sums[1]
    ahead, behind = int((differences > 0).sum()), int((differences < 0).sum())
    m = ahead + behind
    ways = np.diff(bdtr(np.arange(-1, m + 1), m, 0.5)) if m else np.ones(1)  # P(i of m), i = 0 … m
    ways[0] = 0.5**m
    expected = float((ways * np.abs(2 * np.arange(m + 1) - m)).sum()) / table.sums.shape[1]
    return expected, mcnemar_exact(ahead, behind)


def permuted_ranges(table: ClusterMeans, rng: np.random.Generator, n_permutations: int) -> FloatArray:
    """(B) largest differences with answers permuted among the groups that a question was asked about."""
    cells = np.stack([table.sums, table.n], axis=2)  # (G, T, 2): what moves as one
    totals = np.tile(cells.sum(axis=1), (n_permutations, 1, 1))
    present = table.n > 0
    moving = _differ(cells, present)
    patterns, of = np.unique(present[:, moving], axis=1, return_inverse=True)
    questions = np.flatnonzero(moving)
    for place, pattern in enumerate(patterns.T):
        groups, own = np.flatnonzero(pattern), questions[of.reshape(-1) == place]
        values = cells[np.ix_(groups, own)].swapaxes(0, 1)  # (T, C, 2)
        totals[:, groups] -= values.sum(axis=0)
        for some in _profiles(values):
            totals[:, groups] += _permuted(some, rng, n_permutations)
    return range_of_rates(totals[..., 0], totals[..., 1])


def _differ(cells: FloatArray, present: BoolArray) -> BoolArray:
    """(T) questions whose groups do not all have the same sums and numbers: permuting the others does nothing."""
    lowest = np.where(present[..., None], cells, np.inf).min(axis=0)
    highest = np.where(present[..., None], cells, -np.inf).max(axis=0)
    return (highest > lowest + ROUNDING).any(axis=1)


def _profiles(values: FloatArray) -> Iterator[FloatArray]:
    """(T, C, 2) questions by what their groups have, where answers are right or wrong; all others at once."""
    binary = (values[..., 1] == 1).all(axis=1) & np.isin(values[..., 0], (0.0, 1.0)).all(axis=1)
    right = np.where(binary, values[..., 0].sum(axis=1), -1)
    for n in np.unique(right):
        yield values[right == n]


def _permuted(values: FloatArray, rng: np.random.Generator, n_permutations: int) -> FloatArray:
    """(B, C, 2) totals of (T, C, 2) questions, each permuted by itself; of one profile, or any."""
    n_questions, n_groups, _ = values.shape
    right = round(float(values[0, :, 0].sum()))
    binary = (values[..., 1] == 1).all() and (values[..., 0].sum(axis=1) == right).all()
    if binary and np.isin(values[..., 0], (0.0, 1.0)).all() and comb(n_groups, right) <= n_questions * n_groups:
        ways = np.zeros((comb(n_groups, right), n_groups))  # which groups are right: each way as likely
        for way, groups in enumerate(combinations(range(n_groups), right)):
            ways[way, list(groups)] = 1.0
        times = rng.multinomial(n_questions, np.full(len(ways), 1 / len(ways)), size=n_permutations)
        return np.stack([times @ ways, np.full((n_permutations, n_groups), float(n_questions))], axis=2)
    totals = np.zeros((n_permutations, n_groups, 2))
    step = max(1, AT_ONCE // (n_questions * n_groups))
    for start in range(0, n_permutations, step):
        size = min(step, n_permutations - start)
        order = rng.random((size, n_questions, n_groups), dtype=np.float32).argsort(axis=2)
        totals[start : start + size] = values[np.arange(n_questions)[:, None], order].sum(axis=1)
    return totals


def change(
    table: ClusterMeans,
    base: ClusterMeans,
    resampling: Resampling,
    *,
    tested: bool = True,
    n_permutations: int = N_PERMUTATIONS,
) -> Change:
    """A largest difference minus that of a base, over the same groups and questions.

    Args:
        table: (G, T) of one condition.
        base: (G, T) of the other: the same groups, the same questions.
        resampling: Of the questions; its seed is that of the swaps.
        tested: Whether to test it: not where a difference is 0 by construction.
        n_permutations: Swaps that are drawn.
    """
    common = (table.n.sum(axis=0) > 0) & (base.n.sum(axis=0) > 0)
    sides = np.stack([table.sums, table.n, base.sums, base.n])[:, :, common]
    n = int(common.sum())
    observed = _difference(sides.sum(axis=2)) if len(table.sums) > 1 and n else float("nan")
    if np.isnan(observed):
        return Change(n=n)
    drawn = resampling.sums(sides)  # (4, G, B)
    value = float(observed)
    interval = intervals_of(_difference(drawn)[None, :], np.array([n]))[0]
    if not tested:
        return Change(value, interval, n=n)
    swap = sides[[2, 3, 0, 1]] - sides
    moving = (np.abs(swap) > ROUNDING).any(axis=(0, 1))
    rng = np.random.default_rng(resampling.seed)
    as_large, step = 0, max(1, AT_ONCE // max(int(moving.sum()), 1))
    for start in range(0, n_permutations, step):
        coins = rng.integers(0, 2, size=(min(step, n_permutations - start), int(moving.sum())), dtype=np.int8)
        totals = sides.sum(axis=2)[..., None] + swap[:, :, moving] @ coins.T.astype(np.float64)
        as_large += int((np.abs(_difference(totals)) >= abs(value) - ROUNDING).sum())
    return Change(value, interval, (1 + as_large) / (1 + n_permutations), n)


def _difference(sides: FloatArray) -> FloatArray:
    """(…) largest difference of the one − that of the other, of (4, G, …) sums and numbers of both."""
    one, n_one, other, n_other = np.moveaxis(sides, 1, -1)
    return range_of_rates(one, n_one) - range_of_rates(other, n_other)
