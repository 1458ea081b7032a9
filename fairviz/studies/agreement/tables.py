"""Agreement of measures and metrics down the ranks as rows, for ``fairviz correlate`` and the dashboard alike."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fairviz.display.table import Column, Table, keyed
from fairviz.evaluation.compare import MeasuredSystems
from fairviz.evaluation.joins import JudgedAs
from fairviz.evaluation.rankings import Refusal
from fairviz.evaluation.tables import with_labels
from fairviz.metrics.describe import Better
from fairviz.model import Scores, SystemScore
from fairviz.studies.agreement.agreement import Agreement, ConsistentPair
from fairviz.studies.agreement.series import SERIES, RankSeries, SeriesCorrelation

LEFT_OUT = ("left out", "reason")
"""Columns of what could not be computed for readers of a page; systems are counted on a terminal."""

ARROWS: dict[Better, str] = {"higher": "↑", "lower": "↓", "closest to 0": "→0"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementResults:
    """What is known of measures and of ranks; None = not measured.

    Attributes:
        agreements: One per data set.
        consistent: Pairs of measures with one sign of τ in all data sets, with the names of these.
        measured: Every measure of every system of one data set.
        scores: The same, as they were evaluated.
        judged: What the systems of the scores were judged by.
        refused: What could not be computed.
        series: Metrics down the ranks.
        correlations: FAIR with other metrics.
    """

    agreements: Sequence[Agreement] | None = None
    consistent: tuple[Sequence[ConsistentPair], Sequence[str]] | None = None
    measured: MeasuredSystems | None = None
    scores: Sequence[Scores | SystemScore] | None = None
    judged: Sequence[JudgedAs] = ()
    refused: Sequence[Refusal] | None = None
    series: Sequence[RankSeries] | None = None
    correlations: Sequence[SeriesCorrelation] | None = None


def pairs_table(agreements: Sequence[Agreement]) -> Table:
    """One row per pair of measures and data set; NaN = undefined."""
    return Table(
        keyed("measure_a", "measure_b", "tau", "n_systems", "data", signed=("tau",)),
        tuple(
            (pair.measure_a, pair.measure_b, pair.tau, pair.n_systems, agreement.name)
            for agreement in agreements
            for pair in agreement.pairs
        ),
        caption=(
            f"Kendall's τ-{agreements[0].variant if agreements else 'c'} between measures over systems, each "
            "turned so that higher is closer to its own ideal"
        ),
    )


def values_table(scores: Sequence[Scores | SystemScore]) -> Table:
    """One row per system and measure."""
    return Table(
        keyed("system", "measure", "value", "n_queries", "n_undefined"),
        tuple((score.system, score.measure, score.value, score.n_queries, score.n_undefined) for score in scores),
    )


def systems_table(measured: MeasuredSystems) -> Table:
    """A row per system, a column per measure; people read its direction in the heading."""
    measures = zip(measured.measures, measured.better, strict=True)
    return Table(
        (Column("system"), *(Column(measure, f"{measure} {ARROWS[better]}", "number") for measure, better in measures)),
        tuple((system, *row) for system, row in zip(measured.systems, measured.values.tolist(), strict=True)),
        caption=f"Every measure of every system, {measured.name}",
    )


def consistent_table(pairs: Sequence[ConsistentPair], data_sets: Sequence[str]) -> Table:
    """One row per pair with one sign of τ in all data sets, strongest first."""
    return Table(
        keyed("measure_a", "measure_b", *data_sets, signed=tuple(data_sets)),
        tuple((pair.measure_a, pair.measure_b, *pair.taus) for pair in pairs),
        caption="Pairs of measures whose τ has one sign in all data sets",
    )


def refused_table(refused: Sequence[Refusal]) -> Table:
    """What could not be computed for which system, and why."""
    return Table(keyed(*Refusal._fields), tuple(refused))


def left_out_table(refused: Sequence[Refusal]) -> Table:
    """What could not be computed, each reason once, with the number of systems that it holds for."""
    counts = Counter((refusal.measure, refusal.reason) for refusal in refused)
    return Table(
        (Column("left out", "measure"), Column("systems"), Column("reason", "why it could not be computed")),
        tuple((measure, n, reason) for (measure, reason), n in counts.items()),
    )


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


def correlation_table(correlations: Sequence[SeriesCorrelation]) -> Table:
    """The paper's Table 3, and beside it the same pairs over queries."""
    return Table(
        (
            Column("system"),
            Column("k", "K"),
            Column("metric", "FAIR and"),
            Column("pearson", "Pearson", "number"),
            Column("p", kind="p"),
            Column("spearman", "Spearman", "number"),
            Column("p_spearman", "p (Spearman)", "p"),
            Column("n_ranks", "ranks", "number"),
            Column("pearson_queries", "Pearson, over queries", "number"),
            Column("pearson_low", "low", "interval"),
            Column("pearson_high", "high", "interval"),
            Column("spearman_queries", "Spearman, over queries", "number"),
            Column("spearman_low", "low (S)", "interval"),
            Column("spearman_high", "high (S)", "interval"),
            Column("n_queries", "queries", "number"),
        ),
        tuple(
            (
                cell.system,
                cell.cutoff,
                cell.metric,
                cell.ranks.pearson,
                cell.ranks.pearson_p,
                cell.ranks.spearman,
                cell.ranks.spearman_p,
                cell.ranks.n_ranks,
                cell.queries.pearson,
                *cell.queries.pearson_interval,
                cell.queries.spearman,
                *cell.queries.spearman_interval,
                cell.queries.n_queries,
            )
            for cell in correlations
        ),
        caption=(
            "Correlation of FAIR@i with other metrics over ranks i = 1 … K (Gao et al. 2022, Table "
            "3; p as if ranks were independent), and over queries at K (ours, bootstrap intervals)"
        ),
    )


def tables(results: AgreementResults) -> dict[str, Table]:
    """Every table that there are results for, by stem."""
    made: dict[str, Table] = {}
    if results.agreements is not None:
        made["pairs"] = pairs_table(results.agreements)
    if results.consistent is not None:
        made["consistent"] = consistent_table(*results.consistent)
    if results.measured is not None:
        made["systems"] = systems_table(results.measured)
    if results.scores is not None:
        made["values"] = with_labels(values_table(results.scores), results.judged)
    if results.refused is not None:
        made["refused"] = refused_table(results.refused)
        made["left-out"] = left_out_table(results.refused)
        made["left-out-read"] = made["left-out"].select(LEFT_OUT)
    if results.series is not None:
        made["series"] = series_table(results.series)
    if results.correlations is not None:
        made["correlations"] = correlation_table(results.correlations)
    return made
