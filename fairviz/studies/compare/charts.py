"""Conditions of a task in small panels: how each is drawn, and what its corner says beside the baseline."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairviz.display.words import number, signed
from fairviz.model import Factors
from fairviz.points.conditions import Condition, Quality, is_limit
from fairviz.points.figures_panels import panels_alt as panels_alt
from fairviz.points.figures_panels import panels_figure as panels_figure
from fairviz.points.panels import Corner, Curves, Layout, PanelView, lay_out, toned
from fairviz.points.summary import CurveSummary, band
from fairviz.points.view import Line

if TYPE_CHECKING:
    from fairviz.studies.compare.analysis import TaskComparison


def drawn(condition: Condition, quality: Quality, *, with_band: bool = True) -> Curves | None:
    """A condition as its panel draws it; None without a curve of the quality."""
    curve = condition.curve(quality)
    if curve is None:
        return None
    end = condition.ends.get(quality)
    uniform = condition.uniform if quality == "EER" else None
    with_band = with_band and curve.alphas.size > 1
    return Curves(
        condition.factors,
        Line.of(curve),
        None if end is None else Line.of(end),
        None if uniform is None else Line.of(uniform),
        band(curve, rng=np.random.default_rng(0), n_points=21) if with_band else None,
    )


def panel_view(
    curves: Sequence[Curves],
    layout: Layout,
    *,
    quality: str,
    planned: Sequence[Factors] = (),
    task: "TaskComparison | None" = None,
) -> PanelView:
    """Lay out the conditions of a task, see :func:`~fairviz.points.panels.lay_out`.

    Args:
        curves: What is known; limits have no panel, and stand behind those of the systems.
        layout: What stands where.
        quality: Label of the y axis.
        planned: Factors of all conditions that there will be; else those of the curves.
        task: Areas and differences, where they are known.
    """
    return lay_out(
        curves,
        layout,
        x="EED",
        y=quality,
        planned=[factors for factors in planned or [one.factors for one in curves] if not is_limit(factors)],
        corners=_corners(task) if task else None,
        values=task.aucs if task else None,
    )


def _corners(task: "TaskComparison") -> dict[Factors, Corner]:
    """AUC and Δ of each system; why there are none of those that are left out."""
    left_out = {factors: Corner("not compared") for factors in task.left_out}
    return left_out | {factors: _corner(row) for factors, row in task.areas.items()}


def _corner(row: CurveSummary) -> Corner:
    if row.gap is None:
        return Corner(number(row.auc), "baseline")
    return Corner(number(row.auc), signed(row.gap.difference, 3), toned(row.gap.verdict))
