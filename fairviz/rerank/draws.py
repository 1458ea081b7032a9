"""Sources of chance that re-rankers draw from, one number after another."""

from typing import Protocol

import numpy as np


class Draws(Protocol):
    """A source of chance; NumPy's generators are one."""

    def random(self) -> float:
        """A number in [0, 1)."""
        ...

    def integers(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high`` − 1."""
        ...


class LegacyDraws:
    """NumPy's legacy stream, with which published implementations were seeded.

    Examples:
        >>> LegacyDraws(7).integers(1, 48)
        5
    """

    def __init__(self, seed: int) -> None:
        self._state = np.random.RandomState(seed)

    def random(self) -> float:
        """A number in [0, 1)."""
        return float(self._state.random_sample())

    def integers(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high`` − 1."""
        return int(self._state.randint(low, high))
