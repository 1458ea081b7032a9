"""Systems beside each other, paired by query, measure by measure, and what unjudged documents could change of it.

With a baseline are compared systems of its task and data set, under the same labels.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import polars as pl

from fairviz.errors import UndefinedError
from fairviz.evaluation.evaluate import Evaluation, System, factors_recorded
from fairviz.evaluation.rankings import RankingScorer
from fairviz.evaluation.systems import Judged, labelled_apart, merged_notes
from fairviz.kernels.compiled import side_by_side
from fairviz.metrics.catalogue import CATALOGUE, is_judged, parse_measure, reads_groups
from fairviz.metrics.describe import Better
from fairviz.metrics.popularity import OF_TOTALS
from fairviz.model import Factors, FloatArray, IntArray, MeasureSpec, Note, Qrels, Run, Scores, SystemScore
from fairviz.model.arrays import Ids, encoded, positions, segment_ids
from fairviz.stats.bootstrap import (
    N_RESAMPLES,
    UNDEFINED,
    Interval,
    corrected_interval,
    data_and_resamples,
    interval_of,
    paired_bootstrap,
    resampled_p,
)
from fairviz.stats.tests import ROUNDING, Verdict, holm_tested, verdict


class Comparison(NamedTuple):
    """Mean of ``system`` minus mean of ``reference`` over the queries where both have a value.

    Attributes:
        interval: 95 % paired bootstrap over those queries.
        verdict: "higher" or "lower" where ``p_holm`` allows it, and queries are enough; else
            "no significant difference" or "too few to test"; "no test" of a value of the whole system that a query
            drawn twice does not change, see :mod:`fairviz.metrics.popularity`.
        n_queries: Queries compared.
        n_left_out: Queries of either system without a value in both.
        p: Of the paired t-test, or of the resamples where the measure is one value per system; NaN where there is none.
        p_holm: The same, corrected over the table; equal to p where there is one comparison.
        wins, ties, losses: Queries on which ``system`` has more, as much and less than ``reference``; 0 where a measure
            has no value per query.
        n_unjudged: (query, document) pairs that either shows and nobody judged.
        bounds: Smallest and largest difference that these could make, see :mod:`fairviz.evaluation.compare`.
        tie_band: The same over all orders of the tied documents of both, see :mod:`fairviz.evaluation.evaluate`.
    """

    system: str
    reference: str
    measure: str
    difference: float
    interval: Interval
    verdict: Verdict
    n_queries: int
    n_left_out: int
    p: float = float("nan")
    p_holm: float = float("nan")
    wins: int = 0
    ties: int = 0
    losses: int = 0
    n_unjudged: int = 0
    bounds: Interval = UNDEFINED
    tie_band: Interval = UNDEFINED

    def among(self, n_tests: int) -> Interval:
        """The interval at the level that holds for so many tests at once: for a difference that was searched for.

        Of one test it is :attr:`interval`, so that a difference has one interval wherever it is told.
        """
        if n_tests == 1:
            return self.interval
        return corrected_interval(self.difference, self.p, self.n_queries, n_tests)


class PairedValues(NamedTuple):
    """(Q) values of two systems for the queries of either, NaN = undefined there."""

    query_ids: tuple[str, ...]
    system: FloatArray
    reference: FloatArray


def paired_values(scores: Scores, reference: Scores) -> PairedValues:
    """Values of two systems side by side, by query: first those of the system, then the rest.

    A query that a system did not rank has none here, although usual measures count it 0 in the mean: two systems are
    compared over queries that both ranked.

    Raises:
        ValueError: If the measures differ.
    """
    if scores.measure != reference.measure:
        raise ValueError(f"cannot compare {scores.measure} with {reference.measure}")
    queries = tuple(dict.fromkeys((*scores.query_ids, *reference.query_ids)))
    return PairedValues(queries, _placed(scores, queries), _placed(reference, queries))


def paired_systems(score: SystemScore, reference: SystemScore) -> tuple[SystemScore, SystemScore]:
    """Both over the queries that take part in both.

    Raises:
        ValueError: If the measures differ.
    """
    if score.measure != reference.measure:
        raise ValueError(f"cannot compare {score.measure} with {reference.measure}")
    ours, theirs = (frozenset(compress(side.query_ids, side.defined)) for side in (score, reference))
    return score.among(ours & theirs), reference.among(ours & theirs)


def compare_all(
    pairs: Sequence[tuple[Scores, Scores] | tuple[SystemScore, SystemScore]],
    *,
    seed: int,
    n_resamples: int = N_RESAMPLES,
) -> tuple[Comparison, ...]:
    """A table of comparisons, each (system, reference): p is corrected by Holm over the rows that enough queries have.

    Pairs without a common query are left out. Every row draws from the seed anew, so that its
    interval does not depend on the company it is in.

    Raises:
        ValueError: If the measures of a pair differ.
    """
    rows: list[Comparison | None] = []
    for score, other in pairs:
        rng = np.random.default_rng(seed)
        if isinstance(score, SystemScore) and isinstance(other, SystemScore):
            rows.append(_of_systems(score, other, rng, n_resamples))
        elif isinstance(score, Scores) and isinstance(other, Scores):
            rows.append(_of_queries(score, other, rng, n_resamples))
    return corrected([row for row in rows if row is not None])


def corrected(rows: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The rows of a table with p corrected over those of enough queries, and what may be said of each."""
    adjusted = holm_tested((row.p, row.n_queries) for row in rows)
    return tuple(
        row._replace(
            p_holm=p_holm,
            verdict=row.verdict if row.verdict == "no test" else verdict(row.difference, p_holm, row.n_queries),
        )
        for row, p_holm in zip(rows, adjusted, strict=True)
    )


