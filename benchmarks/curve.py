"""An exact curve of 17 α, as the dashboard and ``fairviz tradeoff`` compute it."""

import statistics
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.exposure import K, draw
from benchmarks.material import random_qrels, random_run
from benchmarks.measuring import REPEATS, Goal, Row, interleaved, ratio, shown
from fairviz.kernels.attention import TopK
from fairviz.kernels.pool import pool
from fairviz.model import Curve
from fairviz.points.curves import CurveSettings, tradeoff_curve
from fairviz.policies import normalised_scores

ALPHAS = np.linspace(0, 8, 17)


def rows(*, small: bool) -> Iterator[Row]:
    """Seconds of the curve, and the same as a ratio to sampling it."""
    run = random_run(n_queries=20 if small else 1000, n_items=100)
    pools = pool(run, random_qrels(run))
    scores = normalised_scores(pools).reshape(len(run.query_ids), 100)

    def curve() -> Curve:
        return tradeoff_curve(
            pools, CurveSettings(alphas=ALPHAS, attention=TopK(K)), system="synthetic", policy="plackett-luce"
        )

    def sampled() -> None:
        for alpha in ALPHAS:
            draw(scores, float(alpha), rng=np.random.default_rng(0))

    began = time.process_time()
    curve()
    busy = time.process_time() - began
    exact, drawn = interleaved(curve, sampled, repeats=1 if small else min(REPEATS, 3))
    size = f"{len(scores):,} queries × 100, k = {K}; {busy:.2g} s of processor time"
    yield Row(what=f"curve of {ALPHAS.size} exact α", value=statistics.median(exact), unit="s", goal=Goal(6), note=size)
    yield Row(
        what=f"curve of {ALPHAS.size} exact α / drawing 100 samples at each",
        value=ratio(exact, drawn),
        unit="×",
        note=f"{shown(exact)} / {shown(drawn)}",
    )
