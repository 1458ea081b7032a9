"""Conditions of a task in panels: how each is drawn, and what its corner says beside the baseline."""

from collections.abc import Sequence

import numpy as np

from fairviz.display.bands import Band
from fairviz.display.words import number, signed
from fairviz.model import Factors
from fairviz.points.conditions import Condition, Quality, is_limit
from fairviz.points.summary import band
from fairviz.points.view import Arrangement, Axes, Corner, Curves, Layout, Line, Order, PanelView, lay_out, toned
from fairviz.studies.compare.grid import AreaRow, TaskComparison


def drawn(condition: Condition, quality: Quality, *, with_band: bool = True) -> Curves | None:
    """A condition as its panel draws it; None without a curve of the quality."""
    curve = condition.curve(quality)
    if curve is None:
        return None
    end = condition.deterministic(quality)
    uniform = condition.uniform if quality == "relevance" else None
    return Curves(
        condition.factors,
        Line.of(curve),
        None if end is None else Line.of(end),
        None if uniform is None else Line.of(uniform),
        _band(condition, quality) if with_band else None,
    )


def _band(condition: Condition, quality: Quality) -> Band | None:
    curve = condition.curve(quality)
    if curve is None or curve.alphas.size < 2:
        return None
    return band(curve, rng=np.random.default_rng(0), n_points=21)


def panel_view(
    curves: Sequence[Curves],
    layout: Layout,
    *,
    quality: str,
    planned: Sequence[Factors] = (),
    task: TaskComparison | None = None,
) -> PanelView:
    """Lay out the conditions of a task, see :func:`~fairviz.points.view.lay_out`.

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
        axes=Axes("EED", quality),
        planned=[factors for factors in planned or [one.factors for one in curves] if not is_limit(factors)],
        corners=_corners(task) if task else None,
        values=arranged(task, layout.order).values,
    )


def arranged(task: TaskComparison | None, order: Order) -> Arrangement:
    """The systems of a task by their AUC, where that is known."""
    return Arrangement(order, {row.factors: row.summary.auc for row in task.areas} if task else {})


def _corners(task: TaskComparison) -> dict[Factors, Corner]:
    """AUC and Δ of each system; why there are none of those that are left out."""
    left_out = {factors: Corner("not compared") for factors in task.left_out}
    return left_out | {row.factors: _corner(row) for row in task.areas}


def _corner(row: AreaRow) -> Corner:
    if row.gap is None:
        return Corner(number(row.summary.auc), "baseline")
    return Corner(number(row.summary.auc), signed(row.gap.difference, 3), toned(row.gap.verdict))