def _of_queries(scores: Scores, reference: Scores, rng: np.random.Generator, n_resamples: int) -> Comparison | None:
    """By a paired bootstrap over the common queries; None where no query has a value in both."""
    values = paired_values(scores, reference)
    paired = paired_bootstrap(values.system, values.reference, rng=rng, n_resamples=n_resamples)
    if paired.n_queries == 0:
        return None
    gaps = values.system - values.reference
    return Comparison(
        scores.system,
        reference.system,
        scores.measure,
        paired.difference,
        paired.interval,
        "too few to test",
        paired.n_queries,
        len(values.query_ids) - paired.n_queries,
        paired.p,
        wins=int((gaps > ROUNDING).sum()),
        ties=int((np.abs(gaps) <= ROUNDING).sum()),
        losses=int((gaps < -ROUNDING).sum()),
        tie_band=_tie_band(scores, reference),
    )


def _of_systems(
    score: SystemScore, reference: SystemScore, rng: np.random.Generator, n_resamples: int
) -> Comparison | None:
    """Both over the same queries and resamples of them; None where either has no value, or they share no query."""
    pair = paired_systems(score, reference)
    queries = tuple(dict.fromkeys((*score.query_ids, *reference.query_ids)))
    counts = data_and_resamples(len(queries), rng=rng, n_resamples=n_resamples)
    ours, theirs = (side.statistic(counts.of(positions(side.query_ids, queries))) for side in pair)
    n_queries, statistics = int(pair[0].defined.sum()), ours - theirs
    if np.isnan(statistics[0]) or not n_queries:
        return None
    is_tested = score.is_resampled
    return Comparison(
        score.system,
        reference.system,
        score.measure,
        float(statistics[0]),
        interval_of(statistics, n_queries) if is_tested else UNDEFINED,
        "too few to test" if is_tested else "no test",
        n_queries,
        len(queries) - n_queries,
        float(resampled_p(statistics, n_queries)) if is_tested else float("nan"),
    )


def _tie_band(scores: Scores, reference: Scores) -> Interval:
    """Mean of the smallest and of the largest differences over all orders of tied documents; NaN where none is tied."""
    if scores.tied is None and reference.tied is None:
        return UNDEFINED
    (low, high), (their_low, their_high) = (
        (score.values, score.values) if score.tied is None else score.tied for score in (scores, reference)
    )
    ends = ((low, their_high), (high, their_low))
    sides = (paired_values(replace(scores, values=a), replace(reference, values=b)) for a, b in ends)
    return Interval(*(float(np.nanmean(side.system - side.reference)) for side in sides))


