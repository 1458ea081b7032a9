"""Conditions: task × data set × retriever × generator × policy, each with its curves along α.

Factors are columns from file to table. They are never joined to one name, and nothing is parsed out of a name. Recorded
answers of a condition are also re-weighted to α at which nothing was asked: the estimates beside its curve.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from fairviz.display.words import listing, plural
from fairviz.errors import UndefinedError
from fairviz.evaluation.coverage import not_of_all, on_own_queries, without_common
from fairviz.evaluation.outputs import AnswerUtilities
from fairviz.evaluation.systems import NAMED, AtDepth, at_depth, joined
from fairviz.kernels.pool import moved
from fairviz.metrics.consumption import share_of_best
from fairviz.model import (
    Curve,
    Dataset,
    Factors,
    FloatArray,
    Look,
    Note,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    qrels_for,
)
from fairviz.points.columns import refusal
from fairviz.points.estimates import Estimates, between, estimated
from fairviz.points.exact import Seen, judgements_by_task, left_out_of_curves, queries_of_judged
from fairviz.points.outputs import DETERMINISTIC, ORACLE, Recorded, by_policy, by_system, curve_through
from fairviz.points.view import FACTORS, value_name, values_of
from fairviz.remembered import remembered

Quality: TypeAlias = Literal["EER", "EU", "EAR"]
"""EE-R of what was shown; EU, and EAR, of what was answered with it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Condition:
    """One system under one policy.

    Attributes:
        factors: What it is made of.
        curves: EE-D against each quality along α: EE-R always, the others where answers were recorded.
        ends: Its deterministic list, one point of each quality, where it was recorded.
        uniform: All pool items alike, one point of EE-R; None = not computed.
        estimates: What its answers say between the α at which they were recorded; None = nothing, or not asked.
        places: Of the recorded answers that its curves are made of, by rising α, among those of the data.
        run: The run that fed them, where it is known.
        name: What it is called among all of its kind, where that is known.
    """

    factors: Factors
    curves: Mapping[Quality, Curve]
    ends: Mapping[Quality, Curve] = field(default_factory=dict[Quality, Curve])
    uniform: Curve | None = None
    estimates: Estimates | None = None
    places: tuple[int, ...] = ()
    run: str | None = None
    name: str = ""

    def curve(self, quality: Quality) -> Curve | None:
        """The curve of a quality; one that no query has is no curve."""
        curve = self.curves.get(quality)
        return curve if curve is not None and curve.defined.any() else None

    @property
    def relevance(self) -> Curve:
        """EE-D against EE-R."""
        return self.curves["EER"]

    @property
    def answered(self) -> Curve:
        """EE-D against EU, whether or not any query has a value."""
        return self.curves["EU"]

    @property
    def full_curve(self) -> Curve:
        """EE-D against EU, run on to the deterministic list where both are over the same queries."""
        curve, end = self.answered, self.ends.get("EU")
        return curve.run_on(end) if end is not None and end.query_ids == curve.query_ids else curve


def is_limit(factors: Factors) -> bool:
    """Whether a curve knows the judgements: a bound that is drawn for reference, compared and counted nowhere."""
    return factors.policy == ORACLE


def look_of(data: Dataset, condition: Condition) -> Look:
    """How a condition is drawn: the look of its answers, or of its ranking, in the table of systems."""
    answers = [data.outputs[index].system for index in condition.places]
    return data.look_of(*(answers or [condition.relevance.system]))


ON_CURVE = pl.col("alpha").is_not_null() | pl.col("policy").is_in([DETERMINISTIC, ORACLE], nulls_equal=True)
"""Points of answers that stand on a curve along α, or at its end."""


def output_curves(
    points: pl.DataFrame, outputs: Sequence[RagOutputs], *, best: bool = False, relevance: str = "EER"
) -> tuple[Condition, ...]:
    """Conditions of recorded outputs that stand on a curve along α.

    Outputs with policy "deterministic" are the list of those with the same task, data set, retriever and
    generator; "oracle" outputs only count for the best utility, and are no curve.

    Args:
        points: Measured outputs of any systems.
        outputs: All outputs of the data.
        best: Whether utility is a share of that of the generator's best answer to the query, else as recorded.
        relevance: EE-R as a measure string.

    Returns:
        One member per system and policy, system by system, its points by rising α.
    """
    measures: dict[Quality, str] = {"EER": relevance, "EU": "EU/best" if best else "EU", "EAR": "EAR"}
    made: list[Condition] = []
    for factors, path in by_policy(by_system(on_common_queries(points.filter(ON_CURVE))[0])).items():
        if factors.policy == DETERMINISTIC:
            continue
        shown = _over_best(path, outputs) if best else path
        own, end = shown.filter(~pl.col("end")), shown.filter("end")
        policy = factors.policy or "recorded"
        made.append(
            Condition(
                factors=factors._replace(policy=policy),
                curves=_curves(own, policy, measures),
                ends={} if end.is_empty() else _curves(end, DETERMINISTIC, measures),
                places=tuple(own["place"].unique(maintain_order=True)),
                run=own["run"][0],
            )
        )
    return tuple(made)


