"""FAIR: usefulness discounted by distance from a target, rank by rank (Gao et al. 2022, Eq. 1).

FAIR = (1/M) Σ_i IRM_i / (KL(D_i ‖ D*) + 1), M = the same sum for an ideal list without the
discount, so that FAIR is the usual measure where every prefix is on target. Ideal lists of measures of
diversity are found greedily, as Gao et al. and ndeval do: finding the best one is NP-hard. Where each
item covers one aspect the greedy list is the best; else a list may beat it, and FAIR may pass 1.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fairviz.kernels.gains import (
    cascade_gains,
    dcg_discount,
    greedy_orders,
    intent_aware_gains,
    novelty_gains,
    precision_gains,
    ranks,
)
from fairviz.kernels.grouping import Membership
from fairviz.kernels.pool import find_rows
from fairviz.metrics.prefixes import known_divergence, last_rows
from fairviz.model import FloatArray, IntArray, Pools, Qrels
from fairviz.model.arrays import positions, segment_ids, segment_sums

Irm: TypeAlias = Literal["alpha_nDCG", "nDCG", "RBP", "ERR_IA", "AP", "ERR", "NRBP"]
"""The effectiveness measure, a sum over ranks, whose gains are discounted."""

BY_GAIN: frozenset[Irm] = frozenset({"nDCG", "RBP", "AP", "ERR"})
"""Measures whose best list is that by falling gain."""

ERR_GRADES = 4.0
"""Largest grade of ERR's scale where no larger one is judged: ir-measures' program has it fixed."""


ALMOST_SURE = 1 - 1e-16
"""The largest chance of satisfaction: the log of what is left of 1 would be infinite."""


def subtopic_aspects(pools: Pools, qrels: Qrels) -> FloatArray:
    """(M, A) 1 where a pool item is relevant to the query's a-th subtopic, else 0.

    A is the largest number of subtopics of a query; a query with fewer leaves columns empty.

    Raises:
        ValueError: If the judgements carry no subtopics.
    """
    if qrels.subtopics is None:
        raise ValueError("these judgements carry no subtopics")
    queries = positions(qrels.query_ids, pools.query_ids)
    queries = queries[segment_ids(qrels.offsets)]
    docs = positions(qrels.doc_ids, pools.doc_ids)[qrels.docs]
    used = np.flatnonzero((queries >= 0) & (docs >= 0) & (qrels.grades > 0))
    rows = find_rows(queries[used], docs[used].astype(np.int32), pools.docs, pools.offsets)
    keys = queries[used] * len(qrels.subtopic_ids) + qrels.subtopics[used]
    distinct, inverse = np.unique(keys, return_inverse=True)  # by query, then subtopic
    of_query = distinct // max(len(qrels.subtopic_ids), 1)
    first = np.searchsorted(of_query, of_query)
    column: IntArray = (np.arange(distinct.size) - first)[inverse]
    aspects = np.zeros((pools.docs.size, int(column.max(initial=-1)) + 1))
    aspects[rows, column] = 1.0
    return aspects


def group_aspects(pools: Pools, members: Membership) -> FloatArray:
    """(M, G) how much a useful item belongs to each group: groups as the aspects (Gao et al.)."""
    return np.where((pools.gains > 0)[:, None], members.weights, 0.0)


@dataclass(frozen=True, slots=True)
class SumOverRanks:
    """An effectiveness measure whose gains FAIR discounts.

    Attributes:
        irm: nDCG: gain/log2(i+1); RBP: (1−p) p^(i−1) where useful; alpha_nDCG: G[i]/log2(i+1) (Eq.
            4–5); NRBP: (1−(1−alpha)p) p^(i−1) G[i] / A (Clarke et al. 2009, p their β); ERR_IA:
            (1/i) Σ_a P(a) R_a Π(1−R_a) with R_a = alpha·J(d, a) and equal P(a); ERR: the same of one intent,
            R = (2^gain − 1)/2^largest; AP: precision at i where useful.
        alpha: Novelty discount of alpha_nDCG and NRBP, chance of satisfaction of ERR_IA.
        patience: p of RBP and NRBP.
        largest_grade: Of all judgements, for ERR; counts where above :data:`ERR_GRADES`.
    """

    irm: Irm
    alpha: float = 0.5
    patience: float = 0.8
    largest_grade: float = ERR_GRADES

    def terms(self, gains: FloatArray, aspects: FloatArray, offsets: IntArray) -> FloatArray:
        """(N) IRM_i: what the item at each rank adds to the measure, its rank discount included.

        What divides the sum for a query alike (IDCG of nDCG, the number of useful items of AP, ir-measures' constants
        of alpha_DCG and ERR_IA) is left out: it stands in M as well.

        Args:
            gains: (N) usefulness by rank.
            aspects: (N, A) J(d, a) by rank.
            offsets: (R+1) rows of each ranking.
        """
        match self.irm:
            case "nDCG":
                return gains * dcg_discount(offsets)
            case "RBP":
                weights: FloatArray = (1 - self.patience) * np.power(self.patience, ranks(offsets) - 1)
                return np.where(gains > 0, weights, 0.0)
            case "AP":
                return precision_gains(gains > 0, offsets)
            case "ERR":
                largest = max(self.largest_grade, ERR_GRADES)
                return cascade_gains(np.minimum(np.exp2(gains - largest) - np.exp2(-largest), ALMOST_SURE), offsets)
            case "alpha_nDCG":
                return novelty_gains(aspects, offsets, self.alpha) * dcg_discount(offsets)
            case "NRBP":
                share = (1 - (1 - self.alpha) * self.patience) / max(aspects.shape[1], 1)
                discount = share * np.power(self.patience, ranks(offsets) - 1)
                return discount * novelty_gains(aspects, offsets, self.alpha)
            case "ERR_IA":
                equal = np.full((offsets.size - 1, aspects.shape[1]), 1 / max(aspects.shape[1], 1))
                chance = np.minimum(self.alpha * aspects, ALMOST_SURE)
                return intent_aware_gains(chance, equal, offsets)

    def ideal_order(self, gains: FloatArray, aspects: FloatArray, offsets: IntArray, ties: IntArray) -> IntArray:
        """(M) pool rows, each query's ideal list first to last: by gain, or greedily by the measure's own gains.

        The greedy list is Clarke et al.'s approximation of the ideal. It depends on how equal gains are
        told apart, so that ``ties`` must not depend on the system: ndeval takes the larger id first.

        Args:
            gains: (M) usefulness of pool rows.
            aspects: (M, A) J(d, a) of pool rows.
            offsets: (Q+1) rows of each query.
            ties: (M) of equal rows the one with the smaller number comes first.
        """
        query = segment_ids(offsets)
        if self.irm in BY_GAIN:
            return np.lexsort((-gains, query)).astype(np.int64)
        inner = np.lexsort((ties, query)).astype(np.int64)
        covered = aspects[inner]
        if self.irm == "ERR_IA":
            return inner[greedy_orders(self.alpha * covered, 1 - self.alpha * covered, offsets)]
        return inner[greedy_orders(covered, np.power(1 - self.alpha, covered), offsets)]

    def ideal_sum(
        self, gains: FloatArray, aspects: FloatArray, offsets: IntArray, ties: IntArray, cutoff: int | None
    ) -> FloatArray:
        """(Q) M: the sum of :meth:`terms` over the first k ranks of an ideal list of each pool.

        Args:
            gains: (M) usefulness of pool rows.
            aspects: (M, A) J(d, a) of pool rows.
            offsets: (Q+1) rows of each query.
            ties: (M) as in :meth:`ideal_order`.
            cutoff: k, None = the whole pool.
        """
        useful = np.flatnonzero(gains > 0)  # what is not useful adds nothing, wherever it stands
        within = np.searchsorted(useful, offsets).astype(np.int64)
        order = useful[self.ideal_order(gains[useful], aspects[useful], within, ties[useful])]
        best = self.terms(gains[order], aspects[order], within)
        inside = ranks(within) <= (np.inf if cutoff is None else cutoff)
        return segment_sums(np.where(inside, best, 0.0), within)


def fair(
    terms: FloatArray, divergence: FloatArray, offsets: IntArray, ideal: FloatArray, *, additive: bool = True
) -> FloatArray:
    """FAIR of each ranking: 1 = an ideal list that is on target at every rank; above where it beats a greedy one.

    Args:
        terms: (N) from :meth:`SumOverRanks.terms`.
        divergence: (N) KL, or another, of the prefix that ends at each rank; infinite → its term is 0; NaN (a
            prefix without labelled items) → as on target, in nDKL and nDRKL alike.
        offsets: (R+1) rows of each ranking.
        ideal: (R) M, the sum of the terms of an ideal list at the cutoff.
        additive: Eq. 1; False: the form for measures that are no sum, IRM / (KL(D_k) + 1).

    Returns:
        (R) NaN where nothing is useful for the query (M = 0), or no prefix has a divergence.
    """
    labelled = segment_sums((~np.isnan(divergence)).astype(np.float64), offsets) > 0
    discounts = known_divergence(divergence) + 1
    if additive:
        sums = segment_sums(terms / discounts, offsets)
    else:
        last = np.append(discounts, 1.0)[last_rows(offsets)]  # row −1: an empty ranking
        sums = segment_sums(terms, offsets) / last
    mask = labelled & (ideal > 0)
    return np.divide(sums, ideal, out=np.full(sums.size, np.nan), where=mask)
