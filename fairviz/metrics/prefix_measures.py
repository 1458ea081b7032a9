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
        title="divergence of the list from the target",
        better="lower",
        range=(0, float("inf")),
        formula="KL(D_k ‖ D*)",
        latex=r"d_{KL}\left(D_k \Vert D^{*}\right)",
        summary="Divergence of the group shares in the first k from the target. 0: on target.",
        citation="Gao et al. 2022, section 5.1.3",
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
        title="normalised discounted KL divergence",
        better="lower",
        range=(0, float("inf")),
        formula="(1/Z) Σ_i KL(D_i ‖ D*) / log2(i+1)",
        latex=r"\frac{1}{Z}\sum_i \frac{d_{KL}(D_i \Vert D^{*})}{\log_2(i+1)}",
        summary="Divergence of every prefix from the target, the top counting most. 0: on target.",
        remarks=("Ranks above the first labelled document count as on target, as in nDRKL and FAIR.",),
        citation="Geyik et al. 2019; Gao et al. 2022, section 5.1.3",
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
        title="normalised discounted reciprocal of KL divergence",
        better="higher",
        range=(0, 1),
        formula="(1/Z) Σ_i [1/(KL(D_i ‖ D*) + 1)] / log2(i+1)",
        latex=r"\frac{1}{Z}\sum_i \frac{1}{\log_2(i+1)}\cdot\frac{1}{d_{KL}(D_i\Vert D^{*})+1}",
        summary="Closeness of every prefix to the target, the top counting most. 1: on target.",
        remarks=("Ranks above the first labelled document count as on target, as in nDKL and FAIR.",),
        citation="Gao et al. 2022, Eq. 8",
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
        title="skew of one group",
        better="closest to 0",
        range=(float("-inf"), float("inf")),
        formula="ln(D_k(g) / p_g)",
        latex=r"\ln\left(D_k(g) / \hat{p}_g\right)",
        summary="How over- or under-represented a group is in the first k. 0: on target.",
        citation="Geyik et al. 2019; Gao et al. 2022, section 5.2.1",
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
        title="skew of the most under-represented group",
        better="closest to 0",
        range=(float("-inf"), 0),
        formula="min_g ln(D_k(g) / p_g)",
        latex=r"\min_g \ln\left(D_k(g) / \hat{p}_g\right)",
        summary="Skew of the group furthest below its share. 0: on target; −∞: a group is absent.",
        citation="Geyik et al. 2019; Gao et al. 2022, section 5.2.1",
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
        title="skew of the most over-represented group",
        better="closest to 0",
        range=(0, float("inf")),
        formula="max_g ln(D_k(g) / p_g)",
        latex=r"\max_g \ln\left(D_k(g) / \hat{p}_g\right)",
        summary="Skew of the group furthest above its share. 0: on target.",
        citation="Geyik et al. 2019; Gao et al. 2022, section 5.2.1",
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
        title="prefixes in which a group falls short",
        better="lower",
        range=(0, float("inf")),
        formula="#{i ≤ k: some g has count_i(g) < ⌊p_g i⌋}",
        latex=r"\sum_{i \le k}\mathbf{1}(\exists g: c_i(g) < \lfloor \hat{p}_g i\rfloor)",
        summary="Prefixes in which some group has fewer items than its share asks for. 0: none.",
        citation="Geyik et al. 2019; Gao et al. 2022, section 5.2.1",
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
        title="shortfalls of groups over all prefixes",
        better="lower",
        range=(0, float("inf")),
        formula="Σ_{i ≤ k} #{g: count_i(g) < ⌊p_g i⌋}",
        latex=r"\sum_{i \le k}\sum_g\mathbf{1}\left(c_i(g) < \lfloor \hat{p}_g i\rfloor\right)",
        summary="Shortfalls counted for every prefix and every group. 0: none.",
        citation="Geyik et al. 2019; Gao et al. 2022, section 5.2.1",
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
        title="last rank down to which no group falls short",
        better="higher",
        range=(0, float("inf")),
        formula="max{i: count_j(g) ≥ ⌊p_g j⌋ for all g, j ≤ i}",
        latex=r"\max\left\{i: c_j(g) \ge \lfloor \hat{p}_g j\rfloor\ \forall g, j \le i\right\}",
        summary="The rank to which a system is feasible: by default for all of its queries.",
        citation="Gao et al. 2022, section 5.2.3",
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
