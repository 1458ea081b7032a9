"""Metrics down the ranks as rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fairviz.display.table import Column, Table, keyed, labelled
from fairviz.points.columns import QUERIES
from fairviz.studies.ranks.settings import SERIES

if TYPE_CHECKING:
    from fairviz.studies.ranks.analysis import RankSeries


def series_table(series: "Sequence[RankSeries]") -> Table:
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
    *labelled("interval", pearson_low="low", pearson_high="high"),
    Column("spearman_queries", "Spearman, over queries", "number"),
    *labelled("interval", spearman_low="low (S)", spearman_high="high (S)"),
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


def tables(series: "Sequence[RankSeries]", correlations: Sequence[Mapping[str, Any]]) -> dict[str, Table]:
    """Metrics at every rank, and how FAIR goes with the others, by stem."""
    return {
        "correlations": correlation_table(correlations),
        "series": replace(series_table(series), audience="programs"),
    }
