r"""Demographic parity and equal opportunity of answers: is one group answered right more often?

Every variant of a question asks about somebody; Ŷ = 1 says that its answer is right (or, one
versus rest, that it is a certain option). Ji et al. (2025) report the largest difference of
P(Ŷ = 1 | G = g) between two groups (DP) and the same among answerable questions (EO).

How large a largest difference between groups is by chance, and whether one condition changes it.

A largest difference is never below 0: groups that are answered alike have one, too, the larger the fewer the questions.
*Level*: were the groups alike, the answers to a question could stand under any of them. Permuting them within questions
gives the value expected by chance and the p of the observed one; all pairs of groups were searched in every draw, so
that p needs no correction for the pairs. *Change*: were two conditions alike, their answers could be swapped, question
by question, all groups at once. Of many questions (:data:`MANY`) such totals are drawn from their normal limit, rounded
to whole answers, in place of every single draw. Intervals resample questions; one of a largest difference never reaches
below 0, so that p says whether there is a difference, and the interval how large.

Answers are held as sums and numbers by group and question (:class:`Counted`):
several answers to a question about a group stay together. Only questions whose groups differ are drawn for.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.model.arrays import ratio
from fairviz.stats.bootstrap import EXACT, UNDEFINED, Interval, Resampling, percentiles
from fairviz.stats.tests import ROUNDING, mcnemar_exact


def largest_difference(rates: FloatArray) -> tuple[float, int, int]:
    r"""Largest difference between two groups: :math:`\max_{g,g'} \text{rate}_g - \text{rate}_{g'}`.

    0 = all groups have one rate; 1 = one group is always right and another never. Equal rates:
    the first group of them is named.

    Args:
        rates: (G) rate of each group that is compared.

    Returns:
        It, and the places of the best and the worst group; NaN, −1 and −1 with fewer than two groups, or where one of
        them has no rate: a largest difference over some of the groups is another quantity.

    Examples:
        >>> largest_difference(np.array([0.5, 0.75, 0.25]))
        (0.5, 1, 2)
    """
    if rates.size < 2 or np.isnan(rates).any():
        return float("nan"), -1, -1
    best, worst = int(rates.argmax()), int(rates.argmin())
    return float(rates[best] - rates[worst]), best, worst


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
        """The counts with all groups as one."""
        return Counted(self.questions, self.sums.sum(axis=0, keepdims=True), self.n.sum(axis=0, keepdims=True))

    def groups(self, which: IntArray | Sequence[int]) -> "Counted":
        """Some groups, on the same questions."""
        chosen = np.asarray(which, dtype=np.int64)
        return Counted(self.questions, self.sums[chosen], self.n[chosen])

    @property
    def tables(self) -> list[FloatArray]:
        """(2, T) sums and numbers of each group, of which :func:`~fairviz.stats.bootstrap.mean_intervals` are."""
        return list(np.stack([self.sums, self.n], axis=1))


def on_common(first: Counted, other: Counted) -> tuple[Counted, Counted]:
    """Both on the questions that both have."""
    _, mine, its = np.intersect1d(first.questions, other.questions, assume_unique=True, return_indices=True)
    return (
        Counted(first.questions[mine], first.sums[:, mine], first.n[:, mine]),
        Counted(other.questions[its], other.sums[:, its], other.n[:, its]),
    )


# How large a largest difference is by chance, and whether one condition changes it.

AT_ONCE = 2**18
"""Random numbers that are drawn at once: they stay in a processor's cache."""

MANY = 192
"""Questions from which on a total is drawn as normal: its tails of 5 % and 1 % are then within a twenty-fifth of
themselves, half of what 10,000 draws leave."""


class Difference(NamedTuple):
    """A largest difference, or what it is minus that of another condition on the questions that both answered.

    Attributes:
        value: It; NaN where undefined.
        interval: 95 %, bootstrap over questions; of a change a paired one.
        p: How often chance gives as large a difference, or swapping the conditions as large a change.
        n: Questions about at least two of the groups, or common ones.
        chance: The value expected where groups are alike; NaN of a change, and where there is nothing to permute.
    """

    value: float = float("nan")
    interval: Interval = UNDEFINED
    p: float = float("nan")
    n: int = 0
    chance: float = float("nan")


