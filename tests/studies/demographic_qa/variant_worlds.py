"""Answers to variants with retrieved documents, from literals."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from fairviz.model import Factor, IntArray, VariantAnswers
from fairviz.studies.demographic_qa.overlap import VariantLists, answered_lists
from fairviz.studies.demographic_qa.rows import counts_of
from tests.nouns import codes_of, offsets_of

Row = tuple[str, dict[str, str], Sequence[str]]
"""Question, attribute → value ({} = neutral), documents."""


def answers_of(rows: Sequence[Row], conditions: Sequence[str] = ()) -> VariantAnswers:
    """Answers "A" to every row; a row without attributes is of the condition given beside it."""
    n = len(rows)
    attributes = tuple(dict.fromkeys(name for _, values, _ in rows for name in values))
    values = [tuple(dict.fromkeys(given[name] for _, given, _ in rows if name in given)) for name in attributes]
    named = list(conditions) or ["neutral" if not given else "" for _, given, _ in rows]
    kinds = tuple(dict.fromkeys(name for name in named if name))
    doc_ids, retrieved = codes_of([docs for *_, docs in rows])
    questions = Factor.of("qid", [question for question, *_ in rows])
    return VariantAnswers(
        name="answers",
        factors=(),
        question_ids=questions.values,
        questions=questions.codes,
        attributes=attributes,
        values=tuple(values),
        given=np.array(
            [
                [own.index(given[name]) if name in given else -1 for name, own in zip(attributes, values, strict=True)]
                for _, given, _ in rows
            ],
            dtype=np.int16,
        ).reshape(n, len(attributes)),
        conditions=kinds,
        condition=np.array([kinds.index(c) if c else -1 for c in named], dtype=np.int16),
        kind="closed",
        options=("A",),
        golds=np.zeros(n, dtype=np.int16),
        choices=np.zeros(n, dtype=np.int16),
        gold_words=Factor.of("gold", ["A"] * n),
        words=Factor.of("prediction", ["A"] * n),
        answerable=np.full(n, -1, dtype=np.int8),
        evidence=np.full(n, -1, dtype=np.int8),
        doc_ids=doc_ids,
        retrieved_offsets=offsets_of([docs for *_, docs in rows]),
        retrieved=retrieved,
    )


def lists_about(answers: VariantAnswers, attribute: str, *, rows: IntArray | None = None) -> VariantLists:
    """Documents of the variants that mention one attribute; of all rows, or of some."""
    chosen = np.arange(len(answers)) if rows is None else rows
    (tally,) = (each for each in counts_of(answers).tallies if each.attribute == attribute)
    members = tally.members.filter(pl.col("row").is_in(chosen.tolist()))
    return answered_lists(answers, chosen, attribute, tally.values, members)
