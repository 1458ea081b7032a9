"""Exposure-optimal policies: the most usefulness that a given disparity allows.

The largest ⟨ε, u⟩ at a given ‖ε‖² is the projection of u/λ onto the attainable exposures. On macro-mean axes λ is
shared by all queries, scaled by the width of each query's axes, so that one λ is one point of the frontier of means.

All policies over n items together attain exactly the permutahedron of v (its vertices are the rankings). Projecting z
sorts it, fits z − v by isotonic (falling) regression and subtracts the fit; for ``topk`` this is the capped simplex,
ε_d = clip(z_d − τ, 0, 1) with Σε = k.

``optimal`` knows the run's scores, ``oracle`` the judgements: u = ε* over the pool. No policy over the same items has a
larger mean ⟨ε, s̄⟩ than the one, and none over the pool a larger mean EE-R than the other, at equal mean EE-D.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from fairviz.kernels.attention import Attention
from fairviz.kernels.compiled import kernel
from fairviz.kernels.exposure import Bounds, attention_by_row, exposure_bounds, varies
from fairviz.model import BoolArray, Exposure, FloatArray, IntArray, Pools, ScoreScale
from fairviz.model.arrays import segment_ids, segment_sums
from fairviz.policies.scales import ranked_offsets, ranked_rows, scaled_scores

LOG_LAMBDAS = np.linspace(-20.0, 14.0, 69)
"""Grid of ln λ from a ranking that tells usefulness apart from 2e−9 on to uniform."""

SHARPEST = -700.0
"""ln λ at which nothing but ties is left undecided."""

PRECISION = 1e-13
"""Distance from the mean EE-D that is asked for."""
STEPS = 100
"""Far more than are ever needed; what is then left of the distance is rounding."""


@kernel
def project(falling: FloatArray, offsets: IntArray, weights: FloatArray) -> FloatArray:
    """Nearest attainable exposure of each query's values.

    Args:
        falling: (M) values, falling within each query.
        offsets: (Q+1) rows of each query.
        weights: Attention at ranks 1, 2, …, at least as long as the longest query; falling.

    Returns:
        (M) exposure in the same order, summing to Σv of each query.
    """
    exposure = np.empty(falling.size)
    longest = 0
    for q in range(offsets.size - 1):
        longest = max(longest, offsets[q + 1] - offsets[q])
    block_start = np.empty(longest + 1, dtype=np.int64)
    block_sum = np.empty(longest)
    for q in range(offsets.size - 1):
        start = offsets[q]
        n = offsets[q + 1] - start
        n_blocks = 0
        for i in range(n):
            block_start[n_blocks] = i
            block_sum[n_blocks] = falling[start + i] - weights[i]
            n_blocks += 1
            # Pool neighbours whose means rise: they share one value of the fit.
            while n_blocks > 1:
                size = i + 1 - block_start[n_blocks - 1]
                size_before = block_start[n_blocks - 1] - block_start[n_blocks - 2]
                if block_sum[n_blocks - 2] * size > block_sum[n_blocks - 1] * size_before:
                    break
                block_sum[n_blocks - 2] += block_sum[n_blocks - 1]
                n_blocks -= 1
        block_start[n_blocks] = n
        for b in range(n_blocks):
            low, high = block_start[b], block_start[b + 1]
            # Differences from the block's first value keep precision where values are huge.
            first = falling[start + low]
            mean_gap, mean_weight = 0.0, 0.0
            for i in range(low, high):
                mean_gap += falling[start + i] - first
                mean_weight += weights[i]
            mean_gap /= high - low
            mean_weight /= high - low
            for i in range(low, high):
                exposure[start + i] = falling[start + i] - first - mean_gap + mean_weight
    return exposure


@kernel
def sharpened(falls: FloatArray, offsets: IntArray, scale: FloatArray, most: float) -> FloatArray:
    """U / scale of each query's items, less that of the first, from the falls between neighbours.

    A fall wider than the widest difference of attention divides the items for sure, so it counts as
    ``most`` and narrow ones keep their digits.
    """
    values = np.zeros(falls.size)
    for q in range(scale.size):
        for i in range(offsets[q] + 1, offsets[q + 1]):
            values[i] = values[i - 1] - min(falls[i] / scale[q], most)
    return values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frontier:
    """The optimal policies of one usefulness estimate, from uniform to its best ranking.

    Attributes:
        falls: (R) u of the item before minus u, of each item that may be ranked, best first; 0 for
            the first of a query.
        rows: (R) the pool row of each.
        offsets: (Q+1) items of each query.
        weights: Attention by rank, as long as the longest query.
        scale: (Q) λ_q / λ; NaN where the query has no point on the axes and is left uniform.
        disparity: (Q) bounds of ‖ε‖², low and high.
        n_rows: Rows of the pools.
        ideal: (M) exposure of one best ranking: beyond the frontier's end exposure moves
            towards it, which changes disparity and no usefulness. None: the frontier stops.
    """

    falls: FloatArray
    rows: IntArray
    offsets: IntArray
    weights: FloatArray
    scale: FloatArray
    disparity: tuple[FloatArray, FloatArray]
    n_rows: int
    ideal: Exposure | None = None
    _grid: dict[str, FloatArray] = field(default_factory=dict[str, FloatArray], init=False)

    def exposure(self, log_lambda: float) -> Exposure:
        """(M) exposure at one λ; 0 for rows that may not be ranked."""
        exposure = np.zeros(self.n_rows)
        exposure[self.rows] = self._projected(log_lambda)
        return exposure

    def mean_disparity(self, log_lambda: float) -> float:
        """Mean attainable EE-D at one λ, over the queries that have one."""
        low, high = self.disparity
        squares = segment_sums(self._projected(log_lambda) ** 2, self.offsets)
        used = ~np.isnan(self.scale)
        return float(np.mean((squares - low)[used] / (high - low)[used]))

    def at(self, mean_disparities: FloatArray) -> list[Exposure]:
        """The policies with these values of mean attainable EE-D.

        A value below uniform or above the end of the frontier gives that end, unless the frontier
        goes on (``ideal``).
        """
        if np.isnan(self.scale).all():
            return [self.exposure(LOG_LAMBDAS[-1]) for _ in mean_disparities]
        if "disparity" not in self._grid:
            self._grid["disparity"] = np.array([self.mean_disparity(x) for x in LOG_LAMBDAS])
        return [self._at(float(disparity), self._grid["disparity"]) for disparity in mean_disparities]

    def _at(self, disparity: float, on_grid: FloatArray) -> Exposure:
        if disparity <= on_grid[-1]:
            return self.exposure(LOG_LAMBDAS[-1])
        if disparity >= on_grid[0]:
            return self._beyond(disparity, float(on_grid[0]))
        after = int(np.argmax(on_grid < disparity))
        more = float(LOG_LAMBDAS[after - 1]), float(on_grid[after - 1]) - disparity
        less = float(LOG_LAMBDAS[after]), float(on_grid[after]) - disparity
        return self.exposure(_root(lambda x: self.mean_disparity(x) - disparity, more, less))

    def _beyond(self, disparity: float, end: float) -> Exposure:
        """From ε* towards one fixed ideal ranking: EE-R stays, EE-D grows with the square.

        Without one, on to usefulness that the grid does not tell apart.
        """
        if self.ideal is None:
            return self._sharper(disparity, end)
        exposure = self.exposure(LOG_LAMBDAS[0])
        if end >= 1:
            return exposure
        step = np.sqrt(min((disparity - end) / (1 - end), 1.0))
        return exposure + step * (self.ideal - exposure)

    def _sharper(self, disparity: float, end: float) -> Exposure:
        more = SHARPEST, self.mean_disparity(SHARPEST) - disparity
        less = float(LOG_LAMBDAS[0]), end - disparity
        if more[1] <= PRECISION:
            return self.exposure(SHARPEST)
        while less[0] - more[0] > 1:
            middle = (less[0] + more[0]) / 2
            value = self.mean_disparity(middle) - disparity
            more, less = ((middle, value), less) if value > 0 else (more, (middle, value))
        return self.exposure(_root(lambda x: self.mean_disparity(x) - disparity, more, less))

    def _projected(self, log_lambda: float) -> FloatArray:
        scale = np.where(np.isnan(self.scale), np.inf, self.scale * np.exp(log_lambda))
        most = 2 * float(self.weights[:1].sum())
        return project(sharpened(self.falls, self.offsets, scale, most), self.offsets, self.weights)


def frontier(
    policy: Literal["optimal", "oracle"],
    pools: Pools,
    target: Exposure,
    attention: Attention,
    *,
    scores: ScoreScale = "given",
) -> Frontier:
    """The frontier of a usefulness estimate.

    Args:
        policy: "optimal": of the run's own scores, u = s̄ over the run's items, λ_q = λ / width of EE-D. "oracle": of
            the judgements, u = ε* over the pool, λ_q = λ · width of EE-R / width of EE-D; as λ → 0 it ends at ε*, and
            beyond goes on at EE-R = 1 towards one fixed ideal ranking.
        pools: A scored run with its judgements.
        target: ε*, which decides on which queries the axes are defined.
        attention: A rank-only browsing model.
        scores: How scores become s̄, as in :class:`fairviz.policies.PlackettLuce`; the oracle sees none.
    """
    bounds = exposure_bounds(target, pools.offsets, attention)
    (low, high), (worst, best) = bounds.disparity, bounds.relevance
    width = np.where(defined_queries(pools, bounds), high - low, np.nan)
    weights = attention.weights(int(pools.sizes.max(initial=0)))
    common: dict[str, Any] = {"weights": weights, "disparity": (low, high), "n_rows": pools.docs.size}
    if policy == "optimal":
        falls, rows = scaled_scores(pools, scores).falls, ranked_rows(pools)
        return Frontier(falls=falls, rows=rows, offsets=ranked_offsets(pools), scale=1 / width, **common)
    order = np.lexsort((-target, segment_ids(pools.offsets))).astype(np.int64)
    falls = -np.diff(target[order], prepend=0.0)
    falls[pools.offsets[:-1][pools.sizes > 0]] = 0.0
    ideal = np.empty(target.size)
    ideal[order] = attention_by_row(pools.offsets, attention)
    scale = (best - worst) / width
    return Frontier(falls=falls, rows=order, offsets=pools.offsets, scale=scale, ideal=ideal, **common)


def _root(excess: Callable[[float], float], more: tuple[float, float], less: tuple[float, float]) -> float:
    """Where a falling function is 0, by false position (Illinois), with bisection at kinks.

    scipy.optimize has the same in half a second of imports, which every start would wait for.

    Args:
        excess: The function.
        more: A place where it is positive, and its value there.
        less: A later place where it is not, and its value there.
    """
    (a, high), (b, low) = more, less
    last = 0.0
    x, width = b, b - a
    for step in range(STEPS):
        x = (a * low - b * high) / (low - high)
        if step % 3 == 2:
            x = (a + b) / 2 if b - a > width / 2 else x
            width = b - a
        value = excess(x)
        if abs(value) <= PRECISION:
            break
        # An end that stays a second time is drawn half as far, so that both close in.
        if value > 0:
            low = low / 2 if last > 0 else low
            a, high = x, value
        else:
            high = high / 2 if last < 0 else high
            b, low = x, value
        last = value
    return x


def defined_queries(pools: Pools, bounds: Bounds) -> BoolArray:
    """(Q) queries with a place on both axes: something was ranked, and EE-D and EE-R can vary."""
    return (pools.n_retrieved > 0) & varies(*bounds.disparity) & varies(*bounds.relevance)
