"""Measures of parity in single rankings, described: AWRF, PreF, FAIR (binomial), and those of prefixes.

Each holds the groups of a list against a target, or against the whole list; usefulness does not enter. Over the
rankings of a query, and then over queries, they are averaged. Of two groups the smaller one is the protected group
unless ``group=…`` names it; with more groups the name is asked for.

Of prefixes there are KL, NDKL, nDRKL, skews and feasibility. ``FeasibleRank`` ("feasible up to rank") is a measure of
its own beside InfeasibleIndex: its smallest value over queries is what the FAIR paper reports.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from fairviz.metrics.describe import (
    CASCADE_NEEDS,
    GAIN_PARAMETERS,
    GROUP,
    MISSING,
    Better,
    GroupOptions,
    Parameter,
    Span,
    When,
    aggregated,
    browsing_parameters,
    over,
)
from fairviz.metrics.group_evidence import GroupEvidence, GroupMeasure, Weighting
from fairviz.metrics.group_exposure import awrf
from fairviz.metrics.prefixes import (
    fair_binomial,
    feasible_rank,
    infeasible_at,
    infeasible_count,
    infeasible_index,
    kl_at,
    largest,
    ndkl,
    ndrkl,
    prefix_fairness_values,
    skews,
    smallest,
)
from fairviz.metrics.statistic import OfMeans
from fairviz.model import FloatArray, IntArray

Infeasible: TypeAlias = Callable[[FloatArray, IntArray], FloatArray]


def _distance(evidence: GroupEvidence, options: GroupOptions, rows: FloatArray) -> FloatArray:
    """AWRF of rows that hold attention on groups, then target shares."""
    distance = options["distance"]
    group = evidence.protected(options) if distance == "absdiff" else None
    half = rows.shape[1] // 2
    if distance not in ("jsd", "kl", "l1", "absdiff"):
        raise ValueError(f"no distance of shares is named {distance!r}")
    return awrf(rows[:, :half], rows[:, half:], distance=distance, group=group)


def _awrf(evidence: GroupEvidence, options: GroupOptions) -> FloatArray:
    rows = np.column_stack([evidence.attention_on_groups(options), evidence.list_target])
    return _distance(evidence, options, rows)


def _system_awrf(evidence: GroupEvidence, options: GroupOptions) -> OfMeans:
    attention = evidence.query_means(evidence.attention_on_groups(options))
    ranked = np.isnan(attention[:, :1])
    parts = np.column_stack([attention, np.where(ranked, np.nan, evidence.target)])
    return OfMeans(parts, lambda rows: _distance(evidence, options, rows))


def _prefixes(evidence: GroupEvidence, options: GroupOptions) -> FloatArray:
    """PreF: of the protected group against the rest, or with KL of all groups."""
    distance = options["distance"]
    normalise = options["normalise"]
    if normalise:
        evidence.need_hard_labels()
    weights = evidence.weights
    if distance != "KL" or "group" in options:
        protected = evidence.protected(options)
        weights = np.column_stack([weights[:, protected], weights.sum(axis=1) - weights[:, protected]])
    if distance not in ("ND", "RD", "KL"):
        raise ValueError(f"no distance of prefixes is named {distance!r}")
    return prefix_fairness_values(
        weights, evidence.offsets, step=options["step"], distance=distance, normalise=normalise
    )


def _binomial(evidence: GroupEvidence, options: GroupOptions) -> FloatArray:
    evidence.need_hard_labels()
    group = evidence.protected(options)
    chance = options.get("p")
    n = evidence.offsets.size - 1
    p = np.full(n, chance) if chance is not None else evidence.list_target[:, group]
    applies, offsets = evidence.base
    return fair_binomial(evidence.weights[applies, group], offsets, p)


PARITY_MEASURES = (
    GroupMeasure(
        name="AWRF",
        label="AWRF",
        better="lower",
        range=(0, float(np.log(2))),
        parameters=(
            Parameter(
                name="distance",
                default="jsd",
                choices=("jsd", "kl", "l1", "absdiff"),
                meaning="distance of shares of attention from the target; absdiff: of one group",
            ),
            *browsing_parameters("geometric"),
            *GAIN_PARAMETERS,
            GROUP,
            MISSING,
            over("query"),
        ),
        needs_when=(CASCADE_NEEDS,),
        of_rankings=_awrf,
        of_system=_system_awrf,
        weighting="geometric",
    ),
    GroupMeasure(
        name="PreF",
        label="PreF",
        better="lower",
        range=(0, 1),
        parameters=(
            Parameter(
                name="distance",
                default="ND",
                choices=("ND", "RD", "KL"),
                meaning="difference of shares, difference of ratios, or KL in bits",
            ),
            Parameter(
                name="step",
                kind="whole",
                default=10,
                span=Span(2),
                meaning="distance between the ranks that are looked at",
            ),
            GROUP,
            Parameter(
                name="normalise",
                kind="flag",
                default=True,
                meaning="whether to divide by the exact maximum over lists of the same make-up",
            ),
        ),
        needs=("rankings", "groups"),
        of_rankings=_prefixes,
        weighting="prefixes",
        target="the full ranking",
        soft=False,
    ),
    GroupMeasure(
        name="FAIRBinomial",
        label="FAIR (binomial)",
        better="higher",
        range=(0, 1),
        parameters=(
            GROUP,
            Parameter(
                name="p",
                kind="number",
                default=None,
                span=Span(0, 1),
                meaning="chance that an item should be protected (default: the target's share)",
            ),
        ),
        needs_when=(When("p", (), drops=("target",)),),
        of_rankings=_binomial,
        weighting="none",
        target="a binomial chance",
        binomial=True,
        soft=False,
    ),
)


def _of_prefixes(
    name: str,
    better: Better,
    ends: tuple[float, float],
    kernel: Callable[[GroupEvidence, GroupOptions], FloatArray],
    *parameters: Parameter,
    label: str = "",
    weighting: Weighting = "prefixes",
) -> GroupMeasure:
    """A measure of every prefix, or with ``weighting="none"`` of the one at k alone."""
    return GroupMeasure(
        name=name,
        label=label or name,
        better=better,
        range=ends,
        parameters=parameters or (MISSING, aggregated()),
        of_rankings=kernel,
        weighting=weighting,
    )


def _skews(evidence: GroupEvidence) -> FloatArray:
    return skews(evidence.weights, evidence.offsets, evidence.list_target)


def _infeasible(evidence: GroupEvidence, options: GroupOptions, *, of_prefixes: Infeasible) -> FloatArray:
    """Prefixes that lack items of a group, weighed or counted; for a share of queries whether that at k does."""
    kernel = infeasible_at if options["aggregate"] == "share" else of_prefixes
    return kernel(evidence.shortfalls, evidence.base[1])


INFINITE = float("inf")
INFEASIBLE_PARAMETERS = (MISSING, aggregated("share"))
SMALLEST = Parameter(
    name="aggregate",
    default="min",
    choices=("min", "mean", "max"),
    meaning="over queries: the smallest (feasible for all), their mean or the largest",
)

PREFIX_MEASURES = (
    _of_prefixes(
        "KL", "lower", (0, INFINITE), lambda evidence, _: kl_at(evidence.divergence, evidence.offsets), weighting="none"
    ),
    _of_prefixes(
        "nDKL", "lower", (0, INFINITE), lambda evidence, _: ndkl(evidence.divergence, evidence.offsets), label="NDKL"
    ),
    _of_prefixes("nDRKL", "higher", (0, 1), lambda evidence, _: ndrkl(evidence.divergence, evidence.offsets)),
    _of_prefixes(
        "Skew",
        "closest to 0",
        (-INFINITE, INFINITE),
        lambda evidence, options: _skews(evidence)[:, evidence.protected(options)],
        *(GROUP, MISSING, aggregated()),
        weighting="none",
    ),
    _of_prefixes(
        "MinSkew", "closest to 0", (-INFINITE, 0), lambda evidence, _: smallest(_skews(evidence)), weighting="none"
    ),
    _of_prefixes(
        "MaxSkew", "closest to 0", (0, INFINITE), lambda evidence, _: largest(_skews(evidence)), weighting="none"
    ),
    _of_prefixes(
        "InfeasibleIndex",
        "lower",
        (0, INFINITE),
        partial(_infeasible, of_prefixes=infeasible_index),
        *INFEASIBLE_PARAMETERS,
    ),
    _of_prefixes(
        "InfeasibleCount",
        "lower",
        (0, INFINITE),
        partial(_infeasible, of_prefixes=infeasible_count),
        *INFEASIBLE_PARAMETERS,
    ),
    _of_prefixes(
        "FeasibleRank",
        "higher",
        (0, INFINITE),
        lambda evidence, _: feasible_rank(evidence.shortfalls, evidence.base[1]),
        *(MISSING, SMALLEST),
        label="feasible up to rank",
    ),
)
