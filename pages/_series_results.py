"""Metrics of systems at every rank, and of their re-ranked lists: computed, remembered."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fairviz.analysis.rank_series import Gains, RankSeries, rank_series
from fairviz.analysis.reranking import rerank
from fairviz.analysis.series_correlation import SeriesCorrelation, series_correlations
from fairviz.metrics.fair import Irm
from fairviz.model import Dataset
from pages._agreement_results import DataSet, systems
from pages._kept import kept

N_RESAMPLES = 500
"""Resamples behind the intervals of the FAIR table."""
N_REPEATS = 20
"""Lists that a random re-ranker is averaged over."""


EPSILONS = (0.0, 0.3, 0.5, 0.7, 1.0)
"""Of FAIR ε-greedy in the paper."""


class Algorithm(NamedTuple):
    """A re-ranker as Gao et al.'s case study has it.

    Attributes:
        method: Its name.
        epsilon: Of FAIR ε-greedy, None for others.
        judged: Whether it sees the judgements (RJ) or takes every item as useful (NoRJ).
    """

    method: str
    epsilon: float | None = None
    judged: bool = False


ALGORITHMS: dict[str, Algorithm] = {"DetCons": Algorithm("det-cons")} | {
    f"{label}, {'RJ' if judged else 'NoRJ'}": Algorithm(method, epsilon, judged)
    for label, method, epsilon in (
        ("greedy ideal", "novelty", None),
        *((f"{share:g}-greedy", "fair-epsilon-greedy", share) for share in EPSILONS),
    )
    for judged in (True, False)
}
"""The algorithms of the paper's Figure 1, by the name in the chart."""


@kept
def series_of(loaded: Dataset, data: DataSet, judgements: int, depth: int, irm: Irm, system: int) -> RankSeries:
    """Metrics of one system at every rank."""
    return rank_series(
        systems(loaded)[system],
        qrels=loaded.qrels[judgements],
        labels=loaded.labels[data.attribute],
        target=data.target,
        depth=depth,
        gains=Gains(irm=irm),
    )


@kept
def reranked_series(
    loaded: Dataset,
    data: DataSet,
    judgements: int,
    depth: int,
    irm: Irm,
    system: int,
    algorithm: str,
) -> RankSeries:
    """The same after re-ranking its run by one of :data:`ALGORITHMS`, under that name."""
    method, epsilon, judged = ALGORITHMS[algorithm]
    strength: dict[str, Any] = {} if epsilon is None else {"epsilon": epsilon}
    qrels, labels = loaded.qrels[judgements], loaded.labels[data.attribute]
    again = rerank(
        replace(loaded.runs[system], system=algorithm),
        method,
        labels=labels,
        target=data.target,
        k=depth,
        qrels=qrels if judged else None,
        rng=np.random.default_rng(0),
        repeats=N_REPEATS if epsilon is not None and 0 < epsilon < 1 else 1,
        **strength,
    )
    found = rank_series(again, qrels=qrels, labels=labels, target=data.target, depth=depth, gains=Gains(irm=irm))
    return replace(found, system=algorithm)


@kept
def correlations_of(
    loaded: Dataset, data: DataSet, judgements: int, depth: int, irm: Irm, system: int
) -> tuple[SeriesCorrelation, ...]:
    """FAIR against the other metrics, down the ranks and over queries."""
    return series_correlations(
        series_of(loaded, data, judgements, depth, irm, system),
        rng=np.random.default_rng(0),
        n_resamples=N_RESAMPLES,
    )
