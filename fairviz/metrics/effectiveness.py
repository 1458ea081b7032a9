"""Values of effectiveness measures: nDCG, AP, P, R, RR, Success and Rprec as sums over ranks, others of ir-measures.

ir-measures defines them all and is the oracle of the tests; it wants every score in a dictionary, which costs more than
the measures do. What else trec_eval can do (other gains, judged documents only, a threshold of 0) it is asked for, see
:mod:`fairviz.metrics.standard`. The averaging rule is ir-measures': a query of the judgements that was not ranked, or
has nothing relevant, counts as 0.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.kernels.pool import pool, ranked_lists
from fairviz.metrics.standard import StandardMeasure, provided_sums, provider_of, standard_measure
from fairviz.model import BoolArray, FloatArray, IntArray, MeasureSpec, Pools, Qrels, RankingSample, Run, Scores
from fairviz.model.arrays import segment_ids


@dataclass(frozen=True, slots=True, eq=False)
class JudgedLists:
    """What is useful, and where it stands: N places in L rankings of Q queries; all else adds nothing to any sum.

    Attributes:
        gains: (N) gain of each ranked item that has one: its grade, from 1.
        ranks: (N) its rank, from 1.
        lists: (N) its ranking, never falling.
        queries: (L) query of each ranking.
        pool_gains: (M) gains of all items of the pools that have one, ranked or not.
        pool_queries: (M) their queries, never falling.
    """

    gains: FloatArray
    ranks: IntArray
    lists: IntArray
    queries: IntArray
    pool_gains: FloatArray
    pool_queries: IntArray

    def per_list(self, values: FloatArray | BoolArray) -> FloatArray:
        """(L) sums over ranks, in their order."""
        return _sums(self.lists, values, self.queries.size)

    def n_useful(self, rel: int) -> FloatArray:
        """(L) items of the query's pool with a grade of at least ``rel``."""
        return _sums(self.pool_queries, self.pool_gains >= rel, int(self.queries.max(initial=0)) + 1)[self.queries]


def judged_ranks(ranked: Run | RankingSample, pools: Pools) -> JudgedLists:
    """The rankings of a system beside the judgements of their pools."""
    useful = np.flatnonzero(pools.gains)
    rows, offsets, queries = ranked_lists(ranked, pools)
    places = np.flatnonzero(pools.gains[rows])
    lists = _segments_of(places, offsets)
    return JudgedLists(
        gains=pools.gains[rows[places]],
        ranks=places - offsets[lists] + 1,
        lists=lists,
        queries=queries,
        pool_gains=pools.gains[useful],
        pool_queries=_segments_of(useful, pools.offsets),
    )


def _segments_of(rows: IntArray, offsets: IntArray) -> IntArray:
    """The segment that each row lies in."""
    return np.searchsorted(offsets, rows, side="right") - 1


def _sums(segments: IntArray, values: FloatArray | BoolArray, n: int) -> FloatArray:
    """Sum per segment, row after row; at least ``n`` of them."""
    return np.bincount(segments, weights=values, minlength=n).astype(np.float64)


def _ratio(sums: FloatArray, of: FloatArray) -> FloatArray:
    """0 where nothing is useful, by trec_eval's rule."""
    return np.divide(sums, of, out=np.zeros(sums.shape), where=of > 0)


def _within(judged: JudgedLists, cutoff: int | None) -> BoolArray:
    return judged.ranks <= (cutoff or np.inf)


def _useful(judged: JudgedLists, rel: int, cutoff: int | None) -> BoolArray:
    return (judged.gains >= rel) & _within(judged, cutoff)


def _ndcg(judged: JudgedLists, rel: int, cutoff: int | None) -> FloatArray:
    r"""nDCG: :math:`\sum_r g_r / \log_2(r+1)` over the largest that the judgements allow; gain = grade."""
    del rel
    gained = judged.per_list(judged.gains / np.log2(judged.ranks + 1.0) * _within(judged, cutoff))
    order = np.lexsort((-judged.pool_gains, judged.pool_queries))
    queries = judged.pool_queries[order]
    starts = np.searchsorted(queries, queries)
    ranks = np.arange(order.size) - starts + 1
    ideal = judged.pool_gains[order] / np.log2(ranks + 1.0) * (ranks <= (cutoff or np.inf))
    best = _sums(queries, ideal, int(judged.queries.max(initial=0)) + 1)
    return _ratio(gained, best[judged.queries])


def _average_precision(judged: JudgedLists, rel: int, cutoff: int | None) -> FloatArray:
    r"""AP: precision at the rank of each useful item, over all useful items of the query."""
    useful = _useful(judged, rel, cutoff)
    hits = np.cumsum(useful)
    before = np.concatenate([[0], hits])[np.searchsorted(judged.lists, np.arange(judged.queries.size))]
    precisions = (hits - before[judged.lists]) / judged.ranks * useful
    return _ratio(judged.per_list(precisions), judged.n_useful(rel))


def _precision(judged: JudgedLists, rel: int, cutoff: int | None) -> FloatArray:
    r"""P@k: useful items among the first k, over k."""
    return judged.per_list(_useful(judged, rel, cutoff)) / (cutoff or 1)


