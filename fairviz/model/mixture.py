"""A policy that is a lottery over few rankings."""

from typing import NamedTuple

import numpy as np

from fairviz.model.arrays import FloatArray, IntArray


class Mixture(NamedTuple):
    """A policy over R rankings of n items.

    Attributes:
        chances: (R) chance of each ranking, summing to 1.
        orders: (R, n) item positions of each, best first.

    Examples:
        >>> even = Mixture(np.array([0.5, 0.5]), np.array([[0, 1, 2], [1, 0, 2]]))
        >>> even.exposure(np.array([1.0, 0.5]))
        array([0.75, 0.75, 0.  ])
    """

    chances: FloatArray
    orders: IntArray

    def exposure(self, weights: FloatArray) -> FloatArray:
        """(n) expected attention of every item, for attention at ranks 1, 2, …; 0 below its end."""
        seen = self.orders[:, : weights.size]
        attention = np.outer(self.chances, weights[: seen.shape[1]])
        n_items = self.orders.shape[1]
        sums = np.bincount(seen.ravel(), attention.ravel(), minlength=n_items)
        return sums.astype(np.float64, copy=False)

    def draw(self, *, n_samples: int, rng: np.random.Generator) -> IntArray:
        """(n_samples, n) rankings drawn with these chances.

        Raises:
            ValueError: If there is no ranking to draw.
        """
        if not self.chances.size:
            raise ValueError("there is no ranking to draw: the policy is empty")
        return self.orders[rng.choice(self.chances.size, size=n_samples, p=self.chances)]
