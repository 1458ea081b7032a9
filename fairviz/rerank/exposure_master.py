"""The master program of fairness of exposure: few rankings that meet constraints together.

With C constraints |f_c·ε| ≤ slack · h·ε the most useful policy solves

    max Σ_r λ_r u·ε_r   so that   Σ_r λ_r (±f_c − slack·h)·ε_r + z_c± = 0,  Σ_r λ_r = 1,  λ, z ≥ 0,

with one column per ranking r and 2C + 1 rows. A first phase, whose last row is Σ_r λ_r h·ε_r = 1,
lowers the shortfall s that is granted to all constraints (−s on the left); where it stops above 0,
slack + s is the least with which they can be met.

A basic solution has at most C + 1 rankings: with slack, one of each pair z_c± is positive and takes
a place of the basis; without, only C + 1 rows are independent.
"""

from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray, Mixture
from fairviz.rerank.column_generation import RANKING, Basis, Ranked, ascend, ranked

MET = 1e-13
"""A row that is exceeded by less, per Σv, is not."""

GRANTED = 1e-10
"""A shortfall that may be rounding and is granted, per largest |f|."""

UNUSED = 1e-13
"""Chance of a ranking that is rounding."""


class Optimum(NamedTuple):
    """The best mixture and how far it may be from the bound, or what no policy can do without.

    Attributes:
        mixture: Empty if the constraints cannot be met.
        gap: Utility that a better policy might have at most.
        shortfall: What the slack lacks at least; 0 if the constraints can be met.
    """

    mixture: Mixture
    gap: float
    shortfall: float


def most_useful(
    utility: FloatArray,
    differences: FloatArray,
    unit: FloatArray,
    attention: FloatArray,
    *,
    slack: float,
) -> Optimum:
    """The policy of largest utility that keeps |differences @ ε| ≤ slack · (unit @ ε).

    Args:
        utility: (n) u.
        differences: (C, n) constraints f_c.
        unit: (n) h ≥ 0, in which slack is measured; a policy with h·ε = 0 has f_c·ε = 0.
        attention: (n) attention by rank, falling, not all 0.
        slack: At least 0.
    """
    total = float(attention.sum())
    size = float(np.abs(differences).max(initial=0.0)) or 1.0
    sides = (np.concatenate([differences, -differences]) - slack * unit) / size
    best = ranked(utility, attention)
    if (sides @ best.exposure).max(initial=0.0) <= MET * total:
        return Optimum(Mixture(np.ones(1), best.order[None]), 0.0, 0.0)
    scale = np.full((1, utility.size), 1 / total)
    rows = np.concatenate([sides, scale])
    fewest = ranked(-unit, attention)
    if unit @ fewest.exposure == 0:
        basis = _meeting(rows, fewest)
    else:
        per_unit = np.concatenate([sides, unit[None]])
        basis = _missing(per_unit, best)
        ascend(basis, per_unit, attention, utility)
        if basis.short:
            shortfall = size * float(basis.amounts[basis.kinds == basis.kinds.size - 1][0])
            if shortfall > GRANTED * size:
                none = Mixture(np.empty(0), np.empty((0, utility.size), dtype=np.int64))
                return Optimum(none, np.nan, shortfall)
            return most_useful(utility, differences, unit, attention, slack=slack + shortfall + GRANTED * size)
        basis.columns[-1, basis.kinds == RANKING] = 1.0
    spread = float(np.ptp(utility)) or 1.0
    gain = ascend(basis, rows, attention, (utility - utility.mean()) / spread)
    return Optimum(_mixture(basis), gain * spread, 0.0)


def _meeting(rows: FloatArray, start: Ranked) -> Basis:
    """A basis of one ranking that meets every constraint, and the slack that it leaves."""
    m = len(rows)
    columns = np.eye(m)
    columns[:, -1] = rows @ start.exposure
    orders = np.zeros((m, start.order.size), dtype=np.int64)
    orders[-1] = start.order
    return Basis(columns, np.array([*range(m - 1), RANKING]), orders)


def _missing(rows: FloatArray, start: Ranked) -> Basis:
    """A basis of one ranking and the shortfall of the constraint that it misses most."""
    basis = _meeting(rows, start)
    spent = basis.columns[:-1, -1]
    # The last of equals: so the rows of the inverse begin lexicographically positive.
    worst = int(np.flatnonzero(spent == spent.max())[-1])
    basis.columns[:-1, worst] = -1.0
    basis.kinds[worst] = spent.size
    return basis


def _mixture(basis: Basis) -> Mixture:
    """The rankings of a basis, the likeliest first."""
    amounts = basis.amounts
    used = np.flatnonzero((basis.kinds == RANKING) & (amounts > UNUSED))
    used = used[np.argsort(-amounts[used], kind="stable")]
    return Mixture(amounts[used] / amounts[used].sum(), basis.orders[used])
