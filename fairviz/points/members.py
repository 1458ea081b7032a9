"""Scored runs with their judgements, and the curves of each: what Compare, its main table and ``compare`` share."""

from collections.abc import Mapping
from typing import NamedTuple

from fairviz.evaluation.systems import at_depth, by_task, joined
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import Gain
from fairviz.kernels.pool import pool
from fairviz.model import Curve, Dataset, Factors, Qrels, ScoreScale
from fairviz.points.curves import CurvePolicy, CurveSettings, alphas_of, policy_curves
from fairviz.remembered import remembered


class Member(NamedTuple):
    """A run by its name, what it is judged by (a place in the data), and what it is made of."""

    system: str
    judgements: int
    factors: Factors


@remembered
def members(data: Dataset, depth: str) -> tuple[Member, ...]:
    """Every scored run with each of its judgements."""
    runs, factors = at_depth(data, depth).data.runs, data.systems or {}
    if not runs:
        return ()
    parts = [(index, part) for index in range(len(data.qrels)) for part in _judgements(data, index)]
    places = {id(part): index for index, part in parts}
    judged, _ = joined(runs, [part for _, part in parts])
    return tuple(
        Member(
            judged_system.system,
            places[id(judged_system.qrels)],
            run_factors(judged_system.system, factors, judged_system.qrels),
        )
        for judged_system in judged
    )


@remembered
def _judgements(data: Dataset, index: int) -> tuple[Qrels, ...]:
    """Some judgements, those of several tasks apart."""
    return by_task([data.qrels[index]], [*data.runs, *data.samples, *data.outputs], data.systems or {})


@remembered
def member_curves(
    data: Dataset,
    member: Member,
    depth: str,
    policies: tuple[CurvePolicy, ...],
    k: int,
    alpha: tuple[float, ...],
    gain: Gain,
    rel: int,
    scores: ScoreScale,
    offset: float,
) -> tuple[tuple[Curve, ...], ...]:
    """Exact curves of policies made from the scores of a run, a policy each; then the uniform and deterministic points.

    Once for each part of its judgements, of which there are several where these are of several tasks.

    Args:
        data: The data.
        member: Which run.
        depth: Documents of each list that count.
        policies: Which curves.
        k: Items that are seen.
        alpha: Fairness control; empty: the usual grid.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
        scores: How scores are scaled.
        offset: 1 or 0, of the logits.
    """
    run = next(run for run in at_depth(data, depth).data.runs if run.system == member.system)
    settings = CurveSettings(
        policies=policies,
        alphas=alphas_of(data, alpha),
        attention=TopK(k),
        gain=gain,
        rel=rel,
        scores=scores,
        offset=offset,
    )
    judged, _ = joined([run], _judgements(data, member.judgements))
    return tuple(tuple(policy_curves(run, pool(run, of.qrels), settings)) for of in judged)


def run_factors(system: str, table: Mapping[str, Factors], judgements: Qrels) -> Factors:
    """What a run is made of; without a word of the table it is its own retriever, its generator is who judged it."""
    factors = table.get(system, Factors()).made_of
    return factors._replace(retriever=factors.retriever or system, generator=judgements.generator, alpha=None, k=None)
