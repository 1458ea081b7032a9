"""FAIR ε-greedy: at each rank the item with the most gain for its divergence (Gao et al. 2022, algorithm 1).

KL of the growing list from its target is asked at every rank for every kind of item that could come next. With x = the
group weights of a list and s = Σx, KL(x/s ‖ t) = Σ x (ln x − ln t) / s − ln s.

Its gain is what it adds to a list, given what stands above it: the IRM_i of FAIR (Gao et al., 3.1). Rank
discounts are the same for every item that could stand at a rank, so they drop out of a greedy choice.
"""

import math
from typing import Literal, TypeAlias

import numpy as np

from fairviz.kernels.compiled import kernel
from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.reranking.candidates import Candidates, Draws, completed

Irm: TypeAlias = Literal["alpha_nDCG", "nDCG", "RBP", "ERR_IA"]
"""The measure whose gains are optimised."""


def utility(candidates: Candidates, irm: Irm, alpha: float) -> tuple[FloatArray, FloatArray]:
    """The gains of a measure, which fade: an item is worth ``worth · interest``.

    - ``alpha_nDCG``: Σ_a J(d, a) (1 − α)^(how much of a stands above) (Eq. 4);
    - ``nDCG``: the gain; ``RBP``: 1 if useful (Eq. 7);
    - ``ERR_IA``: Σ_a P(a) R_a(d) Π_{above} (1 − R_a) with R_a = alpha · J(d, a); equal P(a) drop
      out.

    Without gains every item is useful alike.

    Args:
        candidates: The query.
        irm: The measure.
        alpha: Novelty discount of ``alpha_nDCG``, chance of satisfaction of ``ERR_IA``.

    Returns:
        (n, A) worth per item and aspect, and (n, A) what an item leaves of the interest in one, which starts at 1.
    """
    gains = np.ones(candidates.n) if candidates.gains is None else candidates.gains
    match irm:
        case "alpha_nDCG":
            covered = coverage(candidates)
            return covered, np.power(1 - alpha, covered)
        case "ERR_IA":
            satisfied = alpha * coverage(candidates)
            return satisfied, 1 - satisfied
        case "nDCG":
            worth = gains[:, None]
        case "RBP":
            worth = (gains[:, None] > 0).astype(np.float64)
    return worth, np.ones(worth.shape)


def coverage(candidates: Candidates) -> FloatArray:
    """(n, A) J(d, a): judged aspects, else the groups of useful items (all, without gains)."""
    if candidates.aspects is not None:
        return candidates.aspects
    if candidates.gains is None:
        return candidates.weights
    return candidates.weights * (candidates.gains > 0)[:, None]


Criterion: TypeAlias = Literal["kl+1", "printed"]
"""Gain over KL + 1 (Eq. 6), or over KL as algorithm 1 prints it."""

EQUAL = 1e-12
"""Two values this close, relative to the better one, tie: they differ by rounding alone."""


def fair_epsilon_greedy(
    candidates: Candidates,
    *,
    rng: Draws,
    epsilon: float = 0.5,
    irm: Irm = "alpha_nDCG",
    novelty: float = 0.5,
    criterion: Criterion = "kl+1",
) -> IntArray:
    """Fill rank after rank.

    With chance 1 − ε the item of the largest G[i] / (KL(D_i ‖ D*) + 1) comes next, of several the
    one with the smallest KL; with chance ε the item of the smallest KL, of several the one with
    the largest G[i]. Ties that remain go to the earlier item of the run. D_i is the distribution
    of the groups over the first i ranks, with soft labels by weight; items without a label do not
    change it, and a prefix without any label diverges by 0, as in the measures FAIR and nDKL. An
    infinite KL (a group with share 0 is shown) makes the first criterion 0.

    Args:
        candidates: The query; without gains every item is useful ("NoRJ").
        rng: Source of chance: one number per rank.
        epsilon: 0 maximises FAIR at every rank, 1 minimises KL at every rank.
        irm: The measure whose gain G[i] is.
        novelty: Novelty discount of ``alpha_nDCG``, chance of satisfaction of ``ERR_IA``.
        criterion: "printed" divides by KL alone: a divergence of 0 wins if there is any gain.

    Returns:
        (n) item positions, the first min(k, n) re-ranked.
    """
    explores = np.array([rng.random() < epsilon for _ in range(candidates.places)])
    return filled_by_turns(candidates, explores, irm=irm, alpha=novelty, criterion=criterion)


