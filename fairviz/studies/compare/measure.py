"""Runs and recorded answers as the conditions of a grid."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fairviz.evaluation.joins import Joined
from fairviz.evaluation.outputs import AnswerUtilities
from fairviz.kernels.attention import Attention, TopK
from fairviz.kernels.exposure import Gain
from fairviz.kernels.pool import pool
from fairviz.metrics.consumption import share_of_best
from fairviz.model import (
    Curve,
    Factors,
    FloatArray,
    Note,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    candidates_words,
    described,
)
from fairviz.points.curves import CurvePolicy, CurveSettings, run_curves, sampled_curve
from fairviz.points.outputs import DETERMINISTIC, ORACLE, OutputPoints, output_curves
from fairviz.policies import ScoreScale
from fairviz.studies.compare.conditions import Condition, conditions_of


class Measured(NamedTuple):
    """Conditions, and what could not become one."""

    conditions: tuple[Condition, ...]
    notes: tuple[Note, ...]


def run_conditions(
    found: Joined,
    *,
    factors: Mapping[str, Factors],
    policies: Sequence[CurvePolicy],
    alphas: FloatArray,
    k: int,
    gain: Gain = "graded",
    rel: int = 1,
    scores: ScoreScale = "given",
    offset: float = 1.0,
) -> tuple[Condition, ...]:
    """Exact curves of policies made from the scores of runs: a condition per run and policy.

    Args:
        found: Scored runs, each with its judgements; those of a generator make it a factor.
        factors: What a table says of systems; a run without is its own retriever.
        policies: Which curves.
        alphas: (A) fairness control.
        k: Items that a context holds.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
        scores: How scores become s̄.
        offset: Of the logits.
    """
    scored = [
        (ranked, judgements)
        for ranked, judgements in zip(found.loaded, found.judgements, strict=True)
        if isinstance(ranked, Run)
    ]

    settings = CurveSettings(
        policies=tuple(policies),
        alphas=alphas,
        attention=TopK(k),
        k=k,
        offset=offset,
        gain=gain,
        rel=rel,
        scores=scores,
    )

    def of_run(pair: tuple[Run, Qrels]) -> list[Condition]:
        run, judgements = pair
        *curves, alike, end = run_curves(run, judgements, settings).curves
        named = run_factors(run.system, factors, judgements)
        return [
            Condition(factors=named._replace(policy=curve.policy), relevance=curve, list_relevance=end, uniform=alike)
            for curve in curves
        ]

    return tuple(condition for pair in scored for condition in of_run(pair))


def samples_curve(samples: Sequence[RankingSample], qrels: Qrels, attention: Attention, gain: Gain, rel: int) -> Curve:
    """The curve of one policy's recorded samples, all with the same candidates."""
    pools = [pool(sample, qrels) for sample in samples]
    return sampled_curve(samples, pools, attention=attention, gain=gain, rel=rel)


SAMPLED = "sampled"
"""Before the name of a policy whose recorded samples stand beside its exact curve."""


def sample_conditions(
    found: Joined,
    *,
    factors: Mapping[str, Factors],
    beside: Sequence[Condition],
    k: int,
    gain: Gain = "graded",
    rel: int = 1,
) -> Measured:
    """Curves of recorded samples of rankings: a condition per task, retriever and policy, a point per α.

    Samples with different judgements, such as of several tasks, are conditions of their own: their queries differ.

    Args:
        found: Rankings with their judgements; the samples among them count.
        factors: What a table says of systems; else the tag of a sample names its policy, α and run.
        beside: Exact curves; a sampled policy among them is called "sampled …".
        k: Items that a context holds.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
    """
    notes: list[Note] = []
    groups: dict[tuple[Factors, int], list[tuple[RankingSample, Qrels]]] = {}
    for ranked, judgements in zip(found.loaded, found.judgements, strict=True):
        if not isinstance(ranked, RankingSample):
            continue
        sample = described(ranked, factors.get(ranked.system, Factors()))
        if sample.alpha is None:
            notes.append(Note(ranked.system, None, "left out: no alpha is recorded"))
            continue
        of_labels = _sampled(sample, factors)._replace(generator=judgements.generator)
        groups.setdefault((of_labels, id(judgements)), []).append((sample, judgements))
    taken = {condition.factors for condition in beside}
    conditions: list[Condition] = []
    for (said, _), members in groups.items():
        named = said._replace(policy=f"{SAMPLED} {said.policy}") if said in taken else said
        curve = samples_curve([sample for sample, _ in members], members[0][1], TopK(k), gain, rel)
        conditions.append(Condition(factors=named, relevance=curve))
        notes.append(Note(members[0][0].system, None, candidates_words(members[0][0])))
    return Measured(tuple(conditions), tuple(notes))


def _sampled(sample: RankingSample, factors: Mapping[str, Factors]) -> Factors:
    """Factors of a recorded sample, but α: the run that it was drawn from is its retriever."""
    source = sample.source.system if isinstance(sample.source, Run) else sample.tag
    said = factors.get(sample.system, Factors()).over(factors.get(source, Factors()))
    own = Factors(retriever=source, policy=sample.policy or "recorded")
    return said.over(own)._replace(policy=said.policy or own.policy, alpha=None, k=None)


def run_factors(system: str, table: Mapping[str, Factors], judgements: Qrels) -> Factors:
    """What a run is made of; without a word of the table it is its own retriever, its generator is who judged it."""
    said = table.get(system, Factors())
    return said._replace(retriever=said.retriever or system, generator=judgements.generator, alpha=None, k=None)


def measured_conditions(
    points: Sequence[OutputPoints],
    outputs: Sequence[RagOutputs],
    *,
    relevance: str,
    best: bool = False,
) -> tuple[Condition, ...]:
    """Conditions of answers that are measured already; those recorded at no α take no part.

    Args:
        points: Of some of the outputs.
        outputs: All of them: the best answer to a query may be any generator's own.
        relevance: Their EE-R as a measure string.
        best: EU as a share of the generator's best answer to the query.
    """
    along = [one for one in points if on_curve(one.outputs)]
    if best:
        utilities = AnswerUtilities()
        along = [
            replace(one, utility=share_of_best(one.utility, utilities.best(one.outputs, outputs))) for one in along
        ]
    utility = "EU/best" if best else "EU"
    return tuple(_called(one, relevance, utility) for one in conditions_of(output_curves(along)))


def on_curve(outputs: RagOutputs) -> bool:
    """Whether answers stand on a curve along α, or at its end."""
    return outputs.alpha is not None or outputs.policy in (DETERMINISTIC, ORACLE)


def _called(condition: Condition, relevance: str, utility: str) -> Condition:
    """The condition with its qualities called as they were measured."""

    def named(curve: Curve | None, measure: str) -> Curve | None:
        return None if curve is None else replace(curve, y=measure)

    return replace(
        condition,
        relevance=replace(condition.relevance, y=relevance),
        utility=named(condition.utility, utility),
        list_relevance=named(condition.list_relevance, relevance),
        list_utility=named(condition.list_utility, utility),
    )
