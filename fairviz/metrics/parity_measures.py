"""Measures of parity in single rankings, described: AWRF, PreF and FAIR (binomial).

Each holds the groups of a list against a target, or against the whole list; usefulness does not enter. Over the
rankings of a query, and then over queries, they are averaged. Of two groups the smaller one is the protected group
unless ``group=…`` names it; with more groups the name is asked for.
"""

import numpy as np

from fairviz.metrics.describe import Parameter, Span, When
from fairviz.metrics.group_evidence import GroupEvidence, GroupMeasure
from fairviz.metrics.group_exposure import awrf
from fairviz.metrics.group_parameters import (
    CASCADE_NEEDS,
    GAIN_PARAMETERS,
    GROUP,
    MISSING,
    GroupOptions,
    browsing_parameters,
    over,
)
from fairviz.metrics.prefix_fairness import prefix_fairness_values
from fairviz.metrics.prefixes import fair_binomial
from fairviz.metrics.statistic import OfMeans
from fairviz.model import FloatArray


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
        weights,
        evidence.offsets,
        step=options["step"],
        distance=distance,
        normalise=normalise,
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
        needs_when=(CASCADE_NEEDS,),
        of_rankings=_awrf,
        of_system=_system_awrf,
        weighting="geometric",
        target="configured",
    ),
    GroupMeasure(
        name="PreF",
        label="PreF",
        better="lower",
        range=(0, 1),
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
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        needs_when=(When("p", (), drops=("target",)),),
        of_rankings=_binomial,
        weighting="none",
        target="a binomial chance",
        binomial=True,
        soft=False,
    ),
)
