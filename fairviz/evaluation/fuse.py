"""Several runs merged into one by reciprocal rank fusion (Cormack et al., 2009).

Each ranking gives an item the credit 1 / (k + rank); an item that a ranking lacks gets nothing from it. Scores play no
part, so rankings of any origin can be merged. Ji et al. (2025) merge their retrievers this way.
"""

from collections.abc import Sequence

import numpy as np

from fairviz.errors import UsageError
from fairviz.io.rankings import counted_ranks
from fairviz.model import FloatArray, IntArray, Note, Run
from fairviz.model.arrays import positions, segment_ids
from fairviz.numerals import count, plural


def reciprocal_rank_scores(
    items: IntArray, rankings: IntArray, ranks: IntArray, *, k: float = 60
) -> tuple[IntArray, FloatArray]:
    r"""Credit of each item: :math:`\sum_r 1/(k + \mathrm{rank}_r)` over the rankings that have it.

    Terms are added from the smallest, so that the sum does not depend on the order of the rankings,
    and sums within 1e-14 of each other are one number, so that items of equal credit are tied.
    An item that stands twice in a ranking counts once, at its best rank.

    Args:
        items: (N) key of each row: the same number for the same item of the same query.
        rankings: (N) the ranking a row stands in.
        ranks: (N) its rank there, with k + rank > 0.
        k: How little the first ranks stand out; 60 in the source.

    Returns:
        The distinct items of all rankings, in the order of their keys, and their credit.

    Examples:
        >>> reciprocal_rank_scores(np.array([7, 8, 7]), np.array([0, 0, 1]), np.array([1, 2, 4]), k=0)
        (array([7, 8]), array([1.25, 0.5 ]))
    """
    order = np.lexsort((ranks, rankings, items))
    items, rankings, ranks = items[order], rankings[order], ranks[order]
    first = np.ones(items.size, dtype=np.bool_)
    first[1:] = (items[1:] != items[:-1]) | (rankings[1:] != rankings[:-1])
    distinct, inverse = np.unique(items[first], return_inverse=True)
    credit = 1 / (k + ranks[first])
    smallest_first = np.argsort(credit, kind="stable")
    sums = np.bincount(inverse[smallest_first], weights=credit[smallest_first], minlength=distinct.size)
    level, of = np.unique(np.round(sums, 14), return_inverse=True)
    scores: FloatArray = level.astype(np.float64)
    np.put(scores, of, sums)
    return distinct, scores[of]


def reciprocal_rank_fusion(
    runs: Sequence[Run],
    *,
    k: float = 60,
    depth: int | None = None,
    top: int | None = None,
    name: str = "rrf",
    ranked: bool = False,
) -> Run:
    """Merge runs: a document's score is Σ 1 / (k + rank) over the runs that rank it.

    A run that lacks a query or a document gives nothing for it. Equal scores are ordered by document id,
    ascending: the fused run keeps that order, although runs otherwise have ties descending.

    Args:
        runs: Two or more runs (one keeps its order).
        k: How little the first ranks stand out; 60 in Cormack et al. (2009).
        depth: The last rank of each run that counts; None: all.
        top: Documents kept per query; None: all.
        name: Name of the fused system.
        ranked: Whether scores are −rank (:func:`~fairviz.io.rankings.read_ranked_run`); else the position is the rank.

    Returns:
        The queries of all runs in order of first appearance, each with all documents ranked for it
        by any run.

    Raises:
        UsageError: No run is given, or k, depth or top make no sense.
    """
    if not runs:
        raise UsageError("reciprocal rank fusion needs at least one run")
    if not (np.isfinite(k) and k >= 0) or any(n is not None and n < 1 for n in (depth, top)):
        raise UsageError("reciprocal rank fusion needs k >= 0 and whole numbers >= 1")
    of_runs = [-run.scores.astype(np.int64) if ranked else counted_ranks(run) for run in runs]
    lowest = min(int(of_run.min(initial=1)) for of_run in of_runs)
    if k + lowest <= 0:
        raise UsageError(f"ranks start at {lowest}: with k = {k:g} a credit is infinite")
    query_ids = tuple(dict.fromkeys(query for run in runs for query in run.query_ids))
    doc_ids = tuple(sorted({doc for run in runs for doc in run.doc_ids}))
    items: list[IntArray] = []
    ranks: list[IntArray] = []
    for run, of_run in zip(runs, of_runs, strict=True):
        counted = of_run <= (depth or np.inf)
        query = positions(run.query_ids, query_ids)[segment_ids(run.offsets)]
        items.append((query * len(doc_ids) + positions(run.doc_ids, doc_ids)[run.docs])[counted])
        ranks.append(of_run[counted])
    which = np.repeat(np.arange(len(runs)), [part.size for part in items])
    distinct, scores = reciprocal_rank_scores(np.concatenate(items), which, np.concatenate(ranks), k=k)
    queries, docs = np.divmod(distinct, max(len(doc_ids), 1))
    order = np.lexsort((docs, -scores, queries))  # ids are sorted: a smaller code, a smaller id
    queries, docs, scores = queries[order], docs[order], scores[order]
    starts = np.searchsorted(queries, np.arange(len(query_ids)))
    kept = np.arange(queries.size) - starts[queries] < (top or np.inf)
    queries, docs, scores = queries[kept], docs[kept], scores[kept]
    used = np.unique(docs)
    return Run(
        system=name,
        query_ids=query_ids,
        doc_ids=tuple(doc_ids[int(d)] for d in used),
        offsets=np.searchsorted(queries, np.arange(len(query_ids) + 1)).astype(np.int64),
        docs=np.searchsorted(used, docs).astype(np.int32),
        scores=scores,
    )


def fusion_notes(runs: Sequence[Run], fused: Run, *, names: Sequence[str] = ()) -> tuple[Note, ...]:
    """What a reader of the fused run should know: queries that a run lacks, and ties.

    Args:
        runs: What was fused.
        fused: What came of it.
        names: What to call each run in its note; its system's name unless given.
    """
    notes: list[Note] = []
    for run, called in zip(runs, names or [run.system for run in runs], strict=True):
        answered = {q for q, n in zip(run.query_ids, np.diff(run.offsets), strict=True) if n}
        lacks = [query for query in fused.query_ids if query not in answered]
        if lacks:
            named = ", ".join(lacks[:3]) + (", …" if len(lacks) > 3 else "")
            n = f"{count(len(lacks))} of {plural(len(fused.query_ids), 'query', 'queries')}"
            notes.append(Note(called, None, f"lacks {n} ({named}): the other runs decide there"))
    same = segment_ids(fused.offsets)
    tied = (same[1:] == same[:-1]) & (fused.scores[1:] == fused.scores[:-1])
    if tied.any():
        n = int((np.append(tied, False) | np.append(False, tied)).sum())
        notes.append(
            Note(
                fused.system,
                None,
                f"{count(n)} tied scores: ordered by document id, ascending (trec_eval reads ties descending)",
            )
        )
    return tuple(notes)
