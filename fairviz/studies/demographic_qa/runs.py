"""Runs of variants, recognised by their names (bm25.Asian, bm25-African_American), and how well each retrieves.

The same judgements hold for every variant: who is asking changes nothing about what is useful, so a difference in
ranking quality from the neutral questions is a difference that the mention of a group made.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.evaluation.compare import paired_values
from fairviz.evaluation.evaluate import evaluate, score_intervals
from fairviz.evaluation.joins import joined
from fairviz.metrics.spec import parse_measures
from fairviz.model import Dataset, MeasureSpec, Note, Qrels, RankedRun, Run, Scores
from fairviz.stats.bootstrap import UNDEFINED, Interval, paired_bootstrap
from fairviz.stats.tests import holm, paired_t_test
from fairviz.studies.demographic_qa.overlap import NO_ATTRIBUTE, Overlap, lists_of_runs, retrieval_overlap

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

    def overlaps(self, k: int) -> tuple[Overlap, ...]:
        """Overlap of the first k documents, attribute by attribute."""
        return tuple(retrieval_overlap(lists_of_runs(self.runs, attribute), k=k) for attribute in self.attributes)


def loaded_variant_runs(loaded: Dataset) -> tuple[VariantRuns, ...]:
    """Loaded runs that are variants by their names, of the values in loaded answers, too."""
    values = dict(VALUES)
    for answers in loaded.variants:
        values |= dict(zip(answers.attributes, answers.values, strict=True))
    return variant_runs(loaded.runs, values)


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
    known = {_bare(value): (name, value) for name, runs_of_values in values.items() for value in runs_of_values}
    known |= {_bare(value): ("none", "neutral") for value in NEUTRAL}
    runs_of_retrievers: dict[str, dict[tuple[str, str], Run]] = {}
    for run in runs:
        named = split(run.system, known)
        if named is not None:
            retriever, attribute, value = named
            runs_of_retrievers.setdefault(retriever, {}).setdefault((attribute, value), run)
    order = list(dict.fromkeys([("none", "neutral"), *known.values()]))
    grouped = (
        VariantRuns(name, dict(sorted(runs_of_values.items(), key=lambda pair: order.index(pair[0]))))
        for name, runs_of_values in runs_of_retrievers.items()
    )
    return tuple(family for family in grouped if family.attributes)


def split(name: str, known: Mapping[str, tuple[str, str]]) -> tuple[str, str, str] | None:
    """(retriever, attribute, value) of a name, None where it ends in no known value."""
    for cut in re.finditer(r"[._:\-\s]+", name):
        if cut.start() and (place := known.get(_bare(name[cut.end() :]))):
            return name[: cut.start()], *place
    return None


def _bare(value: str) -> str:
    """Letters and digits in small letters."""
    return re.sub(r"[\W_]+", "", value).lower()


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
        p_holm: The same, corrected over all values and measures.
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
        p: Of the paired t-test of best and worst.
        p_holm: The same, corrected over all pairs of values of all attributes and measures: these two were searched.
    """

    attribute: str
    measure: str
    gap: float
    best: str
    worst: str
    interval: Interval
    n_questions: int
    p: float = float("nan")
    p_holm: float = float("nan")