def filled_by_turns(
    candidates: Candidates, explores: BoolArray, *, irm: Irm, alpha: float = 0.5, criterion: Criterion = "kl+1"
) -> IntArray:
    """The same once chance has spoken: (k) ``explores`` says at which ranks the smallest KL comes first."""
    kinds = _kinds(candidates, irm, alpha)
    chosen = _chosen(*kinds, candidates.n, candidates.target, explores, criterion == "printed")
    return completed(chosen, candidates.n)


def _kinds(
    candidates: Candidates, irm: Irm, alpha: float
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray, IntArray]:
    """Items that no criterion tells apart, kept as one: with hard labels there are few kinds.

    Returns:
        (U, G) group weights of a kind; (U, A) its worth and (U, A) what it leaves of interest, as of :func:`utility`;
        the items of each kind in run order, each queue ended by n; (U) where each queue begins.
    """
    gains = utility(candidates, irm, alpha)
    traits = np.concatenate([candidates.weights, *gains], axis=1)
    order = np.lexsort(traits.T)  # stable: equal items stay in run order
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (traits[order[1:]] != traits[order[:-1]]).any(axis=1)
    first = np.flatnonzero(is_new)
    queues = np.insert(order, np.append(first[1:], len(order))[: first.size], candidates.n)
    n_groups, n_aspects = candidates.target.size, gains[0].shape[1]
    parts = np.split(traits[order[first]], [n_groups, n_groups + n_aspects], axis=1)
    weights, worth, fade = map(np.ascontiguousarray, parts)  # of one layout: it is compiled once
    return weights, worth, fade, queues, first + np.arange(first.size)


@kernel
def _chosen(
    weights: FloatArray,
    worth: FloatArray,
    fade: FloatArray,
    queues: IntArray,
    starts: IntArray,
    n_items: int,
    target: FloatArray,
    explores: BoolArray,
    printed: bool,
) -> IntArray:
    """(k) the item of each rank; see :func:`_kinds`, ``explores`` says at which ranks the smallest KL comes first."""
    n_kinds, n_aspects = worth.shape
    chosen = np.empty(explores.size, dtype=np.int64)
    heads = queues[starts]
    at = starts.copy()
    interest = np.ones(n_aspects)
    placed = np.zeros(target.size)
    gain, value = np.empty(n_kinds), np.empty(n_kinds)
    for position in range(explores.size):
        nearness = -next_divergence(weights, placed, target)
        for u in range(n_kinds):
            gain[u] = 0.0
            for a in range(n_aspects):
                gain[u] += worth[u, a] * interest[a]
            if not printed:
                value[u] = gain[u] / (1.0 - nearness[u])
            elif -nearness[u] > EQUAL:
                value[u] = gain[u] / -nearness[u]
            else:
                value[u] = np.inf if gain[u] > 0 else 0.0
        left = heads < n_items
        if explores[position]:
            best = _largest(gain, _largest(nearness, left))
        else:
            best = _largest(nearness, _largest(value, left))
        kind = -1
        for u in range(n_kinds):
            if best[u] and (kind < 0 or heads[u] < heads[kind]):
                kind = u
        chosen[position] = heads[kind]
        at[kind] += 1
        heads[kind] = queues[at[kind]]
        placed += weights[kind]
        interest *= fade[kind]
    return chosen


@kernel
def _largest(values: FloatArray, among: BoolArray) -> BoolArray:
    """Which of ``among`` have the largest value, but for rounding."""
    best = -np.inf
    for u in range(values.size):
        if among[u] and values[u] > best:
            best = values[u]
    least = best - EQUAL * max(1.0, abs(best)) if math.isfinite(best) else best
    return among & (values >= least)


@kernel
def next_divergence(weights: FloatArray, placed: FloatArray, target: FloatArray) -> FloatArray:
    """(U) KL of a list with one more item: infinite where a group with share 0 is in it, 0 where nothing has a label.

    Args:
        weights: (U, G) group weights of what could come next.
        placed: (G) sum of the group weights of the list.
        target: (G) shares.

    Examples:
        >>> next_divergence(np.eye(2), np.array([0.0, 1.0]), np.array([0.5, 0.5]))
        array([0.        , 0.69314718])
    """
    divergence = np.zeros(weights.shape[0])
    for u in range(weights.shape[0]):
        own, total = 0.0, 0.0
        for g in range(target.size):
            count = placed[g] + weights[u, g]
            if count > 0:
                own += count * (math.log(count) - math.log(target[g])) if target[g] > 0 else np.inf
                total += count
        if total > 0:
            divergence[u] = max(own / total - math.log(total), 0.0)  # below 0 by rounding alone
    return divergence
