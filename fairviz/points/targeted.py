"""One system, the groups of its candidates and a target, in one order of groups: what is held against what."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.display.methods import AgainstTarget
from fairviz.errors import UndefinedError
from fairviz.evaluation.systems import named, named_rankings
from fairviz.kernels.attention import Attention, Browsing, attention
from fairviz.kernels.grouping import Membership, Missing, membership, with_unlabelled
from fairviz.kernels.pool import pool, ranked_lists
from fairviz.model import BoolArray, Dataset, FloatArray, GroupLabels, Pools, Qrels, RankingSample, Run, Target
from fairviz.points.shares import GroupExposure, group_exposure, headline_group
from fairviz.points.targets import TargetGrid, as_shares, preset_shares, target_grid
from fairviz.remembered import remembered
from fairviz.stats.tests import ROUNDING

WORTH_SAYING = 0.02
"""Share of attention without a label from which a sentence speaks of it."""


class Labelled(NamedTuple):
    """Candidates of one system with judgements and groups.

    Attributes:
        ranked: The run or sample.
        qrels: Judgements, None for none.
        labels: Groups of documents.
        pools: Candidates of its queries, judged or not.
        members: Their groups.
    """

    ranked: Run | RankingSample
    qrels: Qrels | None
    labels: GroupLabels
    pools: Pools
    members: Membership


@remembered
def labelled(
    data: Dataset,
    system: str,
    attribute: int,
    judgements: int | None,
    unlabelled: Missing,
    further: tuple[str, ...] = (),
) -> Labelled:
    """Candidates of one system for its queries: measures of groups need no judgements.

    Args:
        data: Rankings and labels.
        system: Name of the run or sample; empty: the first.
        attribute: Which labels.
        judgements: Which judgements say what is useful, None for none.
        unlabelled: Whether documents without a label are a group of their own.
        further: Groups that a target names and no label has.
    """
    places = {each.system: place for place, each in enumerate(named_rankings(data))}
    ranked = (*data.runs, *data.samples)[named("system", system, places)]
    qrels = None if judgements is None else data.qrels[judgements]
    pools, labels = pool(ranked, qrels, queries="ranked"), data.labels[attribute]
    named_only = Target(groups=further, shares=np.full(len(further), 1 / len(further))) if further else None
    return Labelled(ranked, qrels, labels, pools, members_of(pools, labels, named_only, unlabelled))


def members_of(pools: Pools, labels: GroupLabels, target: Target | None, unlabelled: Missing) -> Membership:
    """Groups of the pool rows, those of a target among them; documents without a label may be one."""
    members = membership(pools, labels, target)
    return with_unlabelled(members) if unlabelled == "group" else members


class Held(NamedTuple):
    """A system, its groups, and a target in the order of the groups.

    Attributes:
        of: The system with its candidates.
        target: A share for each of its groups.
        key: What both are remembered by: system, labels, judgements, what unlabelled documents are, further groups.
    """

    of: Labelled
    target: Target
    key: tuple[str, int, int | None, Missing, tuple[str, ...]]

    def refuse_one_group(self) -> None:
        """Raise UndefinedError where there is nothing to divide."""
        if len(self.target.groups) < 2:
            raise UndefinedError("a target divides attention among groups: these labels have fewer than two")


def held(data: Dataset, against: AgainstTarget | None, system: str, judgements: int, unlabelled: Missing) -> Held:
    """What a study of a target looks at.

    Raises:
        UndefinedError: There are no labels, or no target for them.
        UsageError: There is no such system.
    """
    if against is None:
        raise UndefinedError("there are no group labels: give --groups FILE")
    said = against.shares(data) or "uniform"
    known = data.labels[against.attribute].groups
    if isinstance(said, Target) and not {*said.groups} & {*known}:
        raise UndefinedError("the target names none of the groups of these labels")
    further = tuple(group for group in said.groups if group not in known) if isinstance(said, Target) else ()
    key = (system, against.attribute, judgements if data.qrels else None, unlabelled, further)
    of = labelled(data, *key)
    shares: FloatArray | None
    if isinstance(said, Target):
        shares = as_shares(said, of.members.groups)
    else:
        shares = preset_shares(said, of.members, of.pools)
    if shares is None:
        by_hand = isinstance(said, Target)
        raise UndefinedError("the target has no share" if by_hand else f"no query has a target {said!r}")
    return Held(of, Target(groups=of.members.groups, shares=shares), key)


@remembered
def exposure_of(
    data: Dataset,
    system: str,
    attribute: int,
    judgements: int | None,
    unlabelled: Missing,
    further: tuple[str, ...],
    browsing: Browsing,
    k: int,
) -> GroupExposure:
    """Attention by group of one system, down to rank k: no target moves it."""
    of = labelled(data, system, attribute, judgements, unlabelled, further)
    return group_exposure(of.ranked, of.pools, of.members, attention(browsing, cutoff=k))


def grid_of(exposure: GroupExposure, target: FloatArray) -> TargetGrid:
    """Targets along the share of one group: the one that titles speak of, else the one furthest below its target.

    A target of several groups has no single line of values; the others keep their proportions, as "Raise one group"
    does on the page.

    Args:
        exposure: Attention by group.
        target: (G) target shares.
    """
    spoken = headline_group(exposure, target)
    group = int(np.argmin(np.nan_to_num(exposure.shares) - target)) if spoken is None else spoken
    return target_grid(target, group)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupList:
    """The first items of one ranking.

    Attributes:
        doc_ids: R documents, best first.
        weights: (R, G) membership; what is missing to 1 is unlabelled.
        not_applicable: (R) whether the attribute does not apply to it: no weight, and not unlabelled.
        gains: (R) graded usefulness.
        judged: (R) whether it was judged.
        attention: (R) attention at its rank.
    """

    doc_ids: tuple[str, ...]
    weights: FloatArray
    not_applicable: BoolArray
    gains: FloatArray
    judged: BoolArray
    attention: FloatArray

    def written(self, groups: Sequence[str]) -> tuple[str, ...]:
        """(R) the groups of each item in a file: names, with weights where they are parts."""
        pairs = (zip(groups, weights, strict=True) for weights in self.weights.tolist())
        return tuple("; ".join(g if w > 1 - ROUNDING else f"{g} {w:g}" for g, w in of if w > 0) for of in pairs)


def group_list(
    ranked: Run | RankingSample,
    pools: Pools,
    members: Membership,
    query_id: str,
    attention: Attention,
    *,
    most: int,
) -> GroupList:
    """The list of a run for one query, or the first ranking of a sample.

    Args:
        ranked: The system.
        pools: Its pools.
        members: Groups of the pool rows.
        query_id: One of the queries of the pools.
        attention: How attention falls with rank.
        most: Most items to return.
    """
    lists = ranked_lists(ranked, pools)
    own: list[int] = np.flatnonzero(lists.queries == pools.query_ids.index(query_id)).tolist()
    rows = np.concatenate([lists.rows[slice(*lists.offsets[at : at + 2])] for at in own[:1]] or [lists.rows[:0]])[:most]
    listed: list[int] = pools.docs[rows].tolist()
    return GroupList(
        doc_ids=tuple(pools.doc_ids[d] for d in listed),
        weights=members.weights[rows],
        not_applicable=members.not_applicable[rows],
        gains=pools.gains[rows],
        judged=pools.judged[rows],
        attention=attention.weights(rows.size),
    )
