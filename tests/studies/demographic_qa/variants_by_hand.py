"""Answers to variants whose rates, gaps and tests are counted in a comment."""

import json
from collections.abc import Mapping

from fairviz.io.variants import read_variants
from fairviz.model import VariantAnswers

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