def _recall(judged: JudgedLists, rel: int, cutoff: int | None) -> FloatArray:
    r"""R@k: useful items among the first k, over all useful items of the query."""
    return _ratio(judged.per_list(_useful(judged, rel, cutoff)), judged.n_useful(rel))


def _r_precision(judged: JudgedLists, rel: int, cutoff: int | None) -> FloatArray:
    r"""Rprec: P@R for the R useful items of the query."""
    del cutoff
    n_useful = judged.n_useful(rel)
    return _ratio(judged.per_list(_useful(judged, rel, None) & (judged.ranks <= n_useful[judged.lists])), n_useful)


def _reciprocal_rank(judged: JudgedLists, rel: int, cutoff: int | None) -> FloatArray:
    r"""RR: one over the rank of the first useful item."""
    values = np.zeros(judged.queries.size)
    useful = np.flatnonzero(_useful(judged, rel, cutoff))[::-1]
    values[judged.lists[useful]] = 1 / judged.ranks[useful]  # the last assignment, the first rank, stays
    return values


def _success(judged: JudgedLists, rel: int, cutoff: int | None) -> FloatArray:
    r"""Success@k: 1 where any of the first k is useful."""
    return (judged.per_list(_useful(judged, rel, cutoff)) > 0).astype(np.float64)


Kernel = Callable[[JudgedLists, int, "int | None"], FloatArray]

KERNELS: Mapping[str, Kernel] = {
    "nDCG": _ndcg,
    "AP": _average_precision,
    "P": _precision,
    "R": _recall,
    "Rprec": _r_precision,
    "RR": _reciprocal_rank,
    "Success": _success,
}
"""By the name that ir-measures gives them."""


def kernel_of(name: str, spec: MeasureSpec) -> Kernel | None:
    """The kernel of a measure, None where ir-measures is asked: parameters other than a threshold of 1 or more."""
    rel = spec.params.get("rel", 1)
    is_delegated = name not in KERNELS or set(spec.params) - {"rel"} or not isinstance(rel, int) or rel < 1
    return None if is_delegated else KERNELS[name]


# Values of all effectiveness measures.


def standard_values(
    ranked: Run | RankingSample, qrels: Qrels, specs: Sequence[MeasureSpec], pools: Pools | None = None
) -> list[Scores]:
    """Effectiveness per query of the judgements; ``n_zero_by_rule`` ranked ones are 0 as they have nothing relevant.

    Args:
        ranked: A run; or sampled rankings, whose value is the mean over a query's rankings.
        qrels: Judgements. Diversity measures read the subtopics; all others the largest grade of
            a document over its subtopics.
        specs: Measures of ir-measures.
        pools: Of the rankings and the judgements, where they are aligned already.

    Returns:
        The scores of each measure, in their order.

    Raises:
        UsageError: If no provider computes a measure.
    """
    measures = [standard_measure(spec) for spec in specs]
    kernels = [kernel_of(measure.NAME, spec) for measure, spec in zip(measures, specs, strict=True)]
    counts = _n_lists(ranked, qrels)
    values = np.zeros((len(specs), counts.size))
    if any(kernels):
        judged = judged_ranks(ranked, pools or pool(ranked, qrels))
        for row, (spec, kernel) in enumerate(zip(specs, kernels, strict=True)):
            if kernel is not None:
                of_lists = kernel(judged, int(str(spec.params.get("rel", 1))), spec.cutoff)
                values[row] = np.bincount(judged.queries, weights=of_lists, minlength=counts.size)
    missing = [row for row, kernel in enumerate(kernels) if kernel is None]
    if missing:
        values[missing] = provided_sums(
            [(measures[row], provider_of(specs[row])) for row in missing], ranked, qrels, counts
        )
    means = values / np.maximum(counts, 1)
    best = _best_grades(qrels)
    return [
        Scores(
            system=ranked.system,
            measure=spec.shown,
            query_ids=qrels.query_ids,
            values=mean,
            unranked=None if counts.all() else counts == 0,
            flags={"n_zero_by_rule": _zeros_by_rule(mean, measure, best, counts)},
        )
        for mean, measure, spec in zip(means, measures, specs, strict=True)
    ]


def _n_lists(ranked: Run | RankingSample, qrels: Qrels) -> FloatArray:
    """(Q) rankings of each judged query; a list without documents is none."""
    one_each = isinstance(ranked, Run)
    sizes = np.minimum(np.diff(ranked.offsets), 1) if one_each else ranked.n_samples
    counts: dict[str, int] = dict(zip(ranked.query_ids, sizes.tolist(), strict=True))
    return np.array([counts.get(query, 0) for query in qrels.query_ids], dtype=np.float64)


def _best_grades(qrels: Qrels) -> IntArray:
    """(Q) largest grade of each query, 0 where nothing is judged."""
    best = np.where(np.diff(qrels.offsets) > 0, np.iinfo(np.int64).min, 0)
    np.maximum.at(best, segment_ids(qrels.offsets), qrels.grades)
    return best


def _zeros_by_rule(values: FloatArray, measure: StandardMeasure, best: IntArray, counts: FloatArray) -> int:
    useful = measure.params.get("rel", 1)
    threshold = useful if isinstance(useful, int) else 1
    return int(((values == 0) & (best < threshold) & (counts > 0)).sum())
