"""Recorded answers of each model re-weighted to α at which nothing was asked: the estimates beside its curve."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.evaluation.outputs import AnswerUtilities
from fairviz.model import FloatArray, Qrels, RagOutputs, RankingSample, Run, qrels_for
from fairviz.pool import lookup
from fairviz.studies.attribution.candidates import Model, model_of
from fairviz.studies.attribution.points import DETERMINISTIC, ORACLE, OutputPoints
from fairviz.studies.tradeoff.estimates import Estimates, between, estimated
from fairviz.studies.tradeoff.findings import refusal

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
    utilities = AnswerUtilities()
    best = np.full(len(made.query_ids), np.nan)
    for one in outputs:
        index = {query: q for q, query in enumerate(one.query_ids)}
        best = np.fmax(best, np.append(utilities.best(one, recorded), np.nan)[lookup(made.query_ids, index)])
    return best