def on_common_queries(points: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, int]]:
    """The points over the queries that all answers of a task have; how many are left out of each."""
    kept: list[pl.DataFrame] = [points.clear()]
    losses: dict[str, int] = {}
    for part in points.partition_by("task", "dataset", maintain_order=True):
        name = pl.coalesce("generator", "retriever", "system")
        answered = part.group_by("place", maintain_order=True).agg(name.first(), "query_id").rows()
        own = [(system, frozenset(queries)) for _, system, queries in answered]
        left_out = not_of_all(queries for _, queries in own)
        for system, queries in own:
            losses[system] = max(losses.get(system, 0), len(left_out & queries))
        kept.append(part.filter(~pl.col("query_id").is_in([*left_out])))
    return pl.concat(kept), losses


def compared_at(data: Dataset, depth: str = "common", answers: Recorded | None = None) -> AtDepth:
    """The data as curves read them: lists cut as :func:`at_depth` does, words and notes on queries left out as well.

    Args:
        data: Runs and judgements.
        depth: Of the lists.
        answers: What was answered, where curves are of answers, whose lists stay as they were.
    """
    if answers is not None:
        words, notes = without_queries(answers.points.filter(ON_CURVE))
        return AtDepth(data, words, tuple(notes))
    cut, losses = at_depth(data, depth), left_out_of_curves(data)
    words, notes = _without_queries(losses, queries_of_judged(data), "curves", "rank")
    return cut._replace(words="; ".join(filter(None, (cut.words, words))), notes=(*cut.notes, *notes))


def without_queries(points: pl.DataFrame, what: str = "curves") -> tuple[str, list[Note]]:
    """Words and notes on the queries of answers that :func:`on_common_queries` leaves out of ``what`` is shown."""
    name = pl.format("{} ({})", pl.coalesce("generator", "retriever", "system"), "lists")
    parts = points.partition_by("task", "dataset", maintain_order=True)
    rows = (part.group_by(name.alias("name"), maintain_order=True).agg("query_id").rows() for part in parts)
    own = [{system: frozenset[str](queries) for system, queries in part} for part in rows]
    return _without_queries(on_common_queries(points)[1], own, what, "answer")


def _without_queries(
    losses: Mapping[str, int], own: Sequence[Mapping[str, frozenset[str]]], what: str, have: str
) -> tuple[str, list[Note]]:
    lost = {system: plural(n, "query", "queries") for system, n in losses.items() if n}
    of_each = listing([f"{n} of {system}" for system, n in lost.items()], most=NAMED)
    words = f"without queries that not all systems {have} ({of_each})" if lost else ""
    notes = [Note(system, None, f"{what} leave out {n} that not all systems {have}") for system, n in lost.items()]
    chained = {name: n for part in own for name, n in without_common(part).items()}
    return words, [*notes, *(on_own_queries(system, n) for system, n in chained.items())]


def _curves(points: pl.DataFrame, policy: str, measures: Mapping[Quality, str]) -> dict[Quality, Curve]:
    """A curve of each quality under its name."""
    return {
        quality: curve_through(points, "EED", quality, policy=policy, measure=measure)
        for quality, measure in measures.items()
    }


def _over_best(points: pl.DataFrame, outputs: Sequence[RagOutputs]) -> pl.DataFrame:
    """The points with EU as a share of that of the best answer that the generator gave to the query."""
    utilities = AnswerUtilities()
    shares: list[pl.DataFrame] = []
    for part in points.partition_by("place", maintain_order=True):
        own = outputs[int(part["place"][0])]
        best = utilities.best(own, outputs)
        shares.append(part.with_columns(EU=pl.Series(share_of_best(part["EU"].to_numpy(), best), nan_to_null=True)))
    return pl.concat(shares)


# Models that answered along α, under the names that tell them apart.


def answering(points: pl.DataFrame, outputs: Sequence[RagOutputs], *, best: bool = False) -> tuple[Condition, ...]:
    """Models that answered along α; curves have the name of their model beside the others that they are drawn with.

    Args:
        points: Measured outputs of any systems.
        outputs: All outputs of the data.
        best: Whether utility is a share of that of the generator's best answer to the query.
    """
    models = output_curves(points, outputs, best=best)
    factors = [_made_of(model) for model in models]
    labels: dict[int, str] = {}
    for task in dict.fromkeys((model.task, model.dataset) for model in factors):
        alike = [i for i, model in enumerate(factors) if (model.task, model.dataset) == task]
        labels |= dict(zip(alike, model_names([factors[i] for i in alike]), strict=True))
    return tuple(
        replace(
            model,
            factors=factors[i],
            name=name,
            curves={**model.curves, "EU": replace(model.answered, system=labels[i])},
            ends={quality: replace(end, system=labels[i]) for quality, end in model.ends.items()},
        )
        for i, (model, name) in enumerate(zip(models, model_names(factors), strict=True))
    )


