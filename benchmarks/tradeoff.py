"""The tables of ``fairviz tradeoff`` for 24 runs of 1,000 queries × 100 documents at 17 α, on all cores."""

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from benchmarks.material import random_qrels, random_run
from benchmarks.measuring import Goal, Row
from fairviz.kernels.attention import TopK
from fairviz.kernels.compiled import THREADS
from fairviz.kernels.pool import pool
from fairviz.model import Factors, Run
from fairviz.points.conditions import Condition
from fairviz.points.curves import CurveSettings, policy_curves
from fairviz.studies.compare.columns import tables
from fairviz.studies.compare.grid import compare_grid

ALPHAS = np.linspace(0, 8, 17)
K = 5


def rows(*, small: bool) -> Iterator[Row]:
    """Seconds from loaded files to every table, and the processor time that they took."""
    n_systems, n_queries = (3, 20) if small else (24, 1000)
    first = random_run(n_queries=n_queries, n_items=100)
    rng = np.random.default_rng(1)
    runs = [_another(first, f"system-{i}", rng) for i in range(n_systems)]
    qrels = random_qrels(first)
    began, busy = time.perf_counter(), time.process_time()
    settings = CurveSettings(policies=("plackett-luce",), alphas=ALPHAS, attention=TopK(K))
    conditions: list[Condition] = []
    for run in runs:
        curve, _, end = policy_curves(run, pool(run, qrels), settings)
        factors = Factors(retriever=run.system, generator=qrels.generator, policy=curve.policy)
        conditions.append(Condition(factors=factors, curves={"EER": curve}, ends={"EER": end}))
    grid = compare_grid(conditions, quality="EER")
    tables(grid)
    seconds, busy = time.perf_counter() - began, time.process_time() - busy
    yield Row(
        what=f"tables of {n_systems} runs at {ALPHAS.size} α",
        value=seconds,
        unit="s",
        goal=Goal(30),
        note=f"{n_queries:,} queries × 100, k = {K}; {THREADS} threads, {busy:.2g} s of processor time",
    )


def _another(run: Run, name: str, rng: np.random.Generator) -> Run:
    """The same documents and queries under other scores."""
    scores = np.sort(rng.gamma(2.0, 1.0, size=(len(run.query_ids), 100)), axis=1)[:, ::-1]
    docs = np.concatenate([rng.permutation(run.docs[a:b]) for a, b in pairwise(run.offsets.tolist())])
    return replace(run, system=name, tag=name, docs=docs, scores=scores.ravel().copy())
