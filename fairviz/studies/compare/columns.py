"""A grid as tables: every factor a column, a task's numbers in its own rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fairviz.display.table import Cell, Column, Table
from fairviz.display.words import plural, signed
from fairviz.model import Factors
from fairviz.points.columns import estimate_columns, estimate_rows, estimated_marks, estimates_caption
from fairviz.points.intervals import EDGES, IntervalRow
from fairviz.points.view import FACTORS, Order
from fairviz.stats.bootstrap import described
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.compare.grid import (
    AreaRow,
    Differences,
    GridComparison,
    Quantity,
    TaskComparison,
    quantity_words,
)
from fairviz.studies.compare.panels import arranged

ENDS = (Column("low", kind="signed"), Column("high", kind="signed"))
TESTED = (Column("p", kind="p"), Column("p_holm", "p (Holm)", "p"), Column("verdict", kind="tone"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareResults:
    """What is known of a grid.

    Attributes:
        grid: Every task and condition.
        by: Factors that are columns.
        seed: Of the bootstrap.
        test: Against the deterministic list, as people read it.
        order: Of the systems in the table of areas.
        depth: What a caption says of lists that were cut to be compared.
    """

    grid: GridComparison
    by: Sequence[str] = FACTORS
    seed: int = 0
    test: str = "paired t-test"
    order: Order = "files"
    depth: str = ""


def tables(results: CompareResults) -> dict[str, Table]:
    """Every table that there are results for, by the stem of its file."""
    grid = results.grid
    made: dict[str, Table] = {}
    made["points"] = _points(results)
    made["areas"] = _areas(results)
    made |= {of[0].stem: _differences(results, of) for of in _by_quantity(grid)}
    if any(task.intervals for task in grid.tasks):
        made["intervals"] = _intervals(results)
        made["intervals-printed"] = _printed(results)
        made["above"] = _above(results)
    made["disparity"] = _disparity(results)
    made["alpha-tests"] = _alpha_tests(results)
    if any(task.correlations for task in grid.tasks):
        made["correlations"] = _correlations(results)
    if any(task.left_out for task in grid.tasks):
        made["left-out"] = _left_out(results)
    if grid.estimates:
        made["estimates"] = _estimates(results)
    return made


def _heads(results: CompareResults) -> tuple[Column, ...]:
    return tuple(Column(name) for name in results.by)


def _cells(results: CompareResults, factors: Factors) -> tuple[Cell, ...]:
    return tuple(getattr(factors, name) or "" for name in results.by)


def _points(results: CompareResults) -> Table:
    quality = results.grid.quality
    estimated = [(factors, one.curve()) for factors, one in results.grid.estimates]
    marks = (Column("estimated"), Column("n_effective", "effective size", "number")) if estimated else ()
    return Table(
        (
            *_heads(results),
            Column("alpha"),
            Column("EED", "EE-D", "number"),
            Column("quality", quality, "number"),
            Column("n_queries", "queries", "number"),
            Column("n_samples", "samples", "number"),
            *marks,
        ),
        tuple(
            (
                *_cells(results, factors),
                alpha,
                x,
                y,
                len(curve.query_ids) - missing,
                curve.n_samples,
                *mark[: len(marks)],
            )
            for factors, curve in (*results.grid.curves, *estimated)
            for alpha, x, y, missing, mark in zip(
                curve.alphas.tolist(),
                curve.mean_disparity.tolist(),
                curve.mean_quality.tolist(),
                curve.n_undefined.tolist(),
                estimated_marks(curve),
                strict=True,
            )
        ),
        caption=f"Mean EE-D and {quality} of each point",
        audience="programs",
    )


def _estimates(results: CompareResults) -> Table:
    return Table(
        (*_heads(results), *estimate_columns(results.grid.quality)),
        tuple(
            (*_cells(results, factors), *row)
            for factors, one in results.grid.estimates
            for row in estimate_rows(one, seed=results.seed)
        ),
        caption=estimates_caption(seed=results.seed),
        audience="programs",
    )


def _areas(results: CompareResults) -> Table:
    return Table(
        (
            *_heads(results),
            Column("auc", "AUC ↑", "number"),
            Column("auc_low", "AUC low", "interval"),
            Column("auc_high", "AUC high", "interval"),
            Column("slope", kind="number"),
            Column("slope_low", "slope low", "interval"),
            Column("slope_high", "slope high", "interval"),
            Column("range_low", "EE-D from", "number"),
            Column("range_high", "to", "number"),
            Column("n_queries", "queries", "number"),
        ),
        tuple(
            (
                *_cells(results, row.factors),
                row.summary.auc,
                *row.summary.auc_interval,
                row.summary.slope,
                *row.summary.slope_interval,
                row.summary.low,
                row.summary.high,
                row.summary.n_queries - row.summary.n_undefined,
            )
            for task in results.grid.tasks
            for row in _in_order(task, results)
        ),
        caption=f"Mean {results.grid.quality} under the curve along α and slope, each task over the EE-D that all its "
        f"rows cover{results.depth and f', {results.depth}'}; {described(seed=results.seed)}",
    )


def _in_order(task: TaskComparison, results: CompareResults) -> Iterator[AreaRow]:
    of = {row.factors: row for row in task.areas}
    return (of[factors] for factors in arranged(task, results.order).systems(list(of), results.by))


def _by_quantity(grid: GridComparison) -> list[list[Differences]]:
    """The differences of all tasks, quantity by quantity."""
    found: dict[Quantity, list[Differences]] = {}
    for task in grid.tasks:
        for one in task.differences:
            found.setdefault(one.quantity, []).append(one)
    return list(found.values())


def _differences(results: CompareResults, of: Sequence[Differences]) -> Table:
    """Of one quantity, sorted within a task: what a forest plot shows."""
    in_tasks = [task.of(of[0].quantity) for task in results.grid.tasks]
    family = _per_task(results, [one.n_tests if one else 0 for one in in_tasks])
    at = () if of[0].alpha is None else (Column("alpha"),)
    return Table(
        (
            *_heads(results),
            *at,
            Column("difference", f"Δ {of[0].name}", "signed"),
            *ENDS,
            *TESTED,
            Column("n_queries", "queries", "number"),
            Column("n_left_out", "left out", "number"),
        ),
        tuple(
            (
                *_cells(results, row.factors),
                *(one.alpha for _ in at),
                row.difference,
                *row.interval,
                row.p,
                row.p_holm,
                row.verdict,
                row.n_queries,
                row.n_left_out,
            )
            for one in of
            for row in one.rows
        ),
        caption=f"{quantity_words(of[0])} minus the baseline's ({_baselines(results)}), paired by query; "
        f"{described(seed=results.seed)}; Holm over {family}",
    )


def _intervals(results: CompareResults) -> Table:
    quality = results.grid.quality
    return Table(
        (
            *_heads(results),
            Column("disparity_low", "EE-D from", "number"),
            Column("disparity_high", "to", "number"),
            Column("quality", quality, "number"),
            Column("baseline", "list", "number"),
            Column("difference", kind="signed"),
            Column("percent", "%", "signed"),
            *ENDS,
            *TESTED,
            Column("n_queries", "queries", "number"),
            Column("n_points", "points", "number"),
        ),
        tuple(
            (
                *_cells(results, factors),
                row.low,
                row.high,
                row.quality,
                row.quality - row.difference,
                row.difference,
                percent(row),
                *row.interval,
                row.p,
                row.p_holm,
                row.verdict,
                row.n_queries,
                row.n_points,
            )
            for factors, row in _interval_rows(results)
        ),
        caption=_interval_caption(results),
        audience="programs",
    )


def _printed(results: CompareResults) -> Table:
    """Models × intervals as a paper prints them: difference, per cent, a star where Holm allows it."""
    edges = pairwise(EDGES)
    return Table(
        (*_heads(results), *(Column(f"from_{low:g}", f"EE-D {low:g}–{high:g}") for low, high in edges)),
        tuple(
            (*_cells(results, one.factors), *(printed(row) for row in one.rows))
            for task in results.grid.tasks
            for one in task.intervals
        ),
        caption=f"{_interval_caption(results)}; * p < 0.05; n: fewer than {MIN_UNITS} queries",
        audience="papers",
    )


def printed(row: IntervalRow) -> str:
    """One cell: ``−0.066* (−12 %)``, or how few queries it has.

    Examples:
        >>> from fairviz.stats.bootstrap import UNDEFINED
        >>> printed(IntervalRow(0, 0.2, 0.44, -0.06, UNDEFINED, 0.01, 0.02, "lower", 12, 20))
        '−0.060* (−12 %)'
    """
    if row.n_queries < MIN_UNITS:
        return f"n = {row.n_queries}"
    star = "*" if row.verdict in ("higher", "lower") else ""
    share = percent(row)
    per_cent = f" ({signed(share, 0)} %)" if share is not None else ""
    return f"{signed(row.difference, 3)}{star}{per_cent}"


def percent(row: IntervalRow) -> float | None:
    """The difference in per cent of the deterministic list's quality; None where that is 0 or unknown."""
    base = row.quality - row.difference
    return 100 * row.difference / base if base > 0 else None


