"""Targets of attention: shares that always sum to 100, where they begin, and a system beside one of them.

What is kept of shares is exact, what is shown are whole percents. Keeping the rounded numbers instead would make the
result depend on the way a slider went. A system, the groups of its candidates and a target are in one order of groups.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple, TypeAlias

import numpy as np

from fairviz.display.methods import AgainstTarget
from fairviz.display.words import called, percent
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.systems import named, named_rankings
from fairviz.kernels.attention import Attention
from fairviz.kernels.grouping import Membership, Missing, Preset, membership, target_shares, with_unlabelled
from fairviz.kernels.pool import pool
from fairviz.model import (
    CROSSED,
    Dataset,
    FloatArray,
    GroupLabels,
    Pools,
    Qrels,
    RankingSample,
    Run,
    ShareBounds,
    Target,
)
from fairviz.model.judgements import WEIGHT_TOLERANCE
from fairviz.points.shares import GroupExposure, group_exposure, headline_group
from fairviz.remembered import remembered

FLOOR = 1e-9
"""Smallest share kept while others grow, so that a group at 0 can come back."""
RESERVE = 1e-5
"""What the other groups keep together under a share of 100 %: their proportions survive it, since
floors are small beside it."""
NOTHING = 1.5e-5
"""Shares up to this are 0 to everybody but the editor."""
EXACTLY = 1e-12
"""How far a sum may be from 1 by how a machine adds."""
ALIKE = 1e-4
"""Shares closer than this are one target, whatever their last digits."""


STEP, WIDE_STEP, LONG = 5, 10, 60
"""Percents between two shares of a grid; wider where it reaches beyond 60 %."""
LEAST_TOP = 30
"""Percents that a grid of shares reaches at least; else twice the target."""


def can_move(n_groups: int, locked: Collection[int], group: int) -> bool:
    """Whether a share can be moved: it is not locked, and another one can make room."""
    free = [i for i in range(n_groups) if i not in locked]
    return group in free and len(free) > 1


def moved(weights: FloatArray, group: int, percent: int) -> FloatArray:
    """Shares after one is set: the others take the rest in proportion.

    Args:
        weights: (K) shares that sum to 1.
        group: The share that is set.
        percent: Its new value, 0 to 100.

    Returns:
        (K) shares that sum to 1. Unchanged where there is no other share.
    """
    others = [i for i in range(weights.size) if i != group]
    if not others:
        return weights.copy()
    share = percent / 100
    basis = np.maximum(weights[others], FLOOR)
    after = weights.copy()
    after[group] = share
    after[others] = basis / basis.sum() * max(1 - share, RESERVE)
    return after


def target_weights(weights: FloatArray) -> FloatArray:
    """The target that the editor's shares stand for: floors are 0 again, the sum is exactly 1."""
    without_floors = np.where(weights <= NOTHING, 0.0, weights)
    return without_floors / without_floors.sum()


def same_shares(a: FloatArray, b: FloatArray) -> bool:
    """Whether two sets of shares are one target."""
    return a.shape == b.shape and bool((np.abs(a - b) < ALIKE).all())


def written(weights: FloatArray) -> str:
    """Shares for a link: percents with up to three decimals, between underscores.

    Examples:
        >>> written(np.array([0.45, 0.45, 0.1]))
        '45_45_10'
    """
    return "_".join(f"{100 * share:.3f}".rstrip("0").rstrip(".") for share in weights)


def read(text: str, n_groups: int) -> FloatArray | None:
    """Shares from a link; None where it does not speak of as many groups, or of no shares."""
    try:
        shares = np.array([float(part) for part in text.split("_")])
    except ValueError:
        return None
    if shares.size != n_groups or not (shares >= 0).all() or abs(shares.sum() - 100) > 100 * WEIGHT_TOLERANCE:
        return None
    return shares / shares.sum()


# Where a target begins.