UNTESTED = Difference()
"""Of a difference that is undefined, or 0 by construction, and of a change where there is nothing to compare with."""


def range_of_rates(sums: FloatArray, n: FloatArray) -> FloatArray:
    """(…) largest − smallest rate of (…, G) totals; NaN where a group has no answer.

    Examples:
        >>> range_of_rates(np.array([[1.0, 2.0], [1.0, 0.0]]), np.array([[2.0, 2.0], [2.0, 0.0]]))
        array([0.5, nan])
    """
    rates = sums / n if (n > 0).all() else ratio(sums, n)  # mostly all, and a mask costs a fifth more
    return rates.max(axis=-1) - rates.min(axis=-1)


def level(table: Counted, resampling: Resampling, *, tested: bool = True) -> Difference:
    """Chance level, interval and p of the largest difference of a table's groups.

    Two groups with an answer each to every question are counted out, else permutations are drawn.

    Args:
        table: The groups that are compared.
        resampling: Of the questions; permutations.
        tested: Whether to ask for chance at all: not of a difference that is 0 by construction.

    Returns:
        Undefined below two groups, or where one of them has no answer.
    """
    n_groups, n_questions = table.sums.shape
    observed = float(range_of_rates(table.sums.sum(axis=1), table.n.sum(axis=1))) if n_groups > 1 else float("nan")
    shared = (table.n > 0).sum(axis=0) > 1
    if np.isnan(observed) or not shared.any() or not tested:
        return Difference(observed, n=int(shared.sum()))
    sums, n = resampling.sums(np.stack([table.sums, table.n]))
    drawn = range_of_rates(sums.T, n.T)
    interval = percentiles(drawn[None, :], np.array([n_questions])).each[0]
    exact = _of_two(table)
    if exact is not None:
        return Difference(observed, interval, exact[1], int(shared.sum()), chance=exact[0])
    ranges = permuted_ranges(table, resampling)
    as_large = int((ranges >= observed - ROUNDING).sum())
    p = (1 + as_large) / (1 + ranges.size)
    return Difference(observed, interval, p, int(shared.sum()), chance=float(ranges.mean()))


def _of_two(table: Counted) -> tuple[float, float] | None:
    """Chance level and p of two groups, one answer each per question, right or wrong; None for others.

    The questions right for one group alone are coins: p is McNemar's.
    """
    from scipy.special import bdtr  # as long to load as all else: where it is used

    if len(table.sums) != 2 or not (table.n == 1).all() or not np.isin(table.sums, (0.0, 1.0)).all():
        return None
    differences = table.sums[0] - table.sums[1]
    ahead, behind = int((differences > 0).sum()), int((differences < 0).sum())
    m = ahead + behind
    ways = np.diff(bdtr(np.arange(-1, m + 1), m, 0.5)) if m else np.ones(1)  # P(i of m), i = 0 … m
    ways[0] = 0.5**m
    expected = float((ways * np.abs(2 * np.arange(m + 1) - m)).sum()) / table.sums.shape[1]
    return expected, mcnemar_exact(ahead, behind)


def permuted_ranges(table: Counted, resampling: Resampling) -> FloatArray:
    """(B) largest differences with answers permuted among the groups that a question was asked about."""
    cells = np.stack([table.sums, table.n], axis=2)  # (G, T, 2): what moves as one
    moving = _differ(cells, table.n > 0)
    own = cells[:, moving]
    rest = (cells.sum(axis=1) - own.sum(axis=1))[:, :, None]
    sums, n = rest.swapaxes(0, 1) + _moved(
        own.tobytes(), own.shape[1], len(own), resampling.seed, resampling.n_permutations
    )
    return range_of_rates(sums.T, n.T)


