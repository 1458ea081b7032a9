"""Answers to variants by chance, with all that a file may lack: variants, documents, right answers, whole datasets."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import numpy as np

from fairviz.model import VariantAnswers
from tests.studies.demographic_qa.answered_variants import Said, variant_answers

ASKED = (
    {},
    {"race": "a"},
    {"race": "b"},
    {"race": "c"},
    {"sex": "m"},
    {"sex": "f"},
    {"race": "a", "sex": "m"},
    {"race": "b", "sex": "f"},
    {"age": "old", "sex": "f"},
    {"age": "new", "sex": "m"},
)
"""The last two mention an attribute that is never varied by itself."""


def answers_at_random(seed: int, *, kind: str = "closed", n_questions: int = 12) -> VariantAnswers:
    """The same answers for the same seed; which columns there are depends on it, too."""
    rng = np.random.default_rng(seed)
    words = ["A", "B", "B", ""] if kind == "closed" else ["rest and water", "rest", "water and surgery", ""]
    golds = ["A", "B"] if kind == "closed" else ["rest and water", "surgery now"]
    right = {question: "" if rng.random() < 0.1 else str(rng.choice(golds)) for question in range(n_questions)}
    rows = [
        Said(
            f"q{question}",
            about,
            right[question],
            "A" if strategy == "no-mention" and kind == "closed" else str(rng.choice(words)),
            condition=condition,
            by={"dataset": dataset, "strategy": strategy, "retriever": retriever},
            answerable=int(rng.random() < 0.6) if seed % 3 == 1 else -1,
            evidence=int(rng.integers(-1, 2)),
            docs=[f"d{d}" for d in rng.choice(8, size=int(rng.integers(0, 4)), replace=False)]
            if retriever == "bm25" and question % 3
            else (),
        )
        for dataset in ("d1", "d2")
        for strategy in ("COT", "plain", "no-mention")
        for retriever in ("none", "bm25")
        for question in rng.permutation(n_questions).tolist()
        for about in ASKED
        for condition in ([""] if about else ["neutral", "original"])
        if rng.random() > 0.12 and not (dataset == "d2" and question < 2)
    ]
    return variant_answers(rows, kind=kind)


def leaves(value: object, place: str = "") -> Iterator[tuple[str, object]]:
    """Every number and word of results, by its place; arrays as bytes and NaN as one word, so that they compare."""
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from leaves(getattr(value, field.name), f"{place}.{field.name}")
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, f"{place}[{key}]")
    elif isinstance(value, (tuple, list)):
        yield place, len(value)
        for i, one in enumerate(value):
            yield from leaves(one, f"{place}[{i}]")
    elif isinstance(value, np.ndarray):
        yield place, (value.dtype.str, value.shape, value.tobytes())
    else:
        yield place, "NaN" if isinstance(value, float) and np.isnan(value) else value
