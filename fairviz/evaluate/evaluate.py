"""Systems × measures to scores per query, and to one tidy frame."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from fairviz.errors import UsageError
from fairviz.evaluate.outputs import AnswerUtilities, OutputScorer, References, pairings
from fairviz.evaluate.rankings import RankedScorer, Refusal, judgements_for
from fairviz.groups import Preset
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.model import (
    FloatArray,
    GroupLabels,
    MeasureSpec,
    Note,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    Scores,
    SystemScore,
    Target,
)
from fairviz.stats.bootstrap import Interval, bootstrap_intervals, data_and_resamples, interval_of

System: TypeAlias = Run | RankingSample | RagOutputs

RESULT_COLUMNS = (
    "system",
    "measure",
    "value",
    "n_queries",
    "n_undefined",
    "ci_low",
    "ci_high",
)
QUERY_COLUMNS = ("system", "query_id", "measure", "value")


class Evaluation(NamedTuple):
    """What evaluating gives.

    Attributes:
        scores: Per query, or one of the whole system, in the order of systems, then measures; a
            system has no scores of a measure of the other kind (outputs have no nDCG).
        notes: What a reader of the numbers should know; ``file`` is the system's name.
        refused: Measures that these data do not allow, where these are no error.
    """

    scores: tuple[Scores | SystemScore, ...]
    notes: tuple[Note, ...]
    refused: tuple[Refusal, ...] = ()


def evaluate(
    systems: Sequence[System],
    measures: Sequence[MeasureSpec],
    *,
    qrels: Sequence[Qrels] = (),
    labels: GroupLabels | None = None,
    target: Target | Preset | None = None,
    references: References | None = None,
    pairs: Mapping[str, str] | None = None,
    refuse: bool = True,
    on_step: Callable[[], None] = lambda: None,
) -> Evaluation:
    """Measure systems.

    Queries that are averaged: for rankings those of the judgements, where one that was not ranked
    is undefined (measures of ir-measures: 0); for measures of groups that need no judgements, and for
    EE-D where there are none, those that were ranked; for outputs those that have an output.

    Args:
        systems: Runs, samples of rankings and recorded outputs, in any order.
        measures: Parsed measures.
        qrels: Judgements; those of people are used for rankings.
        labels: Groups of documents, for measures of groups.
        target: Shares of attention per group: by hand, or the name of one that the data set.
        references: Right answers per query, for string utilities.
        pairs: Name of an output system -> name of the run it was made from; with one run, that.
        refuse: Whether a measure that the data do not allow is an error, or listed as refused.
        on_step: Called after each system.

    Raises:
        UsageError: A measure fits none of the systems, or what it needs was not given.
        UndefinedError: Nothing says which items an output was given.
    """
    rankings = [system for system in systems if not isinstance(system, RagOutputs)]
    outputs = [system for system in systems if isinstance(system, RagOutputs)]
    of_rankings = [spec for spec in measures if _reads(spec, "rankings")]
    of_outputs = [spec for spec in measures if _reads(spec, "outputs")]
    _refuse_unfit(of_rankings, rankings, "rankings: give RUN")
    _refuse_unfit(of_outputs, outputs, "recorded outputs: give --outputs FILE")
    partners = dict(zip(map(id, outputs), pairings(outputs, rankings, pairs or {}), strict=True))
    answers = AnswerUtilities(references)
    scores: list[Scores | SystemScore] = []
    notes: list[Note] = []
    refused: list[Refusal] = []
    judged = judgements_for(qrels) if qrels else None  # what needs them without is refused one by one
    for system in systems:
        if isinstance(system, RagOutputs) and of_outputs:
            scorer = OutputScorer(system, outputs, partners[id(system)], answers)
            scores += scorer.scores(of_outputs)
            notes += scorer.notes
        elif not isinstance(system, RagOutputs) and of_rankings:
            ranked = RankedScorer(system, judged, labels, target)
            system_scores, not_allowed = ranked.scores(of_rankings, refuse=refuse)
            scores += system_scores
            refused += not_allowed
            notes += ranked.notes
        on_step()
    return Evaluation(tuple(scores), tuple(notes), tuple(refused))


def summary_frame(scores: Sequence[Scores | SystemScore], intervals: Sequence[Interval]) -> pd.DataFrame:
    """One row per system and measure, with :data:`RESULT_COLUMNS`.

    Args:
        scores: Per query, or of whole systems.
        intervals: Of every score, such as those of :func:`score_intervals`.

    Returns:
        Values are means over the queries that have one (or the smallest or largest of these, which
        have no interval); NaN where none has, and for the ends of an interval below two.
    """
    rows: list[tuple[str, str, float, int, int, float, float]] = []
    for score, interval in zip(scores, intervals, strict=True):
        counts = (score.n_queries, score.n_undefined)
        rows.append((score.system, score.measure, score.value, *counts, interval.low, interval.high))
    return pd.DataFrame.from_records(rows, columns=list(RESULT_COLUMNS))


def score_intervals(scores: Sequence[Scores | SystemScore], *, seed: int) -> list[Interval]:
    """Bootstrap interval over queries of each score, which does not depend on the company it is in.

    Args:
        scores: Per query, or of whole systems.
        seed: Of the bootstrap; every score draws anew from it.
    """
    means = [score for score in scores if isinstance(score, Scores) and score.aggregate == "mean"]
    intervals = dict(
        zip(
            map(id, means),
            bootstrap_intervals([score.values for score in means], seed=seed),
            strict=True,
        )
    )
    undefined = Interval(float("nan"), float("nan"))
    drawn: dict[int, FloatArray] = {}
    for score in scores:
        if isinstance(score, SystemScore):
            n = len(score.query_ids)
            if n not in drawn:
                drawn[n] = data_and_resamples(n, rng=np.random.default_rng(seed))
            intervals[id(score)] = interval_of(score.statistic(drawn[n]), int(score.defined.sum()))
    return [intervals.get(id(score), undefined) for score in scores]


def query_frame(scores: Sequence[Scores | SystemScore]) -> pd.DataFrame:
    """One row per system, measure and query, with :data:`QUERY_COLUMNS`, where there are any."""
    rows = [
        (score.system, query, score.measure, value)
        for score in scores
        if isinstance(score, Scores)
        for query, value in zip(score.query_ids, score.values.tolist(), strict=True)
    ]
    return pd.DataFrame.from_records(rows, columns=list(QUERY_COLUMNS))


def _reads(spec: MeasureSpec, what: str) -> bool:
    """Whether a measure is one of rankings or one of outputs; ir-measures' are of rankings."""
    measure = CATALOGUE.get(spec.name)
    return what in measure.needs if measure else what == "rankings"


def _refuse_unfit(specs: Sequence[MeasureSpec], systems: Sequence[System], needed: str) -> None:
    if specs and not systems:
        raise UsageError(f"{specs[0].text or specs[0].name} needs {needed}")
