"""FAIR beside other metrics at every rank: Gao et al.'s Figure 1 and Table 3 for these systems."""

from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
import streamlit as st

from fairviz.display.table import csv_text
from fairviz.display.words import interval, number
from fairviz.metrics.fair import Irm
from fairviz.model import Dataset
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.agreement.correlation import SeriesCorrelation, series_correlations
from fairviz.studies.agreement.figures import IRM_LABELS, rank_series_alt, rank_series_figure
from fairviz.studies.agreement.series import Gains, RankSeries, SeriesMetric, rank_series
from fairviz.studies.agreement.tables import AgreementResults, tables
from fairviz.studies.policy_lab.reranking import rerank
from pages._agreement.results import DataSet, systems, systems_judged
from pages._kit import Column, Row, Two, colours, counts_line, download, muted, page_table, show_figure
from pages._kit.cache import cached
from pages._kit.table import Drawing

N_RESAMPLES = 500
"""Resamples behind the intervals of the FAIR table."""
N_REPEATS = 20
"""Lists that a random re-ranker is averaged over."""

EPSILONS = (0.0, 0.3, 0.5, 0.7, 1.0)
"""Of FAIR ε-greedy in the paper."""
PANELS: tuple[SeriesMetric, ...] = ("FAIR", "alpha_nDCG", "KL", "nDRKL")
"""The panels of the paper's figure."""
DEPTHS = (10, 20, 50)


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


@cached
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


@cached
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
    series = rank_series(again, qrels=qrels, labels=labels, target=data.target, depth=depth, gains=Gains(irm=irm))
    return replace(series, system=algorithm)


@cached
def correlations_of(
    loaded: Dataset, data: DataSet, judgements: int, depth: int, irm: Irm, system: int
) -> tuple[SeriesCorrelation, ...]:
    """FAIR against the other metrics, down the ranks and over queries."""
    return series_correlations(
        series_of(loaded, data, judgements, depth, irm, system),
        rng=np.random.default_rng(0),
        n_resamples=N_RESAMPLES,
    )


def series_section(loaded: Dataset, data: DataSet, *, system: int, judgements: int) -> None:
    """Figure 1 and Table 3, for the systems that are loaded."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        depth = int(st.segmented_control("Ranks, K", DEPTHS, default=20, key="series-depth", required=True))
        irm = cast(
            "Irm",
            st.selectbox(
                "FAIR discounts the gains of",
                list(IRM_LABELS),
                key="series-irm",
                width=170,
                format_func=lambda name: IRM_LABELS[name],
            ),
        )
        again = _algorithms() if system < len(loaded.runs) else []
    every, wanted = systems(loaded), {one.system for one in systems_judged(loaded, judgements)}
    series = [series_of(loaded, data, judgements, depth, irm, i) for i, s in enumerate(every) if s.system in wanted]
    highlighted = next(one for one in series if one.system == every[system].system)
    series += [reranked_series(loaded, data, judgements, depth, irm, system, name) for name in again]
    named = [highlighted.system, *again]
    dashed = [name for name in again if not ALGORITHMS[name].judged]
    for start in (0, 2):
        for column, metric in zip(st.columns(2), PANELS[start : start + 2], strict=True):
            with column:
                figure = rank_series_figure(series, metric, colours=colours(), highlighted=named, dashed=dashed)
                show_figure(figure, f"series-{metric}", rank_series_alt(series, metric))
    counts_line(_counts(highlighted))
    rows = correlations_of(loaded, data, judgements, depth, irm, system)
    known = tables(AgreementResults(correlations=rows))
    page_table(
        known["correlations"],
        show=("k", "metric", "pearson", "p", "spearman", "p_spearman", "pearson_queries", "spearman_queries"),
        drawn={f"{side}_queries": _over_queries(side) for side in ("pearson", "spearman")}
        | {key: _of_ranks(key) for key in ("pearson", "spearman")},
        columns={"metric": Column(label="FAIR and", align="right"), "p_spearman": "p"},
        caption=f"Correlation of FAIR with other metrics, {highlighted.system}",
    )
    counts_line(
        "Over ranks: FAIR@i against the metric at i = 1 … K, means over queries (Gao et al. 2022, "
        "Table 3). p as if ranks were independent, which they are not: each holds all above it. "
        "Over queries: at K, ours, with a 95 % bootstrap over queries. Under ten queries: grey, without p or interval."
    )
    with st.container(horizontal=True, gap="small"):
        download(
            "Ranks, CSV",
            lambda: csv_text(tables(AgreementResults(series=series))["series"]),
            file_name="fairviz-series.csv",
            mime="text/csv",
            key="fairviz-series-csv",
        )
        download(
            "Table, CSV",
            lambda: csv_text(known["correlations"]),
            file_name="fairviz-fair.csv",
            mime="text/csv",
            key="fairviz-fair-csv",
        )


def _algorithms() -> list[str]:
    return st.multiselect(
        "Also show re-ranked (highlighted system)",
        list(ALGORITHMS),
        key="series-rerank",
        max_selections=3,
        width=380,
        help="Gao et al.'s algorithms: RJ sees the judgements, NoRJ (dashed) takes every item as "
        "useful; DetCons follows the scores. Lists are evaluated with the judgements either way; "
        f"random ones are the mean of {N_REPEATS} lists.",
    )


def _counts(series: RankSeries) -> str:
    n = series.n_queries[:, -1]
    undefined = len(series.query_ids) - int(n[0])
    first = int(np.max(series.n_queries[0]) - series.n_queries[0, 0])
    later = f" · {first} of them only below rank 1" if first else ""
    judged = f"{len(series.query_ids)} judged queries"
    return f"{series.system}: {judged} · FAIR undefined for {undefined or 'none'} of them{later}"


def _is_few(row: Row) -> bool:
    """Whether too few queries have both for p and intervals: then numbers are grey."""
    return row.number("n_queries") < MIN_UNITS


def _of_ranks(key: str) -> Drawing:
    """A correlation over ranks."""
    return lambda row: muted(number(row.number(key))) if _is_few(row) else number(row.number(key))


def _over_queries(side: str) -> Drawing:
    """A correlation over queries with its interval below."""
    return lambda row: (
        muted(number(row.number(f"{side}_queries")))
        if _is_few(row)
        else Two(
            top=number(row.number(f"{side}_queries")),
            below=interval(row.number(f"{side}_low"), row.number(f"{side}_high"), 2),
        )
    )
