"""Agreement of measures and metrics down the ranks as rows, for every surface."""

from collections import Counter
from collections.abc import Sequence

from fairviz.display.table import Column, Table, keyed
from fairviz.evaluation.compare import MeasuredSystems
from fairviz.evaluation.rankings import Refusal
from fairviz.metrics.describe import Better
from fairviz.model import Scores, SystemScore
from fairviz.studies.agreement.pairs import Agreement, ConsistentPair, Measured

ARROWS: dict[Better, str] = {"higher": "↑", "lower": "↓", "closest to 0": "→0"}


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
        audience="papers",
    )


def measures_table(measured: MeasuredSystems) -> Table:
    """One row per measure: which way it improves."""
    rows = tuple(zip(measured.measures, measured.better, strict=True))
    return Table(keyed("measure", "better"), rows, "Which way each measure improves", audience="programs")


def consistent_table(pairs: Sequence[ConsistentPair], data_sets: Sequence[str]) -> Table:
    """One row per pair with one sign of τ in all data sets, strongest first."""
    return Table(
        keyed("measure_a", "measure_b", *data_sets, signed=tuple(data_sets)),
        tuple((pair.measure_a, pair.measure_b, *pair.taus) for pair in pairs),
        caption="Pairs of measures whose τ has one sign in all data sets",
    )


def left_out_table(refused: Sequence[Refusal]) -> Table:
    """What could not be computed, each reason once, with the number of systems that it holds for."""
    counts = Counter((refusal.measure, refusal.reason) for refusal in refused)
    return Table(
        (Column("left out", "measure"), Column("systems"), Column("reason", "why it could not be computed")),
        tuple((measure, n, reason) for (measure, reason), n in counts.items()),
    )


def tables(
    measured: Sequence[Measured], agreements: Sequence[Agreement], consistent: Sequence[ConsistentPair]
) -> dict[str, Table]:
    """Every table by stem.

    Args:
        measured: Every measure of every system on each data set.
        agreements: One per data set.
        consistent: Pairs of measures with one sign of τ in all data sets.
    """
    refused = [refusal for each in measured for refusal in each.refused]
    made = {
        "pairs": pairs_table(agreements),
        "values": values_table([score for each in measured for score in each.scores]),
        "systems": systems_table(measured[0].table),
        "measures": measures_table(measured[0].table),
        "refused": Table(keyed(*Refusal._fields), tuple(refused), audience="programs"),
        "left-out": left_out_table(refused),
    }
    if len(agreements) > 1:
        made["consistent"] = consistent_table(consistent, [one.name for one in agreements])
    return made
