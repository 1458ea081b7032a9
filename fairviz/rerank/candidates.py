"""What an item adds to a list, given what stands above it: the IRM_i of FAIR (Gao et al., 3.1).

Rank discounts are the same for every item that could stand at a rank, so they drop out of a
greedy choice.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.model.arrays import frozen

# What a re-ranker sees of one query: its items, best first, as arrays.


UNLABELLED = -1
"""Code of an item that belongs to no group."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """The items of one query in the order of the run, which stands for their scores.

    A re-ranker answers with item positions: a permutation of ``0 … n − 1`` whose first ``places``
    are its choice and whose rest keeps the order of the run.

    Attributes:
        weights: (n, G) membership in each group, in [0, 1]; a row of zeros is unlabelled.
        target: (G) share that each group should have, summing to 1; groups without items and
            groups with share 0 are allowed.
        depth: Ranks to decide, k.
        gains: (n) usefulness, 0 = not useful; None where nothing is known of it.
        aspects: (n, A) J(d, a), how much the item covers aspect a of the query, where judgements
            say; None: its groups are its aspects.
    """

    weights: FloatArray
    target: FloatArray
    depth: int
    gains: FloatArray | None = None
    aspects: FloatArray | None = None

    def __post_init__(self) -> None:
        if self.weights.ndim != 2 or self.target.shape != self.weights.shape[1:]:
            raise ValueError("candidates: one weight per item and group, one share per group")
        if not np.isfinite(self.target).all() or (self.target < 0).any():
            raise ValueError("candidates: the target's shares are finite and >= 0")
        if self.depth < 1:
            raise ValueError(f"candidates: depth is at least 1, got {self.depth}")
        for values in (self.gains, self.aspects):
            if values is not None and len(values) != len(self.weights):
                raise ValueError("candidates: one gain and one row of aspects per item")
        for array in (self.weights, self.target):
            frozen(array)

    @property
    def n(self) -> int:
        """Items."""
        return len(self.weights)

    @property
    def places(self) -> int:
        """Ranks that are decided: min(k, n)."""
        return min(self.depth, self.n)

    @property
    def codes(self) -> IntArray:
        """(n) one group per item, see :func:`hard_codes`."""
        return hard_codes(self.weights)


def hard_codes(weights: FloatArray) -> IntArray:
    """(n) the group of the largest weight, the first of equal ones; −1 where there is none.

    Examples:
        >>> hard_codes(np.array([[0.2, 0.6], [0.5, 0.5], [0.0, 0.0]]))
        array([ 1,  0, -1])
    """
    if not weights.shape[1]:
        return np.full(len(weights), UNLABELLED, dtype=np.int64)
    return np.where(weights.max(axis=1) > 0, weights.argmax(axis=1), UNLABELLED)


def completed(chosen: IntArray, n: int) -> IntArray:
    """(n) the chosen items, then all others in the order of the run.

    Examples:
        >>> completed(np.array([3, 1]), 4)
        array([3, 1, 0, 2])
    """
    left = np.ones(n, dtype=np.bool_)
    left[chosen] = False
    return np.concatenate([chosen, np.flatnonzero(left)]).astype(np.int64, copy=False)


# Sources of chance that re-rankers draw from, one number after another.


class Draws(Protocol):
    """A source of chance; NumPy's generators are one."""

    def random(self) -> float:
        """A number in [0, 1)."""
        ...

    def integers(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high`` − 1."""
        ...


class LegacyDraws:
    """NumPy's legacy stream, with which published implementations were seeded.

    Examples:
        >>> LegacyDraws(7).integers(1, 48)
        5
    """

    def __init__(self, seed: int) -> None:
        self._state = np.random.RandomState(seed)

    def random(self) -> float:
        """A number in [0, 1)."""
        return float(self._state.random_sample())

    def integers(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high`` − 1."""
        return int(self._state.randint(low, high))


# KL of a growing list from its target, for every item that could come next.
#
# A greedy re-ranker asks this at every rank, so what does not change from rank to rank is computed
# once. With x = the group weights of a list and s = Σx, KL(x/s ‖ t) = (Σ x ln x − Σ x ln t)/s − ln s.


TINY = 1e-300
"""Keeps ln finite at 0, where x ln x is 0."""


class NextDivergence:
    """Divergences of "the list and one more item" for each of n items.

    Args:
        weights: (n, G) group weights of the items.
        target: (G) shares.
    """

    def __init__(self, weights: FloatArray, target: FloatArray) -> None:
        self._weights = weights
        self._excluded = target <= 0
        self._rules_out = weights[:, self._excluded].sum(axis=1) > 0
        self._logs = np.log(np.where(self._excluded, 1.0, target))
        self._totals = weights.sum(axis=1)
        self._cross = weights @ self._logs

    def after(self, placed: FloatArray) -> FloatArray:
        """(n) KL with each item added to a list of group weights ``placed`` (G).

        Infinite where a group with share 0 is in the list; 0 where nothing in it has a label.

        Examples:
            >>> items = NextDivergence(np.eye(2), np.array([0.5, 0.5]))
            >>> items.after(np.array([0.0, 1.0]))
            array([0.        , 0.69314718])
        """
        if placed[self._excluded].any():
            return np.full(len(self._weights), np.inf)
        counts = placed + self._weights
        own = np.einsum("ig,ig->i", counts, np.log(np.maximum(counts, TINY)))
        totals = np.maximum(placed.sum() + self._totals, TINY)
        found = (own - self._cross - placed @ self._logs) / totals - np.log(totals)
        found[found < 0] = 0.0  # rounding
        found[totals <= TINY] = 0.0
        found[self._rules_out] = np.inf
        return found


# How many items of a group the first k ranks should hold: ⌊p k⌋ to ⌈p k⌉ (Geyik et al., 2019).


ROUNDING = 1e-9
"""A product this close to a whole number is it: 0.29 × 100 is 29, not 28.999999999999996."""


class Quotas(NamedTuple):
    """Least and most items of each group in each prefix, both (k, G)."""

    least: FloatArray
    most: FloatArray


def quotas(target: FloatArray, depth: int) -> Quotas:
    """⌊p_g k⌋ and ⌈p_g k⌉ for k = 1 … depth.

    Examples:
        >>> quotas(np.array([0.25, 0.75]), 2).least.tolist()
        [[0.0, 0.0], [0.0, 1.0]]
        >>> quotas(np.array([0.25, 0.75]), 2).most.tolist()
        [[1.0, 1.0], [1.0, 2.0]]
    """
    shares = np.arange(1, depth + 1)[:, None] * target
    return Quotas(np.floor(shares + ROUNDING), np.ceil(shares - ROUNDING))


def due_ranks(target: FloatArray, nth: FloatArray) -> FloatArray:
    """The first k at which ⌊p k⌋ reaches ``nth``; infinite for a share of 0.

    Args:
        target: (n) share of each item's group.
        nth: (n) the how-manieth of its group the item is, from 1.

    Examples:
        >>> due_ranks(np.array([0.3, 0.3, 0.0]), np.array([1.0, 3.0, 1.0]))
        array([ 4., 10., inf])
    """
    due = np.full(target.shape, np.inf)
    np.divide(nth - ROUNDING, target, out=due, where=target > 0)
    return np.ceil(due)


Irm: TypeAlias = Literal["alpha_nDCG", "nDCG", "RBP", "ERR_IA"]
"""The measure whose gains are optimised."""


class Utility(NamedTuple):
    """Gains that fade: an item is worth ``worth · interest``.

    ``interest`` starts at 1 in every aspect and is multiplied by ``fade`` of each placed item.

    Attributes:
        worth: (n, A) per item and aspect.
        fade: (n, A) what is left of the interest in an aspect below the item.
    """

    worth: FloatArray
    fade: FloatArray


def utility(candidates: Candidates, irm: Irm, alpha: float) -> Utility:
    """The gains of a measure.

    - ``alpha_nDCG``: Σ_a J(d, a) (1 − α)^(how much of a stands above) (Eq. 4);
    - ``nDCG``: the gain; ``RBP``: 1 if useful (Eq. 7);
    - ``ERR_IA``: Σ_a P(a) R_a(d) Π_{above} (1 − R_a) with R_a = alpha · J(d, a); equal P(a) drop
      out.

    Without gains every item is useful alike.

    Args:
        candidates: The query.
        irm: The measure.
        alpha: Novelty discount of ``alpha_nDCG``, chance of satisfaction of ``ERR_IA``.
    """
    gains = np.ones(candidates.n) if candidates.gains is None else candidates.gains
    match irm:
        case "alpha_nDCG":
            covered = coverage(candidates)
            return Utility(covered, np.power(1 - alpha, covered))
        case "ERR_IA":
            satisfied = alpha * coverage(candidates)
            return Utility(satisfied, 1 - satisfied)
        case "nDCG":
            worth = gains[:, None]
        case "RBP":
            worth = (gains[:, None] > 0).astype(np.float64)
    return Utility(worth, np.ones(worth.shape))


def coverage(candidates: Candidates) -> FloatArray:
    """(n, A) J(d, a): judged aspects, else the groups of useful items (all, without gains)."""
    if candidates.aspects is not None:
        return candidates.aspects
    if candidates.gains is None:
        return candidates.weights
    return candidates.weights * (candidates.gains > 0)[:, None]
