"""Fairness of exposure by column generation, against its program over n² probabilities."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from benchmarks.measuring import Goal, Row, interleaved, ratio, shown
from fairviz.kernels.attention import Discounted
from fairviz.model import FloatArray
from fairviz.reranking.fairness_of_exposure import Constraint, ExposurePolicy, fairness_of_exposure

N_ITEMS = 200
N_GROUPS = 3
REPEATS = 2
CONSTRAINTS: tuple[Constraint, ...] = ("DP", "DT", "DI", "target")
NAMES = {"DP": "demographic parity", "DT": "disparate treatment", "DI": "disparate impact", "target": "target shares"}


def rows(*, small: bool) -> Iterator[Row]:
    """Ratio of times per constraint, and the largest difference of an optimum."""
    utility, membership = instance(8 if small else N_ITEMS)
    weights = Discounted().weights(utility.size)
    worst = 0.0
    for constraint in CONSTRAINTS:
        # Shares of the groups are what the uniform policy has: always within reach.
        target = membership.mean(axis=0) if constraint == "target" else None
        ours = _solver(utility, membership, weights, constraint, target)
        theirs = program(utility, membership, weights, constraint, target)
        by_us, by_them = interleaved(ours, theirs, repeats=1 if small else REPEATS)
        worst = max(worst, abs(float(utility @ ours().mixture.exposure(weights)) - theirs()))
        yield Row(
            what=f"fairness of exposure, {NAMES[constraint]}: HiGHS on n² probabilities / ours",
            value=ratio(by_them, by_us),
            unit="×",
            goal=Goal(50, at_least=True),
            note=f"{shown(by_them)} / {shown(by_us)}; {utility.size} items, {N_GROUPS} groups",
        )
    yield Row(what="largest difference of an optimum to HiGHS", value=worst, unit="", goal=Goal(1e-6))


def instance(n_items: int, *, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """(n) utilities, skewed as scores are, and (n, G) membership of one group each."""
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.arange(n_items) % N_GROUPS)
    return np.sort(rng.gamma(2.0, 0.2, n_items))[::-1] + 0.3, np.eye(N_GROUPS)[groups]


def program(
    utility: FloatArray, membership: FloatArray, weights: FloatArray, constraint: Constraint, target: FloatArray | None
) -> Callable[[], float]:
    """Solve max u^T P v over doubly stochastic P with f^T P v = 0; matrices are made beforehand.

    HiGHS by interior points, which is faster here than its simplex method.
    """
    n = utility.size
    match constraint:
        case "DP":
            per_group = membership / membership.sum(axis=0)
        case "DT":
            per_group = membership / (utility @ membership)
        case "DI":
            per_group = membership * utility[:, None] / (utility @ membership)
        case "target":
            per_group = membership - target
    differences = per_group[:, 1:] if constraint == "target" else per_group[:, 1:] - per_group[:, :1]
    one, unit = np.ones((1, n)), sparse.eye_array(n)
    constraints = [np.outer(f, weights).reshape(1, -1) for f in differences.T]
    equal = sparse.csc_array(sparse.vstack([sparse.kron(unit, one), sparse.kron(one, unit), *constraints]))
    sums = np.concatenate([np.ones(2 * n), np.zeros(len(constraints))])
    cost = -np.outer(utility, weights).ravel()

    def solve() -> float:
        found = linprog(cost, A_eq=equal, b_eq=sums, method="highs-ipm")
        if found.status != 0:
            raise RuntimeError(f"HiGHS: {found.message}")
        return -float(found.fun)

    return solve


def _solver(
    utility: FloatArray, membership: FloatArray, weights: FloatArray, constraint: Constraint, target: FloatArray | None
) -> Callable[[], ExposurePolicy]:
    return lambda: fairness_of_exposure(utility, membership, weights, constraint=constraint, target=target)
