"""Measures of groups: from the evidence of a system and parameters to values of rankings, or of the whole system.

Of parity in single rankings there are AWRF, PreF, FAIR (binomial), and those of prefixes: KL, NDKL, nDRKL, skews and
feasibility. Each holds the groups of a list against a target, or against the whole list; usefulness does not enter.
Over the rankings of a query, and then over queries, they are averaged. Of two groups the smaller one is the protected
group unless ``group=…`` names it; with more groups the name is asked for. ``FeasibleRank`` ("feasible up to rank") is a
measure of its own beside InfeasibleIndex: its smallest value over queries is what the FAIR paper reports.

Of two groups and of usefulness there are logDP, logEUR, logRUR, IAA and PAIR; FAIR and those of the TREC Fair Ranking
Track join usefulness with a target.

IAA with ``utility='score'`` takes shares of the system's scores as they are (Raj et al., Eq. 8; Biega et al. 2018), so
that a query with a negative score has no value unless ``scale='minmax'``; ``by='item'`` is summed over rankings, as
published.

The ideal list of ``FAIR`` with α-nDCG gains breaks ties by document id, falling, as ndeval does: it must not depend on
the run.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias, cast

import numpy as np

from fairviz.kernels.grouping import group_sums
from fairviz.metrics.describe import GroupOptions, declared
from fairviz.metrics.fair import fair, ideal_sum, irm_gains
from fairviz.metrics.group_evidence import GroupEvidence, GroupMeasure, OfRankings, OfSystem
from fairviz.metrics.group_exposure import awrf, inequity, log_ratio, pair_accuracy, pair_gap, per_utility
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
from fairviz.metrics.statistic import OfItems, OfMeans, Statistic
from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.model.arrays import ratio, segment_ids, segment_sums
from fairviz.policies import normalised_scores
from fairviz.resources import content

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


def _skews(evidence: GroupEvidence) -> FloatArray:
    return skews(evidence.weights, evidence.offsets, evidence.list_target)


def _infeasible(evidence: GroupEvidence, options: GroupOptions, *, of_prefixes: Infeasible) -> FloatArray:
    """Prefixes that lack items of a group, weighed or counted; for a share of queries whether that at k does."""
    kernel = infeasible_at if options["aggregate"] == "share" else of_prefixes
    return kernel(evidence.shortfalls, evidence.base[1])


def _two_sides(values: FloatArray, group: int) -> FloatArray:
    """(Q, 2) a quantity of the protected group, and of the others together."""
    own = values[:, group]
    return np.column_stack([own, values.sum(axis=1) - own])


def _ratio(evidence: GroupEvidence, options: GroupOptions, *, useful: bool, per_use: bool) -> Statistic:
    """Log of G⁺'s over the others' exposure, of useful items only or of all, perhaps per use."""
    group, eps = evidence.protected(options), options["eps"]
    weighed = evidence.attention(options) * (evidence.gains if useful else 1.0)
    on_groups = evidence.query_means(_on_groups(evidence, weighed))
    sizes = _two_sides(group_sums(evidence.members.weights, evidence.pools), group)
    gained = evidence.members.weights * evidence.pools.gains[:, None]
    gained = _two_sides(group_sums(gained, evidence.pools), group)
    quantity = _two_sides(on_groups, group)
    if options["aggregate"] == "mean":
        quantity = ratio(quantity, sizes)
    parts = np.column_stack([quantity, ratio(gained, sizes)])
    parts[np.isnan(on_groups).any(axis=1)] = np.nan

    def sides(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        if per_use:
            return per_utility(rows[:, 0], rows[:, 2]), per_utility(rows[:, 1], rows[:, 3])
        return rows[:, 0], rows[:, 1]

    return OfMeans(
        parts,
        lambda rows: log_ratio(*sides(rows), eps=eps),
        lambda rows: np.logical_or(sides(rows)[0] == 0, sides(rows)[1] == 0) & (eps > 0),
    )


def _on_groups(evidence: GroupEvidence, values: FloatArray) -> FloatArray:
    """(R, G) sum of (N) values over the items of each group in each ranking; NaN where it applies to no item."""
    columns = [segment_sums(column * values, evidence.offsets) for column in evidence.weights.T]
    return np.where(np.diff(evidence.base[1])[:, None] > 0, np.stack(columns, axis=1), np.nan)


def _iaa(evidence: GroupEvidence, options: GroupOptions) -> Statistic:
    """Attention and usefulness, each normalised to 1 per ranking."""
    attention = np.zeros(evidence.whole.rows.size)
    cut = np.arange(evidence.lists.rows.size) - np.repeat(evidence.offsets[:-1], np.diff(evidence.offsets))
    attention[np.repeat(evidence.whole.offsets[:-1], np.diff(evidence.offsets)) + cut] = evidence.attention(options)
    useful = _usefulness(evidence, options)
    if options["by"] == "group":
        applies = ~evidence.members.not_applicable[evidence.whole.rows]
        attention, useful = attention * applies, useful * applies
    useful = _to_one(useful, evidence.whole.offsets)
    attended = np.where(np.isnan(useful), np.nan, _to_one(attention, evidence.whole.offsets))
    if options["by"] == "group":
        members = evidence.members.weights[evidence.whole.rows]
        sums = [
            segment_sums(column * values, evidence.whole.offsets)
            for values in (attended, useful)
            for column in members.T
        ]
        n = len(evidence.members.groups)
        parts = evidence.query_means(np.stack(sums, axis=1))
        return OfMeans(parts, lambda rows: inequity(rows[:, :n], rows[:, n:]))
    n_rows, queries = evidence.pools.docs.size, segment_ids(evidence.pools.offsets)
    known = ~np.isnan(attended)
    gaps = np.zeros(n_rows)
    np.add.at(gaps, evidence.whole.rows[known], (attended - useful)[known])
    with_value = evidence.whole.queries[segment_ids(evidence.whole.offsets)[known]]
    defined = np.bincount(with_value, minlength=len(evidence.pools.query_ids)) > 0
    return OfItems(gaps, evidence.pools.docs, queries, defined)


def _usefulness(evidence: GroupEvidence, options: GroupOptions) -> FloatArray:
    """(N) usefulness of every ranked item: its gain, or its score; 0 throughout a ranking that has negative scores."""
    rows, offsets = evidence.whole.rows, evidence.whole.offsets
    if options["utility"] == "gain":
        return evidence.pools.gains[rows]
    if options["scale"] == "minmax":
        return normalised_scores(evidence.pools)[rows]
    scores, ranking = evidence.pools.scores[rows], segment_ids(offsets)
    largest = np.zeros(offsets.size - 1)
    np.maximum.at(largest, ranking, np.abs(scores))
    scaled = np.divide(scores, largest[ranking], out=np.zeros(scores.size), where=largest[ranking] > 0)
    return np.where(negative_scores(evidence)[evidence.whole.queries[ranking]], 0.0, scaled)


def negative_scores(evidence: GroupEvidence) -> BoolArray:
    """(Q) queries in which an item has a negative score, of which nothing can be a share."""
    found = np.zeros(len(evidence.pools.query_ids), dtype=np.bool_)
    found[segment_ids(evidence.pools.offsets)[evidence.pools.scores < 0]] = True
    return found


def _to_one(values: FloatArray, offsets: IntArray) -> FloatArray:
    """Values divided by their sum over a ranking; NaN where that is 0."""
    return ratio(values, segment_sums(values, offsets)[segment_ids(offsets)])


def _pair(evidence: GroupEvidence, options: GroupOptions) -> FloatArray:
    kind = options["kind"]
    if "group" in options:
        return pair_accuracy(evidence.pairs, evidence.members.index(options["group"]), kind)
    protected = evidence.protected(options)
    return pair_gap(evidence.pairs, protected, 1 - protected, kind)


TRACK = cast("GroupOptions", {"browsing": "log"})
"""The track's attention, 1/log2(max(rank, 2))."""


