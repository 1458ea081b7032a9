"""Runs and recorded answers as the conditions of a grid."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fairviz.attention import Attention, TopK
from fairviz.evaluation.joins import Joined, by_task, joined, told_once
from fairviz.evaluation.outputs import AnswerUtilities, Pairing
from fairviz.exposure import Gain
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
from fairviz.points.curves import CurvePolicy, CurveSettings, relevance_measure, run_curves, sampled_curve
from fairviz.points.models import ModelEstimates, by_model, estimates_of
from fairviz.points.outputs import DETERMINISTIC, ORACLE, OutputPoints, measured_outputs, output_curves
from fairviz.policies import ScoreScale
from fairviz.pool import pool
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


def answer_conditions(
    outputs: Sequence[RagOutputs],
    pairs: Sequence[Pairing],
    rankings: Sequence[Run | RankingSample],
    qrels: Sequence[Qrels],
    *,
    k: int,
    gain: Gain = "graded",
    rel: int = 1,
    best: bool = False,
    grid: FloatArray | None = None,
) -> Measured:
    """Curves of recorded answers: a condition per task, retriever, generator and policy.

    Args:
        outputs: With the factors that are known of them.
        pairs: Which run fed each, in their order.
        rankings: Runs and samples among which these are.
        qrels: Judgements, of people or of generators.
        k: Items that a context holds.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
        best: EU as a share of the generator's best answer to the query.
        grid: α at which EU, EAR and EAE-D are estimated, as far as they lie between recorded ones; None = nowhere.
    """
    points, failed = measured_outputs(outputs, pairs, rankings, qrels, k=k, gain=gain, rel=rel)
    unclear = [Note(one.system, None, pair.question) for one, pair in zip(outputs, pairs, strict=True) if pair.question]
    unordered = [Note(one.system, None, "no alpha is recorded") for one in outputs if not _on_curve(one)]
    notes = [replace(note, message=f"left out: {note.message}") for note in (*unclear, *unordered, *failed)]
    relevance = relevance_measure(TopK(k), gain, rel)
    conditions = measured_conditions(points, outputs, relevance=relevance, best=best)
    if grid is not None:
        found = [
            estimates_of(
                members,
                rankings,
                qrels,
                k=k,
                grid=grid,
                best=outputs if best else None,
            )
            for members in by_model(points)
        ]
        if rankings:  # where no scores were given, nobody asks for what needs them
            notes += [_between(one, own) for one, own in zip(conditions, found, strict=True) if own.said]
        conditions = tuple(replace(one, estimates=own.estimates) for one, own in zip(conditions, found, strict=True))
    return Measured(conditions, tuple(notes))


def _between(condition: Condition, found: ModelEstimates) -> Note:
    return Note(condition.relevance.system, None, found.said)


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
    on_curve = [one for one in points if _on_curve(one.outputs)]
    if best:
        utilities = AnswerUtilities()
        on_curve = [
            replace(one, utility=share_of_best(one.utility, utilities.best(one.outputs, outputs))) for one in on_curve
        ]
    utility = "EU/best" if best else "EU"
    return tuple(_called(one, relevance, utility) for one in conditions_of(output_curves(on_curve)))


def grid_conditions(
    rankings: Sequence[Run | RankingSample],
    qrels: Sequence[Qrels],
    outputs: Sequence[RagOutputs],
    pairs: Sequence[Pairing],
    *,
    exact: bool,
    best: bool = False,
    between: bool = False,
    factors: Mapping[str, Factors],
    policies: Sequence[CurvePolicy],
    alphas: FloatArray,
    k: int,
    gain: Gain = "graded",
    rel: int = 1,
    scores: ScoreScale = "given",
    offset: float = 1.0,
) -> Measured:
    """Every condition of some files: recorded answers, exact curves of runs, recorded samples.

    Args:
        rankings: Runs and samples.
        qrels: Judgements, of people or of generators.
        outputs: Recorded answers with the factors that are known of them.
        pairs: Which run fed each, in their order.
        exact: Whether rankings are conditions, too, with EE-R; there are judgements then.
        best: EU of answers as a share of the generator's best answer to the query.
        between: Whether answers are re-weighted to those of ``alphas`` that lie between their own.
        factors: What a table says of systems.
        policies: Of runs, which curves.
        alphas: (A) fairness control of these, and of what is re-weighted.
        k: Items that a context holds.
        gain: Graded usefulness, or useful / not useful.
        rel: Smallest useful grade, for binary gain.
        scores: How scores become s̄.
        offset: Of the logits.

    Raises:
        InputError: No ranking has a query in common with its judgements.
        UsageError: None of the judgements is for rankings.
    """
    answers = answer_conditions(
        outputs,
        pairs,
        rankings,
        qrels,
        k=k,
        gain=gain,
        rel=rel,
        best=best,
        grid=alphas if between else None,
    )
    if not exact:
        return answers
    found = joined(rankings, by_task(qrels, [*rankings, *outputs], factors))
    of_runs = run_conditions(
        found,
        factors=factors,
        policies=policies,
        alphas=alphas,
        k=k,
        gain=gain,
        rel=rel,
        scores=scores,
        offset=offset,
    )
    conditions = (*answers.conditions, *of_runs)
    drawn = sample_conditions(found, factors=factors, beside=conditions, k=k, gain=gain, rel=rel)
    left_out = told_once(one.note for one in found.left_out)
    return Measured((*conditions, *drawn.conditions), (*left_out, *answers.notes, *drawn.notes))


def _on_curve(outputs: RagOutputs) -> bool:
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
