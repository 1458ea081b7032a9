"""How much of what is retrieved stays the same when a question mentions another group of people.

Retrieval overlap of Ji et al. (2025): the intersection over union of the documents retrieved for
the variants of a question, in percent. The paper does not say over which variants, so there are
three estimators by name, each computed per question and then averaged; documents of different
questions are never pooled. 100 = every variant retrieves the same documents, 0 = nothing in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np

from fairviz.analysis.uncertainty import Interval, bootstrap_intervals
from fairviz.analysis.variant_lists import VariantLists, lists_of, lists_of_runs
from fairviz.metrics.overlap import Held, held, intersection_over_union, pairwise_jaccard
from fairviz.model import FloatArray

__all__ = [
    "CUTOFFS",
    "ESTIMATORS",
    "REPEATED",
    "Estimator",
    "Overlap",
    "VariantLists",
    "lists_of",
    "lists_of_runs",
    "retrieval_overlap",
    "retrieval_overlaps",
]

Estimator: TypeAlias = Literal["all", "pairwise", "neutral"]

ESTIMATORS: dict[Estimator, str] = {
    "all": "documents in the lists of all values, per document in any of them",
    "pairwise": "mean over the pairs of values of the Jaccard similarity of their lists",
    "neutral": "mean over the values of the Jaccard similarity with the neutral question's list",
}
"""What each estimator compares."""

REPEATED = "of the same question and value left out"
"""How the note on lists that were left out ends."""

CUTOFFS = (10, 15, 20)
"""Numbers of documents in the paper's Table 5."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Overlap:
    """Overlap in percent; NaN = undefined.

    Attributes:
        attribute: Whose values are compared.
        k: Documents that count of each list; None: all.
        all: Intersection over union of the lists of all values, mean over questions.
        pairwise: Mean over pairs of values, then over questions.
        neutral: Mean over values of the overlap with the neutral list, then over questions.
        by_value: Value -> overlap with the neutral list, mean over the questions that have both.
        pairs: (value, value) -> overlap, mean over the questions that have both.
        n_by_value: Value -> questions in its mean.
        n_pairs: (value, value) -> questions in the mean.
        n_questions: Questions in ``all``: asked with every value, and a document was retrieved.
        n_neutral: Questions in ``neutral``: those asked without a value as well.
        n_incomplete: Questions that lack the list of a value, and are in neither ``all`` nor
            ``pairwise``.
        n_short: Lists with fewer than k documents, which count with what they have.
        intervals: Estimator -> 95 % bootstrap over questions.
        question_ids: Q questions.
        per_question: Estimator -> (Q) percent.
        notes: What a reader of the numbers should know.
    """

    attribute: str
    k: int | None
    all: float
    pairwise: float
    neutral: float
    by_value: dict[str, float]
    pairs: dict[tuple[str, str], float]
    n_by_value: dict[str, int]
    n_pairs: dict[tuple[str, str], int]
    n_questions: int
    n_neutral: int
    n_incomplete: int
    n_short: int
    intervals: dict[Estimator, Interval]
    question_ids: tuple[str, ...]
    per_question: dict[Estimator, FloatArray]
    notes: tuple[str, ...] = field(default=())


