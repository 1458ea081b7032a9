"""Scores of rankings, with the notes that a reader of them needs: queries that match, reasons without a value.

The target `population` is the distribution in each system's own pool, so that a system's value does not depend on the
company it is evaluated in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from fairviz.errors import UsageError
from fairviz.io.notes import NoteBook, Shown, literal
from fairviz.kernels.attention import Attention
from fairviz.kernels.exposure import run_exposure, sample_exposure
from fairviz.kernels.grouping import UNLABELLED, Membership, Missing, Preset, membership, target_shares, with_unlabelled
from fairviz.kernels.pool import Members, Queries, cut_lists, moved, pool, ranked_lists
from fairviz.metrics.catalogue import CATALOGUE, is_judged, reads_groups
from fairviz.metrics.describe import Need, Options, missing_words
from fairviz.metrics.effectiveness import standard_values
from fairviz.metrics.exposure_measures import (
    ExposureEvidence,
    ExposureMeasure,
    exposure_by_group,
    exposure_evidence,
    exposure_values,
)
from fairviz.metrics.fair import group_aspects, subtopic_aspects
from fairviz.metrics.group_exposure import OfMeans, Statistic
from fairviz.metrics.group_measures import GroupEvidence, GroupMeasure, OfSystem, negative_scores
from fairviz.metrics.own import OwnMeasure, own_values
from fairviz.metrics.popularity import OF_ITEMS, OF_TOTALS, OfTotals, PopularityEvidence, PopularityMeasure
from fairviz.metrics.standard import needs_subtopics
from fairviz.model import (
    BoolArray,
    Exposure,
    FloatArray,
    GroupLabels,
    IntArray,
    MeasureSpec,
    Note,
    ParamValue,
    Pools,
    Qrels,
    RankingSample,
    Run,
    Scores,
    SystemScore,
    Target,
)
from fairviz.numerals import plural

# Queries that a system and its judgements share.


def query_notes(ranked: Run | RankingSample, qrels: Qrels) -> list[Note]:
    """Judged queries that were not ranked, and ranked ones that were not judged."""
    ends = ranked.query_rows
    sizes: list[int] = np.diff(ends).tolist()
    ranked_queries = {query: None for query, n in zip(ranked.query_ids, sizes, strict=True) if n}
    judged = set(qrels.query_ids)
    missing = [query for query in qrels.query_ids if query not in ranked_queries]
    unjudged = [query for query in ranked_queries if query not in judged]
    mismatches = ((missing, "judged but not ranked"), (unjudged, "ranked but not judged: left out"))
    return [Note(ranked.system, None, f"{named(ids)} {what}") for ids, what in mismatches if ids]


def tally_short_lists(
    notes: NoteBook, ranked: Run | RankingSample, pools: Pools, cutoff: int | None, *, members: Members = "run+judged"
) -> None:
    """Note rankings that leave attention unused: shorter than min(k, n), without k than n; ``members`` are the n."""
    full_length = pools.sizes if cutoff is None else np.minimum(pools.sizes, cutoff)
    n = int(((pools.n_retrieved > 0) & (_shortest_lists(ranked, pools) < full_length)).sum())
    length = "the pool" if cutoff is None else f"min(k, n) at k = {cutoff}"
    unused = "exposure stays unused and values may lie outside [0, 1]"
    notes.tally(f"{{queries}} ranked shorter than {length}: {unused}", n, kind=f"short {members} {cutoff}")


def named(query_ids: Sequence[str], limit: int = 3) -> str:
    """How many queries, and the first of them.

    Examples:
        >>> named(["q1", "q2", "q3", "q4"])
        '4 queries (q1, q2, q3, …)'
    """
    n = len(query_ids)
    listed = [*query_ids[:limit], "…"] if n > limit else query_ids
    return f"{plural(n, 'query', 'queries')} ({', '.join(listed)})"


def _shortest_lists(ranked: Run | RankingSample, pools: Pools) -> FloatArray:
    """(Q) items in the shortest ranking of each query of the pools; NaN where a sample has none."""
    if isinstance(ranked, Run):
        return pools.n_retrieved.astype(np.float64)
    lengths = np.diff(ranked.sample_offsets)
    shortest = [lengths[start:end].min(initial=lengths.max(initial=0)) for start, end in pairwise(ranked.query_offsets)]
    return moved(np.array(shortest, dtype=np.float64), ranked.query_ids, pools.query_ids)


# Why a group measure has no value.


def why_undefined(measure: GroupMeasure, evidence: GroupEvidence, params: Mapping[str, ParamValue]) -> str:
    """The first reason that applies to all queries."""
    judged = measure.relevance and "qrels" in measure.needed(params)
    labelled = evidence.weights.sum()
    useful = (evidence.members.weights * evidence.pools.gains[:, None]).sum(axis=0)
    without = [g for g, n in zip(evidence.members.groups, useful.tolist(), strict=True) if n == 0]
    no_target = evidence.shares is not None and bool(np.isnan(evidence.shares).any(axis=1).all())
    reasons = (
        (not evidence.lists.rows.size, "nothing was ranked"),
        (not evidence.base[0].any(), "the attribute applies to no ranked document"),
        (labelled == 0, "no ranked document has a label"),
        (no_target, "the target has no value for any query"),
        (judged and not evidence.pools.gains.any(), "nothing is judged useful"),
        (judged and useful.sum() == 0, "no document is both labelled and judged useful"),
        (judged and bool(without), f"no labelled document of {', '.join(without)} is judged useful"),
        (
            measure.target == "the full ranking",
            "lists of labelled documents are shorter than the step, of one group, or too varied",
        ),
        (measure.name == "PAIR", "no list has a pair of documents to compare"),
        (params.get("utility") == "score", "no query has scores that shares can be taken of"),
    )
    return next((words for holds, words in reasons if holds), "no query has a value")


# Scores.


SMOOTHED = "finite through eps alone: a side has no exposure"


class Refusal(NamedTuple):
    """A measure that these data do not allow, and why.

    Attributes:
        system, measure: Of what.
        reason: Why.
        fix: What a command is to be given, where something is missing.
    """

    system: str
    measure: str
    reason: str
    fix: str = ""


OUTSIDE = 1e-9
"""Values beyond [0, 1] by less than this are rounding."""

NO_JUDGEMENTS = "no judgements: the candidates of EE-D are the items of the run, its queries those that were ranked"


@dataclass(slots=True)
class RankingScorer:
    """Measures of one system's rankings, of all of its queries or of a range of them.

    Attributes:
        ranked: The system.
        qrels: Judgements; None where no measure needs them.
        labels: Groups of documents, for measures of groups.
        target: Shares of attention, by hand or set by the data.
        popularity: How often each document was chosen; None: how many of the ranked queries find it useful.
        book: What people should know of the queries scored so far; those on groups last. Of several ranges its counts
            add up; :func:`scored_notes` has what is known of all queries alone.
    """

    ranked: Run | RankingSample
    qrels: Qrels | None
    labels: GroupLabels | None = None
    target: Target | Preset | None = None
    popularity: Mapping[str, float] | None = None
    book: NoteBook = field(init=False)
    _pools: dict[tuple[Members, Queries], Pools] = field(default_factory=dict[tuple[Members, Queries], Pools])
    _exposures: dict[object, ExposureEvidence] = field(default_factory=dict[object, ExposureEvidence])
    _groups: dict[object, GroupEvidence] = field(default_factory=dict[object, GroupEvidence])

    def __post_init__(self) -> None:
        self.book = NoteBook(self.ranked.system)

    def scores(
        self, specs: Sequence[MeasureSpec], *, refuse: bool = True
    ) -> tuple[list[Scores | SystemScore], list[Refusal]]:
        """Scores in the order of the measures.

        Args:
            specs: Measures of rankings.
            refuse: Whether a measure that the data do not allow is an error; otherwise it is
                among the refusals, with the reason.

        Raises:
            UsageError: With ``refuse``.
        """
        refused = {i: refusal for i, spec in enumerate(specs) if (refusal := self._lacking(spec))}
        if refused and refuse:
            first = next(iter(refused.values()))
            raise UsageError(f"{first.measure}: {first.reason}: {first.fix}")
        standard = [i for i, spec in enumerate(specs) if spec.name not in CATALOGUE and i not in refused]
        scores: dict[int, Scores | SystemScore] = {}
        if standard and self.qrels is not None:
            values = standard_values(self.ranked, self.qrels, [specs[i] for i in standard], self.pools())
            scores.update(zip(standard, values, strict=True))
        rest = {*range(len(specs))} - {*standard, *refused}
        for i in sorted(rest, key=lambda i: (reads_groups(specs[i]), i)):
            try:
                measure = CATALOGUE[specs[i].name]
                if isinstance(measure, GroupMeasure):
                    scores[i] = self._of_groups(measure, specs[i])
                elif isinstance(measure, PopularityMeasure):
                    scores[i] = self._popularity(measure, specs[i])
                elif isinstance(measure, OwnMeasure):
                    scores[i] = self._own(measure, specs[i])
                else:
                    scores[i] = self._exposure(cast("ExposureMeasure", measure), specs[i])
            except UsageError as error:
                if refuse:
                    raise
                name = specs[i].shown
                refused[i] = Refusal(self.ranked.system, name, str(error))
        return [scores[i] for i in sorted(scores)], [refused[i] for i in sorted(refused)]

    def _lacking(self, spec: MeasureSpec) -> Refusal | None:
        """The refusal of a measure that needs what is not there."""
        available: dict[Need, bool] = {
            "rankings": True,
            "outputs": True,  # measures of outputs are refused as such
            "qrels": self.qrels is not None,
            "popularity": self.qrels is not None or self.popularity is not None,
            "groups": self.labels is not None,
            "target": self.target is not None,
            "scores": isinstance(self.ranked, Run) and not np.isnan(self.ranked.scores).any(),
        }
        measure = CATALOGUE.get(spec.name)
        needed: tuple[Need, ...] = ("rankings", "qrels") if measure is None else measure.needed(spec.params)
        missing: list[Need] = [need for need in needed if not available.get(need)]
        return Refusal(self.ranked.system, spec.shown, *missing_words(missing)) if missing else None

    def _exposure(self, measure: ExposureMeasure, spec: MeasureSpec) -> Scores | SystemScore:
        params, cutoff = measure.check(spec.params, spec.cutoff)
        options: Options = measure.with_defaults(params)
        evidence = self._exposure_evidence(options, cutoff)
        pools = evidence.pools
        if options["by"] == "group":
            if spec.params.get("norm", "none") != "none":
                raise UsageError(f"{spec.shown}: by='group' has norm='none' only")
            of_means = exposure_by_group(measure.part, evidence, self._members(pools, options["missing"]))
            return self._combined(spec.shown, pools, of_means, whole=options["over"] == "system")
        values = exposure_values(measure, evidence, options, cutoff)
        for name, beside in measure.idle(params).items():
            self._note(spec.text, f"{name} has no effect, it goes with {beside}")
        if options["norm"] != "none":
            outside = int(((values < -OUTSIDE) | (values > 1 + OUTSIDE)).sum())
            self._note(spec.text, "{queries} with a value outside [0, 1], not clipped", outside)
        if options["estimate"] == "unbiased" and measure.part != "relevance":
            n = len(self.ranked.query_ids)
            single = n if isinstance(self.ranked, Run) else int((self.ranked.n_samples < 2).sum())
            self._note(spec.text, "undefined, the estimate needs two rankings per query", single, n, shown="all")
        if self.qrels is None and options["pool"] == "run+judged":
            self.book.tally(NO_JUDGEMENTS)
        if cutoff is not None:
            members: Members = "run" if options["pool"] == "run" else "run+judged"
            tally_short_lists(self.book, self.ranked, pools, cutoff, members=members)
        return self._scores(spec.shown, pools.query_ids, values, pools.n_retrieved == 0)

    def _popularity(self, measure: PopularityMeasure, spec: MeasureSpec) -> Scores | SystemScore:
        params, cutoff = measure.check(spec.params, spec.cutoff)
        pools = self.pools()
        evidence = PopularityEvidence(pools=pools, shown=self._attended(pools, cutoff), counts=self.popularity)
        if self.popularity is not None:
            n_counted, n_items = evidence.n_counted
            words = "{n} of {of} candidates stand in no row of the table of popularity: nobody chose them"
            self.book.tally(words, n_items - n_counted, n_items)
        if combine := OF_TOTALS.get(measure.name):
            return self._system_score(spec.shown, pools, OfTotals(evidence, combine))
        values = evidence.over_lists(OF_ITEMS[measure.name](evidence, measure.with_defaults(params)))
        scores = self._scores(spec.shown, pools.query_ids, values, pools.n_retrieved == 0)
        if np.isnan(values).all() and not evidence.popularity.any():
            why = "nothing is judged useful" if self.popularity is None else "no document was ever chosen"
            return replace(scores, flags={**scores.flags, "undefined": why})
        return scores

    def _own(self, measure: OwnMeasure, spec: MeasureSpec) -> Scores:
        """A measure of somebody's own.

        Raises:
            UsageError: Its function fails, or returns no number.
        """
        params, cutoff = measure.check(spec.params, spec.cutoff)
        pools = self.pools(queries="judged" if measure.is_judged(params) else "ranked")
        beside: dict[str, Any] = {"k": cutoff}
        if "exposure" in measure.reads:
            beside["exposure"] = self._attended(pools, cutoff)
        if "groups" in measure.needs:
            members = self._members(pools, "drop")
            beside["groups"] = members.weights
            if "target" in measure.reads:
                beside["target"] = self._shares(members, pools)
        lists = cut_lists(ranked_lists(self.ranked, pools), cutoff)
        values = own_values(measure, pools, lists, measure.with_defaults(params), beside)
        return self._scores(spec.shown, pools.query_ids, values, pools.n_retrieved == 0)

    def _attended(self, pools: Pools, cutoff: int | None) -> Exposure:
        """(M) attention on the first k ranks alike, without k falling with the logarithm of the rank."""
        attention = Attention("dcg" if cutoff is None else "topk", cutoff=cutoff)
        if isinstance(self.ranked, RankingSample):
            return sample_exposure(self.ranked, pools, attention).exposure
        return run_exposure(pools, attention)

    def _exposure_evidence(self, options: Options, cutoff: int | None) -> ExposureEvidence:
        """Exposures, computed once for measures that differ in norm or estimate only."""
        shared = {**options, "norm": options["norm"] == "expeval"}
        shared |= dict.fromkeys(("estimate", "by", "over", "missing"))
        key = (*shared.items(), cutoff)
        if key not in self._exposures:
            pools = self.pools(options["pool"])
            largest = self.largest_grade
            self._exposures[key] = exposure_evidence(self.ranked, pools, options, cutoff, largest_grade=largest)
        return self._exposures[key]

    @property
    def largest_grade(self) -> int:
        """The largest grade of all judgements; 0 where there are none."""
        return 0 if self.qrels is None else self.qrels.largest_grade

    def pools(self, members: Members = "run+judged", queries: Queries = "judged") -> Pools:
        """The system's rankings aligned with the judgements, once for all measures."""
        if (members, queries) not in self._pools:
            self._pools[members, queries] = pool(self.ranked, self.qrels, members=members, queries=queries)
        return self._pools[members, queries]

    def _note(self, measure: str, message: str, n: int = 1, of: int = 0, shown: Shown = "any") -> None:
        """Tally what holds of ``n`` queries or rankings under a measure."""
        self.book.tally(f"{literal(measure)}: {message}", n, of, shown=shown)

    def _scores(
        self, measure: str, query_ids: tuple[str, ...], values: FloatArray, unranked: BoolArray, **more: Any
    ) -> Scores:
        """Values of the queries; ``unranked`` are those that have no ranking."""
        return Scores(
            system=self.ranked.system,
            measure=measure,
            query_ids=query_ids,
            values=values,
            unranked=unranked if unranked.any() else None,
            **more,
        )

    def _of_groups(self, measure: GroupMeasure, spec: MeasureSpec) -> Scores | SystemScore:
        """One measure.

        Raises:
            UsageError: What it needs was not given, or these labels do not allow it.
        """
        params, cutoff = measure.check(spec.params, spec.cutoff)
        options = measure.with_defaults(params)
        shown = spec.shown
        try:
            evidence = self._group_evidence(measure, options, cutoff)
            if options.get("over") == "system" or measure.of_rankings is None:
                statistic = cast("OfSystem", measure.of_system)(evidence, options)
                scores = self._combined(shown, evidence.pools, statistic, whole=options["over"] == "system")
            else:
                of_rankings = measure.of_rankings(evidence, options)
                values = evidence.query_means(of_rankings)
                # Say how many rankings say nothing where others of their query do.
                n = int(np.count_nonzero(np.isnan(of_rankings) & ~np.isnan(values[evidence.lists.queries])))
                rest = "rankings have no value, the mean of their query is over the others"
                self._note(shown, f"{{n}} of {{of}} {rest}", n, of_rankings.size)
                if measure.above:
                    n = int((values > measure.range[1] + OUTSIDE).sum())
                    words = f"above {measure.range[1]:g}, not clipped: {literal(measure.above)}"
                    self._note(shown, f"{{queries}} {words}", n)
                kind = options.get("aggregate", "mean")
                kind = kind if kind in ("min", "max") else "mean"
                pools = evidence.pools
                scores = self._scores(shown, pools.query_ids, values, pools.n_retrieved == 0, aggregate=kind)
        except UsageError as refusal:
            raise UsageError(f"{shown}: {refusal}") from None
        for name, beside in measure.idle(params).items():
            self._note(shown, f"{name} has no effect, it goes with {beside}")
        if options.get("utility") == "score" and options.get("scale") == "shares":
            lacks = "negative scores have no shares (scale='minmax' takes them)"
            self._note(shown, f"{{queries}} undefined, {lacks}", int(negative_scores(evidence).sum()))
        if measure.binomial or "group" in {parameter.name for parameter in measure.parameters}:
            needs_one = options.get("distance") in (None, "absdiff", "ND", "RD")
            if "group" not in options and len(evidence.members.groups) == 2 and needs_one:
                group = evidence.members.groups[evidence.protected(options)]
                is_even = np.ptp(evidence.members.corpus[:2]) == 0
                which = "the second of two of one size" if is_even else "the smaller one"
                self._note(shown, f"the protected group is {literal(group)}, {which} (group=… names it)")
        if np.isnan(scores.value):
            flags = {**scores.flags, "undefined": why_undefined(measure, evidence, params)}
            return replace(scores, flags=flags)
        return scores

    def _combined(self, shown: str, pools: Pools, statistic: Statistic, *, whole: bool) -> Scores | SystemScore:
        if whole:
            return self._system_score(shown, pools, statistic)
        smoothed = statistic.n_smoothed() if isinstance(statistic, OfMeans) else 0
        self._note(shown, f"{{queries}} {SMOOTHED}", smoothed)
        flags = {"n_smoothed": smoothed}
        return self._scores(shown, pools.query_ids, statistic.per_query(), pools.n_retrieved == 0, flags=flags)

    def _system_score(self, shown: str, pools: Pools, statistic: Statistic | OfTotals) -> SystemScore:
        return SystemScore(
            system=self.ranked.system,
            measure=shown,
            query_ids=pools.query_ids,
            defined=statistic.defined,
            statistic=statistic,
        )

    def _group_evidence(self, measure: GroupMeasure, options: Options, cutoff: int | None) -> GroupEvidence:
        """Alignment and target, computed once for measures that share them."""
        queries: Queries = "judged" if measure.is_judged(options) else "ranked"
        missing = options.get("missing", "drop")
        key = (queries, missing, cutoff)
        if key not in self._groups:
            pools = self.pools(queries=queries)
            members = self._members(pools, missing)
            whole = ranked_lists(self.ranked, pools)
            lists = cut_lists(whole, cutoff)
            self._note_labels(members, lists.rows, kind=str(key))
            judged = None if self.qrels is None or self.qrels.subtopics is None else self.qrels
            self._groups[key] = GroupEvidence(
                pools=pools,
                members=members,
                lists=lists,
                whole=whole,
                cutoff=cutoff,
                shares=self._shares(members, pools),
                aspects=group_aspects(pools, members) if judged is None else subtopic_aspects(pools, judged),
                largest_grade=self.largest_grade,
            )
        return self._groups[key]

    def _members(self, pools: Pools, missing: Missing) -> Membership:
        by_hand = self.target if isinstance(self.target, Target) else None
        members = membership(pools, cast("GroupLabels", self.labels), by_hand)
        return with_unlabelled(members) if missing == "group" else members

    def _shares(self, members: Membership, pools: Pools) -> FloatArray | None:
        if self.target is None:
            return None
        if self.target == "relevance" and self.qrels is None:
            raise UsageError("the target 'relevance' needs judgements: give --qrels FILE")
        if isinstance(self.target, Target):
            without = [group for group in members.groups if group not in self.target.groups]
            if without:
                self.book.tally(f"the target gives no share to {literal(', '.join(without))}: taken as 0")
            labelled_groups = (*cast("GroupLabels", self.labels).groups, UNLABELLED)
            empty = [g for g in self.target.groups if g not in labelled_groups]
            if empty:
                self.book.tally(f"no label names {literal(', '.join(empty))}, which the target gives a share")
        return target_shares(self.target, members, pools)

    def _note_labels(self, members: Membership, rows: IntArray, *, kind: str) -> None:
        """Tally ranked places without a group; ``kind`` tells measures of other ranks or queries apart."""
        outside = int(np.count_nonzero(members.not_applicable[rows]))
        whole = "{n} of {of} ranked places hold documents"
        rest = "to which the attribute does not apply: they count in no share"
        self.book.tally(f"{whole} {rest}", outside, rows.size, kind=f"outside {kind}")
        if UNLABELLED not in members.groups:
            without = int(np.count_nonzero(members.weights[rows].sum(axis=1) <= 0)) - outside
            labels = f"{whole} without a label"
            self.book.tally(labels, without, rows.size - outside, kind=f"labels {kind}", shown="many")