def _interval_rows(results: CompareResults) -> Iterator[tuple[Factors, IntervalRow]]:
    return ((one.factors, row) for task in results.grid.tasks for one in task.intervals for row in one.rows)


def _interval_caption(results: CompareResults) -> str:
    tests = [sum(row.p_holm == row.p_holm for one in task.intervals for row in one.rows) for task in results.grid.tasks]
    return (
        f"{results.grid.quality} by interval of EE-D minus that of the own deterministic list; {results.test}, "
        f"Holm over {_per_task(results, tests)}; {described(seed=results.seed)}"
    )


def _above(results: CompareResults) -> Table:
    named = [name for name in ("task", "dataset") if name == "task" or any(task.dataset for task in results.grid.tasks)]
    return Table(
        (
            *(Column(name) for name in named),
            Column("disparity_low", "EE-D from", "number"),
            Column("disparity_high", "to", "number"),
            Column("n_above", "above", "number"),
            Column("n_higher", "significantly", "number"),
            Column("n_models", "of", "number"),
        ),
        tuple(
            (*(getattr(task, name) or "" for name in named), *row) for task in results.grid.tasks for row in task.above
        ),
        caption="Systems above their own deterministic list, per interval of EE-D",
    )


def _disparity(results: CompareResults) -> Table:
    return Table(
        (
            *_heads(results),
            Column("alpha"),
            *(Column(name, kind="number") for name in ("mean", "minimum", "quarter", "median")),
            Column("three_quarters", "three quarters", "number"),
            Column("maximum", kind="number"),
            Column("n_queries", "queries", "number"),
        ),
        tuple((*_cells(results, one.factors), *spread) for one in results.grid.disparity for spread in one.spreads),
        caption="EE-D over queries at each α",
    )


