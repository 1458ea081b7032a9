"""Runs and recorded answers as the conditions of a grid."""

from collections.abc import Mapping, Sequence

from fairviz.errors import UsageError
from fairviz.evaluation.joins import Judged
from fairviz.kernels.pool import pool
from fairviz.model import (
    Factors,
    Note,
    Qrels,
    RankingSample,
    Run,
    candidates_words,
    described,
)
from fairviz.points.conditions import Condition
from fairviz.points.curves import CurveSettings, PolicySettings, policy_curves, sampled_curve
from fairviz.points.view import FACTORS

NONE_SAID: Mapping[str, Factors] = {}
"""No table of systems: they are called as their files are."""


def run_conditions(
    found: Sequence[Judged], settings: CurveSettings, factors: Mapping[str, Factors] = NONE_SAID
) -> tuple[Condition, ...]:
    """Exact curves of policies made from the scores of runs: a condition per run and policy.

    Args:
        found: Scored runs, each with its judgements; those of a generator make it a factor.
        settings: Which curves.
        factors: What a table says of systems; a run without is its own retriever.
    """
    conditions: list[Condition] = []
    for one in found:
        if isinstance(one.loaded, Run):
            *curves, alike, end = policy_curves(one.loaded, pool(one.loaded, one.qrels), settings)
            named = run_factors(one.system, factors, one.qrels)
            conditions += [
                Condition(
                    factors=named._replace(policy=curve.policy), relevance=curve, list_relevance=end, uniform=alike
                )
                for curve in curves
            ]
    return tuple(conditions)


SAMPLED = "sampled"
"""Before the name of a policy whose recorded samples stand beside its exact curve."""


def sample_conditions(
    found: Sequence[Judged],
    *,
    factors: Mapping[str, Factors],
    beside: Sequence[Condition],
    measured: PolicySettings,
) -> tuple[list[Condition], list[Note]]:
    """Curves of recorded samples of rankings, a condition per task, retriever and policy; and what is to be known.

    Samples with different judgements, such as of several tasks, are conditions of their own: their queries differ.

    Args:
        found: Rankings with their judgements; the samples among them count.
        factors: What a table says of systems; else the tag of a sample names its policy, α and run.
        beside: Exact curves; a sampled policy among them is called "sampled …".
        measured: What they are measured by.
    """
    notes: list[Note] = []
    groups: dict[tuple[Factors, int], list[tuple[RankingSample, Qrels]]] = {}
    for one in found:
        if not isinstance(one.loaded, RankingSample):
            continue
        sample = described(one.loaded, factors.get(one.system, Factors()))
        if sample.alpha is None:
            notes.append(Note(one.system, None, "left out: no alpha is recorded"))
            continue
        of_labels = _sampled(sample, factors)._replace(generator=one.labels)
        groups.setdefault((of_labels, id(one.qrels)), []).append((sample, one.qrels))
    taken = {condition.factors for condition in beside}
    conditions: list[Condition] = []
    for (said, _), members in groups.items():
        named = said._replace(policy=f"{SAMPLED} {said.policy}") if said in taken else said
        curve = sampled_curve([one for one, _ in members], members[0][1], measured)
        conditions.append(Condition(factors=named, relevance=curve))
        notes.append(Note(members[0][0].system, None, candidates_words(members[0][0])))
    return conditions, notes


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


# Whether conditions can be told apart.


def told_apart(of: Sequence[Factors], by: Sequence[str] = FACTORS) -> None:
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
            told = ", ".join(f"{name} {value or '–'}" for name, value in zip(by, key, strict=True))
            others = [name for name in FACTORS if getattr(seen[key], name) != getattr(factors, name)] or [
                "a table of systems that names them apart"
            ]
            raise UsageError(f"two systems have {told}: add {others[0]}")
        seen[key] = factors
