"""Systems of one task side by side: the path of each along α, and how far each is from a baseline under one setting.

A system here is one policy of a generator: what `by_generator` holds together is told apart again by the policy, since
a path joins the α of one policy. Nothing is compared across tasks: callers hand in the systems of one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairviz.display.bands import Band
from fairviz.display.words import number, signed
from fairviz.evaluation.compare import Comparison, compare_all
from fairviz.metrics.consumption import Scale
from fairviz.model import Factors, Scores
from fairviz.points.generations import Generation, Pair, axis_values
from fairviz.points.outputs import curve_through
from fairviz.points.panels import Corner, Curves, Layout, PanelView, lay_out, toned
from fairviz.points.view import Line, system_name
from fairviz.stats.bootstrap import Interval, bootstrap_interval, bootstrap_intervals
from fairviz.studies.attribution.charts import axis_names, panel_axes
from fairviz.studies.attribution.settings import AttributionSettings


class UseRow(NamedTuple):
    """A system under one setting beside the baseline.

    Attributes:
        factors: Of the system.
        value: Mean over its queries.
        interval: Of the mean.
        n_queries: Queries that have a value.
        gap: The system minus the baseline, paired by query, Holm over the table; None for the baseline itself, and
            where they have no query in common.
    """

    factors: Factors
    value: float
    interval: Interval
    n_queries: int
    gap: Comparison | None


class UseComparison(NamedTuple):
    """The systems of one task under one setting.

    Attributes:
        measure: What is compared.
        setting: Under which the outputs were made.
        baseline: What the others are compared with.
        by: Factors that tell systems apart.
        rows: The baseline, then the others, the largest difference first, those without one last.
        falls: Whether less of the measure is better: concentration of use.
    """

    measure: str
    setting: str
    baseline: Factors
    by: tuple[str, ...]
    rows: tuple[UseRow, ...]
    falls: bool = False

    @property
    def n_tests(self) -> int:
        """Tests of the table: what Holm corrects over."""
        return sum(row.gap is not None and row.gap.p_holm == row.gap.p_holm for row in self.rows)


def use_curves(use: Generation, pair: Pair, scale: Scale, *, seed: int) -> Curves | None:
    """Means of a system along α on two axes, with 95 % intervals of the means up; None where no mean is defined.

    Args:
        use: The system under one policy.
        pair: What stands on the axes.
        scale: Of disparities.
        seed: Of the bootstrap; the interval of every point draws anew from it.
    """
    axes = [(points, *axis_values(points, pair, scale)) for points in use.path]
    drawn = [(points, x, y) for points, x, y in axes if not np.isnan(x + y).all()]
    drawn = [one for one in drawn if one[0].outputs.alpha is not None] or drawn[:1]
    if not drawn:
        return None
    policy, end = use.factors.policy or "", use.end
    line = Line.of(curve_through([points for points, *_ in drawn], [(x, y) for _, x, y in drawn], policy=policy))
    ends = bootstrap_intervals([y[~np.isnan(x + y)] for _, x, y in drawn], seed=seed)
    band = Band.where_defined(line.x, np.array([end.low for end in ends]), np.array([end.high for end in ends]))
    square = end and Line.of(curve_through([end], [axis_values(end, pair, scale)], policy=policy))
    return Curves(use.factors, line, square if square and square.x.size else None, band=band)


def compare_uses(
    systems: Sequence[Generation],
    settings: AttributionSettings,
    *,
    setting: str,
    alpha: float | None,
    baseline: Factors,
    by: Sequence[str],
) -> UseComparison | None:
    """What stands on the y axis, each system minus the baseline; None where the baseline has no value.

    Args:
        systems: Of one task, each under one policy.
        settings: What stands on the axes, and the seed of the bootstrap.
        setting: Name of the setting.
        alpha: Its α; None = lists without one.
        baseline: Factors of the system that the others are compared with.
        by: Factors that tell systems apart.
    """
    measure, seed = panel_axes(settings)[1], settings.seed
    scored: dict[Factors, Scores] = {}
    for use in systems:
        points = use.at(alpha)
        if points is not None:
            values = axis_values(points, settings.axes, settings.scale)[1]
            name = system_name(use.factors, by)
            scored[use.factors] = Scores(
                system=name, measure=measure, query_ids=points.outputs.query_ids, values=values
            )
    if baseline not in scored or np.isnan(scored[baseline].value):
        return None
    others = [factors for factors, scores in scored.items() if factors != baseline and not np.isnan(scores.value)]
    gaps = compare_all([(scored[factors], scored[baseline]) for factors in others], seed=seed)
    by_name = {gap.system: gap for gap in gaps}
    rows = [
        UseRow(
            factors,
            scored[factors].value,
            bootstrap_interval(scored[factors].values, rng=np.random.default_rng(seed)),
            scored[factors].n_queries - scored[factors].n_undefined,
            by_name.get(scored[factors].system) if factors != baseline else None,
        )
        for factors in (baseline, *others)
    ]
    rows[1:] = sorted(rows[1:], key=lambda row: -row.gap.difference if row.gap else np.inf)
    return UseComparison(measure, setting, baseline, tuple(by), tuple(rows), falls=settings.axes == "EED-EAED")


def panel_view(
    curves: Sequence[Curves], layout: Layout, settings: AttributionSettings, compared: UseComparison | None = None
) -> PanelView:
    """Lay out the systems of a task, see :func:`~fairviz.points.panels.lay_out`.

    Args:
        curves: What is drawn.
        layout: What stands where; "highest" is by what the corners say.
        settings: What stands on the axes; on all scales but "minmax" both disparities are alike, and y = x is drawn.
        compared: What the corners say.
    """
    x, y = panel_axes(settings)
    values = {row.factors: row.value for row in compared.rows} if compared else {}
    return lay_out(curves, layout, x=x, y=y, corners=corners(compared), values=values)._replace(
        titles=(axis_names(settings)[0], f"{y} {'↓' if settings.axes == 'EED-EAED' else '↑'}"),
        counted=compared.measure if compared else "",
        diagonal=settings.axes == "EED-EAED" and settings.scale != "minmax",
    )


def corners(compared: UseComparison | None) -> dict[Factors, Corner]:
    """Mean and difference of each system, for the corner of its panel."""
    return {row.factors: _corner(row, compared) for row in compared.rows} if compared else {}


def _corner(row: UseRow, compared: UseComparison) -> Corner:
    if row.gap is None:
        return Corner(number(row.value), "baseline" if row.factors == compared.baseline else "not compared")
    return Corner(number(row.value), signed(row.gap.difference, 3), toned(row.gap.verdict, falls=compared.falls))
