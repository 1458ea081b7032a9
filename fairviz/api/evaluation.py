"""Systems × measures, and systems against a baseline: the numbers of ``fairviz evaluate`` and ``fairviz compare``."""

from __future__ import annotations  # signatures in the names of types, as people read them

from collections.abc import Iterable, Mapping, Sequence
from inspect import isclass, isroutine
from typing import Any, Literal, NamedTuple

import pandas as pd

from fairviz.api.door import frame_of, public, tell
from fairviz.api.nouns import (
    Answers,
    Factored,
    Judgements,
    Labels,
    Path,
    Rankings,
    Shares,
    factors_of_systems,
    judgements_of,
    labels_of,
    references_of,
    several,
    systems_of,
    target_for,
)
from fairviz.api.results import Result
from fairviz.errors import UsageError
from fairviz.evaluation.baseline import against_baseline
from fairviz.evaluation.evaluate import SHOWN_FLAGS, Evaluation, MissingQueries, factors_of_scored, score_intervals
from fairviz.evaluation.evaluate import evaluate as measure
from fairviz.evaluation.joins import Depth, at_depth, by_task
from fairviz.evaluation.tables import MeasureResults, tables
from fairviz.metrics.spec import parse_measures
from fairviz.model import Factors, RagOutputs, RankingSample, Run

COLUMNS = ("system", "measure", "value", "ci_low", "ci_high", "n_queries", "n_undefined")


@public
def evaluate(
    runs: Rankings | Iterable[Rankings] = (),
    qrels: Judgements | Iterable[Judgements] | None = None,
    measures: str | Iterable[object] = (),
    *,
    groups: Labels | Literal["qrels"] | None = None,
    target: Shares | None = None,
    allow_missing_groups: bool = False,
    outputs: Answers | Iterable[Answers] = (),
    references: Path | Mapping[Any, Any] | None = None,
    pairs: Mapping[str, str] | None = None,
    systems: Factored | None = None,
    depth: Depth = "full",
    per_query: bool = False,
    missing_queries: MissingQueries = "common",
    seed: int = 0,
) -> pd.DataFrame:
    """Measure runs, samples of rankings and recorded outputs.

    The same numbers as ``fairviz evaluate``. Means are over the queries that all systems rank. A query without a value
    is undefined and counted, never 0 unless ``missing_queries`` says so; intervals are
    95 % percentile bootstraps over queries (2,000 resamples, expanded for few queries: Hesterberg 2015).

    Args:
        runs: One or several: nouns, files, frames, ranx' Runs or dicts, see :func:`run`; ``{name: run}`` names them.
        qrels: Judgements, see :func:`qrels`; those of generators besides those of people.
        measures: As on the command line: "nDCG@10", "EER(rel=1)@5"; ir_measures' objects of its own measures, too, but
            not those of ``ir_measures.define``. ``fairviz measures`` lists them.
        groups: Groups of documents, see :func:`groups`; "qrels": the subtopics of the judgements.
        target: Share of attention of each group, see :func:`target`.
        allow_missing_groups: Let the target give a share to a group that no label has, which is often misspelt.
        outputs: Recorded outputs of generators, see :func:`outputs`.
        references: Right answers per query, a file or a dict, for ``EU(utility='rougeL')`` and others.
        pairs: Outputs -> the run that they were made from, by name, or "recorded"; without, found out.
        systems: What systems are made of, by name: a table, a frame, or ``{"bm25": {"task": "qa", "alpha": 2}}``, for
            those that do not say it themselves.
        depth: Documents of each list that count: a number, "full", or "common" (the smallest depth of the runs).
        per_query: The value of every query (columns system, query_id, measure, value) in place of means.
        missing_queries: "zero": a judged query that a system does not rank counts 0 in measures of ir-measures, as in
            ``trec_eval -c``; means are over all judged queries then.
        seed: Of the bootstrap.

    Returns:
        A row per system and measure: system, measure, value (the mean), ci_low, ci_high, n_queries (in the mean),
        n_undefined (the others); then
        what is recorded of systems (retriever, generator, policy, alpha, …), and facts that some measures come with.

    Raises:
        InputError: Something cannot be read, or nothing joins.
        UsageError: A measure is not known, or needs what was not given.

    Examples:
        >>> import fairviz as fv
        >>> bm25 = fv.run({"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0, "b": 2.0}}, name="bm25")
        >>> judged = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
        >>> fv.evaluate(bm25, judged, "P@1, EER@1")[["system", "measure", "value", "n_queries"]]
          system measure  value  n_queries
        0   bm25     P@1    0.5          2
        1   bm25   EER@1    0.5          2
    """
    arguments = (
        runs,
        qrels,
        measures,
        groups,
        target,
        allow_missing_groups,
        outputs,
        references,
        pairs,
        systems,
        depth,
    )
    evaluation, measured, table, _ = _evaluated(*arguments, missing_queries)
    results = MeasureResults(
        evaluation=evaluation,
        intervals=None if per_query else score_intervals(evaluation.averaged, seed=seed),
        per_query=per_query,
        seed=seed,
        factors=factors_of_scored(evaluation, measured, table),
    )
    if per_query:
        return frame_of(tables(results)["per-query"])
    made = tables(results)["means"]
    more = [key for key in made.keys if key not in (*COLUMNS, "better", "source")]
    frame = frame_of(made.select((*COLUMNS, *more)))
    for name in SHOWN_FLAGS:
        facts = [one.flags.get(name) for one in evaluation.scores]
        if any(fact is not None for fact in facts):
            frame[name] = facts
    return frame


