"""Agreement of measures as rows, for every surface."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from fairviz.display.table import Column, Table, keyed
from fairviz.evaluation.rankings import Refusal

if TYPE_CHECKING:
    from fairviz.studies.agreement.analysis import Agreement

ARROWS = {"higher": "↑", "lower": "↓", "closest to 0": "→0"}


def pairs_table(agreements: "Sequence[Agreement]") -> Table:
    """One row per pair of measures and data set; NaN = undefined."""
    columns = keyed("measure_a", "measure_b", "tau", "n_systems", "data", signed=("tau",))
    pairs = pl.concat([one.pairs.with_columns(data=pl.lit(one.name)) for one in agreements])
    return Table(
        columns,
        tuple(pairs.select(column.key for column in columns).rows()),
        caption=f"Kendall's τ-{agreements[0].variant} between measures over systems, each turned so that higher is "
        "closer to its own ideal",
    )


def values_table(values: pl.DataFrame) -> Table:
    """One row per system and measure."""
    columns = keyed("system", "measure", "value", "n_queries", "n_undefined")
    return Table(columns, tuple(values.select(column.key for column in columns).rows()))


def systems_table(values: pl.DataFrame, name: str) -> Table:
    """A row per system, a column per measure; people read its direction in the heading."""
    measures = dict(values.select("measure", "better").unique().sort("measure").rows())
    by_system = values.pivot(on="measure", index="system", values="value", aggregate_function="last")
    return Table(
        (
            Column("system"),
            *(Column(measure, f"{measure} {ARROWS[way]}", "number") for measure, way in measures.items()),
        ),
        tuple(by_system.select("system", *measures).rows()),
        caption=f"Every measure of every system, {name}",
        audience="papers",
    )


def measures_table(values: pl.DataFrame) -> Table:
    """One row per measure: which way it improves."""
    rows = tuple(values.select("measure", "better").unique().sort("measure").rows())
    return Table(keyed("measure", "better"), rows, "Which way each measure improves", audience="programs")


def consistent_table(pairs: pl.DataFrame, data_sets: Sequence[str]) -> Table:
    """One row per pair with one sign of τ in all data sets, strongest first."""
    return Table(
        keyed("measure_a", "measure_b", *data_sets, signed=tuple(data_sets)),
        tuple((*pair, *taus) for *pair, taus in pairs.select("measure_a", "measure_b", "taus").iter_rows()),
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
    values: Sequence[pl.DataFrame],
    refused: Sequence[Sequence[Refusal]],
    agreements: "Sequence[Agreement]",
    consistent: pl.DataFrame,
) -> dict[str, Table]:
    """Every table by stem.

    Args:
        values: Every measure of every system on each data set.
        refused: What could not be computed on each.
        agreements: One per data set.
        consistent: Pairs of measures with one sign of τ in all data sets.
    """
    refusals = [refusal for of_set in refused for refusal in of_set]
    made = {
        "pairs": pairs_table(agreements),
        "values": values_table(pl.concat(values)),
        "systems": systems_table(values[0], agreements[0].name),
        "measures": measures_table(values[0]),
        "refused": Table(keyed(*Refusal._fields), tuple(refusals), audience="programs"),
        "left-out": left_out_table(refusals),
    }
    if len(agreements) > 1:
        made["consistent"] = consistent_table(consistent, [one.name for one in agreements])
    return made
