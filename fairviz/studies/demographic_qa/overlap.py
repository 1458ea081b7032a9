"""How much of what is retrieved stays the same when a question mentions another group of people.

Retrieval overlap of Ji et al. (2025): the intersection over union of the documents retrieved for the variants of a
question, in percent. The paper does not say over which variants, so there are three estimators by name, each computed
per question and then averaged; documents of different questions are never pooled. 100 = every variant retrieves the
same documents, 0 = nothing in common. Overlap is about ranks, so that runs count as their files rank them
(:class:`RankedRun`) and not by score.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairviz.counts import count, part_of, plural
from fairviz.errors import UsageError
from fairviz.model import BoolArray, FloatArray, IndexArray, IntArray, RankedRun, Run, VariantAnswers
from fairviz.model.arrays import check_offsets, frozen, segment_ids
from fairviz.pool import lookup
from fairviz.stats.bootstrap import Interval, bootstrap_intervals
from fairviz.studies.demographic_qa.sheet import Grouping

NO_ATTRIBUTE = ("none", "neutral", "")
"""What the attribute of runs may be called that were made from neutral questions."""

CUTOFFS = (10, 15, 20)
"""Numbers of documents in the paper's Table 5."""

Estimator: TypeAlias = Literal["all", "pairwise", "neutral"]


