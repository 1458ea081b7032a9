"""The most useful policy under statements about all queries together: a thousand queries of a hundred documents."""

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.measuring import Goal, Row
from fairviz.kernels.attention import Discounted
from fairviz.reranking.amortised import Statements, amortised

N_QUERIES, N_ITEMS, K = 1_000, 100, 10
ATTRIBUTES = (6, 4)
"""Groups of each attribute; every one has a statement."""


def rows(*, small: bool) -> Iterator[Row]:
    """Seconds of ten statements, the gap to the bound, and queries with a lottery."""
    n_queries, rng = 30 if small else N_QUERIES, np.random.default_rng(0)
    n_rows = n_queries * N_ITEMS
    codes = [rng.choice(n, n_rows, p=np.arange(n, 0, -1) / (n * (n + 1) / 2)) for n in ATTRIBUTES]
    membership = np.concatenate([np.eye(n)[code] for n, code in zip(ATTRIBUTES, codes, strict=True)], axis=1)
    useful = -np.sort(-rng.beta(1, 3, (n_queries, N_ITEMS)), axis=1).ravel()
    offsets = np.arange(n_queries + 1) * N_ITEMS
    # Half of the way from shares in proportion to numbers to equal ones, at least.
    low = np.concatenate([(np.arange(n, 0, -1) / (n * (n + 1) / 2) + 1 / n) / 2 - 0.01 for n in ATTRIBUTES])
    stated = Statements.of(*((part, np.ones(part.size)) for part in np.split(low, [ATTRIBUTES[0]])))
    attention = Discounted(K).weights(N_ITEMS)
    start = time.perf_counter()
    policy = amortised(useful, membership, offsets, attention, stated)
    taken = time.perf_counter() - start
    size = f"{n_queries} queries × {N_ITEMS} documents × {low.size} statements"
    yield Row(what=f"policy under statements: {size}", value=taken, unit="s", goal=Goal(10), note="wall time")
    yield Row(what="gap of its utility to the bound", value=policy.gap / policy.utility, unit="", goal=Goal(1e-9))
    yield Row(what="queries with a lottery", value=float(policy.n_lotteries), unit="", goal=Goal(low.size))
