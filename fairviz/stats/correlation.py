"""Whether ranking quality goes with answer quality (EE-R against EU; Kim & Diaz, RQ2), and Kendall's τ of two rankings.

How large τ of the same systems gets by chance is counted out where they are few.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray, Resamples
from fairviz.stats.bootstrap import N_RESAMPLES, Interval, data_and_resamples, interval_of

CELLS = 200_000
"""Numbers held at a time: resamples are taken in chunks of so many points."""

ROUNDING = 1e-12
"""Spread below this share of a side's values is rounding: the side is constant, and such values are tied."""


class Correlation(NamedTuple):
    """Correlation over (query, α) points; intervals resample whole queries.

    NaN where one side is constant.
    """

    pearson: float
    pearson_interval: Interval
    spearman: float
    spearman_interval: Interval
    n_points: int
    n_queries: int


def quality_correlation(
    x: FloatArray, y: FloatArray, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES
) -> Correlation:
    """Pearson's and Spearman's correlation of two (A, Q) tables over their common points.

    Args:
        x: (A, Q) one quality per α and query (EE-R), NaN = undefined.
        y: (A, Q) the other (EU), same α and queries.
        rng: Source of chance.
        n_resamples: Resamples of the queries; ranks are formed anew in each.

    Examples:
        >>> x = np.array([[0.1, 0.5, 0.9], [0.2, 0.6, 0.7]])
        >>> round(quality_correlation(x, x**3, rng=np.random.default_rng(0)).spearman, 9)
        1.0
    """
    if x.shape != y.shape:
        raise ValueError(f"both qualities need one shape, got {x.shape} and {y.shape}")
    _, query = np.nonzero(mask := ~(np.isnan(x) | np.isnan(y)))
    a, b = x[mask], y[mask]
    n_queries = np.unique(query).size
    counts = data_and_resamples(x.shape[1], rng=rng, n_resamples=n_resamples)
    pearson = _pearson(a, b, query, counts)
    spearman = _spearman(a, b, query, counts)
    return Correlation(
        pearson=float(pearson[0]),
        pearson_interval=interval_of(pearson, n_queries),
        spearman=float(spearman[0]),
        spearman_interval=interval_of(spearman, n_queries),
        n_points=a.size,
        n_queries=n_queries,
    )


def _of_moments(moments: Sequence[FloatArray], *, noise: tuple[float, float] = (0.0, 0.0)) -> FloatArray:
    """(B) correlations Σw·da·db / √(Σw·da² Σw·db²), NaN where a spread does not exceed what rounding makes.

    Args:
        moments: (B) sums of w, w·a, w·b, w·a², w·b² and w·a·b over points under each resample.
        noise: What rounding makes of a and of b.
    """
    total, a, b, aa, bb, ab = moments
    total = np.where(total > 0, total, np.nan)
    spread_a, spread_b = aa - a**2 / total, bb - b**2 / total
    mask = spread_a > total * noise[0] ** 2 + ROUNDING * aa
    mask &= spread_b > total * noise[1] ** 2 + ROUNDING * bb
    return (ab - a * b / total) / np.sqrt(np.where(mask, spread_a * spread_b, np.nan))


def _pearson(a: FloatArray, b: FloatArray, query: IntArray, counts: Resamples) -> FloatArray:
    """(B) Pearson's correlation, from sums per query: resamples only weigh whole queries."""
    if a.size == 0:
        return np.full(len(counts), np.nan)
    da, db = a - a.mean(), b - b.mean()  # moments are taken about the mean, for their digits
    terms = (np.ones(a.size), da, db, da**2, db**2, da * db)
    per_query = [np.bincount(query, weights=term, minlength=counts.n_queries) for term in terms]
    moments = (counts @ np.stack(per_query, axis=1).astype(np.float64)).T
    return _of_moments(tuple(moments), noise=(ROUNDING * float(np.abs(a).max()), ROUNDING * float(np.abs(b).max())))


