"""Queries of a run by their measures: EE-D and EE-R of its policies at some α, and what else a person asks for."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from fairviz.attention import TopK
from fairviz.display.methods import AgainstTarget
from fairviz.evaluation.evaluate import evaluate
from fairviz.exposure import Gain
from fairviz.metrics.spec import parse_measures
from fairviz.model import Curve, Dataset, Pools, Qrels, Run, Scores
from fairviz.policies import ScoreScale
from fairviz.studies.queries.analysis import ALONG, QueryMeasures, ranking_measures
from fairviz.studies.tradeoff.curves import tradeoff_curve

QueryPolicy: TypeAlias = Literal["plackett-luce", "deterministic"]


def query_curve(
    pools: Pools,
    system: str,
    policy: QueryPolicy,
    alphas: Sequence[float],
    *,
    k: int,
    gain: Gain = "graded",
    scores: ScoreScale = "given",
    offset: float = 1.0,
) -> Curve:
    """EE-D and EE-R of every query of a run at some α.

    Args:
        pools: Of the run.
        system: Its name.
        policy: Made from its scores.
        alphas: (A) fairness control; none for the deterministic list.
        k: Items that the reader sees.
        gain: Graded usefulness, or useful / not useful.
        scores: How scores become s̄.
        offset: Of the logits.
    """
    return tradeoff_curve(
        pools,
        system=system,
        policy=policy,
        alphas=np.array(alphas),
        attention=TopK(k),
        offset=offset,
        gain=gain,
        scores=scores,
    )


def run_measures(
    curve: Callable[[QueryPolicy, tuple[float, ...]], Curve],
    alpha: float,
    further: Sequence[Scores],
    query_ids: Sequence[str],
) -> QueryMeasures:
    """What a run does for each query.

    Args:
        curve: Its points under a policy at some α.
        alpha: The one looked at.
        further: Other measures of the run.
        query_ids: The queries, in the order that is wanted.
    """
    at_alpha, end = curve("plackett-luce", (alpha,)), curve("deterministic", ())
    return ranking_measures(at_alpha, end, curve("plackett-luce", tuple(ALONG.tolist())), further, query_ids)


def further_scores(
    run: Run, typed: str, judged: Qrels | None, loaded: Dataset, against: AgainstTarget | None
) -> tuple[Scores, ...]:
    """Measures of a run that a person typed, per query.

    Args:
        run: The run.
        typed: Measure strings.
        judged: Judgements.
        loaded: The data.
        against: Groups and target, for measures of groups.

    Raises:
        FairvizError: A measure does not exist, or the data do not allow it.
    """
    if not typed.strip():
        return ()
    result = evaluate(
        [run],
        parse_measures([typed]),
        qrels=[] if judged is None else [judged],
        labels=None if against is None else against.labels(loaded),
        target=None if against is None else against.shares(loaded),
    )
    return tuple(score for score in result.scores if isinstance(score, Scores))
