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
from typing import NamedTuple

import numpy as np

from fairviz.kernels.compiled import kernel, reordered_kernel
from fairviz.model import FloatArray, IntArray

LANES = 16
DOUBLINGS = 7
STEP = DOUBLINGS * math.log(2) / LANES
"""0.303 in log t: a block of ``LANES`` nodes spans 7 doublings of t."""

TOLERANCE = 1e-8
"""Bound on the error of an exposure; what is measured is about a tenth of it."""

FIRST_NODE = -9.0
"""Log of the expected number of arrivals before the first node: what comes before is a series but for e^−27."""

LARGEST = 700.0
"""Log of a rate that is still a double."""

SMALL_RATE = 1e-6
"""Expected arrivals up to which four terms of 1 − e^(−r) are all that a double holds, also 128 times as many."""

LAST_RATE = math.log(40.0)
"""Log of w·t from which an item has arrived but for e^−40."""

CERTAIN = 4e-16
"""Chance of not having arrived that is no more than rounding."""

NEGLIGIBLE = 1e-18
"""Chance of a count that changes no exposure."""

CERTAIN_GAP = 300.0
"""Nats between neighbours from which nobody overtakes: e^−300 is 1e−130. No logit at α ≤ 8 exceeds 2^8 = 256."""

LINE = 64
"""Bytes of a cache line."""

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


@kernel
def until_first_node(
    logits: FloatArray,
    origin: int,
    weights: FloatArray,
    exposure: FloatArray,
    step: float,
    shift: float,
    rates: FloatArray,
) -> float:
    """Add the sum over all nodes before the first, once the items before ``origin`` have arrived.

    While hardly anybody has, with W = Σw and v_1, v_2 the attention to the next two ranks, the integrand is
    w_d t (v_1 − (v_1 W − v_2 (W − w_d)) t) but for terms of (Wt)³. At nodes going back by ``step`` its powers of t are
    geometric series.

    Args:
        logits: (n) of one part, falling.
        origin: Its first item that has not arrived; times are relative to this one's.
        weights: (K) attention.
        exposure: (n) added to.
        step: Between nodes, in log t.
        shift: By which they are moved.
        rates: (n) filled with e^(logit − that of ``origin``).

    Returns:
        The first node, as log time.
    """
    total = 0.0
    for i in range(logits.size):
        rates[i] = math.exp(min(logits[i] - logits[origin], LARGEST))
        total += rates[i] if i >= origin else 0.0
    x = FIRST_NODE - math.log(total) + shift
    time = math.exp(x)
    linear, square = step / math.expm1(step), step / math.expm1(2.0 * step)
    first = weights[origin] if origin < weights.size else 0.0
    second = weights[origin + 1] if origin + 1 < weights.size else 0.0
    for i in range(origin, logits.size):
        arrivals, others = rates[i] * time, (total - rates[i]) * time
        exposure[i] += arrivals * (first * linear - (first * total * time - second * others) * square)
    return x


@kernel
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


@kernel
def long_exposure(
    gaps: FloatArray,
    offsets: IntArray,
    lengths: IntArray,
    weights: FloatArray,
    refinements: int,
) -> FloatArray:
    """Exact exposure of every row under attention to many ranks, with step STEP/R; see :func:`expected_exposure`."""
    exposure = np.zeros(gaps.size)
    starts, sizes, before, logits = certain_parts(gaps, offsets, lengths, weights.size)
    n_max = sizes.max() if sizes.size else 0
    K = min(weights.size, n_max)
    rates, arrived = np.empty(n_max), np.empty(n_max)
    prefix = np.empty((n_max + 1, max(K, 1)))
    counts = np.empty((n_max + 1, 2), np.int64)
    ahead = np.empty(K + 1)
    for part in range(starts.size):
        rows = slice(starts[part], starts[part] + sizes[part])
        seen = weights[before[part] : before[part] + sizes[part]]
        if sizes[part] == 1:
            exposure[starts[part]] = seen[0]
        else:
            step = STEP / refinements
            _add_long_integral(logits[rows], seen, exposure[rows], step, rates, arrived, prefix, counts, ahead)
    return exposure


