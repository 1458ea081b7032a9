"""The greedy ideal of α-nDCG as a re-ranker: what novelty alone gives (Clarke et al., 2008)."""

from collections.abc import Callable

import numpy as np

from fairviz.gains import greedy_novelty_order
from fairviz.model import IntArray
from fairviz.rerank.candidates import Candidates, completed, coverage

# Re-ranking of labelled items only: what has no label keeps its rank.


def among_labelled(candidates: Candidates, order: Callable[[Candidates], IntArray]) -> IntArray:
    """Re-rank the labelled items among the ranks that labelled items hold.

    Quotas are of labelled items then, as shares are in AWRF and NDKL: a list of which little is
    labelled is not rebuilt from that little.

    Args:
        candidates: The query.
        order: A re-ranker that counts items of groups.

    Returns:
        (n) item positions; where k ranks hold m labelled items, the first m of them are its choice.
    """
    seats = np.flatnonzero(candidates.codes >= 0)
    n_decided = int(np.count_nonzero(seats < candidates.places))
    chosen = np.arange(candidates.n)
    if n_decided:
        inner = Candidates(weights=candidates.weights[seats], target=candidates.target, depth=n_decided)
        chosen[seats] = seats[order(inner)]
    return completed(chosen[: candidates.places], candidates.n)


def novelty(candidates: Candidates, *, alpha: float = 0.5) -> IntArray:
    """Rank after rank the item of the largest gain G[i] (Gao et al., Eq. 4), ties by run order.

    It looks at no target: the paper's IDCG, the baseline that fairness-aware lists are compared
    with.

    Args:
        candidates: The query; aspects from judgements, else its groups, of useful items.
        alpha: 0 counts every covered aspect alike; 1 counts an aspect once.
    """
    chosen = greedy_novelty_order(coverage(candidates), alpha, candidates.places)
    return completed(chosen, candidates.n)
