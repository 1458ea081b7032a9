"""Small queries for the tests of re-rankers, and the program over n² probabilities, solved by HiGHS."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from fairviz.model import FloatArray
from fairviz.reranking.candidates import Candidates


def query(labels: str, target: Sequence[float], depth: int, gains: Sequence[float] | None = None) -> Candidates:
    """Items "AAB-" in run order; "-" is unlabelled, "A" the first group of the target."""
    groups = "ABCDEFGH"[: len(target)]
    weights = [[float(label == group) for group in groups] for label in labels]
    return Candidates(
        weights=np.array(weights).reshape(len(labels), len(target)),
        target=np.array(target, dtype=np.float64),
        depth=depth,
        gains=None if gains is None else np.array(gains, dtype=np.float64),
    )


@st.composite
def targets(draw: st.DrawFn, most: int = 4) -> list[float]:
    """Shares, some of them 0, over one to ``most`` groups."""
    parts = draw(st.lists(st.integers(0, 6), min_size=1, max_size=most).filter(any))
    return [part / sum(parts) for part in parts]


@st.composite
def queries(draw: st.DrawFn, *, unlabelled: bool = True, most: int = 4) -> Candidates:
    """Up to 14 items in up to ``most`` groups, with or without gains, k beyond n at times."""
    target = draw(targets(most))
    alphabet = "ABCDEFGH"[: len(target)] + ("-" if unlabelled else "")
    labels = draw(st.text(alphabet, max_size=14))
    gains = draw(st.none() | st.lists(st.integers(0, 2), min_size=14, max_size=14))
    return query(labels, target, draw(st.integers(1, 16)), gains and gains[: len(labels)])


@st.composite
def soft_queries(draw: st.DrawFn) -> Candidates:
    """Items that belong to two or three groups in eighths, some in part unlabelled."""
    target = draw(targets(3))
    n = draw(st.integers(0, 9))
    row = st.lists(st.integers(0, 2), min_size=len(target), max_size=len(target))
    weights = np.array(draw(st.lists(row, min_size=n, max_size=n)), dtype=np.float64) / 8
    return Candidates(weights=weights.reshape(n, len(target)), target=np.array(target), depth=draw(st.integers(1, 10)))


def constraints(
    utility: FloatArray, m: FloatArray, constraint: str, target: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """(C, n) f and (n) h of |f·ε| ≤ slack · h·ε; without h, slack is on f·ε itself."""
    filled = [m[:, g] for g in range(m.shape[1]) if m[:, g].any()]
    if constraint == "target":
        wanted = target[m.any(axis=0)]
        labelled = m.sum(axis=1)
        rows = [own - share * labelled for own, share in zip(filled, wanted, strict=True)]
        return np.array(rows).reshape(-1, utility.size), labelled
    values: list[FloatArray] = []
    for own in filled:
        n_g = own.sum()
        match constraint:
            case "DP":
                values.append(own / n_g)
            case "DT":
                values.append(own / (n_g * (own @ utility / n_g)))
            case _:
                values.append(own * utility / (n_g * (own @ utility / n_g)))
    rows = [value - values[0] for value in values[1:]]
    return np.array(rows).reshape(-1, utility.size), np.array([])


def largest_utility(utility: FloatArray, v: FloatArray, f: FloatArray, h: FloatArray, slack: float) -> float:
    """max u^T P v; NaN where no P meets the constraints."""
    n = utility.size
    sums, ones = _sums(n), np.ones(2 * n)
    sides = np.concatenate([f, -f])
    rows = np.array([np.outer(side, v).ravel() for side in sides]).reshape(-1, n * n)
    limits = np.array([np.outer(slack * h, v).ravel()] * len(sides)).reshape(-1, n * n)
    result = linprog(
        -np.outer(utility, v).ravel(),
        A_eq=sums,
        b_eq=ones,
        A_ub=rows - limits,
        b_ub=np.zeros(len(sides)),
        method="highs",
    )
    return -float(result.fun) if result.status == 0 else float("nan")


def least_slack(v: FloatArray, f: FloatArray, h: FloatArray) -> float:
    """min s so that |f·ε| ≤ s · h·ε: over κP, κ and s with h·(κP)v = 1 (Charnes & Cooper 1962)."""
    n = v.size
    sums = sparse.hstack([_sums(n), -np.ones((2 * n, 1)), np.zeros((2 * n, 1))])
    scale = np.concatenate([np.outer(h, v).ravel(), [0, 0]])[None]
    rows = [np.concatenate([np.outer(side, v).ravel(), [0, -1]]) for side in [*f, *-f]]
    cost = np.zeros(n * n + 2)
    cost[-1] = 1
    result = linprog(
        cost,
        A_eq=sparse.vstack([sums, scale]),
        b_eq=[*np.zeros(2 * n), 1],
        A_ub=np.array(rows),
        b_ub=np.zeros(len(rows)),
        method="highs",
    )
    assert result.status == 0
    return float(result.fun)


def _sums(n: int) -> sparse.coo_array:
    """(2n, n²) sums over ranks of each item, then over items of each rank."""
    one = np.ones((1, n))
    return sparse.vstack([sparse.kron(sparse.eye_array(n), one), sparse.kron(one, sparse.eye_array(n))])
