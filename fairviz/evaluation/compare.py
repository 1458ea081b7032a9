"""Systems beside each other: two paired by query, many by many measures, each with the way it improves."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import NamedTuple

import numpy as np

from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.describe import Better
from fairviz.model import FloatArray, MeasureSpec, Scores, SystemScore
from fairviz.model.arrays import positions
from fairviz.stats.bootstrap import (
    N_RESAMPLES,
    UNDEFINED,
    Interval,
    data_and_resamples,
    interval_of,
    paired_bootstrap,
    resampled_p,
)
from fairviz.stats.tests import ROUNDING, Verdict, holm, paired_t_test, tested, verdict


class Comparison(NamedTuple):
    """Mean of ``system`` minus mean of ``reference`` over the queries where both have a value.

    Attributes:
        interval: 95 % paired bootstrap over those queries.
        verdict: "higher" or "lower" where ``p_holm`` allows it, and queries are enough; else
            "no significant difference" or "too few to test".
        n_queries: Queries compared.
        n_left_out: Queries of either system without a value in both.
        p: Of the paired t-test, or of the resamples where the measure is one value per system; NaN where there is none.
        p_holm: The same, corrected over the table; equal to p where there is one comparison.
        wins, ties, losses: Queries on which ``system`` has more, as much and less than ``reference``; 0 where a measure
            has no value per query.
        n_unjudged: (query, document) pairs that either shows and nobody judged.
        bounds: Smallest and largest difference that these could make, see :mod:`fairviz.evaluation.baseline`.
        tie_band: The same over all orders of the tied documents of both, see :mod:`fairviz.evaluation.evaluate`.
    """

    system: str
    reference: str
    measure: str
    difference: float
    interval: Interval
    verdict: Verdict
    n_queries: int
    n_left_out: int
    p: float = float("nan")
    p_holm: float = float("nan")
    wins: int = 0
    ties: int = 0
    losses: int = 0
    n_unjudged: int = 0
    bounds: Interval = UNDEFINED
    tie_band: Interval = UNDEFINED


class PairedValues(NamedTuple):
    """(Q) values of two systems for the queries of either, NaN = undefined there."""

    query_ids: tuple[str, ...]
    system: FloatArray
    reference: FloatArray


def paired_values(scores: Scores, reference: Scores) -> PairedValues:
    """Values of two systems side by side, by query: first those of the system, then the rest.

    A query that a system did not rank has none here, although usual measures count it 0 in the mean: two systems are
    compared over queries that both ranked.

    Raises:
        ValueError: If the measures differ.
    """
    if scores.measure != reference.measure:
        raise ValueError(f"cannot compare {scores.measure} with {reference.measure}")
    queries = tuple(dict.fromkeys((*scores.query_ids, *reference.query_ids)))
    return PairedValues(queries, _placed(scores, queries), _placed(reference, queries))


def paired_systems(score: SystemScore, reference: SystemScore) -> tuple[SystemScore, SystemScore]:
    """Both over the queries that take part in both.

    Raises:
        ValueError: If the measures differ.
    """
    if score.measure != reference.measure:
        raise ValueError(f"cannot compare {score.measure} with {reference.measure}")
    ours, theirs = (frozenset(compress(one.query_ids, one.defined)) for one in (score, reference))
    return score.among(ours & theirs), reference.among(ours & theirs)


def compare_all(
    pairs: Sequence[tuple[Scores, Scores] | tuple[SystemScore, SystemScore]],
    *,
    seed: int,
    n_resamples: int = N_RESAMPLES,
) -> tuple[Comparison, ...]:
    """A table of comparisons, each (system, reference): p is corrected by Holm over the rows that enough queries have.

    Pairs without a common query are left out. Every row draws from the seed anew, so that its
    interval does not depend on the company it is in.

    Raises:
        ValueError: If the measures of a pair differ.
    """
    rows: list[Comparison | None] = []
    for one, other in pairs:
        rng = np.random.default_rng(seed)
        if isinstance(one, SystemScore) and isinstance(other, SystemScore):
            rows.append(_of_systems(one, other, rng, n_resamples))
        elif isinstance(one, Scores) and isinstance(other, Scores):
            rows.append(_of_queries(one, other, rng, n_resamples))
    known = [row for row in rows if row is not None]
    p = np.array([tested(row.p, row.n_queries) for row in known], dtype=np.float64)
    adjusted: list[float] = holm(p).tolist()
    return tuple(
        row._replace(p_holm=p_holm, verdict=verdict(row.difference, p_holm, row.n_queries))
        for row, p_holm in zip(known, adjusted, strict=True)
    )


def _of_queries(scores: Scores, reference: Scores, rng: np.random.Generator, n_resamples: int) -> Comparison | None:
    """By a paired bootstrap over the common queries; None where no query has a value in both."""
    values = paired_values(scores, reference)
    paired = paired_bootstrap(values.system, values.reference, rng=rng, n_resamples=n_resamples)
    if paired.n_queries == 0:
        return None
    gaps = values.system - values.reference
    return Comparison(
        scores.system,
        reference.system,
        scores.measure,
        paired.difference,
        paired.interval,
        "too few to test",
        paired.n_queries,
        len(values.query_ids) - paired.n_queries,
        paired_t_test(values.system, values.reference).p,
        wins=int((gaps > ROUNDING).sum()),
        ties=int((np.abs(gaps) <= ROUNDING).sum()),
        losses=int((gaps < -ROUNDING).sum()),
        tie_band=_tie_band(scores, reference),
    )


def _of_systems(
    score: SystemScore, reference: SystemScore, rng: np.random.Generator, n_resamples: int
) -> Comparison | None:
    """Both over the same queries and resamples of them; None where either has no value, or they share no query."""
    pair = paired_systems(score, reference)
    queries = tuple(dict.fromkeys((*score.query_ids, *reference.query_ids)))
    counts = data_and_resamples(len(queries), rng=rng, n_resamples=n_resamples)
    ours, theirs = (one.statistic(counts.of(positions(one.query_ids, queries))) for one in pair)
    n_queries, statistics = int(pair[0].defined.sum()), ours - theirs
    if np.isnan(statistics[0]) or not n_queries:
        return None
    return Comparison(
        score.system,
        reference.system,
        score.measure,
        float(statistics[0]),
        interval_of(statistics, n_queries),
        "too few to test",
        n_queries,
        len(queries) - n_queries,
        float(resampled_p(statistics, n_queries)),
    )


def _tie_band(scores: Scores, reference: Scores) -> Interval:
    """Mean of the smallest and of the largest differences over all orders of tied documents; NaN where none is tied."""
    if scores.tied is None and reference.tied is None:
        return UNDEFINED
    (low, high), (their_low, their_high) = (
        (score.values, score.values) if score.tied is None else score.tied for score in (scores, reference)
    )
    ends = ((low, their_high), (high, their_low))
    sides = (paired_values(replace(scores, values=a), replace(reference, values=b)) for a, b in ends)
    return Interval(*(float(np.nanmean(side.system - side.reference)) for side in sides))


def _placed(scores: Scores, queries: Sequence[str]) -> FloatArray:
    return np.append(np.where(scores.ranked, scores.values, np.nan), np.nan)[positions(queries, scores.query_ids)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredSystems:
    """Every measure of every system on one data set.

    Attributes:
        name: Of the data set: what was judged and labelled.
        systems: S names.
        measures: X measure strings as typed.
        better: (X) which way each measure improves.
        values: (S, X) values, NaN = undefined.
        n_queries: (X) queries behind each measure: the fewest that a value of it has; empty where it is not known.
    """

    name: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    better: tuple[Better, ...]
    values: FloatArray
    n_queries: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        shape = (len(self.systems), len(self.measures))
        if self.values.shape != shape or len(self.better) != shape[1]:
            raise ValueError(f"{self.name}: expected values of shape {shape}")

    @property
    def turned(self) -> FloatArray:
        """(S, X) the values turned so that higher is closer to the measure's own ideal."""
        nearness = -np.abs(self.values)
        signs = np.array([1.0 if better == "higher" else -1.0 for better in self.better])
        to_zero = np.array([better == "closest to 0" for better in self.better], dtype=np.bool_)
        return np.where(to_zero, nearness, signs * self.values)


