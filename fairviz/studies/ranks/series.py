"""Metrics of one system at every rank, and how FAIR goes with the others (Gao et al. 2022, Figure 1 and Table 3).

A series holds what ``evaluate`` gives for the same measure at @1, @2, …, @K, from one pass over the rankings.
Correlations are down the ranks, as the paper's, and over queries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.kernels.gains import dcg_discount, ranks
from fairviz.kernels.grouping import Preset, membership, target_shares
from fairviz.kernels.pool import pool, ranked_lists
from fairviz.metrics.fair import Irm, group_aspects, ideal_order, irm_gains, subtopic_aspects
from fairviz.metrics.group_measures import GroupEvidence
from fairviz.metrics.prefixes import known_divergence
from fairviz.model import FloatArray, GroupLabels, IntArray, Qrels, RankingSample, Run, Target
from fairviz.model.arrays import segment_ids
from fairviz.stats.bootstrap import N_RESAMPLES, UNDEFINED
from fairviz.stats.correlation import Correlation, quality_correlation
from fairviz.stats.tests import MIN_UNITS

SeriesMetric: TypeAlias = Literal["FAIR", "nDCG", "RBP", "alpha_nDCG", "KL", "nDRKL"]
SERIES: tuple[SeriesMetric, ...] = ("FAIR", "nDCG", "RBP", "alpha_nDCG", "KL", "nDRKL")
"""Metrics in the order of a series."""


def running(values: FloatArray, offsets: IntArray, depth: int) -> FloatArray:
    """(R, K) sum of the values down to each rank; beyond the end of a ranking it stays.

    Args:
        values: (N) a value per rank of each ranking.
        offsets: (R+1) ranks of each ranking.
        depth: K.

    Examples:
        >>> running(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 3]), 3)
        array([[1., 3., 3.],
               [4., 4., 4.]])
    """
    values_by_rank = np.zeros((offsets.size - 1, depth))
    rank = ranks(offsets).astype(np.int64)
    inside = rank <= depth
    values_by_rank[segment_ids(offsets)[inside], rank[inside] - 1] = values[inside]
    return np.cumsum(values_by_rank, axis=1)


def carried(values: FloatArray, offsets: IntArray, depth: int) -> FloatArray:
    """(R, K) value at each rank; the last one goes on beyond the end, NaN in an empty ranking.

    Examples:
        >>> carried(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 3]), 3)
        array([[1., 2., 2.],
               [4., 4., 4.]])
    """
    sizes = np.diff(offsets)
    values_by_rank = np.full((sizes.size, depth), np.nan)
    filled = np.flatnonzero(sizes)
    at = np.minimum(np.arange(depth), sizes[filled, None] - 1)
    values_by_rank[filled] = values[offsets[:-1][filled, None] + at]
    return values_by_rank


NOVELTY, PATIENCE = 0.5, 0.8
"""Novelty discount of α-nDCG, which is the chance of satisfaction of ERR-IA; p of RBP."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankSeries:
    """Metrics of one system at each cutoff.

    Attributes:
        system: Its name.
        irm: Whose gains FAIR discounts.
        query_ids: Q queries.
        values: (6, Q, K) value of each of :data:`SERIES` per query at @1 … @K, NaN = undefined.
    """

    system: str
    irm: Irm
    query_ids: tuple[str, ...]
    values: FloatArray

    @property
    def depth(self) -> int:
        """K."""
        return self.values.shape[2]

    @property
    def n_queries(self) -> IntArray:
        """(6, K) queries that have a value."""
        return (~np.isnan(self.values)).sum(axis=1)

    @property
    def means(self) -> FloatArray:
        """(6, K) mean over the queries that have a value; NaN where none has."""
        n = self.n_queries
        known = np.where(np.isnan(self.values), 0.0, self.values)
        undefined = np.full(n.shape, np.nan)
        return np.divide(known.sum(axis=1), n, out=undefined, where=n > 0)

    def of(self, metric: SeriesMetric) -> FloatArray:
        """(K) mean of one metric at each cutoff."""
        return self.means[SERIES.index(metric)]

    def per_query(self, metric: SeriesMetric, cutoff: int) -> FloatArray:
        """(Q) one metric at one cutoff."""
        return self.values[SERIES.index(metric), :, cutoff - 1]


