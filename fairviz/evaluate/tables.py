"""Tables of measures: values with intervals, values per query, two systems, what was refused."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fairviz.evaluate.compare import Comparison, direction
from fairviz.evaluate.evaluate import query_frame, score_intervals, summary_frame
from fairviz.evaluate.rankings import Refusal
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import parse_measure
from fairviz.model import MeasureSpec, Scores, SystemScore
from fairviz.show.table import Cell, Table, frame_table, keyed
from fairviz.show.words import ARROWS, number
from fairviz.stats.bootstrap import Interval

NO_BREAK = "\N{NO-BREAK SPACE}"

BOOTSTRAP = "95 % percentile bootstrap over queries, 2,000 resamples"


class Mean(NamedTuple):
    """One cell: a system's value over ``n_defined`` of ``n_queries`` queries, and its interval."""

    value: float
    interval: Interval
    n_defined: int
    n_queries: int


MISSING = Mean(math.nan, Interval(math.nan, math.nan), 0, 0)
"""The cell of a measure that a system does not allow."""


class Means(NamedTuple):
    """Systems that have the same measures, or some of them, side by side.

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
        counts = sorted({cell.n_defined for cell in self.cells[row] if cell is not MISSING})
        return str(counts[0]) if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"


def means(scores: Sequence[Scores | SystemScore], *, seed: int) -> tuple[Means, ...]:
    """Values of all systems, a table per kind: rankings have other measures than outputs."""
    intervals = score_intervals(scores, seed=seed)
    rows: dict[str, dict[str, Mean]] = {}
    for one, ends in zip(scores, intervals, strict=True):
        mean = Mean(one.value, ends, one.n_queries - one.n_undefined, one.n_queries)
        rows.setdefault(one.system, {})[one.measure] = mean
    every = dict.fromkeys(tuple(own) for own in rows.values())
    kinds: dict[tuple[str, ...], list[str]] = {}
    for system, own in rows.items():
        wider = [kind for kind in every if own.keys() < set(kind)]
        kinds.setdefault(max(wider, key=len, default=tuple(own)), []).append(system)
    return tuple(
        Means(
            measures,
            tuple(systems),
            tuple(tuple(rows[name].get(measure, MISSING) for measure in measures) for name in systems),
        )
        for measures, systems in kinds.items()
    )


def wide_content(table: Means, *, seed: int, decimals: int = 3) -> Table:
    """A row per system, a column per measure: mean and interval as a paper prints them."""
    return Table(
        keyed("system", *map(headed, table.measures), "queries"),
        tuple(
            (name, *(_printed(cell, decimals) for cell in cells), table.queries(row))
            for row, (name, cells) in enumerate(zip(table.systems, table.cells, strict=True))
        ),
        caption=means_caption(seed),
    )


def means_caption(seed: int) -> str:
    """How the intervals came about."""
    return f"Means over queries unless said otherwise; intervals: {BOOTSTRAP}, seed {seed}"


def headed(measure: str) -> str:
    """A measure string with the way it improves.

    Examples:
        >>> headed("AWRF"), headed("logDP"), headed("nDCG@10")
        ('AWRF ↓', 'logDP → 0', 'nDCG@10 ↑')
    """
    return f"{measure} {ARROWS[direction(parse_measure(measure))]}"


def long_content(
    scores: Sequence[Scores | SystemScore],
    *,
    seed: int,
    beside: Sequence[tuple[str, str]] = (),
) -> Table:
    """One row per system and measure: the columns of ``fairviz evaluate``, direction and source.

    Args:
        scores: Per query, or of whole systems.
        seed: Of the bootstrap.
        beside: (column, value) of facts that hold for all rows, such as the target.
    """
    found = frame_table(summary_frame(scores, seed=seed), caption=means_caption(seed))
    at = found.keys.index("measure")
    facts = tuple(value for _, value in beside)
    rows: list[tuple[Cell, ...]] = []
    for row in found.rows:
        spec = parse_measure(str(row[at]))
        rows.append((*row, direction(spec), source(spec), *facts))
    columns = (*found.columns, *keyed("better", "source", *(name for name, _ in beside)))
    return Table(columns, tuple(rows), found.caption)


def source(spec: MeasureSpec) -> str:
    """Where a measure is defined."""
    measure = CATALOGUE.get(spec.name)
    return measure.citation if measure else "ir-measures (MacAvaney et al. 2022)"


def definitions_content(measures: Sequence[MeasureSpec]) -> Table:
    """One row per measure: which way it improves, its formula and its source."""
    return Table(
        keyed("measure", "better", "formula", "source"),
        tuple((spec.text or spec.name, direction(spec), _formula(spec), source(spec)) for spec in measures),
        caption="Measures, which way each improves, and where it is defined",
    )


def refused_content(refused: Sequence[Refusal]) -> Table:
    """One row per measure that the data do not allow, and why; alike systems in one row."""
    systems: dict[tuple[str, str], list[str]] = {}
    for one in refused:
        reason = one.reason.removeprefix(f"{one.measure}: ")
        systems.setdefault((one.measure, reason), []).append(one.system)
    return Table(
        keyed("measure", "not on these data, because", "systems"),
        tuple((*key, ", ".join(names)) for key, names in systems.items()),
        caption="Measures that these data do not allow",
    )


def queries_content(scores: Sequence[Scores | SystemScore]) -> Table:
    """One row per system, measure and query; values of whole systems have none."""
    return frame_table(query_frame(scores), caption="Every measure of every query")


def comparison_content(rows: Sequence[Comparison], *, seed: int) -> Table:
    """One row per measure: a system minus another, paired by query."""
    who = f"{rows[0].system} minus {rows[0].reference}" if rows else "Two systems"
    return Table(
        keyed(
            "measure",
            "difference",
            "low",
            "high",
            "p",
            "p (Holm)",
            "verdict",
            "queries",
            "left out",
            signed=("difference", "low", "high"),
            p=("p", "p (Holm)"),
        ),
        tuple(
            (row.measure, row.difference, *row.interval, row.p, row.p_holm, row.verdict, row.n_queries, row.n_left_out)
            for row in rows
        ),
        caption=f"{who}, paired by query; intervals: {BOOTSTRAP}, seed {seed}; paired t-test, Holm over the table",
    )


def _formula(spec: MeasureSpec) -> str:
    measure = CATALOGUE.get(spec.name)
    return measure.formula if measure else ""


def _printed(cell: Mean, decimals: int) -> str:
    mean = number(cell.value, decimals)
    if math.isnan(cell.interval.low):
        return mean
    low, high = (number(end, decimals) for end in cell.interval)
    return f"{mean}{NO_BREAK}[{low},{NO_BREAK}{high}]"
