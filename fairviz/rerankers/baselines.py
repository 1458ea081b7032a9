"""Baselines, which aim at no target: the greedy ideal of α-nDCG (Clarke et al., 2008), and random swaps."""

import numpy as np

from fairviz.gains import greedy_novelty_order
from fairviz.model import IntArray
from fairviz.rerankers.candidates import Candidates, Draws, completed
from fairviz.rerankers.utility import coverage


def novelty(candidates: Candidates, *, alpha: float = 0.5) -> IntArray:
    """Rank after rank the item of the largest gain G[i] (Gao et al., Eq. 4), ties by run order.

    It looks at no target: the paper's IDCG, the baseline that fairness-aware lists are compared
    with.

    Args:
        candidates: The query; aspects from judgements, else its groups, of useful items.
        alpha: 0 counts every covered aspect alike; 1 counts an aspect once.
    """
    order = greedy_novelty_order(coverage(candidates), alpha, candidates.places)
    return completed(order, candidates.n)


def epsilon_greedy(candidates: Candidates, *, rng: Draws, epsilon: float = 0.5) -> IntArray:
    """From the top, each rank swaps its item with a random one below, with chance ε (Feng & Shah, AAAI 2022).

    Not to be taken for FAIR ε-greedy, which chooses what it explores.

    Args:
        candidates: The query; labels and target play no part.
        rng: Source of chance: one number per rank, one more for each swap.
        epsilon: 0 leaves the run as it is; 1 shuffles it.

    Returns:
        (n) item positions, the first min(k, n) re-ranked.
    """
    order = np.arange(candidates.n)
    for place in range(min(candidates.places, candidates.n - 1)):
        if rng.random() < epsilon:
            other = int(rng.integers(place + 1, candidates.n))
            order[[place, other]] = order[[other, place]]
    return completed(order[: candidates.places], candidates.n)
