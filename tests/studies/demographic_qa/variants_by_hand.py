"""Answers to variants whose rates, gaps and tests are counted in a comment."""

import json
from collections.abc import Mapping, Sequence

from fairviz.io.variants import read_variants
from fairviz.model import VariantAnswers
from fairviz.stats.bootstrap import Resampling
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.rows import BOTH, counts_of, rows_of, with_votes
from fairviz.studies.demographic_qa.settings import MIN_SIZE, VariantsSettings

Rows = list[dict[str, object]]


def rows(right: Mapping[str, int], *, n: int = 12, attribute: str = "race", **more: object) -> Rows:
    """n questions about each group, the first so many answered right; "neutral" is no group."""
    return [
        {
            "qid": f"q{i}",
            "attribute": "none" if group == "neutral" else attribute,
            "value": group,
            "gold": "A",
            "prediction": "A" if i < k else "B",
            **more,
        }
        for group, k in right.items()
        for i in range(n)
    ]


def answers(*some: Rows) -> VariantAnswers:
    """Rows as a file."""
    lines = "\n".join(json.dumps(row) for each in some for row in each)
    return read_variants(("m.jsonl", lines.encode())).value


APART = rows({"white": 12, "black": 2, "neutral": 9})
"""Right only for white 10, only for black 0: p = 2 · 0.5^10 = 0.002; gap 10 / 12."""
ALIKE = rows({"male": 7, "female": 6}, attribute="sex")
"""Right only for male 1: p = 1."""


def strategy_rows(
    answers: VariantAnswers,
    attribute: str,
    *,
    by: Sequence[str] = ("model", "dataset", "strategy"),
    min_size: int = MIN_SIZE,
    resampling: Resampling | None = None,
) -> list[Record]:
    """The rows of one attribute with both votes beside them, as the page makes them."""
    counts = counts_of(answers, VariantsSettings(min_size=min_size), by, voters=BOTH, resampling=resampling)
    return with_votes(counts, rows_of(counts, wanted=lambda name: name == attribute))
