"""Systems of each task beside its baseline: areas, differences, intervals of EE-D, points at one α."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fairviz.display.words import listing
from fairviz.errors import UsageError
from fairviz.evaluation.compare import Comparison, compare_all, paired_values
from fairviz.model import Curve, Factors, FloatArray, Scores
from fairviz.points.conditions import Condition, Quality, is_limit
from fairviz.points.curves import FIXED_ALPHA
from fairviz.points.estimates import Estimates
from fairviz.points.intervals import (
    NO_INTERVALS,
    alpha_tests,
    corrected,
    disparity_by_alpha,
    models_above_baseline,
    quality_by_interval,
)
from fairviz.points.summary import compared_areas, extent, narrowing
from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.stats.correlation import Correlation, quality_correlation

# Every system of a task minus its baseline, in one quantity: what a forest plot shows, largest first.
#
# AUC is taken over the range that all systems of the task cover. EE-R, EU and EAR are means over queries at one α,
# which is fixed before any of them is looked at; there are as many families of tests as there are quantities, since
# each is a table of its own. A system without the quantity, or without a point at α, stands in the table as undefined.


Quantity: TypeAlias = Literal["AUC"] | Quality
_NAMES: dict[Quantity, str] = {"AUC": "AUC", "EER": "EE-R", "EU": "EU", "EAR": "EAR"}
POINT_QUANTITIES: tuple[Quality, ...] = ("EER", "EU", "EAR")


class Differences(NamedTuple):
    """All systems of a task minus its baseline, in one quantity.

    Attributes:
        quantity: What is compared.
        measure: The quantity as a measure string ("EER@5"); of AUC, the quality under the curve.
        alpha: Where it is compared; None for AUC.
        rows: Each system minus the baseline, the largest difference first, undefined ones last.
    """

    quantity: Quantity
    measure: str
    alpha: float | None
    rows: Mapping[Factors, Comparison]

    @property
    def name(self) -> str:
        """What the quantity is called."""
        return _NAMES[self.quantity]

    @property
    def stem(self) -> str:
        """What its table is called."""
        return "differences" if self.quantity == "AUC" else f"differences-{self.quantity}"

    @property
    def n_tests(self) -> int:
        """Tests of the table: what Holm corrects over."""
        return sum(row.p_holm == row.p_holm for row in self.rows.values())

    @property
    def undefined(self) -> tuple[Factors, ...]:
        """Systems that cannot be compared."""
        return tuple(factors for factors, row in self.rows.items() if np.isnan(row.difference))

    def corrected(self, row: Comparison) -> Interval:
        """A row's interval at the level that holds for all rows at once: for a difference that was searched for."""
        return row.among(self.n_tests)


def point_differences(
    members: Sequence[Condition], quantity: Quality, alpha: float, *, seed: int = 0
) -> Differences | None:
    """Differences of a quantity at one α; None where the baseline has no point there.

    The machinery is that of ``fairviz compare``: paired bootstrap and paired t-test over the queries that both have,
    Holm over the table.

    Args:
        members: Systems of a task, the baseline first.
        quantity: What is compared.
        alpha: At which α.
        seed: Of the bootstrap; each row draws from it anew.
    """
    base, *others = (_at(condition, quantity, alpha) for condition in members)
    if base is None or not others:
        return None
    comparable_scores = [
        (condition.factors, values)
        for condition, values in zip(members[1:], others, strict=True)
        if values is not None and _common(values, base)
    ]
    comparisons = compare_all([(values, base) for _, values in comparable_scores], seed=seed)
    rows = {factors: row for (factors, _), row in zip(comparable_scores, comparisons, strict=True)}
    rows |= {
        condition.factors: _undefined(condition, base) for condition in members[1:] if condition.factors not in rows
    }
    return Differences(quantity, base.measure, alpha, _sorted(rows))


def alphas_with_points(conditions: Sequence[Condition]) -> tuple[float, ...]:
    """Every α at which any system has a point, in order."""
    alphas = {alpha for condition in conditions for alpha in condition.relevance.alphas.tolist() if alpha == alpha}
    return tuple(sorted(alphas))


