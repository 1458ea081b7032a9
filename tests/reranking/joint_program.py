"""Random instances of several queries under statements, and their program over doubly stochastic matrices, by HiGHS."""

from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from fairviz.model import FloatArray, IntArray
from fairviz.reranking.amortised import AmortisedPolicy, Statements, amortised


class Instance(NamedTuple):
    """What :func:`amortised` reads."""

    utility: FloatArray
    membership: FloatArray
    offsets: IntArray
    attention: FloatArray
    statements: Statements
    weights: FloatArray | None
    slack: float

    def solve(self, **changes: object) -> AmortisedPolicy:
        """The policy of the instance, or of one that differs from it."""
        utility, membership, offsets, attention, statements, weights, slack = self._replace(**changes)
        return amortised(utility, membership, offsets, attention, statements, weights=weights, slack=slack)


def random_instance(rng: np.random.Generator) -> Instance:
    """One to five queries of one to five items; one or two attributes, hard, soft and missing labels, ties, weights."""
    n_queries = int(rng.integers(1, 6))
    sizes = rng.integers(1, 6, n_queries)
    n_items = int(sizes.sum())
    utility = rng.random(n_items) if rng.random() < 0.6 else rng.integers(0, 3, n_items).astype(np.float64)
    if rng.random() < 0.1:
        utility -= 0.5
    blocks, attributes = [], []
    for attribute in range(int(rng.integers(1, 3))):
        n_groups = int(rng.integers(2, 4))
        block = np.eye(n_groups)[rng.integers(0, n_groups, n_items)]
        soft = rng.random(n_items) < 0.3 * (rng.random() < 0.3)
        block[soft] = rng.dirichlet(np.ones(n_groups), int(soft.sum())) * rng.choice([0.5, 1.0])
        block[rng.random(n_items) < 0.3 * (rng.random() < 0.4)] = 0
        blocks.append(block)
        attributes += [attribute] * n_groups
    low, high = zip(*(_stated(rng, block.shape[1]) for block in blocks), strict=True)
    statements = Statements(np.array(attributes), np.concatenate(low), np.concatenate(high))
    depth = int(rng.integers(1, 6))
    attention = [1 / np.log2(np.arange(2, depth + 2)), np.ones(depth), 0.5 ** np.arange(depth)][int(rng.integers(3))]
    weights = rng.uniform(0.2, 3, n_queries) if rng.random() < 0.4 else None
    slack = float(rng.choice([0.0, 0.0, 0.02, 0.15]))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Instance(utility, np.concatenate(blocks, axis=1), offsets, attention, statements, weights, slack)


def _stated(rng: np.random.Generator, n_groups: int) -> tuple[FloatArray, FloatArray]:
    """Exact shares, ranges, or a least share of one group."""
    target = rng.dirichlet(np.full(n_groups, 3.0))
    kind = int(rng.integers(3))
    if kind == 0:
        return target, target
    if kind == 1:
        return np.maximum(target - 0.1, 0), np.minimum(target + 0.05, 1)
    low = np.zeros(n_groups)
    low[0] = target[0]
    return low, np.ones(n_groups)


def _program(instance: Instance, slack: float) -> tuple[FloatArray, sparse.csr_array, FloatArray]:
    """Costs, rows that equal 1 and rows of at most 0 of max Σ u P v over P, x and y of all queries.

    Written down row by row from the definition: columns are the entries of P of each query, then a lack and an excess
    of each group.
    """
    utility, membership, offsets, attention, (attributes, low, high), weights, _ = instance
    often = np.ones(offsets.size - 1) if weights is None else weights
    blocks, exposed = [], []
    for start, end in pairwise(offsets):
        n = int(end - start)
        one = np.ones((1, n))
        eye = sparse.eye_array(n)
        blocks.append(sparse.vstack([sparse.kron(eye, one), sparse.kron(one, eye)]))
        exposed.append(sparse.kron(eye, np.concatenate([attention, np.zeros(n)])[:n][None]))
    per_item = np.repeat(often, np.diff(offsets))[:, None]
    exposure = sparse.block_diag(exposed) * per_item  # (M, entries): weighted attention of each item
    groups = membership.T @ exposure
    n_groups, n_entries = low.size, exposure.shape[1]
    rows: list[FloatArray] = []
    for g in range(n_groups):
        base = groups[attributes == attributes[g]].sum(axis=0)
        for side, limit in ((1, low[g]), (-1, high[g])):
            row = np.zeros(n_entries + 2 * n_groups)
            row[:n_entries] = side * (limit * base - groups[g])
            row[n_entries + 2 * g + (side < 0)] = -1
            rows.append(row)
    bounds: list[FloatArray] = []
    for a in range(int(attributes.max()) + 1):
        for side in (0, 1):
            row = np.zeros(n_entries + 2 * n_groups)
            row[:n_entries] = -slack * groups[attributes == a].sum(axis=0)
            row[n_entries + 2 * np.flatnonzero(attributes == a) + side] = 1
            bounds.append(row)
    equal = sparse.hstack([sparse.block_diag(blocks), sparse.csr_array((2 * int(offsets[-1]), 2 * n_groups))])
    costs = np.concatenate([-(utility @ exposure), np.zeros(2 * n_groups)])
    return costs, equal.tocsr(), np.array(rows + bounds)


def largest_utility(instance: Instance, slack: float) -> float:
    """The largest utility of any policy; NaN where none holds the statements within the slack."""
    costs, equal, rows = _program(instance, slack)
    exactly = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    answer = cast("Any", linprog)(
        costs, rows, np.zeros(len(rows)), equal, np.ones(equal.shape[0]), method="highs", options=exactly
    )
    return -float(answer.fun) if answer.status == 0 else float("nan")


def smallest_distance(instance: Instance) -> float:
    """The least slack within which some policy holds the statements, by halving."""
    least, most = 0.0, 1.0
    for _ in range(40):
        middle = (least + most) / 2
        if np.isnan(largest_utility(instance, middle)):
            least = middle
        else:
            most = middle
    return most
