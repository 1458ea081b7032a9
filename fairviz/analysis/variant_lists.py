"""The documents retrieved for each variant of each question, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fairviz.alignment import lookup
from fairviz.errors import UsageError
from fairviz.model import BoolArray, IndexArray, IntArray, RankedRun, Run, VariantAnswers
from fairviz.model.arrays import check_offsets, frozen

NO_ATTRIBUTE = ("none", "neutral", "")
"""What the attribute of runs may be called that were made from neutral questions."""


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


def lists_of(
    answers: VariantAnswers,
    attribute: str,
    *,
    rows: BoolArray | None = None,
    reference: str | None = None,
) -> VariantLists:
    """The documents recorded with answers.

    Args:
        answers: Answers to variants.
        attribute: One of them ("race"), or several joined by "+" ("race+gender") for the variants
            that mention all of these and no other; values are then joined likewise.
        rows: (R) answers that take part, such as those of one model; None: all. Where a question
            and value still have several, the first with documents counts.
        reference: The condition of reference; None: the first ("neutral" where it exists).

    Raises:
        UsageError: The file has no such attribute or condition.
    """
    names = attribute.split("+")
    if unknown := [name for name in names if name not in answers.attributes]:
        has = ", ".join(answers.attributes) or "none"
        raise UsageError(f"no attribute is named {unknown[0]!r}; there are: {has}")
    if reference is not None and reference not in answers.conditions:
        has = ", ".join(answers.conditions) or "none"
        raise UsageError(f"no condition is named {reference!r}; there are: {has}")
    columns = [answers.attributes.index(name) for name in names]
    kept = np.ones(len(answers), dtype=np.bool_) if rows is None else rows
    mentions = answers.given >= 0
    wanted = np.zeros(len(answers.attributes), dtype=np.bool_)
    wanted[columns] = True
    own = np.flatnonzero(kept & (mentions == wanted).all(axis=1))
    values, codes = _values(answers, columns, own)
    chosen = reference or (answers.conditions[0] if answers.conditions else "")
    neutral = (
        np.flatnonzero(kept & (answers.condition == answers.conditions.index(chosen)))
        if chosen
        else np.empty(0, dtype=np.int64)
    )
    questions = np.unique(answers.questions[own])
    neutral = neutral[np.isin(answers.questions[neutral], questions)]
    at = np.concatenate([own, neutral])
    column = np.concatenate([codes, np.full(neutral.size, len(values))])
    cells = np.searchsorted(questions, answers.questions[at]) * (len(values) + 1) + column
    sizes = np.diff(answers.retrieved_offsets)
    order = np.lexsort((at, sizes[at] == 0, cells))
    first = np.ones(order.size, dtype=np.bool_)
    first[1:] = cells[order][1:] != cells[order][:-1]
    asked = np.zeros(questions.size * (len(values) + 1), dtype=np.bool_)
    asked[cells] = True
    lengths = np.zeros(asked.size, dtype=np.int64)
    used = at[order[first]]
    lengths[cells[order[first]]] = sizes[used]
    return VariantLists(
        attribute=attribute,
        values=values,
        reference=chosen if neutral.size else "",
        question_ids=tuple(answers.question_ids[int(q)] for q in questions),
        doc_ids=answers.doc_ids,
        asked=asked.reshape(questions.size, len(values) + 1),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        docs=_pieces(answers.retrieved, answers.retrieved_offsets, used),
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
    attributes = tuple(dict.fromkeys(name for name, _ in runs if name not in NO_ATTRIBUTE))
    chosen = attributes[0] if attribute is None and len(attributes) == 1 else attribute
    if chosen is None or chosen not in attributes:
        has = ", ".join(attributes) or "none"
        raise UsageError(f"which attribute? the runs have: {has}")
    values = tuple(value for name, value in runs if name == chosen)
    neutral = [key for key in runs if key[0] in NO_ATTRIBUTE][:1]
    given = [runs[key] for key in (*((chosen, value) for value in values), *neutral)]
    plain = [one.by_rank if isinstance(one, RankedRun) else one for one in given]
    question_ids = tuple(dict.fromkeys(query for run in plain for query in run.query_ids))
    doc_ids = tuple(dict.fromkeys(doc for run in plain for doc in run.doc_ids))
    questions = {query: q for q, query in enumerate(question_ids)}
    index = {doc: d for d, doc in enumerate(doc_ids)}
    width = len(values) + 1
    lengths = np.zeros((len(question_ids), width), dtype=np.int64)
    docs = [lookup(run.doc_ids, index)[run.docs] for run in plain]
    cells = [lookup(run.query_ids, questions) * width + v for v, run in enumerate(plain)]
    for cell, run in zip(cells, plain, strict=True):
        lengths.ravel()[cell] = np.diff(run.offsets)
    rows = [np.repeat(c, np.diff(run.offsets)) for c, run in zip(cells, plain, strict=True)]
    order = np.argsort(np.concatenate(rows), kind="stable")
    return VariantLists(
        attribute=chosen,
        values=values,
        reference=neutral[0][1] if neutral else "",
        question_ids=question_ids,
        doc_ids=doc_ids,
        asked=lengths > 0,
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        docs=np.concatenate(docs)[order].astype(np.int32),
    )


def _values(answers: VariantAnswers, columns: list[int], rows: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """The values of attributes, joined by "+", that rows mention, and which of them each does."""
    keys = np.zeros(rows.size, dtype=np.int64)
    for c in columns:
        keys = keys * len(answers.values[c]) + answers.given[rows, c]
    distinct, codes = np.unique(keys, return_inverse=True)
    names: list[str] = []
    for key in distinct:
        rest = int(key)
        parts: list[str] = []
        for c in reversed(columns):
            rest, code = divmod(rest, len(answers.values[c]))
            parts.append(answers.values[c][code])
        names.append("+".join(reversed(parts)))
    return tuple(names), codes.astype(np.int64)


def _pieces(values: IndexArray, offsets: IntArray, which: IntArray) -> IndexArray:
    """The segments ``which`` of a ragged array, one after another."""
    sizes = np.diff(offsets)[which]
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    return values[np.arange(sizes.sum()) + np.repeat(offsets[which] - starts, sizes)]
