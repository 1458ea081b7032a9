"""What rankings recorded at some α say of another α: their chances under Plackett–Luce, and the weights that follow.

A recorded answer depends on the ranking that was given and on nothing else of the policy. So an answer to a ranking
that was drawn at α = 4 is as good a draw at α = 3, but for how often it comes up, and that is known: a top-k ranking r
of n items has the chance

    p_α(r) = ∏_j exp(l_{r_j}) / Σ_{i not in r_1 … r_{j−1}} exp(l_i),   l = (s̄ + offset)^α.

Answers of all recorded α together are a sample of their mixture, and each counts with the balance heuristic's weight
(Veach & Guibas 1995; Owen & Zhou 2000), n_a of N answers being recorded at α = a:

    w(r) = p_α(r) / Σ_a (n_a / N) p_a(r).

No weight at a recorded α exceeds N / n_a, and their mean is 1 in expectation. Deterministic lists and the oracle are no
draws of a policy with α, and take no part.
"""

import math

import numpy as np

from fairviz.kernels.compiled import kernel
from fairviz.kernels.pool import RankedLists
from fairviz.model import FloatArray, IntArray, Run
from fairviz.model.arrays import segment_sums
from fairviz.policies.plackett_luce import PlackettLuce, logit_gaps
from fairviz.policies.scales import scaled

LEAST_EFFECTIVE = 25.0
"""Effective size, as :func:`effective_mean` over the queries, from which an estimate is shown.

In worlds small enough to enumerate (``python -m benchmarks reweighting``) EU then lies within two of its standard
errors of the truth in 95 % of cases and EAE-D in 94 %; from 15 to 25 in 91 and 84 %. Where the arithmetic mean over
queries reaches 25 and this one does not, it is 88 and 80 %: too few answers to some queries hide among the others. The
smallest size of all would refuse a thousand queries for one.
"""


def log_chances(policy: PlackettLuce, run: Run, lists: RankedLists) -> FloatArray:
    """Log-probability of each top-k ranking under a policy.

    Args:
        policy: Plackett–Luce at an α from 0 to 1,000.
        run: The scores that the policy sees.
        lists: Rankings as rows of the run, of any lengths: those of k items of n.

    Returns:
        (S) log p, −∞ for what never comes up; NaN for a list that shows an item twice, or one that the run lacks.
    """
    levels, falls = scaled(run.scores, run.offsets, policy.scores)
    gaps = logit_gaps(levels, falls, float(policy.offset), float(policy.alpha))
    return _log_chances(gaps, run.offsets, lists.rows, lists.offsets, lists.queries)


@kernel
def _log_chances(
    gaps: FloatArray, offsets: IntArray, rows: IntArray, list_offsets: IntArray, queries: IntArray
) -> FloatArray:
    """Chances from the gaps between neighbours, of which no digit is lost however large α is.

    What is left is held relative to the best item that is left, whose own part is 1: it lies between 1 and n, so that
    taking a drawn item away loses no digits, and nothing overflows.
    """
    tails = np.ones(gaps.size)  # an item and all below it, relative to the item
    for q in range(offsets.size - 1):
        for i in range(offsets[q + 1] - 2, offsets[q] - 1, -1):
            tails[i] = 1.0 + math.exp(-gaps[i + 1]) * tails[i + 1]
    taken = np.zeros(gaps.size, dtype=np.bool_)
    chances = np.zeros(queries.size)
    for s in range(queries.size):
        start, end = offsets[queries[s]], offsets[queries[s] + 1]
        first = furthest = start
        left = tails[start] if start < end else 1.0
        n_taken = 0
        for j in range(list_offsets[s], list_offsets[s + 1]):
            row = rows[j]
            if row < start or row >= end or taken[row]:
                chances[s] = math.nan
                break
            below = 0.0
            for i in range(first + 1, row + 1):
                below += gaps[i]
            chances[s] -= below + math.log(max(left, 1.0))
            taken[row] = True
            n_taken += 1
            furthest = max(furthest, row)
            if row != first:
                left -= math.exp(-below)
                continue
            while first < end and taken[first]:
                first += 1
            if first < end:
                left, below = tails[first], 0.0
                for i in range(first + 1, furthest + 1):
                    below += gaps[i]
                    if taken[i]:
                        left -= math.exp(-below)
        for j in range(list_offsets[s], list_offsets[s] + n_taken):
            taken[rows[j]] = False
    return chances


def balance_weights(wanted: FloatArray, recorded: FloatArray, shares: FloatArray) -> FloatArray:
    """Weights by the balance heuristic of draws from a mixture of policies.

    Args:
        wanted: (S) log-chance of each draw under the policy that is asked about.
        recorded: (A, S) the same under each policy that was drawn from.
        shares: (A, S) share of the draws of its query that came from each policy.

    Returns:
        (S) weights with mean 1 in expectation; NaN for what none of the policies draws.

    Examples:
        >>> wanted, recorded = np.log([0.5, 0.5]), np.log([[0.5, 0.5], [0.9, 0.1]])
        >>> balance_weights(wanted, recorded, np.full((2, 2), 0.5)).round(3)
        array([0.714, 1.667])
    """
    with np.errstate(divide="ignore"):
        mixed = np.logaddexp.reduce(recorded + np.log(shares), axis=0)
    possible = mixed > -np.inf
    return np.where(possible, np.exp(wanted - np.where(possible, mixed, 0.0)), np.nan)


def effective_size(weights: FloatArray, offsets: IntArray) -> FloatArray:
    """Kish's effective sample size of each segment, (Σw)² / Σw²: equal weights give the number of draws, 0 none.

    Examples:
        >>> effective_size(np.array([1.0, 1.0, 1.0, 0.0]), np.array([0, 2, 4, 4]))
        array([2., 1., 0.])
    """
    squares = segment_sums(weights**2, offsets)
    return np.where(squares > 0, segment_sums(weights, offsets) ** 2 / np.where(squares > 0, squares, 1.0), 0.0)


def effective_mean(sizes: FloatArray) -> FloatArray:
    """Harmonic mean over the last axis of effective sizes, which the fewest decide; NaN are left out.

    A mean over queries has the variance Σ σ_q² / n_q of its estimates: as that of n = this many answers to each.

    Examples:
        >>> effective_mean(np.array([[100.0, 100.0], [100.0, 10.0], [100.0, 0.0]])).round(1)
        array([100. ,  18.2,   0. ])
    """
    mask = ~np.isnan(sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = np.where(mask, 1 / np.where(mask, sizes, 1.0), 0.0).sum(axis=-1)
        return np.where(mask.any(axis=-1), mask.sum(axis=-1) / inverse, np.nan)
