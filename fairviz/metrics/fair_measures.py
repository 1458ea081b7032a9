"""Measures that join usefulness with a target, described: FAIR, and the TREC Fair Ranking Track's.

The ideal list of ``FAIR`` with α-nDCG gains breaks ties by document id, falling, as ndeval does: it must not depend on
the run.
"""

from typing import cast

import numpy as np

from fairviz.metrics.describe import Parameter, Span
from fairviz.metrics.fair import fair, ideal_sum, irm_gains
from fairviz.metrics.group_evidence import GroupEvidence, GroupMeasure
from fairviz.metrics.group_exposure import awrf
from fairviz.metrics.group_parameters import CHANCE, MISSING, GroupOptions
from fairviz.model import FloatArray
from fairviz.model.arrays import segment_sums

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
    best = best[evidence.lists.queries]
    ndcg = np.divide(gained, best, out=np.full(best.size, np.nan), where=best > 0)
    return ndcg * _track_awrf(evidence, options)


FAIR_MEASURES = (
    GroupMeasure(
        name="FAIR",
        label="FAIR",
        better="higher",
        range=(0, 1),
        parameters=(
            Parameter(
                name="irm",
                kind="text",
                default="alpha_nDCG",
                choices=("alpha_nDCG", "nDCG", "RBP", "ERR_IA", "AP", "ERR", "NRBP"),
                meaning="whose gains; diversity by subtopics of the judgements, else by groups",
            ),
            Parameter(
                name="divergence",
                kind="text",
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
        cutoff="optional",
        needs=("rankings", "groups", "target", "qrels"),
        of_rankings=_fair,
        weighting="prefixes",
        target="configured",
        relevance=True,
        above="documents cover several aspects, and the ideal list, found greedily as published, is not the best one",
    ),
    GroupMeasure(
        name="FairTrecAWRF",
        label="AWRF (TREC)",
        better="higher",
        range=(1 - float(np.log(2)), 1),
        parameters=(MISSING,),
        cutoff="optional",
        needs=("rankings", "groups", "target"),
        of_rankings=_track_awrf,
        weighting="logarithmic",
        target="configured",
    ),
    GroupMeasure(
        name="FairTrecScore",
        label="nDCG × AWRF (TREC)",
        better="higher",
        range=(0, 1),
        parameters=(MISSING,),
        cutoff="optional",
        needs=("rankings", "groups", "target", "qrels"),
        of_rankings=_track_score,
        weighting="logarithmic",
        target="configured",
        relevance=True,
    ),
)
