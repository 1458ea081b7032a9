"""Metrics at every rank of each system, of one of them re-ranked, and how FAIR goes with the others."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairviz.display.methods import AgainstTarget
from fairviz.display.words import Finding
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.joins import of_collection
from fairviz.evaluation.systems import named, rankings_by_alpha
from fairviz.metrics.fair import Irm
from fairviz.model import Dataset, Run
from fairviz.points.reranking import rerank
from fairviz.remembered import remembered
from fairviz.studies.ranks.columns import tables
from fairviz.studies.ranks.findings import counts_sentence
from fairviz.studies.ranks.series import (
    Gains,
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


@dataclass(frozen=True, kw_only=True)
class RanksAnalysis(Analysis):
    """Metrics down the ranks.

    Attributes:
        series: Of each system, then of the one that was re-ranked.
        highlighted: Of the system in ink.
    """

    series: tuple[RankSeries, ...]
    highlighted: RankSeries


@remembered
def analyse(data: Dataset, settings: RanksSettings) -> RanksAnalysis:
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
    common = (settings.against, settings.judgements, settings.depth, settings.irm)
    series = [_series(data, name, *common) for name in names]
    again = [_reranked(data, system, name, settings.seed, *common) for name in settings.rerank]
    highlighted = series[names.index(system)]
    without = [name for name in settings.rerank if name.endswith("NoRJ")]
    drawn = {"highlighted": [system, *settings.rerank], "dashed": without}
    correlations = _correlated(data, system, settings.seed, *common)
    return RanksAnalysis(
        findings=(Finding("FAIR and other metrics at every rank", counts_sentence(highlighted)),),
        tables=tables([*series, *again], correlations),
        charts={metric: Chart("ranks", "rank_series", ((*series, *again), metric), drawn) for metric in PANELS},
        series=(*series, *again),
        highlighted=highlighted,
    )


@remembered
def _series(data: Dataset, system: str, against: AgainstTarget, judgements: int, depth: int, irm: Irm) -> RankSeries:
    """Metrics of one system at every rank."""
    return rank_series(
        next(ranked for ranked in rankings_by_alpha(data) if ranked.system == system),
        qrels=data.qrels[judgements],
        labels=against.labels(data),
        target=against.shares(data) or "uniform",
        depth=depth,
        gains=Gains(irm=irm),
    )


@remembered
def _correlated(
    data: Dataset, system: str, seed: int, against: AgainstTarget, judgements: int, depth: int, irm: Irm
) -> tuple[SeriesCorrelation, ...]:
    """FAIR against the other metrics, down the ranks and over queries."""
    series = _series(data, system, against, judgements, depth, irm)
    return series_correlations(series, rng=np.random.default_rng(seed), n_resamples=N_RESAMPLES)


@remembered
def _reranked(
    data: Dataset,
    system: str,
    algorithm: str,
    seed: int,
    against: AgainstTarget,
    judgements: int,
    depth: int,
    irm: Irm,
) -> RankSeries:
    """The same after re-ranking a run by one of the paper's algorithms, under that name."""
    run = next(ranked for ranked in rankings_by_alpha(data) if ranked.system == system)
    if not isinstance(run, Run):
        raise UsageError(f"{system}: a sample of rankings has no scores to re-rank by")
    qrels, labels, target = data.qrels[judgements], against.labels(data), against.shares(data) or "uniform"
    method, epsilon = method_of(algorithm)
    strength: dict[str, Any] = {} if epsilon is None else {"epsilon": epsilon}
    again = rerank(
        replace(run, system=algorithm),
        method,
        labels=labels,
        target=target,
        k=depth,
        qrels=qrels if algorithm.endswith(", RJ") else None,
        rng=np.random.default_rng(seed),
        repeats=N_REPEATS if epsilon is not None and 0 < epsilon < 1 else 1,
        **strength,
    )
    series = rank_series(again, qrels=qrels, labels=labels, target=target, depth=depth, gains=Gains(irm=irm))
    return replace(series, system=algorithm)


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
