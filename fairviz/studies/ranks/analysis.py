"""Metrics at every rank of each system, of one of them re-ranked, and how FAIR goes with the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, cast

import numpy as np
import polars as pl

from fairviz.display.methods import AgainstTarget
from fairviz.display.table import Column, Table, keyed, labelled
from fairviz.display.words import Finding, plural
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.systems import named, of_collection, rankings_by_alpha
from fairviz.kernels.gains import dcg_discount, ranks
from fairviz.kernels.grouping import Preset, membership, target_shares
from fairviz.kernels.pool import pool, ranked_lists
from fairviz.metrics.fair import Irm, SumOverRanks, group_aspects, subtopic_aspects
from fairviz.metrics.group_measures import GroupEvidence
from fairviz.metrics.prefixes import known_divergence
from fairviz.model import Dataset, FloatArray, GroupLabels, IntArray, Qrels, RankingSample, Run, Target
from fairviz.model.arrays import segment_ids
from fairviz.points.columns import QUERIES, mean_title
from fairviz.points.reranking import rerank_all, rerank_lists
from fairviz.remembered import remembered
from fairviz.reranking.catalogue import find_reranker
from fairviz.stats.bootstrap import UNDEFINED
from fairviz.stats.correlation import quality_correlation, tied
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.ranks.settings import SERIES, RanksSettings, SeriesMetric
from fairviz.studies.study import Analysis, Chart


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
        filled = np.where(np.isnan(self.values), 0.0, self.values)
        undefined = np.full(n.shape, np.nan)
        return np.divide(filled.sum(axis=1), n, out=undefined, where=n > 0)

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
            running(closeness * discount, offsets, depth), norm, out=np.full((n_lists, depth), np.nan), where=labelled
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


def _measure(evidence: GroupEvidence, irm: Irm) -> SumOverRanks:
    return SumOverRanks(irm, largest_grade=evidence.largest_grade)


def _terms(evidence: GroupEvidence, irm: Irm) -> FloatArray:
    """(N) what each rank of the rankings adds to a measure."""
    return _measure(evidence, irm).terms(evidence.gains, evidence.aspects[evidence.lists.rows], evidence.offsets)


def _normalised(evidence: GroupEvidence, irm: Irm, depth: int, closeness: FloatArray | None = None) -> FloatArray:
    """(R, K) running sum of the terms over that of an ideal list of the whole pool."""
    pools, aspects = evidence.pools, evidence.aspects
    measure = _measure(evidence, irm)
    order = measure.ideal_order(pools.gains, aspects, pools.offsets, evidence.id_order)
    best = measure.terms(pools.gains[order], aspects[order], pools.offsets)
    ideal = running(best, pools.offsets, depth)[evidence.lists.queries]
    terms = _terms(evidence, irm)
    sums = running(terms if closeness is None else terms * closeness, evidence.offsets, depth)
    return np.divide(sums, ideal, out=np.full(sums.shape, np.nan), where=ideal > 0)


N_RESAMPLES = 500
"""Resamples behind the intervals of correlations over queries."""
N_REPEATS = 20
"""Lists that a random re-ranker is averaged over."""
PANELS: tuple[SeriesMetric, ...] = ("FAIR", "alpha_nDCG", "KL", "nDRKL")
"""The panels of the paper's figure."""

CUTOFFS = (10, 20, 50)
"""The paper's K."""

PARTNERS: tuple[SeriesMetric, ...] = ("nDCG", "RBP", "KL", "nDRKL")
"""The paper's X, in the order of its columns."""

ROUNDING = 1e-12
"""Spread below this share of a side's largest value is rounding: the side is constant."""


def series_correlations(
    series: RankSeries,
    *,
    rng: np.random.Generator,
    cutoffs: Sequence[int] = CUTOFFS,
    partners: Sequence[SeriesMetric] = PARTNERS,
    n_resamples: int = N_RESAMPLES,
) -> list[dict[str, Any]]:
    """FAIR against each partner at each K that the series reaches, else at its end; of few queries no p, no intervals.

    Down the ranks i = 1 … K, as the paper's Table 3 has it, and over queries at @K, ours: does FAIR put queries in the
    order of X?

    Args:
        series: Metrics of one system at each cutoff.
        rng: Source of chance for the intervals over queries.
        cutoffs: K.
        partners: X.
        n_resamples: Resamples of the queries.
    """
    rows: list[dict[str, Any]] = []
    for cutoff, metric in product([k for k in cutoffs if k <= series.depth] or [series.depth], partners):
        down = rank_correlation(series.of("FAIR")[:cutoff], series.of(metric)[:cutoff])
        fair, other = (series.per_query(name, cutoff)[None] for name in ("FAIR", metric))
        finite = np.isfinite(fair) & np.isfinite(other)
        over = quality_correlation(np.where(finite, fair, np.nan), other, rng=rng, n_resamples=n_resamples)
        if over.n_queries < MIN_UNITS:
            down |= {"p": float("nan"), "p_spearman": float("nan")}
            over = over._replace(pearson_interval=UNDEFINED, spearman_interval=UNDEFINED)
        of_queries = {
            "pearson_queries": over.pearson,
            "pearson_queries_low": over.pearson_interval.low,
            "pearson_queries_high": over.pearson_interval.high,
            "spearman_queries": over.spearman,
            "spearman_queries_low": over.spearman_interval.low,
            "spearman_queries_high": over.spearman_interval.high,
            "n_queries": over.n_queries,
        }
        rows.append({"system": series.system, "k": cutoff, "metric": metric, **down, **of_queries})
    return rows


