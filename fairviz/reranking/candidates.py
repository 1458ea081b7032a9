"""What a re-ranker sees of one query: its items, best first, as arrays; and the chance that it may draw from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.model.arrays import frozen

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
        frozen(self.weights, self.target)

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


def completed(first: IntArray, n: int) -> IntArray:
    """(n) the chosen items, then all others in the order of the run.

    Examples:
        >>> completed(np.array([3, 1]), 4)
        array([3, 1, 0, 2])
    """
    left = np.ones(n, dtype=np.bool_)
    left[first] = False
    return np.concatenate([first, np.flatnonzero(left)]).astype(np.int64, copy=False)


def check_program(utility: FloatArray, membership: FloatArray, attention: FloatArray, slack: float) -> None:
    """Refuse what no policy of rankings can be computed of.

    Args:
        utility: Of every item, of any sign.
        membership: Weights of every item in groups.
        attention: By rank.
        slack: How far groups may be from what is asked.

    Raises:
        ValueError: An argument is not finite or out of its range.
    """
    if not np.isfinite(utility).all():
        raise ValueError("utility must be finite")
    if not (np.isfinite(membership).all() and (membership >= 0).all()):
        raise ValueError("membership must be finite and at least 0")
    if not np.isfinite(attention).all() or (np.diff(attention, append=0.0) > 0).any() or not attention[:1].any():
        raise ValueError("attention must be finite, fall with rank from above 0 and be at least 0")
    if not 0 <= slack < np.inf:
        raise ValueError(f"slack must be finite and at least 0, got {slack}")


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


def among_labelled(candidates: Candidates, order: Callable[..., IntArray], **options: object) -> IntArray:
    """Re-rank the labelled items among the ranks that labelled items hold; what has no label keeps its rank.

    Quotas are of labelled items then, as shares are in AWRF and NDKL: a list of which little is
    labelled is not rebuilt from that little.

    Args:
        candidates: The query.
        order: A re-ranker that counts items of groups.
        options: What it may be told.

    Returns:
        (n) item positions; where k ranks hold m labelled items, the first m of them are its choice.
    """
    seats = np.flatnonzero(candidates.codes >= 0)
    n_decided = int(np.count_nonzero(seats < candidates.places))
    ranking = np.arange(candidates.n)
    if n_decided:
        inner = Candidates(weights=candidates.weights[seats], target=candidates.target, depth=n_decided)
        ranking[seats] = seats[order(inner, **options)]
    return completed(ranking[: candidates.places], candidates.n)