def short_names(measures: Sequence[str]) -> tuple[str, ...]:
    """Measure strings without their parameters, where that leaves them distinct.

    Examples:
        >>> short_names(["EED(by='group')@5", "AWRF(gamma=0.2)", "AWRF"])
        ('EED@5', 'AWRF(gamma=0.2)', 'AWRF')
    """
    short = [re.sub(r"\(.*\)", "", measure) for measure in measures]
    counts = Counter(short)
    return tuple(name if counts[name] == 1 else whole for name, whole in zip(short, measures, strict=True))


def direction(spec: MeasureSpec) -> Better:
    """Which way a measure improves; those of ir-measures are all better when higher."""
    measure = CATALOGUE.get(spec.name)
    return measure.direction(spec.params) if measure else "higher"


def measured_systems(
    name: str, scores: Sequence[Scores | SystemScore], specs: Sequence[MeasureSpec]
) -> MeasuredSystems:
    """Values as a table of systems and measures.

    Args:
        name: Of the data set.
        scores: One per system and measure, as ``evaluate`` gives them.
        specs: The measures asked for; one that no system has a score of is left out.
    """
    systems = tuple(dict.fromkeys(score.system for score in scores))
    value_of = {(score.system, score.measure): score.value for score in scores}
    scored = {score.measure for score in scores}
    measured = {text: spec for spec in specs if (text := spec.shown) in scored}
    rows = [[value_of.get((system, text), float("nan")) for text in measured] for system in systems]
    return MeasuredSystems(
        name=name,
        systems=systems,
        measures=tuple(measured),
        better=tuple(direction(spec) for spec in measured.values()),
        values=np.array(rows, dtype=np.float64).reshape(len(systems), len(measured)),
        n_queries=tuple(
            min(score.n_queries - score.n_undefined for score in scores if score.measure == text) for text in measured
        ),
    )
