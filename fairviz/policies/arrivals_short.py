"""Exact exposure under attention to few ranks: 16 nodes of the integral at a time.

Nodes come in blocks of ``LANES``, so that the compiler works on whole vectors, and a block spans a
whole number of doublings of t: the chance p(t) = 1 − e^(−wt) then moves on by p(2t) = p(2 − p),
without an exp. The mean of R trapezoid rules, each shifted by STEP/R, is the rule with step STEP/R.
"""

import math

import numba
import numpy as np

from fairviz.model import FloatArray, IntArray
from fairviz.policies.quadrature import (
    CERTAIN,
    DOUBLINGS,
    LANES,
    LAST_RATE,
    NEGLIGIBLE,
    STEP,
    first_node,
)


@numba.njit(cache=True)
def short_exposure(
    logits: FloatArray,
    offsets: IntArray,
    lengths: IntArray,
    weights: FloatArray,
    refinements: int,
) -> FloatArray:
    """As :func:`fairviz.policies.arrivals.expected_exposure`, with R ``refinements``."""
    exposure = np.zeros(logits.size)
    n_max = lengths.max() if lengths.size else 0
    K = min(weights.size, n_max)
    arrived = np.empty((n_max, LANES))
    prefix = np.empty((n_max + 1, max(K, 1), LANES))
    ahead = np.empty((K + 1, LANES))
    for q in range(lengths.size):
        n = lengths[q]
        if n > 0 and K > 0:
            rows = slice(offsets[q], offsets[q] + n)
            falling = logits[rows] - logits[offsets[q]]
            for part in range(refinements):
                _add_integral(
                    falling,
                    weights[: min(K, n)],
                    exposure[rows],
                    part * STEP / refinements,
                    arrived,
                    prefix,
                    ahead,
                )
            exposure[rows] /= refinements
    return exposure


@numba.njit(cache=True)
def _add_integral(
    logits: FloatArray,
    weights: FloatArray,
    exposure: FloatArray,
    shift: float,
    arrived: FloatArray,
    prefix: FloatArray,
    ahead: FloatArray,
) -> None:
    """Add one query's trapezoid sum, nodes moved by ``shift``, to its exposure."""
    n, K = logits.size, weights.size
    spread = np.exp(np.arange(LANES) * STEP)
    origin = 0
    active = 0
    x = first_node(logits, 0) + shift
    # After this, K items beside any one have arrived for sure and rank K is passed.
    while x < LAST_RATE - (logits[min(K, n - 1)] - logits[origin]):
        for i in range(active):
            for j in range(LANES):
                p = arrived[i, j]
                for _ in range(DOUBLINGS):
                    p = p * (2.0 - p)
                arrived[i, j] = p
        # Items far from arriving are left out; logits fall, so the others are the first ones.
        while active < n and logits[active] - logits[origin] + x + LANES * STEP > -40.0:
            rate = math.exp(logits[active] - logits[origin] + x)
            for j in range(LANES):
                arrived[active, j] = -math.expm1(-rate * spread[j])
            active += 1
        if _any_open(arrived, active):
            _forward(arrived, prefix, active, K)
            _backward(logits, origin, weights, exposure, arrived, prefix, ahead, active, x, spread)
            if n > K and prefix[active, :K, LANES - 1].sum() < NEGLIGIBLE:
                break
            x += LANES * STEP
        elif active < n:
            # All so far have arrived, the next is far off: nothing happens in between.
            origin = active
            x = first_node(logits, origin) + shift
        else:
            break


@numba.njit(cache=True)
def _any_open(arrived: FloatArray, active: int) -> bool:
    """Whether some item may still arrive in this block: gaps between far logits have none."""
    return active > 0 and 1.0 - arrived[active - 1, 0] > CERTAIN


@numba.njit(cache=True)
def _forward(arrived: FloatArray, prefix: FloatArray, active: int, K: int) -> None:
    """``prefix[i, m]`` = chance of m arrivals among items before i."""
    prefix[0, :K] = 0.0
    prefix[0, 0] = 1.0
    for i in range(active):
        before, after = prefix[i], prefix[i + 1]
        for j in range(LANES):
            after[0, j] = before[0, j] - arrived[i, j] * before[0, j]
        for m in range(1, K):
            for j in range(LANES):
                after[m, j] = before[m, j] + arrived[i, j] * (before[m - 1, j] - before[m, j])


@numba.njit(cache=True)
def _backward(
    logits: FloatArray,
    origin: int,
    weights: FloatArray,
    exposure: FloatArray,
    arrived: FloatArray,
    prefix: FloatArray,
    ahead: FloatArray,
    active: int,
    x: float,
    spread: FloatArray,
) -> None:
    """Add this block's part of the integral; ``ahead[m]`` = E[v] after m arrivals before i."""
    K = weights.size
    for m in range(K):
        ahead[m] = weights[m]
    ahead[K] = 0.0
    attention = np.empty(LANES)
    for i in range(active - 1, -1, -1):
        before = prefix[i]
        for j in range(LANES):
            attention[j] = before[0, j] * ahead[0, j]
        for m in range(1, K):
            for j in range(LANES):
                attention[j] += before[m, j] * ahead[m, j]
        total = 0.0
        for j in range(LANES):
            waiting = 1.0 - arrived[i, j]
            if waiting > CERTAIN:
                total += attention[j] * waiting * spread[j]
        if total > 0.0:
            exposure[i] += total * math.exp(logits[i] - logits[origin] + x) * STEP
        for m in range(K):
            for j in range(LANES):
                ahead[m, j] += arrived[i, j] * (ahead[m + 1, j] - ahead[m, j])
