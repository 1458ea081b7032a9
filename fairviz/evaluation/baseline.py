"""Who is compared with a baseline: systems of its task and data set, measure by measure, under the same labels."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from fairviz.errors import UndefinedError
from fairviz.evaluation.compare import Comparison, compare_all
from fairviz.evaluation.evaluate import Evaluation, System
from fairviz.evaluation.joins import labelled_apart, told_once
from fairviz.evaluation.unjudged import bounded
from fairviz.model import Factors, MeasureSpec, Note, Run, Scores, SystemScore, factors_of

Pair: TypeAlias = tuple[Scores, Scores] | tuple[SystemScore, SystemScore]
"""A system's scores and those of its baseline."""


class Compared(NamedTuple):
    """Systems minus a baseline.

    Attributes:
        rows: One per measure and system, p corrected over all of them.
        pairs: Scores that were compared and have values of queries.
        notes: On systems that were left out.
    """

    rows: tuple[Comparison, ...]
    pairs: tuple[tuple[Scores, Scores], ...]
    notes: tuple[Note, ...]


def against_baseline(
    evaluation: Evaluation,
    systems: Sequence[System],
    measures: Sequence[MeasureSpec],
    baseline: str,
    *,
    table: Mapping[str, Factors] | None = None,
    seed: int = 0,
) -> Compared:
    """Each system minus the baseline, measure by measure, with what unjudged documents could change of it.

    Args:
        evaluation: Of the systems.
        systems: What was measured.
        measures: By which.
        baseline: Name of what the others are compared with.
        table: What a table says of systems.
        seed: Of the bootstrap.

    Raises:
        UndefinedError: The baseline has none of the measures, or no query with a value in common with any system.
    """
    recorded = {one.system: (table or {}).get(one.system, Factors()).over(factors_of(one)) for one in systems}
    others = other_tasks(recorded, baseline)
    ours = _named(recorded[baseline])
    left_out = (
        Note(name, None, f"left out: of {_named(said)}, the baseline is of {ours}") for name, said in others.items()
    )
    pairs = score_pairs(evaluation, baseline, set(others))
    rows = compare_all(pairs, seed=seed)
    if not rows:
        raise UndefinedError(f"no system has a query with a value in common with {baseline}")
    apart = [
        Note(ours.system, None, f"{ours.measure}: no query with a value in common with {baseline}: not compared")
        for ours, _ in pairs
        if not any((row.system, row.measure) == (ours.system, ours.measure) for row in rows)
    ]
    runs = [system for system in systems if isinstance(system, Run)]
    of_queries = [(ours, theirs) for ours, theirs in pairs if isinstance(ours, Scores) and isinstance(theirs, Scores)]
    return Compared(
        bounded(rows, measures, runs, evaluation.judged),
        tuple(of_queries),
        (*told_once(left_out), *apart),
    )


def score_pairs(evaluation: Evaluation, baseline: str, left_out: set[str]) -> list[Pair]:
    """Each system's scores with those of the baseline, measure by measure.

    Raises:
        UndefinedError: The baseline has none of the measures.
    """
    apart = {name: (one.system, one.qrels.generator) for name, one in labelled_apart(evaluation.judged).items()}
    placed = [(*apart.get(score.system, (score.system, None)), score) for score in evaluation.scores]
    reference = {(score.measure, labels): score for system, labels, score in placed if system == baseline}
    if not reference:
        why = next(
            (f": {n.message}" for n in evaluation.notes if n.message.startswith("left out") and baseline in str(n)), ""
        )
        raise UndefinedError(f"the baseline {baseline} has none of these measures{why}")
    pairs: list[Pair] = []
    for system, labels, score in placed:
        other = reference.get((score.measure, labels))
        if system == baseline or system in left_out:
            continue
        if isinstance(score, Scores) and isinstance(other, Scores) and score.aggregate == "mean":
            pairs.append((score, other))
        if isinstance(score, SystemScore) and isinstance(other, SystemScore):
            pairs.append((score, other))
    return pairs


def other_tasks(known: Mapping[str, Factors], baseline: str) -> dict[str, Factors]:
    """Systems of other tasks, or of other data sets, than the baseline's, which are not compared with it."""
    ours = known[baseline]
    return {name: said for name, said in known.items() if (said.task, said.dataset) != (ours.task, ours.dataset)}


def _named(said: Factors) -> str:
    named = [f"task {said.task}" if said.task else "", f"data set {said.dataset}" if said.dataset else ""]
    return ", ".join(filter(None, named)) or "no named task"


def two_systems(result: Evaluation, one: str, other: str, labels: str = "") -> list[tuple[Scores, Scores]]:
    """Scores of two systems, measure by measure, those of the first in their order.

    Args:
        result: Of all systems.
        one: The first.
        other: What is taken from it.
        labels: Of the generator by whose labels both were judged, where several judged one.
    """
    apart = labelled_apart(result.judged)

    def scores_of(system: str) -> dict[str, Scores]:
        wanted = {name for name, each in apart.items() if (each.system, each.labels) == (system, labels)}
        wanted |= {system} - apart.keys()
        every = (score for score in result.scores if isinstance(score, Scores) and score.aggregate == "mean")
        return {score.measure: score for score in every if score.system in wanted}

    first, second = scores_of(one), scores_of(other)
    return [(ours, second[measure]) for measure, ours in first.items() if measure in second]
