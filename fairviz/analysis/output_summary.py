"""Recorded outputs in a few numbers: how much of the list is used, and how evenly.

All intervals are percentile bootstraps over queries.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.analysis.output_panels import Generation
from fairviz.analysis.output_points import OutputPoints, concentration_change
from fairviz.analysis.uncertainty import (
    N_RESAMPLES,
    Interval,
    PairedDifference,
    bootstrap_interval,
    data_and_resamples,
    interval_of,
)
from fairviz.attribution import Attribution
from fairviz.model import FloatArray


class OutputSummary(NamedTuple):
    """One row of the consumption table: a generator under one setting.

    Attributes:
        name: The generator.
        setting: What changed its lists.
        rate: Mean EAR, with its interval.
        relevance: Mean EE-R of the lists given.
        disparity: Mean EE-D on the chosen scale of the page (``minmax``).
        given: Mean effective number of sources given, 1 / (‖ε‖² / (Σε)²).
        used: Mean effective number of sources attributed.
        change: Mean of the consumed minus the retrieved concentration on ``share``.
        utility: Mean EU.
        n_queries: Queries with an output that was given something.
        n_outputs: Outputs in all.
        single_sample: One output per query: concentration of use cannot be told from EAR.
    """

    name: str
    setting: str
    rate: float
    rate_interval: Interval
    relevance: float
    disparity: float
    given: float
    used: float
    change: PairedDifference
    utility: float
    n_queries: int
    n_outputs: int
    single_sample: bool


class RankDecline(NamedTuple):
    """How much more often the first given item is attributed than the last.

    Attributes:
        first: Share of outputs that attribute the item at rank 1.
        last: The same at ``last_rank``.
        last_rank: The last rank that was given in at least half as many outputs as the first.
        ratio: first / last; inf where the last is never attributed.
        interval: Of the ratio.
        n_queries: Queries with an output that was given something.
    """

    first: float
    last: float
    last_rank: int
    ratio: float
    interval: Interval
    n_queries: int


def output_summaries(
    groups: Sequence[Generation], *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES
) -> tuple[OutputSummary, ...]:
    """One row per generator and setting, in the order of the groups."""
    return tuple(
        _summary(group.name, setting, points, rng, n_resamples)
        for group in groups
        for setting, points in zip(group.settings, group.points, strict=True)
    )


def rank_decline(found: Attribution, *, rng: np.random.Generator, n_resamples: int = N_RESAMPLES) -> RankDecline:
    """Share of outputs that attribute rank 1, over that of the last rank commonly given.

    NaN throughout where no output was given two items.
    """
    given, used = _by_query_and_rank(found)
    total = given.sum(axis=0)
    common = np.flatnonzero(total >= max(0.5 * float(total.max(initial=0)), 1))
    n_queries = int((given.sum(axis=1) > 0).sum())
    if common.size < 2:
        nothing = Interval(np.nan, np.nan)
        return RankDecline(np.nan, np.nan, 0, np.nan, nothing, n_queries)
    last = int(common[-1])
    counts = data_and_resamples(given.shape[0], rng=rng, n_resamples=n_resamples)
    shares = _ratio(counts @ used[:, [0, last]], counts @ given[:, [0, last]])
    # The interval is found on first / (first + last), which stays finite where the last is 0.
    parts = _ratio(shares[:, 0], shares.sum(axis=1))
    low, high = interval_of(parts, n_queries)
    return RankDecline(
        first=float(shares[0, 0]),
        last=float(shares[0, 1]),
        last_rank=last + 1,
        ratio=_odds(float(parts[0])),
        interval=Interval(_odds(low), _odds(high)),
        n_queries=n_queries,
    )


def _odds(part: float) -> float:
    return np.inf if part == 1 else part / (1 - part)


def _summary(
    name: str, setting: str, points: OutputPoints, rng: np.random.Generator, n_resamples: int
) -> OutputSummary:
    share = points.on("share")
    return OutputSummary(
        name=name,
        setting=setting,
        rate=_mean(points.rate),
        rate_interval=bootstrap_interval(points.rate, rng=rng, n_resamples=n_resamples),
        relevance=_mean(points.relevance),
        disparity=_mean(points.attainable_disparity),
        given=_mean(1 / share.x),
        used=_mean(1 / share.y),
        change=concentration_change(points, rng=rng, n_resamples=n_resamples),
        utility=_mean(points.utility),
        n_queries=int((~np.isnan(points.rate)).sum()),
        n_outputs=int(points.n_samples.sum()),
        single_sample=points.single_sample,
    )


def _by_query_and_rank(found: Attribution) -> tuple[FloatArray, FloatArray]:
    """(Q, k) outputs given an item at each rank, and those of them that attribute it."""
    given, cited = found.given, found.attributed
    n_docs, k = len(given.doc_ids), found.k
    owner = np.repeat(np.arange(found.n_given.size), found.n_given)
    rank = np.arange(given.docs.size) - given.sample_offsets[owner]
    cites = np.repeat(np.arange(found.n_attributed.size), found.n_attributed) * n_docs + cited.docs
    used = np.isin(owner * n_docs + given.docs, cites)
    n_queries = len(given.query_ids)
    query = np.repeat(np.arange(n_queries), np.diff(given.query_offsets))[owner]
    cell = query * k + rank
    shape = (n_queries, k)
    return (
        np.bincount(cell, minlength=n_queries * k).reshape(shape).astype(np.float64),
        np.bincount(cell[used], minlength=n_queries * k).reshape(shape).astype(np.float64),
    )


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else np.nan


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    ratio = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=ratio, where=denominator != 0)
    return ratio