@lru_cache(maxsize=8)
def _moved(cells: bytes, n_questions: int, n_groups: int, seed: int, n_permutations: int) -> FloatArray:
    """(2, G, B) totals of permuted questions: held, as DP and EO, and conditions, often have the same ones."""
    own = np.frombuffer(cells).reshape(n_groups, n_questions, 2)
    present = own[..., 1] > 0
    totals = np.zeros((2, n_groups, n_permutations))
    rng = np.random.default_rng(seed)
    patterns, of = np.unique(present, axis=1, return_inverse=True)
    for index, pattern in enumerate(patterns.T):
        groups, questions = np.flatnonzero(pattern), np.flatnonzero(of.reshape(-1) == index)
        values = own[np.ix_(groups, questions)].swapaxes(0, 1)
        if questions.size > MANY * max(1.0, groups.size / 4):  # of many groups few are right
            totals[:, groups] += _in_the_limit(values, (seed, index), n_permutations).T
            continue
        single = ((values[..., 1] == 1) & np.isin(values[..., 0], (0.0, 1.0))).all(axis=1)
        right = values[single, :, 0].sum(axis=1).astype(np.int64)
        totals[0, groups] += _dealt(right, groups.size, rng, n_permutations)
        totals[1, groups] += right.size
        totals[:, groups] += _permuted(values[~single], rng, n_permutations).T
    return totals


def _differ(cells: FloatArray, present: BoolArray) -> BoolArray:
    """(T) questions whose groups do not all have the same sums and numbers: permuting the others does nothing."""
    lowest = np.where(present[..., None], cells, np.inf).min(axis=0)
    highest = np.where(present[..., None], cells, -np.inf).max(axis=0)
    return (highest > lowest + ROUNDING).any(axis=1)


def _dealt(right: IntArray, n_groups: int, rng: np.random.Generator, n_permutations: int) -> FloatArray:
    """(C, B) right answers of each group, of (T) questions with so many right ones among one answer of each group.

    Exact, and drawn for all questions at once: where r of the c groups that are left are right, the next one is with
    probability r / c, whichever they are, and leaves r or r − 1 to the c − 1 others. So of n such questions it is right
    in Binomial(n, r / c).
    """
    totals = np.empty((n_groups, n_permutations))
    of_each = np.tile(np.bincount(right, minlength=n_groups + 1)[:, None], (1, n_permutations))  # questions by r
    for left in range(n_groups, 0, -1):
        drawn = rng.binomial(of_each, np.arange(left + 1)[:, None] / left)
        totals[n_groups - left] = drawn.sum(axis=0)
        of_each = (of_each - drawn)[:-1] + drawn[1:]
    return totals