def _placed(scores: Scores, queries: Sequence[str]) -> FloatArray:
    return np.append(np.where(scores.ranked, scores.values, np.nan), np.nan)[positions(queries, scores.query_ids)]


def short_names(measures: Sequence[str]) -> tuple[str, ...]:
    """Measure strings without their parameters, where that leaves them distinct.

    Examples:
        >>> short_names(["EED(by='group')@5", "AWRF(gamma=0.2)", "AWRF"])
        ('EED@5', 'AWRF(gamma=0.2)', 'AWRF')
    """
    short = [re.sub(r"\(.*\)", "", measure) for measure in measures]
    counts = Counter(short)
    return tuple(name if counts[name] == 1 else whole for name, whole in zip(short, measures, strict=True))


AREA = "AUC of "
"""Before the quality whose mean under a curve is compared: no measure of one system alone, see :class:`Areas`."""


def improves(measure: str) -> Better:
    """Which way what stands in a column of a table improves: a measure string, or an area.

    Examples:
        >>> improves("AUC of EER@5"), improves("EED@5")
        ('higher', 'lower')
    """
    return "higher" if measure.startswith(AREA) else direction(parse_measure(measure))


class Areas(NamedTuple):
    """Areas under the curves of systems along α, beside measures in one table.

    Attributes:
        measure: What they are called, :data:`AREA` and the quality.
        means: The area of each system that has one.
        low, high: Ends of the range of EE-D that all curves share.
        compared: Differences of two systems each, their p not corrected.
        notes: On each system that has none.
    """

    measure: str
    means: Mapping[str, float]
    low: float
    high: float
    compared: tuple[Comparison, ...]
    notes: tuple[Note, ...]


def direction(spec: MeasureSpec) -> Better:
    """Which way a measure improves; those of ir-measures are all better when higher."""
    measure = CATALOGUE.get(spec.name)
    return measure.direction(spec.params) if measure else "higher"


# How far documents that nobody judged could move a difference between two runs.
#
# Unjudged documents count as not useful. That is no knowledge: those that either list shows could have any grade up to
# the largest. Queries do not depend on each other, so that the bounds are means of each query's smallest and largest
# difference. Of P, RR, Success, R and nDCG these are found exactly, see :func:`_largest`. Of other measures three
# judgements are compared: as given; with every unjudged document at the largest grade that the first run shows and the
# second shows later or not at all; and the other way round. That is exact where a measure adds gains by rank over a
# fixed sum (RBP); of the rest, such as AP, the truth may lie outside.


ADDITIVE = {"RBP": {"p", "rel"}}
"""Measures that add gains by rank over a fixed sum, and the parameters that leave it so."""
SEARCHED = {"P": {"rel"}, "RR": {"rel"}, "Success": {"rel"}, "R": {"rel"}, "nDCG": set[str]()}
"""Measures whose ends are searched, query by query."""


def is_exact(spec: MeasureSpec) -> bool:
    """Whether the bounds of a measure are exact, not about right.

    Examples:
        >>> [is_exact(MeasureSpec(name, {}, 5)) for name in ("P", "nDCG", "AP")]
        [True, True, False]
    """
    return any(spec.name in measures and spec.params.keys() <= measures[spec.name] for measures in (ADDITIVE, SEARCHED))