def chosen_alpha(conditions: Sequence[Condition], at: float | None = None) -> float | None:
    """The α at which systems are compared; None where no system has one.

    Args:
        conditions: Of all tasks.
        at: The α that is asked for; None: of those that most systems have, the one nearest to 3.

    Raises:
        UsageError: If no system has a point at the α that is asked for.
    """
    alphas = alphas_with_points(conditions)
    if at is not None and at not in alphas:
        some = [f"{alpha:g}" for alpha in alphas]
        choices = listing(some, "or") if len(some) <= NAMED else f"{', '.join(some[:NAMED])}, …, {some[-1]}"
        raise UsageError(f"no system has a point at α = {at:g}: choose {choices or 'runs with α'}")
    if at is not None or not alphas:
        return at
    having = Counter(
        alpha for condition in conditions for alpha in condition.relevance.alphas.tolist() if alpha == alpha
    )
    most = max(having.values())
    return min((alpha for alpha in alphas if having[alpha] == most), key=lambda alpha: abs(alpha - FIXED_ALPHA))


def _at(condition: Condition, quantity: Quality, alpha: float) -> Scores | None:
    """The quantity of each query at α; None without a point there, or a value in it."""
    curve = condition.curve(quantity)
    places = [] if curve is None else np.flatnonzero(curve.alphas == alpha).tolist()
    if curve is None or not places:
        return None
    values: FloatArray = curve.quality[places[0]]
    if np.isnan(values).all():
        return None
    return Scores(system=curve.system, measure=curve.y, query_ids=curve.query_ids, values=values)


def _common(values: Scores, base: Scores) -> bool:
    pair = paired_values(values, base)
    return bool((~np.isnan(pair.system) & ~np.isnan(pair.reference)).any())


def _undefined(condition: Condition, base: Scores) -> Comparison:
    n_queries = len({*condition.relevance.query_ids, *base.query_ids})
    system = condition.relevance.system
    return Comparison(system, base.system, base.measure, np.nan, UNDEFINED, "too few to test", 0, n_queries)


def _sorted(rows: Mapping[Factors, Comparison]) -> dict[Factors, Comparison]:
    return dict(sorted(rows.items(), key=lambda row: np.inf if np.isnan(row[1].difference) else -row[1].difference))


NAMED = 8
"""Systems, and α, that are named at most."""
PAPER_ALPHAS = (1.0, 2.0, 4.0, 8.0)
MOST_ALPHAS = 8
"""α of a condition between which EE-D is tested at most; of an exact curve, only those of the paper."""


class TaskComparison(NamedTuple):
    """One task, of one data set.

    Attributes:
        task: Its name; None = not said.
        baseline: What the others are compared with.
        areas: AUC and slope of each system, the baseline first, then the others as given, see :class:`CurveAreas`.
        gaps: AUC of each further system minus the baseline's.
        intervals: The five intervals of EE-D of conditions with a recorded deterministic list, against it; p corrected
            over the table.
        above: How many of these are above it, per interval; empty without any.
        correlations: EE-R against EU over the (query, α) points of conditions with answers.
        left_out: Conditions without an area beside the others, and why.
        differences: From the baseline, a table per quantity: of AUC first, then of what is known at one α.
        dataset: Name of the data set; None = not said.
        runner_up: The systems of the largest and the second largest area, and the first minus the second; None where
            there are no two.
    """

    task: str | None
    baseline: Factors
    areas: Mapping[Factors, Mapping[str, Any]]
    gaps: Mapping[Factors, Comparison]
    intervals: Mapping[Factors, pl.DataFrame]
    above: pl.DataFrame
    correlations: Mapping[Factors, Correlation]
    left_out: Mapping[Factors, str]
    differences: tuple[Differences, ...]
    dataset: str | None = None
    runner_up: tuple[Factors, Factors, Comparison] | None = None

    @property
    def n_areas(self) -> int:
        """Systems that have an area."""
        return int(np.isfinite(list(self.aucs.values())).sum())

    @property
    def n_pairs(self) -> int:
        """Pairs of systems that have an area."""
        return comb(self.n_areas, 2)

    @property
    def aucs(self) -> dict[Factors, float]:
        """AUC of each system, NaN where it has none."""
        return {factors: np.nan if row["auc"] is None else row["auc"] for factors, row in self.areas.items()}

    def of(self, quantity: Quantity) -> Differences | None:
        """The differences in one quantity; None where they are not known."""
        return next((differences for differences in self.differences if differences.quantity == quantity), None)


