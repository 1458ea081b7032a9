"""Fairness of exposure: the most useful policy among those that share exposure as asked.

Singh & Joachims (2018, sections 3 and 4) maximise u^T P v over doubly stochastic P under linear constraints
f^T P v = 0. Both speak of ε = P v only, so the same optimum is found as a lottery over few rankings instead of n²
probabilities: by a revised simplex whose columns are found by sorting.

A policy over the n! rankings is a linear program with one column per ranking, of which only a basis of as many columns
as rows is ever held. The ranking to enter at prices μ is that by falling u − Σ_c μ_c F_c: a sort, since the exposure of
a ranking is the attention by rank put in its order (column generation: Gilmore & Gomory 1961; Dantzig & Wolfe 1960).
HiGHS would cost half a second of imports and more than 100 times as long.

With C constraints |f_c·ε| ≤ slack · h·ε the most useful policy solves

    max Σ_r λ_r u·ε_r   so that   Σ_r λ_r (±f_c − slack·h)·ε_r + z_c± = 0,  Σ_r λ_r = 1,  λ, z ≥ 0,

with one column per ranking r and 2C + 1 rows. A first phase, whose last row is Σ_r λ_r h·ε_r = 1, lowers the shortfall
s that is granted to all constraints (−s on the left); where it stops above 0, slack + s is the least with which they
can be met. A basic solution has at most C + 1 rankings: with slack, one of each pair z_c± is positive and takes a place
of the basis; without, only C + 1 rows are independent.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fairviz.model import FloatArray, IntArray, Mixture
from fairviz.reranking.candidates import check_program

Constraint: TypeAlias = Literal["DP", "DT", "DI", "target"]
"""Demographic parity, disparate treatment, disparate impact, or shares set by hand."""
Status: TypeAlias = Literal["optimal", "infeasible", "undefined"]

ZERO = 1e-12
"""Part of a group's Σ m|u| below which its Σ m u is 0."""

ROUNDING = 1e-14
"""Part of the largest coefficient below which a difference of two is 0."""

SUM_TOLERANCE = 1e-6
"""By which target shares may miss 1 through rounding."""


class ExposurePolicy(NamedTuple):
    """The most useful policy under a constraint, or why there is none.

    Attributes:
        status: "optimal"; "infeasible": no policy meets the constraint; "undefined": it divides by
            a mean utility of 0.
        mixture: At most one ranking more than there are constraints; empty unless optimal.
        gap: Utility that a better policy might have at most; NaN unless optimal.
        smallest_slack: Where infeasible the least slack with which some policy meets the
            constraint, exactly; else NaN.
    """

    status: Status
    mixture: Mixture
    gap: float = np.nan
    smallest_slack: float = np.nan