def bounded(
    rows: Sequence[Comparison], measures: Sequence[MeasureSpec], judged: Sequence[Judged]
) -> tuple[Comparison, ...]:
    """Comparisons with their bounds, where both sides are runs and the measure reads judgements and no groups.

    FAIR compares a list with the best one of the same judgements: values of other judgements are no bounds. Measures of
    a whole system (Gini, Coverage) have no values by query, of which bounds are.

    Args:
        rows: Of systems by name.
        measures: Those of the rows, parsed.
        judged: What they were judged by, each by the names of its rows: rows of one generator's labels have the
            bounds of those.
    """
    with_bounds = [
        spec for spec in measures if is_judged(spec) and not reads_groups(spec) and spec.name not in OF_TOTALS
    ]
    spec_of = {spec.shown: spec for spec in with_bounds}
    compared = {name for row in rows if row.measure in spec_of for name in (row.system, row.reference)}
    side_of = _scorers([each for each in judged if each.name in compared])
    alike: dict[tuple[str, str, int | None], list[int]] = {}
    for i, row in enumerate(rows):
        if row.measure in spec_of and row.system in side_of and row.reference in side_of:
            alike.setdefault((row.system, row.reference, spec_of[row.measure].cutoff), []).append(i)

    def of_two(pair: tuple[tuple[str, str, int | None], list[int]]) -> list[Comparison]:
        (system, reference, cutoff), places = pair
        own = [(rows[i], spec_of[rows[i].measure]) for i in places]
        return _bounded(side_of[system], side_of[reference], cutoff, own)

    bounded_rows = list(rows)
    for places, made in zip(alike.values(), side_by_side(of_two, [*alike.items()]), strict=True):
        for i, row in zip(places, made, strict=True):
            bounded_rows[i] = row
    return tuple(bounded_rows)


def _bounded(
    side: RankingScorer, baseline: RankingScorer, cutoff: int | None, rows: Sequence[tuple[Comparison, MeasureSpec]]
) -> list[Comparison]:
    """Comparisons of two runs by measures of one cutoff, with their bounds."""
    run, reference = cast("Run", side.ranked), cast("Run", baseline.ranked)
    qrels = side.qrels
    # nobody says of which subtopic an unjudged document would be
    if qrels is None or qrels is not baseline.qrels or qrels.subtopics is not None:
        return [row for row, _ in rows]
    unjudged = Unjudged(run, reference, qrels, cutoff)
    searched = [spec for _, spec in rows if is_exact(spec) and spec.name in SEARCHED]
    others = [spec for _, spec in rows if spec not in searched]
    as_given = _pairs(side, baseline, searched)
    both = (unjudged.judged(favour) for favour in (True, False) if unjudged.n and others)
    moved = [_pairs(RankingScorer(run, more), RankingScorer(reference, more), others) for more in both]
    made: list[Comparison] = []
    for row, spec in rows:
        if spec in searched:
            ends = unjudged.ends(spec, as_given[row.measure])
        else:
            gaps = (pairs[row.measure].system - pairs[row.measure].reference for pairs in moved)
            ends = [row.difference, *(float(gap[~np.isnan(gap)].mean()) for gap in gaps)]
        made.append(row._replace(n_unjudged=unjudged.n, bounds=Interval(min(ends), max(ends))))
    return made


def _scorers(judged: Sequence[Judged]) -> dict[str, RankingScorer]:
    """Scorers of the runs; those of the same judgements number documents the same way.

    Tables of ids are joined once for all runs then, and not again for every two of them.
    """
    of_labels: dict[int, list[Judged]] = {}
    for each in judged:
        if isinstance(each.loaded, Run):
            of_labels.setdefault(id(each.qrels), []).append(each)
    made: dict[str, RankingScorer] = {}
    for alike in of_labels.values():
        runs, qrels = [cast("Run", each.loaded) for each in alike], alike[0].qrels
        tables = [Ids.of(noun.doc_ids).column for noun in (qrels, *runs)]
        codes, doc_ids = encoded(pl.concat(tables))
        qrels = replace(qrels, doc_ids=doc_ids)  # distinct as they are, its own keep their numbers
        of_runs = np.split(codes, np.cumsum([len(table) for table in tables[:-1]]))[1:]
        for each, run, own in zip(alike, runs, of_runs, strict=True):
            renumbered = Run(
                system=run.system,
                query_ids=run.query_ids,
                doc_ids=doc_ids,
                offsets=run.offsets,
                docs=own[run.docs],
                scores=run.scores,
                ties=run.ties,
            )
            made[each.name] = RankingScorer(renumbered, qrels)
    return made


def _pairs(run: RankingScorer, reference: RankingScorer, specs: Sequence[MeasureSpec]) -> dict[str, PairedValues]:
    """Values of both, by measure."""
    pairs = zip(*(side.scores(specs)[0] for side in (run, reference)), strict=True)
    return {
        ours.measure: paired_values(ours, theirs) for ours, theirs in cast("Iterable[tuple[Scores, Scores]]", pairs)
    }


