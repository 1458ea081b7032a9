"""Metrics at every rank of each system, of one of them re-ranked, and how FAIR goes with the others."""

from dataclasses import replace
from typing import Any, cast

import numpy as np

from fairviz.display.methods import AgainstTarget
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.joins import of_collection
from fairviz.evaluation.systems import named, rankings_by_alpha
from fairviz.model import Dataset, RankingSample, Run
from fairviz.points.reranking import rerank_all, rerank_lists
from fairviz.remembered import remembered
from fairviz.reranking.catalogue import find_reranker
from fairviz.studies.ranks.columns import tables
from fairviz.studies.ranks.series import (
    RankSeries,
    SeriesCorrelation,
    SeriesMetric,
    rank_series,
    series_correlations,
)
from fairviz.studies.ranks.settings import RanksSettings
from fairviz.studies.study import Analysis, Chart

N_RESAMPLES = 500
"""Resamples behind the intervals of correlations over queries."""
N_REPEATS = 20
"""Lists that a random re-ranker is averaged over."""
PANELS: tuple[SeriesMetric, ...] = ("FAIR", "alpha_nDCG", "KL", "nDRKL")
"""The panels of the paper's figure."""


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
    drawn = {"highlighted": [system, *settings.rerank], "dashed": without}
    sentence = counts_sentence(series[names.index(system)])
    return Analysis(
        findings=(Finding("FAIR and other metrics at every rank", sentence),),
        tables=tables(every, _correlated(data, system, settings.seed, common)),
        charts={metric: Chart("ranks", "rank_series", (every, metric), drawn) for metric in PANELS},
    )


def counts_sentence(series: RankSeries) -> str:
    """Of how many queries the values of one system are, and of how many FAIR is undefined."""
    n = series.n_queries[:, -1]
    undefined = len(series.query_ids) - int(n[0])
    first = int(np.max(series.n_queries[0]) - series.n_queries[0, 0])
    later = f" · {first} of them only below rank 1" if first else ""
    judged = f"{len(series.query_ids)} judged queries"
    return f"{series.system}: {judged} · FAIR undefined for {undefined or 'none'} of them{later}"


@remembered
def _series(data: Dataset, system: str, common: RanksSettings) -> RankSeries:
    """Metrics of one system at every rank."""
    return _measured(data, common, _ranked(data, system))


@remembered
def _correlated(data: Dataset, system: str, seed: int, common: RanksSettings) -> tuple[SeriesCorrelation, ...]:
    """FAIR against the other metrics, down the ranks and over queries."""
    rng = np.random.default_rng(seed)
    return series_correlations(_series(data, system, common), rng=rng, n_resamples=N_RESAMPLES)


@remembered
def _reranked(data: Dataset, system: str, algorithm: str, seed: int, common: RanksSettings) -> RankSeries:
    """The same after re-ranking a run by one of the paper's algorithms, under that name."""
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
    qrels = data.qrels[common.judgements]
    return rank_series(ranked, qrels=qrels, **_groups(data, common), depth=common.depth, irm=common.irm)


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
