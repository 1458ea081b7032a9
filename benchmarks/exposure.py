"""Exact EE-D and EE-R at one α, against drawing the samples that they replace."""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from benchmarks.material import random_qrels, random_run
from benchmarks.measuring import REPEATS, Goal, Row, interleaved, ratio, shown
from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.model import FloatArray, Pools
from fairviz.points.curves import CurveSettings, tradeoff_curve
from fairviz.policies import PlackettLuce, normalised_scores

K = 5
DEEPER = {10: 1.0, 20: 1.5}
"""More ranks, and how many times as long as drawing they may take."""
N_SAMPLES = 100
ALPHAS = (1, 2, 4, 8)
STEP = 0.1
"""Of the extended sum: a third of the engine's, which cubes an error that falls geometrically."""
CHUNK = 10
"""Queries drawn at once: what fits the processor's cache is fastest."""


def rows(*, small: bool) -> Iterator[Row]:
    """Ratio of times, and the largest error against extended precision, per α."""
    run = random_run(n_queries=20 if small else 1000, n_items=100)
    pools = pool(run, random_qrels(run))
    scores = normalised_scores(pools).reshape(len(run.query_ids), 100)
    checked = scores[: 1 if small else 3]
    for k, alpha in product((K, *DEEPER), ALPHAS):
        exact, drawn = interleaved(
            partial(exact_measures, pools, alpha, k),
            lambda alpha=alpha, k=k: draw(scores, alpha, k, rng=np.random.default_rng(0)),
            repeats=1 if small else REPEATS,
        )
        yield Row(
            what=f"exact EE-D and EE-R, k = {k}, α = {alpha} / drawing {N_SAMPLES} samples",
            value=ratio(exact, drawn),
            unit="×",
            goal=Goal(DEEPER.get(k, 2 if alpha == 8 else 1)),
            note=f"{shown(exact)} / {shown(drawn)}; {len(scores):,} queries × 100, k = {k}",
        )
        found = PlackettLuce(alpha).exposure(pools, TopK(k)).reshape(scores.shape)
        wanted = np.array([extended_precision(row, alpha, k) for row in checked])
        yield Row(
            what=f"largest error of an exposure, k = {k}, α = {alpha}",
            value=float(np.abs(found[: len(checked)] - wanted).max()),
            unit="",
            goal=Goal(1e-8),
            note=f"{wanted.size:,} exposures in extended precision",
        )


def exact_measures(pools: Pools, alpha: float, k: int = K) -> tuple[float, float]:
    """Mean EE-D and EE-R, target and bounds included."""
    curve = tradeoff_curve(
        pools,
        CurveSettings(alphas=np.array([float(alpha)]), attention=TopK(k)),
        system="synthetic",
        policy="plackett-luce",
    )
    return float(curve.mean_disparity[0]), float(curve.mean_quality[0])


def draw(scores: FloatArray, alpha: float, k: int = K, *, rng: np.random.Generator) -> FloatArray:
    """(Q, n) exposure counted in N drawn top-k sets per query: Gumbel noise and a partition.

    The sets are not sorted, and EE-D and EE-R are not computed: only drawing is timed.
    """
    n_queries, n_items = scores.shape
    counts = np.zeros(scores.shape)
    logits = (scores + 1) ** alpha
    for first in range(0, n_queries, CHUNK):
        part = logits[first : first + CHUNK]
        noisy = rng.gumbel(size=(len(part), N_SAMPLES, n_items))
        noisy += part[:, None, :]
        best = np.argpartition(noisy, n_items - k, axis=2)[:, :, -k:]
        cells = best.reshape(len(part), -1) + np.arange(len(part))[:, None] * n_items
        counts[first : first + CHUNK] = np.bincount(cells.ravel(), minlength=part.size).reshape(part.shape)
    return counts / N_SAMPLES


def extended_precision(scores: FloatArray, alpha: float, k: int = K) -> FloatArray:
    """(n) top-k exposure by a plain trapezoid sum, in numpy's longest float.

    ε_d = ∫ w_d t e^(−w_d t) · P(fewer than k others have arrived by t) dx with x = log t, at steps
    of STEP; the counts of the others come from prefix and suffix products.
    """
    logits = ((scores + 1) ** alpha).astype(np.longdouble)
    logits -= logits.max()
    x = np.arange(-45, 45 - float(logits.min()), STEP).astype(np.longdouble)
    rates = np.exp(logits[:, None] + x)
    waiting = np.exp(-rates)
    arrived = -np.expm1(-rates)
    before = _counts(arrived, waiting, k)
    after = _counts(arrived[::-1], waiting[::-1], k)[::-1]
    exposure = np.empty(logits.size)
    for d in range(logits.size):
        fewer = sum(before[d, m] * after[d + 1, : k - m].sum(axis=0) for m in range(k))
        exposure[d] = (rates[d] * waiting[d] * fewer).sum() * np.longdouble(STEP)
    return exposure


def _counts(
    arrived: np.ndarray[tuple[int, int], np.dtype[np.longdouble]],
    waiting: np.ndarray[tuple[int, int], np.dtype[np.longdouble]],
    k: int,
) -> np.ndarray[tuple[int, int, int], np.dtype[np.longdouble]]:
    """(n+1, k, X) chance that m of the first i items have arrived, for m < k."""
    n_items, n_times = arrived.shape
    counts = np.zeros((n_items + 1, k, n_times), dtype=np.longdouble)
    counts[0, 0] = 1
    for i in range(n_items):
        counts[i + 1] = counts[i] * waiting[i]
        counts[i + 1, 1:] += counts[i, :-1] * arrived[i]
    return counts
