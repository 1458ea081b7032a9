"""Tests of a difference, and Holm's correction for many of them.

t-tests of means over queries, McNemar's exact test of paired rights and wrongs, and an exact test for paired clusters:
could swapping the two sides, cluster by cluster, do as much? Its distribution is counted out, not approximated, because
it is asked of as few as ten clusters.
"""

from collections.abc import Iterable
from math import lcm
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.model import FloatArray, IntArray

Verdict: TypeAlias = Literal["higher", "lower", "no significant difference", "too few to test", "no test"]
"""What a corrected test allows to say of a difference; of a quantity that resampled queries say nothing of, nothing."""
ROUNDING = 1e-9
"""Differences below this are rounding of equal numbers, not a difference."""

SIGNIFICANCE = 0.05

MIN_UNITS = 10
"""Queries, or clusters of answers, below which no verdict is drawn: intervals and p values are shown, nothing is
concluded."""

MIN_ITEMS = 100
"""Questions of a context with a stereotyped answer, below which a lean is shown, but not tested."""

MAX_CELLS = 2**21
"""Longest distribution of a sign-flip test that is counted out; beyond it, flips are drawn."""

N_DRAWS = 100_000
"""Flips that are drawn then."""

AT_ONCE = 2**22
"""Coins that are drawn at once."""

MAX_STEPS = 2**31
"""Additions of a convolution cluster by cluster, seconds; beyond, sizes that many clusters have are taken at once."""

HALVED = 512
"""Clusters after which the ways in which signs fall, which each doubles, are scaled: by a power of 2, exactly."""

ALIKE = 256
"""Clusters of a size, on average, from which on they are taken at once."""

FLOOR = 1e-12
"""The smallest p that a transform tells from its rounding."""


