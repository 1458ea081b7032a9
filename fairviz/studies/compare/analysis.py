"""A grid, task by task: areas against a baseline, intervals of EE-D, EE-D by α, EE-R against EU (Kim & Diaz, 4–5).

The oracle limit is no system: it is drawn, and takes no part in areas, ranges, counts or tests.

Nothing is compared, averaged or tested across tasks, or data sets of a task: each has its own baseline, range and
families of tests. EE-D by α is one table over all conditions, and its family is that table, as in the paper.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairviz.model import Curve, Factors, FloatArray
from fairviz.stats.bootstrap import N_RESAMPLES
from fairviz.stats.correlation import Correlation, quality_correlation
from fairviz.stats.tests import holm, tested, verdict
from fairviz.studies.compare.conditions import Condition, Quality, is_limit
from fairviz.studies.compare.differences import (
    POINT_QUANTITIES,
    Differences,
    Quantity,
    area_differences,
    chosen_alpha,
    point_differences,
)
from fairviz.studies.tradeoff.estimates import Estimates
from fairviz.studies.tradeoff.intervals import (
    AboveBaseline,
    AlphaTest,
    IntervalRow,
    IntervalTest,
    Spread,
    alpha_tests,
    disparity_by_alpha,
    models_above_baseline,
    only_alphas,
    quality_by_interval,
)
from fairviz.studies.tradeoff.summary import AreaGap, CurveSummary, compared_areas, extent, narrowing

PAPER_ALPHAS = (1.0, 2.0, 4.0, 8.0)
MOST_ALPHAS = 8
"""α of a condition between which EE-D is tested at most; of an exact curve, only those of the paper."""


class LeftOut(NamedTuple):
    """A condition that takes no part in areas, and why."""

    factors: Factors
    reason: str


class AreaRow(NamedTuple):
    """AUC and slope of a condition, and its AUC minus the baseline's; None for the baseline itself."""

    factors: Factors
    summary: CurveSummary
    gap: AreaGap | None


class IntervalRows(NamedTuple):
    """A condition's five intervals of EE-D against its own deterministic list; p corrected over the task's table."""

    factors: Factors
    rows: tuple[IntervalRow, ...]


class CorrelationRow(NamedTuple):
    """EE-R against EU over the (query, α) points of a condition."""

    factors: Factors
    correlation: Correlation


class TaskComparison(NamedTuple):
    """One task, of one data set.

    Attributes:
        task: Its name; None = not said.
        dataset: Name of the data set; None = not said.
        baseline: What the others are compared with.
        areas: The baseline first, then the others as given.
        intervals: Conditions with a recorded deterministic list.
        above: How many of these are above it, per interval; empty without any.
        correlations: Conditions with answers.
        left_out: Conditions without an area beside the others.
        differences: From the baseline, a table per quantity: of AUC first, then of what is known at one α.
    """

    task: str | None
    baseline: Factors
    areas: tuple[AreaRow, ...]
    intervals: tuple[IntervalRows, ...]
    above: tuple[AboveBaseline, ...]
    correlations: tuple[CorrelationRow, ...]
    left_out: tuple[LeftOut, ...]
    differences: tuple[Differences, ...]
    dataset: str | None = None

    def of(self, quantity: Quantity) -> Differences | None:
        """The differences in one quantity; None where they are not known."""
        return next((one for one in self.differences if one.quantity == quantity), None)


class DisparityRows(NamedTuple):
    """EE-D over queries at each α of a condition, and the tests between them."""

    factors: Factors
    spreads: tuple[Spread, ...]
    tests: tuple[AlphaTest, ...]


class GridComparison(NamedTuple):
    """All tasks of a grid.

    Attributes:
        quality: Label of the y axis ("EER@5", "EU", "EU/best").
        tasks: In order of first appearance.
        disparity: EE-D by α of every condition; p corrected over all of them.
        curves: (factors, curve) of every condition that has the quality.
        alpha: Where points are compared; None = no condition has an α.
        estimates: What answers say between the α at which they were recorded, where EU is the quality.
    """

    quality: str
    tasks: tuple[TaskComparison, ...]
    disparity: tuple[DisparityRows, ...]
    curves: tuple[tuple[Factors, Curve], ...]
    alpha: float | None
    estimates: tuple[tuple[Factors, Estimates], ...] = ()

    def of_task(self, task: str | None) -> TaskComparison | None:
        """One task; None where none of its conditions has a point."""
        return next((one for one in self.tasks if one.task == task), None)


