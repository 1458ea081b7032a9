"""Exact exposure under attention to many ranks: only counts that have a chance are kept.

A Poisson-binomial count stays within a few standard deviations of its mean, at most √n / 2 each,
and while nobody has arrived it is 0. So a node costs O(n √n), not O(n K).
"""

import math

import numba
import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.policies.quadrature import CERTAIN, NEGLIGIBLE, STEP, first_node


@numba.njit(cache=True)
def long_exposure(
    logits: FloatArray,
    offsets: IntArray,
    lengths: IntArray,
    weights: FloatArray,
    refinements: int,
) -> FloatArray:
    """As :func:`fairviz.policies.arrivals.expected_exposure`, with step STEP/R."""
    exposure = np.zeros(logits.size)
    n_max = lengths.max() if lengths.size else 0
    K = min(weights.size, n_max)
    arrived = np.empty(n_max)
    prefix = np.empty((n_max + 1, max(K, 1)))
    counts = np.empty((n_max + 1, 2), np.int64)
    ahead = np.empty(K + 1)
    for q in range(lengths.size):
        n = lengths[q]
        if n > 0 and K > 0:
            rows = slice(offsets[q], offsets[q] + n)
            falling = logits[rows] - logits[offsets[q]]
            seen = weights[: min(K, n)]
            step = STEP / refinements
            _add_long_integral(falling, seen, exposure[rows], step, arrived, prefix, counts, ahead)
    return exposure


@numba.njit(cache=True)
def _add_long_integral(
    logits: FloatArray,
    weights: FloatArray,
    exposure: FloatArray,
    step: float,
    arrived: FloatArray,
    prefix: FloatArray,
    counts: IntArray,
    ahead: FloatArray,
) -> None:
    """Add one query's trapezoid sum to its exposure."""
    n = logits.size
    origin = 0
    x = first_node(logits, 0)
    while True:
        # Items far from arriving are left out; logits fall, so the others are the first ones.
        active = 0
        while active < n and logits[active] - logits[origin] + x > -40.0:
            arrived[active] = -math.expm1(-math.exp(logits[active] - logits[origin] + x))
            active += 1
        if active > 0 and 1.0 - arrived[active - 1] > CERTAIN:
            _long_forward(arrived, prefix, counts, active, weights.size)
            if counts[active, 0] > counts[active, 1]:
                break  # rank K is passed
            _long_backward(logits, origin, weights, exposure, arrived, prefix, counts, ahead, active, x)
            x += step
        elif active < n:
            # All so far have arrived, the next is far off: nothing happens in between.
            origin = active
            x = first_node(logits, origin)
        else:
            break
    for i in range(n):
        exposure[i] *= step


@numba.njit(cache=True)
def _long_forward(arrived: FloatArray, prefix: FloatArray, counts: IntArray, active: int, K: int) -> None:
    """``prefix[i, m]`` = chance of m arrivals among items before i.

    ``counts[i]`` holds the smallest and largest m below K that have a chance, and nothing is said
    of the others; smallest > largest: K have arrived for sure.
    """
    prefix[0, 0] = 1.0
    counts[0] = 0
    for i in range(active):
        low, high = counts[i]
        p = arrived[i]
        before, after = prefix[i], prefix[i + 1]
        if low <= high:
            after[low] = before[low] * (1.0 - p)
            for m in range(low + 1, high + 1):
                after[m] = before[m] + p * (before[m - 1] - before[m])
            if high + 1 < K:
                after[high + 1] = p * before[high]
                high += 1
            while low <= high and after[high] < NEGLIGIBLE:
                high -= 1
            while low <= high and after[low] < NEGLIGIBLE:
                low += 1
        counts[i + 1, 0], counts[i + 1, 1] = low, high


@numba.njit(cache=True)
def _long_backward(
    logits: FloatArray,
    origin: int,
    weights: FloatArray,
    exposure: FloatArray,
    arrived: FloatArray,
    prefix: FloatArray,
    counts: IntArray,
    ahead: FloatArray,
    active: int,
    x: float,
) -> None:
    """Add this node's part of the integral; ``ahead[m]`` = E[v] after m arrivals before i.

    Outside of ``counts`` it keeps an older value, which is an attention too and meets no chance.
    """
    K = weights.size
    ahead[:K] = weights
    ahead[K] = 0.0
    for i in range(active - 1, -1, -1):
        low, high = counts[i]
        waiting = 1.0 - arrived[i]
        if waiting > CERTAIN:
            attention = _inner(prefix[i], ahead, low, high)
            exposure[i] += attention * waiting * math.exp(logits[i] - logits[origin] + x)
        for m in range(low, high + 1):
            ahead[m] += arrived[i] * (ahead[m + 1] - ahead[m])


@numba.njit(cache=True, fastmath={"reassoc", "contract"})
def _inner(chances: FloatArray, attention: FloatArray, low: int, high: int) -> float:
    total = 0.0
    for m in range(low, high + 1):
        total += chances[m] * attention[m]
    return total
