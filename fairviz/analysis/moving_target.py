"""Group measures of one system while a person moves the target: the same numbers as ``evaluate``.

What the target does not touch is computed once: pools, groups, lists, and the resamples behind the
intervals. A move then costs the kernels that read the target, nothing else.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

import numpy as np

from fairviz.analysis.uncertainty import (
    UNDEFINED,
    Interval,
    bootstrap_counts,
    data_and_resamples,
    interval_of,
    percentiles,
)
from fairviz.errors import UsageError
from fairviz.groups import Missing, membership, with_unlabelled
from fairviz.metrics.aspects import group_aspects, subtopic_aspects
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.group_evidence import GroupEvidence, GroupMeasure
from fairviz.metrics.group_parameters import GroupOptions
from fairviz.model import (
    FloatArray,
    GroupLabels,
    MeasureSpec,
    Qrels,
    RankingSample,
    Run,
    Scores,
    SystemScore,
    Target,
)
from fairviz.pool import Queries, cut_lists, pool, ranked_lists


class MeasureValue(NamedTuple):
    """One measure of one system, as a table shows it.

    Attributes:
        measure: The measure string as typed.
        value: NaN = undefined.
        interval: 95 % bootstrap over queries; NaN where there is none.
        n_queries, n_undefined: Queries asked about, and those without a value.
        refused: Why these data do not allow it; empty where they do.
    """

    measure: str
    value: float
    interval: Interval
    n_queries: int
    n_undefined: int
    refused: str = ""


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
    _counts: dict[object, FloatArray] = field(default_factory=dict[object, FloatArray])

    def values(self, specs: list[MeasureSpec], target: Target) -> list[MeasureValue]:
        """Measures under one target, in their order; what is not allowed carries the reason.

        Args:
            specs: Group measures whose values are per ranking or per system.
            target: One distribution for all queries.
        """
        return [self._value(spec, target) for spec in specs]

    def _value(self, spec: MeasureSpec, target: Target) -> MeasureValue:
        shown = spec.text or spec.name
        measure = CATALOGUE[spec.name]
        if not isinstance(measure, GroupMeasure):
            raise UsageError(f"{shown} is no measure of groups")
        params, cutoff = measure.check(spec.params, spec.cutoff)
        options = cast("GroupOptions", measure.with_defaults(params))
        try:
            found = self._at(measure, options, cutoff, target)
            if options.get("over") == "system" and measure.of_system is not None:
                return self._of_system(measure, options, found, shown)
            if measure.of_rankings is None:
                raise UsageError("it has a value of a whole system only")
            values = found.query_means(measure.of_rankings(found, options))
        except UsageError as refusal:
            nothing = float("nan")
            return MeasureValue(shown, nothing, UNDEFINED, 0, 0, str(refusal))
        return self._of_queries(shown, options, found, values)

    def _of_queries(
        self, shown: str, options: GroupOptions, found: GroupEvidence, values: FloatArray
    ) -> MeasureValue:
        aggregate = options.get("aggregate", "mean")
        scores = Scores(
            system=self.ranked.system,
            measure=shown,
            query_ids=found.pools.query_ids,
            values=values,
            aggregate=aggregate if aggregate in ("min", "max") else "mean",
        )
        ends = self._interval(values) if scores.aggregate == "mean" else UNDEFINED
        return MeasureValue(shown, scores.value, ends, scores.n_queries, scores.n_undefined)

    def _of_system(
        self, measure: GroupMeasure, options: GroupOptions, found: GroupEvidence, shown: str
    ) -> MeasureValue:
        if measure.of_system is None:
            raise UsageError("it has no value of a whole system: leave out over='system'")
        statistic = measure.of_system(found, options)
        score = SystemScore(
            system=self.ranked.system,
            measure=shown,
            query_ids=found.pools.query_ids,
            defined=statistic.defined,
            statistic=statistic.under,
        )
        n = score.n_queries
        if ("system", n) not in self._counts:
            rng = np.random.default_rng(self.seed)
            self._counts["system", n] = data_and_resamples(n, rng=rng)
        ends = interval_of(statistic.under(self._counts["system", n]), n - score.n_undefined)
        return MeasureValue(shown, score.value, ends, n, score.n_undefined)

    def _interval(self, values: FloatArray) -> Interval:
        """As ``score_intervals`` has it: every number of defined queries has its own draws."""
        defined = values[~np.isnan(values)]
        n = defined.size
        if n < 2:
            return UNDEFINED
        if n not in self._counts:
            self._counts[n] = bootstrap_counts(n, rng=np.random.default_rng(self.seed))
        ends = percentiles(_means(defined, self._counts[n]))
        return Interval(float(ends.low[0]), float(ends.high[0]))

    def _at(
        self, measure: GroupMeasure, options: GroupOptions, cutoff: int | None, target: Target
    ) -> GroupEvidence:
        """The evidence with this target in it."""
        judged = "qrels" in measure.needs
        asked: Queries = "judged" if judged else "ranked"
        if judged and self.qrels is None:
            raise UsageError("judgements are needed")
        missing = options.get("missing", "drop")
        key = (asked, missing, cutoff, target.groups)
        if key not in self._evidence:
            self._evidence[key] = self._evidence_for(asked, missing, cutoff, target)
        found = self._evidence[key]
        shares = dict(zip(target.groups, target.shares.tolist(), strict=True))
        row = np.array([shares.get(group, 0.0) for group in found.members.groups])
        return replace(found, shares=np.tile(row / row.sum(), (len(found.pools.query_ids), 1)))

    def _evidence_for(
        self, asked: Queries, missing: Missing, cutoff: int | None, target: Target
    ) -> GroupEvidence:
        pools = pool(self.ranked, self.qrels, queries=asked)
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
            scores=None,
            largest_grade=0 if self.qrels is None else int(self.qrels.grades.max(initial=0)),
        )


def _means(values: FloatArray, counts: FloatArray) -> FloatArray:
    """(B) mean under each resample; a query without end makes the mean so, both ends no number."""
    ends = np.where(np.isinf(values), values, 0.0)
    means: FloatArray = counts @ np.where(ends, 0.0, values)
    above, below = counts @ (ends > 0) > 0, counts @ (ends < 0) > 0
    found = np.where(above, np.inf, np.where(below, -np.inf, means / values.size))
    return np.where(above & below, np.nan, found)