def compare_grid(
    conditions: Sequence[Condition],
    *,
    quality: Quality,
    baseline: Factors | None = None,
    test: IntervalTest = "paired",
    at: float | None = None,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> GridComparison:
    """Compare all conditions of a grid, task by task.

    Args:
        conditions: With distinct factors; those without the quality take no part, limits have points alone.
        quality: What stands on the y axis.
        baseline: Factors of the condition that the others of a task are compared with; those that are None match any,
            and the first match of each task is taken; None, or no match in a task: its first condition.
        test: Against the deterministic list, see :func:`quality_by_interval`.
        at: α of the differences in EE-R, EU and EAR, see :func:`chosen_alpha`.
        seed: Of every bootstrap; each draws from it anew.
        n_resamples: Resamples of the queries.

    Raises:
        UsageError: If no condition has a point at the α that is asked for.
    """
    with_curve = [condition for condition in conditions if condition.curve(quality) is not None]
    by_task: dict[tuple[str | None, str | None], list[Condition]] = {}
    systems = [condition for condition in with_curve if not is_limit(condition.factors)]
    for condition in systems:
        by_task.setdefault((condition.factors.task, condition.factors.dataset), []).append(condition)
    grid = GridComparison(
        quality=_curve(with_curve[0], quality).y if with_curve else "",
        tasks=tuple(
            _task(*task, _baseline_first(members, baseline), quality, test, seed, n_resamples)
            for task, members in by_task.items()
        ),
        disparity=_disparity([one for one in conditions if not is_limit(one.factors)]),
        curves=tuple((condition.factors, _curve(condition, quality)) for condition in with_curve),
        alpha=None,
        estimates=tuple(
            (condition.factors, condition.estimates)
            for condition in with_curve
            if quality == "utility" and condition.estimates is not None
        ),
    )
    return at_alpha(grid, conditions, at=at, seed=seed, n_resamples=n_resamples)


def at_alpha(
    grid: GridComparison,
    conditions: Sequence[Condition],
    *,
    at: float | None,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> GridComparison:
    """The same comparison with points compared at another α: all else stays, and nothing else is computed.

    Args:
        grid: The comparison.
        conditions: Of which it was made.
        at: The α, see :func:`chosen_alpha`.
        seed: Of every bootstrap.
        n_resamples: Resamples of the queries.

    Raises:
        UsageError: If no condition has a point there.
    """
    compared = {factors for factors, _ in grid.curves if not is_limit(factors)}
    members = [one for one in conditions if one.factors in compared]
    alpha = chosen_alpha(members, at)

    def of_task(task: TaskComparison) -> TaskComparison:
        named = (task.task, task.dataset)
        of = [one for one in members if (one.factors.task, one.factors.dataset) == named]
        ordered = _baseline_first(of, task.baseline)
        points = [
            point_differences(ordered, quantity, alpha, seed=seed, n_resamples=n_resamples)
            for quantity in POINT_QUANTITIES
            if alpha is not None
        ]
        return task._replace(differences=(task.differences[0], *filter(None, points)))

    return grid._replace(tasks=tuple(map(of_task, grid.tasks)), alpha=alpha)


def _task(
    task: str | None,
    dataset: str | None,
    members: Sequence[Condition],
    quality: Quality,
    test: IntervalTest,
    seed: int,
    n_resamples: int,
) -> TaskComparison:
    kept, left_out = _wide_enough(members, quality)
    rng = np.random.default_rng(seed)
    areas = compared_areas([_curve(one, quality) for one in kept], rng=rng, n_resamples=n_resamples)
    intervals = _corrected(
        [
            IntervalRows(
                one.factors,
                quality_by_interval(
                    _curve(one, quality), end, rng=np.random.default_rng(seed), test=test, n_resamples=n_resamples
                ),
            )
            for one in members
            if (end := one.deterministic(quality)) is not None
        ]
    )
    curves = {one.factors: _curve(one, quality) for one in kept}
    gaps = {one.factors: gap for one, gap in zip(kept[1:], areas.gaps, strict=True)}
    return TaskComparison(
        task=task,
        baseline=members[0].factors,
        areas=tuple(
            AreaRow(one.factors, summary, gap)
            for one, summary, gap in zip(kept, areas.rows, (None, *areas.gaps), strict=True)
        ),
        intervals=intervals,
        above=models_above_baseline([one.rows for one in intervals]) if intervals else (),
        correlations=tuple(
            CorrelationRow(
                one.factors,
                quality_correlation(
                    one.relevance.quality, one.utility.quality, rng=np.random.default_rng(seed), n_resamples=n_resamples
                ),
            )
            for one in members
            if one.utility is not None and one.relevance.query_ids == one.utility.query_ids
        ),
        left_out=left_out,
        differences=(area_differences(curves[members[0].factors].y, curves, members[0].factors, gaps),),
        dataset=dataset,
    )


def _baseline_first(members: Sequence[Condition], baseline: Factors | None) -> list[Condition]:
    """The baseline, then the others in their order."""
    wanted = [] if baseline is None else [(i, value) for i, value in enumerate(baseline) if value is not None]
    matching = [one for one in members if all(one.factors[i] == value for i, value in wanted)]
    first = (matching or members)[0]
    return [first, *(one for one in members if one is not first)]


def _wide_enough(members: Sequence[Condition], quality: Quality) -> tuple[list[Condition], tuple[LeftOut, ...]]:
    """Conditions whose common range of EE-D is not cut short by one of them; the baseline, first, always stays."""
    ranges = [extent(_curve(one, quality)) for one in members]
    narrow = narrowing(ranges)
    left_out = (
        LeftOut(
            members[at].factors,
            f"covers EE-D {ranges[at][1]:.2f} to {ranges[at][2]:.2f}: beside it the others could be compared less far",
        )
        for at in narrow
    )
    return [one for at, one in enumerate(members) if at not in narrow], tuple(left_out)


def _corrected(tables: Sequence[IntervalRows]) -> tuple[IntervalRows, ...]:
    """The rows of all conditions with p corrected over all that are tested."""
    p = np.array([tested(row.p, row.n_queries) for table in tables for row in table.rows], dtype=np.float64)
    adjusted = iter(holm(p).tolist())
    return tuple(
        table._replace(rows=tuple(_with_holm(row, p_holm) for row, p_holm in zip(table.rows, adjusted, strict=False)))
        for table in tables
    )


def _with_holm(row: IntervalRow, p_holm: float) -> IntervalRow:
    return row._replace(p_holm=p_holm, verdict=verdict(row.difference, p_holm, row.n_queries))


def _disparity(conditions: Sequence[Condition]) -> tuple[DisparityRows, ...]:
    curves = [_at_few_alphas(one.relevance) for one in conditions]
    tests = [alpha_tests(curve) for curve in curves]
    p: FloatArray = np.array([tested(test.p, test.n_queries) for some in tests for test in some], dtype=np.float64)
    adjusted = iter(holm(p).tolist())
    return tuple(
        DisparityRows(
            one.factors,
            disparity_by_alpha(curve),
            tuple(test._replace(p_holm=p_holm) for test, p_holm in zip(some, adjusted, strict=False)),
        )
        for one, curve, some in zip(conditions, curves, tests, strict=True)
    )


def _at_few_alphas(curve: Curve) -> Curve:
    few = curve.alphas.size <= MOST_ALPHAS or not np.isin(PAPER_ALPHAS, curve.alphas).all()
    return curve if few else only_alphas(curve, PAPER_ALPHAS)


def _curve(condition: Condition, quality: Quality) -> Curve:
    curve = condition.curve(quality)
    if curve is None:
        raise ValueError(f"{condition.factors}: no {quality}")
    return replace(curve, policy=condition.factors.policy or curve.policy)
