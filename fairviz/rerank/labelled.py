"""Re-ranking of labelled items only: what has no label keeps its rank."""

from collections.abc import Callable

import numpy as np

from fairviz.model import IntArray
from fairviz.rerank.candidates import Candidates, completed


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
