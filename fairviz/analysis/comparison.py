"""Two systems on one measure, paired by query."""

from typing import NamedTuple

import numpy as np

from fairviz.alignment import lookup
from fairviz.analysis.significance import Verdict
from fairviz.analysis.uncertainty import N_RESAMPLES, Interval, paired_bootstrap
from fairviz.errors import UndefinedError
from fairviz.model import Scores


class Comparison(NamedTuple):
    """Mean of ``system`` minus mean of ``reference`` over the queries where both have a value.

    Attributes:
        interval: 95 % paired bootstrap over those queries.
        verdict: "higher" or "lower" where the interval excludes 0; else "not distinguishable".
        n_queries: Queries compared.
        n_left_out: Queries of either system without a value in both.
    """

    system: str
    reference: str
    measure: str
    difference: float
    interval: Interval
    verdict: Verdict
    n_queries: int
    n_left_out: int


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
    if scores.measure != reference.measure:
        raise ValueError(f"cannot compare {scores.measure} with {reference.measure}")
    index = {query: q for q, query in enumerate(reference.query_ids)}
    other = np.append(reference.values, np.nan)[lookup(scores.query_ids, index)]
    paired = paired_bootstrap(scores.values, other, rng=rng, n_resamples=n_resamples)
    if paired.n_queries == 0:
        raise UndefinedError(
            f"{scores.system} and {reference.system} have no query with a value of "
            f"{scores.measure} in common"
        )
    all_queries = set(scores.query_ids) | set(reference.query_ids)
    return Comparison(
        system=scores.system,
        reference=reference.system,
        measure=scores.measure,
        difference=paired.difference,
        interval=paired.interval,
        verdict=_verdict(paired.interval),
        n_queries=paired.n_queries,
        n_left_out=len(all_queries) - paired.n_queries,
    )


def _verdict(interval: Interval) -> Verdict:
    if np.isnan(interval.low):
        return "too few to test"
    if interval.low > 0:
        return "higher"
    return "lower" if interval.high < 0 else "not distinguishable"
