"""Kendall's τ between measures over systems, and the values that it is of."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.evaluation.compare import direction
from fairviz.evaluation.rankings import Refusal
from fairviz.model import Look, MeasureSpec, Scores, SystemScore
from fairviz.stats.correlation import Variant, chance_tau, kendall_tau
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.agreement.orders import Orders

LEVEL = 0.05
"""How often chance alone may give a |τ| that is called beyond chance."""

PAIRS = {"measure_a": pl.String, "measure_b": pl.String, "tau": pl.Float64, "n_systems": pl.Int64, "few": pl.Boolean}
"""Two measures, τ over the systems that have both (NaN = undefined), and whether a value of either rests on too few
queries for anything to be said."""


class Agreement(NamedTuple):
    """Kendall's τ between all measures on one data set: 1 = the same order of systems, −1 = reversed.

    Attributes:
        name: Of the data set.
        variant: How ties are accounted for.
        pairs: Each two measures once, the earlier one first, in the order of the measures: :data:`PAIRS`.
        values: Every measure of every system, see :func:`values_of`.
        refused: Measures that could not be computed.
        orders: What each measure says of the systems, where they are two to nine.
        looks: Colours of systems, as the table of systems says.
    """

    name: str
    variant: Variant
    pairs: pl.DataFrame
    values: pl.DataFrame
    refused: tuple[Refusal, ...] = ()
    orders: Orders | None = None
    looks: Mapping[str, Look] = MappingProxyType({})

    @property
    def measures(self) -> list[str]:
        """All measures in their order."""
        return pl.concat([self.pairs["measure_a"], self.pairs["measure_b"]]).unique(maintain_order=True).to_list()

    @property
    def alone(self) -> str:
        """The measure that could be computed where no other could; else empty."""
        return "" if self.pairs.height or self.values.is_empty() else self.values["measure"][0]

    @property
    def directions(self) -> dict[str, str]:
        """How each measure with a value improves: "higher", "lower" or "closest to 0"."""
        return dict(self.values.select("measure", "better").unique().sort("measure").iter_rows())

    @property
    def n_systems(self) -> int:
        """Systems that any two measures have in common."""
        return max(self.pairs["n_systems"].to_list(), default=0)

    @property
    def clustered(self) -> list[str]:
        """All measures, those of like orders beside each other: average linkage of 1 − τ, 1 where it is undefined."""
        from scipy.cluster.hierarchy import leaves_list, linkage  # only where a matrix is drawn

        measures = self.measures
        if len(measures) < 3:
            return measures
        distances = 1 - np.nan_to_num(self.pairs["tau"].to_numpy())
        return [measures[index] for index in leaves_list(linkage(distances, "average", optimal_ordering=True))]

    @property
    def classes(self) -> pl.DataFrame:
        """The pairs with ``says``: "same order" or "opposite" where that is beyond chance, "unrelated" where not."""
        beyond = self.beyond_chance.select("measure_a", "measure_b", beyond=pl.lit(True))
        way = pl.when(pl.col("tau") > 0).then(pl.lit("same order")).otherwise(pl.lit("opposite"))
        return self.pairs.join(beyond, on=["measure_a", "measure_b"], how="left", maintain_order="left").select(
            pl.exclude("beyond"), says=pl.when("beyond").then(way).otherwise(pl.lit("unrelated"))
        )

    @property
    def defined(self) -> pl.DataFrame:
        """Pairs that have a τ, from reversed to alike."""
        return self.pairs.filter(pl.col("tau").is_not_nan()).sort("tau", maintain_order=True)

    @property
    def reported(self) -> pl.DataFrame:
        """Pairs that rest on enough queries for a statement."""
        return self.defined.filter(~pl.col("few"))

    @property
    def beyond_chance(self) -> pl.DataFrame:
        """Pairs beyond chance though all were looked at: 5 % divided by their number (Bonferroni).

        From reversed to alike. Unrelated measures reach such a |τ| with at most that probability. None where orders of
        few systems are tested: two tests of one question could contradict each other.
        """
        pairs = self.reported if self.orders is None else self.reported.clear()
        level = LEVEL / max(pairs.height, 1)
        by_chance = {n: chance_tau(n, level=level) for n in pairs["n_systems"].unique()}
        limit = pl.col("n_systems").replace_strict(by_chance, return_dtype=pl.Float64)
        return pairs.filter(limit.is_not_nan() & (pl.col("tau").abs() >= limit - 1e-9))


def values_of(scores: Sequence[Scores | SystemScore], specs: Sequence[MeasureSpec]) -> pl.DataFrame:
    """A row per system and measure: its value, how it improves, the queries in it and the others.

    ``turned`` is the value times its ``sign``, so that higher is closer to the measure's own ideal. Measures are in the
    order of the specs; one that no system has a score of is in no row.
    """
    better = {spec.shown: direction(spec) for spec in specs}
    rows = [
        (score.system, score.measure, score.value, score.n_defined, score.n_undefined, better[score.measure])
        for score in scores
    ]
    schema = {
        "system": pl.String,
        "measure": pl.Enum(list(better)),
        "value": pl.Float64,
        "n_queries": pl.Int64,
        "n_undefined": pl.Int64,
        "better": pl.String,
    }
    value = pl.col("value")
    towards_0 = pl.when(value < 0).then(1.0).otherwise(-1.0)
    sign = pl.col("better").replace_strict({"higher": 1.0, "lower": -1.0}, default=towards_0)
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(sign=sign, turned=sign * value)


def agreement_of(values: pl.DataFrame, *, name: str, variant: Variant = "c") -> Agreement:
    """Kendall's τ between measures over systems, each measure turned to its own ideal.

    A system that one of two measures does not define leaves that pair; infinite values take part
    as the extreme of the order. With fewer than two systems in common τ is NaN.

    Args:
        values: See :func:`values_of`.
        name: Of the data set.
        variant: "c" (default, the paper's) or "b".
    """
    fewest = values.group_by("measure").agg(pl.min("n_queries")).sort("measure")
    few = {measure: n < MIN_UNITS for measure, n in fewest.iter_rows()}
    by_system = values.pivot(on="measure", index="system", values="turned", aggregate_function="last")
    sides = {measure: by_system[measure].fill_null(np.nan).to_numpy() for measure in few}
    rows = [
        (a, b, kendall_tau(x, y, variant=variant), int((~np.isnan(x) & ~np.isnan(y)).sum()), few[a] or few[b])
        for (a, x), (b, y) in combinations(sides.items(), 2)
    ]
    return Agreement(name, variant, pl.DataFrame(rows, schema=PAIRS, orient="row"), values)


def consistent_pairs(agreements: Sequence[Agreement]) -> pl.DataFrame:
    """Pairs that agree, or disagree, in every data set: one sign of τ throughout.

    Returns:
        Their measures, ``taus`` in each data set, ``weakest``: the smallest |τ|, by which they are sorted, the largest
        first, and ``beyond_chance``: whether it is beyond chance in every one. A pair that a data set lacks, leaves
        undefined or has too few queries for, or whose τ is 0 somewhere, is none of them.
    """
    pair = ["measure_a", "measure_b"]
    decided_pairs = [
        each.reported.join(each.beyond_chance.select(*pair, beyond=True), on=pair, how="left") for each in agreements
    ]
    of_pairs = (
        pl.concat(decided_pairs)
        .group_by(pair)
        .agg(taus="tau", weakest=pl.col("tau").abs().min(), beyond_chance=pl.col("beyond").count() == len(agreements))
    )
    taus = pl.col("taus").list
    return (
        agreements[0]
        .pairs.select(pair)
        .join(of_pairs, on=pair, maintain_order="left")
        .filter(taus.len() == len(agreements), taus.min() * taus.max() > 0)
        .sort("weakest", descending=True, maintain_order=True)
    )
