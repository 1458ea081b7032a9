"""Answers to variants with retrieved documents, from literals."""

from collections.abc import Sequence

import polars as pl

from fairviz.model import VariantAnswers
from fairviz.studies.demographic_qa.retrieval import answered_lists
from fairviz.studies.demographic_qa.rows import counts_of
from tests.studies.demographic_qa.answered_variants import Said, variant_answers

Row = tuple[str, dict[str, str], Sequence[str]]
"""Question, attribute → value ({} = neutral), documents."""


def answers_of(rows: Sequence[Row], conditions: Sequence[str] = ()) -> VariantAnswers:
    """Answers "A" to every row; a row without attributes is of the condition given beside it."""
    named = conditions or [""] * len(rows)
    return variant_answers(
        [
            Said(question, about, "A", "A", one, docs=docs)
            for (question, about, docs), one in zip(rows, named, strict=True)
        ]
    )


def lists_about(answers: VariantAnswers, attribute: str, *, rows: Sequence[int] | None = None) -> pl.DataFrame:
    """Documents of the variants that mention one attribute; of all rows, or of some."""
    counts = counts_of(answers)
    tally, frame = counts.tallies[(), attribute], counts.frame
    if rows is not None:
        frame = frame.filter(pl.col("row").is_in(rows))
    return answered_lists(frame, tally.members, tally.values)
