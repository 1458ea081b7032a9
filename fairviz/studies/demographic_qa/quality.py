"""Runs of demographic variants, recognised by their names: bm25.Asian, bm25-African_American."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.evaluate.compare import paired_values
from fairviz.evaluate.evaluate import evaluate, score_intervals
from fairviz.metrics.spec import parse_measures
from fairviz.model import MeasureSpec, Note, Qrels, RankedRun, Run, Scores
from fairviz.stats.bootstrap import UNDEFINED, Interval, paired_bootstrap
from fairviz.stats.tests import holm, paired_t_test
from fairviz.studies.demographic_qa.overlap import NO_ATTRIBUTE

# How well each variant of the questions retrieves, against the neutral questions.
#
# The same judgements hold for every variant: who is asking changes nothing about what is useful, so
# a difference in ranking quality is a difference that the mention of a group made.


MEASURES = ("nDCG@10",)
"""What is measured unless something else is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantScore:
    """One measure of the list of one value.

    Attributes:
        attribute: "race", …; "" for the neutral questions.
        value: "Asian", …, "neutral".
        measure: The measure string.
        mean: Mean over questions, NaN if none has a value.
        interval: 95 % bootstrap over questions, of the mean.
        n_questions: Questions with a value.
        n_undefined: Questions without.
        difference: ``mean`` minus the neutral mean over the questions that both have; NaN without
            neutral questions and for these themselves.
        difference_interval: 95 % paired bootstrap over these questions.
        p: Of the paired t-test against neutral.
        p_holm: The same, corrected over all values of the measure.
        n_compared: Questions compared.
        scores: The values per question.
    """

    attribute: str
    value: str
    measure: str
    mean: float
    interval: Interval
    n_questions: int
    n_undefined: int
    difference: float
    difference_interval: Interval
    p: float
    p_holm: float
    n_compared: int
    scores: Scores


class QualityGap(NamedTuple):
    """The largest difference between two values of an attribute; neutral is no group.

    Attributes:
        attribute: The attribute.
        measure: The measure string.
        gap: Largest mean minus smallest mean over the values.
        best: The value with the largest mean.
        worst: The value with the smallest mean.
        interval: 95 % paired bootstrap of best − worst. They were chosen as the most different, so
            it leans away from 0.
        n_questions: Questions that both have.
    """

    attribute: str
    measure: str
    gap: float
    best: str
    worst: str
    interval: Interval
    n_questions: int


class VariantQuality(NamedTuple):
    """Rows by measure, then value in the order given; gaps by measure, then attribute."""

    rows: tuple[VariantScore, ...]
    gaps: tuple[QualityGap, ...]
    notes: tuple[Note, ...]


def variant_quality(
    runs: Mapping[tuple[str, str], Run | RankedRun],
    qrels: Qrels,
    measures: Sequence[MeasureSpec] | Sequence[str] = MEASURES,
    *,
    seed: int = 0,
) -> VariantQuality:
    """Measure the run of each value, with paired differences to neutral and the gap per attribute.

    Args:
        runs: (attribute, value) -> run of the questions with that value, by the ids of the
            questions; "none" (or "neutral") as attribute marks the neutral questions.
            Ranks of a :class:`RankedRun` count as given.
        qrels: Judgements by the ids of the questions.
        measures: Measures of rankings with one value per query, parsed or as strings.
        seed: Of every row's resamples.

    Raises:
        UsageError: There is no run, or a measure has no values per query.
    """
    if not runs:
        raise UsageError("give the run of at least one variant")
    specs: list[MeasureSpec] = []
    for one in measures:
        specs += [one] if isinstance(one, MeasureSpec) else parse_measures([one])
    rows: list[VariantScore] = []
    gaps: list[QualityGap] = []
    notes: list[Note] = []
    found: dict[tuple[str, str], list[Scores]] = {}
    for (attribute, value), run in runs.items():
        plain = run.by_rank if isinstance(run, RankedRun) else run
        named = replace(plain, system=value)
        evaluation = evaluate([named], specs, qrels=[qrels])
        notes += evaluation.notes
        found[attribute, value] = _per_query(evaluation.scores)
    neutral = next((scores for (name, _), scores in found.items() if name in NO_ATTRIBUTE), None)
    for m in range(len(specs)):
        of_measure = [(*key, scores[m]) for key, scores in found.items()]
        against = None if neutral is None else neutral[m]
        rows += _rows(of_measure, against, seed)
        gaps += _gaps(of_measure, seed)
    return VariantQuality(tuple(rows), tuple(gaps), tuple(dict.fromkeys(notes)))


_Named: TypeAlias = tuple[str, str, Scores]


