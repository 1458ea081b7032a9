"""What each measure says of a few systems: their order, best first, and which pairs of them it tells apart.

Below ten systems no correlation of two orders is beyond chance once all pairs of measures are looked at. What a measure
says of the systems at hand can be tested all the same: paired t-tests over queries, and a paired bootstrap over queries
where a measure has one value per system; Holm over all pairs of systems and all measures of the table.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np
import polars as pl

from fairviz.evaluation.compare import compare_all, corrected
from fairviz.model import FloatArray, Scores, SystemScore
from fairviz.model.results import Counts
from fairviz.stats.tests import MIN_UNITS

S = TypeVar("S", Scores, SystemScore)
FEW = 10
"""Systems from which on measures are compared by the correlation of their orders."""
NO_RESAMPLES = 2
"""Of means, whose tests are of t: intervals are not shown, and not drawn."""
TESTS = {
    **dict.fromkeys(("measure", "better", "worse"), pl.String),
    **dict.fromkeys(("difference", "p", "p_holm"), pl.Float64),
    "n_queries": pl.Int64,
    "told": pl.Boolean,
}
"""Two systems under a measure, the better one first: ``difference`` of both, turned so that it is not negative."""


class Orders(NamedTuple):
    """The orders that measures put some systems into.

    Attributes:
        name: Of the data set.
        places: A row per measure and system with a value, of each measure the best system first: ``measure``,
            ``system``, ``value``, ``joined`` (whether it is not told from the next one).
        tests: A row per measure and pair of systems: :data:`TESTS`.
        undefined: Systems without a value by measure.
        untested: Why measures with values have no test.
        resampled: Measures of one value per system, which are tested by a bootstrap.
    """

    name: str
    places: pl.DataFrame
    tests: pl.DataFrame
    undefined: Mapping[str, Sequence[str]]
    untested: Mapping[str, str]
    resampled: Sequence[str] = ()

    @property
    def systems(self) -> int:
        """Systems that any measure orders."""
        return self.places["system"].n_unique()

    @property
    def separated(self) -> list[tuple[str, int, int]]:
        """(measure, pairs told apart, pairs) of measures that tell any, most pairs first, like orders together."""
        counts = self._counts().filter(pl.col("told") > 0)
        firsts = self.places.group_by("measure", maintain_order=True).agg(order=pl.col("system").str.join("\n"))
        by_order = counts.join(firsts, on="measure", maintain_order="left").sort(
            "told", "order", descending=[True, False], maintain_order=True
        )
        return by_order.select("measure", "told", "pairs").rows()

    @property
    def untold(self) -> list[tuple[str, int, int]]:
        """(measure, 0, pairs) of measures that are tested and tell no pair apart."""
        return self._counts().filter(pl.col("told") == 0).rows()

    @property
    def tested(self) -> list[tuple[str, int, int]]:
        """(measure, pairs told apart, pairs) of all measures that are tested, those that tell any first."""
        return [*self.separated, *self.untold]

    @property
    def n_queries(self) -> int:
        """Queries of the pair that has most."""
        return int(self.tests["n_queries"].to_numpy().max(initial=0))

    @property
    def enough(self) -> bool:
        """Whether any pair has queries enough for a test."""
        return self.n_queries >= MIN_UNITS

    def order(self, measure: str) -> pl.DataFrame:
        """The systems of a measure, best first."""
        return self.places.filter(pl.col("measure") == measure)

    def opposed(self) -> pl.DataFrame:
        """How often two measures say the opposite of two systems that both tell apart.

        Returns:
            ``measure_a``, ``measure_b``, ``both`` (pairs of systems that both tell apart) and ``opposed``, of measures
            that tell a pair in common; most opposed first, then of most pairs.
        """
        decided_pairs = self.tests.filter("told").select(
            "measure", "better", pair=pl.concat_list("better", "worse").list.sort().list.join("\n")
        )
        order = {measure: index for index, (measure, *_) in enumerate(self.separated)}
        index = pl.col("measure").replace_strict(order, return_dtype=pl.Int64)
        decided_pairs = decided_pairs.with_columns(place=index)
        return (
            decided_pairs.join(decided_pairs, on="pair", suffix="_b")
            .filter(pl.col("place") < pl.col("place_b"))
            .group_by(measure_a="measure", measure_b="measure_b")
            .agg(
                both=pl.len(),
                opposed=(pl.col("better") != pl.col("better_b")).sum(),
                place=pl.first("place"),
                place_b=pl.first("place_b"),
            )
            .sort("opposed", "both", "place", "place_b", descending=[True, True, False, False])
            .select("measure_a", "measure_b", "both", "opposed")
        )

    def consistent(self) -> list[list[str]]:
        """Sets of measures that never contradict each other, each named by its first, which tells most pairs."""
        against = {(a, b) for a, b, _, n in self.opposed().rows() if n}
        sets: list[list[str]] = []
        for measure, *_ in self.separated:
            fits = (family for family in sets if not any((a, measure) in against for a in family))
            match = next(fits, None)
            if match is None:
                sets.append([measure])
            else:
                match.append(measure)
        return sets

    def _counts(self) -> pl.DataFrame:
        return self.tests.group_by("measure", maintain_order=True).agg(pl.sum("told"), pairs=pl.len())


def orders_of(name: str, scores: Sequence[Scores | SystemScore], values: pl.DataFrame) -> Orders:
    """Order the systems by each measure, and test every pair.

    A measure that is best at 0 is taken by the distance of a system's mean from 0.

    Args:
        name: Of the data set.
        scores: Every measure of every system.
        values: Their means, see :func:`~fairviz.studies.agreement.analysis.values_of`.
    """
    defined = values.filter(pl.col("value").is_not_nan()).sort("measure", "turned", descending=[False, True])
    places = defined.select(pl.col("measure").cast(pl.String), "system", "value")
    signs = {(measure, system): sign for measure, system, sign in values.select("measure", "system", "sign").rows()}
    tests = _tests(scores, signs)
    decided = {(measure, frozenset(pair)) for measure, *pair, decided in tests.select(*PAIR, "told").rows() if decided}
    rows = places.select("measure", "system").rows()
    joined = [
        measure == below and (measure, frozenset((system, other))) not in decided
        for (measure, system), (below, other) in zip(rows, [*rows[1:], ("", "")], strict=True)
    ]
    missing = values.filter(pl.col("value").is_nan()).group_by("measure", maintain_order=True).agg("system")
    tested = {*tests["measure"]}
    untested = {score.measure: _why_not(score) for score in scores if score.measure in {*places["measure"]} - tested}
    joined_places = places.with_columns(joined=pl.Series(joined, dtype=pl.Boolean))
    resampled = dict.fromkeys(score.measure for score in scores if isinstance(score, SystemScore))
    of_systems = [measure for measure in resampled if measure in tested]
    return Orders(name, joined_places, tests, dict(missing.rows()), untested, of_systems)


PAIR = ("measure", "better", "worse")


def _why_not(score: Scores | SystemScore) -> str:
    """Why a measure of systems is not tested."""
    if isinstance(score, Scores) and score.aggregate != "mean":
        return "an extreme of its queries"
    if isinstance(score, SystemScore) and not score.is_resampled:
        return "one value per system, not a mean over queries"  # queries drawn twice do not give it
    infinite = isinstance(score, Scores) and np.isinf(score.values).any()
    return "infinite for some query" if infinite else "no two systems have a query in common"


def _tests(scores: Sequence[Scores | SystemScore], signs: Mapping[tuple[str, str], float]) -> pl.DataFrame:
    """Every pair of systems under every measure that is finite and no extreme of its queries, in one family."""
    means = [
        replace(score, values=signs[score.measure, score.system] * score.values)
        for score in scores
        if isinstance(score, Scores) and score.aggregate == "mean" and not np.isinf(score.values).any()
    ]
    whole = [
        replace(score, statistic=partial(_turned, score.statistic, signs[score.measure, score.system]))
        for score in scores
        if isinstance(score, SystemScore)
    ]
    gaps = [*compare_all(_pairs(means), seed=0, n_resamples=NO_RESAMPLES), *compare_all(_pairs(whole), seed=0)]
    rows: list[tuple[object, ...]] = []
    for gap in (row for row in corrected(gaps) if row.verdict != "no test"):
        pair = (gap.system, gap.reference) if gap.difference >= 0 else (gap.reference, gap.system)
        decided = gap.verdict in ("higher", "lower")
        rows.append((gap.measure, *pair, abs(gap.difference), gap.p, gap.p_holm, gap.n_queries, decided))
    return pl.DataFrame(rows, schema=TESTS, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))


def _turned(statistic: Callable[[Counts], FloatArray], sign: float, counts: Counts) -> FloatArray:
    """A statistic of resamples, so that higher is closer to the measure's own ideal."""
    return sign * statistic(counts)


def _pairs(scores: Sequence[S]) -> list[tuple[S, S]]:
    """Every two systems under each measure."""
    return [(score, other) for score, other in combinations(scores, 2) if score.measure == other.measure]
