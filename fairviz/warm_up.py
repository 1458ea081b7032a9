"""Compile the kernels once, so that nobody waits for it in the dashboard."""

import numpy as np

from fairviz import warmth
from fairviz.attention import Attention, Discounted, TopK
from fairviz.compiled import KERNELS, SMALL
from fairviz.divergence import prefix_divergence, prefix_shares
from fairviz.exposure import run_exposure, sample_exposure, target_exposure
from fairviz.gains import greedy_orders
from fairviz.io.ids import stands_twice
from fairviz.model import Qrels, Run
from fairviz.model.arrays import segment_dots, segment_sums
from fairviz.policies.arrivals import SHORT
from fairviz.policies.optimal import optimal_frontier, oracle_frontier
from fairviz.policies.plackett_luce import PlackettLuce
from fairviz.policies.reweighting import log_chances
from fairviz.pool import pool, ranked_lists
from fairviz.rerankers.candidates import Candidates
from fairviz.rerankers.fair_epsilon_greedy import fair_epsilon_greedy

N_ITEMS = SHORT + 1
"""Enough for attention to many ranks."""


def warm_up() -> None:
    """Call every kernel on one query; what numba makes of it is kept on disk."""
    for kernel in KERNELS:
        kernel.dispatcher  # numba is there from the first on  # noqa: B018
    doc_ids = tuple(f"d{i}" for i in range(N_ITEMS))
    offsets = np.array([0, N_ITEMS], dtype=np.int64)
    docs = np.arange(N_ITEMS, dtype=np.int32)
    run = Run(
        system="warm-up",
        query_ids=("q",),
        doc_ids=doc_ids,
        offsets=offsets,
        docs=docs,
        scores=np.linspace(1, 0, N_ITEMS),
    )
    qrels = Qrels(
        name="warm-up",
        query_ids=("q",),
        doc_ids=doc_ids,
        offsets=offsets,
        docs=docs,
        grades=(docs < 2).astype(np.int64),
    )
    policy = PlackettLuce(1.0)
    pools = pool(run, qrels)
    attentions: tuple[Attention, ...] = (TopK(1), Discounted())
    for attention in attentions:
        policy.exposure(pools, attention)
        run_exposure(pools, attention)
        target = target_exposure(pools, attention)
        for frontier in (optimal_frontier, oracle_frontier):
            frontier(pools, target, attention).at(np.array([0.5]))
    prefix_divergence(np.ones((2, 1)), np.array([0, 2], dtype=np.int64), np.ones((1, 1)))
    prefix_shares(np.ones((2, 1)), np.array([0, 2], dtype=np.int64))
    greedy_orders(np.ones((2, 1)), np.ones((2, 1)), np.array([0, 2], dtype=np.int64))
    sample = policy.sample(run, depth=1, n_samples=2, rng=np.random.default_rng(0))
    sample_exposure(sample, pool(sample, qrels), TopK(1))
    for ranked in (run, sample):
        log_chances(policy, run, ranked_lists(ranked, pools))
    candidates = Candidates(weights=np.ones((2, 1)), target=np.ones(1), depth=2)
    fair_epsilon_greedy(candidates, rng=np.random.default_rng(0))
    for rankings in (np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int64)):
        stands_twice(rankings, np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32))
    many, whole = np.zeros(SMALL + 1), np.array([0, SMALL + 1])
    segment_sums(many, whole)
    segment_dots(many, many, whole)
    is_warm()  # and remembered


def is_warm() -> bool:
    """Whether :func:`warm_up` has nothing to compile; where numba keeps its code elsewhere, that is not known."""
    warm = all(kernel.is_kept for kernel in KERNELS)
    if warm and not warmth.is_known():
        warmth.keep(kernel.place for kernel in KERNELS)
    return warm