class GridComparison(NamedTuple):
    """All tasks of a grid.

    Attributes:
        quality: Label of the y axis ("EER@5", "EU", "EU/best").
        tasks: In order of first appearance.
        spreads: EE-D over queries at each α of every condition.
        alpha_tests: Tests of EE-D between these α; p corrected over all conditions.
        curves: (factors, curve) of every condition that has the quality.
        alpha: Where points are compared; None = no condition has an α.
        estimates: What answers say between the α at which they were recorded, where EU is the quality.
    """

    quality: str
    tasks: tuple[TaskComparison, ...]
    spreads: Mapping[Factors, pl.DataFrame]
    alpha_tests: Mapping[Factors, pl.DataFrame]
    curves: tuple[tuple[Factors, Curve], ...]
    alpha: float | None
    estimates: tuple[tuple[Factors, Estimates], ...] = ()

    def of_task(self, task: str | None) -> TaskComparison | None:
        """One task; None where none of its conditions has a point."""
        return next((comparison for comparison in self.tasks if comparison.task == task), None)


def compare_grid(
    conditions: Sequence[Condition],
    *,
    quality: Quality,
    baseline: Factors | None = None,
    at: float | None = None,
    seed: int = 0,
) -> GridComparison:
    """Compare all conditions of a grid, task by task.

    Args:
        conditions: With distinct factors; those without the quality take no part, limits have points alone.
        quality: What stands on the y axis.
        baseline: Factors of the condition that the others of a task are compared with; those that are None match any,
            and the first match of each task is taken; None, or no match in a task: its first condition.
        at: α of the differences in EE-R, EU and EAR, see :func:`chosen_alpha`.
        seed: Of every bootstrap; each draws from it anew.

    Raises:
        UsageError: If no condition has a point at the α that is asked for.
    """
    with_curve = [condition for condition in conditions if condition.curve(quality) is not None]
    by_task: dict[tuple[str | None, str | None], list[Condition]] = {}
    systems = [condition for condition in with_curve if not is_limit(condition.factors)]
    for condition in systems:
        by_task.setdefault((condition.factors.task, condition.factors.dataset), []).append(condition)
    at_few = {each.factors: _at_few_alphas(each.relevance) for each in conditions if not is_limit(each.factors)}
    grid = GridComparison(
        quality=_curve(with_curve[0], quality).y if with_curve else "",
        tasks=tuple(
            _task(*task, _baseline_first(members, baseline), quality, seed) for task, members in by_task.items()
        ),
        spreads={factors: disparity_by_alpha(curve) for factors, curve in at_few.items()},
        alpha_tests=_corrected({factors: alpha_tests(curve) for factors, curve in at_few.items()}),
        curves=tuple((condition.factors, _curve(condition, quality)) for condition in with_curve),
        alpha=None,
        estimates=tuple(
            (condition.factors, condition.estimates)
            for condition in with_curve
            if quality == "EU" and condition.estimates is not None
        ),
    )
    return at_alpha(grid, conditions, at=at, seed=seed)


def at_alpha(
    grid: GridComparison, conditions: Sequence[Condition], *, at: float | None, seed: int = 0
) -> GridComparison:
    """A comparison with its points compared at another α: all else stays, and nothing else is computed.

    Args:
        grid: The comparison.
        conditions: Of which it was made.
        at: The α, see :func:`chosen_alpha`.
        seed: Of every bootstrap.

    Raises:
        UsageError: If no condition has a point there.
    """
    compared = {factors for factors, _ in grid.curves if not is_limit(factors)}
    members = [condition for condition in conditions if condition.factors in compared]
    alpha = chosen_alpha(members, at)

    def of_task(task: TaskComparison) -> TaskComparison:
        named = (task.task, task.dataset)
        of = [condition for condition in members if (condition.factors.task, condition.factors.dataset) == named]
        ordered = _baseline_first(of, task.baseline)
        points = [
            point_differences(ordered, quantity, alpha, seed=seed) for quantity in POINT_QUANTITIES if alpha is not None
        ]
        return task._replace(differences=(task.differences[0], *filter(None, points)))

    return grid._replace(tasks=tuple(map(of_task, grid.tasks)), alpha=alpha)


