"""Measures of prefixes, described: KL, NDKL, nDRKL, skews and feasibility.

``FeasibleRank`` ("feasible up to rank") is a measure of its own beside InfeasibleIndex: its smallest value over queries
is what the FAIR paper reports.
"""

from fairviz.metrics.describe import Parameter
from fairviz.metrics.group_evidence import GroupEvidence, GroupMeasure
from fairviz.metrics.group_parameters import GROUP, MISSING, GroupOptions, aggregated
from fairviz.metrics.prefixes import (
    feasible_rank,
    infeasible_at,
    infeasible_count,
    infeasible_index,
    kl_at,
    largest,
    ndkl,
    ndrkl,
    skews,
    smallest,
)
from fairviz.model import FloatArray

PREFIX_PARAMETERS = (MISSING, aggregated())


def _kl(evidence: GroupEvidence, _: GroupOptions) -> FloatArray:
    return kl_at(evidence.divergence, evidence.offsets)


def _ndkl(evidence: GroupEvidence, _: GroupOptions) -> FloatArray:
    return ndkl(evidence.divergence, evidence.offsets)


def _ndrkl(evidence: GroupEvidence, _: GroupOptions) -> FloatArray:
    return ndrkl(evidence.divergence, evidence.offsets)


def _skews(evidence: GroupEvidence) -> FloatArray:
    return skews(evidence.weights, evidence.offsets, evidence.list_target)


def _skew(evidence: GroupEvidence, options: GroupOptions) -> FloatArray:
    return _skews(evidence)[:, evidence.protected(options)]


def _min_skew(evidence: GroupEvidence, _: GroupOptions) -> FloatArray:
    return smallest(_skews(evidence))


def _max_skew(evidence: GroupEvidence, _: GroupOptions) -> FloatArray:
    return largest(_skews(evidence))


def _infeasible_index(evidence: GroupEvidence, options: GroupOptions) -> FloatArray:
    kernel = infeasible_at if options["aggregate"] == "share" else infeasible_index
    return kernel(evidence.shortfalls, evidence.base[1])


def _infeasible_count(evidence: GroupEvidence, options: GroupOptions) -> FloatArray:
    kernel = infeasible_at if options["aggregate"] == "share" else infeasible_count
    return kernel(evidence.shortfalls, evidence.base[1])


def _feasible_rank(evidence: GroupEvidence, _: GroupOptions) -> FloatArray:
    return feasible_rank(evidence.shortfalls, evidence.base[1])


PREFIX_MEASURES = (
    GroupMeasure(
        name="KL",
        label="KL",
        better="lower",
        range=(0, float("inf")),
        parameters=PREFIX_PARAMETERS,
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        of_rankings=_kl,
        weighting="none",
        target="configured",
    ),
    GroupMeasure(
        name="nDKL",
        label="NDKL",
        better="lower",
        range=(0, float("inf")),
        parameters=PREFIX_PARAMETERS,
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        of_rankings=_ndkl,
        weighting="prefixes",
        target="configured",
    ),
    GroupMeasure(
        name="nDRKL",
        label="nDRKL",
        better="higher",
        range=(0, 1),
        parameters=PREFIX_PARAMETERS,
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        of_rankings=_ndrkl,
        weighting="prefixes",
        target="configured",
    ),
    GroupMeasure(
        name="Skew",
        label="Skew",
        better="closest to 0",
        range=(float("-inf"), float("inf")),
        parameters=(GROUP, *PREFIX_PARAMETERS),
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        of_rankings=_skew,
        weighting="none",
        target="configured",
    ),
    GroupMeasure(
        name="MinSkew",
        label="MinSkew",
        better="closest to 0",
        range=(float("-inf"), 0),
        parameters=PREFIX_PARAMETERS,
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        of_rankings=_min_skew,
        weighting="none",
        target="configured",
    ),
    GroupMeasure(
        name="MaxSkew",
        label="MaxSkew",
        better="closest to 0",
        range=(0, float("inf")),
        parameters=PREFIX_PARAMETERS,
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        of_rankings=_max_skew,
        weighting="none",
        target="configured",
    ),
    GroupMeasure(
        name="InfeasibleIndex",
        label="InfeasibleIndex",
        better="lower",
        range=(0, float("inf")),
        parameters=(MISSING, aggregated("share")),
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        of_rankings=_infeasible_index,
        weighting="prefixes",
        target="configured",
    ),
    GroupMeasure(
        name="InfeasibleCount",
        label="InfeasibleCount",
        better="lower",
        range=(0, float("inf")),
        parameters=(MISSING, aggregated("share")),
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        of_rankings=_infeasible_count,
        weighting="prefixes",
        target="configured",
    ),
    GroupMeasure(
        name="FeasibleRank",
        label="feasible up to rank",
        better="higher",
        range=(0, float("inf")),
        parameters=(
            MISSING,
            Parameter(
                name="aggregate",
                kind="text",
                default="min",
                choices=("min", "mean", "max"),
                meaning="over queries: the smallest (feasible for all), their mean or the largest",
            ),
        ),
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        of_rankings=_feasible_rank,
        weighting="prefixes",
        target="configured",
    ),
)
