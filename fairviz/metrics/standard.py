"""Effectiveness measures (nDCG, AP, RBP, α-nDCG, …), computed by ir-measures.

Every provider gets strictly falling scores n, n − 1, … after fairviz's own tie rule, so that all
see one order. The averaging rule is ir-measures': a query of the judgements that was not ranked,
or has nothing relevant, counts as 0.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr
from threading import Lock
from typing import NamedTuple

import numpy as np

from fairviz.metrics.standard_protocols import Provider, StandardMeasure
from fairviz.metrics.standard_registry import DIVERSITY_PROVIDER, provider_of, standard_measure
from fairviz.model import FloatArray, MeasureSpec, Qrels, RankingSample, Run
from fairviz.model.arrays import segment_ids

Lists = Mapping[str, Mapping[str, float]]
Grades = dict[str, dict[str, int]]

_STDERR = Lock()


class StandardValues(NamedTuple):
    """One measure of one system.

    Attributes:
        values: (Q) value per query of the judgements.
        n_zero_by_rule: Queries that are 0 because they were not ranked or have nothing relevant.
    """

    values: FloatArray
    n_zero_by_rule: int


def standard_values(ranked: Run | RankingSample, qrels: Qrels, specs: Sequence[MeasureSpec]) -> list[StandardValues]:
    """Effectiveness per query of the judgements.

    Args:
        ranked: A run; or sampled rankings, whose value is the mean over a query's rankings.
        qrels: Judgements. Diversity measures read the subtopics; all others the largest grade of
            a document over its subtopics.
        specs: Measures of ir-measures.

    Returns:
        One result per measure, in their order.

    Raises:
        UsageError: If no provider computes a measure.
    """
    chosen = [(standard_measure(spec), provider_of(spec)) for spec in specs]
    grades = _grades(qrels)
    totals = np.zeros((len(specs), len(qrels.query_ids)))
    counts = _n_lists(ranked, qrels)
    for s in range(int(counts.max(initial=0))):
        lists = _lists(ranked, grades, s)
        for row, (measure, provider) in zip(totals, chosen, strict=True):
            row += _values(measure, provider, qrels, grades, lists) * (s < counts)
    means = totals / np.maximum(counts, 1)
    return [
        StandardValues(values, _zeros_by_rule(values, measure, grades, counts))
        for values, (measure, _) in zip(means, chosen, strict=True)
    ]


def needs_subtopics(spec: MeasureSpec) -> bool:
    """Whether a measure is about diversity, so that judgements without subtopics fit it badly."""
    return provider_of(spec).NAME == DIVERSITY_PROVIDER


def _values(measure: StandardMeasure, provider: Provider, qrels: Qrels, grades: Grades, lists: Lists) -> FloatArray:
    """Values in the order of the judgements; queries that the provider passes over are 0."""
    if not lists:
        return np.zeros(len(grades))
    if provider.NAME == DIVERSITY_PROVIDER:
        with _STDERR, redirect_stderr(io.StringIO()):  # it prints where subtopics are missing
            found = list(provider.iter_calc([measure], _subtopic_rows(qrels), lists))
    else:
        found = list(provider.iter_calc([measure], grades, lists))
    by_query = {one.query_id: float(one.value) for one in found}
    return np.array([by_query.get(query, 0.0) for query in qrels.query_ids])


def _grades(qrels: Qrels) -> Grades:
    """{query: {document: largest grade}}."""
    grades: Grades = {query: {} for query in qrels.query_ids}
    for query, doc, grade, _ in _rows(qrels):
        judged = grades[query]
        judged[doc] = max(grade, judged.get(doc, grade))
    return grades


def _rows(qrels: Qrels) -> Iterator[tuple[str, str, int, str]]:
    """Query, document, grade and subtopic of each judgement; subtopic "0" where there is none."""
    docs: list[int] = qrels.docs.tolist()
    grades: list[int] = qrels.grades.tolist()
    none = [0] * len(docs)
    subtopics: list[int] = none if qrels.subtopics is None else qrels.subtopics.tolist()
    names = ("0",) if qrels.subtopics is None else qrels.subtopic_ids
    queries: list[int] = segment_ids(qrels.offsets).tolist()
    for q, doc, grade, subtopic in zip(queries, docs, grades, subtopics, strict=True):
        yield qrels.query_ids[q], qrels.doc_ids[doc], grade, names[subtopic]


def _subtopic_rows(qrels: Qrels) -> list[object]:
    from ir_measures import Qrel

    return [Qrel(query, doc, grade, subtopic) for query, doc, grade, subtopic in _rows(qrels)]


def _n_lists(ranked: Run | RankingSample, qrels: Qrels) -> FloatArray:
    """(Q) rankings of each judged query; a list without documents is none."""
    one_each = isinstance(ranked, Run)
    sizes = np.minimum(np.diff(ranked.offsets), 1) if one_each else ranked.n_samples
    known: dict[str, int] = dict(zip(ranked.query_ids, sizes.tolist(), strict=True))
    return np.array([known.get(query, 0) for query in qrels.query_ids], dtype=np.float64)


def _lists(ranked: Run | RankingSample, grades: Grades, s: int) -> Lists:
    """{query: {document: n − position}} of each judged query's ranking number ``s``."""
    if isinstance(ranked, Run):
        bounds, per_query = ranked.offsets, np.arange(len(ranked.query_ids) + 1)
    else:
        bounds, per_query = ranked.sample_offsets, ranked.query_offsets
    chosen = per_query[:-1] + s
    lists: dict[str, dict[str, float]] = {}
    for q in np.flatnonzero(chosen < per_query[1:]).tolist():
        query = ranked.query_ids[q]
        ranking: list[int] = ranked.docs[bounds[chosen[q]] : bounds[chosen[q] + 1]].tolist()
        if query in grades and ranking:
            falling = range(len(ranking), 0, -1)
            names = (ranked.doc_ids[doc] for doc in ranking)
            lists[query] = dict(zip(names, map(float, falling), strict=True))
    return lists


def _zeros_by_rule(values: FloatArray, measure: StandardMeasure, grades: Grades, counts: FloatArray) -> int:
    useful = measure.params.get("rel", 1)
    threshold = useful if isinstance(useful, int) else 1
    barren = [max(judged.values(), default=0) < threshold for judged in grades.values()]
    return int(((values == 0) & (np.array(barren, dtype=np.bool_) | (counts == 0))).sum())