def fairness_of_exposure(
    utility: FloatArray,
    membership: FloatArray,
    weights: FloatArray,
    *,
    constraint: Constraint,
    target: FloatArray | None = None,
    slack: float = 0.0,
) -> ExposurePolicy:
    r"""The most useful policy for one query whose groups get exposure as asked.

    With membership m_dg, n_g = Σ_d m_dg and U_g = Σ_d m_dg u_d / n_g, a group has

    - DP, demographic parity (section 4.1): Σ_d m_dg ε_d / n_g;
    - DT, disparate treatment (4.2): the same divided by U_g;
    - DI, disparate impact (4.3): Σ_d m_dg u_d ε_d / (n_g U_g);

    and every group's value may differ from that of the first group that has items by at most
    ``slack``. For "target" the share of group g in all labelled exposure, Σ_d m_dg ε_d divided by
    its sum over g, may differ from ``target[g]`` by at most ``slack``; a policy under which no
    labelled item is seen meets every target. Items in no group are in no constraint.

    The optimum is that of the doubly stochastic program. The search ends when no ranking gains more
    than 1e-12 (max u − min u) Σv at the prices of the constraints, which bounds what is left;
    constraints hold to 1e-9 of the largest |f_d|.

    Args:
        utility: (n) u, of any sign.
        membership: (n, G) weights of each item in the groups; a row of zeros is unlabelled.
        weights: Attention at ranks 1, 2, …, falling; 0 after its end.
        constraint: What is compared between groups.
        target: (G) shares that sum to 1; with "target" only.
        slack: How far the groups may be apart, in the unit of what is compared.

    Raises:
        ValueError: If an argument has a wrong shape, is not finite or out of its range.

    Examples:
        Two items of two groups: equal exposure needs both orders with equal chances.

        >>> policy = fairness_of_exposure(
        ...     np.array([1.0, 0.0]), np.eye(2), np.array([1.0, 0.5]), constraint="DP"
        ... )
        >>> policy.mixture.chances, policy.mixture.exposure(np.array([1.0, 0.5]))
        (array([0.5, 0.5]), array([0.75, 0.75]))
    """
    if constraint not in get_args(Constraint):
        raise ValueError(f"constraint must be one of {', '.join(get_args(Constraint))}")
    if (constraint == "target") != (target is not None):
        raise ValueError("target= is needed for constraint='target', and for no other")
    if membership.shape != (utility.size, membership.shape[-1]):
        raise ValueError(f"membership: one row per item is needed, got {membership.shape}")
    check_program(utility, membership, weights, slack)
    if target is not None and target.shape != membership.shape[1:]:
        raise ValueError(f"target: one share per group is needed, got {target.shape}")
    if target is not None and not ((target >= 0).all() and abs(target.sum() - 1) <= SUM_TOLERANCE):
        raise ValueError("target: shares are at least 0 and sum to 1")
    attention = np.zeros(utility.size)
    attention[: weights.size] = weights[: utility.size]
    filled = membership.sum(axis=0) > 0
    zero = filled & (np.abs(utility @ membership) <= ZERO * (np.abs(utility) @ membership))
    if constraint in ("DT", "DI") and filled.sum() > 1 and zero.any():
        return ExposurePolicy("undefined", _no_mixture(utility.size))
    if target is not None:
        unit = membership.sum(axis=1)
        differences = _difference(membership, unit[:, None] * target).T[filled]
    else:
        unit = np.full(utility.size, 1 / (float(attention.sum()) or 1.0))
        differences = _to_first_group(utility, membership[:, filled], constraint)
    try:
        return most_useful(utility, differences, unit, attention, slack=slack)
    except ArithmeticError:
        return most_useful(utility, differences, unit, attention, slack=slack + EDGE)


def _to_first_group(utility: FloatArray, m: FloatArray, constraint: Constraint) -> FloatArray:
    """(G − 1, n) differences f of each further group to the first."""
    if m.shape[1] < 2:
        return np.empty((0, utility.size))
    match constraint:
        case "DP":
            per_group = m / m.sum(axis=0)
        case "DT":
            per_group = m / (utility @ m)
        case _:
            per_group = m * utility[:, None] / (utility @ m)
    return _difference(per_group[:, 1:], per_group[:, :1]).T


def _difference(a: FloatArray, b: FloatArray) -> FloatArray:
    """The difference, with 0 where it is rounding: a constraint on rounding could not be met."""
    difference = a - b
    difference[np.abs(difference) <= ROUNDING * np.abs(a).max(initial=0.0)] = 0.0
    return difference


def _no_mixture(n_items: int) -> Mixture:
    return Mixture(np.empty(0), np.empty((0, n_items), dtype=np.int64))


GAIN = 1e-12
"""Part of Σv that a column must gain to be worth entering."""
PIVOT = 1e-9
"""Least entry of a direction that can be divided by."""

TIE = 1e-13
"""Ratios this close are equal: rows without slack make many of them."""

MOST_STEPS = 10_000
"""Far more than were ever needed: rounding must not turn into an endless loop."""

EDGE = 1e-6
"""Slack that is added where it is so nearly the smallest possible that rounding decides what is."""

RANKING = -1
"""Mark of a basic column that is a ranking."""

MET = 1e-13
"""A row that is exceeded by less, per Σv, is not."""