def _permuted(values: FloatArray, rng: np.random.Generator, n_permutations: int) -> FloatArray:
    """(B, C, 2) totals of (T, C, 2) questions, each permuted by itself."""
    n_questions, n_groups, _ = values.shape
    totals = np.zeros((n_permutations, n_groups, 2))
    step = max(1, AT_ONCE // max(1, n_questions * n_groups))
    for start in range(0, n_permutations, step):
        size = min(step, n_permutations - start)
        order = rng.random((size, n_questions, n_groups), dtype=np.float32).argsort(axis=2)
        totals[start : start + size] = values[np.arange(n_questions)[:, None], order].sum(axis=1)
    return totals


def _in_the_limit(values: FloatArray, seed: tuple[int, int], n_permutations: int) -> FloatArray:
    """(B, C, 2) totals of many permuted questions: normal, with the permutations' mean and covariance."""
    n_groups = values.shape[1]
    apart = values - values.mean(axis=1, keepdims=True)
    covariance = np.einsum("tci,tcj->ij", apart, apart) / (n_groups - 1)
    of_groups: FloatArray = np.kron(np.eye(n_groups) - 1 / n_groups, covariance)
    mean = np.tile(values.mean(axis=1).sum(axis=0), n_groups)
    return _normal(mean, of_groups, values, seed, n_permutations).reshape(n_permutations, n_groups, 2)


def _normal(
    mean: FloatArray, covariance: FloatArray, values: FloatArray, seed: tuple[int, int], n_permutations: int
) -> FloatArray:
    """(B, R) normal totals of such values, rounded where these are whole: ties are as frequent as among sums."""
    sizes, axes = np.linalg.eigh(covariance)
    varying = sizes > ROUNDING * sizes.max(initial=0.0)  # numbers of answers that never differ do not
    scaled = axes[:, varying] * np.sqrt(sizes[varying])
    drawn = mean + _standard_normal(seed, n_permutations, int(varying.sum())) @ scaled.T
    return np.rint(drawn) if (values == np.rint(values)).all() else drawn


@lru_cache(maxsize=16)
def _standard_normal(seed: tuple[int, int], n_permutations: int, n: int) -> FloatArray:
    """(B, n) standard normal numbers, which all comparisons of a table share as they share their resamples."""
    return np.random.default_rng(seed).standard_normal((n_permutations, n))


def change(condition: Counted, base: Counted, resampling: Resampling, *, tested: bool = True) -> Difference:
    """A largest difference minus that of a base, over the same groups and questions.

    Args:
        condition: (G, T) of one condition.
        base: (G, T) of the other: the same groups, the same questions.
        resampling: Of the questions; as many swaps are drawn as permutations.
        tested: Whether to test it: not where a difference is 0 by construction.
    """
    common = (condition.n.sum(axis=0) > 0) & (base.n.sum(axis=0) > 0)
    sides = np.stack([condition.sums, condition.n, base.sums, base.n])[:, :, common]
    n = int(common.sum())
    observed = _difference(sides.sum(axis=2)) if len(condition.sums) > 1 and n else float("nan")
    if np.isnan(observed):
        return Difference(n=n)
    drawn = resampling.sums(sides)  # (4, G, B)
    value = float(observed)
    interval = percentiles(_difference(drawn)[None, :], np.array([n])).each[0]
    if not tested:
        return Difference(value, interval, n=n)
    swap = sides[2:] - sides[:2]  # what the base gains by it, the other loses
    changing = (np.abs(swap) > ROUNDING).any(axis=2)  # numbers of answers are mostly the same on both sides
    if not changing.any():
        return Difference(value, interval, 1.0, n)
    totals, as_large, n_permutations = sides.sum(axis=2)[..., None], 0, resampling.n_permutations
    for gains in _swapped(swap[changing], resampling.seed, n_permutations):
        gained = np.zeros((*changing.shape, gains.shape[1]))
        gained[changing] = gains
        changes = _difference(totals + np.concatenate([gained, -gained]))
        as_large += int((np.abs(changes) >= abs(value) - ROUNDING).sum())
    return Difference(value, interval, (1 + as_large) / (1 + n_permutations), n)


def _swapped(moves: FloatArray, seed: int, n_permutations: int) -> Iterator[FloatArray]:
    """(R, …) sums of those of (R, T) moves that coins choose, in all so many times, some at a time."""
    moves = moves[:, (np.abs(moves) > ROUNDING).any(axis=0)]
    if (np.count_nonzero(moves, axis=1) > MANY).all():
        yield _normal(moves.sum(axis=1) / 2, moves @ moves.T / 4, moves, (seed, 0), n_permutations).T
        return
    n_coins = moves.shape[1]
    whole = np.abs(moves).sum(axis=1).max(initial=0.0) < EXACT and (moves == np.rint(moves)).all()
    dtype: type[np.floating] = np.float32 if whole else np.float64  # the same sums in half the memory
    chosen = moves.astype(dtype)
    step, rng = max(1, AT_ONCE // max(1, n_coins)), np.random.default_rng(seed)
    for start in range(0, n_permutations, step):
        size = min(step, n_permutations - start)
        coins = rng.integers(256, size=(size, -(-n_coins // 8)), dtype=np.uint8)
        yield chosen @ np.unpackbits(coins, axis=1, count=n_coins).astype(dtype).T


def _difference(sides: FloatArray) -> FloatArray:
    """(…) largest difference of the one − that of the other, of (4, G, …) sums and numbers of both."""
    first, n_one, other, n_other = np.moveaxis(sides, 1, -1)
    return range_of_rates(first, n_one) - range_of_rates(other, n_other)