ESTIMATORS: dict[Estimator, str] = {
    "all": "documents in the lists of all values, per document in any of them",
    "pairwise": "mean over the pairs of values of the Jaccard similarity of their lists",
    "neutral": "mean over the values of the Jaccard similarity with the neutral question's list",
}
"""What each estimator compares."""
REPEATED = "of the same question and value left out"
"""How the note on lists that were left out ends."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VariantLists:
    """Lists for the V values of an attribute and, last, for the condition of reference.

    Attributes:
        attribute: "race", "gender", …; "race+gender" where each variant mentions both.
        values: V names of values.
        reference: Name of the condition without attributes ("neutral"); "" if there is none.
        question_ids: Q questions: those of any list.
        doc_ids: D documents.
        asked: (Q, V+1) whether the variant was asked; the last column is the reference.
        offsets: (Q·(V+1)+1) rows of list v of question q at q·(V+1) + v.
        docs: Documents of each list, best first.
        n_repeated: Lists left out because another one of the same question and value stands before.
    """

    attribute: str
    values: tuple[str, ...]
    reference: str
    question_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    asked: BoolArray
    offsets: IntArray
    docs: IndexArray
    n_repeated: int = 0

    def __post_init__(self) -> None:
        shape = (len(self.question_ids), len(self.values) + 1)
        if self.asked.shape != shape:
            raise ValueError(f"variant lists: asked needs shape {shape}")
        check_offsets(self.offsets, shape[0] * shape[1], self.docs.size, "variant lists")
        for array in (self.asked, self.offsets, self.docs):
            frozen(array)


def lists_of(answers: VariantAnswers, rows: IntArray, grouping: Grouping) -> VariantLists:
    """The documents recorded with answers that mention nothing but one attribute, and with those that mention nobody.

    Args:
        answers: Answers to variants.
        rows: (R) those that take part, such as those of one model. Where a question and value still have several, the
            first with documents counts.
        grouping: Which of them are about which value.
    """
    values, about, codes = grouping.values, grouping.rows, grouping.groups
    condition = answers.conditions[0] if answers.conditions else ""
    neutral = rows[answers.condition[rows] == 0]
    questions = np.unique(answers.questions[about])
    neutral = neutral[np.isin(answers.questions[neutral], questions)]
    rows_of_lists = np.concatenate([about, neutral])
    list_codes = np.concatenate([codes, np.full(neutral.size, len(values))])
    cells = np.searchsorted(questions, answers.questions[rows_of_lists]) * (len(values) + 1) + list_codes
    sizes = np.diff(answers.retrieved_offsets)
    order = np.lexsort((rows_of_lists, sizes[rows_of_lists] == 0, cells))
    first = np.ones(order.size, dtype=np.bool_)
    first[1:] = cells[order][1:] != cells[order][:-1]
    asked = np.zeros(questions.size * (len(values) + 1), dtype=np.bool_)
    asked[cells] = True
    lengths = np.zeros(asked.size, dtype=np.int64)
    list_rows = rows_of_lists[order[first]]
    lengths[cells[order[first]]] = sizes[list_rows]
    return VariantLists(
        attribute=grouping.attribute,
        values=values,
        reference=condition if neutral.size else "",
        question_ids=tuple(answers.question_ids[int(q)] for q in questions),
        doc_ids=answers.doc_ids,
        asked=asked.reshape(questions.size, len(values) + 1),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        docs=_pieces(answers.retrieved, answers.retrieved_offsets, list_rows),
        n_repeated=int((~first).sum()),
    )


def lists_of_runs(runs: Mapping[tuple[str, str], Run | RankedRun], attribute: str | None = None) -> VariantLists:
    """The documents that runs rank for the variants of questions.

    Args:
        runs: (attribute, value) -> run of the questions with that value, by the ids of the
            questions; one of :data:`NO_ATTRIBUTE` is the condition of reference. Ranks of a
            :class:`RankedRun` count as given. A query that a run lacks was not asked there.
        attribute: Whose values; None where the runs have one attribute.

    Raises:
        UsageError: The runs do not have the attribute, or have several and none is named.
    """
    attributes = tuple(dict.fromkeys(other for other, _ in runs if other not in NO_ATTRIBUTE))
    name = attributes[0] if attribute is None and len(attributes) == 1 else attribute
    if name is None or name not in attributes:
        has = ", ".join(attributes) or "none"
        raise UsageError(f"which attribute? the runs have: {has}")
    values = tuple(value for other, value in runs if other == name)
    neutral = [key for key in runs if key[0] in NO_ATTRIBUTE][:1]
    selection = [runs[key] for key in (*((name, value) for value in values), *neutral)]
    runs_in_order = [run.by_rank if isinstance(run, RankedRun) else run for run in selection]
    question_ids = tuple(dict.fromkeys(query for run in runs_in_order for query in run.query_ids))
    doc_ids = tuple(dict.fromkeys(doc for run in runs_in_order for doc in run.doc_ids))
    questions = {query: q for q, query in enumerate(question_ids)}
    index = {doc: d for d, doc in enumerate(doc_ids)}
    width = len(values) + 1
    lengths = np.zeros((len(question_ids), width), dtype=np.int64)
    docs = [lookup(run.doc_ids, index)[run.docs] for run in runs_in_order]
    cells = [lookup(run.query_ids, questions) * width + v for v, run in enumerate(runs_in_order)]
    for cell, run in zip(cells, runs_in_order, strict=True):
        lengths.ravel()[cell] = np.diff(run.offsets)
    rows = [np.repeat(c, np.diff(run.offsets)) for c, run in zip(cells, runs_in_order, strict=True)]
    order = np.argsort(np.concatenate(rows), kind="stable")
    return VariantLists(
        attribute=name,
        values=values,
        reference=neutral[0][1] if neutral else "",
        question_ids=question_ids,
        doc_ids=doc_ids,
        asked=lengths > 0,
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        docs=np.concatenate(docs)[order].astype(np.int32),
    )


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
    values, asked = lists.values, lists.asked
    n_values = len(values)
    lists_held = held(lists.docs, lists.offsets, n_lists=n_values + 1, n_docs=len(lists.doc_ids), k=k)
    jaccard = 100 * pairwise_jaccard(lists_held)
    jaccard[~(asked[:, :, None] & asked[:, None, :])] = np.nan
    of_all = 100 * intersection_over_union(Held(lists_held.rows[:, :n_values], lists_held.offsets))
    first, second = np.triu_indices(n_values, k=1)
    between, to_neutral = jaccard[:, first, second], jaccard[:, :n_values, n_values]
    pairs = list(combinations(values, 2))
    complete = asked[:, :n_values].all(axis=1) & (n_values > 1)
    per_question: dict[Estimator, FloatArray] = {
        "all": np.where(complete, of_all, np.nan),
        "pairwise": np.where(complete, _means(between, axis=1), np.nan),
        "neutral": np.where(asked.all(axis=1) & (n_values > 0), _means(to_neutral, axis=1), np.nan),
    }
    intervals = bootstrap_intervals(list(per_question.values()), seed=seed)
    n_incomplete = int((~complete).sum()) if n_values > 1 else 0
    n_short = int((asked & (np.diff(lists.offsets).reshape(asked.shape) < (k or 1))).sum())
    return Overlap(
        attribute=lists.attribute,
        k=k,
        all=_mean(per_question["all"]),
        pairwise=_mean(per_question["pairwise"]),
        neutral=_mean(per_question["neutral"]),
        by_value={value: _mean(to_neutral[:, v]) for v, value in enumerate(values)},
        pairs={pair: _mean(between[:, i]) for i, pair in enumerate(pairs)},
        n_by_value={value: _count(to_neutral[:, v]) for v, value in enumerate(values)},
        n_pairs={pair: _count(between[:, i]) for i, pair in enumerate(pairs)},
        n_questions=_count(per_question["all"]),
        n_neutral=_count(per_question["neutral"]),
        n_incomplete=n_incomplete,
        n_short=n_short,
        intervals=dict(zip(per_question, intervals, strict=True)),
        question_ids=lists.question_ids,
        per_question=per_question,
        notes=tuple(_notes(lists, k, n_short, n_incomplete)),
    )


# Kernels: which of V lists holds which document, as rows of booleans; ratios between 0 (nothing in common) and 1 (the
# same documents, in whatever order), NaN for empty lists.


class Held(NamedTuple):
    """Which lists of a question hold which document.

    Attributes:
        rows: (N, V) whether list v of the row's question holds the row's document.
        offsets: (Q+1) rows of each question.
    """

    rows: BoolArray
    offsets: IntArray


def held(docs: IndexArray, list_offsets: IntArray, *, n_lists: int, n_docs: int, k: int | None = None) -> Held:
    """The documents among the first k of each list.

    Args:
        docs: (M) documents of all lists, best first; lists of one question stand side by side.
        list_offsets: (Q·V+1) rows of list v of question q at q·V + v.
        n_lists: V lists per question.
        n_docs: Number of document ids.
        k: Ranks that count; None: all. A document that stands twice among them counts once.

    Examples:
        >>> both = held(
        ...     np.array([0, 1, 1, 2], dtype=np.int32), np.array([0, 2, 4]), n_lists=2, n_docs=3
        ... )
        >>> both.rows.tolist()
        [[True, False], [True, True], [False, True]]
    """
    lists = segment_ids(list_offsets)
    if k is not None:
        seen = np.arange(docs.size) - list_offsets[lists] < k
        lists, docs = lists[seen], docs[seen]
    questions, columns = np.divmod(lists, n_lists)
    keys, place = np.unique(questions * n_docs + docs, return_inverse=True)
    rows = np.zeros((keys.size, n_lists), dtype=np.bool_)
    rows[place, columns] = True
    n_questions = (list_offsets.size - 1) // n_lists
    starts = np.arange(n_questions + 1, dtype=np.int64) * n_docs
    return Held(rows, np.searchsorted(keys, starts).astype(np.int64))


def intersection_over_union(lists: Held) -> FloatArray:
    r"""(Q) documents that every list holds, per document that any list holds.

    :math:`|\bigcap_v D_v| / |\bigcup_v D_v|`; with two lists this is their Jaccard similarity.
    """
    union = _sums(lists.rows.any(axis=1), lists.offsets)
    return _ratio(_sums(lists.rows.all(axis=1), lists.offsets), union)


def pairwise_jaccard(lists: Held) -> FloatArray:
    r"""(Q, V, V) :math:`|D_v \cap D_w| / |D_v \cup D_w|` of each pair of lists.

    Examples:
        >>> pairwise_jaccard(Held(np.array([[True, False], [True, True]]), np.array([0, 2])))
        array([[[1. , 0.5],
                [0.5, 1. ]]])
    """
    n_questions, n_lists = lists.offsets.size - 1, lists.rows.shape[1]
    common = np.empty((n_questions, n_lists, n_lists))
    for v in range(n_lists):
        for w in range(v, n_lists):
            both = _sums(lists.rows[:, v] & lists.rows[:, w], lists.offsets)
            common[:, v, w] = common[:, w, v] = both
    sizes = np.diagonal(common, axis1=1, axis2=2)
    return _ratio(common, sizes[:, :, None] + sizes[:, None, :] - common)


def _pieces(values: IndexArray, offsets: IntArray, which: IntArray) -> IndexArray:
    """The segments ``which`` of a ragged array, one after another."""
    sizes = np.diff(offsets)[which]
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    return values[np.arange(sizes.sum()) + np.repeat(offsets[which] - starts, sizes)]


def _notes(lists: VariantLists, k: int | None, n_short: int, n_incomplete: int) -> list[str]:
    notes: list[str] = []
    if n_short:
        few = "no document" if k is None else f"fewer than {k} documents"
        hold = part_of(n_short, plural(int(lists.asked.sum()), "list"), "holds", "hold")
        notes.append(f"{hold} {few}: what there is was compared")
    if n_incomplete:
        lack = part_of(n_incomplete, plural(len(lists.question_ids), "question"), "lacks", "lack")
        notes.append(f"{lack} the list of a value: left out of 'all' and 'pairwise'")
    if not lists.asked[:, -1].any():
        notes.append("no neutral questions: 'neutral' is undefined")
    if len(lists.values) == 1:
        notes.append(f"{lists.attribute} has one value: 'all' and 'pairwise' are undefined")
    if lists.n_repeated:
        further = "further list" if lists.n_repeated == 1 else "further lists"
        notes.append(f"{count(lists.n_repeated)} {further} {REPEATED}")
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


def _sums(rows: NDArray[np.bool_] | np.bool_, offsets: IntArray) -> FloatArray:
    counts = np.concatenate([[0], np.cumsum(rows)])
    return (counts[offsets[1:]] - counts[offsets[:-1]]).astype(np.float64)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