@kernel
def _add_long_integral(
    logits: FloatArray,
    weights: FloatArray,
    exposure: FloatArray,
    step: float,
    rates: FloatArray,
    arrived: FloatArray,
    prefix: FloatArray,
    counts: IntArray,
    ahead: FloatArray,
) -> None:
    """Add one query's trapezoid sum to its exposure."""
    n = logits.size
    origin = 0
    x = until_first_node(logits, 0, weights, exposure, step, 0.0, rates)
    while True:
        # Items far from arriving are left out; logits fall, so the others are the first ones.
        active = 0
        time = math.exp(x)
        while active < n and logits[active] - logits[origin] + x > -40.0:
            arrived[active] = -math.expm1(-rates[active] * time)
            active += 1
        if active > 0 and 1.0 - arrived[active - 1] > CERTAIN:
            _long_forward(arrived, prefix, counts, active, weights.size)
            if counts[active, 0] > counts[active, 1]:
                break  # rank K is passed
            _long_backward(rates, weights, exposure, arrived, prefix, counts, ahead, active, time * step)
            x += step
        elif active < n:
            # All so far have arrived, the next is far off: nothing happens in between.
            origin = active
            x = until_first_node(logits, origin, weights, exposure, step, 0.0, rates)
        else:
            break


@kernel
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


@kernel
def _long_backward(
    rates: FloatArray,
    weights: FloatArray,
    exposure: FloatArray,
    arrived: FloatArray,
    prefix: FloatArray,
    counts: IntArray,
    ahead: FloatArray,
    active: int,
    time: float,
) -> None:
    """Add this node's part of the integral, its ``time`` by the step; ``ahead[m]`` = E[v] after m arrivals before i.

    Outside of ``counts`` it keeps an older value, which is an attention too and meets no chance.
    """
    K = weights.size
    for m in range(K):
        ahead[m] = weights[m]
    ahead[K] = 0.0
    for i in range(active - 1, -1, -1):
        low, high = counts[i]
        waiting = 1.0 - arrived[i]
        if waiting > CERTAIN:
            attention = _inner(prefix[i], ahead, low, high)
            exposure[i] += attention * waiting * rates[i] * time
        for m in range(low, high + 1):
            ahead[m] += arrived[i] * (ahead[m + 1] - ahead[m])


@reordered_kernel
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
#
# Counts and nodes lie in one row of K · LANES numbers, count by count, so that a step of a recurrence is one loop
# without an inner one; what is the same for all counts (chances, times) stands K times. A row of prefix chances begins
# with LANES zeros, the chance of −1 arrivals; one of attention ends with them, nobody reads rank K + 1.


class _Rows(NamedTuple):
    """Room for one query, see above.

    Attributes:
        rates: (n) rate of each item, that of the first still open one being 1.
        arrived: (n, K · LANES) chance of each item to have arrived.
        prefix: (n + 1, LANES + K · LANES) chance of each count among the items before.
        ahead: (K · LANES + LANES) attention to be expected after each count.
        spread: (K · LANES) time of each node as a multiple of the block's first.
    """

    rates: FloatArray
    arrived: FloatArray
    prefix: FloatArray
    ahead: FloatArray
    spread: FloatArray