def as_shares(target: Target, groups: tuple[str, ...]) -> FloatArray | None:
    """(G) shares of a target over these groups; None where it names none of them.

    Shares that sum to 1 stay what they are to the last digit, so that a command repeats a page.
    """
    rows = np.atleast_2d(target.shares).mean(axis=0)
    named = dict(zip(target.groups, rows.tolist(), strict=True))
    shares = np.array([named.get(group, 0.0) for group in groups])
    total = float(shares.sum())
    if abs(total - 1) < EXACTLY:
        return shares
    return shares / total if total > 0 else None


def preset_shares(preset: Preset, members: Membership, pools: Pools) -> FloatArray | None:
    """(G) shares that the data suggest, one distribution for all queries; None where no query has one.

    Where a preset differs by query its mean is taken, over the queries that have one.
    """
    rows = target_shares(preset, members, pools)
    rows = rows[~np.isnan(rows).any(axis=1)]
    return rows.mean(axis=0) if rows.size else None


# The scale on which shares and targets are drawn.

TICK_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Distances of ticks; the first with which five are enough."""
TICKS = 5
BEYOND_TARGET = 2.0
"""The scale ends at twice the largest target, or at the largest upper end."""


def share_scale(shares: FloatArray, high: FloatArray, target: FloatArray) -> tuple[float, ...]:
    """Ticks from 0 to the end of a scale of (G) shares, upper ends of their intervals and targets.

    NaN counts as nothing.
    """
    largest = float(np.fmax(np.nan_to_num(shares), np.nan_to_num(high)).max())
    end = max(BEYOND_TARGET * float(target.max()), largest)
    end = min(max(end, TICK_STEPS[0]), 1.0)
    step = next((step for step in TICK_STEPS if end <= TICKS * step + 1e-9), TICK_STEPS[-1])
    n = math.ceil(end / step - 1e-9)
    return tuple(round(at * step, 6) for at in range(n + 1))


# Targets computed beforehand.


class TargetGrid(NamedTuple):
    """Targets along the share of one group, the others in proportion.

    Attributes:
        group: Place of the group.
        targets: (G) shares of each.
        names: The group's share in each, in words.
        start: Place of the target that was asked for.
    """

    group: int
    targets: tuple[FloatArray, ...]
    names: tuple[str, ...]
    start: int

    def label(self, groups: Sequence[str]) -> str:
        """What a slider along the grid moves, for groups of these names."""
        return f"Target of {called(groups[self.group])}; the other targets keep their proportions"


def target_grid(weights: FloatArray, group: int) -> TargetGrid:
    """From nothing to twice the group's target in steps of 5 % or 10 %, and the target itself, untouched.

    Args:
        weights: (G) shares that sum to 1: the target that was asked for.
        group: Whose share moves.

    Examples:
        >>> grid = target_grid(np.array([0.12, 0.44, 0.44]), 0)
        >>> [name.replace("\u202f", "") for name in grid.names], grid.start
        (['0%', '5%', '10%', '12%', '15%', '20%', '25%', '30%'], 3)
        >>> grid.targets[-1].round(2)
        array([0.3 , 0.35, 0.35])
    """
    own = 100 * float(weights[group])
    reach = min(100.0, max(LEAST_TOP, 2 * own))
    step = STEP if reach <= LONG else WIDE_STEP
    ends = step * int(np.ceil(reach / step - 1e-9))
    shares = sorted({float(at) for at in range(0, ends + 1, step) if abs(at - own) > 0.5} | {own})
    targets = tuple(
        target_weights(weights if share == own else moved(weights, group, round(share))) for share in shares
    )
    return TargetGrid(group, targets, tuple(percent(share / 100) for share in shares), shares.index(own))


# One system, the groups of its candidates and a target: what is measured against what.


WORTH_SAYING = 0.02
"""Share of attention without a label from which a sentence speaks of it."""


class LabelledSystem(NamedTuple):
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
) -> LabelledSystem:
    """Candidates of one system for its queries: measures of groups need no judgements.

    Args:
        data: Rankings and labels.
        system: Name of the run or sample; empty: the first.
        attribute: Which labels.
        judgements: Which judgements say what is useful, None for none.
        unlabelled: Whether documents without a label are a group of their own.
        further: Groups that a target names and no label has.
    """
    places = {each.system: index for index, each in enumerate(named_rankings(data))}
    ranked = (*data.runs, *data.samples)[named("system", system, places)]
    qrels = None if judgements is None else data.qrels[judgements]
    pools, labels = pool(ranked, qrels, queries="ranked"), data.attributes[attribute]
    named_only = Target(groups=further, shares=np.full(len(further), 1 / len(further))) if further else None
    return LabelledSystem(ranked, qrels, labels, pools, members_of(pools, labels, named_only, unlabelled))


def members_of(pools: Pools, labels: GroupLabels, target: Target | None, unlabelled: Missing) -> Membership:
    """Groups of the pool rows, those of a target among them; documents without a label may be one."""
    members = membership(pools, labels, target)
    return with_unlabelled(members) if unlabelled == "group" else members


Key: TypeAlias = tuple[str, int, int | None, Missing, tuple[str, ...]]
"""What a system with its groups is remembered by: its name, labels, judgements, what unlabelled documents are, further
groups that a target names."""


class TargetedSystem(NamedTuple):
    """A system, its groups, and a target in the order of the groups.

    Attributes:
        of: The system with its candidates.
        target: A share for each of its groups.
        key: What both are remembered by.
    """

    of: LabelledSystem
    target: Target
    key: Key

    def refuse_one_group(self) -> None:
        """Raise UndefinedError where there is nothing to divide."""
        if len(self.target.groups) < 2:
            raise UndefinedError("a target divides attention among groups: these labels have fewer than two")


def targeted_system(
    data: Dataset, against: AgainstTarget | None, system: str, judgements: int, unlabelled: Missing
) -> TargetedSystem:
    """What a study of a target looks at.

    Raises:
        UndefinedError: There are no labels, or no target for them.
        UsageError: There is no such system.
    """
    if against is None:
        raise UndefinedError("there are no group labels: give --groups FILE")
    target = against.shares(data) or "uniform"
    groups = against.labels(data).groups
    if isinstance(target, Target) and not {*target.groups} & {*groups}:
        raise UndefinedError("the target names none of the groups of these labels")
    further = tuple(group for group in target.groups if group not in groups) if isinstance(target, Target) else ()
    key = (system, against.attribute, judgements if data.qrels else None, unlabelled, further)
    of = labelled(data, *key)
    shares: FloatArray | None
    if isinstance(target, Target):
        shares = as_shares(target, of.members.groups)
    else:
        shares = preset_shares(target, of.members, of.pools)
    if shares is None:
        by_hand = isinstance(target, Target)
        raise UndefinedError("the target has no share" if by_hand else f"no query has a target {target!r}")
    return TargetedSystem(of, Target(groups=of.members.groups, shares=shares), key)


@remembered
def exposure_of(
    data: Dataset,
    system: str,
    attribute: int,
    judgements: int | None,
    unlabelled: Missing,
    further: tuple[str, ...],
    browsing: str,
    k: int,
) -> GroupExposure:
    """Attention by group of one system, down to rank k: no target moves it."""
    of = labelled(data, system, attribute, judgements, unlabelled, further)
    return group_exposure(of.ranked, of.pools, of.members, Attention(browsing, cutoff=k))


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


# Bounds of shares of attention, by attribute and group: what they are read from, and how they are said.


def by_attribute(target: Target, labels: Sequence[GroupLabels]) -> bool:
    """Whether a target is one of several attributes, though written as one of several queries: it names attributes."""
    return bool(target.query_ids) and set(target.query_ids or ()) <= {each.attribute for each in labels}


def exact_bounds(target: Target) -> ShareBounds:
    """Exact shares of several attributes, which are written as a target of several queries is."""
    rows = [
        (attribute, group, share)
        for attribute, shares in zip(target.query_ids or (), target.shares, strict=True)
        for group, share in zip(target.groups, shares / shares.sum(), strict=True)
        if share > 0
    ]
    attributes, groups, shares = zip(*rows, strict=True)
    return ShareBounds(attributes=attributes, groups=groups, low=np.array(shares), high=np.array(shares))


def labels_of(attribute: str, labels: Sequence[GroupLabels]) -> GroupLabels:
    """The labels by an attribute; two attributes together are also named with +.

    Raises:
        UsageError: There are no such labels.
    """
    wanted = attribute.replace("+", CROSSED)
    names = [each.attribute for each in labels]
    if wanted not in names:
        near = get_close_matches(wanted, names, n=1)
        hint = f" (nearest: {near[0]})" if near else ""
        raise UsageError(f"shares by {attribute!r} are bounded{hint}; there are labels by {', '.join(names)}")
    return labels[names.index(wanted)]


def named_bounds(bounds: ShareBounds, own: str) -> ShareBounds:
    """Bounds of which every attribute has the name that its labels have.

    Args:
        bounds: As they were read: an attribute without a name, and two together written with +, may be among them.
        own: Name of the attribute that counts, which is the one without a name.
    """
    return replace(bounds, attributes=tuple(name.replace("+", CROSSED) or own for name in bounds.attributes))


def ends_by_attribute(bounds: ShareBounds, labels: Sequence[GroupLabels]) -> dict[str, dict[str, tuple[float, float]]]:
    """{attribute: {group: its least and largest share}}; an attribute without a name is that of the first labels.

    Raises:
        UsageError: An attribute has no labels.
    """
    ends: dict[str, dict[str, tuple[float, float]]] = {}
    for name, group, low, high in zip(
        bounds.attributes, bounds.groups, bounds.low.tolist(), bounds.high.tolist(), strict=True
    ):
        attribute = labels_of(name, labels).attribute if name else labels[0].attribute
        ends.setdefault(attribute, {})[group] = (low, high)
    return ends


def bounds_of(
    attribute: str, groups: Sequence[str], ends: Mapping[str, tuple[float, float]]
) -> tuple[FloatArray, FloatArray]:
    """(G) least and largest shares of the groups of an attribute; without bounds 0 and 1.

    Args:
        attribute: Its name, for errors.
        groups: G names.
        ends: Least and largest share by group.

    Raises:
        UsageError: A bounded group is none of these, or no shares keep to the bounds.
    """
    for group in ends:
        if group not in groups:
            near = get_close_matches(group, groups, n=1)
            hint = f" (nearest: {near[0]})" if near else ""
            names = ", ".join(groups)
            raise UsageError(f"no label of {attribute} names {group!r}{hint}; the labels name {names}")
    low, high = np.array([ends.get(group, (0.0, 1.0)) for group in groups]).T
    if (low == high).all() and abs(low.sum() - 1) <= WEIGHT_TOLERANCE:
        return low / low.sum(), low / low.sum()
    if high.sum() < 1 - WEIGHT_TOLERANCE:
        raise UsageError(f"the largest shares of {attribute} sum to {high.sum():g}, less than 1: raise some")
    return low, high


def bound_words(low: float, high: float) -> str:
    r"""A bound in words.

    Examples:
        >>> bound_words(0.15, 1.0), bound_words(0.2, 0.2)
        ('at least 15.0\u202f%', 'exactly 20.0\u202f%')
    """
    if low == high:
        return f"exactly {percent(low, 1)}"
    if low > 0 and high < 1:
        return f"{percent(low, 1)} to {percent(high, 1)}"
    return f"at least {percent(low, 1)}" if low > 0 else f"at most {percent(high, 1)}" if high < 1 else "free"
