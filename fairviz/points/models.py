"""Models that answered along α: a curve of utility each, what tells them apart, who may stand beside whom.

Recorded answers of a model are also re-weighted to α at which nothing was asked: the estimates beside its curve.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.evaluation.outputs import AnswerUtilities
from fairviz.kernels.pool import lookup
from fairviz.metrics.consumption import share_of_best
from fairviz.model import Curve, Factors, FloatArray, Qrels, RagOutputs, RankingSample, Run, qrels_for
from fairviz.points.estimates import Estimates, between, estimated
from fairviz.points.intervals import IntervalRow, IntervalTest, quality_by_interval
from fairviz.points.outputs import (
    DETERMINISTIC,
    ORACLE,
    Model,
    OutputCurves,
    OutputPoints,
    model_of,
    output_curves,
)
from fairviz.points.summary import CurveAreas, SlopeWeights, compared_areas, joined
from fairviz.points.view import FACTORS, value_name, values_of
from fairviz.points.words import refusal


class Answers(NamedTuple):
    """Curves of recorded answers, one per model.

    Attributes:
        factors: What each model is made of.
        names: What it is called among all of them.
        labels: What it is called beside the others of its task and data set, the only ones it is drawn with.
        curves: Their curves, same order.
        problems: Why outputs could not be measured.
    """

    factors: tuple[Factors, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    curves: tuple[OutputCurves, ...]
    problems: tuple[str, ...]

    def utility(self, position: int) -> Curve:
        """EE-D against EU of one model, under its name."""
        return replace(self.curves[position].utility, system=self.labels[position])

    def baseline(self, position: int) -> Curve | None:
        """The deterministic list of one model, where it was recorded."""
        end = self.curves[position].baseline_utility
        return None if end is None else replace(end, system=self.labels[position])

    def alike(self, position: int) -> list[int]:
        """The models of the same task and data set, that one first: nothing is compared across them."""
        own = self.factors[position]
        alike = ((own.task, own.dataset) == (one.task, one.dataset) for one in self.factors)
        others = (i for i, same in enumerate(alike) if same and i != position)
        return [position, *others]

    def whole(self, position: int) -> Curve:
        """One model's curve as drawn, run on to its deterministic list over the same queries."""
        curve, end = self.utility(position), self.baseline(position)
        same = end is not None and end.query_ids == curve.query_ids
        return joined(curve, end) if end is not None and same else curve

    def lines(self, position: int) -> list[Curve]:
        """Every curve and deterministic list of its task and data set, its own first."""
        every = (curve for i in self.alike(position) for curve in (self.utility(i), self.baseline(i)))
        return [curve for curve in every if curve is not None]

    def areas(self, position: int, *, weights: SlopeWeights = "spacing", seed: int = 0) -> CurveAreas:
        """AUC and slope of all models of its task, this one first."""
        curves = [self.utility(i) for i in self.alike(position)]
        return compared_areas(curves, rng=np.random.default_rng(seed), weights=weights)

    def changes(self, position: int, *, test: IntervalTest = "paired", seed: int = 0) -> tuple[IntervalRow, ...]:
        """Utility by interval of EE-D beside its deterministic list; empty where none was recorded."""
        end = self.baseline(position)
        if end is None:
            return ()
        return quality_by_interval(self.utility(position), end, rng=np.random.default_rng(seed), test=test)

    def drawn(self, position: int, estimates: Estimates | None) -> list[Curve]:
        """Its lines, and what is estimated of it between the recorded α."""
        between = [] if estimates is None else [replace(estimates.curve(), system=self.labels[position])]
        return [*self.lines(position), *between]

    def made_of(self, position: int) -> dict[str, Factors]:
        """Factors of the models of its task and data set, by name."""
        return {self.labels[i]: self.factors[i] for i in self.alike(position)}


def answering(
    points: Sequence[OutputPoints], recorded: Sequence[RagOutputs], *, best: bool = False, problems: Sequence[str] = ()
) -> Answers:
    """Order measured answers by α, model by model.

    Args:
        points: Measured outputs of any systems.
        recorded: All outputs, among which a generator's best answer to a query is searched.
        best: Whether utility is a share of that answer's.
        problems: Why others could not be measured.
    """
    if best:
        known = AnswerUtilities()
        points = [_of_best(member, recorded, known) for member in points]
    curves = output_curves(
        [
            member
            for member in points
            if member.outputs.alpha is not None or member.outputs.policy in (DETERMINISTIC, ORACLE)
        ]
    )
    if best:
        curves = tuple(_renamed(member) for member in curves)
    factors = tuple(map(_made_of, curves))
    labels = [""] * len(factors)
    for task in dict.fromkeys((one.task, one.dataset) for one in factors):
        alike = [i for i, one in enumerate(factors) if (one.task, one.dataset) == task]
        for i, name in zip(alike, model_names([factors[i] for i in alike]), strict=True):
            labels[i] = name
    return Answers(factors, model_names(factors), tuple(labels), curves, tuple(problems))


