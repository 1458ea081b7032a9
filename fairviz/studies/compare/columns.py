"""A grid as tables: every factor a column, a task's numbers in its own rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

import polars as pl

from fairviz.display.table import Audience, Cell, Column, Table, keyed, labelled
from fairviz.display.words import plural, signed
from fairviz.model import Factors
from fairviz.points.charts import Order, ordered
from fairviz.points.columns import (
    BETWEEN_ALPHAS,
    DISPARITY,
    ENDS,
    QUERIES,
    SPREADS,
    TESTED,
    cells,
    curve_points,
    estimate_columns,
    estimate_rows,
    estimates_caption,
    untested,
    with_ends,
)
from fairviz.points.intervals import EDGES
from fairviz.points.view import FACTORS
from fairviz.stats.bootstrap import described
from fairviz.stats.tests import MIN_UNITS, ROUNDING
from fairviz.studies.compare.findings import quantity_words
from fairviz.studies.compare.grid import Differences, GridComparison, TaskComparison

N_POINTS = Column("n_points", "points", "number")
POINTS = (
    Column("alpha"),
    *labelled("number", EED="EE-D", quality="", n_queries="queries", n_samples="samples"),
    Column("estimated"),
    Column("n_effective", "effective size", "number"),
)
AREAS = (
    *with_ends("auc", "AUC ↑", "AUC"),
    *with_ends("slope"),
    *labelled("number", range_low="EE-D from", range_high="to"),
    QUERIES,
)
CORRELATIONS = (
    Column("pearson", kind="signed"),
    *ENDS,
    *labelled("signed", spearman="", spearman_low="low", spearman_high="high"),
    N_POINTS,
    QUERIES,
)
ABOVE = (*DISPARITY, *labelled("number", n_above="above", n_higher="significantly", n_models="of"))


def tables(
    grid: GridComparison, *, by: Sequence[str] = FACTORS, seed: int = 0, order: Order = "files", depth: str = ""
) -> dict[str, Table]:
    """Every table that there are results for, by the stem of its file.

    Args:
        grid: Every task and condition.
        by: Factors that are columns.
        seed: Of the bootstrap.
        order: Of the systems in the table of areas.
        depth: What a caption says of lists that were cut to be compared.
    """
    tasks, quality, how, table = grid.tasks, grid.quality, described(seed=seed), partial(_table, by)
    made: dict[str, Table] = {}
    made["points"] = _points(grid, by)
    areas = f"Mean {quality} under the curve along α and slope, each task over the EE-D that all its rows cover"
    made["areas"] = table(
        AREAS,
        (
            (factors, [task.areas[factors][column.key] for column in AREAS])
            for task in tasks
            for factors in ordered(list(task.aucs), order, task.aucs, by)
        ),
        f"{areas}{depth and f', {depth}'}; {how}",
    )
    made |= {of[0].stem: _differences(grid, by, of, how) for of in _by_quantity(grid)}
    if any(task.intervals for task in tasks):
        made["intervals"] = _intervals(grid, by, how)
        made["intervals-printed"] = _printed(grid, by, how)
        made["above"] = _above(grid)
    spreads = _rows(grid.spreads, (*SPREADS, QUERIES))
    made["disparity"] = table((*SPREADS, QUERIES), spreads, "EE-D over queries at each α")
    n = sum(own["p_holm"].count() for own in grid.alpha_tests.values())
    made["alpha-tests"] = table(
        (*BETWEEN_ALPHAS, QUERIES),
        _rows(grid.alpha_tests, (*BETWEEN_ALPHAS, QUERIES)),
        f"EE-D at the higher minus the lower α, paired t-test, Holm over {plural(n, 'test')}",
    )
    if any(task.correlations for task in tasks):
        names = "pearson pearson_interval spearman spearman_interval n_points n_queries"
        rows = ((factors, cells(of, names)) for task in tasks for factors, of in task.correlations.items())
        made["correlations"] = table(CORRELATIONS, rows, f"EE-R and EU of the same (query, α) points; {how}")
    if any(task.left_out for task in tasks):
        lost = ((factors, (reason,)) for task in tasks for factors, reason in task.left_out.items())
        made["left-out"] = table((Column("reason"),), lost, "Not among the areas")
    if grid.estimates:
        rows = ((factors, row) for factors, estimates in grid.estimates for row in estimate_rows(estimates, seed=seed))
        made["estimates"] = table(estimate_columns(quality), rows, estimates_caption(seed=seed), "programs")
    return made


def _table(
    by: Sequence[str],
    columns: Sequence[Column],
    rows: Iterable[tuple[Factors, Sequence[Cell]]],
    caption: str,
    audience: Audience = "all",
) -> Table:
    """The factors of each row, then its other cells."""
    made = tuple((*(getattr(factors, name) or "" for name in by), *row) for factors, row in rows)
    return Table((*keyed(*by), *columns), made, caption=caption, audience=audience)


def _rows(of: Mapping[Factors, pl.DataFrame], columns: Sequence[Column]) -> Iterator[tuple[Factors, tuple[Cell, ...]]]:
    """Rows of frames, each with the factors of its condition."""
    for factors, frame in of.items():
        for row in frame.select(column.key for column in columns).rows():
            yield factors, row


def _points(grid: GridComparison, by: Sequence[str]) -> Table:
    estimated = [(factors, estimates.curve()) for factors, estimates in grid.estimates]
    names = {"x": "EED", "y": "quality"}
    rows = (
        (factors, row)
        for factors, curve in (*grid.curves, *estimated)
        for row in curve_points([curve]).rename(names).select(column.key for column in POINTS).rows()
    )
    columns = [Column("quality", grid.quality, "number") if column.key == "quality" else column for column in POINTS]
    table = _table(by, columns, rows, f"Mean EE-D and {grid.quality} of each point", "programs")
    return table if estimated else table.select(table.keys[:-2])


def _by_quantity(grid: GridComparison) -> list[list[Differences]]:
    """The differences of all tasks, quantity by quantity."""
    by_quantity: dict[str, list[Differences]] = {}
    for task in grid.tasks:
        for differences in task.differences:
            by_quantity.setdefault(differences.quantity, []).append(differences)
    return list(by_quantity.values())


def _differences(grid: GridComparison, by: Sequence[str], of: Sequence[Differences], how: str) -> Table:
    """Differences of one quantity, sorted within a task: what a forest plot shows."""
    first, names = of[0], "difference interval p p_holm verdict n_queries n_left_out"
    in_tasks = [task.of(first.quantity) for task in grid.tasks]
    family = _per_task(grid.tasks, [differences.n_tests if differences else 0 for differences in in_tasks])
    called = (", ".join(filter(None, (getattr(task.baseline, name) for name in by))) for task in grid.tasks)
    at = () if first.alpha is None else (Column("alpha"),)
    change = Column("difference", f"Δ {first.name}", "signed")
    than = f"the baseline's ({'; '.join(called)})"
    return _table(
        by,
        (*at, change, *ENDS, *TESTED, QUERIES, Column("n_left_out", "left out", "number")),
        (
            (factors, (*(differences.alpha for _ in at), *cells(untested(row), names)))
            for differences in of
            for factors, row in differences.rows.items()
        ),
        f"{quantity_words(first)} minus {than}, paired by query; {how}; Holm over {family}",
    )


def _intervals(grid: GridComparison, by: Sequence[str], how: str) -> Table:
    columns = (
        *DISPARITY,
        *labelled("number", quality=grid.quality, baseline="list"),
        *labelled("signed", difference="", percent="%"),
        *ENDS,
        *TESTED,
        QUERIES,
        N_POINTS,
    )
    frames = {factors: with_percent(own) for task in grid.tasks for factors, own in task.intervals.items()}
    return _table(by, columns, _rows(frames, columns), _interval_caption(grid, how), "programs")


def with_percent(rows: pl.DataFrame) -> pl.DataFrame:
    """Intervals with their ``baseline``, and the difference in ``percent`` of it where that is more than 0."""
    baseline = pl.col("quality") - pl.col("difference")
    percent = pl.when(baseline > ROUNDING).then(100 * pl.col("difference") / baseline)
    return rows.with_columns(baseline=baseline, percent=percent)


def _printed(grid: GridComparison, by: Sequence[str], how: str) -> Table:
    """Models × intervals as a paper prints them: difference, per cent, a star where Holm allows it."""
    return _table(
        by,
        [Column(f"from_{low:g}", f"EE-D {low:g}–{high:g}") for low, high in pairwise(EDGES)],
        (
            (factors, [printed(**row) for row in with_percent(rows).select(PRINTED).to_dicts()])
            for task in grid.tasks
            for factors, rows in task.intervals.items()
        ),
        f"{_interval_caption(grid, how)}; * p < 0.05; n: fewer than {MIN_UNITS} queries",
        "papers",
    )


PRINTED = ("difference", "percent", "verdict", "n_queries")


def printed(difference: float | None, percent: float | None, verdict: str, n_queries: int) -> str:
    """One cell: ``−0.066* (−12 %)``, or how few queries it has.

    Examples:
        >>> printed(-0.06, -12.0, "lower", 12)
        '−0.060* (−12 %)'
    """
    if n_queries < MIN_UNITS:
        return f"n = {n_queries}"
    star = "*" if verdict in ("higher", "lower") else ""
    per_cent = f" ({signed(percent, 0)} %)" if percent is not None else ""
    return f"{signed(difference, 3)}{star}{per_cent}"


def _interval_caption(grid: GridComparison, how: str) -> str:
    tests = [sum(own["p_holm"].count() for own in task.intervals.values()) for task in grid.tasks]
    return (
        f"{grid.quality} by interval of EE-D minus that of the own deterministic list; paired t-test, "
        f"Holm over {_per_task(grid.tasks, tests)}; {how}"
    )


def _above(grid: GridComparison) -> Table:
    named = ["task", *(["dataset"] if any(task.dataset for task in grid.tasks) else [])]
    return Table(
        (*keyed(*named), *ABOVE),
        tuple(
            (*(getattr(task, name) or "" for name in named), *row) for task in grid.tasks for row in task.above.rows()
        ),
        caption="Systems above their own deterministic list, per interval of EE-D",
    )


def _per_task(tasks: Sequence[TaskComparison], counts: Sequence[int]) -> str:
    if len(tasks) < 2:
        return plural(sum(counts), "test")
    names = (", ".join(filter(None, (task.task, task.dataset))) or "no task" for task in tasks)
    parts = (f"{name} {count}" for name, count in zip(names, counts, strict=True))
    return f"the tests of each task ({', '.join(parts)})"