def rank_correlation(x: FloatArray, y: FloatArray) -> dict[str, float]:
    """Pearson's and Spearman's correlation of two series FAIR@i and X@i, i = 1 … K, over the ranks that both have.

    The p values are those of n independent points, as the paper gives them. Points of a series
    share all the ranks above and are not independent: the p values are too small.

    Returns:
        ``pearson``, NaN where a side is constant or infinite, or with fewer than two ranks; its two-sided ``p``, t with
        n − 2 degrees of freedom, NaN below three ranks; ``spearman`` and ``p_spearman``, the same of ranks, ties
        averaged, infinite values being the extremes; ``n_ranks`` at which both have a value.

    Examples:
        >>> result = rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 9.0]))
        >>> round(result["pearson"], 4), round(result["spearman"], 9), result["n_ranks"]
        (0.9177, 1.0, 3)
    """
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    pearson = _pearson(x, y)
    spearman = _pearson(*(pl.Series(tied(side)).rank().to_numpy() for side in (x, y)))
    of_values = {"pearson": pearson, "p": _p(pearson, x.size)}
    return {**of_values, "spearman": spearman, "p_spearman": _p(spearman, x.size), "n_ranks": x.size}


def _pearson(x: FloatArray, y: FloatArray) -> float:
    if x.size < 2 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        return float("nan")
    dx, dy = x - x.mean(), y - y.mean()
    if any(np.abs(d).max() <= ROUNDING * np.abs(side).max() for d, side in ((dx, x), (dy, y))):
        return float("nan")
    correlation = float((dx @ dy) / np.sqrt((dx @ dx) * (dy @ dy)))
    return min(max(correlation, -1.0), 1.0)


def _p(correlation: float, n: int) -> float:
    """P(|t| at least as large), t = r √((n − 2)/(1 − r²)) with n − 2 degrees of freedom."""
    if np.isnan(correlation) or n < 3:
        return float("nan")
    if abs(correlation) == 1:
        return 0.0
    from scipy.special import stdtr

    t = abs(correlation) * ((n - 2) / (1 - correlation**2)) ** 0.5
    return 2 * float(np.asarray(stdtr(n - 2, -t), dtype=np.float64))


@remembered
def analyse(data: Dataset, settings: RanksSettings) -> Analysis:
    """FAIR, its parts and usual measures at each rank (Gao et al. 2022, Figure 1 and Table 3).

    Args:
        data: Rankings, their judgements, groups.
        settings: System, depth, gains, re-rankers, target.

    Raises:
        UndefinedError: There are no judgements, groups or rankings.
        UsageError: There is no such system, or one without scores is to be re-ranked.
    """
    if settings.against is None or not data.qrels:
        raise UndefinedError("metrics down the ranks need groups and judgements: give --groups and --qrels FILE")
    judged = of_collection(rankings_by_alpha(data), data.qrels[settings.judgements : settings.judgements + 1])
    names = [ranked.system for ranked in judged]
    system = named("system", settings.system, {name: name for name in names})
    common = replace(settings, system="", rerank=(), seed=0)
    series = [_series(data, name, common) for name in names]
    every = (*series, *(_reranked(data, system, name, settings.seed, common) for name in settings.rerank))
    without = [name for name in settings.rerank if name.endswith("NoRJ")]
    looks = {name: data.look_of(name) for name in names}
    drawn = {"highlighted": [system, *settings.rerank], "dashed": without, "looks": looks}
    own = series[names.index(system)]
    title = mean_title(system, f"FAIR@{own.depth}", own.per_query("FAIR", own.depth), seed=settings.seed)
    return Analysis(
        findings=(Finding(title, counts_sentence(own)),),
        tables=tables(every, _correlated(data, system, settings.seed, common)),
        charts={metric: Chart("ranks", "rank_series", (every, metric), drawn) for metric in PANELS},
    )


def counts_sentence(series: RankSeries) -> str:
    """Count the queries that a system's values rest on, and those for which FAIR is undefined."""
    n = series.n_queries[:, -1]
    undefined = len(series.query_ids) - int(n[0])
    first = int(np.max(series.n_queries[0]) - series.n_queries[0, 0])
    later = f", at rank 1 for {first} more" if first else ""
    judged = plural(len(series.query_ids), "judged query", "judged queries")
    return f"{series.system}: {judged} · FAIR undefined for {undefined or 'none'} of them{later}"


