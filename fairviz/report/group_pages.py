"""Tables of the pages that hold systems against a target of groups, from the data and a page's settings alone.

Groups and target are said by the options that every command has for them; no target is equal shares, as on the pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from fairviz.attention import Browsing, attention
from fairviz.display.methods import AgainstTarget
from fairviz.display.table import Table
from fairviz.errors import UndefinedError
from fairviz.evaluation.joins import first_items
from fairviz.evaluation.systems import named, named_rankings
from fairviz.grouping import UNLABELLED, Membership, Missing, membership, with_unlabelled
from fairviz.metrics.catalogue import GROUP_MEASURES
from fairviz.model import (
    Dataset,
    GroupLabels,
    MeasureSpec,
    Pools,
    Qrels,
    RankingSample,
    Run,
    ScoreScale,
    Target,
)
from fairviz.points.shares import group_exposure, share_intervals
from fairviz.points.targets import as_shares, preset_shares
from fairviz.points.words import with_policy
from fairviz.pool import pool
from fairviz.studies.groups.findings import headline_group
from fairviz.studies.groups.measures import ROWS, STILL, MeasureContext, filled, measure_values
from fairviz.studies.groups.reach import joint_reach
from fairviz.studies.groups.rows import target_rows
from fairviz.studies.groups.tables import GroupResults, measure_row
from fairviz.studies.groups.tables import tables as group_tables
from fairviz.studies.policy_lab.axes import QualityName, quality_label
from fairviz.studies.policy_lab.distances import asked_distance
from fairviz.studies.policy_lab.prices import Prices
from fairviz.studies.policy_lab.results import DEPTH, FIRST, LABELS, Aim, Choices, depths_under, results
from fairviz.studies.policy_lab.tables import tables as lab_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsSettings:
    """Attention of one system by group, beside a target.

    Attributes:
        k: Ranks that count.
        system: The run or sample; empty: the first.
        group: The group of interest; empty: the one that titles speak of.
        browsing: How attention falls with rank.
        unlabelled: Whether documents without a label are a group of their own.
        judgements: Place of those that quality is measured by.
        against: Groups and target.
    """

    k: int
    system: str = ""
    group: str = ""
    browsing: Browsing = "dcg"
    unlabelled: Missing = "drop"
    judgements: int = 0
    against: AgainstTarget | None = None

    def tables(self, loaded: Dataset) -> Mapping[str, Table]:
        """Every measure, as it is read and as it is printed, and the share of each group."""
        asked = _held(loaded, self.against, self.system, self.judgements, self.unlabelled)
        falling = attention(self.browsing, cutoff=self.k)
        exposure = group_exposure(asked.ranked, asked.pools, asked.members, falling)
        nearest = joint_reach(asked.pools, asked.members, falling).nearest(asked.target.shares)
        shares = target_rows(exposure, share_intervals(exposure).shares, asked.target.shares, nearest)
        spoken = headline_group(exposure, asked.target.shares)
        usual = exposure.groups[shares.rows[-1].group if spoken is None else spoken]
        group = named("group", self.group or usual, {name: name for name in exposure.groups})
        context = MeasureContext(group, self.k, sum(name != UNLABELLED for name in exposure.groups))
        texts = {
            row: filled(row, k=self.k, group=group, missing=self.unlabelled, browsing=self.browsing) for row in ROWS
        }
        values = measure_values(asked.ranked, asked.qrels, asked.labels, [texts[row] for row in STILL])
        moving = [text for text in texts.values() if text not in values]
        values |= measure_values(asked.ranked, asked.qrels, asked.labels, moving, asked.target)
        return group_tables(
            GroupResults(
                measures=[
                    measure_row(row, values[text], context, n_labelled=exposure.n_labelled)
                    for row, text in texts.items()
                ],
                system=asked.ranked.system,
                target=dict(zip(asked.target.groups, asked.target.shares.tolist(), strict=True)),
                shares=shares,
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyLabSettings:
    """What re-ranking one run towards a target costs.

    Attributes:
        k: Ranks that count.
        system: The run; empty: the first.
        group: The group that is spoken of; empty: the one furthest under its target.
        budget: Percent of today's mean quality that may be given up.
        fixed: "yes": only settings count that show every visitor the same lists.
        methods: Names of re-rankers; empty: those that are compared before anything is chosen.
        quality: What re-ranking may cost.
        depth: Candidates of a query that are re-ranked, unless a group asks for more.
        browsing: How attention falls with rank.
        unlabelled: Whether documents without a label are a group of their own.
        judged: "yes": methods that can use judgements look at them.
        measure: Name of another distance than points off target; empty for these.
        scores, offset: How scores become a policy.
        judgements: Place of those that quality is measured by.
        against: Groups and target.
    """

    k: int
    system: str = ""
    group: str = ""
    budget: float = 3.0
    fixed: Literal["no", "yes"] = "no"
    methods: tuple[str, ...] = ()
    quality: QualityName = "nDCG"
    depth: int = DEPTH
    browsing: Browsing = "dcg"
    unlabelled: Missing = "drop"
    judged: Literal["no", "yes"] = "no"
    measure: str = ""
    scores: ScoreScale = "given"
    offset: float = 1.0
    judgements: int = 0
    against: AgainstTarget | None = None

    def tables(self, loaded: Dataset) -> Mapping[str, Table]:
        """How far each method gets, every setting that was tried, and shares by group as the brief has them."""
        asked = _held(loaded, self.against, self.system, self.judgements, self.unlabelled)
        if not isinstance(asked.ranked, Run) or asked.qrels is None:
            raise UndefinedError("a price needs a scored run and judgements: give RUN and --qrels FILE")
        methods = tuple(named("methods", name, {name: name for name in LABELS}) for name in self.methods) or FIRST
        target = Aim.of(asked.target).target
        depths = depths_under(
            asked.ranked, asked.qrels, asked.labels, target, usual=self.depth, k=self.k, missing=self.unlabelled
        )
        prices = Prices(
            first_items(asked.ranked, depths.depths),
            asked.qrels,
            asked.labels,
            target,
            attention=attention(self.browsing, cutoff=self.k),
            k=self.k,
            quality=self.quality,
            missing=self.unlabelled,
            judged=self.judged == "yes",
            measure=self._distance(asked.labels, target),
            scores=self.scores,
            offset=self.offset,
        )
        prices.compute(methods)
        chosen = Choices(self.budget / 100, self.fixed == "yes", methods)
        is_set = self.against is not None and self.against.is_set(loaded)
        found = results(prices, chosen, group=self.group, is_set=is_set)
        made = lab_tables(found.table_results(prices, quality_label(self.quality, self.k)))
        return {stem: with_policy(table, self.scores, self.offset) for stem, table in made.items()}

    def _distance(self, labels: GroupLabels, target: Target) -> MeasureSpec | None:
        if not self.measure:
            return None
        name = named("measure", self.measure, {measure.name: measure.name for measure in GROUP_MEASURES})
        return asked_distance(name, labels, target, k=self.k, browsing=self.browsing, missing=self.unlabelled)


# Groups and target of a system.


def _said(against: AgainstTarget | None) -> AgainstTarget:
    """Groups and target.

    Raises:
        UndefinedError: There are no labels.
    """
    if against is None:
        raise UndefinedError("there are no group labels: give --groups FILE")
    return against


class _Held(NamedTuple):
    """One system, its groups and a target, in the order of the groups."""

    ranked: Run | RankingSample
    qrels: Qrels | None
    labels: GroupLabels
    pools: Pools
    members: Membership
    target: Target


def _held(loaded: Dataset, against: AgainstTarget | None, system: str, judgements: int, unlabelled: Missing) -> _Held:
    against = _said(against)
    places = {each.system: place for place, each in enumerate(named_rankings(loaded))}
    ranked = (*loaded.runs, *loaded.samples)[named("system", system, places)]
    qrels = loaded.qrels[judgements] if loaded.qrels else None
    labels, said = against.labels(loaded), against.shares(loaded) or "uniform"
    pools = pool(ranked, qrels, queries="ranked")
    members = membership(pools, labels, said if isinstance(said, Target) else None)
    members = with_unlabelled(members) if unlabelled == "group" else members
    by_hand = isinstance(said, Target)
    shares = as_shares(said, members.groups) if by_hand else preset_shares(said, members, pools)
    if shares is None:
        raise UndefinedError("the target has no share" if by_hand else f"no query has a target {said!r}")
    if len(members.groups) < 2:
        raise UndefinedError("a target divides attention among groups: these labels have fewer than two")
    return _Held(ranked, qrels, labels, pools, members, Target(groups=members.groups, shares=shares))