GRANTED = 1e-10
"""A shortfall that may be rounding and is granted, per largest |f|."""

UNUSED = 1e-13
"""Chance of a ranking that is rounding."""


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


def ranked(worth: FloatArray, attention: FloatArray) -> tuple[IntArray, FloatArray]:
    """The ranking by falling worth, ties in the given order, and the attention that each item gets.

    It maximises Σ worth·exposure.
    """
    order = np.argsort(-worth, kind="stable")
    exposure = np.empty(attention.size)
    exposure[order] = attention
    return order, exposure


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
    for index in np.flatnonzero(basis.kinds == RANKING):
        costs[index] = value[basis.orders[index]] @ attention
    for _ in range(MOST_STEPS):
        try:
            inverse = np.linalg.inv(basis.columns).astype(np.float64, copy=False)
        except np.linalg.LinAlgError:
            break
        if not np.abs(inverse).max() < 1 / TIE:  # as good as singular
            break
        prices = costs @ inverse
        # What is basic already gains nothing, slack as rankings: what seems left is rounding.
        free = np.where(np.isin(np.arange(costs.size - 1), basis.kinds), 0.0, prices[:-1])
        unpriced = int(np.argmin(free))
        if free[unpriced] < -least:
            column = np.zeros(costs.size)
            column[unpriced] = 1.0
            index = _leaving(inverse, inverse @ column)
            basis.kinds[index], costs[index] = unpriced, 0.0
        else:
            worth = value - prices @ rows
            order, exposure = ranked(worth, attention)
            gain = float(worth @ exposure)
            if gain <= least or _holds(basis, order):
                return max(0.0, gain)
            column = rows @ exposure
            index = _leaving(inverse, inverse @ column)
            basis.kinds[index], costs[index] = RANKING, float(value @ exposure)
            basis.orders[index] = order
        basis.columns[:, index] = column
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


def most_useful(
    utility: FloatArray, differences: FloatArray, unit: FloatArray, attention: FloatArray, *, slack: float
) -> ExposurePolicy:
    """The policy of largest utility that keeps |differences @ ε| ≤ slack · (unit @ ε), or the slack that one needs.

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
    if (sides @ best[1]).max(initial=0.0) <= MET * total:
        return ExposurePolicy("optimal", Mixture.of_list(best[0]), 0.0)
    scale = np.full((1, utility.size), 1 / total)
    rows = np.concatenate([sides, scale])
    fewest = ranked(-unit, attention)
    if unit @ fewest[1] == 0:
        basis = _meeting(rows, *fewest)
    else:
        per_unit = np.concatenate([sides, unit[None]])
        basis = _missing(per_unit, *best)
        ascend(basis, per_unit, attention, utility)
        if basis.short:
            shortfall = size * float(basis.amounts[basis.kinds == basis.kinds.size - 1][0])
            if shortfall > GRANTED * size:
                return ExposurePolicy("infeasible", _no_mixture(utility.size), smallest_slack=slack + shortfall)
            return most_useful(utility, differences, unit, attention, slack=slack + shortfall + GRANTED * size)
        basis.columns[-1, basis.kinds == RANKING] = 1.0
    spread = float(np.ptp(utility)) or 1.0
    gain = ascend(basis, rows, attention, (utility - utility.mean()) / spread)
    return ExposurePolicy("optimal", _mixture(basis), gain * spread)


def _meeting(rows: FloatArray, order: IntArray, exposure: FloatArray) -> Basis:
    """A basis of one ranking that meets every constraint, and the slack that it leaves."""
    m = len(rows)
    columns = np.eye(m)
    columns[:, -1] = rows @ exposure
    orders = np.zeros((m, order.size), dtype=np.int64)
    orders[-1] = order
    return Basis(columns, np.array([*range(m - 1), RANKING]), orders)


def _missing(rows: FloatArray, order: IntArray, exposure: FloatArray) -> Basis:
    """A basis of one ranking and the shortfall of the constraint that it misses most."""
    basis = _meeting(rows, order, exposure)
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
