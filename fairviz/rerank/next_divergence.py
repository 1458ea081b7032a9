"""KL of a growing list from its target, for every item that could come next.

A greedy re-ranker asks this at every rank, so what does not change from rank to rank is computed
once. With x = the group weights of a list and s = Σx, KL(x/s ‖ t) = (Σ x ln x − Σ x ln t)/s − ln s.
"""

import numpy as np

from fairviz.model import FloatArray

TINY = 1e-300
"""Keeps ln finite at 0, where x ln x is 0."""


class NextDivergence:
    """Divergences of "the list and one more item" for each of n items.

    Args:
        weights: (n, G) group weights of the items.
        target: (G) shares.
    """

    def __init__(self, weights: FloatArray, target: FloatArray) -> None:
        self._weights = weights
        self._excluded = target <= 0
        self._rules_out = weights[:, self._excluded].sum(axis=1) > 0
        self._logs = np.log(np.where(self._excluded, 1.0, target))
        self._totals = weights.sum(axis=1)
        self._cross = weights @ self._logs

    def after(self, placed: FloatArray) -> FloatArray:
        """(n) KL with each item added to a list of group weights ``placed`` (G).

        Infinite where a group with share 0 is in the list; 0 where nothing in it has a label.

        Examples:
            >>> items = NextDivergence(np.eye(2), np.array([0.5, 0.5]))
            >>> items.after(np.array([0.0, 1.0]))
            array([0.        , 0.69314718])
        """
        if placed[self._excluded].any():
            return np.full(len(self._weights), np.inf)
        counts = placed + self._weights
        own = np.einsum("ig,ig->i", counts, np.log(np.maximum(counts, TINY)))
        totals = np.maximum(placed.sum() + self._totals, TINY)
        found = (own - self._cross - placed @ self._logs) / totals - np.log(totals)
        found[found < 0] = 0.0  # rounding
        found[totals <= TINY] = 0.0
        found[self._rules_out] = np.inf
        return found