class _Evaluated(NamedTuple):
    """Scores of systems, what they are made of, and words for how deep their lists were read."""

    evaluation: Evaluation
    systems: Sequence[Run | RankingSample | RagOutputs]
    table: dict[str, Factors]
    depth: str


def _evaluated(
    runs: Any,
    qrels: Any,
    measures: Any,
    groups: Any,
    target: Any,
    allow_missing_groups: bool,
    outputs: Any,
    references: Any,
    pairs: Any,
    made_of: Factored | None,
    depth: Depth,
    missing: MissingQueries = "common",
) -> _Evaluated:
    """Measure systems as :func:`evaluate` documents it; warn with the notes of the evaluation."""
    specs = parse_measures(_names(measures))
    rankings, recorded = systems_of(runs, outputs)
    loaded = [*rankings, *recorded]
    if not loaded:
        raise UsageError("nothing to measure: give runs= or outputs=")
    judged = judgements_of(qrels)
    named, table, _ = factors_of_systems(made_of, loaded, judged)
    systems, words, notes = at_depth([*named], depth, table=table)
    labels = labels_of(groups, judged)
    evaluation = measure(
        systems,
        specs,
        qrels=by_task(judged, systems, table),
        labels=labels,
        target=target_for(target, labels, allow_missing_groups=allow_missing_groups),
        references=references_of(references),
        pairs=pairs,
        missing=missing,
    )
    tell((*notes, *evaluation.notes))
    return _Evaluated(evaluation, systems, table, words)


def _names(measures: Any) -> list[str]:
    """Measures as they are written; ir_measures' objects write themselves.

    Raises:
        UsageError: One is a function or a class.
    """
    given = several(measures)
    if code := next((one for one in given if isroutine(one) or isclass(one)), None):
        raise UsageError(f"measures= takes names such as 'nDCG@10', found a {type(code).__name__}")
    return [str(one) for one in given]


class Comparison(Result):
    """Systems minus a baseline. Tables: "compared" and "compared-queries"."""


@public
def compare(
    runs: Rankings | Iterable[Rankings] = (),
    qrels: Judgements | Iterable[Judgements] | None = None,
    measures: str | Iterable[object] = (),
    *,
    baseline: str | None = None,
    groups: Labels | Literal["qrels"] | None = None,
    target: Shares | None = None,
    allow_missing_groups: bool = False,
    outputs: Answers | Iterable[Answers] = (),
    references: Path | Mapping[Any, Any] | None = None,
    pairs: Mapping[str, str] | None = None,
    systems: Factored | None = None,
    depth: Depth = "common",
    seed: int = 0,
) -> Comparison:
    """Systems against a baseline, paired by query.

    The same numbers as ``fairviz compare``: differences over the queries where both have a value, 95 % bootstrap
    intervals, paired t-tests with Holm's correction over the whole table, and what documents that nobody judged could
    change (exactly for P, RBP, RR, Success, R and nDCG, else about).

    Args:
        runs: Two or more, see :func:`run`.
        qrels: As :func:`evaluate`.
        measures: Likewise.
        baseline: Name of the system that the others are compared with; None: the first.
        groups: As :func:`evaluate`.
        target: Likewise.
        allow_missing_groups: Likewise.
        outputs: Likewise.
        references: Likewise.
        pairs: Likewise.
        systems: Likewise; systems of another task than the baseline are not compared.
        depth: Documents of each list that count: a number, "common" (the smallest depth of the runs), or "full".
        seed: Of the bootstrap.

    Returns:
        ``frame()``: system, reference, measure, difference, low, high, p, p_holm, verdict, wins, ties, losses, …;
        ``frame("compared-queries")``: both values of every query.

    Raises:
        InputError: Something cannot be read, or nothing joins.
        UsageError: There is nothing to compare, the baseline is not among the systems, or a measure is not known.
        UndefinedError: No system has a query with a value in common with the baseline.

    Examples:
        >>> import fairviz as fv
        >>> judged = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
        >>> one = fv.run({"q1": {"a": 2, "b": 1}, "q2": {"b": 2, "a": 1}}, name="one")
        >>> two = fv.run({"q1": {"a": 2, "b": 1}, "q2": {"a": 2, "b": 1}}, name="two")
        >>> found = fv.compare([one, two], judged, "P@1")
        >>> found.frame()[["system", "reference", "difference", "wins", "ties", "losses"]]
          system reference  difference  wins  ties  losses
        0    two       one         0.5     1     1       0
    """
    evaluation, measured, table, cut = _evaluated(
        runs, qrels, measures, groups, target, allow_missing_groups, outputs, references, pairs, systems, depth
    )
    names = [one.system for one in measured]
    if len(names) < 2:
        raise UsageError("nothing to compare: give two or more runs or outputs")
    if baseline is not None and baseline not in names:
        raise UsageError(f"--baseline {baseline}: expected one of {', '.join(names)}")
    specs = parse_measures(_names(measures))
    compared = against_baseline(evaluation, measured, specs, baseline or names[0], table=table, seed=seed)
    tell(compared.notes)
    results = MeasureResults(
        evaluation=evaluation,
        compared=compared.rows,
        pairs=compared.pairs,
        seed=seed,
        factors=factors_of_scored(evaluation, measured, table),
        depth=cut,
    )
    known = tables(results)
    return Comparison({stem: known[stem] for stem in ("compared", "compared-queries")}, ("compared",))
