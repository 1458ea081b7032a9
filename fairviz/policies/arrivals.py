"""Exact Plackett–Luce exposure: rankings as the order of independent arrivals.

Item d arrives at time T_d ~ Exp(w_d) with w = exp(logit); the order of arrival is the ranking. So

    ε_d = ∫ w_d e^(−w_d t) · E[v_(1 + #others arrived by t)] dt,

where the inner expectation runs over a Poisson-binomial count. With prefix probabilities P_i(m) (m arrivals among the
items before i) and backward values V_i(m) = q_i V_(i+1)(m) + p_i V_(i+1)(m+1) each item costs O(K) per node, for any
attention of length K: O(nodes · n · K) a query. In x = log t the integrand is analytic and the trapezoid rule converges
geometrically.

The step is refined by an error bound that depends on the attention: 0.3 in log t is enough for ``topk`` at k ≤ 5, not
for long attention. Two kernels walk through it: one takes 16 nodes at a time, for the few ranks that a generator reads;
one takes them one by one and keeps only counts that have a chance, for attention that goes on: 2 to 10 times faster
there, with a sixteenth of the memory.

Logits come as gaps between neighbours, since a large α puts them 10^300 nats apart, where a sum of gaps would lose the
narrow ones. At a gap that leaves nothing to chance a list falls into parts, which follow one another for sure: each is
a policy of its own over the ranks that are left.
"""

import math

import numba
import numpy as np

from fairviz.model import FloatArray, IntArray

LANES = 16
DOUBLINGS = 7
STEP = DOUBLINGS * math.log(2) / LANES
"""0.303 in log t: a block of ``LANES`` nodes spans 7 doublings of t."""

TOLERANCE = 1e-8
"""Bound on the error of an exposure; what is measured is about a tenth of it."""

FIRST_NODE = -27.0
"""Log of the expected number of arrivals before the first node: what is lost there is e^−27."""

LAST_RATE = math.log(40.0)
"""Log of w·t from which an item has arrived but for e^−40."""

CERTAIN = 4e-16
"""Chance of not having arrived that is no more than rounding."""

NEGLIGIBLE = 1e-18
"""Chance of a count that changes no exposure."""

CERTAIN_GAP = 300.0
"""Nats between neighbours from which nobody overtakes: e^−300 is 1e−130. No logit at α ≤ 8 exceeds 2^8 = 256."""

SHORT = 32
"""Ranks up to which many nodes at a time are faster than few counts."""


def refinements(weights: FloatArray) -> int:
    """Smallest R for which the trapezoid rule with step STEP/R keeps the tolerance.

    The count passes K within a relative width of about 1/√K in t, so a large K needs closer nodes.
    v is a mixture of top-k attentions with shares v_k − v_(k+1). Moved by iθ off the real line, the
    integrand of top-k grows like cos(θ)^−(k+1), so its error is about the smallest value over θ of
    exp(−2πθ/h) cos(θ)^−(k+1), found where tan θ = 2π/(h(k+1)).
    """
    shares = -np.diff(weights, append=0.0)
    powers = np.arange(2, weights.size + 2, dtype=np.float64)
    refined = 1
    while True:
        frequency = 2 * np.pi * refined / STEP
        theta = np.arctan(frequency / powers)
        error = np.exp(-frequency * theta - powers * np.log(np.cos(theta)))
        if float(shares @ error) <= TOLERANCE:
            return refined
        refined += 1


@numba.njit(cache=True)
def first_node(logits: FloatArray, origin: int) -> float:
    """Log time, relative to −``logits[origin]``, before which none of the later items arrives."""
    return FIRST_NODE - math.log(np.exp(logits[origin:] - logits[origin]).sum())


