"""Group measures of one system while a person moves the target: the same numbers as ``evaluate``.

What the target does not touch is computed once: pools, groups, lists, and the resamples behind the
intervals. A move then costs the kernels that read the target, nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

import numpy as np

from fairviz.errors import UsageError
from fairviz.evaluation.evaluate import evaluate, score_intervals
from fairviz.evaluation.rankings import why_undefined
from fairviz.grouping import Missing, membership, target_shares, with_unlabelled
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.describe import GroupOptions, missing_words
from fairviz.metrics.fair import group_aspects, subtopic_aspects
from fairviz.metrics.group_evidence import GroupEvidence, GroupMeasure
from fairviz.metrics.spec import parse_measure
from fairviz.model import (
    FloatArray,
    GroupLabels,
    MeasureSpec,
    ParamValue,
    Qrels,
    RankingSample,
    Resamples,
    Run,
    Scores,
    SystemScore,
    Target,
)
from fairviz.pool import Queries, cut_lists, pool, ranked_lists
from fairviz.stats.bootstrap import (
    UNDEFINED,
    Interval,
    bootstrap_counts,
    data_and_resamples,
    interval_of,
    means_under,
    percentiles,
)


class MeasureValue(NamedTuple):
    """One measure of one system, as a table shows it.

    Attributes:
        measure: The measure string as typed.
        value: NaN = undefined.
        interval: 95 % bootstrap over queries; NaN where there is none.
        n_queries, n_undefined: Queries asked about, and those without a value.
        refused: Why these data do not allow it; empty where they do.
        why: Why no query has a value; empty where one has.
    """

    measure: str
    value: float
    interval: Interval
    n_queries: int
    n_undefined: int
    refused: str = ""
    why: str = ""


@dataclass(slots=True)
class TargetBench:
    """Everything that measures of one system need besides the target.

    Attributes:
        ranked: The system.
        qrels: Judgements, None for none.
        labels: Groups of documents.
        seed: Of the resamples.
    """

    ranked: Run | RankingSample
    qrels: Qrels | None
    labels: GroupLabels
    seed: int = 0
    _evidence: dict[object, GroupEvidence] = field(default_factory=dict[object, GroupEvidence])
    _counts: dict[object, Resamples] = field(default_factory=dict[object, Resamples])

    def values(self, specs: list[MeasureSpec], target: Target) -> list[MeasureValue]:
        """Measures under one target, in their order; what is not allowed carries the reason.

        Args:
            specs: Group measures; a measure of whole systems is one value, others one per query.
            target: One distribution for all queries.
        """
        shared: dict[object, GroupEvidence] = {}  # prefixes and such are shared under one target
        results = [self._one(spec, target, shared) for spec in specs]
        whys = [self._why(spec, result, shared) for spec, result in zip(specs, results, strict=True)]
        rows = [result.values for result in results if isinstance(result, Scores) and result.aggregate == "mean"]
        ends = iter(self._intervals(rows))
        return [
            result
            if isinstance(result, MeasureValue)
            else MeasureValue(
                result.measure,
                result.value,
                self._system_interval(result)
                if isinstance(result, SystemScore)
                else (next(ends) if result.aggregate == "mean" else UNDEFINED),
                result.n_queries,
                result.n_undefined,
                why=why,
            )
            for result, why in zip(results, whys, strict=True)
        ]

    def _why(
        self,
        spec: MeasureSpec,
        result: Scores | SystemScore | MeasureValue,
        shared: dict[object, GroupEvidence],
    ) -> str:
        measure = CATALOGUE[spec.name]
        if not np.isnan(result.value) or isinstance(result, MeasureValue) or not shared:
            return ""
        judged: Queries = "judged" if measure.is_judged(spec.params) else "ranked"
        evidence = next(e for key, e in shared.items() if isinstance(key, tuple) and judged in key)
        return why_undefined(measure, evidence, spec.params) if isinstance(measure, GroupMeasure) else ""

    def _one(
        self, spec: MeasureSpec, target: Target, shared: dict[object, GroupEvidence]
    ) -> Scores | SystemScore | MeasureValue:
        name = spec.text or spec.name
        measure = CATALOGUE[spec.name]
        if not isinstance(measure, GroupMeasure):
            raise UsageError(f"{name} is no measure of groups")
        params, cutoff = measure.check(spec.params, spec.cutoff)
        options = cast("GroupOptions", measure.with_defaults(params))
        try:
            evidence = self._at(measure, options, cutoff, target, shared)
            if options.get("over") == "system" or measure.of_rankings is None:
                if measure.of_system is None:
                    raise UsageError("it has no value of a whole system: leave out over='system'")
                statistic = measure.of_system(evidence, options)
                return SystemScore(
                    system=self.ranked.system,
                    measure=name,
                    query_ids=evidence.pools.query_ids,
                    defined=statistic.defined,
                    statistic=statistic.under,
                )
            values = evidence.query_means(measure.of_rankings(evidence, options))
        except UsageError as refusal:
            return MeasureValue(name, float("nan"), UNDEFINED, 0, 0, str(refusal))
        aggregate = options.get("aggregate", "mean")
        return Scores(
            system=self.ranked.system,
            measure=name,
            query_ids=evidence.pools.query_ids,
            values=values,
            aggregate=aggregate if aggregate in ("min", "max") else "mean",
        )

    def _system_interval(self, score: SystemScore) -> Interval:
        n = score.n_queries
        if ("system", n) not in self._counts:
            rng = np.random.default_rng(self.seed)
            self._counts["system", n] = data_and_resamples(n, rng=rng)
        statistics = score.statistic(self._counts["system", n])
        return interval_of(statistics, n - score.n_undefined)

    def _intervals(self, rows: list[FloatArray]) -> list[Interval]:
        """As ``score_intervals`` has them: every number of defined queries has its own draws."""
        defined = [row[~np.isnan(row)] for row in rows]
        intervals = [UNDEFINED] * len(rows)
        for n in {row.size for row in defined if row.size > 1}:
            if n not in self._counts:
                rng = np.random.default_rng(self.seed)
                self._counts[n] = bootstrap_counts(n, rng=rng)
            alike = [i for i, row in enumerate(defined) if row.size == n]
            means = means_under(np.stack([defined[i] for i in alike]), self._counts[n])
            ends = percentiles(means, n)
            for i, low, high in zip(alike, ends.low.tolist(), ends.high.tolist(), strict=True):
                intervals[i] = Interval(low, high)
        return intervals

    def _at(
        self,
        measure: GroupMeasure,
        options: GroupOptions,
        cutoff: int | None,
        target: Target,
        shared: dict[object, GroupEvidence],
    ) -> GroupEvidence:
        """The evidence with this target in it."""
        params = cast("Mapping[str, ParamValue]", options)
        queries: Queries = "judged" if measure.is_judged(params) else "ranked"
        if self.qrels is None and "qrels" in measure.needed(params):
            raise UsageError(missing_words(["qrels"])[0])
        missing = options.get("missing", "drop")
        key = (queries, missing, cutoff, target.groups)
        if key not in self._evidence:
            self._evidence[key] = self._evidence_for(queries, missing, cutoff, target)
        if key not in shared:
            evidence = self._evidence[key]
            shares = target_shares(target, evidence.members, evidence.pools)
            shared[key] = replace(evidence, shares=shares)
        return shared[key]

    def _evidence_for(self, queries: Queries, missing: Missing, cutoff: int | None, target: Target) -> GroupEvidence:
        pools = pool(self.ranked, self.qrels, queries=queries)
        members = membership(pools, self.labels, target)
        if missing == "group":
            members = with_unlabelled(members)
        whole = ranked_lists(self.ranked, pools)
        subtopics = self.qrels is not None and self.qrels.subtopics is not None
        return GroupEvidence(
            pools=pools,
            members=members,
            lists=cut_lists(whole, cutoff),
            whole=whole,
            cutoff=cutoff,
            shares=None,
            aspects=subtopic_aspects(pools, self.qrels)
            if subtopics and self.qrels is not None
            else group_aspects(pools, members),
            largest_grade=0 if self.qrels is None else self.qrels.largest_grade,
        )


def unmoved_values(
    ranked: Run | RankingSample, qrels: Qrels | None, labels: GroupLabels, measures: Sequence[str]
) -> dict[str, MeasureValue]:
    """Measures that no target moves, by their string; what is not allowed carries the reason.

    Args:
        ranked: The system.
        qrels: Judgements, None for none.
        labels: Groups of documents.
        measures: Measure strings.
    """
    specs = [parse_measure(text) for text in measures]
    result = evaluate([ranked], specs, qrels=[] if qrels is None else [qrels], labels=labels, refuse=False)
    whys = dict(note.message.split(": undefined, ", 1) for note in result.notes if ": undefined, " in note.message)
    values = {
        score.measure: MeasureValue(
            score.measure,
            score.value,
            ends,
            score.n_queries,
            score.n_undefined,
            why=whys.get(score.measure, ""),
        )
        for score, ends in zip(result.scores, score_intervals(result.scores, seed=0), strict=True)
    }
    reasons = {refusal.measure: refusal.reason.removeprefix(f"{refusal.measure}: ") for refusal in result.refused}
    for spec in specs:
        missing = MeasureValue(spec.text, float("nan"), UNDEFINED, 0, 0, reasons.get(spec.text, ""))
        values.setdefault(spec.text, missing)
    return values