class VariantQuality(NamedTuple):
    """Rows by measure, then value in the order given; gaps by measure, then attribute."""

    rows: tuple[VariantScore, ...]
    gaps: tuple[QualityGap, ...]
    notes: tuple[Note, ...]

    @property
    def n_tests(self) -> int:
        """Over how many tests p of its rows is corrected."""
        return sum(not np.isnan(row.p) for row in self.rows)


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

    A run without one question in common with the judgements is left out, with a note.

    Raises:
        InputError: No run has a question in common with the judgements.
        UsageError: There is no run, or a measure has no values per query.
    """
    if not runs:
        raise UsageError("give the run of at least one variant")
    specs: list[MeasureSpec] = []
    for measure in measures:
        specs += [measure] if isinstance(measure, MeasureSpec) else parse_measures([measure])
    notes: list[Note] = []
    scores_of_runs: dict[tuple[str, str], list[Scores]] = {}
    named: dict[tuple[str, str], Run] = {}
    for key, run in runs.items():
        by_score = run.by_rank if isinstance(run, RankedRun) else run
        named[key] = replace(by_score, system=key[1])
    left_out = joined(list(named.values()), [qrels]).left_out
    notes += [one.note for one in left_out]
    lost = {one.system for one in left_out}
    for (attribute, value), run_of_value in named.items():
        if value in lost:
            continue
        evaluation = evaluate([run_of_value], specs, qrels=[qrels])
        notes += evaluation.notes
        scores_of_runs[attribute, value] = _per_query(evaluation.scores)
    return quality_of(scores_of_runs, notes=tuple(dict.fromkeys(notes)), seed=seed)


def quality_of(
    scores: Mapping[tuple[str, str], Sequence[Scores]], *, notes: tuple[Note, ...] = (), seed: int = 0
) -> VariantQuality:
    """The same of scores that are known: one per measure, of the list of each (attribute, value)."""
    neutral = next((own for (name, _), own in scores.items() if name in NO_ATTRIBUTE), None)
    rows: list[VariantScore] = []
    gaps: list[_Pairs] = []
    for m in range(max(map(len, scores.values()), default=0)):
        of_measure = [(*key, own[m]) for key, own in scores.items()]
        rows += _rows(of_measure, None if neutral is None else neutral[m], seed)
        gaps += _gaps(of_measure, seed)
    adjusted: list[float] = holm(np.array([row.p for row in rows])).tolist()
    rows = [replace(row, p_holm=p) for row, p in zip(rows, adjusted, strict=True)]
    return VariantQuality(tuple(rows), _corrected(gaps), notes)


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
            difference, ends, n, *_ = paired_bootstrap(paired.system, paired.reference, rng=np.random.default_rng(seed))
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
    return rows


class _Pairs(NamedTuple):
    """The gap of an attribute and p of every pair of its values, that of the gap first."""

    gap: QualityGap
    p: list[float]


def _corrected(gaps: list[_Pairs]) -> tuple[QualityGap, ...]:
    """Gaps with Holm's p over all pairs among which they were found."""
    adjusted = holm(np.array([p for pairs in gaps for p in pairs.p]))
    firsts = np.cumsum([0, *(len(pairs.p) for pairs in gaps)])
    return tuple(
        pairs.gap._replace(p=pairs.p[0], p_holm=float(adjusted[first])) if pairs.p else pairs.gap
        for pairs, first in zip(gaps, firsts[:-1].tolist(), strict=True)
    )


def _gaps(of_measure: list[_Named], seed: int) -> list[_Pairs]:
    gaps: list[_Pairs] = []
    for attribute in dict.fromkeys(name for name, *_ in of_measure if name not in NO_ATTRIBUTE):
        defined = [
            (scores.value, value, scores)
            for name, value, scores in of_measure
            if name == attribute and not np.isnan(scores.value)
        ]
        measure = next(scores.measure for name, _, scores in of_measure if name == attribute)
        if len(defined) < 2:
            gaps.append(_Pairs(QualityGap(attribute, measure, float("nan"), "", "", UNDEFINED, 0), []))
            continue
        best, worst = max(defined, key=lambda v: v[0]), min(defined, key=lambda v: v[0])
        others = [pair for pair in combinations(defined, 2) if {id(pair[0]), id(pair[1])} != {id(best), id(worst)}]
        tests = [paired_values(first[2], second[2]) for first, second in [(best, worst), *others]]
        paired = paired_values(best[2], worst[2])
        _, ends, n, *_ = paired_bootstrap(paired.system, paired.reference, rng=np.random.default_rng(seed))
        gap = QualityGap(attribute, measure, best[0] - worst[0], best[1], worst[1], ends, n)
        gaps.append(_Pairs(gap, [paired_t_test(pair.system, pair.reference).p for pair in tests]))
    return gaps


def _per_query(scores: Sequence[object]) -> list[Scores]:
    per_query: list[Scores] = []
    for score in scores:
        if not isinstance(score, Scores):
            raise UsageError("measures of variants need a value per question, not per system")
        per_query.append(score)
    return per_query
