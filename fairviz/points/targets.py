"""Shares that always sum to 100: what a move of one does to the others, and where a target begins.

What is kept is exact, what is shown are whole percents. Keeping the rounded numbers instead would
make the result depend on the way a slider went.
"""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from fairviz.display.words import called, percent
from fairviz.kernels.grouping import Membership, Preset, target_shares
from fairviz.model import FloatArray, Pools, Target
from fairviz.model.judgements import WEIGHT_TOLERANCE

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


def alike(a: FloatArray, b: FloatArray) -> bool:
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


class ShareScale(NamedTuple):
    """A scale of shares.

    Attributes:
        end: Share at which it ends; it begins at 0.
        ticks: Shares with a tick.
    """

    end: float
    ticks: tuple[float, ...]


def share_scale(shares: FloatArray, high: FloatArray, target: FloatArray) -> ShareScale:
    """The scale of (G) shares, upper ends of their intervals and targets; NaN counts as nothing."""
    largest = float(np.fmax(np.nan_to_num(shares), np.nan_to_num(high)).max())
    end = max(BEYOND_TARGET * float(target.max()), largest)
    end = min(max(end, TICK_STEPS[0]), 1.0)
    step = next((step for step in TICK_STEPS if end <= TICKS * step + 1e-9), TICK_STEPS[-1])
    n = math.ceil(end / step - 1e-9)
    return ShareScale(n * step, tuple(round(at * step, 6) for at in range(n + 1)))


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