def _task(
    task: str | None, dataset: str | None, members: Sequence[Condition], quality: Quality, seed: int
) -> TaskComparison:
    kept, left_out = _wide_enough(members, quality)
    areas = compared_areas([_curve(condition, quality) for condition in kept], rng=np.random.default_rng(seed))
    own = {
        condition.factors: quality_by_interval(_curve(condition, quality), end, rng=np.random.default_rng(seed))
        for condition in members
        if (end := condition.ends.get(quality)) is not None
    }
    intervals = _corrected(own)
    gaps = {condition.factors: gap for condition, gap in zip(kept[1:], areas.gaps, strict=True)}
    return TaskComparison(
        task=task,
        baseline=members[0].factors,
        areas={condition.factors: row for condition, row in zip(kept, areas.rows.to_dicts(), strict=True)},
        gaps=gaps,
        intervals=intervals,
        above=models_above_baseline(pl.concat([*intervals.values()] or [NO_INTERVALS])),
        correlations={
            condition.factors: quality_correlation(
                condition.relevance.quality, condition.answered.quality, rng=np.random.default_rng(seed)
            )
            for condition in members
            if "EU" in condition.curves and condition.relevance.query_ids == condition.answered.query_ids
        },
        left_out=left_out,
        differences=(Differences("AUC", _curve(members[0], quality).y, None, _sorted(gaps)),),
        dataset=dataset,
        runner_up=_runner_up(kept, quality, areas.rows["auc"].to_list(), seed),
    )


def _runner_up(
    kept: Sequence[Condition], quality: Quality, aucs: Sequence[float | None], seed: int
) -> tuple[Factors, Factors, Comparison] | None:
    """The first two by area, and their difference over the range that all share."""
    falling = sorted((at for at, auc in enumerate(aucs) if auc is not None), key=lambda at: -(aucs[at] or 0.0))
    if len(falling) < 2:
        return None
    second, first = falling[1], falling[0]
    ordered = [kept[at] for at in (second, *(at for at in falling if at != second))]
    gaps = compared_areas([_curve(condition, quality) for condition in ordered], rng=np.random.default_rng(seed)).gaps
    return kept[first].factors, kept[second].factors, gaps[0]


def _baseline_first(members: Sequence[Condition], baseline: Factors | None) -> list[Condition]:
    """The baseline, then the others in their order."""
    wanted = () if baseline is None else [(i, value) for i, value in enumerate(baseline) if value is not None]
    matching = [condition for condition in members if all(condition.factors[i] == value for i, value in wanted)]
    first = (matching or members)[0]
    return [first, *(condition for condition in members if condition is not first)]


def _wide_enough(members: Sequence[Condition], quality: Quality) -> tuple[list[Condition], dict[Factors, str]]:
    """Conditions whose common range of EE-D is not cut short by one of them; the baseline, first, always stays."""
    ranges = [extent(_curve(condition, quality)) for condition in members]
    narrow = narrowing(ranges)
    reason = "covers EE-D {:.2f} to {:.2f}: beside it the others could be compared less far"
    left_out = {members[at].factors: reason.format(*ranges[at][1:]) for at in narrow}
    return [condition for at, condition in enumerate(members) if at not in narrow], left_out


def _corrected(of: Mapping[Factors, pl.DataFrame]) -> dict[Factors, pl.DataFrame]:
    """Tests of several conditions, p corrected over all of them."""
    every, start = corrected(pl.concat(of.values())) if of else pl.DataFrame(), 0
    tests: dict[Factors, pl.DataFrame] = {}
    for factors, own in of.items():
        tests[factors] = every.slice(start, own.height)
        start += own.height
    return tests


def _at_few_alphas(curve: Curve) -> Curve:
    few = curve.alphas.size <= MOST_ALPHAS or not np.isin(PAPER_ALPHAS, curve.alphas).all()
    return curve if few else curve.only(PAPER_ALPHAS)


def _curve(condition: Condition, quality: Quality) -> Curve:
    curve = condition.curve(quality)
    if curve is None:
        raise ValueError(f"{condition.factors}: no {quality}")
    return replace(curve, policy=condition.factors.policy or curve.policy)