def _fair(evidence: GroupEvidence, options: GroupOptions) -> FloatArray:
    irm, alpha, patience = options["irm"], options["alpha"], options.get("p", 0.8)
    pools, largest = evidence.pools, float(evidence.largest_grade)
    terms = irm_gains(
        irm,
        evidence.gains,
        evidence.aspects[evidence.lists.rows],
        evidence.offsets,
        alpha=alpha,
        patience=patience,
        largest_grade=largest,
    )
    ideal = ideal_sum(
        irm,
        pools.gains,
        evidence.aspects,
        pools.offsets,
        alpha=alpha,
        patience=patience,
        ties=evidence.id_order,
        cutoff=evidence.cutoff,
        largest_grade=largest,
    )[evidence.lists.queries]
    divergence = evidence.divergence_by(options["divergence"])
    return fair(terms, divergence, evidence.offsets, ideal, additive=options["additive"])


def _track_awrf(evidence: GroupEvidence, _: GroupOptions) -> FloatArray:
    return 1 - awrf(evidence.attention_on_groups(TRACK), evidence.list_target, distance="jsd")


def _track_score(evidence: GroupEvidence, options: GroupOptions) -> FloatArray:
    """Gains of useful / not useful under the track's attention, times its AWRF."""
    useful = evidence.pools.gains > 0
    gained = segment_sums(evidence.attention(TRACK) * useful[evidence.lists.rows], evidence.offsets)
    n_useful = segment_sums(useful.astype(np.float64), evidence.pools.offsets)
    if evidence.cutoff is not None:
        n_useful = np.minimum(n_useful, evidence.cutoff)
    discount = 1 / np.log2(np.maximum(np.arange(1, int(n_useful.max(initial=0)) + 1), 2))
    best = np.concatenate([[0.0], np.cumsum(discount)])[n_useful.astype(np.int64)]
    return ratio(gained, best[evidence.lists.queries]) * _track_awrf(evidence, options)


