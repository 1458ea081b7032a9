"""The same work on one core and on all: time, and whether the bits are the same.

Times are the fastest of some rounds: what something else takes of a core for a moment is none of ours, and to lose one
of two costs the half. Beside them stands what loops that share nothing and take as long gain by the other cores in the
same rounds; on machines that are shared that is less than their number, and the less the longer they take.
"""

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from unittest.mock import patch

import numpy as np

from benchmarks.material import random_qrels, random_run
from benchmarks.measuring import Goal, Row, interleaved, shown
from fairviz.kernels.attention import Discounted, TopK
from fairviz.kernels.compiled import THREADS, n_threads
from fairviz.kernels.exposure import sample_exposure
from fairviz.kernels.pool import pool
from fairviz.model import FloatArray, IndexArray
from fairviz.policies import PlackettLuce

ROUNDS = 9
QUERIES = 4000
"""Of a thousand, a few milliseconds at both ends, when one core works alone, are a tenth."""


def rows(*, small: bool) -> Iterator[Row]:
    """One core over all cores, and the largest difference, per task."""
    goal = Goal(0.8 * min(2, n_threads()), at_least=True) if n_threads() > 1 else None
    for what, task in _tasks(20 if small else QUERIES):
        laps = _laps(partial(_on_one, task))
        alone, together = partial(_loops, 1, laps), partial(_loops, n_threads(), laps)
        times = interleaved(partial(_on_one, task), task, alone, together, repeats=1 if small else ROUNDS)
        one, every, loop, loops = (min(seconds) for seconds in times)
        yield Row(
            what=f"{what}: one core / all",
            value=one / every,
            unit="×",
            goal=goal,
            note=f"{shown([one])} / {shown([every])} on {n_threads()} cores; "
            f"loops that share nothing: {n_threads() * loop / loops:.2f} ×",
        )
        same = _on_one(task).tobytes() == task().tobytes()
        yield Row(what=f"{what}: bits that differ", value=0.0 if same else 1.0, unit="", goal=Goal(0))


def _tasks(n_queries: int) -> Iterator[tuple[str, Callable[[], FloatArray | IndexArray]]]:
    run = random_run(n_queries=n_queries, n_items=100)
    qrels = random_qrels(run)
    pools = pool(run, qrels)
    policy = PlackettLuce(2.0)
    size = f"{n_queries:,} queries × 100 items"
    yield f"exact exposure, {size}, k = 5", lambda: policy.exposure(pools, TopK(5))
    yield f"exact exposure, {size}, k = 20", lambda: policy.exposure(pools, TopK(20))
    yield f"exact exposure, {size}, attention 1/log2(rank + 1)", lambda: policy.exposure(pools, Discounted())
    draw = partial(policy.sample, run, depth=100, n_samples=100)
    yield f"drawing 100 rankings each, {size}", lambda: draw(rng=np.random.default_rng(0)).docs
    sample = draw(rng=np.random.default_rng(0))
    drawn = pool(sample, qrels)
    yield f"exposure of 100 rankings each, {size}", lambda: sample_exposure(sample, drawn, TopK(100)).exposure


def _laps(task: Callable[[], object]) -> int:
    """Laps of a loop that take about as long as a task."""
    task()  # compiled before anything is timed
    (one, *_), (hundred, *_) = interleaved(task, partial(_loops, 1, 100), repeats=1)
    return math.ceil(100 * one / hundred)


def _loops(n: int, laps: int) -> None:
    """So many loops side by side, each in the cache of its core."""
    with ThreadPoolExecutor(n) as pool:
        list(pool.map(partial(_loop, laps), range(n)))


def _loop(laps: int, seed: int) -> None:
    numbers = np.random.default_rng(seed).random(50_000)
    room = np.empty_like(numbers)
    for _ in range(laps):
        np.exp(numbers, out=room)  # long enough that nobody waits for the interpreter


def _on_one(task: Callable[[], FloatArray | IndexArray]) -> FloatArray | IndexArray:
    with patch.dict(os.environ, {THREADS: "1"}):
        return task()