def _rows(of_measure: list[_Named], neutral: Scores | None, seed: int) -> list[VariantScore]:
    intervals = score_intervals([scores for *_, scores in of_measure], seed=seed)
    rows: list[VariantScore] = []
    for (attribute, value, scores), interval in zip(of_measure, intervals, strict=True):
        reference = attribute in NO_ATTRIBUTE
        difference, ends, p, n = float("nan"), UNDEFINED, float("nan"), 0
        if neutral is not None and not reference:
            paired = paired_values(scores, neutral)
            p = paired_t_test(paired.system, paired.reference).p
            difference, ends, n = paired_bootstrap(paired.system, paired.reference, rng=np.random.default_rng(seed))
        rows.append(
            VariantScore(
                attribute="" if reference else attribute,
                value=value,
                measure=scores.measure,
                mean=scores.value,
                interval=interval,
                n_questions=scores.n_queries - scores.n_undefined,
                n_undefined=scores.n_undefined,
                difference=difference,
                difference_interval=ends,
                p=p,
                p_holm=p,
                n_compared=n,
                scores=scores,
            )
        )
    adjusted: list[float] = holm(np.array([row.p for row in rows])).tolist()
    return [replace(row, p_holm=p) for row, p in zip(rows, adjusted, strict=True)]


def _gaps(of_measure: list[_Named], seed: int) -> list[QualityGap]:
    gaps: list[QualityGap] = []
    for attribute in dict.fromkeys(name for name, *_ in of_measure if name not in NO_ATTRIBUTE):
        values = [
            (scores.value, value, scores)
            for name, value, scores in of_measure
            if name == attribute and not np.isnan(scores.value)
        ]
        measure = next(scores.measure for name, _, scores in of_measure if name == attribute)
        if len(values) < 2:
            gaps.append(QualityGap(attribute, measure, float("nan"), "", "", UNDEFINED, 0))
            continue
        best, worst = max(values, key=lambda v: v[0]), min(values, key=lambda v: v[0])
        paired = paired_values(best[2], worst[2])
        _, ends, n = paired_bootstrap(paired.system, paired.reference, rng=np.random.default_rng(seed))
        gaps.append(QualityGap(attribute, measure, best[0] - worst[0], best[1], worst[1], ends, n))
    return gaps


def _per_query(scores: Sequence[object]) -> list[Scores]:
    kept: list[Scores] = []
    for one in scores:
        if not isinstance(one, Scores):
            raise UsageError("measures of variants need a value per question, not per system")
        kept.append(one)
    return kept


NEUTRAL = ("neutral", "none", "original", "plain")
"""What the run of the questions without attribute may end in."""

VALUES: dict[str, tuple[str, ...]] = {
    "race": ("Caucasian", "African American", "Asian", "Hispanic", "White", "Black"),
    "gender": ("male", "female", "non-binary"),
}
"""Values that are known without a file of answers."""


class VariantRuns(NamedTuple):
    """The runs of one retriever.

    Attributes:
        retriever: What their names have in common ("bm25").
        runs: (attribute, value) -> run; ("none", "neutral") for the questions without attribute.
    """

    retriever: str
    runs: dict[tuple[str, str], Run]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Attributes with at least two values, or one beside the neutral run."""
        names = [name for name, _ in self.runs if name != "none"]
        neutral = any(name == "none" for name, _ in self.runs)
        return tuple(n for n in dict.fromkeys(names) if neutral or names.count(n) > 1)


def variant_runs(runs: Sequence[Run], values: Mapping[str, Sequence[str]] = VALUES) -> tuple[VariantRuns, ...]:
    """Group runs whose names end in a value of an attribute, retriever by retriever.

    Blanks, hyphens, underscores and case of values do not matter; before the value stands a
    separator. A retriever with one recognised run is none. The neutral run comes first, the others
    in the order of the values.

    Args:
        runs: Runs, with names such as "bm25-African_American".
        values: Attribute -> values; the longest that fits counts.

    Examples:
        >>> split("bm25.non-binary", {"nonbinary": ("gender", "non-binary")})
        ('bm25', 'gender', 'non-binary')
    """
    known = {_bare(value): (name, value) for name, some in values.items() for value in some}
    known |= {_bare(value): ("none", "neutral") for value in NEUTRAL}
    found: dict[str, dict[tuple[str, str], Run]] = {}
    for run in runs:
        parts = split(run.system, known)
        if parts is not None:
            retriever, attribute, value = parts
            found.setdefault(retriever, {}).setdefault((attribute, value), run)
    order = list(dict.fromkeys([("none", "neutral"), *known.values()]))
    grouped = (
        VariantRuns(name, dict(sorted(some.items(), key=lambda pair: order.index(pair[0]))))
        for name, some in found.items()
    )
    return tuple(one for one in grouped if one.attributes)


def split(name: str, known: Mapping[str, tuple[str, str]]) -> tuple[str, str, str] | None:
    """(retriever, attribute, value) of a name, None where it ends in no known value."""
    for cut in re.finditer(r"[._:\-\s]+", name):
        if cut.start() and (place := known.get(_bare(name[cut.end() :]))):
            return name[: cut.start()], *place
    return None


def _bare(value: str) -> str:
    """Letters and digits in small letters."""
    return re.sub(r"[\W_]+", "", value).lower()
