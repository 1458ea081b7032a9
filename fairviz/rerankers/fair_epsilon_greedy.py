"""FAIR ε-greedy: at each rank the item with the most gain for its divergence (Gao et al. 2022, algorithm 1).

KL of the growing list from its target, for every item that could come next, is asked at every rank, so what does not
change from rank to rank is computed once. With x = the group weights of a list and s = Σx, KL(x/s ‖ t) =
(Σ x ln x − Σ x ln t)/s − ln s.
"""

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray
from fairviz.rerankers.candidates import Candidates, Draws, completed
from fairviz.rerankers.utility import Irm, utility

Criterion: TypeAlias = Literal["kl+1", "printed"]
"""Gain over KL + 1 (Eq. 6), or over KL as algorithm 1 prints it."""

EQUAL = 1e-12
"""Two values this close, relative to the better one, tie: they differ by rounding alone."""

TINY = 1e-300
"""Keeps ln finite at 0, where x ln x is 0."""


def fair_epsilon_greedy(
    candidates: Candidates,
    *,
    rng: Draws,
    epsilon: float = 0.5,
    irm: Irm = "alpha_nDCG",
    alpha: float = 0.5,
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
        alpha: Novelty discount of ``alpha_nDCG``, chance of satisfaction of ``ERR_IA``.
        criterion: "printed" divides by KL alone: a divergence of 0 wins if there is any gain.

    Returns:
        (n) item positions, the first min(k, n) re-ranked.
    """
    kinds = _kinds(candidates, irm, alpha)
    divergences = NextDivergence(kinds.weights, candidates.target)
    interest = np.ones(kinds.worth.shape[1])
    placed = np.zeros(candidates.target.size)
    heads = kinds.queues[kinds.starts].copy()
    at = kinds.starts.copy()
    order = np.empty(candidates.places, dtype=np.int64)
    for place in range(candidates.places):
        divergence = divergences.after(placed)
        gain = kinds.worth @ interest
        left = heads < candidates.n
        if rng.random() < epsilon:
            best = _largest(gain, _largest(-divergence, left))
        else:
            best = _largest(_discounted(gain, divergence, criterion), left)
            best = _largest(-divergence, best)
        kind = int(np.where(best, heads, candidates.n).argmin())
        order[place] = heads[kind]
        at[kind] += 1
        heads[kind] = kinds.queues[at[kind]]
        placed = placed + kinds.weights[kind]
        interest = interest * kinds.fade[kind]
    return completed(order, candidates.n)


class _Kinds(NamedTuple):
    """Items that no criterion tells apart, kept as one: with hard labels there are few kinds.

    Attributes:
        weights: (U, G) group weights of a kind.
        worth: (U, A) see :class:`Utility`.
        fade: (U, A) likewise.
        queues: The items of each kind in run order, each queue ended by n.
        starts: (U) where each queue begins.
    """

    weights: FloatArray
    worth: FloatArray
    fade: FloatArray
    queues: IntArray
    starts: IntArray


def _kinds(candidates: Candidates, irm: Irm, alpha: float) -> _Kinds:
    gains = utility(candidates, irm, alpha)
    traits = np.concatenate([candidates.weights, *gains], axis=1)
    order = np.lexsort(traits.T)  # stable: equal items stay in run order
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (traits[order[1:]] != traits[order[:-1]]).any(axis=1)
    first = np.flatnonzero(is_new)
    distinct = traits[order[first]]
    queues = np.insert(order, np.append(first[1:], len(order))[: first.size], candidates.n)
    starts = first + np.arange(first.size)
    n_groups, n_aspects = candidates.target.size, gains.worth.shape[1]
    weights, worth, fade = np.split(distinct, [n_groups, n_groups + n_aspects], axis=1)
    return _Kinds(weights, worth, fade, queues, starts)


def _discounted(gain: FloatArray, divergence: FloatArray, criterion: Criterion) -> FloatArray:
    if criterion == "kl+1":
        return gain / (divergence + 1)
    ratio = np.where(gain > 0, np.inf, 0.0)
    return np.divide(gain, divergence, out=ratio, where=divergence > EQUAL)


def _largest(values: FloatArray, among: BoolArray) -> BoolArray:
    """Which of ``among`` have the largest value, but for rounding."""
    best = float(values.max(where=among, initial=-np.inf))
    margin = EQUAL * max(1.0, abs(best)) if math.isfinite(best) else 0.0
    return among & (values >= best - margin)


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
        divergence = (own - self._cross - placed @ self._logs) / totals - np.log(totals)
        divergence[divergence < 0] = 0.0  # rounding
        divergence[totals <= TINY] = 0.0
        divergence[self._rules_out] = np.inf
        return divergence