class Unjudged:
    """Documents of judged queries that one of two runs shows and nobody judged.

    Args:
        run: A run.
        reference: Another.
        qrels: Judgements; all three number documents alike.
        cutoff: Ranks that count; None: all.
    """

    def __init__(self, run: Run, reference: Run, qrels: Qrels, cutoff: int | None) -> None:
        self._qrels = qrels
        ours, theirs = self._shown(run, cutoff), self._shown(reference, cutoff)
        judged = pl.DataFrame({"query": segment_ids(qrels.offsets), "doc": qrels.docs.astype(np.int64)})
        self._rows = (
            ours.join(theirs, on=["query", "doc"], how="full", coalesce=True, suffix="_other")
            .join(judged, on=["query", "doc"], how="anti")
            .with_columns(pl.col("rank", "rank_other").fill_null(np.inf))
            .sort("query", "doc")
        )
        self._largest_grade = max(1, int(qrels.grades.max(initial=1)))

    @property
    def n(self) -> int:
        """(query, document) pairs."""
        return self._rows.height

    def judged(self, favour: bool) -> Qrels:
        """The judgements with the largest grade for those that the run (else the reference) shows first."""
        qrels = self._qrels
        raised = self._rows.filter((pl.col("rank") < pl.col("rank_other")) == favour)
        queries = np.concatenate([segment_ids(qrels.offsets), raised["query"].to_numpy()])
        docs = np.concatenate([qrels.docs, raised["doc"].to_numpy()])
        grades = np.concatenate([qrels.grades, np.full(raised.height, self._largest_grade)])
        order = np.argsort(queries, kind="stable")
        counts = np.bincount(queries, minlength=len(qrels.query_ids))
        return replace(
            qrels,
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            docs=docs[order].astype(np.int32),
            grades=grades[order],
        )

    def ends(self, spec: MeasureSpec, values: PairedValues) -> tuple[float, float]:
        """Smallest and largest mean difference that the unjudged documents could make, each query on its own.

        Args:
            spec: One of :data:`SEARCHED`.
            values: Of both runs under the judgements.
        """
        gaps = values.system - values.reference
        low, high = gaps.copy(), gaps.copy()
        index_of = {query: i for i, query in enumerate(values.query_ids)}
        by_query = self._rows.group_by("query", maintain_order=True).agg("rank", "rank_other")
        for q, our_ranks, their_ranks in by_query.iter_rows():
            i = index_of[self._qrels.query_ids[q]]
            if np.isnan(gaps[i]):
                continue
            grades = self._qrels.grades[self._qrels.offsets[q] : self._qrels.offsets[q + 1]]
            ours = values.system[i], np.array(our_ranks)
            theirs = values.reference[i], np.array(their_ranks)
            high[i] = _largest(spec, ours, theirs, grades, self._largest_grade)
            low[i] = -_largest(spec, theirs, ours, grades, self._largest_grade)
        return float(np.nanmean(low)), float(np.nanmean(high))

    def _shown(self, run: Run, cutoff: int | None) -> pl.DataFrame:
        """Rank of each document that a run shows for a judged query."""
        query_of = positions(run.query_ids, self._qrels.query_ids)
        row_query = segment_ids(run.offsets)
        ranks = (np.arange(run.docs.size) - run.offsets[row_query] + 1).astype(np.float64)
        shown = (query_of[row_query] >= 0) & (ranks <= (np.inf if cutoff is None else cutoff))
        docs = run.docs[shown].astype(np.int64)
        return pl.DataFrame({"query": query_of[row_query[shown]], "doc": docs, "rank": ranks[shown]})


Side: TypeAlias = tuple[float, FloatArray]
"""Value of a list under the judgements, and (U) its ranks of the unjudged documents, infinite where not shown."""


