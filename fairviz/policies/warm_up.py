"""Compile the kernels once, so that nobody waits for it in the dashboard."""

import numpy as np

from fairviz.attention import TopK
from fairviz.exposure import sample_exposure, target_exposure
from fairviz.model import Qrels, Run
from fairviz.policies.optimal import optimal_frontier
from fairviz.policies.plackett_luce import PlackettLuce
from fairviz.pool import pool


def warm_up() -> None:
    """Call every compiled kernel on a two-item example; the results are cached on disk."""
    run = Run(
        system="warm-up",
        query_ids=("q",),
        doc_ids=("a", "b"),
        offsets=np.array([0, 2], dtype=np.int64),
        docs=np.array([0, 1], dtype=np.int32),
        scores=np.array([1.0, 0.0]),
    )
    qrels = Qrels(
        name="warm-up",
        query_ids=("q",),
        doc_ids=("a", "b"),
        offsets=np.array([0, 2], dtype=np.int64),
        docs=np.array([0, 1], dtype=np.int32),
        grades=np.array([1, 0], dtype=np.int64),
    )
    pools, attention = pool(run, qrels), TopK(1)
    policy = PlackettLuce(1.0)
    policy.exposure(pools, attention)
    sample = policy.sample(run, depth=1, n_samples=2, rng=np.random.default_rng(0))
    sample_exposure(sample, pools, attention)
    frontier = optimal_frontier(pools, target_exposure(pools, attention), attention)
    frontier.at(np.array([0.5]))
