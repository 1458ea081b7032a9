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
    gaps: FloatArray, offsets: IntArray, lengths: IntArray, weights: FloatArray, refinements: int
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
# doublings of t: the odds o(t) = e^(wt) − 1 of having arrived then move on by o(2t) = o (2 + o), without an exp. The
# mean of R trapezoid rules, each shifted by STEP/R, is the rule with step STEP/R.
#
# Most items of a long list are late: at no node of a block are their odds better than even. Let P(m) be the chance of m
# arrivals among them, which is e^(−Wt) times a symmetric polynomial of their odds, and a(m) the attention to be
# expected after m of them, whatever the early items do. That one late item has not arrived and m others have has the
# chance u(m) = P(m) − o u(m−1), so that attention to it is C_0 − o (C_1 − o (C_2 − …)) with
# C_j = a(j) P(0) + a(j+1) P(1) + …, the same for all late items: each costs two operations per rank and node. No digit
# is lost, since o ≤ 1, no C_j exceeds C_0, and what comes out is at least C_0 / 2.
#
# Early items are added one after another, by prefix chances and backward values. They are few: where so many have even
# odds that K of them have arrived for sure, no further node counts.
#
# A step of a recurrence is one loop without an inner one. Late items go through it in groups of ``GROUP``, two at a
# time: each place of a group counts its own items, and the places are merged at the end. Early ones have a row each of
# K · LANES numbers, count by count; what is the same for all counts (chances, times) stands K times. A row of prefix
# chances begins with LANES zeros, the chance of −1 arrivals; one of attention ends with them, nobody reads rank K + 1.


GROUP = 8
"""Late items that lie side by side."""

SHEET = GROUP * LANES
"""Numbers of a group: one per item and node."""

FEWEST_LATE = 8
"""Late items per rank from which counting them together is faster than one by one."""

SURELY_ARRIVED = 1.0 / CERTAIN
"""Odds from which not having arrived is no more than rounding."""

LARGEST_ODDS = 1e300
"""Odds that can still be added to 1 and divided."""


class _Rows(NamedTuple):
    """Room for one query, see above.

    Attributes:
        rates: (n) rate of each item, that of the first still open one being 1.
        odds: (n, whole pairs of groups, LANES) odds of each item to have arrived; 0 until it is active.
        chances: (counts from −1 on, GROUP, LANES) chance of each count among the late items of a place, times e^(Wt).
        terms: (counts, GROUP, LANES) C of each count, times the time of the node, the same in each place.
        attention: (2, GROUP, LANES) to the late items of two groups.
        arrived: (early items, K · LANES) chance of each early item to have arrived.
        prefix: (early items + 1, LANES + K · LANES) chance of each count among the late items and the early before.
        ahead: (K · LANES + LANES) attention to be expected after each count.
        spread: (K · LANES) time of each node as a multiple of the block's first.
    """

    rates: FloatArray
    odds: FloatArray
    chances: FloatArray
    terms: FloatArray
    attention: FloatArray
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
def _in_pairs(n: int) -> int:
    """Items of the fewest pairs of groups that hold n."""
    return (n + 2 * GROUP - 1) // (2 * GROUP) * 2 * GROUP


@kernel
def _in_fours(K: int) -> int:
    """Counts 1 … K − 1 that are stepped through, four at a time."""
    return (K + 2) // 4 * 4


@kernel
def _surely_passed(K: int) -> int:
    """The number of items with even odds of which K have arrived for sure."""
    n = K
    while True:
        fewer = 0.0
        chance = 0.5**n
        for m in range(K):
            fewer += chance
            chance *= (n - m) / (m + 1)
        if fewer < NEGLIGIBLE:
            return n
        n += 1