def _alpha_tests(results: CompareResults) -> Table:
    n = sum(test.p_holm == test.p_holm for one in results.grid.disparity for test in one.tests)
    return Table(
        (
            *_heads(results),
            Column("alpha_low", "alpha", "number"),
            Column("alpha_high", "and", "number"),
            Column("difference", kind="signed"),
            Column("p", kind="p"),
            Column("p_holm", "p (Holm)", "p"),
            Column("n_queries", "queries", "number"),
        ),
        tuple((*_cells(results, one.factors), *test) for one in results.grid.disparity for test in one.tests),
        caption=f"EE-D at the higher minus the lower α, paired t-test, Holm over {plural(n, 'test')}",
    )


def _correlations(results: CompareResults) -> Table:
    return Table(
        (
            *_heads(results),
            Column("pearson", kind="signed"),
            *ENDS,
            Column("spearman", kind="signed"),
            Column("spearman_low", "low", "signed"),
            Column("spearman_high", "high", "signed"),
            Column("n_points", "points", "number"),
            Column("n_queries", "queries", "number"),
        ),
        tuple(
            (
                *_cells(results, row.factors),
                row.correlation.pearson,
                *row.correlation.pearson_interval,
                row.correlation.spearman,
                *row.correlation.spearman_interval,
                row.correlation.n_points,
                row.correlation.n_queries,
            )
            for task in results.grid.tasks
            for row in task.correlations
        ),
        caption=f"EE-R and EU of the same (query, α) points; {described(seed=results.seed)}",
    )


def _left_out(results: CompareResults) -> Table:
    return Table(
        (*_heads(results), Column("reason")),
        tuple((*_cells(results, one.factors), one.reason) for task in results.grid.tasks for one in task.left_out),
        caption="Not among the areas",
    )


def _baselines(results: CompareResults) -> str:
    return "; ".join(_called(results, task) for task in results.grid.tasks)


def _named(task: TaskComparison) -> str:
    return ", ".join(part for part in (task.task, task.dataset) if part) or "no task"


def _called(results: CompareResults, task: TaskComparison) -> str:
    return ", ".join(str(cell) for cell in _cells(results, task.baseline) if cell)


def _per_task(results: CompareResults, counts: Sequence[int]) -> str:
    if len(results.grid.tasks) < 2:
        return plural(sum(counts), "test")
    said = (f"{_named(task)} {count}" for task, count in zip(results.grid.tasks, counts, strict=True))
    return f"the tests of each task ({', '.join(said)})"
