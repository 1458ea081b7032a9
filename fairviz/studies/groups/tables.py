"""Every group measure of one system as one table: for the page, for CSV and for LaTeX."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import parse_measure
from fairviz.show.table import Table, keyed
from fairviz.show.words import ARROWS
from fairviz.studies.groups.findings import SECTIONS, Asked, Row, Section
from fairviz.studies.groups.moving_target import MeasureValue

LOGS = 3.0
"""Log ratios are drawn from −3 to 3, a 20th to 20 times; what is beyond stands at the end."""

RANGES: Mapping[str, tuple[float, float]] = {
    "AWRF, all queries": (0, 2),
    "AWRF per query": (0, math.log(2)),
    "KL": (0, 2),
    "NDKL": (0, 2),
    "IAA": (0, 2),
    "AWRF (TREC)": (1 - math.log(2), 1),
    "PAIR": (-1, 1),
}
"""Ranges by label where they are not 0 to 1; fixed, so that only the marks move."""


class MeasureRow(NamedTuple):
    """A measure with its value, ready to be shown.

    Attributes:
        section, label, goal: Where it stands, its name, where it is best.
        arrow: Which way it improves.
        found: Its value, or why there is none.
        span: Range of its glyph.
        best: Where it is best within that range.
        words: The value in plain words.
    """

    section: Section
    label: str
    goal: str
    arrow: str
    found: MeasureValue
    span: tuple[float, float]
    best: float
    words: str


def measure_row(row: Row, found: MeasureValue, asked: Asked) -> MeasureRow:
    """What is shown of one measure."""
    low, high = _span(row, found, asked)
    best = min(max(row.best, low), high)
    return MeasureRow(
        row.section,
        row.label,
        row.goal,
        _arrow(found.measure),
        found,
        (low, high),
        best,
        _words(row, found, asked),
    )


def group_content(rows: Sequence[MeasureRow], *, system: str, target: Mapping[str, float]) -> Table:
    """The table for files, refused measures with their reason."""
    shares = ", ".join(f"{group} {share:.4g}" for group, share in target.items())
    return Table(
        keyed("section", "measure", "direction", "value", "low", "high", "queries", "undefined", "in words"),
        tuple(
            (
                SECTIONS[row.section],
                row.found.measure,
                row.goal,
                _defined(row.found.value),
                _defined(row.found.interval.low),
                _defined(row.found.interval.high),
                row.found.n_queries,
                row.found.n_undefined,
                row.words,
            )
            for row in rows
        ),
        caption=f"Group measures of {system}; target: {shares}; intervals: 95 % percentile "
        "bootstrap over queries, 2,000 resamples, seed 0",
    )


def _words(row: Row, found: MeasureValue, asked: Asked) -> str:
    if found.refused:
        return f"Not on these data: {found.refused}"
    if math.isnan(found.value):
        return f"Undefined for every query{': ' if found.why else ''}{found.why}."
    said = row.words(found.value, asked)
    low, high = found.interval
    if row.best == 0 and low < 0 < high:
        return f"{said} Not distinguishable from 0."
    return said


def _arrow(text: str) -> str:
    spec = parse_measure(text)
    measure = CATALOGUE.get(spec.name)
    if spec.name in {"MinSkew", "MaxSkew", "Skew"}:
        return ARROWS["closest to 0"]
    return ARROWS[measure.direction(spec.params)] if measure else ARROWS["higher"]


def _span(row: Row, found: MeasureValue, asked: Asked) -> tuple[float, float]:
    if row.label in RANGES:
        return RANGES[row.label]
    if "Skew" in row.label or row.label.startswith("log"):
        return -LOGS, LOGS
    if row.label in {"InfeasibleIndex", "Feasible up to"}:
        return 0, asked.k
    if row.label == "InfeasibleCount":
        return 0, asked.k * max(asked.n_groups - 1, 1)
    if row.label.startswith("EE-"):
        ends = [e for e in (found.value, found.interval.high) if math.isfinite(e)]
        return 0, 1.15 * max([1e-9, *ends])
    return 0, 1


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