def retrieval_overlap(lists: VariantLists, *, k: int | None = 10, seed: int = 0) -> Overlap:
    """Overlap of the first k documents of each list.

    A question is in ``all`` and ``pairwise`` where every value was asked, and in ``neutral`` where
    the neutral question was asked as well, so that all means rest on the same comparisons. Two
    empty lists have no overlap to speak of: such a pair is in no mean.

    Args:
        lists: Of one attribute, from :func:`lists_of` or :func:`lists_of_runs`.
        k: Documents that count; None: all that were recorded.
        seed: Of the intervals' resamples.

    Raises:
        ValueError: If k is below 1.
    """
    if k is not None and k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    n_values = len(lists.values)
    seen = held(
        lists.docs,
        lists.offsets,
        n_lists=n_values + 1,
        n_docs=len(lists.doc_ids),
        k=k,
    )
    jaccard = 100 * pairwise_jaccard(seen)
    jaccard[~(lists.asked[:, :, None] & lists.asked[:, None, :])] = np.nan
    complete = lists.asked[:, :n_values].all(axis=1) & (n_values > 1)
    pairs = list(combinations(range(n_values), 2))
    between = jaccard[:, [v for v, _ in pairs], [w for _, w in pairs]]
    to_neutral = jaccard[:, :n_values, n_values]
    of_values = Held(seen.rows[:, :n_values], seen.offsets)
    per_question: dict[Estimator, FloatArray] = {
        "all": np.where(complete, 100 * intersection_over_union(of_values), np.nan),
        "pairwise": np.where(complete, _means(between, axis=1), np.nan),
        "neutral": np.where(lists.asked.all(axis=1) & (n_values > 0), _means(to_neutral, axis=1), np.nan),
    }
    intervals = bootstrap_intervals(list(per_question.values()), seed=seed)
    n_short, n_lists = _short(lists, k)
    n_incomplete = int((~complete).sum()) if n_values > 1 else 0
    return Overlap(
        attribute=lists.attribute,
        k=k,
        all=_mean(per_question["all"]),
        pairwise=_mean(per_question["pairwise"]),
        neutral=_mean(per_question["neutral"]),
        by_value={value: _mean(to_neutral[:, v]) for v, value in enumerate(lists.values)},
        pairs={(lists.values[v], lists.values[w]): _mean(between[:, i]) for i, (v, w) in enumerate(pairs)},
        n_by_value={value: _count(to_neutral[:, v]) for v, value in enumerate(lists.values)},
        n_pairs={(lists.values[v], lists.values[w]): _count(between[:, i]) for i, (v, w) in enumerate(pairs)},
        n_questions=_count(per_question["all"]),
        n_neutral=_count(per_question["neutral"]),
        n_incomplete=n_incomplete,
        n_short=n_short,
        intervals=dict(zip(per_question, intervals, strict=True)),
        question_ids=lists.question_ids,
        per_question=per_question,
        notes=tuple(_notes(lists, k, n_short, n_lists, n_incomplete)),
    )


def retrieval_overlaps(lists: VariantLists, *, cutoffs: Sequence[int] = CUTOFFS, seed: int = 0) -> tuple[Overlap, ...]:
    """The overlap at several k, over the same questions."""
    return tuple(retrieval_overlap(lists, k=k, seed=seed) for k in cutoffs)


def _short(lists: VariantLists, k: int | None) -> tuple[int, int]:
    """Lists that were asked for and hold fewer than k documents, of how many."""
    sizes = np.diff(lists.offsets).reshape(lists.asked.shape)
    return int((lists.asked & (sizes < (k or 1))).sum()), int(lists.asked.sum())


def _notes(lists: VariantLists, k: int | None, n_short: int, n_lists: int, n_incomplete: int) -> list[str]:
    notes: list[str] = []
    if n_short:
        few = "no document" if k is None else f"fewer than {k} documents"
        notes.append(f"{n_short:,} of {n_lists:,} lists hold {few}: what there is was compared")
    if n_incomplete:
        notes.append(
            f"{n_incomplete:,} of {len(lists.question_ids):,} questions lack the list of a value: "
            "left out of 'all' and 'pairwise'"
        )
    if not lists.reference:
        notes.append("no neutral questions: 'neutral' is undefined")
    if len(lists.values) == 1:
        notes.append(f"{lists.attribute} has one value: 'all' and 'pairwise' are undefined")
    if lists.n_repeated:
        further = "further list" if lists.n_repeated == 1 else "further lists"
        notes.append(f"{lists.n_repeated:,} {further} {REPEATED}")
    return notes


def _means(values: FloatArray, *, axis: int) -> FloatArray:
    """Mean over the defined values along an axis, NaN where there is none."""
    known = ~np.isnan(values)
    counts = np.asarray(known.sum(axis=axis), dtype=np.float64)
    sums = np.asarray(np.where(known, values, 0.0).sum(axis=axis), dtype=np.float64)
    return np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)


def _mean(values: FloatArray) -> float:
    return float(_means(values, axis=0))


def _count(values: FloatArray) -> int:
    return int((~np.isnan(values)).sum())