def _largest(spec: MeasureSpec, our_side: Side, their_side: Side, grades: IntArray, top: int) -> float:
    """The largest difference of one query over all grades of its unjudged documents.

    P: all that only we show are useful. RR and Success: one useful document is enough, since a second one could only
    help the other side. R: as P, and those that both show, all or none. nDCG: :func:`_largest_ndcg`.

    Args:
        spec: The measure.
        our_side: Our value, and ranks.
        their_side: Theirs.
        grades: Of the judged documents.
        top: The largest grade.
    """
    if spec.name == "nDCG":
        return _largest_ndcg(spec.cutoff, our_side, their_side, grades, top)
    (ours, our_ranks), (theirs, their_ranks) = our_side, their_side
    rel = int(str(spec.params.get("rel", 1)))
    if rel > top:
        return ours - theirs
    alone = int((np.isfinite(our_ranks) & np.isinf(their_ranks)).sum())
    if spec.name == "P":
        return ours - theirs + alone / cast("int", spec.cutoff)
    if spec.name == "R":
        useful = int((grades >= rel).sum())
        both = int((np.isfinite(our_ranks) & np.isfinite(their_ranks)).sum())
        difference = (ours - theirs) * useful + alone
        return max(difference / max(useful + alone + more, 1) for more in (0, both))
    we, they = (1 / ranks if spec.name == "RR" else np.isfinite(ranks) * 1.0 for ranks in (our_ranks, their_ranks))
    return max(ours - theirs, float((np.maximum(ours, we) - np.maximum(theirs, they)).max()))


def _largest_ndcg(cutoff: int | None, our_side: Side, their_side: Side, grades: IntArray, top: int) -> float:
    """The largest (DCG − their DCG) / ideal DCG, by Dinkelbach's method for ratios.

    Gains are sums of steps, one for each grade. With m documents raised to a grade or above, best those whose discounts
    differ most in our favour, the step adds these differences to the numerator and the discounts of the first ranks, as
    many as there are documents of the grade, to the ideal. For a given ratio the best m of every grade, falling from
    grade to grade, is found grade by grade from the largest; its own ratio is the next, until none is larger.
    """
    (ours, our_ranks), (theirs, their_ranks) = our_side, their_side
    differences = np.sort(1 / np.log2(our_ranks + 1) - 1 / np.log2(their_ranks + 1))[::-1]
    won = np.concatenate([[0.0], np.cumsum(differences)])
    places = np.arange(won.size)
    discounts = 1 / np.log2(np.arange(grades.size + won.size) + 2.0)
    discounts[discounts.size if cutoff is None else cutoff :] = 0.0
    ideal = np.concatenate([[0.0], np.cumsum(discounts)])
    judged = [int((grades >= grade).sum()) for grade in range(top, 0, -1)]
    ratio = ours - theirs
    numerator = ratio * sum(float(ideal[n]) for n in judged)
    while True:
        above, below = np.zeros(won.size), np.zeros(won.size)
        for n in judged:
            value = above - ratio * below
            at = np.maximum.accumulate(np.where(value == np.maximum.accumulate(value), places, 0))
            above, below = above[at] + won, below[at] + ideal[n + places]
        best = int(np.argmax(above - ratio * below))
        better = (numerator + above[best]) / below[best] if below[best] else 0.0
        if better <= ratio + ROUNDING:
            return max(ratio, better)
        ratio = better


Pair: TypeAlias = tuple[Scores, Scores] | tuple[SystemScore, SystemScore]
"""A system's scores and those of its baseline."""