def comparable(models: Sequence[Condition], model: Condition) -> list[Condition]:
    """The models of the same task and data set, that one first: nothing is compared across them."""
    own = (model.factors.task, model.factors.dataset)
    others = (other for other in models if other is not model and (other.factors.task, other.factors.dataset) == own)
    return [model, *others]


def _made_of(model: Condition) -> Factors:
    """Factors of a model; outputs that record neither retriever nor generator are called as their file calls them."""
    recorded_name = model.factors.retriever or model.factors.generator
    return model.factors if recorded_name else model.factors._replace(retriever=model.relevance.system)


def model_names(of: Sequence[Factors]) -> tuple[str, ...]:
    """What people call models: the factors that tell them apart; nothing reads them apart again.

    Examples:
        >>> model_names([Factors("lamp-1", "bm25", "small"), Factors("lamp-1", "bm25", "large")])
        ('small', 'large')
        >>> model_names([Factors("lamp-1", "bm25", "small")])
        ('bm25 + small',)
        >>> model_names([Factors(None, None, "small")])
        ('small',)
    """
    apart = [name for name in FACTORS if len(values_of(name, of)) > 1]
    apart = apart or [name for name in ("retriever", "generator") if any(getattr(model, name) for model in of)]
    names = [" + ".join(value_name(name, getattr(model, name)) for name in apart) for model in of]
    return tuple(f"{name}, {i}" if names.count(name) > 1 else name for i, name in enumerate(names, start=1))


DRAWN = ("plackett-luce", None)
"""Policies whose answers may count for another α: with a name, or none; that the lists fit is checked."""
NOTHING_BETWEEN = "nothing is estimated between the recorded α"


def estimates_of(
    model: Condition,
    outputs: Sequence[RagOutputs],
    rankings: Sequence[Run | RankingSample],
    qrels: Sequence[Qrels],
    *,
    k: int,
    grid: FloatArray | None = None,
    best: bool = False,
) -> tuple[Estimates | None, str]:
    """What the answers of one model say between the α at which they were recorded.

    Args:
        model: With the places of its answers along α.
        outputs: All outputs of the data.
        rankings: Runs among which is the one that fed it.
        qrels: Judgements, of people or of generators.
        k: Items that a context holds.
        grid: α to estimate at, as far as they lie between recorded ones; None: the quarters between neighbours.
        best: Whether EU is a share of that of the generator's best answer to the query.

    Returns:
        The estimates, None where there are none; and what is not estimated, and why: empty where everything is, or
        nothing lies between, as with a single α.
    """
    own = [outputs[index] for index in model.places]
    alphas = between([system.alpha for system in own if system.alpha is not None], grid)
    if not alphas.size or own[0].policy not in DRAWN:
        return None, ""
    runs = {system.system: system for system in rankings if isinstance(system, Run)}
    run = runs.get(model.run or "")
    if run is None:
        return None, f"{NOTHING_BETWEEN}: the run with the scores from which the lists were drawn is not loaded"
    try:
        judged = qrels_for(qrels, own[0].generator, own[0].query_ids)
        made = estimated(run, own, alphas, k=k, qrels=judged)
    except UndefinedError as error:
        return None, f"{NOTHING_BETWEEN}: {error}"
    made = made.among(model.relevance.query_ids)
    if best:
        over_best = made.utility.over_best(_best(own, outputs, made))
        made = replace(made, utility=replace(over_best, measure="EU/best"))
    return made, refusal(made)


def _best(own: Sequence[RagOutputs], outputs: Sequence[RagOutputs], made: Estimates) -> FloatArray:
    """(Q) the best that the generator reached for each query of the estimates."""
    utilities = AnswerUtilities()
    best = np.full(len(made.query_ids), np.nan)
    for own_outputs in own:
        best = np.fmax(best, moved(utilities.best(own_outputs, outputs), own_outputs.query_ids, made.query_ids))
    return best


# Scored runs with their judgements: what Compare, its main table and ``compare`` share.


class Member(NamedTuple):
    """A run by its name, what it is judged by (a place in the data), and what it is made of."""

    system: str
    judgements: int
    factors: Factors

    def seen(self, **how: Any) -> Seen:
        """The run as it is looked at, see :class:`~fairviz.points.exact.Seen`."""
        return Seen(system=self.system, judgements=self.judgements, **how)


@remembered
def members(data: Dataset, depth: str) -> tuple[Member, ...]:
    """Every scored run with each of its judgements."""
    runs, factors = at_depth(data, depth).data.runs, data.systems or {}
    if not runs:
        return ()
    parts = [(index, part) for index in range(len(data.qrels)) for part in judgements_by_task(data, index)]
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


def run_factors(system: str, table: Mapping[str, Factors], judgements: Qrels) -> Factors:
    """What a run is made of; without a word of the table it is its own retriever, its generator is who judged it."""
    factors = table.get(system, Factors()).made_of
    return factors._replace(retriever=factors.retriever or system, generator=judgements.generator, alpha=None, k=None)