def _spearman(a: FloatArray, b: FloatArray, query: IntArray, counts: Resamples) -> FloatArray:
    """(B) Spearman's correlation: Pearson's of ranks, which are formed anew in each resample."""
    a, b = tied(a), tied(b)
    order = np.argsort(a, kind="stable")  # points stand in the order of a from here on
    a, b, query = a[order], b[order], query[order]
    order_b = np.argsort(b, kind="stable")
    back = np.argsort(order_b, kind="stable")
    correlations: list[FloatArray] = [np.empty(0)]
    step = max(1, CELLS // max(a.size, 1))
    for start in range(0, len(counts), step):
        weights = counts.cells(slice(start, start + step), query)
        ranks_a, squares_a = _ranks(a, weights)
        ranks_b, squares_b = _ranks(b[order_b], weights[:, order_b])
        total = weights.sum(axis=1)
        sums = total * (total + 1) / 2
        crossed = np.einsum("ij,ij,ij->i", weights, ranks_a, ranks_b[:, back])
        correlations.append(_of_moments((total, sums, sums, squares_a, squares_b, crossed)))
    return np.concatenate(correlations)


def tied(values: FloatArray) -> FloatArray:
    """The values, those that differ by rounding alone made equal: EE-R of few samples is often the same number.

    Examples:
        >>> tied(np.array([0.3, 0.1 + 0.2, 0.5, np.inf, np.inf])).tolist()
        [0.3, 0.3, 0.5, inf, inf]
    """
    order = np.argsort(values, kind="stable")
    rising = values[order]
    with np.errstate(invalid="ignore"):  # two infinite values are no step apart
        steps = np.diff(rising, prepend=np.nan) > ROUNDING * float(np.abs(values[np.isfinite(values)]).max(initial=0))
    steps[:1] = True
    levels = np.empty_like(values)
    levels[order] = rising[steps][np.cumsum(steps) - 1]
    return levels


def _ranks(rising: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean ranks (B, P) of values in rising order, value i standing ``weights[:, i]`` times.

    Ties are averaged; with them Σw·rank² (B).
    """
    firsts = np.flatnonzero(np.diff(rising, prepend=np.nan) != 0)
    totals = np.add.reduceat(weights, firsts, axis=1) if firsts.size else weights
    ranks = np.cumsum(totals, axis=1)
    ranks -= (totals - 1) / 2
    squares = np.einsum("ij,ij,ij->i", totals, ranks, ranks)
    if firsts.size < rising.size:
        ranks = np.repeat(ranks, np.diff(firsts, append=rising.size), axis=1)
    return ranks, squares


Variant: TypeAlias = Literal["c", "b"]
"""Which way ties are accounted for: Stuart's τ-c or Kendall's τ-b."""

EXACT_UP_TO = 100
"""Systems up to which the distribution of τ under chance is counted out."""


def kendall_tau(x: FloatArray, y: FloatArray, *, variant: Variant = "c") -> float:
    """Kendall's τ: pairs in the same order minus pairs in opposite order, over all pairs.

    With S = concordant − discordant pairs of n systems: τ-b = S / √((n₀ − ties in x)(n₀ − ties in
    y)), n₀ = n(n − 1)/2; τ-c = 2 m S / (n² (m − 1)), m = the smaller number of distinct values
    (Stuart 1953). Without ties both are S / n₀.

    Args:
        x: (n) one value per system; infinite values are the extremes of the order.
        y: (n) another, same systems. A system that lacks a value (NaN) in either leaves.
        variant: "c" (default, as Raj et al. 2022, Figure 1) or "b".

    Returns:
        A value in [−1, 1]: 1 = the same order, −1 = reversed. NaN with fewer than two systems, or
        where all systems are tied on one side.

    Examples:
        >>> kendall_tau(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.0, 3.0]))
        0.6666666666666666
    """
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"τ needs one value per system twice, got {x.shape} and {y.shape}")
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = _levels(x[both]), _levels(y[both])
    n = x.size
    m = min(np.unique(x).size, np.unique(y).size)
    if m < 2:
        return float("nan")
    order_x, order_y = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    twice_s = float((order_x * order_y).sum())  # each pair stands twice
    if variant == "c":
        tau = twice_s / (n * n * (m - 1) / m)
    else:
        tau = twice_s / float(np.sqrt(np.abs(order_x).sum() * np.abs(order_y).sum()))
    return min(max(tau, -1.0), 1.0)


def chance_tau(n_systems: int, *, level: float = 0.05) -> float:
    """The |τ| that rankings of n systems reach by chance with probability of at most ``level``.

    The smallest value t with P(|τ| ≥ t) ≤ level, were every order of the systems equally likely
    and none tied: counted out up to :data:`EXACT_UP_TO` systems, beyond by the normal distribution
    with variance 2(2n + 5) / (9n(n − 1)).

    Returns:
        A value in (0, 1]; NaN where not even |τ| = 1 is that rare: below 5 systems at 5 %.

    Examples:
        >>> chance_tau(4), chance_tau(5), round(chance_tau(16), 2)
        (nan, 1.0, 0.38)
    """
    n_pairs = n_systems * (n_systems - 1) // 2
    if n_systems < 2:
        return float("nan")
    if n_systems > EXACT_UP_TO:
        from statistics import NormalDist

        spread = (2 * (2 * n_systems + 5) / (9 * n_systems * (n_systems - 1))) ** 0.5
        return NormalDist().inv_cdf(1 - level / 2) * spread
    upper = np.cumsum(_inversions(n_systems))[: (n_pairs + 1) // 2]  # P(τ ≥ 1 − 2i / n_pairs)
    rare = int(np.searchsorted(2 * upper, level * (1 + ROUNDING), side="right"))
    return 1 - 2 * (rare - 1) / n_pairs if rare else float("nan")


def _levels(values: FloatArray) -> FloatArray:
    """Ranks of distinct values, from 0; values that differ by rounding share one."""
    if not values.size:
        return values
    finite: BoolArray = np.isfinite(values)
    scale = float(np.abs(values[finite]).max(initial=0.0)) or 1.0
    order = np.argsort(values, kind="stable")
    rising = values[order]
    with np.errstate(invalid="ignore"):  # ∞ − ∞ is no gap
        gaps = np.diff(rising) > ROUNDING * scale
    levels = np.empty(values.size)
    levels[order] = np.concatenate([[0], np.cumsum(gaps)])
    return levels


def _inversions(n: int) -> FloatArray:
    """P(a random order of n has i inversions), i = 0 … n(n − 1)/2."""
    shares = np.ones(1)
    for size in range(2, n + 1):  # the next one may pass 0 … size − 1 of those before it
        shares = np.convolve(shares, np.full(size, 1 / size))
    return shares
