"""Systems of one task side by side: the path of each along α, and how far each is from a baseline under one setting.

A system here is one policy of a generator: what `by_generator` holds together is told apart again by the policy, since
a path joins the α of one policy. Nothing is compared across tasks: callers hand in the systems of one.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fairviz.display.labels import Band
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


class UseComparison(NamedTuple):
    """The systems of one task under one setting.

    Attributes:
        measure: What is compared.
        setting: Under which the outputs were made.
        baseline: What the others are compared with.
        by: Factors that tell systems apart.
        means: Of each system over its queries, with the interval: the baseline, then the others, the largest
            difference first, those without one last.
        gaps: Each other system minus the baseline, paired by query, Holm over the table; without those that have no
            query in common with it.
        falls: Whether less of the measure is better: concentration of use.
    """

    measure: str
    setting: str
    baseline: Factors
    by: tuple[str, ...]
    means: Mapping[Factors, tuple[float, Interval]]
    gaps: Mapping[Factors, Comparison]
    falls: bool = False

    @property
    def n_tests(self) -> int:
        """Tests of the table: what Holm corrects over."""
        return sum(gap.p_holm == gap.p_holm for gap in self.gaps.values())


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
    compared = compare_all([(scored[factors], scored[baseline]) for factors in others], seed=seed)
    by_name = {gap.system: gap for gap in compared}
    gaps = {factors: by_name[name] for factors in others if (name := scored[factors].system) in by_name}
    falling = sorted(others, key=lambda one: -gaps[one].difference if one in gaps else np.inf)
    means = {
        one: (scored[one].value, bootstrap_interval(scored[one].values, rng=np.random.default_rng(seed)))
        for one in (baseline, *falling)
    }
    return UseComparison(measure, setting, baseline, tuple(by), means, gaps, falls=settings.axes == "EED-EAED")


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
    values = {factors: mean for factors, (mean, _) in compared.means.items()} if compared else {}
    return lay_out(curves, layout, x=x, y=y, corners=corners(compared), values=values)._replace(
        titles=(axis_names(settings)[0], f"{y} {'↓' if settings.axes == 'EED-EAED' else '↑'}"),
        counted=compared.measure if compared else "",
        diagonal=settings.axes == "EED-EAED" and settings.scale != "minmax",
    )


def corners(compared: UseComparison | None) -> dict[Factors, Corner]:
    """Mean and difference of each system, for the corner of its panel."""
    return {factors: _corner(factors, compared) for factors in compared.means} if compared else {}


def _corner(factors: Factors, compared: UseComparison) -> Corner:
    mean, gap = number(compared.means[factors][0]), compared.gaps.get(factors)
    if gap is None:
        return Corner(mean, "baseline" if factors == compared.baseline else "not compared")
    return Corner(mean, signed(gap.difference, 3), toned(gap.verdict, falls=compared.falls))