@kernel
def _aligned(n: int) -> FloatArray:
    """Room for n numbers from a cache line's first byte on: no vector of a row of LANES then lies across two lines."""
    room = np.empty(n + LINE // 8)
    first = -room.ctypes.data % LINE // 8
    return room[first : first + n]


@kernel
def short_exposure(
    gaps: FloatArray,
    offsets: IntArray,
    lengths: IntArray,
    weights: FloatArray,
    refinements: int,
) -> FloatArray:
    """Exact exposure of every row under attention to few ranks, with step STEP/R; see :func:`expected_exposure`."""
    exposure = np.zeros(gaps.size)
    starts, sizes, before, logits = certain_parts(gaps, offsets, lengths, weights.size)
    n_max = sizes.max() if sizes.size else 0
    width = min(weights.size, n_max) * LANES
    rows = _Rows(
        np.empty(n_max),
        _aligned(n_max * width),
        _aligned((n_max + 1) * (width + LANES)),
        _aligned(width + LANES),
        _aligned(width),
    )
    for c in range(width):
        rows.spread[c] = math.exp(c % LANES * STEP)
    for part in range(starts.size):
        span = slice(starts[part], starts[part] + sizes[part])
        seen = weights[before[part] : before[part] + sizes[part]]
        if sizes[part] == 1:
            exposure[starts[part]] = seen[0]
            continue
        for shift in range(refinements):
            _add_integral(logits[span], seen, exposure[span], shift * STEP / refinements, rows)
        for row in range(starts[part], starts[part] + sizes[part]):
            exposure[row] /= refinements
    return exposure


@kernel
def _add_integral(logits: FloatArray, weights: FloatArray, exposure: FloatArray, shift: float, rows: _Rows) -> None:
    """Add one query's trapezoid sum, nodes moved by ``shift``, to its exposure."""
    n, K = logits.size, weights.size
    width = K * LANES
    for i in range(n):
        rows.prefix[i * (width + LANES) : i * (width + LANES) + LANES] = 0.0
    origin = 0
    active = 0
    x = until_first_node(logits, 0, weights, exposure, STEP, shift, rows.rates)
    # After this, K items beside any one have arrived for sure and rank K is passed.
    while x < LAST_RATE - (logits[min(K, n - 1)] - logits[origin]):
        _double(rows.arrived, active * width)
        # Items far from arriving are left out; logits fall, so the others are the first ones.
        while active < n and logits[active] - logits[origin] + x + LANES * STEP > -40.0:
            _arrive(rows.rates[active] * math.exp(x), rows.arrived[active * width : (active + 1) * width], rows.spread)
            active += 1
        # In gaps between far logits nobody may arrive within a block.
        if active > 0 and 1.0 - rows.arrived[(active - 1) * width] > CERTAIN:
            _forward(rows, active, K)
            _backward(rows, weights, exposure, active, math.exp(x) * STEP)
            if n > K and _few(rows.prefix[active * (width + LANES) :], K) < NEGLIGIBLE:
                break
            x += LANES * STEP
        elif active < n:
            # All so far have arrived, the next is far off: nothing happens in between.
            origin = active
            x = until_first_node(logits, origin, weights, exposure, STEP, shift, rows.rates)
        else:
            break


@kernel
def _double(arrived: FloatArray, size: int) -> None:
    """Chances a block later; written out, since the compiler makes no vectors of a loop in a loop."""
    for c in range(size):
        p = arrived[c]
        p = p * (2.0 - p)
        p = p * (2.0 - p)
        p = p * (2.0 - p)
        p = p * (2.0 - p)
        p = p * (2.0 - p)
        p = p * (2.0 - p)
        arrived[c] = p * (2.0 - p)


@kernel
def _arrive(rate: float, arrived: FloatArray, spread: FloatArray) -> None:
    """1 − e^(−rate · time) at each node: a series where it is small, doubled from there."""
    doublings = 0
    while rate > SMALL_RATE:
        rate *= 0.5
        doublings += 1
    for c in range(LANES):
        r = rate * spread[c]
        arrived[c] = r * (1.0 - r * (1 / 2 - r * (1 / 6 - r / 24)))
    for _ in range(doublings):
        for c in range(LANES):
            arrived[c] *= 2.0 - arrived[c]
    for c in range(LANES, arrived.size):
        arrived[c] = arrived[c - LANES]


@kernel
def _forward(rows: _Rows, active: int, K: int) -> None:
    """``prefix[i, m]`` = chance of m arrivals among items before i."""
    width = K * LANES
    rows.prefix[LANES : 2 * LANES] = 1.0
    rows.prefix[2 * LANES : width + LANES] = 0.0
    prefix, arrived = rows.prefix, rows.arrived
    for i in range(active):
        before = prefix[i * (width + LANES) : (i + 1) * (width + LANES)]
        after = prefix[(i + 1) * (width + LANES) + LANES : (i + 2) * (width + LANES)]
        p = arrived[i * width : (i + 1) * width]
        for c in range(width):
            after[c] = before[c + LANES] + p[c] * (before[c] - before[c + LANES])


@kernel
def _backward(rows: _Rows, weights: FloatArray, exposure: FloatArray, active: int, time: float) -> None:
    """Add this block's part of the integral, whose first node is at ``time``; ``ahead`` follows the items back."""
    width = weights.size * LANES
    for c in range(width):
        rows.ahead[c] = weights[c // LANES]
    rows.ahead[width:] = 0.0
    prefix, arrived, ahead, spread = rows.prefix, rows.arrived, rows.ahead, rows.spread
    for i in range(active - 1, -1, -1):
        before = prefix[i * (width + LANES) + LANES : (i + 1) * (width + LANES)]
        total = _step_back(before, arrived[i * width : (i + 1) * width], ahead, spread)
        exposure[i] += total * rows.rates[i] * time


@reordered_kernel
def _step_back(before: FloatArray, arrived: FloatArray, ahead: FloatArray, spread: FloatArray) -> float:
    """Attention to an item while it has not arrived, summed over times; then ``ahead`` is that before it."""
    total = 0.0
    for c in range(arrived.size):
        attention = ahead[c]
        waiting = 1.0 - arrived[c]
        if waiting > CERTAIN:
            total += before[c] * attention * waiting * spread[c]
        ahead[c] = attention + arrived[c] * (ahead[c + LANES] - attention)
    return total


@kernel
def _few(prefix: FloatArray, K: int) -> float:
    """Chance that fewer than K have arrived by the last node of a block."""
    chance = 0.0
    for m in range(K):
        chance += prefix[(m + 1) * LANES + LANES - 1]
    return chance


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
