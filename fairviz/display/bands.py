"""Intervals along a line, and the closed shapes that are filled for them."""

from typing import NamedTuple

import numpy as np

from fairviz.model import FloatArray

Outline = tuple[FloatArray, FloatArray]
"""x and y of a closed shape's corners: forward along the lower ends, back along the upper ones."""


class Band(NamedTuple):
    """(P) an interval at each place of a line; NaN where it is undefined."""

    x: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def where_defined(cls, x: FloatArray, low: FloatArray, high: FloatArray) -> "Band | None":
        """The band, or None where no place has an interval."""
        return cls(x, low, high) if (np.isfinite(low) & np.isfinite(high)).any() else None

    def outlines(self) -> list[Outline]:
        """One shape for each stretch of places that have an interval; a place alone is a line of two corners.

        A single shape around all would be cut apart at each undefined place, and its parts closed across the band.

        Examples:
            >>> band = Band(np.arange(4.0), np.array([0, 0, np.nan, 1]), np.array([2, 2, np.nan, 3]))
            >>> [(x.tolist(), y.tolist()) for x, y in band.outlines()]
            [([0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 2.0, 2.0]), ([3.0, 3.0], [1.0, 3.0])]
        """
        defined = np.isfinite(self.x) & np.isfinite(self.low) & np.isfinite(self.high)
        ends = np.flatnonzero(np.diff(defined, prepend=False, append=False)).reshape(-1, 2)
        stretches = [Band(*(each[start:stop] for each in self)) for start, stop in ends]
        return [(np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]])) for x, low, high in stretches]

    def outline(self) -> Outline:
        """All shapes as one line, NaN between two of them."""
        gap = np.array([np.nan])
        corners = [each for outline in self.outlines() for each in (outline, (gap, gap))][:-1]
        if not corners:
            return np.empty(0), np.empty(0)
        return np.concatenate([x for x, _ in corners]), np.concatenate([y for _, y in corners])
