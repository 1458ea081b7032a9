"""How FAIR goes with other metrics, down the ranks and over queries (Gao et al. 2022, Table 3)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray
from fairviz.stats.bootstrap import N_RESAMPLES, UNDEFINED
from fairviz.stats.correlation import Correlation, quality_correlation
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.agreement.series import RankSeries, SeriesMetric

CUTOFFS = (10, 20, 50)
"""The paper's K."""

PARTNERS: tuple[SeriesMetric, ...] = ("nDCG", "RBP", "KL", "nDRKL")
"""The paper's X, in the order of its columns."""

ROUNDING = 1e-12
"""Spread below this share of a side's largest value is rounding: the side is constant."""


class RankCorrelation(NamedTuple):
    """Correlation of two series FAIR@i and X@i, i = 1 … K.

    The p values are those of n independent points, as the paper gives them. Points of a series
    share all the ranks above and are not independent: the p values are too small.

    Attributes:
        pearson: NaN where a side is constant or infinite, or with fewer than two ranks.
        pearson_p: Two-sided, t with n − 2 degrees of freedom; NaN below three ranks.
        spearman: The same of ranks, ties averaged; infinite values are the extremes.
        spearman_p: Likewise.
        n_ranks: Ranks at which both have a value.
    """

    pearson: float
    pearson_p: float
    spearman: float
    spearman_p: float
    n_ranks: int


class SeriesCorrelation(NamedTuple):
    """One cell of the paper's Table 3, and beside it the same pair over queries.

    Attributes:
        system: Name of the system.
        metric: X.
        cutoff: K.
        ranks: Over i = 1 … K, the paper's.
        queries: Over queries at @K, ours: does FAIR put queries in the order of X?
    """

    system: str
    metric: SeriesMetric
    cutoff: int
    ranks: RankCorrelation
    queries: Correlation


def series_correlations(
    series: RankSeries,
    *,
    rng: np.random.Generator,
    cutoffs: Sequence[int] = CUTOFFS,
    partners: Sequence[SeriesMetric] = PARTNERS,
    n_resamples: int = N_RESAMPLES,
) -> tuple[SeriesCorrelation, ...]:
    """FAIR against each partner at each K that the series reaches, K by K; of few queries without p and intervals.

    Args:
        series: Metrics of one system at each cutoff.
        rng: Source of chance for the intervals over queries.
        cutoffs: K.
        partners: X.
        n_resamples: Resamples of the queries.
    """
    return tuple(
        _unless_few(
            SeriesCorrelation(
                system=series.system,
                metric=metric,
                cutoff=cutoff,
                ranks=rank_correlation(series.of("FAIR")[:cutoff], series.of(metric)[:cutoff]),
                queries=_over_queries(series, metric, cutoff, rng, n_resamples),
            )
        )
        for cutoff in cutoffs
        if cutoff <= series.depth
        for metric in partners
    )


def _unless_few(cell: SeriesCorrelation) -> SeriesCorrelation:
    """The same, its p and intervals undefined where too few queries have both."""
    if cell.queries.n_queries >= MIN_UNITS:
        return cell
    return cell._replace(
        ranks=cell.ranks._replace(pearson_p=float("nan"), spearman_p=float("nan")),
        queries=cell.queries._replace(pearson_interval=UNDEFINED, spearman_interval=UNDEFINED),
    )


def rank_correlation(x: FloatArray, y: FloatArray) -> RankCorrelation:
    """Pearson's and Spearman's correlation of two series over the ranks that both have.

    Examples:
        >>> result = rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 9.0]))
        >>> round(result.pearson, 4), round(result.spearman, 9), result.n_ranks
        (0.9177, 1.0, 3)
    """
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    pearson = _pearson(x, y)
    spearman = _pearson(_mean_ranks(x), _mean_ranks(y))
    return RankCorrelation(pearson, _p(pearson, x.size), spearman, _p(spearman, x.size), x.size)


def _over_queries(
    series: RankSeries,
    metric: SeriesMetric,
    cutoff: int,
    rng: np.random.Generator,
    n_resamples: int,
) -> Correlation:
    sides = [series.per_query(name, cutoff) for name in ("FAIR", metric)]
    finite = [np.where(np.isfinite(side), side, np.nan)[None] for side in sides]
    return quality_correlation(finite[0], finite[1], rng=rng, n_resamples=n_resamples)


def _pearson(x: FloatArray, y: FloatArray) -> float:
    if x.size < 2 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        return float("nan")
    dx, dy = x - x.mean(), y - y.mean()
    if any(np.abs(d).max() <= ROUNDING * np.abs(side).max() for d, side in ((dx, x), (dy, y))):
        return float("nan")
    correlation = float((dx @ dy) / np.sqrt((dx @ dx) * (dy @ dy)))
    return min(max(correlation, -1.0), 1.0)


def _mean_ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1; ties get the mean of theirs."""
    rising = np.sort(values)
    first = np.searchsorted(rising, values, side="left")
    last = np.searchsorted(rising, values, side="right")
    return (first + last + 1) / 2


def _p(correlation: float, n: int) -> float:
    """P(|t| at least as large), t = r √((n − 2)/(1 − r²)) with n − 2 degrees of freedom."""
    if np.isnan(correlation) or n < 3:
        return float("nan")
    if abs(correlation) == 1:
        return 0.0
    from scipy.special import stdtr

    t = abs(correlation) * ((n - 2) / (1 - correlation**2)) ** 0.5
    return 2 * float(np.asarray(stdtr(n - 2, -t), dtype=np.float64))
