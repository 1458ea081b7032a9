"""Systems × measures to scores per query, and to one tidy frame."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.display.methods import AgainstTarget
from fairviz.display.words import listing, number, plural
from fairviz.errors import InputError, UsageError
from fairviz.evaluation.coverage import families, on_own_queries
from fairviz.evaluation.outputs import AnswerUtilities, OutputScorer, References
from fairviz.evaluation.ranges import Measured, by_range, joined_scores
from fairviz.evaluation.rankings import RankingScorer, Refusal, scored_notes
from fairviz.evaluation.systems import (
    Judged,
    LeftOut,
    Pairing,
    Ranked,
    by_task,
    joined,
    labelled,
    labelled_apart,
    left_out,
    merged_notes,
    named_outputs,
    pairings,
    ranked_and_answered,
)
from fairviz.io.stored import Stored
from fairviz.kernels.grouping import Preset
from fairviz.metrics.catalogue import CATALOGUE, is_judged, parse_measure, parse_measures, reads_groups
from fairviz.metrics.effectiveness import KERNELS
from fairviz.metrics.standard import registry
from fairviz.model import (
    Dataset,
    Factors,
    GroupLabels,
    MeasureSpec,
    Note,
    Pools,
    Qrels,
    RagOutputs,
    RankingSample,
    Resamples,
    Run,
    Scores,
    SystemScore,
    Target,
    candidates_words,
    factors_of,
    with_sources,
)
from fairviz.model.arrays import IntArray, segment_ids
from fairviz.stats.bootstrap import UNDEFINED, Interval, bootstrap_intervals, data_and_resamples, interval_of
from fairviz.stats.tests import ROUNDING
from fairviz.steps import expect, step

# How far the order of documents with tied scores could move a value.
#
# Trec_eval's order of ties, by document id, is arbitrary; that of a run's ranks is not, where these decide. Where
# moving an item of a higher grade up never changes a value but one way, every tie sorted by grade gives one end over
# all orders, sorted the other way the other: exact, query by query, and so of their mean. Measures of groups, of
# unjudged documents and of disparity have no such order, and no band.


SORTED_BY_GRADE = {
    **dict.fromkeys((*KERNELS, "RBP"), frozenset({"rel", "p"})),
    **dict.fromkeys(("EER", "EEL"), frozenset({"norm", "gain", "rel", "pool", "p", "gamma", "browsing"})),
}
"""Measures whose ends over all orders sorting by grade finds, and with which parameters."""


def with_tie_bands(
    scores: Sequence[Scores | SystemScore], specs: Sequence[MeasureSpec], scorer: RankingScorer
) -> list[Scores | SystemScore]:
    """The scores of a run, with the band over all orders of its tied documents where that changes a value.

    Args:
        scores: Of a system.
        specs: Measures; those without a score are passed over.
        scorer: What scored it; a sample, and a run without judgements, has no bands.
    """
    run, qrels = scorer.ranked, scorer.qrels
    if not isinstance(run, Run) or qrels is None:
        return list(scores)
    by_measure = {score.measure: score for score in scores}
    able = [spec for spec in specs if spec.shown in by_measure and _is_sorted_by_grade(spec)]
    orders = _sorted_ties(run, scorer.pools()) if able and run.ties == "id" else ()
    if not orders:
        return list(scores)
    ends = [
        [each for each in RankingScorer(order, qrels).scores(able)[0] if isinstance(each, Scores)] for order in orders
    ]
    for best, worst in zip(*ends, strict=True):
        score = by_measure[best.measure]
        band = np.sort([best.values, worst.values], axis=0)
        if isinstance(score, Scores) and (band[1] - band[0] > ROUNDING).any():
            in_orders = np.isin(score.query_ids, orders[0].query_ids)
            by_measure[best.measure] = replace(score, tied=np.where(in_orders, band, score.values))
    return [by_measure[score.measure] for score in scores]


def tie_notes(system: str, scores: Sequence[Scores | SystemScore]) -> list[Note]:
    """One note on the bands that a reader can see."""
    parts: list[str] = []
    for score in scores:
        if isinstance(score, Scores) and score.tie_band:
            low, high = map(number, score.tie_band)
            parts += [f"{score.measure} from {low} to {high}"] if low != high else []
    return [Note(system, None, f"tied scores: {', '.join(parts)} over all orders")] if parts else []


def _is_sorted_by_grade(spec: MeasureSpec) -> bool:
    """Whether sorting by grade finds the ends of this measure with these parameters."""
    params = SORTED_BY_GRADE.get(spec.name if spec.name in CATALOGUE else registry()[spec.name].NAME)
    able = params is not None and set(spec.params) <= params
    return able and spec.params.get("rel") != 0 and spec.params.get("browsing") != "cascade"


def _sorted_ties(run: Run, pools: Pools) -> tuple[Run, ...]:
    """The judged queries where documents of different gains are tied, each tie by grade, falling, then rising.

    None where there is no such query.
    """
    shown = ~np.isnan(pools.scores)
    queries, scores, gains = segment_ids(pools.offsets)[shown], pools.scores[shown], pools.gains[shown]
    tied = (queries[1:] == queries[:-1]) & (scores[1:] == scores[:-1])
    kept: IntArray = np.unique(queries[1:][tied & (gains[1:] != gains[:-1])])
    ids: list[int] = kept.tolist()
    if not kept.size:
        return ()
    block = np.cumsum(np.concatenate([[True], ~tied]))
    rows = np.isin(queries, kept)
    docs = pools.docs[shown][rows]
    return tuple(
        Run(
            system=run.system,
            query_ids=tuple(pools.query_ids[query] for query in ids),
            doc_ids=pools.doc_ids,
            offsets=np.concatenate([[0], np.cumsum(pools.n_retrieved[kept])]),
            docs=docs[np.lexsort((sign * gains[rows], block[rows]))],
            scores=scores[rows],
        )
        for sign in (-1, 1)
    )


System: TypeAlias = Run | RankingSample | RagOutputs
MissingQueries: TypeAlias = Literal["common", "zero"]
"""A judged query that a system does not rank is in no mean of its table, or 0 in measures of ir-measures."""

RESULT_COLUMNS = ("system", "measure", "value", "n_queries", "n_undefined", "low", "high")
TIE_COLUMNS = ("tied_low", "tied_high")
"""Ends of a value over all orders of tied documents, where there are any."""


class Evaluation(NamedTuple):
    """What evaluating gives.

    Attributes:
        scores: Per query, or one of the whole system, in the order of systems, then measures; a
            system has no scores of a measure of the other kind (outputs have no nDCG).
        notes: What a reader of the numbers should know; ``file`` is the system's name.
        refused: Measures that these data do not allow, where these are no error.
        judged: What rankings were judged by.
        missing: What became of judged queries that a system does not rank.
    """

    scores: tuple[Scores | SystemScore, ...]
    notes: tuple[Note, ...]
    refused: tuple[Refusal, ...] = ()
    judged: tuple[Judged, ...] = ()
    missing: MissingQueries = "common"

    @property
    def averaged(self) -> tuple[Scores | SystemScore, ...]:
        """The scores as tables average them: over the queries that all systems of a measure rank or answer.

        Systems without a common query, directly or through others, do not narrow each other; those that share some two
        by two alone keep their own, as their curves do.
        """
        scores = list(self.scores)
        for places, common in _families(self) if self.missing == "common" else ():
            for index in places:
                if common and len(common) < scores[index].ranked.sum():
                    scores[index] = scores[index].among(common)
        return tuple(scores)

    @property
    def over(self) -> str:
        """Which queries :attr:`averaged` is over, in words."""
        if self.missing == "zero":
            return "Means over judged queries; one that is not ranked counts 0 in measures of ir-measures"
        counts: dict[str, set[int]] = {}
        own: dict[str, None] = {}
        for places, common in _families(self):
            n = len({self.scores[index].system for index in places})
            if not common:
                own[f"each system's own queries, none being common to all {n}"] = None
                continue
            does = "answer" if reads(parse_measure(self.scores[places[0]].measure), "outputs") else "rank"
            who = f"the system {does}s" if n == 1 else f"{'both' if n == 2 else f'all {n}'} systems {does}"
            counts.setdefault(who, set()).add(len(common))
        parts = [
            f"the {f'{min(ns)}–' if len(ns) > 1 else ''}{plural(max(ns), 'query', 'queries')} that {who}"
            for who, ns in counts.items()
        ]
        parts += own
        return f"Means over {listing(parts)}" if parts else "Means over queries"


def _families(evaluation: Evaluation) -> list[tuple[list[int], frozenset[str]]]:
    """Places of scores of a measure and labels that share queries, and the queries that all of them have."""
    labels = {name: judged.labels for name, judged in labelled_apart(evaluation.judged).items()}
    alike: dict[tuple[str, str | None], list[int]] = {}
    for index, score in enumerate(evaluation.scores):
        alike.setdefault((score.measure, labels.get(score.system)), []).append(index)
    ranked: dict[object, frozenset[str]] = {}  # a table of 20 measures has few sets of queries
    made: list[tuple[list[int], frozenset[str]]] = []
    for places in alike.values():
        having: dict[frozenset[str], list[int]] = {}
        for index in places:
            scores = evaluation.scores[index]
            key = scores.query_ids, scores.ranked.tobytes()
            queries = ranked.get(key) or ranked.setdefault(key, frozenset(compress(scores.query_ids, scores.ranked)))
            having.setdefault(queries, []).append(index)
        for (first, *more), _ in families(having):
            made.append(([index for member in (first, *more) for index in having[member]], first.intersection(*more)))
    return made


def _own_queries_notes(evaluation: Evaluation) -> list[Note]:
    """A note on each system whose numbers are over its own queries: those beside it have none in common with all."""
    chained = sorted(index for indices, common in _families(evaluation) if not common for index in indices)
    own = {score.system: int(score.ranked.sum()) for score in (evaluation.scores[index] for index in chained)}
    return [on_own_queries(system, n) for system, n in own.items()]


def evaluate(
    systems: Sequence[System],
    measures: Sequence[MeasureSpec],
    *,
    qrels: Sequence[Qrels] = (),
    labels: GroupLabels | None = None,
    target: Target | Preset | None = None,
    references: References | None = None,
    popularity: Mapping[str, float] | None = None,
    pairs: Mapping[str, str] | None = None,
    refuse: bool = True,
    missing: MissingQueries = "common",
) -> Evaluation:
    """Measure systems.

    Queries that are scored: for rankings those of the judgements, where one that was not ranked is undefined; for
    measures of groups that need no judgements, and for EE-D where there are none, those that were ranked; for outputs
    those that have an output. :attr:`Evaluation.averaged` says which of them a table is over.

    Args:
        systems: Runs, samples of rankings and recorded outputs, in any order.
        measures: Parsed measures.
        qrels: Judgements; those of people are used for rankings, else those of the generator that
            a system's lists were given to: of several, or of all where that is not known, one after another, each
            under a name of its own (``judged`` says whose labels they are). A system that has no query in common
            with its judgements, or no labelled document, is left out of the measures that need them, with a note.
        labels: Groups of documents, for measures of groups.
        target: Shares of attention per group: by hand, or the name of one that the data set.
        references: Right answers per query, for string utilities.
        popularity: How often each document was chosen; None: how many queries find it useful.
        pairs: Name of an output system -> name of the run it was made from, or "recorded"; without,
            the only run, else the one whose lists hold what the outputs cite, with a note.
        refuse: Whether a measure that the data do not allow is an error, or listed as refused.
        missing: "common": a table is over the queries that all of its systems rank; "zero": a judged query that a
            system does not rank is 0 in measures of ir-measures, as trec_eval's ``-c`` has it.

    Raises:
        InputError: No system has a query in common with the judgements, or a labelled document.
        UsageError: A measure fits none of the systems, or what it needs was not given.
        UndefinedError: Nothing says which items an output was given.
    """
    systems = with_sources(systems, [system for system in systems if isinstance(system, Run)])
    rankings = [system for system in systems if not isinstance(system, RagOutputs)]
    outputs = [system for system in systems if isinstance(system, RagOutputs)]
    of_rankings = [spec for spec in measures if reads(spec, "rankings")]
    of_outputs = [spec for spec in measures if reads(spec, "outputs")]
    _refuse_unfit(of_rankings, rankings, "rankings: give RUN")
    _refuse_unfit(of_outputs, outputs, "recorded outputs: give --outputs FILE")
    output_pairings = pairings(outputs, rankings, pairs)
    fed_by = _generators_fed(outputs, output_pairings, rankings)
    reader = _RankingsReader(
        qrels=qrels,
        labels=labels,
        target=target,
        popularity=popularity,
        generators=fed_by,
        missing=missing,
        refuse=refuse,
    )
    reader.check(rankings, of_rankings)
    partners = {ranked.system: ranked for ranked in rankings}
    answers = AnswerUtilities(references)
    parts: list[Evaluation] = []
    expect(len(systems))
    fed = iter(output_pairings)
    for system in systems:
        if isinstance(system, RagOutputs):
            pairing = next(fed)
            answered = OutputScorer(system, outputs, partners.get(pairing.run or ""), answers, pairing)
            scores, refused = answered.scores(of_outputs, refuse=refuse)
            parts.append(Evaluation(tuple(scores), answered.book.collected, tuple(refused)))
        elif of_rankings:
            part = reader.measured(system, of_rankings)
            if isinstance(system, RankingSample) and any(spec.name in ("EED", "EER", "EEL") for spec in of_rankings):
                part = part._replace(notes=(*part.notes, Note(system.system, None, candidates_words(system))))
            parts.append(part)
        step()
    whole = _together(parts)
    if refuse:
        _refuse_empty(of_outputs, whole)
    notes, refused = merged_notes([*whole.notes, *_own_queries_notes(whole)]), () if refuse else whole.refused
    return Evaluation(whole.scores, tuple(notes), refused, reader.judged, missing)


def _generators_fed(
    outputs: Sequence[RagOutputs], output_pairings: Sequence[Pairing], rankings: Sequence[Run | RankingSample]
) -> dict[str, frozenset[str]]:
    """Generators whose outputs were made from each run, where both are known."""
    only = rankings[0].system if len(rankings) == 1 else None
    fed: dict[str, set[str]] = {}
    for recorded, pairing in zip(outputs, output_pairings, strict=True):
        run = pairing.run or only
        if run is not None and recorded.generator:
            fed.setdefault(run, set()).add(recorded.generator)
    return {run: frozenset(generators) for run, generators in fed.items()}


def evaluated(
    loaded: Dataset,
    measures: Sequence[str],
    against: AgainstTarget | None,
    *,
    refuse: bool = False,
    missing: MissingQueries = "common",
) -> Evaluation:
    """Every measure of every system that it fits.

    Args:
        loaded: The data.
        measures: Measure strings.
        against: Groups and target, for measures of groups.
        refuse: Whether a measure that the data do not allow is an error; else it is listed as refused.
        missing: What a judged query counts that a system does not rank.

    Raises:
        InputError: No system has a query in common with the judgements, or a labelled document.
        UsageError: A measure is not known, or what it needs was not given.
    """
    if not measures:
        return Evaluation((), ())
    systems = ranked_and_answered(loaded)
    called = {old.system: new.system for old, new in zip((*loaded.runs, *loaded.samples), systems, strict=False)}
    called |= {old.system: new.system for old, new in zip(loaded.outputs, named_outputs(loaded), strict=True)}
    return evaluate(
        systems,
        parse_measures(list(measures)),
        qrels=by_task(loaded.qrels, systems, loaded.systems or {}),
        references=loaded.references,
        popularity=loaded.popularity,
        pairs={called.get(output, output): called.get(run, run) for output, run in loaded.pairs},
        labels=None if against is None else against.labels(loaded),
        target=None if against is None else against.shares(loaded),
        refuse=refuse,
        missing=missing,
    )


def _counted(score: Scores | SystemScore, missing: MissingQueries) -> Scores | SystemScore:
    if isinstance(score, SystemScore) or score.unranked is None:
        return score
    if missing == "zero":
        return replace(score, unranked=None)
    return score.kept(score.ranked)


def _together(parts: Sequence[Evaluation]) -> Evaluation:
    """Scores, notes and refusals of several systems, or of one by several judgements, one after the other."""
    return Evaluation(
        tuple(score for part in parts for score in part.scores),
        tuple(note for part in parts for note in part.notes),
        tuple(refusal for part in parts for refusal in part.refused),
    )


def scored(
    scorer_of: Callable[[Run | RankingSample, Qrels | None], RankingScorer],
    specs: Sequence[MeasureSpec],
    refuse: bool,
    ranked: Ranked,
    qrels: Qrels | None,
) -> Measured[tuple[list[Scores | SystemScore], list[Refusal]]]:
    """Scores of one system's rankings in the order of the measures, and measures that the data do not allow.

    Args:
        scorer_of: Makes the scorer of rankings beside their judgements.
        specs: Measures of rankings.
        refuse: As :meth:`RankingScorer.scores`.
        ranked: The system; what is stored is measured range by range.
        qrels: Its judgements.
    """
    if not isinstance(ranked, Stored):
        scorer = scorer_of(ranked, qrels)
        scores, refused = scorer.scores(specs, refuse=refuse)
        return Measured((with_tie_bands(scores, specs, scorer), refused), scorer.book)
    parts, book, read = by_range(ranked, qrels, partial(scored, scorer_of, specs, refuse))
    without = {refusal.measure: refusal for _, refused in reversed(parts) for refusal in refused}
    whole: list[Scores | SystemScore] = []
    for spec in specs:
        if spec.shown in without:
            continue
        of_ranges = [score for values, _ in parts for score in values if score.measure == spec.shown]
        queries = ranked.query_ids if qrels is None or not is_judged(spec) else qrels.query_ids
        try:
            whole.append(joined_scores(of_ranges, queries, ranked.file))
        except UsageError as error:
            if refuse:
                raise
            without[spec.shown] = Refusal(ranked.system, spec.shown, str(error))
    return Measured((whole, [*without.values()]), book, read)


@dataclass(slots=True, kw_only=True)
class _RankingsReader:
    """Measures rankings, each against the judgements and groups that speak of it; leaves out by name.

    A system that joins no judgements keeps the measures that need none; one without groups those that need no groups.
    """

    qrels: Sequence[Qrels]
    labels: GroupLabels | None
    target: Target | Preset | None
    popularity: Mapping[str, float] | None
    generators: Mapping[str, Collection[str]]
    missing: MissingQueries
    refuse: bool
    unjudged: dict[str, LeftOut] = field(default_factory=dict[str, LeftOut])
    ungrouped: dict[str, LeftOut] = field(default_factory=dict[str, LeftOut])
    judged: tuple[Judged, ...] = ()

    def check(self, rankings: Sequence[Ranked], specs: Sequence[MeasureSpec]) -> None:
        """Find what joins.

        Raises:
            InputError: With ``refuse``, where nothing joins that a measure needs.
            UsageError: Judgements are missing, or not for these rankings.
        """
        needed = any(map(self._needs_judgements, specs))
        if rankings and self.qrels:  # without, what needs them is refused by its name
            try:
                self.judged, without = joined(rankings, self.qrels, self.generators)
            except (InputError, UsageError) as error:
                if self.refuse and needed:
                    raise
                without = tuple(left_out(ranked.system, error) for ranked in rankings)
            self.unjudged = {omission.system: omission for omission in without}
        if self.labels is not None and any(map(reads_groups, specs)):
            try:
                without = labelled(rankings, self.labels)
            except InputError as error:
                if self.refuse:
                    raise
                without = tuple(left_out(ranked.system, error) for ranked in rankings)
            self.ungrouped = {omission.system: omission for omission in without}

    def measured(self, ranked: Ranked, specs: Sequence[MeasureSpec]) -> Evaluation:
        """One system's values of the measures that its files allow, one after another where several judged it."""
        name = ranked.system
        judged = [each for each in self.judged if each.loaded is ranked]  # names may be equal
        if len(judged) < 2:
            return self._measured(ranked, name, judged[0].qrels if judged else None, specs)
        rest = [spec for spec in specs if not self._needs_judgements(spec)]
        parts = [self._measured(ranked, name, None, rest)] if rest else []
        reading = [spec for spec in specs if self._needs_judgements(spec)]
        for judged_system in judged if reading else ():
            part = self._measured(judged_system.ranked, name, judged_system.qrels, reading)
            notes = (
                replace(note, file=name, message=f"labels of {judged_system.labels}: {note.message}")
                for note in part.notes
            )
            refused = (refusal._replace(system=name) for refusal in part.refused)
            parts.append(part._replace(notes=tuple(notes), refused=tuple(refused)))
        return _together(parts)

    def _measured(
        self, ranked: Ranked, loaded_as: str, qrels: Qrels | None, specs: Sequence[MeasureSpec]
    ) -> Evaluation:
        name = ranked.system
        refused: list[Refusal] = []
        notes: list[Note] = []
        for skipped, applies in ((self.unjudged, self._needs_judgements), (self.ungrouped, reads_groups)):
            left = skipped.get(loaded_as)
            out = [spec for spec in specs if applies(spec)] if left else []
            if left and out:
                refused += [Refusal(name, spec.shown, left.why) for spec in out]
                notes.append(Note(name, None, f"left out of {', '.join(s.shown for s in out)}: {left.why}"))
                specs = [spec for spec in specs if spec not in out]
        scorer_of = partial(RankingScorer, labels=self.labels, target=self.target, popularity=self.popularity)
        (values, not_allowed), book, read = scored(scorer_of, specs, self.refuse, ranked, qrels)
        scores = [_counted(score, self.missing) for score in values]
        shown = notes if self.refuse else []  # else the refusals say it
        of_scores = (*scored_notes(ranked, qrels, specs, scores, book), *tie_notes(name, scores))
        return Evaluation(tuple(scores), (*shown, *read, *of_scores), (*refused, *not_allowed))

    def _needs_judgements(self, spec: MeasureSpec) -> bool:
        by_target = bool(self.qrels) and self.target == "relevance"  # without any, the scorer says so
        return is_judged(spec) or (by_target and reads_groups(spec))


