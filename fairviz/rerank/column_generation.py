"""Revised simplex over rankings, whose columns are found by sorting.

A policy over the n! rankings is a linear program with one column per ranking, of which only a basis
of as many columns as rows is ever held. The ranking to enter at prices μ is that by falling
u − Σ_c μ_c F_c: a sort, since the exposure of a ranking is the attention by rank put in its order
(column generation: Gilmore & Gomory 1961; Dantzig & Wolfe 1960).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, IntArray

GAIN = 1e-12
"""Part of Σv that a column must gain to be worth entering."""

PIVOT = 1e-9
"""Least entry of a direction that can be divided by."""

TIE = 1e-13
"""Ratios this close are equal: rows without slack make many of them."""

MOST_STEPS = 100_000
"""Far more than were ever needed: rounding must not turn into an endless loop."""

RANKING = -1
"""Mark of a basic column that is a ranking."""


class Ranked(NamedTuple):
    """A ranking: items best first, and the attention that each item gets."""

    order: IntArray
    exposure: FloatArray


@dataclass(slots=True)
class Basis:
    """The columns in use, exchanged in place by :func:`ascend`.

    Attributes:
        columns: (m, m) one column per place; the rows up to the last sum to 0, the last to 1.
        kinds: (m) what stands in each place: RANKING, or a row c < m − 1 whose unused slack it is,
            or m − 1 for the shortfall of all rows together.
        orders: (m, n) items of each ranking, best first; meaningless in other places.
    """

    columns: FloatArray
    kinds: IntArray
    orders: IntArray

    @property
    def short(self) -> bool:
        """Whether the shortfall is in use."""
        return bool((self.kinds == self.kinds.size - 1).any())

    @property
    def amounts(self) -> FloatArray:
        """(m) how much of each column is used; chances, for rankings whose last row sums to 1."""
        sums = np.zeros(self.kinds.size)
        sums[-1] = 1.0
        return np.linalg.solve(self.columns, sums).astype(np.float64, copy=False)


def ranked(worth: FloatArray, attention: FloatArray) -> Ranked:
    """The ranking by falling worth, ties in the given order: it maximises Σ worth·exposure."""
    order = np.argsort(-worth, kind="stable")
    exposure = np.empty(attention.size)
    exposure[order] = attention
    return Ranked(order, exposure)


def ascend(basis: Basis, rows: FloatArray, attention: FloatArray, usefulness: FloatArray) -> float:
    """Exchange columns until none gains, or until a shortfall has left.

    While the shortfall is basic it is lowered, and usefulness plays no part. Ties of the ratio test
    are broken lexicographically, so that no basis comes twice (Dantzig, Orden & Wolfe 1955).

    Args:
        basis: Where to start; is changed.
        rows: (m, n) what a unit of each item's exposure spends of every row.
        attention: (n) attention by rank, falling.
        usefulness: (n) u; entries of all arrays should be about 1 in size or smaller.

    Returns:
        What any policy may gain beyond the basis at most; 0 where a shortfall has left.

    Raises:
        ArithmeticError: If rounding keeps it from ending.
    """
    least = GAIN * float(attention.sum())
    lowering = basis.short
    value = np.zeros(usefulness.size) if lowering else usefulness
    costs = np.where(basis.kinds == basis.kinds.size - 1, -1.0, 0.0)
    for place in np.flatnonzero(basis.kinds == RANKING):
        costs[place] = value[basis.orders[place]] @ attention
    for _ in range(MOST_STEPS):
        inverse = np.linalg.inv(basis.columns).astype(np.float64, copy=False)
        prices = costs @ inverse
        unpriced = int(np.argmin(prices[:-1]))
        if prices[unpriced] < -least:
            column = np.zeros(costs.size)
            column[unpriced] = 1.0
            place = _leaving(inverse, inverse @ column)
            basis.kinds[place], costs[place] = unpriced, 0.0
        else:
            worth = value - prices @ rows
            order, exposure = ranked(worth, attention)
            gain = float(worth @ exposure)
            # A ranking that is basic already gains nothing: what seems left is rounding.
            if gain <= least or _holds(basis, order):
                return max(0.0, gain)
            column = rows @ exposure
            place = _leaving(inverse, inverse @ column)
            basis.kinds[place], costs[place] = RANKING, float(value @ exposure)
            basis.orders[place] = order
        basis.columns[:, place] = column
        if lowering and not basis.short:
            return 0.0
    raise ArithmeticError("fairness of exposure did not converge")


def _leaving(inverse: FloatArray, direction: FloatArray) -> int:
    """The place whose column is used up first as the direction is followed.

    Only the last row sums to 1, so the amounts are the last column of the inverse; its other
    columns, from the first on, break ties.
    """
    # Amounts are bounded, so that some entry is positive; one below PIVOT only if all others are.
    limiting = np.flatnonzero(direction >= min(PIVOT, direction.max()))
    for column in range(-1, direction.size - 1):
        if limiting.size == 1:
            break
        ratios = inverse[limiting, column] / direction[limiting]
        limiting = limiting[ratios <= ratios.min() + TIE]
    return int(limiting[0])


def _holds(basis: Basis, order: IntArray) -> bool:
    return bool((basis.orders[basis.kinds == RANKING] == order).all(axis=1).any())
