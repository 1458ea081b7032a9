"""Curves of recorded answers for the Trade-off page: utility on the y axis."""

from dataclasses import replace
from typing import NamedTuple

from fairviz.analysis.answer_utility import AnswerUtilities
from fairviz.analysis.correlation import Correlation, quality_correlation
from fairviz.analysis.intervals import (
    AboveBaseline,
    IntervalRow,
    interval_table,
    models_above_baseline,
)
from fairviz.analysis.output_curves import OutputCurves, output_curves
from fairviz.analysis.output_points import OutputPoints
from fairviz.analysis.summary import CurveSummary, auc_difference, auc_table, joined
from fairviz.analysis.uncertainty import PairedDifference
from fairviz.figures.curves import Band, Line, TradeoffView
from fairviz.metrics.consumption import share_of_best
from fairviz.model import Curve, Dataset
from fairviz.report.words import distinct_names
from pages._kept import kept
from pages._recorded import recorded, usual_source
from pages._shared import cached
from pages._tradeoff_curves import chart_band, rng
from pages._tradeoff_settings import Settings


class Answers(NamedTuple):
    """Curves of recorded answers, one per model.

    Attributes:
        names: What tells the models apart.
        curves: Their curves, same order.
        problems: Why outputs could not be measured.
    """

    names: tuple[str, ...]
    curves: tuple[OutputCurves, ...]
    problems: tuple[str, ...]

    def utility(self, position: int) -> Curve:
        """EE-D against EU of one model, under its name."""
        return replace(self.curves[position].utility, system=self.names[position])

    def baseline(self, position: int) -> Curve | None:
        """The deterministic list of one model, where it was recorded."""
        end = self.curves[position].baseline_utility
        return None if end is None else replace(end, system=self.names[position])

    def whole(self, position: int) -> Curve:
        """One model's curve, run on to its deterministic list over the same queries."""
        curve, end = self.utility(position), self.baseline(position)
        same = end is not None and end.query_ids == curve.query_ids
        return joined(curve, end) if end is not None and same else curve


class AnswerStatistics(NamedTuple):
    """What is estimated from recorded answers.

    Attributes:
        band: Of the highlighted model.
        areas: Of all models, the highlighted one first.
        gaps: Areas minus that of the highlighted model.
        changes: Its interval table; empty without a recorded deterministic list.
        above: Models above their own deterministic list, per interval.
        correlation: EE-R against EU of its (query, α) points.
    """

    band: Band | None
    areas: tuple[CurveSummary, ...]
    gaps: tuple[PairedDifference, ...]
    changes: tuple[IntervalRow, ...]
    above: tuple[AboveBaseline, ...]
    correlation: Correlation


@kept
def answers(loaded: Dataset, chosen: Settings) -> Answers:
    """Measure the recorded answers and order them by α."""
    measured = recorded(loaded, chosen.k, chosen.gain, usual_source(loaded))
    points = measured.points
    if chosen.quality == "EU/best":
        known = AnswerUtilities()
        points = tuple(_of_best(each, loaded, known) for each in points)
    curves = output_curves(
        [
            each
            for each in points
            if each.outputs.alpha is not None or each.outputs.policy in ("deterministic", "oracle")
        ]
    )
    if chosen.quality == "EU/best":
        curves = tuple(_renamed(each) for each in curves)
    names = distinct_names([curve.name for curve in curves])
    if len(set(names)) < len(names):
        names = [f"{name}, {each.policy}" for name, each in zip(names, curves, strict=True)]
    return Answers(tuple(names), curves, measured.problems)


def answers_view(found: Answers, position: int) -> TradeoffView:
    """The chart of all models with one highlighted."""
    end = found.baseline(position)
    return TradeoffView(
        lines=[Line.of(found.utility(i)) for i in range(len(found.names))],
        system=found.names[position],
        deterministic=None if end is None else Line.of(end),
        joined=end is not None,
        exact=False,
    )


@cached
def answer_statistics(loaded: Dataset, chosen: Settings, position: int) -> AnswerStatistics:
    """Band, areas, interval tables and correlation."""
    found = answers(loaded, chosen)
    order = [position, *(i for i in range(len(found.names)) if i != position)]
    lines = [found.whole(i) for i in order]
    tables = [_changes(found, i, chosen) for i in order]
    curves = found.curves[position]
    known = [table for table in tables if table]
    return AnswerStatistics(
        band=chart_band(lines[0]),
        areas=auc_table(lines, rng=rng(), weights=chosen.weights),
        gaps=tuple(auc_difference(line, lines[0], rng=rng()) for line in lines[1:]),
        changes=tables[0],
        above=models_above_baseline(known) if known else (),
        correlation=quality_correlation(curves.relevance.quality, curves.utility.quality, rng=rng()),
    )


def _changes(found: Answers, position: int, chosen: Settings) -> tuple[IntervalRow, ...]:
    end = found.baseline(position)
    if end is None:
        return ()
    return interval_table(found.utility(position), end, rng=rng(), test=chosen.test)


def _of_best(points: OutputPoints, loaded: Dataset, known: AnswerUtilities) -> OutputPoints:
    best = known.best(points.outputs, loaded.outputs)
    return replace(points, utility=share_of_best(points.utility, best))


def _renamed(curves: OutputCurves) -> OutputCurves:
    """Curves whose quality is a share of the best, called so."""
    end = curves.baseline_utility
    return curves._replace(
        utility=replace(curves.utility, y="EU/best"),
        baseline_utility=None if end is None else replace(end, y="EU/best"),
    )