@kernel
def short_exposure(
    gaps: FloatArray, offsets: IntArray, lengths: IntArray, weights: FloatArray, refinements: int
) -> FloatArray:
    """Exact exposure of every row under attention to few ranks, with step STEP/R; see :func:`expected_exposure`."""
    exposure = np.zeros(gaps.size)
    starts, sizes, before, logits = certain_parts(gaps, offsets, lengths, weights.size)
    n_max = sizes.max() if sizes.size else 0
    K = min(weights.size, n_max)
    width = K * LANES
    passed = _surely_passed(weights.size)
    n_early = min(n_max, _in_pairs(passed) + FEWEST_LATE * K)
    rows = _Rows(
        np.empty(n_max),
        _aligned(_in_pairs(n_max) * LANES),
        _aligned((_in_fours(K) + 2) * SHEET),
        _aligned((_in_fours(K) + 1) * SHEET),
        _aligned(2 * SHEET),
        _aligned(n_early * width),
        _aligned((n_early + 1) * (width + LANES)),
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
            _add_integral(logits[span], seen, exposure[span], shift * STEP / refinements, rows, passed)
        for row in range(starts[part], starts[part] + sizes[part]):
            exposure[row] /= refinements
    return exposure


@kernel
def _add_integral(
    logits: FloatArray, weights: FloatArray, exposure: FloatArray, shift: float, rows: _Rows, passed: int
) -> None:
    """Add one query's trapezoid sum, nodes moved by ``shift``, to its exposure."""
    n, K = logits.size, weights.size
    width = K * LANES
    for i in range(min(n, _in_pairs(passed) + FEWEST_LATE * K)):
        rows.prefix[i * (width + LANES) : i * (width + LANES) + LANES] = 0.0
    rows.odds[: _in_pairs(n) * LANES] = 0.0
    origin = 0
    active = 0
    x = until_first_node(logits, 0, weights, exposure, STEP, shift, rows.rates)
    # After this, K items beside any one have arrived for sure and rank K is passed.
    while x < LAST_RATE - (logits[min(K, n - 1)] - logits[origin]):
        _double(rows.odds, active * LANES)
        # Items far from arriving are left out; logits fall, so the others are the first ones.
        while active < n and logits[active] - logits[origin] + x + LANES * STEP > -40.0:
            _arrive(rows.rates[active] * math.exp(x), rows.odds[active * LANES : (active + 1) * LANES], rows.spread)
            active += 1
        # In gaps between far logits nobody may arrive within a block.
        if active > 0 and rows.odds[(active - 1) * LANES] < SURELY_ARRIVED:
            # Nodes at which so many have even odds that rank K is passed count no more.
            nodes = LANES
            while nodes > 0 and active >= passed and rows.odds[(passed - 1) * LANES + nodes - 1] > 1.0:
                nodes -= 1
            if nodes == 0:
                break
            # Rates fall, so the early ones are the first.
            early = 0
            while early < active and rows.odds[early * LANES + nodes - 1] > 1.0:
                early += 1
            early = min(_in_pairs(early), active) if active - early > FEWEST_LATE * K else active
            time = math.exp(x)
            _count_late(rows, early, active, nodes, K, time)
            _forward(rows, early, K)
            _backward(rows, weights, exposure, early, time * STEP)
            _add_late(rows, exposure, early, active, K, time * STEP)
            if n > K and _few(rows.prefix[early * (width + LANES) :], K) < NEGLIGIBLE:
                break
            x += LANES * STEP
        elif active < n:
            # All so far have arrived, the next is far off: nothing happens in between.
            origin = active
            x = until_first_node(logits, origin, weights, exposure, STEP, shift, rows.rates)
        else:
            break


@kernel
def _double(odds: FloatArray, size: int) -> None:
    """Odds a block later; written out, since the compiler makes no vectors of a loop in a loop."""
    for c in range(size):
        o = odds[c]
        o = o * (2.0 + o)
        o = o * (2.0 + o)
        o = o * (2.0 + o)
        o = o * (2.0 + o)
        o = o * (2.0 + o)
        o = o * (2.0 + o)
        odds[c] = o * (2.0 + o)


@kernel
def _arrive(rate: float, odds: FloatArray, spread: FloatArray) -> None:
    """e^(rate · time) − 1 at each node: a series where it is small, doubled from there."""
    doublings = 0
    while rate > SMALL_RATE:
        rate *= 0.5
        doublings += 1
    for c in range(odds.size):
        r = rate * spread[c]
        odds[c] = r * (1.0 + r * (1 / 2 + r * (1 / 6 + r * (1 / 24))))
    for _ in range(doublings):
        for c in range(odds.size):
            odds[c] *= 2.0 + odds[c]


@kernel
def _count_late(rows: _Rows, early: int, active: int, nodes: int, K: int, time: float) -> None:
    """The first row of prefix chances, of the late items alone; 0 at nodes that do not count."""
    chances, prefix, steps = rows.chances, rows.prefix[LANES:], _in_fours(K)
    prefix[: K * LANES] = 0.0
    if early == active:
        prefix[:nodes] = 1.0
        return
    chances[:SHEET] = 0.0
    chances[SHEET : 2 * SHEET] = 1.0
    chances[2 * SHEET : (steps + 2) * SHEET] = 0.0
    for first in range(early, active, 2 * GROUP):
        odds = rows.odds[first * LANES : first * LANES + 2 * SHEET]
        for m in range(steps - 4, -1, -4):
            _step_late(chances[m * SHEET : (m + 6) * SHEET], odds)
    total = 0.0
    for i in range(early, active):
        total += rows.rates[i]
    places = GROUP
    while places > 1:
        places //= 2
        _merge(chances, places * LANES, K)
    for node in range(nodes):
        none_yet = math.exp(-total * time * rows.spread[node])
        for m in range(K):
            prefix[m * LANES + node] = none_yet * chances[(m + 1) * SHEET + node]


@kernel
def _merge(chances: FloatArray, size: int, K: int) -> None:
    """The first ``size`` numbers of each count with as many that follow them: counts of both places together."""
    for m in range(K - 1, 0, -1):
        for more in range(1, m + 1):
            for c in range(size):
                before, those = chances[(m - more + 1) * SHEET + c], chances[(more + 1) * SHEET + size + c]
                chances[(m + 1) * SHEET + c] += before * those


@kernel
def _step_late(chances: FloatArray, odds: FloatArray) -> None:
    """Four counts, the last of six, after two more groups: of two items of a place both arrive, one, or neither."""
    for c in range(SHEET):
        single = odds[c] + odds[SHEET + c]
        both = odds[c] * odds[SHEET + c]
        chances[5 * SHEET + c] += single * chances[4 * SHEET + c] + both * chances[3 * SHEET + c]
        chances[4 * SHEET + c] += single * chances[3 * SHEET + c] + both * chances[2 * SHEET + c]
        chances[3 * SHEET + c] += single * chances[2 * SHEET + c] + both * chances[SHEET + c]
        chances[2 * SHEET + c] += single * chances[SHEET + c] + both * chances[c]


@kernel
def _forward(rows: _Rows, early: int, K: int) -> None:
    """``prefix[i, m]`` = chance of m arrivals among the late items and the early ones before i."""
    width = K * LANES
    prefix, arrived = rows.prefix, rows.arrived
    for i in range(early):
        before = prefix[i * (width + LANES) : (i + 1) * (width + LANES)]
        after = prefix[(i + 1) * (width + LANES) + LANES : (i + 2) * (width + LANES)]
        p = arrived[i * width : (i + 1) * width]
        p[:LANES] = rows.odds[i * LANES : (i + 1) * LANES]
        for c in range(LANES):
            odds = min(p[c], LARGEST_ODDS)
            p[c] = odds / (1.0 + odds)
        for c in range(LANES, width):
            p[c] = p[c - LANES]
        for c in range(width):
            after[c] = before[c + LANES] + p[c] * (before[c] - before[c + LANES])


@kernel
def _backward(rows: _Rows, weights: FloatArray, exposure: FloatArray, early: int, time: float) -> None:
    """Add this block's part of the integral, whose first node is at ``time``, to early items.

    ``ahead`` follows them back: it ends as the attention to be expected after each count of late arrivals.
    """
    width = weights.size * LANES
    for c in range(width):
        rows.ahead[c] = weights[c // LANES]
    rows.ahead[width:] = 0.0
    prefix, arrived, ahead, spread = rows.prefix, rows.arrived, rows.ahead, rows.spread
    for i in range(early - 1, -1, -1):
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
def _add_late(rows: _Rows, exposure: FloatArray, early: int, active: int, K: int, time: float) -> None:
    """Add this block's part of the integral, whose first node is at ``time``, to late items."""
    if early == active:
        return
    terms, attention, steps = rows.terms, rows.attention, _in_fours(K)
    chances, ahead, spread = rows.prefix[LANES:], rows.ahead, rows.spread
    terms[: (steps + 1) * SHEET] = 0.0
    for less in range(K):
        term = terms[less * SHEET : (less + 1) * SHEET]
        for m in range(less, K):
            for node in range(LANES):
                term[node] += ahead[m * LANES + node] * chances[(m - less) * LANES + node]
        for node in range(LANES):
            term[node] *= spread[node] * time
        for c in range(LANES, SHEET):
            term[c] = term[c - LANES]
    for first in range(early, active, 2 * GROUP):
        odds = rows.odds[first * LANES : first * LANES + 2 * SHEET]
        for c in range(SHEET):
            attention[c] = terms[steps * SHEET + c]
            attention[SHEET + c] = terms[steps * SHEET + c]
        for less in range(steps - 4, -1, -4):
            _step_attention(attention, terms[less * SHEET : (less + 4) * SHEET], odds)
        last = min(first + 2 * GROUP, active)
        _add_nodes(exposure[first:last], rows.rates[first:last], attention)


@kernel
def _step_attention(attention: FloatArray, terms: FloatArray, odds: FloatArray) -> None:
    """Four more terms of the polynomial in the odds, of the items of two groups."""
    for c in range(SHEET):
        a, b = odds[c], odds[SHEET + c]
        first, second = terms[c], terms[SHEET + c]
        third, fourth = terms[2 * SHEET + c], terms[3 * SHEET + c]
        attention[c] = first - a * (second - a * (third - a * (fourth - a * attention[c])))
        attention[SHEET + c] = first - b * (second - b * (third - b * (fourth - b * attention[SHEET + c])))


@reordered_kernel
def _add_nodes(exposure: FloatArray, rates: FloatArray, attention: FloatArray) -> None:
    for i in range(exposure.size):
        total = 0.0
        for node in range(LANES):
            total += attention[i * LANES + node]
        exposure[i] += total * rates[i]


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