def against_baseline(
    evaluation: Evaluation,
    systems: Sequence[System],
    measures: Sequence[MeasureSpec],
    baselines: Sequence[str],
    *,
    only: str = "",
    judged_by: str = "",
    table: Mapping[str, Factors] | None = None,
    seed: int = 0,
) -> tuple[tuple[Comparison, ...], tuple[tuple[Scores, Scores], ...], tuple[Note, ...]]:
    """Each system minus a baseline, measure by measure, with what unjudged documents could change of it.

    Args:
        evaluation: Of the systems.
        systems: What was measured.
        measures: By which.
        baselines: Names of what the others are compared with: one, or that of runs and that of outputs.
        only: The one system that is compared; empty: all others.
        judged_by: Generator by whose labels both are judged; empty: by any.
        table: What a table says of systems.
        seed: Of the bootstrap.

    Returns:
        A row per measure and system, p corrected over all of them; scores that were compared and have values of
        queries; notes on systems that were left out.

    Raises:
        UndefinedError: The baseline has none of the measures, or no query with a value in common with any system.
    """
    recorded = factors_recorded(systems, table or {})
    pairs: list[Pair] = []
    left_out: list[Note] = []
    for baseline in baselines:
        made = recorded[baseline]
        others = {name: of for name, of in recorded.items() if _task(of) != _task(made)}
        if len(baselines) == 1:
            left_out += (
                Note(name, None, f"left out: of {_named(factors)}, the baseline is of {_named(made)}")
                for name, factors in others.items()
                if only in ("", name)
            )
        without = {*others, *baselines, *(name for name in recorded if only not in ("", name))}
        pairs += score_pairs(evaluation, baseline, without, judged_by, may_lack=len(baselines) > 1)
    rows = compare_all(pairs, seed=seed)
    who = " and ".join(baselines)
    if not rows:
        raise UndefinedError(f"no system has a query with a value in common with {who}")
    lacking = [
        Note(ours.system, None, f"{ours.measure}: no query with a value in common with {theirs.system}: not compared")
        for ours, theirs in pairs
        if not any((row.system, row.measure) == (ours.system, ours.measure) for row in rows)
    ]
    of_queries = [(ours, theirs) for ours, theirs in pairs if isinstance(ours, Scores) and isinstance(theirs, Scores)]
    return bounded(rows, measures, evaluation.judged), tuple(of_queries), (*merged_notes(left_out), *lacking)


def every_two(
    evaluation: Evaluation, systems: Sequence[System], *, judged_by: str = "", table: Mapping[str, Factors], seed: int
) -> tuple[Comparison, ...]:
    """Every two systems of one task, measure by measure, the later minus the earlier; p is corrected over all of them.

    Args:
        evaluation: Of the systems.
        systems: What was measured.
        judged_by: Generator by whose labels both are judged; empty: by any.
        table: What a table says of systems.
        seed: Of the bootstrap.
    """
    recorded = factors_recorded(systems, table)
    names, pairs = list(recorded), list[Pair]()
    for at, name in enumerate(names):
        others = {other for other in names if _task(recorded[other]) != _task(recorded[name])}
        pairs += score_pairs(evaluation, name, {*names[:at], *others}, judged_by, may_lack=True)
    return compare_all(pairs, seed=seed)


def _task(factors: Factors) -> tuple[str | None, str | None]:
    """Within which systems are compared."""
    return factors.task, factors.dataset


def score_pairs(
    evaluation: Evaluation, baseline: str, left_out: set[str], judged_by: str = "", *, may_lack: bool = False
) -> list[Pair]:
    """Each system's scores with those of the baseline, measure by measure.

    Args:
        evaluation: Of all systems.
        baseline: Name of what the others are compared with.
        left_out: Systems that are not compared.
        judged_by: Generator by whose labels both are judged, where several judged them; empty: by any.
        may_lack: Whether the baseline may have none of the measures, since there is another.

    Raises:
        UndefinedError: The baseline has none of the measures.
    """
    apart = {
        name: (judged_system.system, judged_system.qrels.generator)
        for name, judged_system in labelled_apart(evaluation.judged).items()
    }
    placed = [(*apart.get(score.system, (score.system, None)), score) for score in evaluation.scores]
    reference = {(score.measure, labels): score for system, labels, score in placed if system == baseline}
    if not reference and not may_lack:
        why = next(
            (f": {n.message}" for n in evaluation.notes if n.message.startswith("left out") and baseline in str(n)), ""
        )
        raise UndefinedError(f"the baseline {baseline} has none of these measures{why}")
    pairs: list[Pair] = []
    for system, labels, score in placed:
        other = reference.get((score.measure, labels))
        if system == baseline or system in left_out or (judged_by and labels not in (None, judged_by)):
            continue
        if isinstance(score, Scores) and isinstance(other, Scores) and score.aggregate == "mean":
            pairs.append((score, other))
        if isinstance(score, SystemScore) and isinstance(other, SystemScore):
            pairs.append((score, other))
    return pairs


def _named(factors: Factors) -> str:
    named = [f"task {factors.task}" if factors.task else "", f"data set {factors.dataset}" if factors.dataset else ""]
    return ", ".join(filter(None, named)) or "no named task"