def _made_of(curves: OutputCurves) -> Factors:
    """Factors of a model; outputs that record nothing of their origin are called as their file calls them."""
    said = Factors(curves.task, curves.retriever, curves.generator, curves.policy, curves.dataset)
    known = said.retriever or said.generator
    return said if known else said._replace(retriever=curves.utility.system)


def model_names(of: Sequence[Factors]) -> tuple[str, ...]:
    """What people call models: the factors that tell them apart; nothing reads them apart again.

    Examples:
        >>> model_names([Factors("lamp-1", "bm25", "small"), Factors("lamp-1", "bm25", "large")])
        ('small', 'large')
        >>> model_names([Factors("lamp-1", "bm25", "small")])
        ('bm25 + small',)
    """
    apart = [name for name in FACTORS if len(values_of(name, of)) > 1] or ["retriever", "generator"]
    names = [" + ".join(value_name(name, getattr(one, name)) for name in apart) for one in of]
    return tuple(f"{name}, {i}" if names.count(name) > 1 else name for i, name in enumerate(names, start=1))


def _of_best(points: OutputPoints, recorded: Sequence[RagOutputs], known: AnswerUtilities) -> OutputPoints:
    best = known.best(points.outputs, recorded)
    return replace(points, utility=share_of_best(points.utility, best))


def _renamed(curves: OutputCurves) -> OutputCurves:
    """Curves whose quality is a share of the best, called so."""
    end = curves.baseline_utility
    return curves._replace(
        utility=replace(curves.utility, y="EU/best"),
        baseline_utility=None if end is None else replace(end, y="EU/best"),
    )


DRAWN = ("plackett-luce", None)
"""Policies whose answers may count for another α: with a name, or none; that the lists fit is checked."""


class ModelEstimates(NamedTuple):
    """What the answers of one model say between the α at which they were recorded.

    Attributes:
        estimates: None where there are none.
        reason: Why, in a sentence; empty where nothing lies between, as with a single α.
    """

    estimates: Estimates | None = None
    reason: str = ""

    @property
    def said(self) -> str:
        """What is not estimated, and why; empty where everything is."""
        if self.estimates is not None:
            return refusal(self.estimates)
        return f"nothing is estimated between the recorded α: {self.reason}" if self.reason else ""


def by_model(points: Sequence[OutputPoints]) -> tuple[tuple[OutputPoints, ...], ...]:
    """The points along α of each model, in the order of :func:`output_curves`.

    Args:
        points: Measured outputs of any systems, in any order; those without an α take no part.
    """
    groups: dict[tuple[Model, str], list[OutputPoints]] = {}
    for measured in points:
        policy = measured.outputs.policy or "recorded"
        if measured.outputs.alpha is not None and policy not in (DETERMINISTIC, ORACLE):
            groups.setdefault((model_of(measured.outputs), policy), []).append(measured)
    return tuple(tuple(members) for members in groups.values())


def estimates_of(
    members: Sequence[OutputPoints],
    rankings: Sequence[Run | RankingSample],
    qrels: Sequence[Qrels],
    *,
    k: int,
    grid: FloatArray | None = None,
    best: Sequence[RagOutputs] | None = None,
) -> ModelEstimates:
    """Estimates of one model.

    Args:
        members: Its answers along α.
        rankings: Runs among which is the one that fed it.
        qrels: Judgements, of people or of generators.
        k: Items that a context holds.
        grid: α to estimate at, as far as they lie between recorded ones; None: the quarters between neighbours.
        best: All recorded outputs, where EU is a share of the generator's best answer to the query.
    """
    outputs = [member.outputs for member in members]
    alphas = between([one.alpha for one in outputs if one.alpha is not None], grid)
    if not alphas.size or outputs[0].policy not in DRAWN:
        return ModelEstimates()
    runs = {one.system: one for one in rankings if isinstance(one, Run)}
    run = runs.get(members[0].source or "")
    if run is None:
        return ModelEstimates(reason="the run with the scores from which the lists were drawn is not loaded")
    try:
        judged = qrels_for(qrels, outputs[0].generator, outputs[0].query_ids)
        made = estimated(run, outputs, alphas, k=k, qrels=judged)
    except UndefinedError as error:
        return ModelEstimates(reason=str(error))
    if best is not None:
        over_best = made.utility.over_best(_best(outputs, best, made))
        made = replace(made, utility=replace(over_best, measure="EU/best"))
    return ModelEstimates(made)


def _best(outputs: Sequence[RagOutputs], recorded: Sequence[RagOutputs], made: Estimates) -> FloatArray:
    """(Q) the best that the generator reached for each query of the estimates."""
    utilities = AnswerUtilities()
    best = np.full(len(made.query_ids), np.nan)
    for one in outputs:
        index = {query: q for q, query in enumerate(one.query_ids)}
        best = np.fmax(best, np.append(utilities.best(one, recorded), np.nan)[lookup(made.query_ids, index)])
    return best
