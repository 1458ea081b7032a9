"""Fairness of exposure: the most useful policy among those that share exposure as asked.

Singh & Joachims (2018, sections 3 and 4) maximise u^T P v over doubly stochastic P under linear constraints
f^T P v = 0. Both speak of ε = P v only, so the same optimum is found as a lottery over few rankings instead of n²
probabilities (``column_generation``).
"""

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fairviz.model import BoolArray, FloatArray, Mixture
from fairviz.rerankers.column_generation import most_useful

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
        utility: u^T P v of the mixture; NaN unless optimal.
        bound: No policy that meets the constraint has more utility; NaN unless optimal.
        group_exposure: (G) Σ_d m_dg ε_d; NaN unless optimal.
        smallest_slack: Where infeasible the least slack with which some policy meets the
            constraint, exactly; else NaN.
        empty_groups: Groups without an item: no constraint can be put on them.
        zero_groups: Groups whose mean utility is 0, by which DT and DI would divide.
    """

    status: Status
    mixture: Mixture
    utility: float
    bound: float
    group_exposure: FloatArray
    smallest_slack: float
    empty_groups: tuple[int, ...]
    zero_groups: tuple[int, ...]


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
        >>> policy.mixture.chances, policy.utility
        (array([0.5, 0.5]), 0.75)
    """
    if constraint not in get_args(Constraint):
        raise ValueError(f"constraint must be one of {', '.join(get_args(Constraint))}")
    if (constraint == "target") != (target is not None):
        raise ValueError("target= is needed for constraint='target', and for no other")
    _check(utility, membership, weights, target, slack)
    attention = np.zeros(utility.size)
    attention[: weights.size] = weights[: utility.size]
    filled = membership.sum(axis=0) > 0
    zero = filled & (np.abs(utility @ membership) <= ZERO * (np.abs(utility) @ membership))
    none = ExposurePolicy(
        status="undefined",
        mixture=Mixture(np.empty(0), np.empty((0, utility.size), dtype=np.int64)),
        utility=np.nan,
        bound=np.nan,
        group_exposure=np.full(membership.shape[1], np.nan),
        smallest_slack=np.nan,
        empty_groups=_places(~filled),
        zero_groups=_places(zero),
    )
    if constraint in ("DT", "DI") and filled.sum() > 1 and zero.any():
        return none
    if target is not None:
        unit = membership.sum(axis=1)
        differences = _apart(membership, unit[:, None] * target).T[filled]
    else:
        unit = np.full(utility.size, 1 / (float(attention.sum()) or 1.0))
        differences = _to_first_group(utility, membership[:, filled], constraint)
    optimum = most_useful(utility, differences, unit, attention, slack=slack)
    if optimum.shortfall > 0:
        return none._replace(status="infeasible", smallest_slack=slack + optimum.shortfall)
    exposure = optimum.mixture.exposure(attention)
    gained = float(utility @ exposure)
    return none._replace(
        status="optimal",
        mixture=optimum.mixture,
        utility=gained,
        bound=gained + optimum.gap,
        group_exposure=exposure @ membership,
    )


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
    return _apart(per_group[:, 1:], per_group[:, :1]).T


def _apart(a: FloatArray, b: FloatArray) -> FloatArray:
    """The difference, with 0 where it is rounding: a constraint on rounding could not be met."""
    difference = a - b
    difference[np.abs(difference) <= ROUNDING * np.abs(a).max(initial=0.0)] = 0.0
    return difference


def _places(where: BoolArray) -> tuple[int, ...]:
    return tuple(int(g) for g in np.flatnonzero(where))


def _check(
    utility: FloatArray,
    membership: FloatArray,
    weights: FloatArray,
    target: FloatArray | None,
    slack: float,
) -> None:
    if membership.shape != (utility.size, membership.shape[-1]):
        raise ValueError(f"membership: one row per item is needed, got {membership.shape}")
    if not np.isfinite(utility).all():
        raise ValueError("utility must be finite")
    if not (np.isfinite(membership).all() and (membership >= 0).all()):
        raise ValueError("membership must be finite and at least 0")
    if not np.isfinite(weights).all() or (np.diff(weights, append=0.0) > 0).any():
        raise ValueError("weights must be finite, fall with rank and be at least 0")
    if not weights[:1].any():
        raise ValueError("weights: the first rank needs attention")
    if target is not None and target.shape != membership.shape[1:]:
        raise ValueError(f"target: one share per group is needed, got {target.shape}")
    if target is not None and not ((target >= 0).all() and abs(target.sum() - 1) <= SUM_TOLERANCE):
        raise ValueError("target: shares are at least 0 and sum to 1")
    if not 0 <= slack < np.inf:
        raise ValueError(f"slack must be finite and at least 0, got {slack}")
