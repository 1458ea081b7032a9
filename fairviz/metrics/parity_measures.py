"""Measures of prefixes, described: KL, NDKL, nDRKL, skews and feasibility."""

import numpy as np

from fairviz.metrics.describe import Parameter, Span
from fairviz.metrics.group_evidence import (
    GAIN_PARAMETERS,
    GROUP,
    MISSING,
    GroupEvidence,
    GroupMeasure,
    GroupOptions,
    aggregated,
    browsing_parameters,
    over,
)
from fairviz.metrics.group_exposure import OfMeans, awrf
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
from fairviz.model import FloatArray

# Measures of parity in single rankings, described: AWRF, PreF and FAIR (binomial).
#
# Each holds the groups of a list against a target, or against the whole list; usefulness does not
# enter. Over the rankings of a query, and then over queries, they are averaged.


def _distance(found: GroupEvidence, options: GroupOptions, rows: FloatArray) -> FloatArray:
    """AWRF of rows that hold attention on groups, then target shares."""
    distance = options["distance"]
    group = found.protected(options) if distance == "absdiff" else None
    half = rows.shape[1] // 2
    if distance not in ("jsd", "kl", "l1", "absdiff"):
        raise ValueError(f"no distance of shares is named {distance!r}")
    return awrf(rows[:, :half], rows[:, half:], distance=distance, group=group)


def _awrf(found: GroupEvidence, options: GroupOptions) -> FloatArray:
    rows = np.column_stack([found.attention_on_groups(options), found.list_target])
    return _distance(found, options, rows)


def _system_awrf(found: GroupEvidence, options: GroupOptions) -> OfMeans:
    attention = found.query_means(found.attention_on_groups(options))
    ranked = np.isnan(attention[:, :1])
    parts = np.column_stack([attention, np.where(ranked, np.nan, found.target)])
    return OfMeans(parts, lambda rows: _distance(found, options, rows))


def _prefixes(found: GroupEvidence, options: GroupOptions) -> FloatArray:
    """PreF: of the protected group against the rest, or with KL of all groups."""
    found_distance = options["distance"]
    normalise = options["normalise"]
    if normalise:
        found.need_hard_labels()
    weights = found.weights
    if found_distance != "KL" or "group" in options:
        one = found.protected(options)
        weights = np.column_stack([weights[:, one], weights.sum(axis=1) - weights[:, one]])
    if found_distance not in ("ND", "RD", "KL"):
        raise ValueError(f"no distance of prefixes is named {found_distance!r}")
    return prefix_fairness_values(
        weights,
        found.offsets,
        step=options["step"],
        distance=found_distance,
        normalise=normalise,
    )


def _binomial(found: GroupEvidence, options: GroupOptions) -> FloatArray:
    found.need_hard_labels()
    group = found.protected(options)
    chance = options.get("p")
    n = found.offsets.size - 1
    p = np.full(n, chance) if chance is not None else found.list_target[:, group]
    return fair_binomial(found.weights[:, group], found.offsets, p)


PARITY_MEASURES = (
    GroupMeasure(
        name="AWRF",
        label="AWRF",
        title="attention-weighted rank fairness",
        better="lower",
        range=(0, float(np.log(2))),
        formula="Δ(ε_L / Σ ε_L, p̂)",
        latex=r"\Delta\left(\epsilon_L / \lVert\epsilon_L\rVert_1, \hat{p}\right)",
        summary=(
            "How far the groups' shares of attention are from the target. 0: on target. jsd in "
            "natural logarithms reaches ln 2, l1 reaches 2, absdiff 1, kl is unbounded."
        ),
        citation="Sapiezynski et al. 2019; Raj et al., Eq. 3",
        parameters=(
            Parameter(
                name="distance",
                kind="text",
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
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        of_rankings=_awrf,
        of_system=_system_awrf,
        weighting="geometric",
        target="configured",
    ),
    GroupMeasure(
        name="PreF",
        label="PreF",
        title="prefix fairness",
        better="lower",
        range=(0, 1),
        formula="(1/Z) Σ_{i = step, 2 step, …} Δ(L_≤i, L) / log2 i",
        latex=r"\frac{1}{Z}\sum_{i=10,20,\ldots}\frac{\Delta(L_{\le i}, \hat{p})}{\log_2 i}",
        summary=(
            "How the top differs from the list as a whole. 0: every prefix mirrors it; 1: no list "
            "of this make-up differs more. Lists shorter than the step are undefined."
        ),
        citation="Yang & Stoyanovich 2017; Raj et al., Eq. 1",
        parameters=(
            Parameter(
                name="distance",
                kind="text",
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
        cutoff="optional",
        needs=("rankings", "groups"),
        of_rankings=_prefixes,
        weighting="prefixes",
        target="the full ranking",
        soft=False,
    ),
    GroupMeasure(
        name="FAIRBinomial",
        label="FAIR (binomial)",
        title="mean binomial chance of so few protected items",
        better="higher",
        range=(0, 1),
        formula="(1/N) Σ_k P(m ≤ n⁺(L_≤k); k, p)",
        latex=r"\frac{1}{N}\sum_k P_{\mathrm{Bin}}\left(m \le |G^{+}(L_{\le k})| \mid p, k\right)",
        summary=(
            "Whether a group is under-represented at the top. Near 0: far fewer than chance gives; "
            "1: never fewer. Over-representation is not penalised."
        ),
        citation="Zehlike et al. 2017; Raj et al., Eq. 2 (summed from j = 0)",
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
        cutoff="optional",
        needs=("rankings", "groups"),
        of_rankings=_binomial,
        weighting="none",
        target="a binomial chance",
        binomial=True,
        soft=False,
    ),
)

PREFIX_PARAMETERS = (MISSING, aggregated())


def _kl(found: GroupEvidence, _: GroupOptions) -> FloatArray:
    return kl_at(found.divergence, found.offsets)


def _ndkl(found: GroupEvidence, _: GroupOptions) -> FloatArray:
    return ndkl(found.divergence, found.offsets)


def _ndrkl(found: GroupEvidence, _: GroupOptions) -> FloatArray:
    return ndrkl(found.divergence, found.offsets)


def _skews(found: GroupEvidence) -> FloatArray:
    return skews(found.weights, found.offsets, found.list_target)


def _skew(found: GroupEvidence, options: GroupOptions) -> FloatArray:
    return _skews(found)[:, found.protected(options)]


def _min_skew(found: GroupEvidence, _: GroupOptions) -> FloatArray:
    return smallest(_skews(found))


def _max_skew(found: GroupEvidence, _: GroupOptions) -> FloatArray:
    return largest(_skews(found))


def _infeasible_index(found: GroupEvidence, options: GroupOptions) -> FloatArray:
    kernel = infeasible_at if options["aggregate"] == "share" else infeasible_index
    return kernel(found.shortfalls, found.offsets)


def _infeasible_count(found: GroupEvidence, options: GroupOptions) -> FloatArray:
    kernel = infeasible_at if options["aggregate"] == "share" else infeasible_count
    return kernel(found.shortfalls, found.offsets)


def _feasible_rank(found: GroupEvidence, _: GroupOptions) -> FloatArray:
    return feasible_rank(found.shortfalls, found.offsets)


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
