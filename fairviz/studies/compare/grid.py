"""A grid, task by task: areas against a baseline, intervals of EE-D, EE-D by α, EE-R against EU (Kim & Diaz, 4–5).

The oracle limit is no system: it is drawn, and takes no part in areas, ranges, counts or tests.

Nothing is compared, averaged or tested across tasks, or data sets of a task: each has its own baseline, range and
families of tests. EE-D by α is one table over all conditions, and its family is that table, as in the paper.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fairviz.display.words import listing
from fairviz.errors import UsageError
from fairviz.evaluation.compare import Comparison, compare_all
from fairviz.model import Curve, Factors, FloatArray, Scores
from fairviz.points.conditions import Condition, Quality, is_limit
from fairviz.points.curves import FIXED_ALPHA
from fairviz.points.estimates import Estimates
from fairviz.points.intervals import (
    EDGES,
    NO_INTERVALS,
    alpha_tests,
    corrected,
    disparity_by_alpha,
    models_above_baseline,
    quality_by_interval,
)
from fairviz.points.summary import compared_areas, extent, narrowing
from fairviz.stats.bootstrap import N_RESAMPLES, UNDEFINED, Interval, corrected_interval
from fairviz.stats.correlation import Correlation, quality_correlation

# Every system of a task minus its baseline, in one quantity: what a forest plot shows, largest first.
#
# AUC is taken over the range that all systems of the task cover. EE-R, EU and EAR are means over queries at one α,
# which is fixed before any of them is looked at; there are as many families of tests as there are quantities, since
# each is a table of its own. A system without the quantity, or without a point at α, stands in the table as undefined.


Quantity: TypeAlias = Literal["AUC"] | Quality
_NAMES: dict[Quantity, str] = {"AUC": "AUC", "EER": "EE-R", "EU": "EU", "EAR": "EAR"}
POINT_QUANTITIES: tuple[Quality, ...] = ("EER", "EU", "EAR")
NAMED = 8
"""α named at most where one is refused."""


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
        return corrected_interval(row.difference, row.p, row.n_queries, self.n_tests)


def quantity_words(of: Differences) -> str:
    """What is compared, and where.

    Examples:
        >>> quantity_words(Differences("EER", "EER@5", 3.0, {})), quantity_words(Differences("AUC", "EU", None, {}))
        ('EER@5 at α = 3', 'AUC of EU')
    """
    return f"AUC of {of.measure}" if of.alpha is None else f"{of.measure} at α = {of.alpha:g}"


def point_differences(
    members: Sequence[Condition],
    quantity: Quality,
    alpha: float,
    *,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> Differences | None:
    """Of a quantity at one α; None where the baseline has none there.

    The machinery is that of ``fairviz compare``: paired bootstrap and paired t-test over the queries that both have,
    Holm over the table.

    Args:
        members: Systems of a task, the baseline first.
        quantity: What is compared.
        alpha: At which α.
        seed: Of the bootstrap; each row draws from it anew.
        n_resamples: Resamples of the queries.
    """
    base, *others = (_at(one, quantity, alpha) for one in members)
    if base is None or not others:
        return None
    known = [
        (one.factors, values)
        for one, values in zip(members[1:], others, strict=True)
        if values is not None and _common(values, base)
    ]
    found = compare_all([(values, base) for _, values in known], seed=seed, n_resamples=n_resamples)
    rows = {factors: row for (factors, _), row in zip(known, found, strict=True)}
    rows |= {one.factors: _undefined(one, base) for one in members[1:] if one.factors not in rows}
    return Differences(quantity, base.measure, alpha, _sorted(rows))


def alphas_of(conditions: Sequence[Condition]) -> tuple[float, ...]:
    """Every α at which any system has a point, in order."""
    known = {alpha for one in conditions for alpha in one.relevance.alphas.tolist() if alpha == alpha}
    return tuple(sorted(known))


def chosen_alpha(conditions: Sequence[Condition], at: float | None = None) -> float | None:
    """The α at which systems are compared; None where no system has one.

    Args:
        conditions: Of all tasks.
        at: The α that is asked for; None: of those that most systems have, the one nearest to 3.

    Raises:
        UsageError: If no system has a point at the α that is asked for.
    """
    known = alphas_of(conditions)
    if at is not None and at not in known:
        some = [f"{alpha:g}" for alpha in known]
        told = listing(some, "or") if len(some) <= NAMED else f"{', '.join(some[:NAMED])}, …, {some[-1]}"
        raise UsageError(f"no system has a point at α = {at:g}: choose {told or 'runs with α'}")
    if at is not None or not known:
        return at
    having = Counter(alpha for one in conditions for alpha in one.relevance.alphas.tolist() if alpha == alpha)
    most = max(having.values())
    return min((alpha for alpha in known if having[alpha] == most), key=lambda alpha: abs(alpha - FIXED_ALPHA))


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
    return bool(_with_value(values) & _with_value(base))


def _with_value(scores: Scores) -> set[str]:
    return {query for query, value in zip(scores.query_ids, scores.values.tolist(), strict=True) if value == value}


def _undefined(condition: Condition, base: Scores) -> Comparison:
    asked = len({*condition.relevance.query_ids, *base.query_ids})
    system = condition.relevance.system
    return Comparison(system, base.system, base.measure, np.nan, UNDEFINED, "too few to test", 0, asked)


def _sorted(rows: Mapping[Factors, Comparison]) -> dict[Factors, Comparison]:
    return dict(sorted(rows.items(), key=lambda row: np.inf if np.isnan(row[1].difference) else -row[1].difference))


PAPER_ALPHAS = (1.0, 2.0, 4.0, 8.0)
MOST_ALPHAS = 8
"""α of a condition between which EE-D is tested at most; of an exact curve, only those of the paper."""


class TaskComparison(NamedTuple):
    """One task, of one data set.

    Attributes:
        task: Its name; None = not said.
        dataset: Name of the data set; None = not said.
        baseline: What the others are compared with.
        areas: AUC and slope of each system, the baseline first, then the others as given, see :class:`CurveAreas`.
        gaps: AUC of each further system minus the baseline's.
        intervals: The five intervals of EE-D of conditions with a recorded deterministic list, against it; p corrected
            over the table.
        above: How many of these are above it, per interval; empty without any.
        correlations: EE-R against EU over the (query, α) points of conditions with answers.
        left_out: Conditions without an area beside the others, and why.
        differences: From the baseline, a table per quantity: of AUC first, then of what is known at one α.
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

    @property
    def aucs(self) -> dict[Factors, float]:
        """AUC of each system, NaN where it has none."""
        return {factors: np.nan if row["auc"] is None else row["auc"] for factors, row in self.areas.items()}

    def of(self, quantity: Quantity) -> Differences | None:
        """The differences in one quantity; None where they are not known."""
        return next((one for one in self.differences if one.quantity == quantity), None)


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
    disparity: Mapping[Factors, tuple[pl.DataFrame, pl.DataFrame]]
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
            _task(*task, _baseline_first(members, baseline), quality, seed, n_resamples)
            for task, members in by_task.items()
        ),
        disparity=_disparity([one for one in conditions if not is_limit(one.factors)]),
        curves=tuple((condition.factors, _curve(condition, quality)) for condition in with_curve),
        alpha=None,
        estimates=tuple(
            (condition.factors, condition.estimates)
            for condition in with_curve
            if quality == "EU" and condition.estimates is not None
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
    seed: int,
    n_resamples: int,
) -> TaskComparison:
    kept, left_out = _wide_enough(members, quality)
    rng = np.random.default_rng(seed)
    areas = compared_areas([_curve(one, quality) for one in kept], rng=rng, n_resamples=n_resamples)
    own = {
        one.factors: quality_by_interval(
            _curve(one, quality), end, rng=np.random.default_rng(seed), n_resamples=n_resamples
        )
        for one in members
        if (end := one.ends.get(quality)) is not None
    }
    every = corrected(pl.concat([*own.values()] or [NO_INTERVALS]))
    intervals = dict(zip(own, every.iter_slices(len(EDGES) - 1), strict=False))
    gaps = {one.factors: gap for one, gap in zip(kept[1:], areas.gaps, strict=True)}
    return TaskComparison(
        task=task,
        baseline=members[0].factors,
        areas={one.factors: row for one, row in zip(kept, areas.rows.to_dicts(), strict=True)},
        gaps=gaps,
        intervals=intervals,
        above=models_above_baseline(every),
        correlations={
            one.factors: quality_correlation(
                one.relevance.quality, one.answered.quality, rng=np.random.default_rng(seed), n_resamples=n_resamples
            )
            for one in members
            if "EU" in one.curves and one.relevance.query_ids == one.answered.query_ids
        },
        left_out=left_out,
        differences=(Differences("AUC", _curve(members[0], quality).y, None, _sorted(gaps)),),
        dataset=dataset,
    )


