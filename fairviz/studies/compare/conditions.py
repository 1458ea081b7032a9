"""Which systems are compared, and their curves: runs, recorded samples and answers, a condition each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fairviz.errors import UsageError
from fairviz.evaluation.systems import AtDepth, Judged, at_depth, feeding, joined
from fairviz.kernels.attention import TopK
from fairviz.model import Dataset, Factors, Note, Qrels, RagOutputs, RankingSample, Run, candidates_words, described
from fairviz.points.conditions import (
    ON_CURVE,
    Condition,
    Member,
    compared_at,
    estimates_of,
    is_limit,
    members,
    output_curves,
)
from fairviz.points.curves import CurvePolicy, PolicySettings, alphas_of, relevance_measure, sampled_curve
from fairviz.points.exact import exact_curve, judgements_by_task, of_parts
from fairviz.points.outputs import Recorded, recorded
from fairviz.points.view import FACTORS, kept
from fairviz.remembered import remembered
from fairviz.steps import expect, step
from fairviz.studies.compare.settings import GridSettings

LIMITS: tuple[CurvePolicy, ...] = ("oracle", "optimal")
"""Policies that are drawn for reference where they are not compared."""


def conditions_of(data: Dataset, settings: GridSettings) -> tuple[tuple[Condition, ...], list[Note]]:
    """Every condition of the quality, and what could not become one."""
    if settings.quality != "EER":
        of_answers, notes = _estimated(data, settings)
        answers = recorded(data, settings.k, *settings.usefulness)
        return of_answers, [*_notes(answers, data.outputs), *notes]
    if not data.qrels:
        return (), []
    expect(len(members(data, settings.depth)))
    made: list[Condition] = []
    for member in members(data, settings.depth):
        made += of_member(data, settings, member)
        step()
    if not settings.recorded_lists:
        return tuple(made), []
    answers = answered(data, replace(settings, quality="EER-recorded")) if data.outputs else ()
    factors = data.systems or {}
    rankings = (*at_depth(data, settings.depth).data.runs, *data.samples)
    judged = [part for index in range(len(data.qrels)) for part in judgements_by_task(data, index)]
    of_samples, notes = sample_conditions(
        joined(list(rankings), judged)[0],
        factors=factors,
        beside=[*answers, *made],
        measured=PolicySettings(attention=TopK(settings.k), **settings.policies_of),
    )
    return (*answers, *made, *of_samples), notes


def as_compared(data: Dataset, settings: GridSettings) -> AtDepth:
    """The data as the curves read them."""
    answers = None if settings.quality == "EER" else recorded(data, settings.k, *settings.usefulness)
    return compared_at(data, settings.depth, answers)


def of_member(data: Dataset, settings: GridSettings, member: Member) -> tuple[Condition, ...]:
    """The conditions of one run, a policy each."""
    seen = member.seen(depth=settings.depth, k=settings.k, alpha=settings.alpha, **settings.policies_of)
    return tuple(
        Condition(
            factors=member.factors._replace(policy=policy),
            curves={"EER": exact_curve(data, part, policy)},
            ends={"EER": exact_curve(data, part, "deterministic")},
            uniform=exact_curve(data, part, "uniform"),
        )
        for part in of_parts(data, seen)
        for policy in settings.policy
    )


SAMPLED = "sampled"
"""Before the name of a policy whose recorded samples stand beside its exact curve."""


def sample_conditions(
    judged: Sequence[Judged], *, factors: Mapping[str, Factors], beside: Sequence[Condition], measured: PolicySettings
) -> tuple[list[Condition], list[Note]]:
    """Curves of recorded samples of rankings, a condition per task, retriever and policy; and what is to be known.

    Samples with different judgements, such as of several tasks, are conditions of their own: their queries differ.

    Args:
        judged: Rankings with their judgements; the samples among them count.
        factors: What a table says of systems; else the tag of a sample names its policy, α and run.
        beside: Exact curves; a sampled policy among them is called "sampled …".
        measured: What they are measured by.
    """
    notes: list[Note] = []
    groups: dict[tuple[Factors, int], list[tuple[RankingSample, Qrels]]] = {}
    for ranking in judged:
        if not isinstance(ranking.loaded, RankingSample):
            continue
        sample = described(ranking.loaded, factors.get(ranking.system, Factors()))
        if sample.alpha is None:
            notes.append(Note(ranking.system, None, "left out: no alpha is recorded"))
            continue
        of_labels = _sampled(sample, factors)._replace(generator=ranking.labels)
        groups.setdefault((of_labels, id(ranking.qrels)), []).append((sample, ranking.qrels))
    taken = {condition.factors for condition in beside}
    conditions: list[Condition] = []
    for (sample_factors, _), samples in groups.items():
        named = (
            sample_factors._replace(policy=f"{SAMPLED} {sample_factors.policy}")
            if sample_factors in taken
            else sample_factors
        )
        curve = sampled_curve([ranking for ranking, _ in samples], samples[0][1], measured)
        conditions.append(Condition(factors=named, curves={"EER": curve}))
        notes.append(Note(samples[0][0].system, None, candidates_words(samples[0][0])))
    return conditions, notes


def _sampled(sample: RankingSample, factors: Mapping[str, Factors]) -> Factors:
    """Factors of a recorded sample, but α: the run that it was drawn from is its retriever."""
    source = sample.source.system if isinstance(sample.source, Run) else sample.tag
    sample_factors = factors.get(sample.system, Factors()).over(factors.get(source, Factors())).made_of
    own = Factors(retriever=source, policy=sample.policy or "recorded")
    return sample_factors.over(own)._replace(policy=sample_factors.policy or own.policy, alpha=None, k=None)


def refuse_alike(of: Sequence[Factors], by: Sequence[str] = FACTORS) -> None:
    """Refuse two conditions with the same factors: their rows could not be told apart.

    Args:
        of: Factors of all conditions.
        by: Factors that are columns.

    Raises:
        UsageError: Naming the factors of two that are alike.
    """
    seen: dict[tuple[str | None, ...], Factors] = {}
    for factors in of:
        key = tuple(getattr(factors, name) for name in by)
        if key in seen:
            words = ", ".join(f"{name} {value or '–'}" for name, value in zip(by, key, strict=True))
            others = [name for name in FACTORS if getattr(seen[key], name) != getattr(factors, name)] or [
                "a table of systems that names them apart"
            ]
            raise UsageError(f"two systems have {words}: add {others[0]}")
        seen[key] = factors


def answered(data: Dataset, settings: GridSettings) -> tuple[Condition, ...]:
    """Conditions of recorded answers that have the quality."""
    made = _of_answers(data, settings.restricted_to("quality", "k", "rel"))
    return tuple(condition for condition in made if condition.curve(settings.side) is not None)


@remembered
def _of_answers(data: Dataset, settings: GridSettings) -> tuple[Condition, ...]:
    relevance = relevance_measure(TopK(settings.k), *settings.usefulness)
    points = recorded(data, settings.k, *settings.usefulness).points
    return output_curves(points, data.outputs, best=settings.quality == "EU/best", relevance=relevance)


def _estimated(data: Dataset, settings: GridSettings) -> tuple[tuple[Condition, ...], list[Note]]:
    """Conditions of answers with what re-weighting them says at the α of the grid between their own."""
    rankings, grid = [*feeding(data), *data.samples], alphas_of(data, settings.alpha)
    best = settings.quality == "EU/best"
    made: list[Condition] = []
    notes: list[Note] = []
    for condition in _of_answers(data, settings.restricted_to("quality", "k", "rel")):
        of_data = condition, data.outputs, rankings, data.qrels
        estimates, omission = estimates_of(*of_data, k=settings.k, grid=grid, best=best)
        if omission and rankings:
            notes.append(Note(condition.relevance.system, None, omission))
        if condition.curve(settings.side) is not None:
            made.append(replace(condition, estimates=estimates))
    return tuple(made), notes


def _notes(recorded_outputs: Recorded, outputs: Sequence[RagOutputs]) -> list[Note]:
    """Why some outputs are no condition."""
    pairs = zip(outputs, recorded_outputs.pairs, strict=True)
    unclear = [Note(output_set.system, None, pair.question) for output_set, pair in pairs if pair.question]
    off_curve: list[int] = recorded_outputs.points.filter(~ON_CURVE)["place"].unique(maintain_order=True).to_list()
    unordered = [Note(outputs[index].system, None, "no alpha is recorded") for index in off_curve]
    return [
        replace(note, message=f"left out: {note.message}") for note in (*unclear, *unordered, *recorded_outputs.failed)
    ]


def included(every: Sequence[Condition], off: Sequence[tuple[str, str | None]]) -> list[Condition]:
    """Conditions without an excluded value; all where no system would be left."""
    by_factors = {condition.factors: condition for condition in every}
    some = [by_factors[factors] for factors in kept(tuple(by_factors), off)]
    return some if any(not is_limit(condition.factors) for condition in some) else list(by_factors.values())


def references(data: Dataset, settings: GridSettings, baseline: Factors) -> tuple[Condition, ...]:
    """Bounds beside a baseline run: the oracle limit and the optimal policy for its scores, unless they are compared.

    Nothing is counted or tested of them.
    """
    policies = tuple(policy for policy in LIMITS if policy not in settings.policy)
    if settings.quality != "EER" or not policies or not settings.frontier:
        return ()
    of_baseline = [
        member
        for member in members(data, settings.depth)
        if member.factors._replace(policy=None) == baseline._replace(policy=None)
    ]
    return tuple(
        condition
        for member in of_baseline[:1]
        for condition in of_member(data, replace(settings, policy=policies), member)
    )
