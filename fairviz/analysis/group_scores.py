"""Scores of rankings by group, with the notes that a reader of them needs."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from fairviz.analysis.coverage import queries
from fairviz.analysis.undefined_groups import why_undefined
from fairviz.errors import UsageError
from fairviz.groups import (
    UNLABELLED,
    Membership,
    Missing,
    Preset,
    membership,
    target_shares,
    with_unlabelled,
)
from fairviz.metrics.aspects import group_aspects, subtopic_aspects
from fairviz.metrics.exposure_by_group import exposure_by_group
from fairviz.metrics.exposure_evidence import ExposureEvidence, ExposureMeasure, ExposureOptions
from fairviz.metrics.group_evidence import GroupEvidence, GroupMeasure
from fairviz.metrics.group_parameters import GroupOptions
from fairviz.metrics.statistic import OfMeans, Statistic
from fairviz.model import (
    FloatArray,
    GroupLabels,
    IntArray,
    MeasureSpec,
    Note,
    Pools,
    Qrels,
    RankingSample,
    Run,
    Scores,
    SystemScore,
    Target,
)
from fairviz.policies.plackett_luce import normalised_scores
from fairviz.pool import Queries, cut_lists, pool, ranked_lists

MANY_UNLABELLED = 0.1
"""Share of ranked places without a label above which a note says so."""


@dataclass(slots=True)
class GroupScorer:
    """Group measures of one system.

    Attributes:
        ranked: The system.
        qrels: Judgements, for measures that need usefulness.
        labels: Groups of documents.
        target: Shares of attention, by hand or set by the data.
        notes: What people should know, gathered while scoring.
    """

    ranked: Run | RankingSample
    qrels: Qrels | None
    labels: GroupLabels | None
    target: Target | Preset | None
    notes: list[Note] = field(default_factory=list[Note])
    _evidence: dict[object, GroupEvidence] = field(default_factory=dict[object, GroupEvidence])
    _pools: dict[Queries, Pools] = field(default_factory=dict[Queries, Pools])

    def score(self, measure: GroupMeasure, spec: MeasureSpec) -> Scores | SystemScore:
        """One measure.

        Raises:
            UsageError: What it needs was not given, or these labels do not allow it.
        """
        params, cutoff = measure.check(spec.params, spec.cutoff)
        options = cast("GroupOptions", measure.with_defaults(params))
        shown = spec.text or spec.name
        try:
            found = self._evidence_for(measure, options, cutoff)
            if options.get("over") == "system" or measure.of_rankings is None:
                scores = self._of_system(measure, options, found, shown)
            else:
                of_rankings = measure.of_rankings(found, options)
                values = found.query_means(of_rankings)
                self._note_left_out(shown, of_rankings, values[found.lists.queries])
                scores = self._scores(shown, found.pools, values, options)
        except UsageError as refusal:
            raise UsageError(f"{shown}: {refusal}") from None
        for name, beside in measure.idle(params).items():
            self._note(f"{shown}: {name} has no effect, it goes with {beside}")
        if measure.binomial or "group" in {one.name for one in measure.parameters}:
            self._note_protected(found, options, shown)
        if np.isnan(scores.value):
            self._note(f"{shown}: undefined, {why_undefined(measure, found)}")
        return scores

    def exposure_by_group(
        self,
        measure: ExposureMeasure,
        spec: MeasureSpec,
        found: ExposureEvidence,
        options: ExposureOptions,
    ) -> Scores | SystemScore:
        """EE-D, EE-R or EE-L of groups.

        Raises:
            UsageError: There are no labels, or it was asked for on another scale.
        """
        shown = spec.text or spec.name
        if spec.params.get("norm", "none") != "none":
            raise UsageError(f"{shown}: by='group' has norm='none' only")
        members = self._members(found.pools, options["missing"])
        statistic = exposure_by_group(measure.name, found, members)
        return self._combined(shown, found.pools, statistic, whole=options["over"] == "system")

    def _of_system(
        self, measure: GroupMeasure, options: GroupOptions, found: GroupEvidence, shown: str
    ) -> Scores | SystemScore:
        if measure.of_system is None:
            raise UsageError("it has no value of a whole system: leave out over='system'")
        statistic = measure.of_system(found, options)
        return self._combined(shown, found.pools, statistic, whole=options["over"] == "system")

    def _combined(self, shown: str, pools: Pools, statistic: Statistic, *, whole: bool) -> Scores | SystemScore:
        smoothed = statistic.n_smoothed(whole=whole) if isinstance(statistic, OfMeans) else 0
        if smoothed:
            what = "the value" if whole else f"{smoothed} {queries(smoothed)}"
            self._note(f"{shown}: {what} finite through eps alone: a side has no exposure")
        if not whole:
            scores = self._scores(shown, pools, statistic.per_query(), None)
            return replace(scores, flags={"n_smoothed": smoothed})
        under: Callable[[FloatArray], FloatArray] = statistic.under
        return SystemScore(
            system=self.ranked.system,
            measure=shown,
            query_ids=pools.query_ids,
            defined=statistic.defined,
            statistic=under,
            flags={"n_smoothed": smoothed},
        )

    def _scores(self, shown: str, pools: Pools, values: FloatArray, options: GroupOptions | None) -> Scores:
        aggregate = options.get("aggregate", "mean") if options else "mean"
        return Scores(
            system=self.ranked.system,
            measure=shown,
            query_ids=pools.query_ids,
            values=values,
            aggregate=aggregate if aggregate in ("min", "max") else "mean",
        )

    def _evidence_for(self, measure: GroupMeasure, options: GroupOptions, cutoff: int | None) -> GroupEvidence:
        """Alignment and target, computed once for measures that share them."""
        judged = "qrels" in measure.needs
        if judged and self.qrels is None:
            raise UsageError("judgements are needed: give --qrels FILE")
        if options.get("browsing") == "cascade" and self.qrels is None:
            raise UsageError("browsing='cascade' reads usefulness: give --qrels FILE")
        asked: Queries = "judged" if judged else "ranked"
        missing = options.get("missing", "drop")
        key = (asked, missing, cutoff)
        if key not in self._evidence:
            pools = self._pool(asked)
            members = self._members(pools, missing)
            whole = ranked_lists(self.ranked, pools)
            lists = cut_lists(whole, cutoff)
            self._note_labels(members, lists.rows)
            self._evidence[key] = GroupEvidence(
                pools=pools,
                members=members,
                lists=lists,
                whole=whole,
                cutoff=cutoff,
                shares=self._shares(members, pools),
                aspects=self._aspects(pools, members),
                scores=_scores_of(pools),
                largest_grade=0 if self.qrels is None else int(self.qrels.grades.max(initial=0)),
            )
        return self._evidence[key]

    def _pool(self, asked: Queries) -> Pools:
        if asked not in self._pools:
            self._pools[asked] = pool(self.ranked, self.qrels, queries=asked)
        return self._pools[asked]

    def _members(self, pools: Pools, missing: Missing) -> Membership:
        if self.labels is None:
            raise UsageError("group labels are needed: give --groups FILE")
        by_hand = self.target if isinstance(self.target, Target) else None
        members = membership(pools, self.labels, by_hand)
        return with_unlabelled(members) if missing == "group" else members

    def _shares(self, members: Membership, pools: Pools) -> FloatArray | None:
        if self.target is None:
            return None
        if self.target == "relevance" and self.qrels is None:
            raise UsageError("the target 'relevance' needs judgements: give --qrels FILE")
        if isinstance(self.target, Target):
            without = [group for group in members.groups if group not in self.target.groups]
            if without:
                self._note(f"the target gives no share to {', '.join(without)}: taken as 0")
            known = self.labels.groups if self.labels else ()
            empty = [g for g in self.target.groups if g not in known and g != UNLABELLED]
            if empty:
                self._note(f"no label names {', '.join(empty)}, which the target gives a share")
        return target_shares(self.target, members, pools)

    def _aspects(self, pools: Pools, members: Membership) -> FloatArray:
        if self.qrels is not None and self.qrels.subtopics is not None:
            return subtopic_aspects(pools, self.qrels)
        return group_aspects(pools, members)

    def _note_left_out(self, shown: str, of_rankings: FloatArray, of_query: FloatArray) -> None:
        """Say how many rankings say nothing where others of their query do."""
        n = int(np.count_nonzero(np.isnan(of_rankings) & ~np.isnan(of_query)))
        if n:
            self._note(
                f"{shown}: {n} of {of_rankings.size} rankings have no value, the mean of their query is over the others"
            )

    def _note_labels(self, members: Membership, rows: IntArray) -> None:
        if not rows.size or UNLABELLED in members.groups:
            return
        without = int(np.count_nonzero(members.weights[rows].sum(axis=1) <= 0))
        if without > MANY_UNLABELLED * rows.size:
            self._note(f"{without} of {rows.size} ranked places hold documents without a label")

    def _note_protected(self, found: GroupEvidence, options: GroupOptions, shown: str) -> None:
        needs_one = options.get("distance") in (None, "absdiff", "ND", "RD")
        if "group" not in options and len(found.members.groups) == 2 and needs_one:
            group = found.members.groups[found.protected(options)]
            self._note(f"{shown}: the protected group is {group}, the smaller one (group=… names it)")

    def _note(self, message: str) -> None:
        note = Note(self.ranked.system, None, message)
        if note not in self.notes:
            self.notes.append(note)


def _scores_of(pools: Pools) -> FloatArray | None:
    """(M) the system's own scores, min–max per query; None where its rankings carry none."""
    try:
        return normalised_scores(pools)
    except ValueError:
        return None
