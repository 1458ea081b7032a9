"""Values that are functions of means over queries: one per system, not one per query (E_πρ).

The value of a system, its bootstrap and ``over='query'`` are one mechanism: the same function of means, of resampled
means, or of the parts of each query alone. Such scores are a ``SystemScore``, which has no values per query.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from fairviz.metrics.group_exposure import item_inequity
from fairviz.model import BoolArray, Counts, FloatArray, IndexArray, IntArray
from fairviz.model.arrays import ratio, segment_sums

Combine: TypeAlias = Callable[[FloatArray], FloatArray]
"""(B, P) rows of parts, of one query or means over queries -> (B) values."""


class Statistic(Protocol):
    """What a measure of exposure over a whole system is computed from."""

    @property
    def defined(self) -> BoolArray:
        """(Q) queries that take part."""
        ...

    def per_query(self) -> FloatArray:
        """(Q) the value of each query alone, NaN = undefined."""
        ...

    def under(self, counts: Counts) -> FloatArray:
        """(B) the value of the system where query q counts ``counts[b, q]`` times."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class OfMeans:
    """A function of means over queries.

    Attributes:
        parts: (Q, P) what each query gives; NaN leaves the query out of that part's mean.
        combine: From means of the parts to the value.
        rescued: Rows whose value smoothing alone keeps finite, where a measure smooths. It does so for queries, whose
            mean would be lost; the value of a whole system is infinite there, on the side that the value stands.
    """

    parts: FloatArray
    combine: Combine
    rescued: Callable[[FloatArray], BoolArray] | None = None

    @property
    def defined(self) -> BoolArray:
        """Queries with some part."""
        known: BoolArray = ~np.isnan(self.parts)
        return np.asarray(known.any(axis=1), dtype=np.bool_)

    def per_query(self) -> FloatArray:
        """The function of each query's own parts."""
        return self.combine(self.parts)

    def means(self, counts: Counts) -> FloatArray:
        """(B, P) mean of each part over the queries that have it."""
        known = ~np.isnan(self.parts)
        weights = counts @ known.astype(np.float64)
        sums = counts @ np.where(known, self.parts, 0.0)
        return ratio(sums, weights)

    def under(self, counts: Counts) -> FloatArray:
        """The function of the means; infinite where a side has nothing, NaN where both have."""
        means = self.means(counts)
        values = self.combine(means)
        if self.rescued is None:
            return values
        values = values.copy()
        smoothed = self.rescued(means)
        values[smoothed & (values > 0)] = np.inf
        values[smoothed & (values < 0)] = -np.inf
        values[smoothed & (values == 0)] = np.nan
        return values

    def n_smoothed(self) -> int:
        """Queries whose value smoothing alone keeps finite."""
        return 0 if self.rescued is None else int(self.rescued(self.parts).sum())


@dataclass(frozen=True, slots=True, eq=False)
class OfItems:
    """Σ_d |Σ_q gap of d in q|: a sum over items of what queries leave uneven.

    Attributes:
        gaps: (N) gap of an item in a query.
        items: (N) the item.
        queries: (N) the query, never falling.
        defined: (Q) queries that take part.
    """

    gaps: FloatArray
    items: IndexArray
    queries: IntArray
    defined: BoolArray

    def per_query(self) -> FloatArray:
        """Σ_d |gap| of each query."""
        n = self.defined.size
        offsets = np.searchsorted(self.queries, np.arange(n + 1)).astype(np.int64)
        return np.where(self.defined, segment_sums(np.abs(self.gaps), offsets), np.nan)

    def under(self, counts: Counts) -> FloatArray:
        """The sum where queries count more than once or not at all."""
        sums = item_inequity(self.gaps, self.items, self.queries, counts)
        some = counts @ self.defined.astype(np.float64) > 0
        return np.where(some, sums, np.nan)
