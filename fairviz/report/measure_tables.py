"""Tables of measures: means with intervals, values per query, two systems compared."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fairviz.analysis.comparison import Comparison
from fairviz.analysis.evaluate import query_frame, summary_frame
from fairviz.analysis.uncertainty import Interval, bootstrap_intervals
from fairviz.model import Scores
from fairviz.report.content import Table, frame_table
from fairviz.report.words import number

NO_BREAK = "\N{NO-BREAK SPACE}"
BOOTSTRAP = "95 % percentile bootstrap over queries, 2,000 resamples"


class Mean(NamedTuple):
    """One cell: a mean over ``n_defined`` of ``n_queries`` queries, and its interval."""

    value: float
    interval: Interval
    n_defined: int
    n_queries: int


class Means(NamedTuple):
    """Systems that have the same measures, side by side.

    Attributes:
        measures: As typed, one per column.
        systems: One per row.
        cells: (systems, measures).
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    cells: tuple[tuple[Mean, ...], ...]

    def queries(self, row: int) -> str:
        """Queries in the means of a row: one count, or the smallest and the largest."""
        counts = sorted({cell.n_defined for cell in self.cells[row]})
        return str(counts[0]) if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"


def means(scores: Sequence[Scores], *, seed: int) -> tuple[Means, ...]:
    """Means of all systems, a table per kind: rankings have other measures than outputs."""
    intervals = bootstrap_intervals([one.values for one in scores], seed=seed)
    rows: dict[str, dict[str, Mean]] = {}
    for one, ends in zip(scores, intervals, strict=True):
        mean = Mean(one.value, ends, one.n_queries - one.n_undefined, one.n_queries)
        rows.setdefault(one.system, {})[one.measure] = mean
    kinds: dict[tuple[str, ...], list[str]] = {}
    for system, own in rows.items():
        kinds.setdefault(tuple(own), []).append(system)
    return tuple(
        Means(measures, tuple(systems), tuple(tuple(rows[name].values()) for name in systems))
        for measures, systems in kinds.items()
    )


def wide_content(table: Means, *, seed: int, decimals: int = 3) -> Table:
    """A row per system, a column per measure: mean and interval as a paper prints them."""
    return Table(
        ("system", *table.measures, "queries"),
        tuple(
            (name, *(_printed(cell, decimals) for cell in cells), table.queries(row))
            for row, (name, cells) in enumerate(zip(table.systems, table.cells, strict=True))
        ),
        caption=means_caption(seed),
    )


def means_caption(seed: int) -> str:
    """How the intervals came about."""
    return f"Means over queries; intervals: {BOOTSTRAP}, seed {seed}"


def long_content(scores: Sequence[Scores], *, seed: int) -> Table:
    """One row per system and measure, with the columns of ``fairviz evaluate``."""
    return frame_table(summary_frame(scores, seed=seed), caption=means_caption(seed))


def queries_content(scores: Sequence[Scores]) -> Table:
    """One row per system, measure and query."""
    return frame_table(query_frame(scores), caption="Every measure of every query")


def comparison_content(rows: Sequence[Comparison], *, seed: int) -> Table:
    """One row per measure: a system minus another, paired by query."""
    who = f"{rows[0].system} minus {rows[0].reference}" if rows else "Two systems"
    return Table(
        ("measure", "difference", "low", "high", "p", "p (Holm)", "verdict", "queries", "left out"),
        tuple(
            (row.measure, row.difference, *row.interval, row.p, row.p_holm, row.verdict,
             row.n_queries, row.n_left_out)
            for row in rows
        ),
        caption=f"{who}, paired by query; intervals: {BOOTSTRAP}, seed {seed}; paired t-test, "
        "Holm over the table",
        signed=("difference", "low", "high"),
        p_values=("p", "p (Holm)"),
    )  # fmt: skip


def _printed(cell: Mean, decimals: int) -> str:
    mean = number(cell.value, decimals)
    if math.isnan(cell.interval.low):
        return mean
    low, high = (number(end, decimals) for end in cell.interval)
    return f"{mean}{NO_BREAK}[{low},{NO_BREAK}{high}]"
