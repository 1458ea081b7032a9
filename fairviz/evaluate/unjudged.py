"""How far documents that nobody judged could move a difference between two runs.

Unjudged documents count as not useful. That is no knowledge: three judgements of the same lists are compared, as given;
with every unjudged document at the largest grade that the first run shows and the second shows later or not at all; and
the other way round. The smallest and the largest difference of the three are the bounds. They are exact where a measure
adds gains by rank over a fixed sum (P, RBP); an ideal list, as in nDCG, grows with what is added.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairviz.evaluate.compare import Comparison
from fairviz.evaluate.evaluate import JudgedAs, evaluate
from fairviz.metrics.catalogue import is_judged
from fairviz.model import FloatArray, IntArray, MeasureSpec, Qrels, Run, SystemScore
from fairviz.model.arrays import segment_ids
from fairviz.pool import lookup
from fairviz.stats.bootstrap import Interval


def bounded(
    rows: Sequence[Comparison],
    measures: Sequence[MeasureSpec],
    runs: Sequence[Run],
    judged: Sequence[JudgedAs],
) -> tuple[Comparison, ...]:
    """Comparisons with their bounds, where both sides are runs and the measure reads judgements.

    Args:
        rows: Of systems by name.
        measures: Those of the rows, parsed.
        runs: The systems that are runs.
        judged: What they were judged by, each by the names of its rows: rows of one generator's labels have the
            bounds of those.
    """
    by_name = {run.system: run for run in runs}
    side_of = {one.name: (by_name[one.system], one.qrels) for one in judged if one.system in by_name}
    spec_of = {spec.text or spec.name: spec for spec in measures if is_judged(spec)}
    return tuple(
        _bounded(row, spec_of[row.measure], side_of[row.system], side_of[row.reference])
        if row.measure in spec_of and row.system in side_of and row.reference in side_of
        else row
        for row in rows
    )


def _bounded(row: Comparison, spec: MeasureSpec, ours: tuple[Run, Qrels], theirs: tuple[Run, Qrels]) -> Comparison:
    (run, qrels), (reference, others) = ours, theirs
    if qrels is not others or qrels.subtopics is not None:
        return row  # nobody says of which subtopic an unjudged document would be
    unjudged = Unjudged(run, reference, qrels, spec.cutoff)
    gaps = [row.difference]
    if unjudged.n:
        gaps += [_difference(run, reference, spec, unjudged.judged(favour)) for favour in (True, False)]
    return row._replace(n_unjudged=unjudged.n, bounds=Interval(min(gaps), max(gaps)))


def _difference(run: Run, reference: Run, spec: MeasureSpec, qrels: Qrels) -> float:
    ours, theirs = evaluate([run, reference], [spec], qrels=[qrels]).scores
    if isinstance(ours, SystemScore) or isinstance(theirs, SystemScore):
        return ours.value - theirs.value
    gaps = ours.values - theirs.values
    return float(gaps[~np.isnan(gaps)].mean())


class Unjudged:
    """Documents of judged queries that one of two runs shows and nobody judged.

    Args:
        run: A run.
        reference: Another.
        qrels: Judgements.
        cutoff: Ranks that count; None: all.
    """

    def __init__(self, run: Run, reference: Run, qrels: Qrels, cutoff: int | None) -> None:
        self._qrels = qrels
        self._doc_ids = tuple(dict.fromkeys((*qrels.doc_ids, *run.doc_ids, *reference.doc_ids)))
        ours, our_ranks = self._shown(run, cutoff)
        theirs, their_ranks = self._shown(reference, cutoff)
        judged = segment_ids(qrels.offsets) * len(self._doc_ids) + qrels.docs
        self._keys = np.setdiff1d(np.union1d(ours, theirs), judged)
        self._ahead = _ranks(self._keys, ours, our_ranks) < _ranks(self._keys, theirs, their_ranks)

    @property
    def n(self) -> int:
        """(query, document) pairs."""
        return self._keys.size

    def judged(self, favour: bool) -> Qrels:
        """The judgements with the largest grade for those that the run (else the reference) shows first."""
        qrels = self._qrels
        raised = self._keys[self._ahead == favour]
        queries = np.concatenate([segment_ids(qrels.offsets), raised // len(self._doc_ids)])
        docs = np.concatenate([qrels.docs, raised % len(self._doc_ids)])
        grades = np.concatenate([qrels.grades, np.full(raised.size, max(1, int(qrels.grades.max(initial=1))))])
        order = np.argsort(queries, kind="stable")
        counts = np.bincount(queries, minlength=len(qrels.query_ids))
        return replace(
            qrels,
            doc_ids=self._doc_ids,
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            docs=docs[order].astype(np.int32),
            grades=grades[order],
        )

    def _shown(self, run: Run, cutoff: int | None) -> tuple[IntArray, FloatArray]:
        """Key and rank of each document that a run shows for a judged query, keys rising."""
        query_of = lookup(run.query_ids, {query: q for q, query in enumerate(self._qrels.query_ids)})
        doc_of = lookup(run.doc_ids, {doc: d for d, doc in enumerate(self._doc_ids)})
        row_query = segment_ids(run.offsets)
        ranks = (np.arange(run.docs.size) - run.offsets[row_query] + 1).astype(np.float64)
        shown = (query_of[row_query] >= 0) & (ranks <= (np.inf if cutoff is None else cutoff))
        keys = query_of[row_query[shown]] * len(self._doc_ids) + doc_of[run.docs[shown]]
        order = np.argsort(keys)
        return keys[order], ranks[shown][order]


def _ranks(keys: IntArray, known: IntArray, ranks: FloatArray) -> FloatArray:
    """Rank of each key, infinite where it is not shown."""
    if not known.size:
        return np.full(keys.shape, np.inf)
    at = np.minimum(np.searchsorted(known, keys), known.size - 1)
    return np.where(known[at] == keys, ranks[at], np.inf)