@numba.njit(cache=True)
def certain_parts(
    gaps: FloatArray, offsets: IntArray, lengths: IntArray, depth: int
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Parts of each list that follow one another for sure, down to rank ``depth``.

    Returns:
        First row, size and ranks before each part; (M) logits below that of the part's first item.
    """
    starts = np.empty(gaps.size, np.int64)
    sizes = np.empty(gaps.size, np.int64)
    before = np.empty(gaps.size, np.int64)
    logits = np.zeros(gaps.size)
    n_parts = 0
    for q in range(lengths.size):
        rank = 0
        while rank < min(lengths[q], depth):
            first = offsets[q] + rank
            size = 1
            while rank + size < lengths[q] and gaps[first + size] < CERTAIN_GAP:
                logits[first + size] = logits[first + size - 1] - gaps[first + size]
                size += 1
            starts[n_parts], sizes[n_parts], before[n_parts] = first, size, rank
            n_parts += 1
            rank += size
    return starts[:n_parts], sizes[:n_parts], before[:n_parts], logits


# Attention to many ranks: only counts that have a chance are kept.
#
# A Poisson-binomial count stays within a few standard deviations of its mean, at most √n / 2 each, and while nobody
# has arrived it is 0. So a node costs O(n √n), not O(n K).


@numba.njit(cache=True, nogil=True)
def long_exposure(
    gaps: FloatArray,
    offsets: IntArray,
    lengths: IntArray,
    weights: FloatArray,
    refinements: int,
) -> FloatArray:
    """As :func:`fairviz.policies.arrivals.expected_exposure`, with step STEP/R."""
    exposure = np.zeros(gaps.size)
    starts, sizes, before, logits = certain_parts(gaps, offsets, lengths, weights.size)
    n_max = sizes.max() if sizes.size else 0
    K = min(weights.size, n_max)
    arrived = np.empty(n_max)
    prefix = np.empty((n_max + 1, max(K, 1)))
    counts = np.empty((n_max + 1, 2), np.int64)
    ahead = np.empty(K + 1)
    for part in range(starts.size):
        rows = slice(starts[part], starts[part] + sizes[part])
        seen = weights[before[part] : before[part] + sizes[part]]
        if sizes[part] == 1:
            exposure[rows] = seen
        else:
            step = STEP / refinements
            _add_long_integral(logits[rows], seen, exposure[rows], step, arrived, prefix, counts, ahead)
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


# Attention to few ranks: 16 nodes of the integral at a time.
#
# Nodes come in blocks of ``LANES``, so that the compiler works on whole vectors, and a block spans a whole number of
# doublings of t: the chance p(t) = 1 − e^(−wt) then moves on by p(2t) = p(2 − p), without an exp. The mean of R
# trapezoid rules, each shifted by STEP/R, is the rule with step STEP/R.


@numba.njit(cache=True, nogil=True)
def short_exposure(
    gaps: FloatArray,
    offsets: IntArray,
    lengths: IntArray,
    weights: FloatArray,
    refinements: int,
) -> FloatArray:
    """As :func:`fairviz.policies.arrivals.expected_exposure`, with R ``refinements``."""
    exposure = np.zeros(gaps.size)
    starts, sizes, before, logits = certain_parts(gaps, offsets, lengths, weights.size)
    n_max = sizes.max() if sizes.size else 0
    K = min(weights.size, n_max)
    arrived = np.empty((n_max, LANES))
    prefix = np.empty((n_max + 1, max(K, 1), LANES))
    ahead = np.empty((K + 1, LANES))
    for part in range(starts.size):
        rows = slice(starts[part], starts[part] + sizes[part])
        seen = weights[before[part] : before[part] + sizes[part]]
        if sizes[part] == 1:
            exposure[rows] = seen
            continue
        for shift in range(refinements):
            moved = shift * STEP / refinements
            _add_integral(logits[rows], seen, exposure[rows], moved, arrived, prefix, ahead)
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


# Any attention.


def expected_exposure(gaps: FloatArray, offsets: IntArray, lengths: IntArray, weights: FloatArray) -> FloatArray:
    """Exact Plackett–Luce exposure of every row.

    Args:
        gaps: (M) how far each logit lies below the one before it, within the first ``lengths[q]``
            rows of each query; what the first of them holds does not matter.
        offsets: (Q+1) rows of each query.
        lengths: (Q) ranked items of each query; further rows get 0.
        weights: (K) attention at ranks 1 … K, 0 below.

    Returns:
        (M) exposure, with an error below :data:`TOLERANCE`.
    """
    kernel = short_exposure if weights.size <= SHORT else long_exposure
    return kernel(gaps, offsets, lengths, weights, refinements(weights))
