"""Measures of two groups and of usefulness, described: logDP, logEUR, logRUR, IAA, PAIR, FAIR and TREC's.

FAIR and those of the TREC Fair Ranking Track join usefulness with a target.

IAA with ``utility='score'`` takes shares of the system's scores as they are (Raj et al., Eq. 8; Biega et al. 2018), so
that a query with a negative score has no value unless ``scale='minmax'``; ``by='item'`` is summed over rankings, as
published.

The ideal list of ``FAIR`` with α-nDCG gains breaks ties by document id, falling, as ndeval does: it must not depend on
the run.
"""

from functools import partial
from typing import cast

import numpy as np

from fairviz.kernels.grouping import group_sums
from fairviz.metrics.describe import (
    CASCADE_NEEDS,
    CHANCE,
    GROUP,
    MISSING,
    GroupOptions,
    Parameter,
    Span,
    When,
    browsing_parameters,
    over,
)
from fairviz.metrics.fair import fair, ideal_sum, irm_gains
from fairviz.metrics.group_evidence import GroupEvidence, GroupMeasure
from fairviz.metrics.group_exposure import awrf, inequity, log_ratio, pair_accuracy, pair_gap, per_utility
from fairviz.metrics.statistic import OfItems, OfMeans, Statistic
from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.model.arrays import ratio, segment_ids, segment_sums
from fairviz.policies import normalised_scores

RATIO_PARAMETERS = (
    GROUP,
    *browsing_parameters("log"),
    Parameter(
        name="aggregate",
        default="sum",
        choices=("sum", "mean"),
        meaning="exposure of all items of a group together, or of each on average",
    ),
    over("system"),
    Parameter(
        name="eps",
        kind="number",
        default=1e-6,
        span=Span(0),
        meaning="added to both sides, so that queries in which a group has no exposure have a value (0: undefined); "
        "that of a whole system is infinite",
    ),
)


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


def _ratio_measure(name: str, *, useful: bool = False, per_use: bool = True) -> GroupMeasure:
    """LogDP reads no judgements; the two others divide exposure by usefulness."""
    return GroupMeasure(
        name=name,
        label=name,
        better="closest to 0",
        range=(float("-inf"), float("inf")),
        parameters=RATIO_PARAMETERS,
        needs_when=(CASCADE_NEEDS,),
        needs=("rankings", "groups", "qrels") if per_use else ("rankings", "groups"),
        of_system=partial(_ratio, useful=useful, per_use=per_use),
        weighting="logarithmic",
        target="usefulness" if per_use else "equality",
        binomial=True,
        relevance=per_use,
    )


MERIT_MEASURES = (
    _ratio_measure("logDP", per_use=False),
    _ratio_measure("logEUR"),
    _ratio_measure("logRUR", useful=True),
    GroupMeasure(
        name="IAA",
        label="IAA",
        better="lower",
        range=(0, 2),
        parameters=(
            Parameter(
                name="by", default="group", choices=("group", "item"), meaning="shares of groups, or of single items"
            ),
            *browsing_parameters("geometric"),
            Parameter(
                name="utility",
                default="gain",
                choices=("gain", "score"),
                meaning="usefulness as judged, or as the system scores it (the paper's)",
            ),
            Parameter(
                name="scale",
                default="shares",
                choices=("shares", "minmax"),
                only_with=("utility", ("score",)),
                meaning="scores as they are (negative: undefined), or min–max per query, before shares are taken",
            ),
            over("system"),
            MISSING,
        ),
        needs=("rankings", "groups", "qrels"),
        needs_when=(When("utility", ("score",), adds=("scores",), drops=("qrels",)), CASCADE_NEEDS),
        of_system=_iaa,
        weighting="geometric",
        target="usefulness",
        relevance=True,
    ),
    GroupMeasure(
        name="PAIR",
        label="PAIR",
        better="closest to 0",
        better_with=("group", "higher"),
        range=(-1, 1),
        parameters=(
            Parameter(
                name="kind",
                default="inter",
                choices=("inter", "intra", "pairwise"),
                meaning="pairs with items of other groups, of the same group, or of any",
            ),
            Parameter(
                name="group",
                default=None,
                meaning="this group's accuracy (without: the others' minus the smaller group's)",
            ),
        ),
        needs=("rankings", "groups", "qrels"),
        of_rankings=_pair,
        weighting="none",
        target="equal accuracy",
        relevance=True,
    ),
)


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


FAIR_MEASURES = (
    GroupMeasure(
        name="FAIR",
        label="FAIR",
        better="higher",
        range=(0, 1),
        parameters=(
            Parameter(
                name="irm",
                default="alpha_nDCG",
                choices=("alpha_nDCG", "nDCG", "RBP", "ERR_IA", "AP", "ERR", "NRBP"),
                meaning="whose gains; diversity by subtopics of the judgements, else by groups",
            ),
            Parameter(
                name="divergence",
                default="kl",
                choices=("kl", "jsd", "l1", "sq"),
                meaning="Δ, how far the groups of a prefix are from the target; sq: squared differences, summed",
            ),
            Parameter(
                name="alpha",
                kind="number",
                default=0.5,
                span=Span(0, 1),
                only_with=("irm", ("alpha_nDCG", "ERR_IA", "NRBP")),
                meaning="novelty discount of alpha_nDCG and NRBP, chance of satisfaction of ERR_IA",
            ),
            Parameter(
                name="p",
                kind="number",
                default=0.8,
                span=CHANCE,
                only_with=("irm", ("RBP", "NRBP")),
                meaning="chance of going on to the next rank, for RBP and NRBP (its beta)",
            ),
            Parameter(
                name="additive",
                kind="flag",
                default=True,
                meaning="the sum of Eq. 1; False: the measure at k over Δ(D_k ‖ D*) + 1",
            ),
            MISSING,
        ),
        needs=("rankings", "groups", "target", "qrels"),
        of_rankings=_fair,
        weighting="prefixes",
        relevance=True,
        above="documents cover several aspects, and the ideal list, found greedily as published, is not the best one",
    ),
    GroupMeasure(
        name="FairTrecAWRF",
        label="AWRF (TREC)",
        better="higher",
        range=(1 - float(np.log(2)), 1),
        parameters=(MISSING,),
        of_rankings=_track_awrf,
        weighting="logarithmic",
    ),
    GroupMeasure(
        name="FairTrecScore",
        label="nDCG × AWRF (TREC)",
        better="higher",
        range=(0, 1),
        parameters=(MISSING,),
        needs=("rankings", "groups", "target", "qrels"),
        of_rankings=_track_score,
        weighting="logarithmic",
        relevance=True,
    ),
)
