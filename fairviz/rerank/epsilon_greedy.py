"""ε-greedy by random swaps, blind to groups (Feng & Shah, AAAI 2022): a published baseline.

Not to be taken for FAIR ε-greedy, which chooses what it explores.
"""

import numpy as np

from fairviz.model import IntArray
from fairviz.rerank.candidates import Candidates, completed
from fairviz.rerank.draws import Draws


def epsilon_greedy(candidates: Candidates, *, rng: Draws, epsilon: float = 0.5) -> IntArray:
    """From the top, each rank swaps its item with a random one below, with chance ε.

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