def rank_series(
    ranked: Run | RankingSample,
    *,
    qrels: Qrels,
    labels: GroupLabels,
    target: Target | Preset,
    depth: int,
    irm: Irm = "alpha_nDCG",
) -> RankSeries:
    """Every metric of :data:`SERIES` at @1 … @K.

    The queries are those of the judgements. nDCG and RBP follow ir-measures: linear gain, all
    judged items in the ideal, 0 for a query that was not ranked or has nothing useful. The others
    are undefined there. A list shorter than i is taken whole.

    Args:
        ranked: A run, or sampled rankings, which are averaged per query first.
        qrels: Judgements; their subtopics are the aspects of α-nDCG, else the groups are.
        labels: Groups of documents; unlabelled items count for none.
        target: Shares of the groups.
        depth: K.
        irm: Whose gains FAIR discounts.
    """
    evidence = _evidence(ranked, qrels, labels, target)
    offsets, n_lists = evidence.offsets, evidence.offsets.size - 1
    divergence = evidence.divergence
    kl = carried(divergence, offsets, depth)
    labelled = ~np.isnan(kl)  # a prefix that holds a labelled item goes on holding it
    closeness = 1 / (known_divergence(divergence) + 1)
    discount = dcg_discount(offsets)
    norm = running(discount, offsets, depth)
    by_metric: dict[SeriesMetric, FloatArray] = {
        "FAIR": np.where(labelled, _normalised(evidence, irm, depth, closeness), np.nan),
        "nDCG": _normalised(evidence, "nDCG", depth),
        "RBP": running(_terms(evidence, "RBP"), offsets, depth),
        "alpha_nDCG": _normalised(evidence, "alpha_nDCG", depth),
        "KL": kl,
        "nDRKL": np.divide(
            running(closeness * discount, offsets, depth),
            norm,
            out=np.full((n_lists, depth), np.nan),
            where=labelled,
        ),
    }
    values = np.stack([evidence.query_means(by_metric[metric]) for metric in SERIES])
    for by_rule in ("nDCG", "RBP"):
        values[SERIES.index(by_rule)] = np.nan_to_num(values[SERIES.index(by_rule)])
    return RankSeries(system=ranked.system, irm=irm, query_ids=evidence.pools.query_ids, values=values)


def _evidence(ranked: Run | RankingSample, qrels: Qrels, labels: GroupLabels, target: Target | Preset) -> GroupEvidence:
    pools = pool(ranked, qrels)
    members = membership(pools, labels, target if isinstance(target, Target) else None)
    lists = ranked_lists(ranked, pools)
    by_subtopic = qrels.subtopics is not None
    return GroupEvidence(
        pools=pools,
        members=members,
        lists=lists,
        whole=lists,
        cutoff=None,
        shares=target_shares(target, members, pools),
        aspects=subtopic_aspects(pools, qrels) if by_subtopic else group_aspects(pools, members),
        largest_grade=qrels.largest_grade,
    )


def _terms(evidence: GroupEvidence, irm: Irm) -> FloatArray:
    """(N) what each rank adds to a measure."""
    aspects = evidence.aspects[evidence.lists.rows]
    return irm_gains(
        irm,
        evidence.gains,
        aspects,
        evidence.offsets,
        alpha=NOVELTY,
        patience=PATIENCE,
        largest_grade=evidence.largest_grade,
    )


def _normalised(evidence: GroupEvidence, irm: Irm, depth: int, closeness: FloatArray | None = None) -> FloatArray:
    """(R, K) running sum of the terms over that of an ideal list of the whole pool."""
    pools, aspects = evidence.pools, evidence.aspects
    order = ideal_order(irm, pools.gains, aspects, pools.offsets, alpha=NOVELTY, ties=evidence.id_order)
    best = irm_gains(
        irm,
        pools.gains[order],
        aspects[order],
        pools.offsets,
        alpha=NOVELTY,
        patience=PATIENCE,
        largest_grade=evidence.largest_grade,
    )
    ideal = running(best, pools.offsets, depth)[evidence.lists.queries]
    terms = _terms(evidence, irm)
    sums = running(terms if closeness is None else terms * closeness, evidence.offsets, depth)
    return np.divide(sums, ideal, out=np.full(sums.shape, np.nan), where=ideal > 0)


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
