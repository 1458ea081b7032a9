"""Resampled queries: how often each resample holds each query, in bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fairviz.model.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """A matrix of (B, Q) counts whose columns are equal within a unit: a query, or a group of queries drawn as one.

    Attributes:
        counts: (B, U) how often each resample holds each unit; of groups so weighed that every row is of Q queries.
        units: (Q) unit of each query; None where every query is its own.
    """

    counts: FloatArray
    units: IntArray | None = None

    def __len__(self) -> int:
        """B."""
        return len(self.counts)

    def __iter__(self) -> Iterator[FloatArray]:
        """(Q) counts of one resample after the other."""
        return iter(self.counts) if self.units is None else (row[self.units] for row in self.counts)

    @property
    def n_queries(self) -> int:
        """Q."""
        return self.counts.shape[1] if self.units is None else self.units.size

    def __matmul__(self, values: FloatArray | BoolArray) -> FloatArray:
        """(B) or (B, P) totals of (Q) or (Q, P) values under each resample.

        Examples:
            >>> resamples = Resamples(np.array([[2.0, 0.0]]), units=np.array([0, 1, 0]))
            >>> resamples @ np.array([1.0, 10.0, 5.0])
            array([12.])
        """
        return self.counts @ in_units(values.T, self.units, self.counts.shape[1]).T

    def totals(self, rows: FloatArray) -> FloatArray:
        """(…, B) totals of (…, Q) rows under each resample."""
        return in_units(rows, self.units, self.counts.shape[1]) @ self.counts.T

    def of(self, queries: IntArray) -> "Resamples":
        """The columns of some queries."""
        if self.units is None:
            return Resamples(self.counts[:, queries])
        return Resamples(self.counts, self.units[queries])

    def only(self, keep: BoolArray) -> "Resamples":
        """The same, where only (Q) some queries count.

        Examples:
            >>> one = Resamples(np.array([[2.0, 1.0]]))
            >>> one.only(np.array([True, False])) @ np.array([1.0, 10.0])
            array([2.])
        """
        if self.units is None:
            return Resamples(self.counts * keep)
        nothing = np.zeros((len(self), 1))
        return Resamples(np.hstack([self.counts, nothing]), np.where(keep, self.units, self.counts.shape[1]))

    def cells(self, resamples: slice, queries: IntArray) -> FloatArray:
        """Counts of some resamples, a column for each of the queries, which may come again."""
        return self.counts[resamples][:, queries if self.units is None else self.units[queries]]


Counts: TypeAlias = FloatArray | Resamples
"""(B, Q) how often each query counts."""


def in_units(rows: FloatArray | BoolArray, units: IntArray | None, n_units: int) -> FloatArray:
    """(…, U) totals of (…, Q) rows by unit: the rows themselves where every query is its own.

    Examples:
        >>> in_units(np.array([[1.0, 10.0, 5.0]]), np.array([0, 1, 0]), 2)
        array([[ 6., 10.]])
    """
    if units is None:
        return rows.astype(np.float64, copy=False)
    flat = rows.reshape(-1, units.size)
    sums = np.array([np.bincount(units, row, n_units) for row in flat], dtype=np.float64)
    return sums.reshape(*rows.shape[:-1], n_units)