def holm(p_values: FloatArray) -> FloatArray:
    """Holm's step-down p-values: the chance of any false finding in the family stays at the level.

    The i-th smallest of m becomes max over j ≤ i of min(1, (m − j + 1) p_j). Undefined tests (NaN)
    are not of the family and stay NaN.

    Examples:
        >>> holm(np.array([0.04, 0.01, 0.03]))
        array([0.06, 0.03, 0.06])
    """
    adjusted = np.full(p_values.shape, np.nan)
    order = np.argsort(p_values, kind="stable")[: int((~np.isnan(p_values)).sum())]
    steps = p_values[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def tested(p: float, n: int) -> float:
    """The p of a test that a table holds; NaN over fewer than :data:`MIN_UNITS` queries, or clusters of answers.

    Of these no verdict is drawn, so that they must not cost the others any power in Holm's family either. How many
    there are is known before any quality is looked at.
    """
    return p if n >= MIN_UNITS else float("nan")


def holm_tested(tests: Iterable[tuple[float, int]]) -> list[float]:
    """:func:`holm` of the p of some tests, each with its units: NaN of those that :func:`tested` leaves out.

    Examples:
        >>> holm_tested([(0.01, 12), (0.001, 9), (0.03, 12)])
        [0.02, nan, 0.03]
    """
    return holm(np.array([tested(p, n) for p, n in tests], dtype=np.float64)).tolist()


def verdict(difference: float, p: float, n: int) -> Verdict:
    """What may be said of a difference over n queries, or clusters of answers, whose (corrected) p-value is p."""
    if np.isnan(p) or n < MIN_UNITS:
        return "too few to test"
    if p >= SIGNIFICANCE:
        return "no significant difference"
    return "higher" if difference > 0 else "lower"


class TTest(NamedTuple):
    """Result of a t-test; NaN where it has too few values."""

    difference: float
    t: float
    p: float
    df: float


def paired_t_test(a: FloatArray, b: FloatArray) -> TTest:
    """Two-sided t-test that the mean of a − b is 0, over the places where both have a value.

    Differences within :data:`ROUNDING` count as 0. All 0: p = 1. All the same and not 0: p = 0.

    Examples:
        >>> round(paired_t_test(np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 1.0])).t, 6)
        2.5
    """
    with np.errstate(invalid="ignore"):  # ∞ − ∞ is undefined
        gaps = a - b
    gaps = gaps[~np.isnan(gaps)]
    gaps = np.where(np.abs(gaps) < ROUNDING, 0.0, gaps)
    if gaps.size == 0:
        return TTest(np.nan, np.nan, np.nan, np.nan)
    mean = float(gaps.mean())
    if gaps.size < 2:
        return TTest(mean, np.nan, np.nan, np.nan)
    return _t_test(mean, float(gaps.var(ddof=1)) / gaps.size, gaps.size - 1.0)


def two_sample_t_test(a: FloatArray, b: FloatArray, *, equal_variance: bool) -> TTest:
    """Two-sided t-test that the means of two unpaired samples are the same.

    Args:
        a: One sample, NaN left out.
        b: The other.
        equal_variance: Student's test; else Welch's, with the Welch–Satterthwaite df.
    """
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    if min(a.size, b.size) == 0:
        return TTest(np.nan, np.nan, np.nan, np.nan)
    difference = float(a.mean() - b.mean())
    if min(a.size, b.size) < 2:
        return TTest(difference, np.nan, np.nan, np.nan)
    va, vb = float(a.var(ddof=1)), float(b.var(ddof=1))
    if equal_variance:
        df = a.size + b.size - 2.0
        spread = ((a.size - 1) * va + (b.size - 1) * vb) / df * (1 / a.size + 1 / b.size)
    else:
        ea, eb = va / a.size, vb / b.size
        spread = ea + eb
        parts = ea**2 / (a.size - 1) + eb**2 / (b.size - 1)
        df = spread**2 / parts if parts else np.nan
    return _t_test(difference, spread, df)


def _t_test(difference: float, squared_error: float, df: float) -> TTest:
    from scipy.special import stdtr

    if abs(difference) < ROUNDING:
        return TTest(0.0, 0.0, 1.0, df)
    if squared_error <= 0:
        return TTest(difference, float(np.copysign(np.inf, difference)), 0.0, df)
    t = difference / float(np.sqrt(squared_error))
    return TTest(difference, t, float(2 * stdtr(df, -abs(t))), df)


def mcnemar_exact(first_only: int, second_only: int) -> float:
    r"""Exact two-sided p-value that two paired conditions are right equally often (McNemar 1947).

    Only discordant pairs speak: b where the first alone is right, c where the second alone is. If
    both are right equally often, b is binomial(b + c, ½), so that
    :math:`p = \min(1, 2 P(B \le \min(b, c)))`.

    Args:
        first_only: b.
        second_only: c.

    Returns:
        1 without discordant pairs: nothing speaks against equality.

    Examples:
        >>> mcnemar_exact(5, 0), mcnemar_exact(1, 1)  # 2/2⁵, min(1, 2·3/4)
        (0.0625, 1.0)
    """
    from scipy.special import bdtr

    n = first_only + second_only
    if n == 0:
        return 1.0
    return min(1.0, 2.0 * float(bdtr(min(first_only, second_only), n, 0.5)))


class OnePlace(NamedTuple):
    """Answers that are the option in one place, whatever is asked.

    Attributes:
        place: Of the option, from 0.
        n: How many answers name it.
        n_answers: Answers that name any option.
    """

    place: int
    n: int
    n_answers: int


def one_place(counts: FloatArray, by_contents: FloatArray, n_units: int | None = None) -> OnePlace | None:
    r"""The place of the options that most answers share, where their contents cannot be why.

    If a share λ of the answers took a place whatever is asked, and the others followed the contents, a share
    :math:`λ + (1 - λ) c` would stand there, c by contents alone. Most answers are of one place where the share says
    λ > ½, and λ > ⅓ is sure at the 5 % level: exact binomial test, Bonferroni over the places; never below ten units.
    Where options stand in one order throughout, contents explain any share.

    Args:
        counts: (P) answers by the place of the option that they name.
        by_contents: (P) share of each place if answers followed contents alone.
        n_units: Questions behind the answers, where each is asked several times; None: every answer is one.

    Returns:
        None where contents may be why.

    Examples:
        >>> third = np.full(3, 1 / 3)
        >>> one_place(np.array([23, 2, 1]), third)
        OnePlace(place=0, n=23, n_answers=26)
        >>> one_place(np.array([9, 0, 0]), third) is None, one_place(np.array([60, 20, 20]), third) is None
        (True, True)
    """
    from scipy.special import bdtrc

    n_answers, position = int(counts.sum()), int(counts.argmax())
    if not n_answers:
        return None
    n = n_answers if n_units is None else n_units
    by_chance = min(1.0, float(by_contents[position]))
    if n < MIN_UNITS or counts[position] / n_answers <= (1 + by_chance) / 2:
        return None
    n_there = int(counts[position] * n / n_answers + ROUNDING)
    p = counts.size * float(bdtrc(n_there - 1, n, (1 + 2 * by_chance) / 3))
    return OnePlace(position, int(counts[position]), n_answers) if p < SIGNIFICANCE else None


class SignFlip(NamedTuple):
    """Two-sided p of a sum of differences; ``exact`` unless flips were drawn."""

    p: float
    exact: bool


def sign_flip(differences: IntArray, denominators: IntArray, *, seed: int = 0, max_cells: int = MAX_CELLS) -> SignFlip:
    r"""Test that two paired sides are exchangeable within every cluster.

    The statistic is :math:`\sum_t c_t` with :math:`c_t = \sum_j d_{jt}/m_j`. If the sides are
    alike, the sign of every c_t is a coin: p is the share of the 2^T sign patterns whose sum is at
    least as far from 0. The c_t are rational, so that the sums are integers after scaling, and
    their distribution is one convolution per cluster; nothing is drawn. Where that distribution
    would be longer than ``max_cells``, every pattern of few clusters (22, by default) is summed by
    itself; of more, p comes from 100,000 drawn patterns (and the data itself).

    Args:
        differences: (J, T) integer differences of the clusters.
        denominators: (J) positive integers m_j.
        seed: Of the drawn patterns, where they are needed.
        max_cells: Length of the longest distribution.

    Returns:
        p in (0, 1]; 1 where nothing differs.

    Examples:
        >>> sign_flip(np.array([[1, 1, 1]]), np.array([10])).p  # 2 of the 8 patterns
        0.25
    """
    scale = lcm(*(int(m) for m in denominators))
    weights = [scale // int(m) for m in denominators]
    whole = np.int64 if sum(weights) * int(np.abs(differences).sum()) < 2**63 else object
    sums = np.array(weights, dtype=whole) @ differences.astype(whole)
    sizes = np.sort(np.abs(sums[sums != 0]))
    if not sizes.size:
        return SignFlip(1.0, True)
    shared = np.gcd.reduce(sizes)
    sizes, observed = (sizes // shared).tolist(), abs(int(sums.sum())) // int(shared)
    if observed == 0:
        return SignFlip(1.0, True)
    if (total := sum(sizes)) > max_cells:
        if 2 ** (len(sizes) - 1) <= max_cells and total < 2**63:
            return SignFlip(_enumerated(sizes, observed), True)
        return SignFlip(_drawn(np.array(sizes, dtype=np.float64), observed, seed), False)
    kinds, n = np.unique(sizes, return_counts=True)
    at_once = len(sizes) * total > MAX_STEPS and len(sizes) > ALIKE * kinds.size
    return SignFlip(_transformed(kinds, n, observed) if at_once else _convolved(sizes, observed), True)


def _enumerated(sizes: list[int], observed: int) -> float:
    """The same of few sizes, whose sum is large: every pattern, the first sign being + by symmetry."""
    sums = np.array(sizes[:1], dtype=np.int64)
    for size in sizes[1:]:
        sums = np.concatenate([sums + size, sums - size])
    return float((np.abs(sums) >= observed).mean())


def _convolved(sizes: list[int], observed: int) -> float:
    """P(|Σ ± size| ≥ observed > 0), from the lower tail of the sum of sizes whose sign is +, which is symmetric."""
    low = (sum(sizes) - observed) // 2  # Σ± = 2·positive − total
    ways: FloatArray = np.zeros(low + 1)
    ways[0] = 1.0
    reach = 0
    for index, size in enumerate(sizes):
        reach = min(low, reach + size)
        ways[size : reach + 1] += ways[: max(0, reach + 1 - size)].copy()
        if index % HALVED == HALVED - 1:
            ways *= 0.5**HALVED
    return min(1.0, 2.0 * float(ways.sum()) * 0.5 ** (len(sizes) % HALVED))


def _transformed(kinds: IntArray, n: IntArray, observed: int) -> float:
    """McNemar's exact p of so many clusters of each size: the transform of the product of their distributions."""
    total = int(kinds @ n)
    length = 1 << total.bit_length()
    places = np.arange(length // 2 + 1)
    spectrum = np.ones(places.size, np.complex128)
    for size, times in zip(kinds.tolist(), n.tolist(), strict=True):
        spectrum *= (0.5 + 0.5 * np.exp(-2j * np.pi / length * (places * size % length))) ** times
    chances = np.fft.irfft(spectrum, length)
    low = (total - observed) // 2
    return max(FLOOR, min(1.0, float(chances[: low + 1].sum() + chances[total - low : total + 1].sum())))


def _drawn(sizes: FloatArray, observed: int, seed: int) -> float:
    """How often drawn patterns are as far; of sizes that many clusters have, how many are + is one draw."""
    rng = np.random.default_rng(seed)
    kinds, n = np.unique(sizes, return_counts=True)
    many = sizes.size > ALIKE * kinds.size
    step = max(1, AT_ONCE // (kinds if many else sizes).size)
    n_as_far = 0
    for start in range(0, N_DRAWS, step):
        size = min(step, N_DRAWS - start)
        if many:
            sums = (2.0 * rng.binomial(n, 0.5, size=(size, kinds.size)) - n) @ kinds
        else:
            sums = (2.0 * rng.integers(0, 2, size=(size, sizes.size)) - 1.0) @ sizes
        n_as_far += int((np.abs(sums) >= observed).sum())
    return (1 + n_as_far) / (1 + N_DRAWS)