def _refuse_empty(specs: Sequence[MeasureSpec], evaluation: Evaluation) -> None:
    """Refuse a measure of outputs that joined nothing, of any system."""
    without = {spec.shown for spec in specs} - {score.measure for score in evaluation.scores}
    for refusal in evaluation.refused:
        if refusal.measure in without:
            raise InputError(refusal.reason, file=refusal.system)


def score_intervals(scores: Sequence[Scores | SystemScore], *, seed: int) -> list[Interval]:
    """Bootstrap interval over queries of each score, which does not depend on the company it is in.

    Args:
        scores: Per query, or of whole systems.
        seed: Of the bootstrap; every score draws anew from it.
    """
    means = [score for score in scores if isinstance(score, Scores) and score.aggregate == "mean"]
    of_means = bootstrap_intervals([score.values for score in means], seed=seed)
    intervals = dict(zip(map(id, means), of_means, strict=True))
    drawn: dict[int, Resamples] = {}
    for score in scores:
        if isinstance(score, SystemScore):
            n = len(score.query_ids)
            if n not in drawn:
                drawn[n] = data_and_resamples(n, rng=np.random.default_rng(seed))
            intervals[id(score)] = interval_of(score.statistic(drawn[n]), int(score.defined.sum()))
    return [intervals.get(id(score), UNDEFINED) for score in scores]


def factors_recorded(systems: Sequence[System], table: Mapping[str, Factors]) -> dict[str, Factors]:
    """What each system is made of, as its table or else its file says."""
    return {system.system: table.get(system.system, Factors()).over(factors_of(system)) for system in systems}


def factors_of_scored(
    evaluation: Evaluation, systems: Sequence[System], table: Mapping[str, Factors]
) -> dict[str, Factors]:
    """Factors of each system that was measured, by the name of its rows: of the table, then as recorded.

    A system that several generators judged has rows for each of them, and their generator.
    """
    factors, apart = factors_recorded(systems, table), labelled_apart(evaluation.judged)
    return factors | {
        name: factors[system.system]._replace(generator=system.qrels.generator) for name, system in apart.items()
    }


def reads(spec: MeasureSpec, what: str) -> bool:
    """Whether a measure is one of rankings or one of outputs; ir-measures' are of rankings."""
    measure = CATALOGUE.get(spec.name)
    return what in measure.needs if measure else what == "rankings"


def _refuse_unfit(specs: Sequence[MeasureSpec], systems: Sequence[System], needed: str) -> None:
    if specs and not systems:
        raise UsageError(f"{specs[0].shown} needs {needed}")
