"""How far documents that nobody judged could move a difference between two runs.

Unjudged documents count as not useful. That is no knowledge: three judgements of the same lists are compared, as given;
with every unjudged document at the largest grade that the first run shows and the second shows later or not at all; and
the other way round. The smallest and the largest difference of the three are the bounds. They are exact where a measure
adds gains by rank over a fixed sum (P, RBP); an ideal list, as in nDCG, grows with what is added, so that the truth may
lie outside.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairviz.evaluation.compare import Comparison, paired_systems, paired_values
from fairviz.evaluation.evaluate import evaluate
from fairviz.evaluation.joins import JudgedAs
from fairviz.metrics.catalogue import is_judged, reads_groups
from fairviz.model import FloatArray, IntArray, MeasureSpec, Qrels, Run, Scores, SystemScore
from fairviz.model.arrays import segment_ids
from fairviz.pool import lookup
from fairviz.stats.bootstrap import Interval

ADDITIVE = ("P", "RBP")
"""Measures that add gains by rank over a fixed sum: their bounds are exact, those of others are about right."""


def bounded(
    rows: Sequence[Comparison],
    measures: Sequence[MeasureSpec],
    runs: Sequence[Run],
    judged: Sequence[JudgedAs],
) -> tuple[Comparison, ...]:
    """Comparisons with their bounds, where both sides are runs and the measure reads judgements and no groups.

    FAIR compares a list with the best one of the same judgements: values of other judgements are no bounds.

    Args:
        rows: Of systems by name.
        measures: Those of the rows, parsed.
        runs: The systems that are runs.
        judged: What they were judged by, each by the names of its rows: rows of one generator's labels have the
            bounds of those.
    """
    by_name = {run.system: run for run in runs}
    side_of = {one.name: (by_name[one.system], one.qrels) for one in judged if one.system in by_name}
    spec_of = {spec.text or spec.name: spec for spec in measures if is_judged(spec) and not reads_groups(spec)}
    alike: dict[tuple[str, str, int | None], list[int]] = {}
    for i, row in enumerate(rows):
        if row.measure in spec_of and row.system in side_of and row.reference in side_of:
            alike.setdefault((row.system, row.reference, spec_of[row.measure].cutoff), []).append(i)
    found = list(rows)
    for (system, reference, cutoff), places in alike.items():
        (run, qrels), (other, others) = side_of[system], side_of[reference]
        if qrels is others and qrels.subtopics is None:  # nobody says of which subtopic an unjudged document would be
            unjudged = Unjudged(run, other, qrels, cutoff)
            specs = [spec_of[rows[i].measure] for i in places]
            moved = [_differences(run, other, specs, unjudged.judged(favour)) for favour in (True, False) if unjudged.n]
            for i in places:
                ends = [rows[i].difference, *(gaps[rows[i].measure] for gaps in moved)]
                found[i] = rows[i]._replace(n_unjudged=unjudged.n, bounds=Interval(min(ends), max(ends)))
    return tuple(found)


def _differences(run: Run, reference: Run, specs: Sequence[MeasureSpec], qrels: Qrels) -> dict[str, float]:
    """By measure, over the queries where both have a value."""
    scores = evaluate([run, reference], specs, qrels=[qrels]).scores
    theirs = {score.measure: score for score in scores if score.system == reference.system}
    return {ours.measure: _difference(ours, theirs[ours.measure]) for ours in scores if ours.system == run.system}


def _difference(ours: Scores | SystemScore, theirs: Scores | SystemScore) -> float:
    if isinstance(ours, SystemScore) and isinstance(theirs, SystemScore):
        one, other = paired_systems(ours, theirs)
        return one.value - other.value
    if isinstance(ours, SystemScore) or isinstance(theirs, SystemScore):
        raise TypeError(f"{ours.measure} is a mean of one system and none of the other")
    values = paired_values(ours, theirs)
    gaps = values.system - values.reference
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