def scored_notes(
    ranked: Run | RankingSample,
    qrels: Qrels | None,
    specs: Sequence[MeasureSpec],
    scores: Sequence[Scores | SystemScore],
    book: NoteBook,
) -> list[Note]:
    """What people should know of one system's scores: queries that do not match come first, undefined measures last.

    Args:
        ranked: The system; of its rows nothing is read.
        qrels: Judgements.
        specs: Measures.
        scores: Of all of its queries.
        book: What was noted of them.
    """
    notes = query_notes(ranked, qrels) if qrels is not None and any(map(is_judged, specs)) else []
    valued = {score.measure: score for score in scores}
    standard = [spec for spec in specs if spec.name not in CATALOGUE and spec.shown in valued]
    zero: dict[int, list[str]] = {}
    for spec in standard:
        zero.setdefault(int(valued[spec.shown].flags["n_zero_by_rule"]), []).append(spec.shown)
    without = (spec.text for spec in standard if needs_subtopics(spec) and qrels and qrels.subtopics is None)
    words = [f"{text}: the judgements have no subtopics, it counts one" for text in without]
    words += [
        f"{plural(n, 'query', 'queries')} without anything relevant: 0 in {', '.join(dict.fromkeys(measures))}, "
        "by ir-measures' rule"
        for n, measures in zero.items()
        if n
    ]
    undefined = [f"{each.measure}: undefined, {why}" for each in scores if (why := each.flags.get("undefined"))]
    named_all = (Note(ranked.system, None, message) for message in words)
    last = (Note(ranked.system, None, message) for message in undefined)
    return list(dict.fromkeys([*notes, *named_all, *book.collected, *last]))
