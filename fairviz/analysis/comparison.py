"""Two systems on one measure or several, paired by query."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.alignment import lookup
from fairviz.analysis.significance import Verdict, holm, paired_t_test, verdict
from fairviz.analysis.uncertainty import N_RESAMPLES, Interval, paired_bootstrap
from fairviz.errors import UndefinedError
from fairviz.model import FloatArray, Scores


class Comparison(NamedTuple):
    """Mean of ``system`` minus mean of ``reference`` over the queries where both have a value.

    Attributes:
        interval: 95 % paired bootstrap over those queries.
        verdict: "higher" or "lower" where the interval excludes 0, or, in a table of several
            comparisons, where Holm's p allows it; else "not distinguishable".
        n_queries: Queries compared.
        n_left_out: Queries of either system without a value in both.
        p: Of the paired t-test; NaN where there is none.
        p_holm: The same, corrected over the table; equal to p where there is one comparison.
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


class PairedValues(NamedTuple):
    """(Q) values of two systems for the queries of either, NaN = undefined there."""

    query_ids: tuple[str, ...]
    system: FloatArray
    reference: FloatArray


def paired_values(scores: Scores, reference: Scores) -> PairedValues:
    """Values of two systems side by side, by query: first those of the system, then the rest.

    Raises:
        ValueError: If the measures differ.
    """
    if scores.measure != reference.measure:
        raise ValueError(f"cannot compare {scores.measure} with {reference.measure}")
    queries = tuple(dict.fromkeys((*scores.query_ids, *reference.query_ids)))
    return PairedValues(queries, _placed(scores, queries), _placed(reference, queries))


def compare(
    scores: Scores,
    reference: Scores,
    *,
    rng: np.random.Generator,
    n_resamples: int = N_RESAMPLES,
) -> Comparison:
    """Compare two systems on one measure with a paired bootstrap over their common queries.

    Raises:
        ValueError: If the measures differ.
        UndefinedError: If no query has a value in both.
    """
    values = paired_values(scores, reference)
    paired = paired_bootstrap(values.system, values.reference, rng=rng, n_resamples=n_resamples)
    if paired.n_queries == 0:
        raise UndefinedError(
            f"{scores.system} and {reference.system} have no query with a value of {scores.measure} in common"
        )
    p = paired_t_test(values.system, values.reference).p
    return Comparison(
        system=scores.system,
        reference=reference.system,
        measure=scores.measure,
        difference=paired.difference,
        interval=paired.interval,
        verdict=_verdict(paired.interval),
        n_queries=paired.n_queries,
        n_left_out=len(values.query_ids) - paired.n_queries,
        p=p,
        p_holm=p,
    )


def compare_all(
    pairs: Sequence[tuple[Scores, Scores]], *, seed: int, n_resamples: int = N_RESAMPLES
) -> tuple[Comparison, ...]:
    """A table of comparisons, each (system, reference): p is corrected by Holm over the table.

    Pairs without a common query are left out. Every row draws from the seed anew, so that its
    interval does not depend on the company it is in.
    """
    found: list[Comparison] = []
    for scores, reference in pairs:
        values = paired_values(scores, reference)
        if not np.isnan(values.system - values.reference).all():
            rng = np.random.default_rng(seed)
            found.append(compare(scores, reference, rng=rng, n_resamples=n_resamples))
    adjusted: list[float] = holm(np.array([row.p for row in found])).tolist()
    return tuple(
        row._replace(p_holm=p_holm, verdict=verdict(row.difference, p_holm))
        for row, p_holm in zip(found, adjusted, strict=True)
    )


def _placed(scores: Scores, queries: Sequence[str]) -> FloatArray:
    index = {query: q for q, query in enumerate(scores.query_ids)}
    return np.append(scores.values, np.nan)[lookup(queries, index)]


def _verdict(interval: Interval) -> Verdict:
    if np.isnan(interval.low):
        return "too few to test"
    if interval.low > 0:
        return "higher"
    return "lower" if interval.high < 0 else "not distinguishable"