@remembered
def _series(data: Dataset, system: str, common: RanksSettings) -> RankSeries:
    """Metrics of one system at every rank."""
    return _measured(data, common, _ranked(data, system))


@remembered
def _correlated(data: Dataset, system: str, seed: int, common: RanksSettings) -> list[dict[str, Any]]:
    """FAIR against the other metrics, down the ranks and over queries."""
    rng = np.random.default_rng(seed)
    return series_correlations(_series(data, system, common), rng=rng, n_resamples=N_RESAMPLES)


@remembered
def _reranked(data: Dataset, system: str, algorithm: str, seed: int, common: RanksSettings) -> RankSeries:
    """Metrics at every rank after re-ranking a run by one of the paper's algorithms, under that name."""
    run = _ranked(data, system)
    if not isinstance(run, Run):
        raise UsageError(f"{system}: a sample of rankings has no scores to re-rank by")
    method, epsilon = method_of(algorithm)
    strength: dict[str, Any] = {} if epsilon is None else {"epsilon": epsilon}
    judged = data.qrels[common.judgements] if algorithm.endswith(", RJ") else None
    lists = rerank_lists(replace(run, system=algorithm), **_groups(data, common), qrels=judged)
    repeats = N_REPEATS if epsilon is not None and 0 < epsilon < 1 else 1
    rng = np.random.default_rng(seed)
    again, _ = rerank_all(lists, find_reranker(method), k=common.depth, rng=rng, repeats=repeats, options=strength)
    return replace(_measured(data, common, again), system=algorithm)


def _ranked(data: Dataset, system: str) -> Run | RankingSample:
    return next(ranked for ranked in rankings_by_alpha(data) if ranked.system == system)


def _groups(data: Dataset, common: RanksSettings) -> dict[str, Any]:
    """Labels and target as keywords."""
    against = cast("AgainstTarget", common.against)
    return {"labels": against.labels(data), "target": against.shares(data) or "uniform"}


def _measured(data: Dataset, common: RanksSettings, ranked: Run | RankingSample) -> RankSeries:
    """The metrics down to the end of the system's longest list: beyond it nothing is ranked, and values only repeat."""
    qrels, ends = data.qrels[common.judgements], ranked.offsets if isinstance(ranked, Run) else ranked.sample_offsets
    depth = min(common.depth, max(int(np.diff(ends).max(initial=1)), 1))
    return rank_series(ranked, qrels=qrels, **_groups(data, common), depth=depth, irm=common.irm)


def method_of(algorithm: str) -> tuple[str, float | None]:
    """Name of a re-ranker of the paper's figure in the catalogue, and its ε where it has one.

    Examples:
        >>> method_of("0.3-greedy, RJ"), method_of("DetCons"), method_of("greedy ideal, NoRJ")
        (('fair-epsilon-greedy', 0.3), ('det-cons', None), ('novelty', None))
    """
    if algorithm == "DetCons":
        return "det-cons", None
    if algorithm.startswith("greedy ideal"):
        return "novelty", None
    return "fair-epsilon-greedy", float(algorithm.partition("-")[0])


# Metrics down the ranks as rows.


def series_table(series: Sequence[RankSeries]) -> Table:
    """One row per system, metric and rank: mean over the queries that have a value."""
    return Table(
        keyed("system", "metric", "rank", "mean", "n_queries"),
        tuple(
            (of_system.system, metric, rank, mean, n)
            for of_system in series
            for metric, means, counts in zip(
                SERIES, of_system.means.tolist(), of_system.n_queries.tolist(), strict=True
            )
            for rank, (mean, n) in enumerate(zip(means, counts, strict=True), start=1)
        ),
        caption="Metrics at every rank (Gao et al. 2022, Figure 1)",
    )


CORRELATIONS = (
    *labelled(system="", k="K", metric="FAIR and"),
    Column("pearson", "Pearson", "number"),
    Column("p", kind="p"),
    Column("spearman", "Spearman", "number"),
    Column("p_spearman", "p (Spearman)", "p"),
    *labelled("number", n_ranks="ranks", pearson_queries="Pearson, over queries"),
    *labelled("interval", pearson_queries_low="low", pearson_queries_high="high"),
    Column("spearman_queries", "Spearman, over queries", "number"),
    *labelled("interval", spearman_queries_low="low (S)", spearman_queries_high="high (S)"),
    QUERIES,
)


def correlation_table(correlations: Sequence[Mapping[str, Any]]) -> Table:
    """The paper's Table 3, and beside it the same pairs over queries."""
    return Table.of(
        correlations,
        CORRELATIONS,
        "Correlation of FAIR@i with other metrics over ranks i = 1 … K (Gao et al. 2022, Table 3; p as if ranks were "
        "independent), and over queries at K (ours, bootstrap intervals)",
    )


def tables(series: Sequence[RankSeries], correlations: Sequence[Mapping[str, Any]]) -> dict[str, Table]:
    """Metrics at every rank, and how FAIR goes with the others, by stem."""
    return {
        "correlations": correlation_table(correlations),
        "series": replace(series_table(series), audience="programs"),
    }
