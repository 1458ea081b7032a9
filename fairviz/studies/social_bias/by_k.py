"""A measure of one model's answers by the number of documents retrieved, a line per setting."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.model import FloatArray
from fairviz.show.words import listing
from fairviz.studies.social_bias.comparison import is_nothing
from fairviz.studies.social_bias.labels import MEASURE_LABELS, points
from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.rows import BiasRow, is_without_rag


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KLine:
    """One setting.

    Attributes:
        name: The setting.
        k: (N) documents retrieved, rising; empty where nothing is retrieved.
        values: (N) the measure in percent; without retrieval (1).
        low, high: (N) ends of the interval.
    """

    name: str
    k: FloatArray
    values: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def flat(self) -> bool:
        """Whether the line has no k: no retrieval."""
        return self.k.size == 0


def k_lines(rows: Sequence[BiasRow], measure: BiasMeasure) -> list[KLine]:
    """A line per setting, and a level for what has no documents."""
    lines: list[KLine] = []
    for setting in dict.fromkeys(row.get("setting") for row in rows):
        measured = [row for row in rows if row.get("setting") == setting]
        flat = is_without_rag(setting) or all(is_nothing(row.get("k")) for row in measured)
        measured = measured[:1] if flat else [row for row in measured if not is_nothing(row.get("k"))]
        measured.sort(key=lambda row: _k(row.get("k")))
        ends = np.array([row.intervals[measure] for row in measured], dtype=np.float64)
        lines.append(
            KLine(
                name=setting,
                k=np.array([] if flat else [_k(row.get("k")) for row in measured], dtype=np.float64),
                values=np.array([row.values[measure] for row in measured]),
                low=ends[:, 0],
                high=ends[:, 1],
            )
        )
    return lines


def k_title(lines: Sequence[KLine], measure: BiasMeasure) -> str:
    """How far each setting is from its smallest k at its largest; no test, so no verdict."""
    moving = [line for line in lines if line.k.size > 1]
    if not moving:
        return "Answers by number of documents"
    low, high = f"{moving[0].k[0]:g}", f"{moving[0].k[-1]:g}"
    parts = [
        f"{points(float(line.values[-1] - line.values[0]), sign=True)} with {line.name or 'RAG'}" for line in moving
    ]
    label = MEASURE_LABELS[measure].replace("Accuracy", "accuracy")
    return f"From {low} to {high} documents, {label} changes by {listing(parts)}"


def _k(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