OF_RANKINGS: Mapping[str, OfRankings] = {
    "AWRF": _awrf,
    "PreF": _prefixes,
    "FAIRBinomial": _binomial,
    "KL": lambda evidence, _: kl_at(evidence.divergence, evidence.offsets),
    "nDKL": lambda evidence, _: ndkl(evidence.divergence, evidence.offsets),
    "nDRKL": lambda evidence, _: ndrkl(evidence.divergence, evidence.offsets),
    "Skew": lambda evidence, options: _skews(evidence)[:, evidence.protected(options)],
    "MinSkew": lambda evidence, _: smallest(_skews(evidence)),
    "MaxSkew": lambda evidence, _: largest(_skews(evidence)),
    "InfeasibleIndex": partial(_infeasible, of_prefixes=infeasible_index),
    "InfeasibleCount": partial(_infeasible, of_prefixes=infeasible_count),
    "FeasibleRank": lambda evidence, _: feasible_rank(evidence.shortfalls, evidence.base[1]),
    "PAIR": _pair,
    "FAIR": _fair,
    "FairTrecAWRF": _track_awrf,
    "FairTrecScore": _track_score,
}
"""Measure -> its value per ranking, where it has one."""

OF_SYSTEM: Mapping[str, OfSystem] = {
    "AWRF": _system_awrf,
    "logDP": partial(_ratio, useful=False, per_use=False),
    "logEUR": partial(_ratio, useful=False, per_use=True),
    "logRUR": partial(_ratio, useful=True, per_use=True),
    "IAA": _iaa,
}
"""Measure -> what exposure averaged over queries is combined to, where it is one of exposure."""

GROUP_MEASURES = tuple(
    GroupMeasure(name=name, of_rankings=OF_RANKINGS.get(name), of_system=OF_SYSTEM.get(name), **declared(record))
    for name, record in content("methods/measures")["groups"].items()
)
"""Measures of groups, in the order people read them."""