def _baseline_first(members: Sequence[Condition], baseline: Factors | None) -> list[Condition]:
    """The baseline, then the others in their order."""
    wanted = [] if baseline is None else [(i, value) for i, value in enumerate(baseline) if value is not None]
    matching = [one for one in members if all(one.factors[i] == value for i, value in wanted)]
    first = (matching or members)[0]
    return [first, *(one for one in members if one is not first)]


def _wide_enough(members: Sequence[Condition], quality: Quality) -> tuple[list[Condition], dict[Factors, str]]:
    """Conditions whose common range of EE-D is not cut short by one of them; the baseline, first, always stays."""
    ranges = [extent(_curve(one, quality)) for one in members]
    narrow = narrowing(ranges)
    reason = "covers EE-D {:.2f} to {:.2f}: beside it the others could be compared less far"
    left_out = {members[at].factors: reason.format(*ranges[at][1:]) for at in narrow}
    return [one for at, one in enumerate(members) if at not in narrow], left_out


def _disparity(
    conditions: Sequence[Condition],
) -> dict[Factors, tuple[pl.DataFrame, pl.DataFrame]]:
    """EE-D over queries at each α of a condition, and the tests between them, p corrected over all conditions."""
    curves = {one.factors: _at_few_alphas(one.relevance) for one in conditions}
    tests = [alpha_tests(curve) for curve in curves.values()]
    every, start = corrected(pl.concat(tests)) if tests else pl.DataFrame(), 0
    found: dict[Factors, tuple[pl.DataFrame, pl.DataFrame]] = {}
    for (factors, curve), own in zip(curves.items(), tests, strict=True):
        found[factors] = disparity_by_alpha(curve), every.slice(start, own.height)
        start += own.height
    return found


def _at_few_alphas(curve: Curve) -> Curve:
    few = curve.alphas.size <= MOST_ALPHAS or not np.isin(PAPER_ALPHAS, curve.alphas).all()
    return curve if few else curve.only(PAPER_ALPHAS)


def _curve(condition: Condition, quality: Quality) -> Curve:
    curve = condition.curve(quality)
    if curve is None:
        raise ValueError(f"{condition.factors}: no {quality}")
    return replace(curve, policy=condition.factors.policy or curve.policy)
