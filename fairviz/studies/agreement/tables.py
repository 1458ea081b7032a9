"""Agreement of measures and metrics down the ranks as tables to download."""

from collections.abc import Sequence

from fairviz.evaluate.compare import MeasuredSystems
from fairviz.evaluate.rankings import Refusal
from fairviz.show.table import Table, keyed
from fairviz.studies.agreement.agreement import Agreement, ConsistentPair
from fairviz.studies.agreement.series import SERIES, RankSeries, SeriesCorrelation


def agreement_content(found: Sequence[Agreement]) -> Table:
    """One row per data set and pair of measures."""
    return Table(
        keyed("data", "measure_a", "measure_b", "tau", "n_systems", signed=("tau",)),
        tuple(
            (each.name, one.measure_a, one.measure_b, one.tau, one.n_systems) for each in found for one in each.pairs
        ),
        caption=(
            f"Kendall's τ-{found[0].variant if found else 'c'} between measures over systems, each "
            "turned so that higher is closer to its own ideal"
        ),
    )


def results_content(measured: MeasuredSystems) -> Table:
    """A row per system, a column per measure; the direction stands in the heading."""
    arrows = {"higher": "↑", "lower": "↓", "closest to 0": "→0"}
    heads = [f"{measure} {arrows[better]}" for measure, better in zip(measured.measures, measured.better, strict=True)]
    return Table(
        keyed("system", *heads),
        tuple((system, *row) for system, row in zip(measured.systems, measured.values.tolist(), strict=True)),
        caption=f"Every measure of every system, {measured.name}",
    )


def consistent_content(pairs: Sequence[ConsistentPair], data_sets: Sequence[str]) -> Table:
    """One row per pair with one sign of τ in all data sets, strongest first."""
    return Table(
        keyed("measure_a", "measure_b", *data_sets, signed=tuple(data_sets)),
        tuple((one.measure_a, one.measure_b, *one.taus) for one in pairs),
        caption="Pairs of measures whose τ has one sign in all data sets",
    )


def refused_content(refused: Sequence[Refusal]) -> Table:
    """What could not be computed, each reason once."""
    rows = dict.fromkeys((one.measure, one.reason) for one in refused)
    return Table(keyed("measure", "why it could not be computed"), tuple(rows))


def series_content(series: Sequence[RankSeries]) -> Table:
    """One row per system, metric and rank: mean over the queries that have a value."""
    return Table(
        keyed("system", "metric", "rank", "mean", "n_queries"),
        tuple(
            (one.system, metric, rank + 1, mean, n)
            for one in series
            for metric, means, counts in zip(SERIES, one.means.tolist(), one.n_queries.tolist(), strict=True)
            for rank, (mean, n) in enumerate(zip(means, counts, strict=True))
        ),
        caption="Metrics at every rank (Gao et al. 2022, Figure 1)",
    )


def correlation_content(rows: Sequence[SeriesCorrelation]) -> Table:
    """The paper's Table 3, and beside it the same pairs over queries."""
    return Table(
        keyed(
            "system",
            "K",
            "FAIR and",
            "Pearson",
            "p",
            "Spearman",
            "p (Spearman)",
            "ranks",
            "Pearson, over queries",
            "low",
            "high",
            "Spearman, over queries",
            "low (S)",
            "high (S)",
            "queries",
            p=("p", "p (Spearman)"),
        ),
        tuple(
            (
                one.system,
                one.cutoff,
                one.metric,
                one.ranks.pearson,
                one.ranks.pearson_p,
                one.ranks.spearman,
                one.ranks.spearman_p,
                one.ranks.n_ranks,
                one.queries.pearson,
                *one.queries.pearson_interval,
                one.queries.spearman,
                *one.queries.spearman_interval,
                one.queries.n_queries,
            )
            for one in rows
        ),
        caption=(
            "Correlation of FAIR@i with other metrics over ranks i = 1 … K (Gao et al. 2022, Table "
            "3; p as if ranks were independent), and over queries at K (ours, bootstrap intervals)"
        ),
    )
